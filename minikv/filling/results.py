"""The file that results are added to: a run can be stopped at any moment, and the next goes on where it was.

Each result is a line of JSON, added to the end of the file whole, by one call. Whoever kills the process finds whole
lines; only a computer that stops can leave a torn one, which is cut off when the run goes on. So the lines themselves
say what is done, and nothing else has to be kept in step with them. They are ASCII: what would steer a terminal, or is
half a character, stands there as an escape.

What the results depend on stands beside them in `<name>.settings.json`; results of other settings are refused.
"""

import errno
import fcntl
import io
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, TypeAlias

from minikv.errors import MinikvError
from minikv.filling.corpus import key_of

Result: TypeAlias = Mapping[str, Any]  # {"id": …, "values": …}, or {"id": …, "error": …}


@dataclass
class Results:
    """Results on their way to a file, to which nobody else writes meanwhile."""

    file: io.FileIO
    answered: set[bytes]  # key_of the ids that have values there already
    failed: int  # lines of documents that had failed: taken out, so that these are tried again
    torn: int  # bytes of a torn last line: cut off

    def add(self, results: Iterable[Result]) -> None:
        """Write them, a call for each, and have the disk hold them. That takes milliseconds, and comes after a batch,
        which takes seconds. OSError where a line cannot be written whole; then no part of it is left."""
        for result in results:
            line = json.dumps(result, allow_nan=False).encode("ascii") + b"\n"
            end = os.fstat(self.file.fileno()).st_size
            try:
                if self.file.write(line) != len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            except OSError:
                self.file.truncate(end)
                raise
        os.fsync(self.file.fileno())


@contextmanager
def open_results(path: Path, settings: Result) -> Iterator[Results]:
    """The results in a file, to go on with; a new one where there is none.

    settings   what the results depend on, as JSON has it

    MinikvError, and no change, for a file with results of other settings, for one that this function did not begin, of
    the results or of the settings, and for one that another process has open.
    """
    path = path.resolve()  # a link stays one
    if path.exists() and not path.is_file():
        raise MinikvError(f"{path} is no file; expected the name of one for the results")
    with settings_path(path).open("a+", encoding="utf-8") as noted:
        lock(noted, path)
        before = read_settings(noted)
        if path.exists() and path.stat().st_size:
            check_settings(before, path, settings)
        else:
            check_unused(before, path, settings)
            note_settings(noted, settings)
        answered, failed, torn = read_results(path)
        if failed or torn:
            keep_answered(path)
        with path.open("ab", buffering=0) as file:  # unbuffered: a call to write is a call to the system
            sync_folder(path)
            yield Results(file, answered, failed, torn)


# --- settings ---------------------------------------------------------------------------------------------------------


def settings_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.settings.json")


def kept_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.kept")


def differing(before: Result, settings: Result) -> list[str]:
    """The names of the settings that are not the same."""
    return sorted(name for name in {*before, *settings} if before.get(name) != settings.get(name))


def lock(noted: TextIO, path: Path) -> None:
    """Keep other processes away until this file is closed, however that comes about."""
    try:
        fcntl.flock(noted, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise MinikvError(f"another run writes to {path}; wait until it has ended, or name another file") from None


def read_settings(noted: TextIO) -> Result | None:
    """What a file of settings holds, {} for an empty one; None where that is something else."""
    noted.seek(0)
    try:
        before = json.loads(noted.read() or "{}")
    except (ValueError, RecursionError):
        return None
    return before if isinstance(before, dict) else None


def check_settings(before: Result | None, path: Path, settings: Result) -> None:
    """MinikvError for results that were made with other settings than these."""
    if not before:
        raise MinikvError(
            f"{path} holds something, but no {settings_path(path).name} beside it says of which run; name another file"
        )
    if other := differing(before, settings):
        raise MinikvError(
            f"{path} holds results of another run: what differs is {', '.join(other)} (see "
            f"{settings_path(path).name}); give the same again, or name another file"
        )


def check_unused(before: Result | None, path: Path, settings: Result) -> None:
    """MinikvError where there are no results yet, but a file of somebody else has the name of the settings': it may be
    the template or the documents. Settings of a run that ended before its first result are replaced."""
    if before is None or (before and before.keys() != settings.keys()):
        raise MinikvError(
            f"{settings_path(path)} is there and holds no settings of a run like this one, which would be written "
            f"there; move it, or name another file for the results"
        )


def note_settings(noted: TextIO, settings: Result) -> None:
    noted.truncate(0)
    noted.write(json.dumps(settings, indent=2) + "\n")
    noted.flush()
    os.fsync(noted.fileno())


# --- what is there already --------------------------------------------------------------------------------------------


def read_results(path: Path) -> tuple[set[bytes], int, int]:
    """The keys of the ids that have values; how many lines are of documents that failed; bytes of a torn last line."""
    answered: set[bytes] = set()
    failed = torn = 0
    for number, line in enumerate(lines_of(path), start=1):
        if not line.endswith(b"\n"):
            torn = len(line)
        elif "error" in (result := read_result(line, f"{path}, line {number}")):
            failed += 1
        else:
            answered.add(key_of(result["id"]))
    return answered, failed, torn


def lines_of(path: Path) -> Iterator[bytes]:
    if path.exists():
        with path.open("rb") as file:
            yield from file


def read_result(line: bytes, where: str) -> Result:
    """MinikvError for a line that is no result: to cut there would throw away what follows."""
    try:
        result = json.loads(line)
    except (ValueError, RecursionError):
        result = None
    if not isinstance(result, dict) or not ("error" in result or {"id", "values"} <= {*result}):
        raise MinikvError(f"{where} is no result; repair or delete that line, or name another file")
    return result


def keep_answered(path: Path) -> None:
    """Leave only whole lines with values in the file, in one stroke: stopped before it, the old file is there."""
    kept = kept_path(path)
    with kept.open("wb") as file:
        for line in lines_of(path):
            if line.endswith(b"\n") and "error" not in json.loads(line):
                file.write(line)
        file.flush()
        os.fsync(file.fileno())
    shutil.copymode(path, kept)
    os.replace(kept, path)


def sync_folder(path: Path) -> None:
    """Have the disk hold the file's name: of a new file it may lack that still."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
