"""Rotary position embedding (Su et al. 2021, arXiv:2104.09864, section 3.2.2), in the halves layout of Qwen2.

A head of `head_dim` numbers is `head_dim / 2` points in the plane. Point i is (x[i], x[i + head_dim/2]): the two
coordinates lie half a head apart, not side by side. A token at position p turns point i by the angle
p * theta^(-2i / head_dim), so the product of a query and a key depends on their positions' difference alone.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def rope_angles(positions: Int[Tensor, "rows new"], head_dim: int, theta: float) -> Float[Tensor, "rows new half"]:
    """The angle of each point of a head at each position, in radians.

    Always fp32, whatever the model computes in: bf16 has 8 significant bits and cannot tell position 256 from 257.
    """
    exponents = torch.arange(0, head_dim, 2, dtype=torch.float32, device=positions.device) / head_dim
    frequencies = 1.0 / theta**exponents
    return positions[..., None].float() * frequencies


def rotate(
    x: Float[Tensor, "rows new any_heads head_dim"], angles: Float[Tensor, "rows new half"]
) -> Float[Tensor, "rows new any_heads head_dim"]:
    """Turn every point of every head by its angle.

    For head_dim 4, x = [1, 0, 0, 0] at position 1 becomes [cos 1, 0, sin 1, 0].
    """
    cos = angles.cos()[:, :, None, :].to(x.dtype)  # one angle for all heads of a token
    sin = angles.sin()[:, :, None, :].to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
