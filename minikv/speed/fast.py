"""The same decoder, faster: fewer and better-packed steps. To read how the decoder works, read `qwen2.py` instead.

    model = minikv.fast(model)

A decode step of a few rows does little arithmetic. It reads every weight once, and its time is that of the reading. So:

    packed weights   oneDNN reads a weight in an order of its own faster than a plain one (`packed.py`). Each weight is
                     reordered once, and the plain one let go.
    fused layers     Q, K and V are one product instead of three. The MLP's activation and product, and both sums with
                     the residual stream, are done while a product's result is still in the processor's cache. In 16
                     bits a norm is one operation instead of eight.
    done once        cosine and sine of the positions, and the mask as the kernel wants it, are the same for all layers.
    shared prefix    rows that are forked from one prefix keep one copy of it (`shared_prefix.py`), and read it once
                     (`fast_attention.py`): where they are few and it is short, as if all were one row.

What is fused is rounded less often, so in 16 bits the logits differ from the plain decoder's as those of another batch
size would; in fp32 by the order of sums. The tests hold both to the tolerance that the plain decoder is held to.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from minikv import qwen2
from minikv.decoder import Decoder, Pass
from minikv.errors import MinikvError
from minikv.rope import rope_angles
from minikv.speed.fast_attention import LayerAttention, attention_of
from minikv.speed.packed import Packed
from minikv.speed.shared_prefix import Prefix


def fast(model: Decoder) -> Decoder:
    """`model` with its layers fused and its weights packed, in place: it takes no second copy of a weight, but for an
    embedding that the head shares, and cannot be turned back. Its `state_dict` is no checkpoint any more, and it
    attends in its own way, whatever `attend` says.

    MinikvError for a decoder that is not Qwen2's, or not on the CPU.
    """
    if not isinstance(model, qwen2.Qwen2):
        raise MinikvError(f"a {type(model).__name__} has no fast form; only Qwen2 has one")
    if isinstance(model.model, FusedBody):
        return model
    if model.device.type != "cpu":
        raise MinikvError(f"the model is on {model.device}; its fast form is for the CPU")
    model.lm_head = Packed(model.lm_head.weight)  # type: ignore[assignment]
    model.model = FusedBody(model.model)  # type: ignore[assignment]
    for parameter in model.parameters():  # what is left as it was, in memory of its own: or the file would stay mapped
        parameter.data = parameter.data.clone()
    model.cache_class = Prefix
    return model


class FusedBody(nn.Module):
    """What `qwen2.Body` computes."""

    def __init__(self, body: qwen2.Body):
        super().__init__()
        self.config = body.config
        self.embed_tokens, self.norm = body.embed_tokens, fused(body.norm)
        self.layers = nn.ModuleList()
        while len(body.layers):  # one at a time, each plain layer let go before the next is packed
            plain = body.layers.pop(0)
            assert isinstance(plain, qwen2.Layer)
            self.layers.append(FusedLayer(plain))

    def forward(self, tokens: Int[Tensor, "rows new"], at: Pass) -> Float[Tensor, "rows new hidden"]:
        x = self.embed_tokens(tokens)
        angles = rope_angles(at.placement.positions, self.config.head_dim, self.config.theta)[:, :, None]
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)  # rows new 1 half
        cos, sin = torch.cat([cos, cos], dim=-1), torch.cat([-sin, sin], dim=-1)  # rows new 1 head_dim
        attention = attention_of(at, self.config.group, x.dtype)
        for layer in self.layers:
            x = layer(x, cos, sin, attention)
        return self.norm(x)


class FusedLayer(nn.Module):
    """What `qwen2.Layer` computes."""

    def __init__(self, layer: qwen2.Layer):
        super().__init__()
        attention, mlp = layer.self_attn, layer.mlp
        projections = (attention.q_proj, attention.k_proj, attention.v_proj)
        self.layer, self.head_dim = attention.layer, attention.head_dim
        self.heads, self.kv_heads, _ = (each.out_features // self.head_dim for each in projections)
        self.input_layernorm = fused(layer.input_layernorm)
        self.qkv = Packed(
            torch.cat([each.weight for each in projections]), torch.cat([each.bias for each in projections])
        )
        self.o = Packed(attention.o_proj.weight)
        self.post_attention_layernorm = fused(layer.post_attention_layernorm)
        self.gate, self.up = Packed(mlp.gate_proj.weight), Packed(mlp.up_proj.weight)
        self.down = Packed(mlp.down_proj.weight)

    def forward(
        self,
        x: Float[Tensor, "rows new hidden"],
        cos: Float[Tensor, "rows new 1 head_dim"],
        sin: Float[Tensor, "rows new 1 head_dim"],
        attention: LayerAttention,
    ) -> Float[Tensor, "rows new hidden"]:
        heads = self.qkv(self.input_layernorm(x)).unflatten(-1, (-1, self.head_dim))
        turned, v = heads.split([self.heads + self.kv_heads, self.kv_heads], dim=2)
        # [first, second] turned is [first, second] * cos + [second, first] * [-sin, sin].
        turned = torch.addcmul(turned * cos, turned.roll(self.head_dim // 2, dims=-1), sin)
        q, k = turned.split([self.heads, self.kv_heads], dim=2)
        x = self.o.plus(x, attention(self.layer, q, k, v).flatten(-2))
        normed = self.post_attention_layernorm(x)
        return self.down.plus(x, self.up.times(self.gate.silu(normed), normed))


def fused(norm: qwen2.RMSNorm) -> nn.Module:
    """A norm's fast form. In fp32 as it is: there the other would be farther from the exact numbers (8% on the logits
    of Qwen2 0.5B), because a mean of large numbers is 0 only up to their rounding."""
    return FusedNorm(norm) if norm.weight.dtype.itemsize == 2 else norm


class FusedNorm(nn.Module):
    """What `qwen2.RMSNorm` computes, as PyTorch's LayerNorm, which is one operation where that takes eight: of [x, -x]
    the mean is 0, and the variance is x's mean square. It computes in fp32 and rounds once."""

    def __init__(self, norm: qwen2.RMSNorm):
        super().__init__()
        self.weight, self.eps = torch.cat([norm.weight.detach()] * 2), norm.eps

    def forward(self, x: Float[Tensor, "rows new hidden"]) -> Float[Tensor, "rows new hidden"]:
        both = F.layer_norm(torch.cat([x, -x], dim=-1), self.weight.shape, self.weight, eps=self.eps)
        return both[..., : x.shape[-1]]
