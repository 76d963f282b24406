"""Generation: fill a cache once, then one decode step after another, every row from its own offset.

`own_offset_steps`, the loop of `steps`, is the fix that the project is about. Lay it beside
`recipes.shared_offset_steps`, which does what a library does with padded rows. They differ in four things: where the
new tokens go, which column each row is read at, how far each row advances, and what a finished row does.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import index

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from minikv.cache import EMPTY, KVCache, Placement
from minikv.decoder import Decoder
from minikv.errors import MinikvError
from minikv.sampling import GREEDY, Sampler, Sampling
from minikv.table import Shown

Prefixes = KVCache | Sequence[KVCache] | None  # of all prompts, of each prompt, or none


@dataclass(frozen=True, eq=False, repr=False)
class Step(Shown):
    """What one forward pass decided: everything that a debugger or a picture needs to show it again."""

    prompts: tuple[int, ...]  # which prompt each row answers: all of them in a batch, one in a loop
    tokens: Int[Tensor, "rows new"]  # the tokens fed, padding included
    placement: Placement  # where they went
    lengths: Int[Tensor, " rows"]  # how far each row was filled before
    counts: Int[Tensor, " rows"]  # how far each row advanced
    read: Int[Tensor, " rows"]  # the column whose logits each row was read at
    logits: Float[Tensor, "rows vocab"]  # read there
    chosen: Int[Tensor, " rows"]  # the next token of each row; of no account in a row that had ended before
    finished: Bool[Tensor, " rows"]  # rows that have ended by now: they chose a stop id, here or earlier
    cache: KVCache  # the live cache: as it is now, not as it was at this step

    @property
    def after(self) -> Int[Tensor, " rows"]:
        """How far each row is filled after the pass."""
        return self.lengths + self.counts

    def top(self, k: int = 5) -> tuple[Float[Tensor, "rows k"], Int[Tensor, "rows k"]]:
        """The k largest logits of each row, and their tokens, the largest first."""
        values, tokens = self.logits.topk(min(k, self.logits.shape[-1]))
        return values, tokens


@torch.no_grad()
def prefill(model: Decoder, ids: Sequence[int], chunk: int = 256) -> KVCache:
    """A cache of one row that holds `ids`, exactly filled: fork it for each use.

    The ids go through the decoder `chunk` at a time, which bounds the memory that a long document takes, and spares the
    attention of early tokens to late ones, which a mask would only hide. No logits are computed. An empty `ids` gives
    an empty cache.
    """
    (ids,) = as_ids([ids])
    check_ids(model, [ids], used=[0], more=0)
    if chunk < 1:
        raise MinikvError(f"chunk is {chunk}; expected at least one token at a time")
    cache = model.cache_class.empty(model, rows=1, slots=len(ids))
    for start in range(0, len(ids), chunk):
        tokens, counts = pad_right([ids[start : start + chunk]], cache.lengths.device)
        model.hidden(tokens, cache, cache.place(counts))
        cache.advance(counts)
    return cache


def generate(
    model: Decoder,
    prompts: Iterable[Iterable[int]],
    prefix: Prefixes = None,
    max_new_tokens: int = 200,
    stop_ids: Iterable[int] = (),
    sampling: Sampling = GREEDY,
) -> list[list[int]]:
    """The new ids of each prompt, up to and without the first stop id. See `steps` for the arguments."""
    prompts = as_ids(prompts)
    walk = steps(model, prompts, prefix, max_new_tokens, stop_ids, sampling)
    return collect(walk, len(prompts))


def steps(
    model: Decoder,
    prompts: Iterable[Iterable[int]],
    prefix: Prefixes = None,
    max_new_tokens: int = 200,
    stop_ids: Iterable[int] = (),
    sampling: Sampling = GREEDY,
) -> Iterator[Step]:
    """Generate for ragged prompts as one batch, a `Step` for each forward pass.

    prompts          token ids of each row, of any lengths; with a prefix each one continues it and may be empty
    prefix           a cache of one row, from `prefill`, or one for each prompt, prompts of one prefix side by side;
                     never touched
    max_new_tokens   tokens that a row gets at most; the first comes from the pass over the prompts
    stop_ids         a row that chooses one of these has ended; the batch stops when all rows have
    sampling         greedy unless told otherwise

    MinikvError, before anything is computed, for an empty prompt without a prefix, an id outside the vocabulary, or
    more tokens than the model's context holds.
    """
    prompts, prefixes = checked_prompts(model, prompts, prefix, max_new_tokens)
    if not prompts or max_new_tokens == 0:
        return iter(())
    cache, fed = first_pass(prompts, prefixes, max_new_tokens)
    tokens, counts = pad_right(fed, cache.lengths.device)
    return own_offset_steps(model, cache, tokens, counts, max_new_tokens, stop_ids, sampling)


def checked_prompts(
    model: Decoder, prompts: Iterable[Iterable[int]], prefix: Prefixes, max_new_tokens: int
) -> tuple[list[list[int]], list[KVCache]]:
    """The prompts as ids, and the prefix of each. MinikvError for prompts that cannot continue these prefixes."""
    ids = as_ids(prompts)
    prefixes = one_each(model, ids, prefix)
    for each in prefixes:
        if each.rows != 1:
            raise MinikvError(f"the prefix has {each.rows} rows; expected one, which every prompt continues")
    check_ids(model, ids, used=[int(each.lengths[0]) for each in prefixes], more=max_new_tokens)
    for prompt, each in zip(ids, prefixes, strict=True):
        if not prompt and last_token(each) == EMPTY:
            raise MinikvError("an empty prompt without a prefix; expected at least one token to continue")
    return ids, prefixes


def one_each(model: Decoder, prompts: Sequence[Sequence[int]], prefix: Prefixes) -> list[KVCache]:
    """The prefix of each prompt."""
    if isinstance(prefix, Sequence):
        if len(prefix) != len(prompts):
            raise MinikvError(f"{len(prefix)} prefixes for {len(prompts)} prompts; expected one, or one for each")
        return list(prefix)
    return [KVCache.empty(model, rows=1, slots=0) if prefix is None else prefix] * len(prompts)


def first_pass(
    prompts: Sequence[Sequence[int]], prefixes: Sequence[KVCache], max_new_tokens: int
) -> tuple[KVCache, list[list[int]]]:
    """Forks of the prefixes in one cache with room for all, and what its rows are fed first: the prompts."""
    starts = [int(prefix.lengths[0]) for prefix in prefixes]
    longest = max(start + len(prompt) for start, prompt in zip(starts, prompts, strict=True))
    different = [list(group) for _, group in groupby(prefixes, key=id)]
    cache = type(prefixes[0]).join(
        [group[0] for group in different],
        [len(group) for group in different],
        slots=longest + max_new_tokens - 1,  # a row's last new token is never fed
    )
    # A row with nothing of its own to say still needs logits: it says the last token of the prefix once more, in its
    # old place.
    cache.rewind([start - (len(prompt) == 0) for start, prompt in zip(starts, prompts, strict=True)])
    return cache, [list(prompt) or [last_token(prefix)] for prompt, prefix in zip(prompts, prefixes, strict=True)]


def last_token(prefix: KVCache) -> int:
    """The token that a prefix ends with; EMPTY where there is none, or none was noted."""
    length = int(prefix.lengths[0])
    return int(prefix.tokens[0, length - 1]) if length else EMPTY


@torch.no_grad()
def own_offset_steps(
    model: Decoder,
    cache: KVCache,
    tokens: Int[Tensor, "rows new"],
    counts: Int[Tensor, " rows"],
    max_new_tokens: int,
    stop_ids: Iterable[int],
    sampling: Sampling,
) -> Iterator[Step]:
    """The loop of `steps`: each row continues at its own length, is read at its own last token, and ends by itself."""
    device, prompts = cache.lengths.device, tuple(range(cache.rows))
    ends = torch.tensor(list(stop_ids), dtype=torch.int64, device=device)
    finished = torch.zeros(cache.rows, dtype=torch.bool, device=device)
    sampler = Sampler(sampling, device)
    for _ in range(max_new_tokens):
        lengths = cache.lengths
        placement = cache.place(counts)
        read = (counts - 1).clamp(min=0)  # a finished row has no new token; what is read there is not used
        logits = read_logits(model, tokens, cache, placement, read)
        cache.advance(counts)
        chosen = sampler.choose(logits, cache)
        finished = finished | torch.isin(chosen, ends)
        yield Step(prompts, tokens, placement, lengths, counts, read, logits, chosen, finished, cache)
        if bool(finished.all()):
            return
        tokens, counts = chosen[:, None], (~finished).long()


def read_logits(
    model: Decoder,
    tokens: Int[Tensor, "rows new"],
    cache: KVCache,
    placement: Placement,
    read: Int[Tensor, " rows"],
) -> Float[Tensor, "rows vocab"]:
    """One forward pass, and each row's logits at the one column that it is read at."""
    hidden = model.hidden(tokens, cache, placement)
    return model.lm_head(hidden[torch.arange(len(tokens), device=tokens.device), read])


def pad_right(
    prompts: Sequence[Sequence[int]], device: torch.device | str = "cpu"
) -> tuple[Int[Tensor, "rows new"], Int[Tensor, " rows"]]:
    """Ragged ids as one tensor, padding (any id will do) on the right, and how many of each row are real."""
    new = max(map(len, prompts), default=0)
    padded = [[*prompt, *[0] * (new - len(prompt))] for prompt in prompts]
    tokens = torch.tensor(padded, dtype=torch.int64, device=device).view(len(prompts), new)
    return tokens, torch.tensor([len(prompt) for prompt in prompts], dtype=torch.int64, device=device)


def collect(walk: Iterable[Step], count: int) -> list[list[int]]:
    """The new ids of each of `count` prompts, from the steps that chose them."""
    new: list[list[int]] = [[] for _ in range(count)]
    for step in walk:
        for prompt, token, finished in zip(step.prompts, step.chosen.tolist(), step.finished.tolist(), strict=True):
            if not finished:
                new[prompt].append(token)
    return new


def check_ids(model: Decoder, prompts: Sequence[Sequence[int]], used: Iterable[int], more: int) -> None:
    """MinikvError for an id outside the vocabulary, or for a prompt that so many tokens `used` before it and
    `more` new ones after it exceeds the model's context (the last new one is never fed, so it takes no position)."""
    if more < 0:
        raise MinikvError(f"max_new_tokens is {more}; expected 0 or more")
    vocab, context = model.config.vocab, model.config.context
    for row, (prompt, before) in enumerate(zip(prompts, used, strict=True)):
        if len(prompt) and (min(prompt) < 0 or max(prompt) >= vocab):
            outside = next(token for token in prompt if not 0 <= token < vocab)
            raise MinikvError(f"prompt {row} has the id {outside}; expected ids from 0 to {vocab - 1}")
        needed = before + len(prompt) + max(more - 1, 0)
        if needed > context:
            raise MinikvError(
                f"prompt {row} needs {needed} positions ({before} cached, {len(prompt)} of its own, {more} new ones "
                f"less the last), but the model's context is {context}; shorten it or ask for fewer new tokens"
            )


def as_ids(prompts: Iterable[Iterable[int]]) -> list[list[int]]:
    """Prompts as lists of ints; MinikvError for what is no whole number (1.7 is not cut to 1)."""
    try:
        return [[index(token) for token in prompt] for prompt in prompts]
    except TypeError as error:
        raise MinikvError(f"prompts must be lists of token ids, one list for each row: {error}") from None
