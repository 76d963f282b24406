"""Attention for the fast form: what is the same for all layers is made once a pass, and a shared prefix is read once.

Query heads of a group are stacked along the query axis, as in `attention.sdpa`. The kernel wants the mask as numbers to
add to the scores, 0 or -inf, and for stacked queries; every layer has the same one.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from minikv.cache import Placement
from minikv.decoder import Pass
from minikv.speed.shared_prefix import ForkedCache, Shared

LayerAttention = Callable[[int, Tensor, Tensor, Tensor], Tensor]  # layer, q, k, v: as `Pass.attention`
HIDDEN = 1 << 14  # pairs of a token and another row's slot at most that are computed only for the mask to hide them


def attention_of(at: Pass, group: int, dtype: torch.dtype) -> LayerAttention:
    """How all layers of a pass attend. Where rows share a prefix that every query sees whole, and every query sees
    something of its own besides, that prefix is read once: with what is the rows' own in one line while that is short,
    else in two parts."""
    cache, mask, seen = at.cache, at.placement.mask, at.placement.seen
    if seen == 0:  # no query, or none that sees a thing: the kernel would divide by zero
        return at.attention
    if isinstance(cache, ForkedCache) and bool(cache.shared.any()):
        own = cache.own(at.placement)
        after = torch.arange(mask.shape[-1]) >= cache.shared[:, None, None]
        if bool((mask | after).all() & own.mask.any(dim=-1).all()):
            own_mask = additive(own.mask[:, :, : own.seen], group, dtype)
            if cache.front and own.slots.numel() * cache.rows * own.seen <= HIDDEN:
                return OneLine(cache, own, own_mask)
            return TwoParts(cache, own, own_mask)
    return WholeRows(at, additive(mask[:, :, :seen], group, dtype))


class WholeRows:
    """Each row attends to its slots."""

    def __init__(self, at: Pass, mask: Float[Tensor, "rows 1 stacked seen"]):
        self.at, self.mask = at, mask

    def __call__(
        self,
        layer: int,
        q: Float[Tensor, "rows new heads head_dim"],
        k: Float[Tensor, "rows new kv_heads head_dim"],
        v: Float[Tensor, "rows new kv_heads head_dim"],
    ) -> Float[Tensor, "rows new heads head_dim"]:
        keys, values = self.at.remember(layer, k, v)
        out, _ = weighed(stack(q, keys.shape[1]), keys, values, self.mask)
        return unstack(out, q.shape[1])


class OneLine:
    """All rows as one, whose queries see the prefix and what is their own row's.

    More is computed than in two parts: each row's slots also for the other rows' queries, from which the mask hides
    them. While those are few, that costs less than a second attention and what puts the two together.
    """

    def __init__(self, cache: ForkedCache, own: Placement, mask: Float[Tensor, "rows 1 stacked own"]):
        self.cache, self.own = cache, own
        same_row = torch.eye(cache.rows, dtype=torch.bool)[:, None, None, :]
        line = torch.where(same_row, mask[:, 0, :, :, None], -torch.inf).flatten(2)  # rows stacked own*rows
        self.mask = F.pad(line, (cache.front, 0)).flatten(0, 1)[None, None]

    def __call__(
        self,
        layer: int,
        q: Float[Tensor, "rows new heads head_dim"],
        k: Float[Tensor, "rows new kv_heads head_dim"],
        v: Float[Tensor, "rows new kv_heads head_dim"],
    ) -> Float[Tensor, "rows new heads head_dim"]:
        self.cache.write_own(layer, self.own, k, v)
        seen = self.mask.shape[-1]
        keys, values = self.cache.line_keys[layer][:, :, :seen], self.cache.line_values[layer][:, :, :seen]
        rows, new, _, head_dim = q.shape
        grouped = q.view(rows, new, k.shape[2], -1, head_dim)  # rows new kv_heads group head_dim
        out, _ = weighed(grouped.permute(2, 0, 3, 1, 4).flatten(1, 3)[None], keys, values, self.mask)
        return out.view(k.shape[2], rows, -1, new, head_dim).permute(1, 3, 0, 2, 4).flatten(2, 3)


class TwoParts:
    """Each row attends to its own slots, and all rows of a prefix at once to that prefix.

    Softmax gives a weighted mean. The logarithm of the weights' sum, which the kernel tells beside each mean, says how
    to put two means together (Juravsky et al. 2024, arXiv:2402.05099, who call it Hydragen).
    """

    def __init__(self, cache: ForkedCache, own: Placement, mask: Float[Tensor, "rows 1 stacked own"]):
        self.cache, self.own, self.mask = cache, own, mask

    def __call__(
        self,
        layer: int,
        q: Float[Tensor, "rows new heads head_dim"],
        k: Float[Tensor, "rows new kv_heads head_dim"],
        v: Float[Tensor, "rows new kv_heads head_dim"],
    ) -> Float[Tensor, "rows new heads head_dim"]:
        stacked = stack(q, k.shape[2])
        own, own_weight = weighed(stacked, *self.cache.write_own(layer, self.own, k, v), self.mask)
        parts = zip(self.cache.prefixes, self.cache.rows_of_prefixes(), strict=True)
        means, weights = zip(*(read(part, layer, stacked[rows]) for part, rows in parts), strict=True)
        common, common_weight = torch.cat(means), torch.cat(weights)
        share = torch.sigmoid(common_weight - own_weight)[..., None]  # of all weights, what lies on the prefix
        return unstack(torch.lerp(own.float(), common.float(), share).to(q.dtype), q.shape[1])


def read(
    part: Shared, layer: int, stacked: Float[Tensor, "rows kv_heads stacked head_dim"]
) -> tuple[Float[Tensor, "rows kv_heads stacked head_dim"], Float[Tensor, "rows kv_heads stacked"]]:
    """The attention of some rows to the prefix that they share, in one product."""
    rows, kv_heads, _, head_dim = stacked.shape
    if part.length == 0 or rows == 0:
        return torch.zeros_like(stacked), torch.full(stacked.shape[:3], -torch.inf)
    together = stacked.transpose(0, 1).reshape(1, kv_heads, -1, head_dim)
    common, weight = weighed(together, part.keys[layer], part.values[layer], None)
    return common.view(kv_heads, rows, -1, head_dim).transpose(0, 1), weight.view(kv_heads, rows, -1).transpose(0, 1)


def additive(
    mask: Bool[Tensor, "rows new seen"], group: int, dtype: torch.dtype
) -> Float[Tensor, "rows 1 stacked seen"]:
    """0 where a query sees a slot and -inf elsewhere, for stacked queries."""
    numbers = torch.zeros(mask.shape, dtype=dtype).masked_fill_(~mask, -torch.inf)
    return numbers[:, None].expand(-1, group, -1, -1).flatten(1, 2)[:, None]


def stack(
    q: Float[Tensor, "rows new heads head_dim"], kv_heads: int
) -> Float[Tensor, "rows kv_heads stacked head_dim"]:
    return q.unflatten(2, (kv_heads, -1)).permute(0, 2, 3, 1, 4).flatten(2, 3)


def unstack(out: Float[Tensor, "rows kv_heads stacked head_dim"], new: int) -> Float[Tensor, "rows new heads head_dim"]:
    return out.unflatten(2, (-1, new)).permute(0, 3, 1, 2, 4).flatten(2, 3)


def weighed(
    q: Float[Tensor, "rows kv_heads stacked head_dim"],
    keys: Float[Tensor, "rows kv_heads slots head_dim"],
    values: Float[Tensor, "rows kv_heads slots head_dim"],
    mask: Float[Tensor, "rows 1 stacked slots"] | None,
) -> tuple[Float[Tensor, "rows kv_heads stacked head_dim"], Float[Tensor, "rows kv_heads stacked"]]:
    """Attention, and beside it the logarithm of each query's sum of weights, in fp32: the kernel behind PyTorch's
    `scaled_dot_product_attention`, which drops the second."""
    return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, keys, values, attn_mask=mask)
