"""The GPT-2 decoder (Radford et al. 2019, "Language Models are Unsupervised Multitask Learners"), by hand.

Lay it beside `qwen2.py`: the cache, the placement and the attention are the same. What is older here: a position is a
learned vector added to the token's, not a rotation of queries and keys; every head has keys and values of its own;
norms have means and biases; the weights of a projection lie as [in, out].

Modules are named as the checkpoints name their tensors, and `rows`, `new`, `slots` and `heads` mean what they mean
there.
"""

import re
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from minikv.attention import Attend, sdpa
from minikv.cache import KVCache, Placement
from minikv.config import Sizes, number, size, switch, weights_dtype
from minikv.decoder import Decoder, Pass
from minikv.errors import CheckpointError, MinikvError

# What is computed, setting by setting. Each is also what a config.json means that leaves the setting out.
BUILT = {
    "activation_function": "gelu_new",
    "scale_attn_weights": True,
    "scale_attn_by_inverse_layer_idx": False,
    "reorder_and_upcast_attn": False,
    "add_cross_attention": False,
    "quantization_config": None,
}
MASK_BUFFER = re.compile(r"h\.\d+\.attn\.(bias|masked_bias)")  # not attn.c_attn.bias, which is a weight


@dataclass(frozen=True)
class GPT2Config(Sizes):
    """The sizes and constants of one GPT-2 decoder."""

    @classmethod
    def parse(cls, raw: dict[str, Any], where: str = "config.json") -> "GPT2Config":
        """The config in the parsed JSON object `raw`; `where` names it in errors."""
        for key, built in BUILT.items():
            if raw.get(key, built) != built:
                raise CheckpointError(f"{where}: {key} is {raw[key]!r}; the decoder computes {built!r}, nothing else")
        hidden, heads = size(raw, "n_embd", where), size(raw, "n_head", where)
        if hidden % heads:
            raise CheckpointError(f"{where}: n_embd {hidden} does not divide into {heads} heads (n_head)")
        return cls(
            vocab=size(raw, "vocab_size", where),
            hidden=hidden,
            intermediate=4 * hidden if raw.get("n_inner") is None else size(raw, "n_inner", where),
            layers=size(raw, "n_layer", where),
            heads=heads,
            kv_heads=heads,
            head_dim=hidden // heads,
            eps=number(raw, "layer_norm_epsilon", where),
            tied=switch({"tie_word_embeddings": True} | raw, "tie_word_embeddings", where),
            context=size(raw, "n_positions" if "n_positions" in raw else "n_ctx", where),  # n_ctx: its older name
            dtype=weights_dtype(raw, where),
        )


def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """x times the normal distribution function of x, by its tanh approximation (Hendrycks and Gimpel 2016,
    arXiv:1606.08415): x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))."""
    return F.gelu(x, approximate="tanh")


class Conv1D(nn.Module):
    """x W + b, with W as [in, out]. (`nn.Linear` keeps the transpose.)"""

    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(inputs, outputs))  # 0.02: the spread that GPT-2 began with
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x: Float[Tensor, "rows new inputs"]) -> Float[Tensor, "rows new outputs"]:
        return x @ self.weight + self.bias


class Attention(nn.Module):
    """Multi-head self-attention. One projection gives Q, K and V, in this order."""

    def __init__(self, config: GPT2Config, layer: int):
        super().__init__()
        self.layer, self.head_dim = layer, config.head_dim
        self.c_attn = Conv1D(config.hidden, 3 * config.hidden)
        self.c_proj = Conv1D(config.hidden, config.hidden)

    def forward(self, x: Float[Tensor, "rows new hidden"], at: Pass) -> Float[Tensor, "rows new hidden"]:
        q, k, v = self.c_attn(x).unflatten(-1, (3, -1, self.head_dim)).unbind(2)  # each: rows new heads head_dim
        return self.c_proj(at.attention(self.layer, q, k, v).flatten(-2))


class MLP(nn.Module):
    """proj(gelu(fc(x)))."""

    def __init__(self, config: GPT2Config):
        super().__init__()
        self.c_fc = Conv1D(config.hidden, config.intermediate)
        self.c_proj = Conv1D(config.intermediate, config.hidden)

    def forward(self, x: Float[Tensor, "rows new hidden"]) -> Float[Tensor, "rows new hidden"]:
        return self.c_proj(gelu_new(self.c_fc(x)))


class Layer(nn.Module):
    """Attention and MLP, each on a normalised copy of the residual stream and added back to it."""

    def __init__(self, config: GPT2Config, layer: int):
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.hidden, config.eps)
        self.attn = Attention(config, layer)
        self.ln_2 = nn.LayerNorm(config.hidden, config.eps)
        self.mlp = MLP(config)

    def forward(self, x: Float[Tensor, "rows new hidden"], at: Pass) -> Float[Tensor, "rows new hidden"]:
        x = x + self.attn(self.ln_1(x), at)
        return x + self.mlp(self.ln_2(x))


class Body(nn.Module):
    """Everything but the output head: token ids to the last hidden states."""

    def __init__(self, config: GPT2Config):
        super().__init__()
        self.wte = nn.Embedding(config.vocab, config.hidden)
        self.wpe = nn.Embedding(config.context, config.hidden)
        self.h = nn.ModuleList(Layer(config, layer) for layer in range(config.layers))
        self.ln_f = nn.LayerNorm(config.hidden, config.eps)

    def forward(self, tokens: Int[Tensor, "rows new"], at: Pass) -> Float[Tensor, "rows new hidden"]:
        # Padding beyond the cache's end may count on past the table; any vector will do there, since nothing sees it.
        positions = at.placement.positions.clamp(0, self.wpe.num_embeddings - 1)
        x = self.wte(tokens) + self.wpe(positions)
        for layer in self.h:
            x = layer(x, at)
        return self.ln_f(x)


class GPT2(Decoder):
    """The decoder with its output head, which the official models share with the embedding."""

    config: GPT2Config
    config_class = GPT2Config
    embedding = "transformer.wte.weight"

    def __init__(self, config: GPT2Config, attend: Attend = sdpa):
        super().__init__(config, attend)
        self.transformer = Body(config)
        self.lm_head = nn.Linear(config.hidden, config.vocab, bias=False)
        self.tie()

    def body(self, tokens: Int[Tensor, "rows new"], at: Pass) -> Float[Tensor, "rows new hidden"]:
        return self.transformer(tokens, at)

    @staticmethod
    def own_name(stored: str) -> str | None:
        """The official files leave out the prefix `transformer.`, which newer ones have, and hold causal masks."""
        name = stored.removeprefix("transformer.")
        if MASK_BUFFER.fullmatch(name):
            return None
        return stored if stored == "lm_head.weight" else f"transformer.{name}"

    def _checked(
        self, tokens: Int[Tensor, "rows new"], cache: KVCache | None, placement: Placement | None
    ) -> Placement:
        """As for every decoder; and a token that is kept must have a position that was learned. RoPE could turn by any
        angle, here there is nothing to look up."""
        placement = super()._checked(tokens, cache, placement)
        rows, columns, _ = placement.written
        kept = placement.positions if cache is None else placement.positions[rows, columns]
        unlearned = kept[(kept < 0) | (kept >= self.config.context)]
        if len(unlearned):
            raise MinikvError(
                f"a token is placed at position {int(unlearned[0])}; the model has learned positions 0 to "
                f"{self.config.context - 1}. Shorten the text, and make the cache with at most "
                f"{self.config.context} slots"
            )
        return placement
