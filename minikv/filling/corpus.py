"""Documents out of a file of JSON lines or a folder of texts, one at a time, whatever is wrong with some of them.

A document that cannot be read is no reason to stop: what is wrong with it takes its place. Nothing here holds more than
one document, so a file may have any number of lines.
"""

import json
import os
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TypeAlias

from minikv.errors import MinikvError

Id: TypeAlias = str | int
LONGEST = 1 << 24  # bytes of one document: some thousands of pages, more than a context holds


@dataclass(frozen=True)
class Document:
    """A text with a name of its own."""

    id: Id
    text: str


@dataclass(frozen=True)
class Refused:
    """What takes the place of a document that there is none of."""

    id: Id | None  # None where it has none, or one that another document has
    error: str


Found: TypeAlias = Document | Refused


def read_documents(source: Path) -> Iterator[Found]:
    """The documents of a file of JSON lines, each an object with `id`, a text or a whole number, and `text`; or of a
    folder, whose files are the documents and their paths in it the ids.

    In a file, blank lines and further fields are passed over. In a folder, names that begin with a dot are, and files
    come in the order of their names, those of a folder before those of its subfolders. No link is followed, so no
    document comes from elsewhere. MinikvError, at once, where there is neither file nor folder.
    """
    if source.is_dir():
        return of_folder(source)
    if source.is_file():
        return of_lines(source)
    raise MinikvError(f"{source} is neither a file of JSON lines nor a folder of texts")


def count_documents(source: Path) -> int:
    """About how many there are, without a look at them: the lines of a file, blank ones too, or the files of a
    folder."""
    return sum(1 for _ in (files_of(source) if source.is_dir() else lines_of(source)))


def unanswered(documents: Iterable[Found], answered: Container[bytes]) -> Iterator[Found]:
    """Those that have no result yet; `answered` holds `key_of` each id that has one."""
    return (found for found in documents if found.id is None or key_of(found.id) not in answered)


def key_of(id: Id) -> bytes:
    """16 bytes that stand for an id among those seen: a set of 100,000 takes 9 MB, and no two ids share theirs."""
    return blake2b(json.dumps(id).encode(), digest_size=16).digest()


# --- a file of JSON lines ---------------------------------------------------------------------------------------------


def of_lines(path: Path) -> Iterator[Found]:
    seen: set[bytes] = set()
    for number, line in enumerate(lines_of(path), start=1):
        found = of_line(line)
        if found is None:
            continue
        if found.id is not None:
            key = key_of(found.id)
            if key in seen:
                found = Refused(None, f"the id {found.id!r} was given before; expected one of its own")
            seen.add(key)
        yield found if isinstance(found, Document) else Refused(found.id, f"line {number}: {found.error}")


def lines_of(path: Path) -> Iterator[bytes]:
    """The lines of a file; of one that is too long, enough to tell."""
    try:
        with path.open("rb") as file:
            while line := file.readline(LONGEST + 1):
                yield line
                while not line.endswith(b"\n") and (line := file.readline(LONGEST)):
                    pass
    except OSError as error:
        raise MinikvError(f"{path} cannot be read: {error.strerror}") from None


def of_line(line: bytes) -> Found | None:
    """The document of one line; None for a blank one."""
    if not line.strip():
        return None
    if len(line) > LONGEST:
        return Refused(None, f"it has more than {LONGEST} bytes")
    try:
        found = json.loads(line.decode("utf-8-sig"))  # a byte order mark is no part of the first line
    except (ValueError, RecursionError) as error:  # bytes that are no UTF-8, no JSON, or JSON without an end in depth
        return Refused(None, f"it is no JSON: {error}")
    id, text = (found.get("id"), found.get("text")) if isinstance(found, dict) else (None, None)
    if isinstance(id, bool) or not isinstance(id, str | int):  # to Python true is a number
        return Refused(None, "expected an object with an id, which is a text or a whole number")
    if not isinstance(text, str):
        return Refused(id, "expected a text in the field text")
    return Document(id, text)


# --- a folder of texts ------------------------------------------------------------------------------------------------


def of_folder(folder: Path) -> Iterator[Found]:
    return (found if isinstance(found, Refused) else of_file(folder, found) for found in files_of(folder))


def files_of(folder: Path) -> Iterator[str | Refused]:
    """The path of each file in a folder, as its documents' ids are; what is no file, and where a folder cannot be
    listed, as such."""
    waiting = [""]
    while waiting:
        under = waiting.pop()
        try:
            with os.scandir(folder / under) as listed:
                entries = sorted((each for each in listed if not each.name.startswith(".")), key=lambda each: each.name)
        except OSError as error:
            yield Refused(under, f"the folder cannot be listed: {error.strerror}")
            continue
        folders = []
        for entry in entries:
            name = under + entry.name
            if entry.is_symlink():
                yield Refused(name, "it is a link, and none is followed; put the text itself here")
            elif entry.is_dir():
                folders.append(f"{name}/")
            elif entry.is_file():
                yield name
            else:
                yield Refused(name, "it is neither a file nor a folder")
        waiting += reversed(folders)


def of_file(folder: Path, name: str) -> Found:
    try:
        with (folder / name).open("rb") as file:
            raw = file.read(LONGEST + 1)
        if len(raw) > LONGEST:
            return Refused(name, f"it has more than {LONGEST} bytes")
        return Document(name, raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return Refused(name, f"it is no UTF-8 text: {error}; convert it first")
    except OSError as error:
        return Refused(name, f"it cannot be read: {error.strerror}")
