"""Answers as JSON values: the tables by hand, refusals first of all, and random texts."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minikv.filling.typed import INTEGER, LIST, NUMBER, TEXT, YES_NO, Kind, one_of

# answer, as a whole number, as a number; None: it fits no such blank
NUMBERS: list[tuple[str, int | None, float | None]] = [
    ("0", 0, 0.0),
    ("7", 7, 7.0),
    (" 7\n", 7, 7.0),
    ("7.", 7, 7.0),  # a sentence's end
    ("184.50", None, 184.5),
    ("184.00", None, 184.0),  # a whole number has no decimals
    # thousands
    ("32,768", 32768, 32768.0),
    ("1,234,567.25", None, 1234567.25),
    ("1'234.50", None, 1234.5),
    ("1’234", 1234, 1234.0),
    ("1\u202f234\u202f567", 1234567, 1234567.0),
    ("1\u00a0234,5", None, 1234.5),
    ("1.234,5", None, 1234.5),  # only one reading: decimals follow the comma
    ("1.234.567", 1234567, 1234567.0),
    ("21,7", None, 21.7),
    ("0,912", None, 0.912),
    ("0.912", None, 0.912),
    ("3.14159", None, 3.14159),
    ("1234.567", None, 1234.567),
    ("1.234", None, None),  # a thousand and more, or hardly more than one
    ("1.234 euros", None, None),
    ("1,23,456", None, None),
    ("12,34.5", None, None),
    ("1,234,56", None, None),
    ("1,234,567,8", None, None),
    ("1 234", None, None),  # or two numbers
    ("040 221873", None, None),
    ("007", None, None),  # a code
    ("012,345", None, None),
    (".5", None, None),
    ("5,", None, None),
    ("1_000", None, None),
    ("٣٢", None, None),
    # signs
    ("-5", -5, -5.0),
    ("−5", -5, -5.0),
    ("+5", 5, 5.0),
    ("-$5", -5, -5.0),
    ("- 5", None, None),  # an item of a list
    ("$-5", None, None),
    ("(5)", None, None),
    ("~5", None, None),
    ("about 5", None, None),
    ("5+", None, None),
    ("> 5", None, None),
    # currencies and units
    ("$184.50", None, 184.5),
    ("£1,200", 1200, 1200.0),
    ("US$ 40", 40, 40.0),
    ("184,50 €", None, 184.5),
    ("2,300 euros", 2300, 2300.0),
    ("EUR 75", 75, 75.0),
    ("75 kronor", 75, 75.0),
    ("71.4%", None, 71.4),
    ("61 percent", 61, 61.0),
    ("61 per cent", 61, 61.0),
    ("5 cent", None, None),
    ("40 USD", 40, 40.0),
    ("€ 40", 40, 40.0),
    ("min 5 days", None, None),  # a unit does not stand before its number
    ("kg 5", None, None),
    ("per 5", None, None),
    ("seats 40", 40, 40.0),
    ("32,768 tokens", 32768, 32768.0),
    ("54 square metres", 54, 54.0),
    ("1.2 kg", None, 1.2),
    ("1.2kg", None, 1.2),
    ("200 °C", 200, 200.0),
    ("90 km/h", 90, 90.0),
    ("38 hours a week", 38, 38.0),
    ("£820 per month", 820, 820.0),
    ("250 g", 250, 250.0),
    # words of the key, which is "Number of seats"
    ("40 seats", 40, 40.0),
    ("40 SEATS.", 40, 40.0),
    ("seats: 40", None, None),
    ("40 chairs", None, None),
    # what multiplies is not left out, and not multiplied either
    ("9 billion parameters", None, None),
    ("9 billion", None, None),
    ("9 Milliarden", None, None),
    ("7B", None, None),
    ("900k tokens", None, None),
    ("$5m", None, None),
    ("5 m", None, None),  # metres, or millions
    ("3 dozen", None, None),
    ("250 G", None, None),
    ("2万", None, None),
    # other things with digits in them
    ("5-7", None, None),
    ("5–7", None, None),
    ("5 or 7", None, None),
    ("7 minutes 30 seconds", None, None),
    ("1/2", None, None),
    ("4/5", None, None),
    ("½", None, None),
    ("5²", None, None),
    ("1e5", None, None),
    ("0x10", None, None),
    ("8:30", None, None),
    ("8:30 pm", None, None),
    ("15 May 2031", None, None),
    ("2031-05-15", None, None),
    ("RK-2041", None, None),
    ("third floor", None, None),
    ("six", None, None),
    ("NaN", None, None),
    ("Infinity", None, None),
    ("", None, None),
    ("-", None, None),
    ("$", None, None),
    # more digits than a double holds
    ("999999999999999", 999999999999999, 999999999999999.0),
    ("1000000000000000", None, None),
    ("0.123456789012345", None, None),
    ("1" * 5000, None, None),
    ("1" + ",000" * 5000, None, None),
]


@pytest.mark.parametrize(("text", "whole", "number"), NUMBERS)
def test_numbers(text: str, whole: int | None, number: float | None) -> None:
    found = INTEGER.read(text, "Number of seats"), NUMBER.read(text, "Number of seats")
    assert found == (whole, number)
    assert type(found[0]) in (int, type(None))
    assert type(found[1]) in (float, type(None))


def test_the_keys_words_may_stand_beside_a_number() -> None:
    for key in ("Number of bees", "bees", "bees_seen", "Hive > Bees (counted)"):
        assert INTEGER.read("7,500 bees", key) == 7500
    for key in ("Bee", "beesseen", ""):
        assert INTEGER.read("7,500 bees", key) is None
    assert NUMBER.read("2.5 million", "Price in million") == 2.5  # the key says so itself


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True),
        ("Yes.", True),
        ("TRUE", True),
        ("no", False),
        (" No\n", False),
        ("false", False),
        ("", None),
        ("1", None),
        ("not allowed", None),
        ("yes, but", None),
        ("no..", None),
    ],
)
def test_yes_or_no(text: str, value: bool | None) -> None:
    assert YES_NO.read(text, "") is value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("rice", ["rice"]),
        ("rice, beans and lentils", ["rice", "beans", "lentils"]),
        ("rice, beans, and lentils", ["rice", "beans", "lentils"]),
        ("search or chat", ["search", "chat"]),
        ("rice;beans\nlentils", ["rice", "beans", "lentils"]),
        ("- rice\n- beans\r\n* peas\n• lentils", ["rice", "beans", "peas", "lentils"]),
        ("- rice", ["rice"]),
        ("0- 0", ["0- 0"]),
        ("模型、数据，方法", ["模型", "数据", "方法"]),
        ("Ruth Amsel and Kofi Mensah", ["Ruth Amsel", "Kofi Mensah"]),
        ("sand, orange brandy", ["sand", "orange brandy"]),  # "and" and "or" inside words
        ("1,234 tokens, 5,678 words", ["1,234 tokens", "5,678 words"]),
        ("grouped-query attention (fast, small), RoPE", ["grouped-query attention (fast, small)", "RoPE"]),
        ("Paris (France, EU and more)", ["Paris (France, EU and more)"]),
        ("a)b, c", ["a)b", "c"]),
        ("x, x", ["x", "x"]),
        ("and", ["and"]),
        ("-5, -6", ["-5", "-6"]),
        (", ;\n", None),
        ("", None),
        (" ", None),
    ],
)
def test_lists(text: str, value: list[str] | None) -> None:
    assert LIST.read(text, "") == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("red", "red"),
        (" RED ", "red"),
        ("Red.", "red"),
        ("dark\n green", "Dark  green"),
        ("green", None),
        ("red or blue", None),
        ("redder", None),
        ("etc.", "etc."),
        ("etc..", "etc."),
        ("padded", " padded "),
        ("cafe\u0301", "Café"),
        ("", None),
    ],
)
def test_choices(text: str, value: str | None) -> None:
    assert one_of(("red", "Dark  green", "etc.", "Café", " padded ")).read(text, "") == value


def test_text_is_left_as_it_is() -> None:
    assert TEXT.read(" 9 billion\nparameters, nearly.\n", "") == "9 billion\nparameters, nearly."
    assert TEXT.read(" \n", "") is None


ANSWERS = st.text() | st.text("0123456789.,-+ $€%kgBn'\u00a0") | st.sampled_from([text for text, _, _ in NUMBERS])


@settings(deadline=None)
@given(ANSWERS, st.sampled_from([TEXT, INTEGER, NUMBER, YES_NO, LIST, one_of(("a", "b"))]))
def test_any_answer_gives_the_type_or_nothing(text: str, kind: Kind) -> None:
    value = kind.read(text, "n")
    types = {"text": str, "whole number": int, "number": float, "yes or no": bool, "list": list, "choice": str}
    assert value is None or type(value) is types[kind.name]
    assert json.loads(json.dumps(value, allow_nan=False)) == value
    if isinstance(value, list):
        assert value
        assert all(item and item == item.strip() and item in text for item in value)


@settings(deadline=None)
@given(st.integers(-(10**15) + 1, 10**15 - 1), st.sampled_from(["{:d}", "{:,d}"]))
def test_a_written_number_is_read_as_it_was(number: int, form: str) -> None:
    assert INTEGER.read(form.format(number), "") == number


@settings(deadline=None)
@given(st.decimals(-(10**9), 10**9, places=2), st.booleans())
def test_a_written_decimal_is_read_as_it_was(number: object, continental: bool) -> None:
    written = f"{number:,f}"
    if continental:
        written = written.translate(str.maketrans(",.", ".,"))
    assert NUMBER.read(written, "") == float(str(number))
