"""Single keys from a terminal, which is as it was afterwards, whatever happens."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from select import select

NAMES = ("up", "down", "right", "left", "home", "end")
# What a terminal sends for them: ECMA-48, in xterm's two modes, and Home and End as numbers too.
SEQUENCES = {f"\x1b{mode}{letter}": name for mode in "[O" for letter, name in zip("ABCDHF", NAMES, strict=True)}
SEQUENCES |= {"\x1b[1~": "home", "\x1b[7~": "home", "\x1b[4~": "end", "\x1b[8~": "end"}
WINDOWS = dict(zip("HPMKGO", NAMES, strict=True))  # what its console gives, after a zero or U+00E0
EOF = ""  # no more keys will come


@contextmanager
def keyboard() -> Iterator[Callable[[], str]]:
    """A function that waits for the next key of stdin, which must be a terminal: a character, one of NAMES, or EOF.
    Ctrl-C raises KeyboardInterrupt."""
    if sys.platform == "win32":
        import msvcrt

        yield lambda: windows_key(msvcrt.getwch)
        return
    import termios
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)  # keys come at once and unseen; Ctrl-C still interrupts
        yield lambda: posix_key(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def posix_key(terminal: int) -> str:
    """The next key. A sequence is sent at once, so an Escape that nothing follows is the key itself."""
    sequence = read_letter(terminal)
    while sequence.startswith("\x1b") and not finished(sequence) and select([terminal], [], [], 0.05)[0]:
        letter = read_letter(terminal)
        if letter == EOF:
            break
        sequence += letter
    return EOF if sequence == "\x04" else SEQUENCES.get(sequence, sequence)


def read_letter(terminal: int) -> str:
    """One byte, as a letter: no key that means something here is a longer one."""
    try:
        return os.read(terminal, 1).decode("latin-1")
    except OSError:  # the terminal is gone
        return EOF


def finished(sequence: str) -> bool:
    """Whether a sequence is complete: behind Escape and [ or O it ends with a letter or ~."""
    return sequence[1:2] not in ("", "[", "O") or (len(sequence) > 2 and "@" <= sequence[-1] <= "~")


def windows_key(letter: Callable[[], str]) -> str:
    """The next key, of the letters that the console gives."""
    first = letter()
    if first == "\x03":
        raise KeyboardInterrupt
    if first in ("\x00", "\xe0"):
        return WINDOWS.get(letter(), first)
    return EOF if first in ("\x04", "\x1a") else first
