"""A JSON template: an object with blanks, each of which asks for a value and says by its type what kind of value.

    {"Model": {"Name": "", "Parameters": "", "Context length": 0}, "Open": false, "Uses": [], "Colour": ["red", "blue"]}

Filled, it has the same shape, its keys in the same order, and in place of each blank a value of its kind, or null. All
of this is text and JSON: whoever answers the questions, a model or somebody else, is not known here.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from reprlib import repr as short
from typing import Any, NoReturn, TypeAlias

from minikv.errors import MinikvError
from minikv.filling.answer import Answer
from minikv.filling.filled import Filled, Leaf, Path, record
from minikv.filling.span import Searchable, caseless
from minikv.filling.typed import INTEGER, LIST, NUMBER, TEXT, YES_NO, Kind, Value, one_of

Shape: TypeAlias = dict[str, Any]  # a template with a Kind in place of each blank

CAMEL_CASE = re.compile(r"[a-z]{2,}([A-Z][a-z0-9]*)+")  # not iPhone or kWh
CAPITAL = re.compile("[A-Z]")
SNAKE_CASE = re.compile(r"\w*[^\W_]\w*")
DEEPEST = 32  # objects within objects
BLANKS = '"" or null for a text, 0 for a whole number, 0.0 for a number, false for yes or no, [] for a list, or choices'


@dataclass(frozen=True)
class Template:
    """A template that was understood."""

    shape: Shape
    leaves: tuple[Leaf, ...]

    @property
    def questions(self) -> list[str]:
        """One for each leaf, no two alike."""
        return [leaf.question for leaf in self.leaves]

    def filled(self, answers: Sequence[Answer], document: str) -> Filled:
        """The answers, one for each question, in place of the blanks, and looked for in the document."""
        if len(answers) != len(self.leaves):
            raise MinikvError(f"{len(answers)} answers for {len(self.leaves)} blanks; expected one for each")
        searchable = Searchable(document)
        report = [record(leaf, answer, searchable) for leaf, answer in zip(self.leaves, answers, strict=True)]
        return Filled(refill(self.shape, iter([each.value for each in report])), report)


def refill(shape: Shape, values: Iterator[Value]) -> dict[str, Any]:
    """The shape with the next value in place of each blank."""
    return {
        name: next(values) if isinstance(within, Kind) else refill(within, values) for name, within in shape.items()
    }


# --- reading a template -----------------------------------------------------------------------------------------------


def plan(template: str | Mapping[str, Any]) -> Template:
    """A template, as JSON text or as `json.loads` gives it, as leaves with their questions.

    MinikvError for what is no JSON (with its line and column), no object, or has two equal keys in one object, a key
    without a name, a value that is no blank, no blank at all, or objects nested more than 32 deep.
    """
    parsed = parse(template) if isinstance(template, str) else template
    if not isinstance(parsed, Mapping):
        raise MinikvError(f"the template is {shown(parsed)}; expected an object whose keys name the values to look for")
    shape = shape_of(parsed, ())
    blanks = list(blanks_of(shape, ()))
    if not blanks:
        raise MinikvError(f"the template has no blank to fill; expected {BLANKS}")
    questions = questions_of([path for path, _ in blanks])
    return Template(
        shape, tuple(Leaf(path, kind, question) for (path, kind), question in zip(blanks, questions, strict=True))
    )


def parse(text: str) -> Any:
    """JSON text. What Python's reader lets pass is refused: NaN, and equal keys, of which it would keep the last."""
    try:
        return json.loads(text, object_pairs_hook=without_repetition, parse_constant=refuse_constant)
    except json.JSONDecodeError as error:
        raise MinikvError(f"the template is no JSON: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise MinikvError(f"the template is nested too deep; expected {DEEPEST} levels at most") from None
    except ValueError as error:  # a number of thousands of digits
        raise MinikvError(f"the template has a number that cannot be read: {error}") from None


def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    repeated = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
    if repeated:
        raise MinikvError(f"the template has the key {shown(repeated[0])} twice in one object; expected each key once")
    return dict(pairs)


def refuse_constant(name: str) -> NoReturn:
    raise MinikvError(f"the template has {name}, which is no JSON; expected 0.0 for a number")


def shape_of(template: Mapping[str, Any], path: Path) -> Shape:
    """The template with kinds in place of its blanks."""
    if len(path) >= DEEPEST:
        raise MinikvError(f"the template is nested more than {DEEPEST} deep at {shown(' > '.join(path))}")
    for name in template:
        check_name(name, path)
    return {
        name: shape_of(within, (*path, name)) if isinstance(within, Mapping) else kind_of(within, (*path, name))
        for name, within in template.items()
    }


def check_name(name: Any, path: Path) -> None:
    where = f"in {shown(' > '.join(path))}" if path else "at the top"
    if not isinstance(name, str) or not name.strip():
        raise MinikvError(f"the template has the key {shown(name)} {where}; expected the name of a value to look for")
    if not is_unicode(name):
        raise MinikvError(f"the template has the key {shown(name)} {where}, with half a character; expected whole ones")


def kind_of(blank: Any, path: Path) -> Kind:
    """What a blank wants. Compared with its type, since 0 == 0.0 == False."""
    if isinstance(blank, list | tuple):
        return LIST if not blank else one_of(choices_of(blank, path))
    for empty, kind in (("", TEXT), (None, TEXT), (0, INTEGER), (0.0, NUMBER), (False, YES_NO)):
        if type(blank) is type(empty) and blank == empty:
            return kind
    raise MinikvError(f"the template has {shown(blank)} at {shown(' > '.join(path))}; expected a blank: {BLANKS}")


def choices_of(choices: Sequence[Any], path: Path) -> tuple[str, ...]:
    """The choices, if they are texts that can be told apart."""
    where = f"the choices at {shown(' > '.join(path))}"
    for choice in choices:
        if not isinstance(choice, str) or not choice.strip() or not is_unicode(choice):
            raise MinikvError(f"{where} have {shown(choice)} among them; expected texts, or [] for a list of any")
    said = Counter(caseless(choice.strip()) for choice in choices)
    if max(said.values()) > 1:
        raise MinikvError(
            f"{where} have {shown(said.most_common(1)[0][0])} twice; expected them to differ in their letters"
        )
    return tuple(choices)


def shown(value: Any) -> str:
    """A value in a few characters, whatever it is."""
    try:
        return short(value)
    except ValueError:  # Python writes out no more than 4,300 digits
        return "a number of thousands of digits"


def is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def blanks_of(shape: Shape, path: Path) -> Iterator[tuple[Path, Kind]]:
    for name, within in shape.items():
        if isinstance(within, Kind):
            yield (*path, name), within
        else:
            yield from blanks_of(within, (*path, name))


def questions_of(paths: Sequence[Path]) -> list[str]:
    """What to ask for each path: its last name, and names before it only where another path ends alike ("Seller name").
    Small models know short keys best: on held-out documents the bundled weights answer fewer with a parent added."""
    names = [tuple(map(in_words, path)) for path in paths]
    shared = Counter(folded(end) for path in names for end in endings(path))
    questions = [joined(next((end for end in endings(path) if shared[folded(end)] == 1), path)) for path in names]
    repeated = [question for question, count in Counter(questions).items() if count > 1]
    if repeated:
        raise MinikvError(f"two blanks of the template are both asked for as {shown(repeated[0])}; rename one of them")
    return questions


def in_words(name: str) -> str:
    """A name on one line, due_date and dueDate as due date: that is how people ask, and models answer."""
    if CAMEL_CASE.fullmatch(name):
        name = CAPITAL.sub(r" \g<0>", name).lower()
    elif "_" in name and SNAKE_CASE.fullmatch(name):
        name = name.replace("_", " ").lower()
    return " ".join(name.split())


def joined(path: Path) -> str:
    """Names as one phrase: Seller, Name as Seller name."""
    return " ".join([path[0], *(name[0].lower() + name[1:] if name[1:].islower() else name for name in path[1:])])


def endings(path: Path) -> Iterable[Path]:
    """The path's last name, its last two, and so on."""
    return (path[-length:] for length in range(1, len(path) + 1))


def folded(path: Path) -> Path:
    return tuple(map(str.casefold, path))
