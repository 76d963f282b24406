"""Synthetic documents with the keys one may ask for and the values that answer them.

`write` makes one from a seeded generator, on either side of a split that is fixed in the code: the training side, or
the held-out side, where every value, every sentence pattern and the order of the fields are ones that training never
sees. The words that sentences are made of, the openings and the wordings of the keys are common to both.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random

import patterns
import values
from patterns import Field, Kind

Choose = Callable[[Random, Sequence[str]], str]


@dataclass(frozen=True)
class Document:
    text: str
    answers: dict[str, str]  # key -> value, the value in the words of the text


@dataclass(frozen=True)
class Size:
    """How much a document says, and in what form: fields, sentences that answer nothing, how many keys are asked; the
    share of documents that are lists, and the weight of notes among the kinds. In training the patterns may be the
    plain ones alone, a share of them is varied (see `varied`), and a share of the sentences runs on into the next."""

    fields: int
    distractors: int
    keys: int
    tables: float = 0.25
    notes: int = 1
    plain: bool = False
    variation: float = 0.0
    run_on: float = 0.0


def write(rng: Random, size: Size, held_out: bool = False) -> Document:
    """One document of a random kind."""
    kind = rng.choice((*patterns.KINDS, *[None] * size.notes))
    fields = [invented(rng) for _ in range(size.fields)] if kind is None else list(kind.fields)
    kind = kind or NOTES
    chosen = ordered(rng, fields, size.fields, held_out)
    if chosen is None:
        return write(rng, size, held_out)
    said = {field.name: values.draw(rng, field.make, held_out) for field in chosen}
    # The name of what the document is about, if it gives one, may stand in for "the model".
    subjects = [*kind.subjects, *(said[field.name] for field in chosen if field.name == kind.name)]
    if rng.random() < size.tables:
        text = table(rng, kind, chosen, said, size, held_out)
    else:
        text = prose(rng, kind, chosen, said, subjects, size, held_out)
    asked = rng.sample(chosen, min(size.keys, len(chosen)))
    return Document(text, {wording(rng, field): said[field.name] for field in asked})


def ordered(rng: Random, fields: list[Field], count: int, held_out: bool) -> list[Field] | None:
    """So many fields in an order from the one side of the split; orders of fewer than three are too few to split. None
    where there is no such order: of three fields all six may lie on the other side."""
    for _ in range(1000):
        chosen = rng.sample(fields, min(count, len(fields)))
        order = ", ".join(field.name for field in chosen)
        if len(chosen) < 3 or values.is_held_out(order) == held_out:
            return chosen
    return None


def prose(
    rng: Random,
    kind: Kind,
    fields: list[Field],
    said: dict[str, str],
    subjects: list[str],
    size: Size,
    held_out: bool,
) -> str:
    """The fields as running text, a sentence each, some joined or led into, among sentences that answer nothing."""
    clauses = []
    for field in fields:
        idioms, frames, choose = sources(field, size.plain, held_out)
        alike = idioms if idioms and rng.random() < 0.6 else frames
        pattern = choose(rng, alike)
        if size.variation and rng.random() < size.variation:
            pattern = varied(rng, pattern, choose(rng, alike))
        clauses.append(fill(rng, pattern, field, said[field.name], rng.choice(subjects)))
    for _ in range(size.distractors):
        clauses.insert(rng.randint(0, len(clauses)), aside(rng))
    links, leads = (patterns.HELD_OUT_LINKS, patterns.HELD_OUT_LEADS) if held_out else (patterns.LINKS, patterns.LEADS)
    sentences = [rng.choice(kind.openings)] if rng.random() < 0.6 else []
    while clauses:
        sentence = clauses.pop(0)
        while size.run_on and clauses and rng.random() < size.run_on:
            sentence += rng.choice(patterns.RUN_ON) + clauses.pop(0)
        if clauses and rng.random() < 0.2:
            link = rng.choice(links)
            sentence += (link if link[0] in ",;" else f" {link}") + f" {clauses.pop(0)}"
        elif rng.random() < 0.15:
            sentence = rng.choice(leads) + sentence
        sentences.append(capitalised(sentence, said.values()) + ".")
    breaks = [rng.choice(("\n", "\n\n")) if rng.random() < 0.1 else " " for _ in sentences]
    return "".join(map("".join, zip(sentences, breaks, strict=True))).strip()


def sources(field: Field, plain: bool, held_out: bool) -> tuple[Sequence[str], Sequence[str], Choose]:
    """The idioms and the frames that a sentence may be made of, and how one is drawn."""
    if held_out:
        return patterns.unseen(field), patterns.HELD_OUT_FRAMES, Random.choice
    if plain:
        return field.plain, patterns.PLAIN_FRAMES, Random.choice
    return field.train, patterns.FRAMES, first_ones_more


def first_ones_more(rng: Random, alike: Sequence[str]) -> str:
    """One of the patterns, half of the time one of the first quarter: there stand the plain ones."""
    return alike[int(len(alike) * rng.random() ** 2)]


def varied(rng: Random, pattern: str, other: str) -> str:
    """The pattern's words before the value, perhaps with the other's after it; some words lost, replaced or added.

    Bad English, but a sentence then has to be understood from the words that are left, as it has to be in one that was
    never seen. What happens to be a held-out pattern is not used.
    """
    before, after = pattern.split("{v}")
    if rng.random() < 0.5:
        after = other.split("{v}")[1]
    words = f"{before}{{v}}{after}".split()
    value_at = next(at for at, word in enumerate(words) if "{v}" in word)
    changed = []
    for at, word in enumerate(words):
        chance = rng.random()
        # Nothing is put beside the value: where it ends would be anybody's guess.
        beside, hole = abs(at - value_at) <= 1, "{" in word
        if chance < 0.06 and not hole:
            continue
        if chance > 0.92 and at not in (value_at, value_at + 1):
            changed.append(filler(rng))
        changed.append(filler(rng) if 0.06 <= chance < 0.14 and not beside and not hole else word)
    result = " ".join(changed)
    # What names the field must still be there: the frame's noun, or some words of the idiom.
    names = "{h}" in result if "{h}" in pattern else len(changed) > 2
    return result if names and result not in patterns.ALL_HELD_OUT else pattern


def filler(rng: Random) -> str:
    return rng.choice(
        (rng.choice(values.NOUNS), rng.choice(values.ADJECTIVES), rng.choice(values.VERBS), values.word(rng))
    )


def table(rng: Random, kind: Kind, fields: list[Field], said: dict[str, str], size: Size, held_out: bool) -> str:
    """The fields as a list, one a line, all in one form."""
    pattern = rng.choice(patterns.HELD_OUT_LINES if held_out else patterns.LINES)
    if size.variation and rng.random() < size.variation:
        line = f"{rng.choice(patterns.BULLETS)}{{h}}{rng.choice(patterns.SEPARATORS)}{{v}}"
        pattern = line if line not in patterns.ALL_HELD_OUT else pattern
    rows = [fill(rng, pattern, field, said[field.name], "it") for field in fields]
    return "\n".join(
        [rng.choice(kind.openings)] * (rng.random() < 0.6) + [capitalised(row, said.values()) for row in rows]
    )


def capitalised(sentence: str, said: Iterable[str]) -> str:
    """The sentence with a capital at its start, unless a value stands there, which is left as it is."""
    return sentence if sentence.startswith(tuple(said)) else sentence[0].upper() + sentence[1:]


def fill(rng: Random, pattern: str, field: Field, value: str, subject: str) -> str:
    """The pattern with its holes filled. Replaced by hand: a value may hold braces of its own."""
    head = rng.choice(field.heads)
    for hole, text in (("{h}", head), ("{s}", subject), ("{v}", value)):
        pattern = pattern.replace(hole, text)
    return pattern


def wording(rng: Random, field: Field) -> str:
    """One way to ask for the field, capitalised or not."""
    key = rng.choice(field.keys)
    return key.lower() if rng.random() < 0.25 else key


def aside(rng: Random) -> str:
    """A clause that answers no key. Some hold a number or a name, which a key may be mistaken for."""
    adjective, noun, verb, other = map(rng.choice, (values.ADJECTIVES, values.NOUNS, values.VERBS, values.NOUNS))
    return rng.choice(
        (
            lambda: f"the {adjective} {noun} {verb} the {other}",
            lambda: f"every {noun} {verb} a {adjective} {other}",
            lambda: f"a {noun} {verb} what the {other} {rng.choice(values.VERBS)}",
            lambda: f"{rng.randint(2, 99)} {noun}s were {adjective}",
            lambda: f"the {noun} near {values.place(rng)} {verb} each {other}",
            lambda: f"this {verb} the {noun} without a {adjective} {other}",
            lambda: f"not every {noun} is {adjective}, as {rng.choice(values.FIRST_NAMES)} knows",
            lambda: f"some {noun}s are {adjective} and some are {rng.choice(values.ADJECTIVES)}",
            lambda: f"there is no {other} without a {noun}",
            lambda: f"in {rng.randint(1950, 2020)} the {noun} was {adjective}",
            lambda: f"a {values.word(rng)} {verb} the {adjective} {noun}",
        )
    )()


NOTES = Kind(
    "notes",
    ("it", "the file", "this entry"),
    (
        "Notes.",
        "For the record.",
        "Here is what we know.",
        "From our files.",
        "Facts and figures:",
    ),
    (),
)


def invented(rng: Random) -> Field:
    """A field that no other document has: its key is the very noun that the document uses, its value of any kind. It
    teaches to look a key up by its letters, as the other kinds teach to look it up by its meaning."""
    noun = rng.choice((rng.choice(values.NOUNS), values.word(rng)))
    qualifier = rng.choice(
        (f"{rng.choice(values.ADJECTIVES)} ", f"{values.word(rng)} ", f"{rng.choice(values.NOUNS)} ", "")
    )
    head = qualifier + noun
    return Field(head, (head.capitalize(), head), (head,), values.anything, (), (), ())
