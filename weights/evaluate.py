"""Measure the bundled checkpoint: every recipe on held-out documents, then the documents written by hand.

    python weights/evaluate.py                # the figures of the model card, a few minutes; writes figures.json
    python weights/evaluate.py --pairs 60     # a sample, a few seconds; compares itself with figures.json

The sample's documents are the first ones of the whole, so pair n has the same answer in both.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import torch
from documents import Document, Size, write

import minikv
from minikv.extract import prompts
from minikv.qwen2 import Qwen2
from minikv.tokenizer import Tokenizer, split_shared

HERE = Path(__file__).parent
SEED = 7  # of the documents, which training does not use
PAIRS = 480
MAX_NEW_TOKENS = 48  # twice what the longest true answer takes


@dataclass(frozen=True)
class Pair:
    """A document's key, its true value, what each recipe answers, and whether its row is padded in a batch."""

    key: str
    value: str
    padded: bool
    answers: dict[str, str]  # recipe -> answer


def held_out_documents() -> Iterator[Document]:
    """Held-out documents of every size without end, always the same."""
    rng = Random(f"{SEED} evaluation")
    while True:
        yield write(rng, Size(fields=rng.randint(3, 8), distractors=rng.randint(0, 5), keys=6), held_out=True)


def known_documents() -> Iterator[Document]:
    """The same with the sentence patterns that training used, but none of its documents."""
    rng = Random(f"{SEED} known")
    while True:
        yield write(rng, Size(fields=rng.randint(3, 8), distractors=rng.randint(0, 5), keys=6))


def ask(model: Qwen2, tokenizer: Tokenizer, document: Document, recipes: Sequence[str]) -> list[Pair]:
    """Every key of a document, answered by every recipe."""
    prefix, suffixes = split_shared(prompts(tokenizer, document.text, list(document.answers)))
    longest = max(map(len, suffixes))
    texts = {}
    for name in recipes:
        answers = minikv.RECIPES[name](
            model, prefix, suffixes, max_new_tokens=MAX_NEW_TOKENS, stop_ids=tokenizer.stop_ids, pad_id=tokenizer.pad_id
        )
        texts[name] = [tokenizer.decode(ids).strip() for ids in answers]
    return [
        Pair(key, value, len(suffixes[row]) < longest, {name: texts[name][row] for name in recipes})
        for row, (key, value) in enumerate(document.answers.items())
    ]


def ask_all(
    model: Qwen2, tokenizer: Tokenizer, documents: Iterator[Document], pairs: int, recipes: Sequence[str]
) -> list[Pair]:
    """So many pairs, documents taken in order. The last document is asked whole, so that its padding is what it is."""
    return list(islice((pair for document in documents for pair in ask(model, tokenizer, document, recipes)), pairs))


def figures(pairs: Sequence[Pair]) -> dict[str, Any]:
    """For each recipe, pair by pair as a string of 1 and 0: is it the true value, is it the naive loop's answer."""
    return {
        name: {
            "exact": marks(pair.answers[name] == pair.value for pair in pairs),
            "agrees": marks(pair.answers[name] == pair.answers["naive_loop"] for pair in pairs),
        }
        for name in pairs[0].answers
    }


def marks(found: Iterable[bool]) -> str:
    """A 1 for each that is true, a 0 for each that is not."""
    return "".join(str(int(each)) for each in found)


def share(marked: str, chosen: Sequence[bool] | None = None) -> str:
    """ "431/480 = 89.8%": the ones among the marks, or among those chosen."""
    kept = [mark for mark, take in zip(marked, chosen or [True] * len(marked), strict=True) if take]
    return f"{kept.count('1')}/{len(kept)} = {100 * kept.count('1') / max(1, len(kept)):.1f}%"


def table(found: dict[str, Any], padded: Sequence[bool]) -> str:
    """The recipes as a Markdown table."""
    rows = [
        "| recipe | true | true, padded rows | as the naive loop | as the naive loop, padded rows |",
        "|---|---|---|---|---|",
    ]
    for name, marked in found.items():
        cells = (share(marked[kind], chosen) for kind in ("exact", "agrees") for chosen in (None, padded))
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(rows)


def handwritten(model: Qwen2, tokenizer: Tokenizer) -> list[Pair]:
    """The documents of handwritten.json, answered by the naive loop and by the two recipes that it is compared with."""
    found = []
    for entry in json.loads((HERE / "handwritten.json").read_text(encoding="utf-8")):
        document = Document(entry["text"], entry["answers"])
        found += ask(model, tokenizer, document, ("naive_loop", "right_padded_batch", "per_row_offsets"))
    return found


def by_hand_table(pairs: Sequence[Pair]) -> str:
    rows = ["| key | true value | naive loop, per-row offsets | right_padded_batch |", "|---|---|---|---|"]
    for pair in pairs:
        right, wrong = pair.answers["per_row_offsets"], pair.answers["right_padded_batch"]
        shown = [cell.replace("|", "\\|").replace("\n", " ") for cell in (pair.key, pair.value, right, wrong)]
        shown[2] += "" if right == pair.value else " ✗"
        rows.append(f"| {' | '.join(shown)} |")
    return "\n".join(rows)


def begin(parser: argparse.ArgumentParser) -> tuple[argparse.Namespace, Qwen2, Tokenizer]:
    """The options of the command line, and the checkpoint that they name."""
    parser.add_argument("--model", type=Path, default=HERE, help="folder of the checkpoint (default: this one)")
    options = parser.parse_args()
    model, tokenizer = minikv.load(options.model, dtype=torch.float32)
    assert tokenizer is not None, f"{options.model} holds no tokenizer.json"
    return options, model, tokenizer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=PAIRS, help=f"document/key pairs (default: {PAIRS}, the whole)")
    options, model, tokenizer = begin(parser)

    pairs = ask_all(model, tokenizer, held_out_documents(), options.pairs, tuple(minikv.RECIPES))
    found, padded = figures(pairs), [pair.padded for pair in pairs]
    print(f"{len(pairs)} held-out document/key pairs, {sum(padded)} of them in padded rows; fp32, greedy\n")
    print(table(found, padded))

    path = options.model / "figures.json"
    if options.pairs != PAIRS:
        stored = json.loads(path.read_text(encoding="utf-8"))["recipes"]
        same = all(stored[name][kind].startswith(own) for name in found for kind, own in found[name].items())
        print(f"\nThe same as the first {len(pairs)} of figures.json: {'yes' if same else 'NO'}")
        raise SystemExit(not same)
    known = ask_all(model, tokenizer, known_documents(), options.pairs, ("naive_loop", "per_row_offsets"))
    print(f"\nNew documents in known patterns, per_row_offsets: {share(figures(known)['per_row_offsets']['exact'])}")
    written = handwritten(model, tokenizer)
    print(f"\nWritten by hand: {share(figures(written)['per_row_offsets']['exact'])}\n\n{by_hand_table(written)}")
    stored = {
        "pairs": len(pairs),
        "padded": marks(padded),
        "recipes": found,
        "known_patterns": figures(known),
        "handwritten": figures(written),
    }
    path.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
