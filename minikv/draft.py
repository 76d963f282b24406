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
from dataclasses import dataclass

import torch

from minikv.cache import KVCache, Placement
from minikv.decoder import Decoder
from minikv.generate import Step, check_prompts, first_pass, pad_right, prefill
from minikv.recipes import Ids, Limits, Recipe

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


@torch.no_grad()
def drafted_steps(
    model: Decoder,
    cache: KVCache,
    prompts: Sequence[Sequence[int]],
    texts: Sequence[Text],
    max_new_tokens: int,
    stop_ids: Iterable[int],
) -> Iterator[Step]:
    """Greedy, and the tokens of `generate.own_offset_steps`, in fewer passes. Each pass gives a `Step` for the first
    new token of the rows, one for the second of those that get two, and so on.

    `prompts` is what the rows are fed first, and `texts` all that they say up to its end.
    """
    stops, device = set(stop_ids), cache.lengths.device
    longest = min(LONGEST, COLUMNS // max(1, cache.rows) - 1)
    left = [max_new_tokens] * cache.rows  # new tokens that a row may still choose; 0 once it has ended
    known = [list(prompt) for prompt in prompts]  # what a row is fed for sure, before its draft
    while any(left):
        drafts = [text.draft(min(longest, more - 1)) if more else [] for text, more in zip(texts, left, strict=True)]
        tokens, counts = pad_right([[*sure, *draft] for sure, draft in zip(known, drafts, strict=True)], device)
        lengths, placement = cache.lengths, cache.place(counts)
        # A row is read at its last sure token and at each of its draft.
        reads = [
            [len(sure) - 1 + at for at in range(len(draft) + 1) if sure]
            for sure, draft in zip(known, drafts, strict=True)
        ]
        rows = torch.tensor([row for row, columns in enumerate(reads) for _ in columns], device=device)
        read = torch.tensor([column for columns in reads for column in columns], device=device)
        logits = model.lm_head(model.hidden(tokens, cache, placement)[rows, read])
        best = logits.float().argmax(dim=-1)
        own = [part.tolist() for part in best.split([len(columns) for columns in reads])]
        new = [foreseen(chosen, draft, stops) for chosen, draft in zip(own, drafts, strict=True)]
        cache.advance([max(0, len(sure) + len(some) - 1) for sure, some in zip(known, new, strict=True)])
        starts = [sum(map(len, reads[:row])) for row in range(cache.rows)]  # of each row's part of the reads
        for depth in range(max(map(len, new))):
            live = torch.tensor([row for row, some in enumerate(new) if len(some) > depth], device=device)
            part = torch.tensor([starts[row] + depth for row in live.tolist()], device=device)
            yield Step(
                prompts=tuple(live.tolist()),
                tokens=tokens[live],
                placement=Placement(placement.positions[live], placement.slots[live], placement.mask[live]),
                lengths=lengths[live],
                read=read[part],
                logits=logits[part],
                chosen=best[part],
                finished=torch.isin(best[part], torch.tensor(sorted(stops), dtype=torch.int64, device=device)),
                cache=cache,
            )
        for row, some in enumerate(new):
            ended = not some or some[-1] in stops or len(some) == left[row]
            left[row] = 0 if ended else left[row] - len(some)
            known[row] = [] if ended else some[-1:]
            texts[row].extend(some)


def foreseen(chosen: list[int], draft: list[int], stops: set[int]) -> list[int]:
    """Of the tokens that a row's logits choose at each column, those that count: as far as the draft foresaw them, and
    the one after. What was fed beyond a wrong guess, or after an end, answers another text."""
    right = 0
    while right < len(draft) and chosen[right] == draft[right] and chosen[right] not in stops:
        right += 1
    return chosen[: right + 1]


def per_row_drafts(model: Decoder, prefix: Ids, suffixes: Sequence[Ids], limits: Limits) -> Iterator[Step]:
    """All suffixes at once, each row at its own offset, several tokens a pass where the text foretells them.

    Right, as `recipes.per_row_offsets` is. Faster where answers stand in the text and the batch is small.
    """
    cached = prefill(model, prefix)
    check_prompts(model, suffixes, cached, limits.max_new_tokens)
    cache, fed = first_pass(suffixes, cached, limits.max_new_tokens)
    shared = Text.of(prefix)
    texts = [shared.copy() for _ in suffixes]
    for text, suffix in zip(texts, suffixes, strict=True):
        text.extend(suffix)
    return drafted_steps(model, cache, fed, texts, limits.max_new_tokens, limits.stop_ids)


DRAFTED = Recipe(per_row_drafts.__name__, right=True, walk=per_row_drafts)
