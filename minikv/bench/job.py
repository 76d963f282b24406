"""The job that the contestants share: a document made to measure, the keys asked of it, and the prompts' ids."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from minikv.config import Sizes
from minikv.errors import MinikvError
from minikv.extract import prompts
from minikv.tokenizer import Tokenizer, split_shared

ATTRIBUTES = ("Port", "Name of the ship", "Contents", "Weight in kilograms", "Day", "Who signed for it on arrival")
PORTS = ("Lowport", "Harrow", "Tern Bay", "Quayside", "Northmoor", "Saltholm", "Vale")
SHIPS = ("Kestrel", "Grey Heron", "Ingrid", "Second Chance", "Amara")
GOODS = ("honey in jars", "copper wire", "winter coats", "seed potatoes")
PEOPLE = ("Ms. Whitlock", "Mr. Solheim", "the harbour master", "a clerk", "Dr. Quill", "the cook", "the mate", "nobody")


@dataclass(frozen=True)
class Size:
    """How much is asked: written "256x6", 256 tokens of shared prefix and 6 keys."""

    prefix: int
    keys: int

    @classmethod
    def parse(cls, text: str) -> "Size":
        prefix, cross, keys = text.strip().partition("x")
        if not (cross and prefix.isdecimal() and keys.isdecimal()):
            raise MinikvError(f"size {text!r}; expected prefix tokens x keys, such as 256x6")
        return cls(int(prefix), int(keys))

    def __str__(self) -> str:
        return f"{self.prefix}x{self.keys}"


@dataclass(frozen=True)
class Job:
    """What every contestant is given. No stop ids: each row gets just `new_tokens`, so all do the same work."""

    size: Size
    prefix: list[int]
    suffixes: list[list[int]]
    new_tokens: int
    pad_id: int

    def of_first(self, rows: int) -> "Job":
        """The same for the first few keys only."""
        return replace(self, suffixes=self.suffixes[:rows])

    def tiny(self) -> "Job":
        """Enough of it to touch every weight and to set up what is set up once."""
        return replace(self, prefix=self.prefix[:8], suffixes=self.suffixes[:2], new_tokens=2)


def make_job(tokenizer: Tokenizer, config: Sizes, size: Size, new_tokens: int) -> Job:
    """The real prompts, in the checkpoint's chat form, of `size.keys` keys on a document cut so that what the prompts
    share is `size.prefix` tokens long to the token.

    The keys are of different lengths, so the rows are ragged. MinikvError for fewer than one key or one new token, for
    a prefix shorter than the prompt form alone, and for more tokens than the model's context holds.
    """
    if size.keys < 1 or new_tokens < 1:
        raise MinikvError(f"{size.keys} keys and {new_tokens} new tokens; expected at least one of each")
    if size.prefix > config.context:  # or a document beyond any context would be made before it is refused
        raise MinikvError(f"a prefix of {size.prefix} tokens; the model's context is {config.context}: ask for fewer")
    keys = list_keys(size.keys)
    prefix, suffixes = split_shared(prompts(tokenizer, cut_document(tokenizer, size.prefix, keys[:2]), keys))
    needed = size.prefix + max(map(len, suffixes)) + new_tokens - 1  # a row's last new token is never fed
    if needed > config.context:
        raise MinikvError(
            f"{size} takes {needed} positions ({size.prefix} of prefix, {max(map(len, suffixes))} of the longest "
            f"suffix, {new_tokens} new ones less the last), but the model's context is {config.context}; ask for fewer"
        )
    return Job(size, prefix, suffixes, new_tokens, tokenizer.pad_id)


def list_keys(number: int) -> list[str]:
    """The attributes of crate 1, of crate 2 and so on. Neighbours begin with different letters, so the prompts part
    where the key begins."""
    return [f"{ATTRIBUTES[key % len(ATTRIBUTES)]} of crate {key // len(ATTRIBUTES) + 1}" for key in range(number)]


def cut_document(tokenizer: Tokenizer, tokens: int, keys: Sequence[str]) -> str:
    """The beginning of the harbour's book that makes the shared prefix `tokens` long. It may end within a word."""
    text = harbour_book(16 * tokens)

    def shared(characters: int) -> int:
        return len(split_shared(prompts(tokenizer, text[:characters], keys))[0])

    if shared(1) > tokens:
        raise MinikvError(
            f"a prefix of {tokens} tokens; the prompt's form and one character of document are {shared(1)}: ask for "
            f"that many at least"
        )
    about = bisect_right(range(1, len(text)), tokens, key=shared)
    # A character more can change how the last words are split, so the number of tokens only nearly always grows.
    for characters in range(min(about + 32, len(text)), 0, -1):
        if shared(characters) == tokens:
            return text[:characters]
    raise MinikvError(f"no cut of the document gives a prefix of just {tokens} tokens; ask for one more or fewer")


def harbour_book(characters: int) -> str:
    """Plain sentences, no two alike, of at least so many characters."""
    text = ""
    for crate in count(1):
        text += (
            f"Crate {crate} left {PORTS[crate % len(PORTS)]} on day {crate * 3 % 365} aboard the "
            f"{SHIPS[crate % len(SHIPS)]} with {crate * 37 % 900 + 40} kilograms of {GOODS[crate % len(GOODS)]}, and "
            f"{PEOPLE[crate % len(PEOPLE)]} signed for it on arrival. "
        )
        if len(text) >= characters:
            break
    return text
