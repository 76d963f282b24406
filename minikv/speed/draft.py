"""Drafts: guess a row's next tokens from the text before them, and let one pass check the guess.

A decode step reads every weight to choose one token for each row, and takes hardly longer with a few columns than with
one. A value that is read out of a document stands there word for word, so the guess is cheap: where the row's last two
tokens stood before, the same tokens may follow again ("prompt lookup", Saxena 2023; checked as in Leviathan et al.
2023, arXiv:2211.17192). A column that was fed the right token gives the logits that a step of its own would have
given. The first wrong guess ends the row's draft.

Offsets of its own are all that a row needs for this: it advances by as many tokens as were right, and the wrong ones
beyond lie past its end like padding, where no query looks and the next token overwrites them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import torch

from minikv.cache import KVCache, Placement
from minikv.decoder import Decoder
from minikv.generate import Prefixes, Step, checked_prompts, first_pass, pad_right, prefill
from minikv.recipes import Ids, Limits, Recipe
from minikv.sampling import argmax

LONGEST = 4  # tokens of a draft
COLUMNS = 64  # of all rows in one pass: more are no longer almost free


@dataclass
class Text:
    """All that a row has said, and what followed each pair of tokens when it last stood there."""

    tokens: list[int]
    after: dict[tuple[int, int], int]  # a pair -> the index of what followed it

    @classmethod
    def of(cls, tokens: Sequence[int]) -> "Text":
        text = cls([], {})
        text.extend(tokens)
        return text

    def copy(self) -> "Text":
        return Text(list(self.tokens), dict(self.after))

    def extend(self, tokens: Iterable[int]) -> None:
        for token in tokens:
            if len(self.tokens) > 1:
                self.after[self.tokens[-2], self.tokens[-1]] = len(self.tokens)
            self.tokens.append(token)

    def draft(self, length: int) -> list[int]:
        """What followed the last two tokens before; nothing where they are new."""
        at = self.after.get((self.tokens[-2], self.tokens[-1])) if len(self.tokens) > 1 else None
        return [] if at is None else self.tokens[at : at + length]


@dataclass
class Row:
    """One row on its way."""

    text: Text  # all that it has said
    known: list[int]  # the end of that which it was not fed yet; nothing once it has ended
    left: int  # new tokens that it may still choose
    draft: list[int] = field(default_factory=list)  # fed after it

    @property
    def fed(self) -> list[int]:
        return [*self.known, *self.draft]

    @property
    def reads(self) -> range:
        """The columns that it is read at: its last known token's, and those of its draft."""
        return range(len(self.known) - 1, len(self.fed)) if self.known else range(0)

    def guess(self, longest: int) -> None:
        self.draft = self.text.draft(min(longest, self.left - 1)) if self.known else []

    def right(self, chosen: Sequence[int], stops: set[int]) -> list[int]:
        """Of the tokens that its logits choose at the columns read, those that count: as far as the draft foresaw them,
        and the one after. What was fed beyond a wrong guess, or after an end, answers another text."""
        count = 0
        while count < len(self.draft) and chosen[count] == self.draft[count] and chosen[count] not in stops:
            count += 1
        return list(chosen[: count + 1])

    def go_on(self, new: list[int], stops: set[int]) -> None:
        self.text.extend(new)
        self.left -= len(new)
        self.known = new[-1:] if self.left and not stops.intersection(new) else []


@torch.no_grad()
def drafted_steps(model: Decoder, cache: KVCache, rows: Sequence[Row], stop_ids: Iterable[int]) -> Iterator[Step]:
    """Greedy, and the tokens of `generate.own_offset_steps`, in fewer passes. Each pass gives a `Step` for the first
    new token of the rows, one for the second of those that get two, and so on."""
    stops, device = set(stop_ids), cache.lengths.device
    ends = torch.tensor(sorted(stops), dtype=torch.int64, device=device)
    longest = min(LONGEST, COLUMNS // max(1, cache.rows) - 1)
    while any(row.known for row in rows):
        for row in rows:
            row.guess(longest)
        tokens, counts = pad_right([row.fed for row in rows], device)
        lengths, placement = cache.lengths, cache.place(counts)
        reads = [(number, column) for number, row in enumerate(rows) for column in row.reads]
        of_row, read = torch.tensor(reads, device=device).unbind(1)
        logits = model.lm_head(model.hidden(tokens, cache, placement)[of_row, read])
        chosen = argmax(logits)
        by_row = chosen.split([len(row.reads) for row in rows])
        new = [row.right(own.tolist(), stops) if row.known else [] for row, own in zip(rows, by_row, strict=True)]
        right = [max(0, len(row.known) + len(own) - 1) for row, own in zip(rows, new, strict=True)]
        advanced = torch.tensor(right, device=device)
        cache.advance(advanced)
        for depth in range(max(map(len, new))):
            live = [number for number, own in enumerate(new) if len(own) > depth]
            at = [reads.index((number, rows[number].reads[depth])) for number in live]
            yield Step(
                prompts=tuple(live),
                tokens=tokens[live],
                placement=Placement(placement.positions[live], placement.slots[live], placement.mask[live]),
                lengths=lengths[live],
                counts=advanced[live],
                read=read[at],
                logits=logits[at],
                chosen=chosen[at],
                finished=torch.isin(chosen[at], ends),
                cache=cache,
            )
        for row, own in zip(rows, new, strict=True):
            row.go_on(own, stops)


def steps(
    model: Decoder,
    prompts: Iterable[Iterable[int]],
    prefix: Prefixes = None,
    max_new_tokens: int = 200,
    stop_ids: Iterable[int] = (),
) -> Iterator[Step]:
    """As `generate.steps`, greedy, with drafts from what each row and its prefix said before."""
    prompts, prefixes = checked_prompts(model, prompts, prefix, max_new_tokens)
    if not prompts or max_new_tokens == 0:
        return iter(())
    cache, fed = first_pass(prompts, prefixes, max_new_tokens)
    texts = {id(each): Text.of(each.tokens[0, : int(each.lengths[0])].tolist()) for each in prefixes}
    rows = [Row(texts[id(each)].copy(), known, max_new_tokens) for each, known in zip(prefixes, fed, strict=True)]
    for row, prompt in zip(rows, prompts, strict=True):
        row.text.extend(prompt)
    return drafted_steps(model, cache, rows, stop_ids)


def per_row_drafts(model: Decoder, prefix: Ids, suffixes: Sequence[Ids], limits: Limits) -> Iterator[Step]:
    """All suffixes at once, each row at its own offset, several tokens a pass where the text foretells them.

    Right, as `recipes.per_row_offsets` is. Faster where answers stand in the text and the batch is small.
    """
    return steps(model, suffixes, prefill(model, prefix), limits.max_new_tokens, limits.stop_ids)


DRAFTED = Recipe(per_row_drafts.__name__, right=True, walk=per_row_drafts)
