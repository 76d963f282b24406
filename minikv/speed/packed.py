"""Linear layers with their weights in oneDNN's own order, which it reads at the memory's full rate.

The door to two functions of PyTorch that torch's own compiler emits for a frozen model. Their names are private, so
nothing else here knows them, and where they are absent the weights stay as they are.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

REORDER = getattr(torch.ops.mkldnn, "_reorder_linear_weight", None)
PRODUCT = getattr(torch.ops.mkldnn, "_linear_pointwise", None)


def packable(weight: Tensor) -> bool:
    """Whether oneDNN has a packed product for this weight here."""
    if REORDER is None or PRODUCT is None or not torch.backends.mkldnn.is_available():
        return False
    if weight.dtype == torch.bfloat16:
        return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    return weight.dtype == torch.float32


class Packed(nn.Module):
    """A linear layer with its weight in oneDNN's order, and what may follow a product while it is at hand. Where there
    is no such order, the same with the weight as it is."""

    def __init__(self, weight: Float[Tensor, "out into"], bias: Float[Tensor, " out"] | None = None):
        super().__init__()
        self.packed, self.bias = packable(weight), bias
        self.weight = REORDER(weight.detach().contiguous()) if self.packed else weight.detach()  # type: ignore[misc]

    def forward(self, x: Float[Tensor, "*tokens into"]) -> Float[Tensor, "*tokens out"]:
        if not self.packed:
            return F.linear(x, self.weight, self.bias)
        return PRODUCT.default(x, self.weight, self.bias, "none", [], "")  # type: ignore[union-attr]

    def silu(self, x: Float[Tensor, "*tokens into"]) -> Float[Tensor, "*tokens out"]:
        if not self.packed:
            return F.silu(self(x))
        return PRODUCT.default(x, self.weight, self.bias, "swish", [], "")  # type: ignore[union-attr]

    def times(
        self, other: Float[Tensor, "*tokens out"], x: Float[Tensor, "*tokens into"]
    ) -> Float[Tensor, "*tokens out"]:
        if not self.packed:
            return other * self(x)
        return PRODUCT.binary(x, other, self.weight, self.bias, "mul")  # type: ignore[union-attr]

    def plus(
        self, other: Float[Tensor, "*tokens out"], x: Float[Tensor, "*tokens into"]
    ) -> Float[Tensor, "*tokens out"]:
        if not self.packed:
            return other + self(x)
        return PRODUCT.binary(x, other, self.weight, self.bias, "add")  # type: ignore[union-attr]
