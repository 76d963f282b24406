"""An answer's text as the JSON value that a blank of a template wants, or None where it is no such value.

Nothing is worked out. A number is taken only where one number is written, and a word beside it that might multiply it
("9 billion", "7B") is neither left out nor multiplied. The whole table is in docs/extraction.md.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias
from unicodedata import category

from minikv.filling.span import caseless

Value: TypeAlias = str | int | float | bool | list[str] | None

DIGITS = 15  # that a double, which is what most readers of JSON make of a number, holds exactly
NUMBER_IN_WORDS = re.compile(
    r"""
    (?P<sign> [-+](?=\S) )?  # with a space after it, it would be an item's dash
    (?P<before> [^0-9]*? )
    (?P<whole> [1-9][0-9]{0,2} (?: (?P<group>[,.'’\u00a0\u2009\u202f]) [0-9]{3} (?: (?P=group) [0-9]{3} )* )
             | 0 | [1-9][0-9]* )
    (?: (?! (?P=group) ) [.,] (?P<decimals>[0-9]+) )?
    (?P<after> [^0-9]* )
    """,
    re.VERBOSE,
)


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What may stand beside a number and change nothing: a currency before it or after it, a unit after it. Not m, t, k, B,
# which may be a million, a trillion, a thousand …
CURRENCIES = words("US$ EUR USD GBP CHF SEK NOK DKK JPY CNY INR")
SYMBOLS = words("% ° °C °F m² km² mm cm km mg g kg ml cl l s h W kW kWh V A Hz kHz MHz GHz KB MB GB TB")
WORDS = words(
    """
    percent euro euros dollar dollars pound pounds franc francs krona kronor kroner yen yuan rupee rupees millimetres
    centimetres metre metres meter meters kilometre kilometres kilometer kilometers mile miles foot feet ft inch inches
    square cubic gram grams kilogram kilograms kilo kilos tonne tonnes ounces oz lb lbs litre litres liter liters sec
    second seconds min minute minutes hour hours day days week weeks month months year years watt watts volt volts
    degree degrees celsius fahrenheit token tokens word words page pages byte bytes a an per
    """
)
YES_OR_NO = {"yes": True, "true": True, "no": False, "false": False}
BETWEEN_ITEMS = re.compile(
    r"""
    (?: \s* (?: [;；、，\n] | (?<![0-9]), | ,(?![0-9]) ) \s* (?:(?:and|or)\s+)?
      | \s+ (?:and|or) \s+ )
    (?! [^()]* \) )  # none within brackets
    """,
    re.VERBOSE,
)
BULLET = re.compile(r"^[-*•]\s+")


@dataclass(frozen=True)
class Kind:
    """A kind of value. `read` takes an answer and the key that it answers."""

    name: str
    read: Callable[[str, str], Value]


def read_text(text: str, key: str) -> str | None:
    return text.strip() or None


def read_integer(text: str, key: str) -> int | None:
    """A number without decimals."""
    digits = read_digits(text, key)
    return int(digits) if digits is not None and "." not in digits else None


def read_number(text: str, key: str) -> float | None:
    digits = read_digits(text, key)
    return float(digits) if digits is not None else None


def read_digits(text: str, key: str) -> str | None:
    """The one number of a text as Python writes numbers, if nothing stands beside it but a currency, units after it, or
    words of the key.

    Thousands may be grouped by commas, points, apostrophes or no-break spaces, decimals follow a point or a comma. Of
    the forms that can be read either way, 1,234 is taken for thousands, as English has it, and 1.234 is not taken.
    """
    found = NUMBER_IN_WORDS.fullmatch(without_stop(text).replace("−", "-").replace("per cent", "%"))
    if found is None:
        return None
    sign, whole, group, decimals = found.group("sign", "whole", "group", "decimals")
    if group == "." and whole.count(".") == 1 and decimals is None:
        return None
    names = set(re.findall(r"[^\W_]+", key.casefold()))
    before, after = found["before"].split(), found["after"].replace("/", " ").split()
    if not all(is_currency(word) or word.casefold() in names for word in before):
        return None
    if not all(is_currency(word) or is_unit(word) or word.casefold() in names for word in after):
        return None
    plain = whole.replace(group or ",", "")
    if len(plain + (decimals or "")) > DIGITS:
        return None
    return f"{sign or ''}{plain}" + (f".{decimals}" if decimals else "")


def is_currency(word: str) -> bool:
    return word in CURRENCIES or (len(word) == 1 and category(word) == "Sc")


def is_unit(word: str) -> bool:
    return word in SYMBOLS or word.casefold() in WORDS


def read_yes_no(text: str, key: str) -> bool | None:
    return YES_OR_NO.get(without_stop(text).casefold())


def read_list(text: str, key: str) -> list[str] | None:
    """What stands between commas, semicolons, line ends, and the words "and" and "or"; but not within brackets, and not
    at a comma between two digits."""
    items = (BULLET.sub("", item.strip()) for item in BETWEEN_ITEMS.split(text))
    return [item for item in items if item] or None


def read_choice(choices: tuple[str, ...], text: str, key: str) -> str | None:
    """The choice that the text is, whatever its capitals, in the template's spelling."""
    said = caseless(text.strip())
    return next((choice for choice in choices if said in spellings(choice)), None)


def spellings(choice: str) -> tuple[str, str]:
    """A choice, and the same at a sentence's end."""
    form = caseless(choice.strip())
    return form, f"{form}."


def without_stop(text: str) -> str:
    """The text without a sentence's end."""
    return text.strip().removesuffix(".")


TEXT = Kind("text", read_text)
INTEGER = Kind("whole number", read_integer)
NUMBER = Kind("number", read_number)
YES_NO = Kind("yes or no", read_yes_no)
LIST = Kind("list", read_list)


def one_of(choices: tuple[str, ...]) -> Kind:
    return Kind("choice", partial(read_choice, choices))
