"""Measure `minikv.fill` on held-out documents, beside the naive loop.

    python weights/evaluate_fill.py                  # the figures of docs/extraction.md, in a minute
    python weights/evaluate_fill.py --documents 8    # some seconds

The documents are the first ones of `evaluate.py`.
"""

import argparse
import math
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from evaluate import MAX_NEW_TOKENS, ask, begin, held_out_documents, marks, share
from rich.progress import track

import minikv

DOCUMENTS = 120


class Outcome(NamedTuple):
    """What came of one key."""

    sure: float  # the geometric mean of the probabilities of the answer's tokens
    true: bool  # whether the answer's text is the true value
    as_naive: bool  # whether it is the naive loop's answer
    in_document: bool


def told(found: Iterable[bool]) -> str:
    return share(marks(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help=f"how many (default: {DOCUMENTS})")
    options, model, tokenizer = begin(parser)

    found = []
    documents = list(islice(held_out_documents(), options.documents))
    for document in track(documents, "filling", transient=True):
        template = dict.fromkeys(document.answers, "")
        filled = minikv.fill_report(model, tokenizer, document.text, template, max_new_tokens=MAX_NEW_TOKENS)
        naive = ask(model, tokenizer, document, ["naive_loop"])
        for record, pair in zip(filled.report, naive, strict=True):
            same = record.text == pair.answers["naive_loop"]
            sure = math.exp(-math.inf if record.log_prob is None else record.log_prob)
            found.append(Outcome(sure, record.text == pair.value, same, bool(record.in_document)))
    found.sort()

    quarter, half = found[: len(found) // 4], found[len(found) // 2 :]
    print(f"{len(documents)} held-out documents, {len(found)} keys; fp32, greedy\n")
    rows = {
        "true": told(each.true for each in found),
        "as the naive loop": told(each.as_naive for each in found),
        "true, of those not in the document": told(each.true for each in found if not each.in_document),
        f"true, of the quarter up to {quarter[-1].sure:.1%} sure": told(each.true for each in quarter),
        f"true, of the half from {half[0].sure:.1%} sure on": told(each.true for each in half),
    }
    for name, figure in rows.items():
        print(f"{name:<40}{figure}")


if __name__ == "__main__":
    main()
