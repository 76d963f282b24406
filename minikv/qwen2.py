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
from minikv.config import Config
from minikv.decoder import Decoder, Pass
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

    def __init__(self, config: Config, layer: int):
        super().__init__()
        self.layer, self.head_dim = layer, config.head_dim
        self.q_proj = nn.Linear(config.hidden, config.heads * config.head_dim, bias=True)
        self.k_proj = nn.Linear(config.hidden, config.kv_heads * config.head_dim, bias=True)
        self.v_proj = nn.Linear(config.hidden, config.kv_heads * config.head_dim, bias=True)
        self.o_proj = nn.Linear(config.heads * config.head_dim, config.hidden, bias=False)

    def forward(
        self, x: Float[Tensor, "rows new hidden"], angles: Float[Tensor, "rows new half"], at: Pass
    ) -> Float[Tensor, "rows new hidden"]:
        q = self.q_proj(x).unflatten(-1, (-1, self.head_dim))  # rows new heads head_dim
        k = self.k_proj(x).unflatten(-1, (-1, self.head_dim))  # rows new kv_heads head_dim
        v = self.v_proj(x).unflatten(-1, (-1, self.head_dim))  # rows new kv_heads head_dim
        return self.o_proj(at.attention(self.layer, rotate(q, angles), rotate(k, angles), v).flatten(-2))


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

    def __init__(self, config: Config, layer: int):
        super().__init__()
        self.input_layernorm = RMSNorm(config.hidden, config.eps)
        self.self_attn = Attention(config, layer)
        self.post_attention_layernorm = RMSNorm(config.hidden, config.eps)
        self.mlp = MLP(config)

    def forward(
        self, x: Float[Tensor, "rows new hidden"], angles: Float[Tensor, "rows new half"], at: Pass
    ) -> Float[Tensor, "rows new hidden"]:
        x = x + self.self_attn(self.input_layernorm(x), angles, at)
        return x + self.mlp(self.post_attention_layernorm(x))


class Body(nn.Module):
    """Everything but the output head: token ids to the last hidden states."""

    def __init__(self, config: Config):
        super().__init__()
        self.config = config
        self.embed_tokens = nn.Embedding(config.vocab, config.hidden)
        self.layers = nn.ModuleList(Layer(config, layer) for layer in range(config.layers))
        self.norm = RMSNorm(config.hidden, config.eps)

    def forward(self, tokens: Int[Tensor, "rows new"], at: Pass) -> Float[Tensor, "rows new hidden"]:
        x = self.embed_tokens(tokens)
        angles = rope_angles(at.placement.positions, self.config.head_dim, self.config.theta)
        for layer in self.layers:
            x = layer(x, angles, at)
        return self.norm(x)


class Qwen2(Decoder):
    """The decoder with its output head, which small models share with the embedding."""

    config: Config
    config_class = Config
    embedding = "model.embed_tokens.weight"

    def __init__(self, config: Config, attend: Attend = sdpa):
        super().__init__(config, attend)
        self.model = Body(config)
        self.lm_head = nn.Linear(config.hidden, config.vocab, bias=False)
        self.tie()

    def body(self, tokens: Int[Tensor, "rows new"], at: Pass) -> Float[Tensor, "rows new hidden"]:
        return self.model(tokens, at)

    @staticmethod
    def own_name(stored: str) -> str:
        """The same: the modules are named as the checkpoints name their tensors."""
        return stored
