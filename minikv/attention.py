"""Grouped-query attention over cached keys and values, twice: written out, and through PyTorch's fused kernel.

Both have one signature and give the same numbers, so either may be handed to the decoder (`model.attend`):

    by_hand   the paper, line by line, to step through and to look at scores and weights
    sdpa      `torch.nn.functional.scaled_dot_product_attention`, the same product without storing the scores

Query heads are grouped by neighbours: with 4 query heads on 2 KV heads, heads 0 and 1 read KV head 0, heads 2 and 3
read KV head 1 (Ainslie et al. 2023, arXiv:2305.13245). No KV head is ever copied for that: the query heads of a group
are laid out beside each other instead.

A query whose mask is empty sees nothing and gets zeros. Softmax over nothing is 0/0, and a NaN in a padding token would
spread to its whole row through 0 * NaN.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

Attend = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def by_hand(
    q: Float[Tensor, "rows new heads head_dim"],
    keys: Float[Tensor, "rows kv_heads slots head_dim"],
    values: Float[Tensor, "rows kv_heads slots head_dim"],
    mask: Bool[Tensor, "rows new slots"],
) -> Float[Tensor, "rows new heads head_dim"]:
    """softmax(q k^T / sqrt(head_dim)) v over the slots that the mask allows (Vaswani et al. 2017, section 3.2.1).

    The softmax is taken in fp32 and its weights are cast back to the values' dtype.
    """
    weights = attention_weights(attention_scores(q, keys, mask), mask).to(values.dtype)
    return torch.einsum("rkgns,rksd->rnkgd", weights, values).flatten(2, 3)


def attention_scores(
    q: Float[Tensor, "rows new heads head_dim"],
    keys: Float[Tensor, "rows kv_heads slots head_dim"],
    mask: Bool[Tensor, "rows new slots"],
) -> Float[Tensor, "rows kv_heads group new slots"]:
    """q k^T / sqrt(head_dim) in fp32, minus infinity where the mask hides the slot."""
    grouped = q.unflatten(2, (keys.shape[1], -1))  # rows new kv_heads group head_dim
    scores = torch.einsum("rnkgd,rksd->rkgns", grouped, keys) * q.shape[-1] ** -0.5
    return scores.float().masked_fill(~mask[:, None, None], -torch.inf)  # the same mask for every head


def attention_weights(
    scores: Float[Tensor, "rows kv_heads group new slots"], mask: Bool[Tensor, "rows new slots"]
) -> Float[Tensor, "rows kv_heads group new slots"]:
    """softmax(scores) over the slots; zeros for a query that sees none."""
    return scores.softmax(dim=-1).masked_fill(~mask[:, None, None], 0.0)


def sdpa(
    q: Float[Tensor, "rows new heads head_dim"],
    keys: Float[Tensor, "rows kv_heads slots head_dim"],
    values: Float[Tensor, "rows kv_heads slots head_dim"],
    mask: Bool[Tensor, "rows new slots"],
) -> Float[Tensor, "rows new heads head_dim"]:
    """The same through PyTorch's fused kernel, the query heads of a group stacked along the query axis.

    `is_causal` is no help here: it aligns the triangle to the top left, which is wrong for every chunk after the
    first. The mask says which slots a query sees, and nothing else does.
    """
    rows, new, heads, head_dim = q.shape
    kv_heads = keys.shape[1]
    group = heads // kv_heads
    stacked = q.unflatten(2, (kv_heads, group)).permute(0, 2, 3, 1, 4).reshape(rows, kv_heads, group * new, head_dim)
    seen = mask[:, None].expand(rows, group, new, mask.shape[-1]).reshape(rows, 1, group * new, mask.shape[-1])
    out = F.scaled_dot_product_attention(stacked, keys, values, attn_mask=seen)
    return out.unflatten(2, (group, new)).permute(0, 3, 1, 2, 4).flatten(2, 3)
