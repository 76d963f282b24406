"""One row of a batch, and the same row alone: what both compute, token by token.

The batch is watched while a recipe walks. Alone, a row is the plain causal pass over its text: the prefix, its suffix,
and what the batch chose for it, so that at every step both were fed the same. What belongs to a token is laid beside
what belongs to it there, in whatever column or slot the batch had put it, and the logits that the row was read at
beside those after its last token. `first` is the token of the text from which on they are compared.
"""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager

import torch
from jaxtyping import Int
from torch import Tensor

from minikv.cache import KVCache, Placement
from minikv.decoder import Decoder
from minikv.generate import Step
from minikv.look.causes import Fed
from minikv.look.grid import rows_of
from minikv.look.recorder import LOGITS
from minikv.look.trace import Trace, distinct, split_layer, trace
from minikv.recipes import Ids

Tensors = dict[str, Tensor]  # of one row in one pass: name to [tokens, ...], in the order of computation


def watching(model: Decoder) -> AbstractContextManager[Trace]:
    """A trace of what is computed for each token: all but mask, keys, values, scores and weights, which are as wide as
    the cache. They are the ones whose names end so, but for the embedding's."""
    return trace(model, "*[!ks]", model.embedding.removesuffix(".weight"))


@torch.no_grad()
def watched(model: Decoder, walk: Iterable[Step], first: int, rows: int) -> tuple[list[Step], list[list[Tensors]]]:
    """A recipe's steps, and what each gave each row, by row and by the row's own step."""
    steps: list[Step] = []
    by_row: list[list[Tensors]] = [[] for _ in range(rows)]
    with watching(model) as seen:
        for step in walk:
            del seen.passes[:-1]  # a prefill's, or those of steps that are kept by now
            steps.append(step)
            for at, (row, in_cache) in enumerate(zip(step.prompts, rows_of(step).tolist(), strict=True)):
                skip = skipped(int(step.lengths[at]), first)
                kept = of_row(seen.latest, step.cache, in_cache, step.placement.slots[at])
                by_row[row].append({name: tensor[skip:].clone() for name, tensor in kept.items()})
                by_row[row][-1][LOGITS] = step.logits[at]
    return steps, by_row


@torch.no_grad()
def prefix_alone(model: Decoder, ids: Ids) -> KVCache:
    """A cache of one row that holds these ids, made in one causal pass: no chunks, no `place`."""
    cache = KVCache.empty(model, rows=1, slots=len(ids))
    if ids:
        tokens = torch.tensor([ids], device=model.device)
        model.hidden(tokens, cache, Placement.causal(1, len(ids), model.device))
        cache.advance([len(ids)])
    return cache


@torch.no_grad()
def alone(model: Decoder, prefix: KVCache, text: Sequence[int]) -> Tensors:
    """What the tokens of a text give that come after the prefix, in a causal pass over all of it, and their logits."""
    first = int(prefix.lengths[0])
    tokens, whole = torch.tensor([text], device=model.device), Placement.causal(1, len(text), model.device)
    placement = Placement(whole.positions[:, first:], whole.slots[:, first:], whole.mask[:, first:])
    cache = prefix.fork(1, len(text))
    with watching(model) as seen:
        hidden = model.hidden(tokens[:, first:], cache, placement)
    return {**of_row(seen.latest, cache, 0, placement.slots[0]), LOGITS: model.lm_head(hidden[0])}


def skipped(length: int, first: int) -> int:
    """Columns of a row, filled so far before, that hold nothing but the prefix before its token `first`."""
    return max(first - length, 0)


def of_row(tensors: Tensors, cache: KVCache, row: int, slots: Int[Tensor, " new"]) -> Tensors:
    """What one row has of each tensor, by column, and the keys and values in its slots."""
    found = {}
    slots = slots.clamp(max=cache.slots - 1)  # padding that went nowhere; it is compared with nothing
    for name, tensor in distinct(tensors).items():
        if tensor.is_floating_point() and not name.startswith("lm_head"):
            found[name] = tensor[row]
        if name.endswith(".q"):
            layer, point = int(split_layer(name)[1]), name.removesuffix("q")
            found[f"{point}keys"] = cache.keys[layer, row].transpose(0, 1)[slots]
            found[f"{point}values"] = cache.values[layer, row].transpose(0, 1)[slots]
    return found


def side_by_side(fed: Fed, in_batch: Tensors, truth: Tensors, first: int) -> tuple[Tensors, Tensors]:
    """One step of a row in the batch, and the same alone: of each tensor what the tokens have that were due."""
    skip = skipped(fed.line.length, first)
    fit = [(column - skip, index - first) for column, index in zip(fed.columns, fed.due, strict=True) if index >= first]
    columns, indices = [column for column, _ in fit], [index for _, index in fit]
    ours = {name: tensor[columns] for name, tensor in in_batch.items() if name != LOGITS}
    theirs = {name: truth[name][indices] for name in ours}
    return ours | {LOGITS: in_batch[LOGITS]}, theirs | {LOGITS: truth[LOGITS][len(fed.text) - 1 - first]}
