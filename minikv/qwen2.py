"""The Qwen2 decoder (Qwen team 2024, arXiv:2407.10671), by hand, from token ids to logits.

Read it from the top: normalise, attend, normalise, feed forward, and the residual stream that they all add to. Modules
are named as the official checkpoints name their tensors, so loading is the identity.

One vocabulary throughout: `rows` are the sequences of a batch, `new` the tokens that each gets in this pass, `slots`
the places of the cache, `heads` the query heads and `kv_heads` the key/value heads.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from minikv.attention import Attend, sdpa
from minikv.cache import KVCache, Placement
from minikv.config import Config
from minikv.errors import MinikvError
from minikv.rope import rope_angles, rotate


class RMSNorm(nn.Module):
    """x / rms(x) * weight (Zhang and Sennrich 2019, arXiv:1910.07467)."""

    def __init__(self, hidden: int, eps: float):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden))
        self.eps = eps

    def forward(self, x: Float[Tensor, "rows new hidden"]) -> Float[Tensor, "rows new hidden"]:
        # Normalised in fp32, cast back, and only then scaled: the order that the weights were trained with.
        wide = x.float()
        normed = wide * torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + self.eps)
        return self.weight * normed.to(x.dtype)


class Attention(nn.Module):
    """Grouped-query self-attention. Q, K and V have biases, O has none."""

    def __init__(self, config: Config):
        super().__init__()
        self.head_dim = config.head_dim
        self.q_proj = nn.Linear(config.hidden, config.heads * config.head_dim, bias=True)
        self.k_proj = nn.Linear(config.hidden, config.kv_heads * config.head_dim, bias=True)
        self.v_proj = nn.Linear(config.hidden, config.kv_heads * config.head_dim, bias=True)
        self.o_proj = nn.Linear(config.heads * config.head_dim, config.hidden, bias=False)

    def forward(
        self,
        x: Float[Tensor, "rows new hidden"],
        angles: Float[Tensor, "rows new half"],
        placement: Placement,
        cache: KVCache | None,
        layer: int,
        attend: Attend,
    ) -> Float[Tensor, "rows new hidden"]:
        q = self.q_proj(x).unflatten(-1, (-1, self.head_dim))  # rows new heads head_dim
        k = self.k_proj(x).unflatten(-1, (-1, self.head_dim))  # rows new kv_heads head_dim
        v = self.v_proj(x).unflatten(-1, (-1, self.head_dim))  # rows new kv_heads head_dim
        q, k = rotate(q, angles), rotate(k, angles)
        if cache is None:
            keys, values = k.transpose(1, 2), v.transpose(1, 2)  # rows kv_heads new head_dim
        else:
            keys, values = cache.write(layer, placement, k, v)  # rows kv_heads seen head_dim
        mask = placement.mask[:, :, : keys.shape[2]]
        return self.o_proj(attend(q, keys, values, mask).flatten(-2))


class MLP(nn.Module):
    """SwiGLU: down(silu(gate(x)) * up(x)) (Shazeer 2020, arXiv:2002.05202)."""

    def __init__(self, config: Config):
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden, config.intermediate, bias=False)
        self.up_proj = nn.Linear(config.hidden, config.intermediate, bias=False)
        self.down_proj = nn.Linear(config.intermediate, config.hidden, bias=False)

    def forward(self, x: Float[Tensor, "rows new hidden"]) -> Float[Tensor, "rows new hidden"]:
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    """Attention and MLP, each on a normalised copy of the residual stream and added back to it."""

    def __init__(self, config: Config):
        super().__init__()
        self.input_layernorm = RMSNorm(config.hidden, config.eps)
        self.self_attn = Attention(config)
        self.post_attention_layernorm = RMSNorm(config.hidden, config.eps)
        self.mlp = MLP(config)

    def forward(
        self,
        x: Float[Tensor, "rows new hidden"],
        angles: Float[Tensor, "rows new half"],
        placement: Placement,
        cache: KVCache | None,
        layer: int,
        attend: Attend,
    ) -> Float[Tensor, "rows new hidden"]:
        x = x + self.self_attn(self.input_layernorm(x), angles, placement, cache, layer, attend)
        return x + self.mlp(self.post_attention_layernorm(x))


class Body(nn.Module):
    """Everything but the output head: token ids to the last hidden states."""

    def __init__(self, config: Config, attend: Attend):
        super().__init__()
        self.config = config
        self.attend = attend  # attention.sdpa or attention.by_hand; may be changed at any time
        self.embed_tokens = nn.Embedding(config.vocab, config.hidden)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.norm = RMSNorm(config.hidden, config.eps)

    def forward(
        self, tokens: Int[Tensor, "rows new"], cache: KVCache | None = None, placement: Placement | None = None
    ) -> Float[Tensor, "rows new hidden"]:
        placement = checked_placement(self, tokens, cache, placement)
        if cache is not None:
            cache.write_tokens(placement, tokens)
        x = self.embed_tokens(tokens)
        angles = rope_angles(placement.positions, self.config.head_dim, self.config.theta)
        for layer, module in enumerate(self.layers):
            x = module(x, angles, placement, cache, layer, self.attend)
        return self.norm(x)


class Qwen2(nn.Module):
    """The decoder with its output head.

    `model(tokens)` is the plain causal forward pass. `model(tokens, cache, placement)` continues a cache: it writes the
    new keys and values and moves no length. Where only some columns' logits are wanted, take them from the hidden
    states, `model.lm_head(model.model(tokens, cache, placement)[rows, columns])`: the head is a third of a small model.
    """

    def __init__(self, config: Config, attend: Attend = sdpa):
        super().__init__()
        self.config = config
        self.model = Body(config, attend)
        self.lm_head = nn.Linear(config.hidden, config.vocab, bias=False)
        if config.tied:
            self.lm_head.weight = self.model.embed_tokens.weight

    def forward(
        self, tokens: Int[Tensor, "rows new"], cache: KVCache | None = None, placement: Placement | None = None
    ) -> Float[Tensor, "rows new vocab"]:
        return self.lm_head(self.model(tokens, cache, placement))


def checked_placement(
    body: Body, tokens: Int[Tensor, "rows new"], cache: KVCache | None, placement: Placement | None
) -> Placement:
    """The placement to compute with; MinikvError, before anything is written, if model, tokens, cache and placement do
    not fit each other."""
    rows, new = tokens.shape
    if cache is not None:
        config, weight = body.config, body.embed_tokens.weight
        shape = (config.layers, rows, config.kv_heads, cache.slots, config.head_dim)
        if cache.keys.shape != shape or (cache.keys.dtype, cache.keys.device) != (weight.dtype, weight.device):
            raise MinikvError(
                f"the cache holds {list(cache.keys.shape)} in {cache.keys.dtype} on {cache.keys.device}; this model "
                f"and these tokens need {list(shape)} in {weight.dtype} on {weight.device}, as KVCache.empty makes it"
            )
    if placement is None:
        if cache is not None:
            raise MinikvError("a cache without a placement; say where the new tokens go: cache.place(counts)")
        return Placement.causal(rows, new, tokens.device)
    slots = new if cache is None else cache.slots
    if placement.mask.shape != (rows, new, slots) or {placement.positions.shape, placement.slots.shape} != {
        tokens.shape
    }:
        raise MinikvError(
            f"tokens are {[rows, new]}, but the placement has positions {list(placement.positions.shape)}, slots "
            f"{list(placement.slots.shape)} and mask {list(placement.mask.shape)}; expected {[rows, new]} twice and "
            f"{[rows, new, slots]}"
        )
    if bool(((placement.slots < 0) | (placement.slots > slots)).any()):  # -1 would overwrite the last slot, unasked
        raise MinikvError(f"slots {placement.slots.tolist()} of a cache of {slots}; expected 0 to {slots - 1}")
    return placement
