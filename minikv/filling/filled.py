"""What becomes of a template's blanks: a value or null for each, and beside it what tells how far to trust it."""

from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, TypeAlias

from minikv.filling.answer import Answer
from minikv.filling.span import Found, Searchable
from minikv.filling.typed import TEXT, Kind, Value

Path: TypeAlias = tuple[str, ...]  # the keys that lead to a blank


@dataclass(frozen=True)
class Leaf:
    """One blank."""

    path: Path
    kind: Kind
    question: str  # what to ask a model: the last name of the path, and as many before it as tell it from the others

    @property
    def key(self) -> str:
        return " > ".join(self.path)


@dataclass(frozen=True)
class Part:
    """A piece of an answer, and where it stands in the document; None: nowhere."""

    text: str
    found: Found | None


@dataclass(frozen=True)
class Record:
    """What became of a blank, and what tells how far its value can be trusted."""

    path: Path
    question: str
    wants: str  # the name of its kind
    value: Value
    problem: str | None  # why the value is null
    text: str  # the answer in its own words
    parts: tuple[Part, ...]  # the items of a list, else the answer as a whole; none of an empty answer
    in_document: bool | None  # whether all parts stand in the document; None where there are none
    log_prob: float | None  # mean natural logarithm of the probabilities of the answer's tokens
    ended: bool  # by itself; else it was cut at the limit of tokens


@dataclass(frozen=True)
class Filled:
    """A template's values, and a record for each blank, in the template's order."""

    values: dict[str, Any]
    report: list[Record]

    @property
    def not_in_document(self) -> list[Record]:
        """The values that do not stand in the document, in whole or in part."""
        return [record for record in self.report if record.value is not None and not record.in_document]

    def as_json(self) -> dict[str, Any]:
        return {"values": self.values, "report": [asdict(record) for record in self.report]}


def record(leaf: Leaf, answer: Answer, document: Searchable) -> Record:
    text = answer.text.strip()
    value, problem = read(leaf, text, answer.ended)
    pieces = value if isinstance(value, list) else [text] if text else []
    parts = tuple(Part(piece, document.find(piece)) for piece in pieces)
    return Record(
        path=leaf.path,
        question=leaf.question,
        wants=leaf.kind.name,
        value=value,
        problem=problem,
        text=text,
        parts=parts,
        in_document=all(part.found for part in parts) if parts else None,
        log_prob=answer.log_prob if answer.log_prob is not None and isfinite(answer.log_prob) else None,
        ended=answer.ended,
    )


def read(leaf: Leaf, text: str, ended: bool) -> tuple[Value, str | None]:
    """The value that an answer is, or None and why."""
    if not text:
        return None, "nothing was answered"
    if not ended and leaf.kind is not TEXT:  # 12 may be the beginning of 120
        return None, "the answer was cut at the limit of tokens"
    value = leaf.kind.read(text, leaf.key)
    return value, f"the answer is not a {leaf.kind.name}" if value is None else None
