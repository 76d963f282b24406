"""Made-up values: names, sums, dates, licences, lists. All from one seeded generator, so a run can be repeated.

A value is made of parts, so there are far more of them than a model could learn by heart: what it answers, it copied.
One value in five is held out from training, chosen by its text alone (`is_held_out`).
"""

from binascii import crc32
from collections.abc import Callable
from random import Random

Maker = Callable[[Random], str]


def words(text: str) -> list[str]:
    return text.split()


ONSETS = words("b br c ch d dr f fl g gr h j k l m n p pl r s sh st t th tr v w y z")
VOWELS = words("a a e e i i o o u u ai ea ie ou")
CODAS = words("l n r s m t x nd rk st ck") + [""] * 7
FIRST_NAMES = words(
    "Anna Ben Clara David Elena Farid Grace Hugo Ines Jonas Karin Liam Maria Noah Olga Pedro Quinn Rosa Samir Tara "
    "Umar Vera Wei Xenia Yusuf Zoe Ada Boris Chiara Dmitri Emma Felix Greta Hana Ivan Julia Kofi Lena Marco Nina"
)
LAST_NAMES = words(
    "Adler Becker Costa Dubois Evans Fischer Garcia Haddad Ivanov Jensen Kaur Lopez Meyer Novak Okafor Petrov Quist "
    "Rossi Schmidt Tanaka Ueda Vogel Weber Xu Yilmaz Zhang Ahmed Brown Chen Diaz Ericsson Ferrari Green Huang Ito"
)
COMPANY_KINDS = words("Institute Foundation University Bakery Books Foods")
PROFESSIONS = words("engineer manager analyst nurse driver editor clerk cook")
CITIES = words(
    "Berlin Paris Oslo Madrid Vienna Prague Lisbon Dublin Rome Athens Warsaw Helsinki Zurich Geneva Boston Chicago "
    "Toronto Sydney Nairobi Lima Cairo Mumbai Seoul Tokyo Leeds Bristol Ghent Porto Turin Lyon Bonn Basel Graz Bergen"
)
MONTHS = words("January February March April May June July August September October November December")
WEEKDAYS = words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
ADJECTIVES = words(
    "small large quiet bright early late open simple modern old warm cold local general heavy light fast slow new rare "
    "soft plain solid clear fresh green blue dark narrow wide deep strong gentle public private digital regional"
)
COLOURS = words("red blue green black white silver yellow orange purple brown grey pink gold navy olive teal beige")
NOUNS = words(
    "team market river garden network engine paper window report system school bridge harbour letter archive machine "
    "forest station museum library office kitchen factory theatre village student reader customer partner visitor "
    "project method result question answer picture story season weather street house table door light sound road "
    "service product design process version update test sample model page record list plan tool part piece group"
)
VERBS = words(
    "supports improves follows describes replaces extends helps brings shows keeps changes covers needs offers joins "
    "explains surprises connects reaches answers measures protects serves repeats simplifies"
)
INGREDIENTS = words(
    "rice beans lentils onions garlic butter flour sugar salt pepper eggs milk cream cheese basil thyme lemon tomatoes "
    "potatoes carrots spinach ginger honey walnuts almonds apples pears mushrooms chicken salmon beef tofu olives oats"
)
SKILLS = words(
    "Python Java Rust SQL Excel accounting welding bookkeeping statistics translation negotiation German French "
    "Spanish planning first-aid carpentry design testing nursing logistics marketing teaching Linux photography sales"
)
TASKS = words(
    "summarisation translation search chat coding tutoring transcription classification retrieval planning dialogue "
    "extraction captioning forecasting moderation proofreading routing navigation"
)


def is_held_out(text: str) -> bool:
    """Whether a value (or an order of fields) is kept for the evaluation: one in five, and the same ones everywhere."""
    return crc32(text.encode()) % 5 == 0


def draw(rng: Random, make: Maker, held_out: bool) -> str:
    """A value from the one side of the split or the other."""
    while is_held_out(value := make(rng)) != held_out:
        pass
    return value


def word(rng: Random) -> str:
    """A word of two or three invented syllables."""
    syllables = rng.choice((2, 2, 2, 3))
    return "".join(rng.choice(ONSETS) + rng.choice(VOWELS) for _ in range(syllables)) + rng.choice(CODAS)


def proper(rng: Random) -> str:
    return word(rng).capitalize()


def title(rng: Random) -> str:
    """A name as products, models and events have them."""
    return rng.choice(
        (
            lambda: proper(rng),
            lambda: f"{proper(rng)} {rng.randint(1, 90)}",
            lambda: f"{proper(rng)}-{rng.randint(1, 9)}",
            lambda: f"{proper(rng)} {rng.randint(1, 80)}{rng.choice('BMX')}",
            lambda: f"{proper(rng)} {proper(rng)}",
            lambda: f"{rng.choice(ADJECTIVES).capitalize()} {proper(rng)}",
            lambda: f"{proper(rng)} {rng.choice(('Pro', 'Mini', 'Max', 'Plus', 'Lite', 'One', 'Air'))}",
        )
    )()


def person(rng: Random) -> str:
    first = rng.choice((rng.choice(FIRST_NAMES), proper(rng)))
    last = rng.choice((rng.choice(LAST_NAMES), proper(rng)))
    return rng.choice((f"{first} {last}", f"{first} {last}", f"{first} {rng.choice('ABCDEFGHJKLMNPRSTW')}. {last}"))


def people(rng: Random) -> str:
    names = [person(rng) for _ in range(rng.choice((2, 2, 3)))]
    return ", ".join(names[:-1]) + " and " + names[-1]


def company(rng: Random) -> str:
    return rng.choice(
        (
            lambda: f"{proper(rng)} {rng.choice(('Labs', 'Ltd', 'GmbH', 'Systems', 'Works', 'Group', 'Inc', 'AG'))}",
            lambda: f"{proper(rng)} & {rng.choice(('Sons', 'Partners', proper(rng)))}",
            lambda: f"{proper(rng)} {rng.choice(COMPANY_KINDS)}",
            lambda: f"{rng.choice(LAST_NAMES)} {rng.choice(('Brothers', 'Consulting', 'Logistics', 'Media'))}",
            lambda: proper(rng),
        )
    )()


def place(rng: Random) -> str:
    return rng.choice(
        (
            lambda: rng.choice(CITIES),
            lambda: proper(rng),
            lambda: proper(rng) + rng.choice(("ton", "burg", "ville", "field", "haven", "stad")),
            lambda: f"{rng.choice(('New', 'Port', 'Saint', 'Upper', 'West'))} {proper(rng)}",
        )
    )()


def venue(rng: Random) -> str:
    rooms = ("Hall", "Theatre", "Library", "Centre", "Park", "Arena", "Museum", "House")
    return rng.choice(
        (
            lambda: f"{proper(rng)} {rng.choice(rooms)}",
            lambda: f"{rng.choice(ADJECTIVES).capitalize()} {rng.choice(rooms)} {rng.randint(1, 9)}",
            lambda: f"{rng.choice(CITIES)} {rng.choice(rooms)}",
        )
    )()


def address(rng: Random) -> str:
    street = rng.choice((proper(rng), rng.choice(LAST_NAMES))) + rng.choice((" Street", " Road", " Lane", " Avenue"))
    return rng.choice((f"{rng.randint(1, 199)} {street}", f"{rng.randint(1, 199)} {street}, {place(rng)}"))


def date(rng: Random) -> str:
    day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1990, 2039)
    return rng.choice(
        (
            f"{day} {MONTHS[month - 1]} {year}",
            f"{day} {MONTHS[month - 1]} {year}",
            f"{MONTHS[month - 1]} {day}, {year}",
            f"{year}-{month:02}-{day:02}",
            f"{day} {MONTHS[month - 1]}",
            f"{rng.choice(WEEKDAYS)}, {day} {MONTHS[month - 1]}",
        )
    )


def clock(rng: Random) -> str:
    return rng.choice(
        (
            f"{rng.randint(6, 23)}:{rng.choice((0, 10, 15, 20, 30, 40, 45, 50)):02}",
            f"{rng.randint(1, 12)} {rng.choice(('am', 'pm'))}",
            f"{rng.randint(1, 12)}:{rng.choice((15, 30, 45))} {rng.choice(('am', 'pm'))}",
        )
    )


def duration(rng: Random) -> str:
    return f"{rng.randint(2, 95)} {rng.choice(('minutes', 'hours', 'days', 'weeks', 'months', 'years'))}"


def number(rng: Random) -> str:
    size = 10 ** rng.randint(1, 6)
    return f"{rng.randint(2, 9 * size):,}" if rng.random() < 0.7 else str(rng.randint(2, 9 * size))


def money(rng: Random) -> str:
    amount = rng.choice((f"{rng.randint(3, 990)}", f"{rng.randint(3, 99)},{rng.randint(0, 999):03}"))
    amount += rng.choice(("", "", f".{rng.randint(0, 99):02}"))
    sign = rng.choice("$€£")
    unit = rng.choice(("euros", "dollars", "EUR", "USD", "francs", "pounds", "kronor"))
    return rng.choice((f"{sign}{amount}", f"{amount} {unit}"))


def code(rng: Random) -> str:
    letters = "".join(rng.choice("ABCDEFGHJKLMNPRSTUVWXYZ") for _ in range(rng.choice((1, 2, 2, 3))))
    digits = "".join(rng.choice("0123456789") for _ in range(rng.choice((3, 4, 5))))
    return letters + rng.choice(("", "-", " ")) + digits


def parameters(rng: Random) -> str:
    amount = rng.choice((str(rng.randint(1, 400)), f"{rng.randint(1, 90)}.{rng.randint(1, 9)}"))
    return amount + rng.choice((" billion", " million", "B", "M", " billion parameters"))


def tokens(rng: Random) -> str:
    amount = rng.choice((f"{rng.randint(1, 999)},{rng.randint(0, 999):03}", f"{rng.randint(1, 900)}k"))
    return amount + rng.choice(("", " tokens"))


def corpus(rng: Random) -> str:
    return f"{rng.randint(1, 30)}{rng.choice(('', '.5'))} {rng.choice(('trillion', 'billion'))} tokens"


def licence(rng: Random) -> str:
    return rng.choice(
        (
            lambda: f"Apache {rng.randint(1, 3)}.{rng.randint(0, 2)}",
            lambda: "MIT",
            lambda: f"CC BY{rng.choice(('', '-SA', '-NC', '-ND'))} {rng.randint(2, 4)}.0",
            lambda: f"{rng.choice(('GPL', 'LGPL', 'AGPL', 'MPL', 'EUPL', 'BSD'))} {rng.randint(1, 4)}",
            lambda: f"{proper(rng)} Public {rng.randint(1, 4)}",
            lambda: f"{proper(rng)} Community {rng.randint(1, 4)}.{rng.randint(0, 9)}",
        )
    )()


def architecture(rng: Random) -> str:
    style = ("decoder-only", "sparse", "dense", "recurrent", "gated", "hybrid", "convolutional", "grouped-query")
    body = ("transformer", "mixture of experts", "attention network", "state space model", "encoder", "memory network")
    return rng.choice((f"{rng.choice(style)} {rng.choice(body)}", f"{proper(rng)} {rng.choice(body)}"))


def email(rng: Random) -> str:
    name = rng.choice(("info", "jobs", "contact", "hello", "office", word(rng), rng.choice(FIRST_NAMES).lower()))
    return f"{name}@{word(rng)}.{rng.choice(('com', 'org', 'net', 'eu', 'io', 'de'))}"


def web(rng: Random) -> str:
    host = f"{word(rng)}.{rng.choice(('com', 'org', 'net', 'ai', 'io', 'de'))}"
    return rng.choice((f"https://{host}", f"https://{host}/{word(rng)}", f"www.{host}"))


def phone(rng: Random) -> str:
    digits = "".join(rng.choice("0123456789") for _ in range(6))
    return rng.choice((f"0{rng.randint(10, 99)} {digits}", f"+{rng.randint(1, 99)} {digits[:2]} {digits[2:]}"))


def several(pool: list[str]) -> Maker:
    """A list of two or three things, written as a list is written."""

    def make(rng: Random) -> str:
        items = rng.sample(pool, rng.choice((2, 2, 3)))
        return ", ".join(items[:-1]) + f" {rng.choice(('and', 'and', 'or'))} {items[-1]}"

    return make


def role(rng: Random) -> str:
    level = rng.choice(("", "senior ", "junior ", "lead ", "assistant ", f"{rng.choice(ADJECTIVES)} "))
    field = rng.choice(NOUNS)
    return f"{level}{field} {rng.choice(PROFESSIONS)}"


def measure(*units: str) -> Maker:
    """A quantity in one of the units."""

    def make(rng: Random) -> str:
        amount = rng.choice((str(rng.randint(2, 990)), f"{rng.randint(0, 60)}.{rng.randint(1, 9)}"))
        return f"{amount} {rng.choice(units)}"

    return make


def percent(rng: Random) -> str:
    return f"{rng.randint(1, 99)}{rng.choice(('', f'.{rng.randint(0, 9)}'))}{rng.choice(('%', ' percent'))}"


def colour(rng: Random) -> str:
    return rng.choice(
        (
            rng.choice(COLOURS),
            f"{rng.choice(('dark', 'light', 'pale', 'deep'))} {rng.choice(COLOURS)}",
            f"{proper(rng).lower()} {rng.choice(COLOURS)}",
        )
    )


def thing(rng: Random) -> str:
    return rng.choice(
        (
            f"{rng.choice(ADJECTIVES)} {rng.choice(NOUNS)}",
            f"{rng.randint(2, 60)} {rng.choice(NOUNS)}s",
            f"{word(rng)} {rng.choice(NOUNS)}",
            f"{rng.choice(COLOURS)} {rng.choice(NOUNS)}s",
        )
    )


def dish(rng: Random) -> str:
    style = rng.choice((rng.choice(ADJECTIVES), word(rng), "roasted", "baked", "fried", "grilled", proper(rng)))
    return f"{style} {rng.choice(INGREDIENTS)} {rng.choice(('soup', 'stew', 'pie', 'salad', 'curry', 'cake', 'bowl'))}"


def anything(rng: Random) -> str:
    """A value of any kind, where the document's kind says nothing about it."""
    return rng.choice(
        (
            title,
            person,
            company,
            place,
            date,
            money,
            number,
            code,
            thing,
            duration,
            email,
            percent,
            clock,
            colour,
            measure("kg", "cm", "litres", "km", "watts"),
            proper,
            several(NOUNS),
        )
    )(rng)
