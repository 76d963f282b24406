"""Text that one can look at: tokens whose spaces and half characters show, and nothing that steers a screen."""

import unicodedata

from minikv.tokenizer import Tokenizer

KEPT = "\n\t\u200d"  # U+200D joins emoji
STEERING = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # Unicode's controls, formats, half pairs, line and paragraph ends
CELL = 36  # characters of an answer that a table's cell shows
SIGNS = str.maketrans({" ": "·", "\n": "↵", "\t": "⇥"})  # for what nobody would see at the end of a token


def printable(text: str) -> str:
    """Text in which only newline and tab steer a terminal: whatever else could is shown as U+FFFD. A document, a key or
    a model's answer must not drive somebody's screen."""
    return "".join(
        character if character in KEPT or unicodedata.category(character) not in STEERING else "\ufffd"
        for character in text
    )


def shown(answer: str) -> str:
    """An answer as a cell shows it: one line, cut, without characters that steer a terminal."""
    line = " ".join(printable(answer).split())
    return line if len(line) <= CELL else line[: CELL - 1] + "…"


def shown_answer(answer: str) -> str:
    """An answer in a table: the empty one in words, lest it look like no answer at all."""
    return shown(answer) or "(nothing)"


def one_line(text: str) -> str:
    """The same on one line: ↵ where one ends, ⇥ for a tab."""
    return printable(text.translate({**SIGNS, ord(" "): " "}))


def token_text(token: int, tokenizer: Tokenizer | None) -> str:
    """A token on one line: · for a space, ↵ for a line's end, \\xe6 for a byte that is no character by itself,
    <|im_end|> for a control token. Its id where there is no tokenizer, or none of its texts."""
    if tokenizer is None:
        return str(token)
    control = next((text for text, number in tokenizer.control.items() if number == token), None)
    text = spelled_out(tokenizer.plain.id_to_token(token) or "") if control is None else control
    return printable(text.translate(SIGNS)) or f"[{token}]"


def spelled_out(word: str) -> str:
    """The text of a vocabulary's word, a byte that is no text as \\xe6. A word that spells no bytes is its own text."""
    if not set(word) <= BYTES.keys():
        return word
    return bytes(BYTES[letter] for letter in word).decode("utf-8", "backslashreplace")


def byte_letters() -> dict[str, int]:
    """The byte that each letter of a word stands for. GPT-2 spells all bytes with printable letters (Radford et al.
    2019, `encoder.py`): a printable byte of Latin-1 is its own letter, the others follow from U+0100 on."""
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in own]
    return {chr(byte): byte for byte in own} | {chr(0x100 + at): byte for at, byte in enumerate(others)}


BYTES = byte_letters()
