"""The walk: where a key leads, what a step's page shows, and a terminal that is as it was afterwards."""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from select import select
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

import minikv
from minikv import RECIPES, Step
from minikv.cli import app
from minikv.look.keyboard import EOF, keyboard, windows_key
from minikv.look.page import KEYS, around, printed, screen, tail
from minikv.look.walk import FAR, State, Walk, press
from minikv.speed.draft import DRAFTED

PREFIX, SUFFIXES = [5, 6, 7], [[11, 12], [13], [14, 15, 16, 17]]
NAMES = ["first", "second", "third"]
LOCAL_MODES = 3  # where termios keeps them
ALL = {**RECIPES, DRAFTED.name: DRAFTED}


def walk_of(model: minikv.Decoder, name: str, count: int = 4, stop_ids: tuple[int, ...] = ()) -> Walk:
    recipe = ALL[name]
    steps = recipe.steps(model, PREFIX, SUFFIXES, max_new_tokens=count, stop_ids=stop_ids)
    walk = Walk(recipe, PREFIX, SUFFIXES, NAMES, None, steps)
    walk.reach(0)
    return walk


def shown(walk: Walk, state: State, columns: int = 100, lines: int = 40) -> list[str]:
    return [line.plain.rstrip() for line in screen(walk, state, columns, lines)]


def labelled(page: list[str], label: str) -> list[str]:
    return [line[8:] for line in page if line.ljust(8).startswith(label.ljust(8))]


def strip_of(page: list[str]) -> list[str]:
    """The numbers, the slots and what is seen of them."""
    at = next(number for number, line in enumerate(page) if line.startswith("cache"))
    return [line[8:] for line in page[at - 1 : at + 2]]


def told(walk: Walk, state: State, *keys: str) -> State:
    for key in keys:
        state = press(walk, state, key)
    return state


# --- every recipe -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_every_recipe_can_be_walked(model: minikv.Decoder, name: str) -> None:
    walk, state = walk_of(model, name), State()
    answers = ALL[name](model, PREFIX, SUFFIXES, max_new_tokens=4)
    wrong = False
    while True:
        for prompt in walk.frames[state.at].step.prompts:
            page = shown(walk, told(walk, state, str(prompt)))
            assert page[0].startswith(f"step {state.at}")
            assert page[-1] == KEYS
            assert any(line == f"prompt {prompt}  {NAMES[prompt]}" for line in page)
            wrong = wrong or labelled(page, "wrong") != []
        if (following := press(walk, state, "n")) == state:
            break
        state = following
    assert walk.complete
    assert wrong == (not ALL[name].right)
    assert [walk.said(state.at, prompt).split() for prompt in range(3)] == [[*map(str, ids)] for ids in answers]


@pytest.mark.parametrize("size", [(120, 50), (80, 24), (60, 16), (30, 8), (9, 3)])
@pytest.mark.parametrize("name", ["naive_loop", "right_padded_batch", "per_row_drafts"])
def test_a_page_fits_its_screen(model: minikv.Decoder, name: str, size: tuple[int, int]) -> None:
    walk, (columns, lines) = walk_of(model, name), size
    for at in range(walk.reach(FAR) + 1):
        page = screen(walk, State(at), columns, lines)
        assert len(page) == lines
        assert max(line.cell_len for line in page) <= columns


# --- by hand ----------------------------------------------------------------------------------------------------------


def test_the_page_of_a_padded_row(model: minikv.Decoder) -> None:
    walk = walk_of(model, "right_padded_batch", count=3)
    page = shown(walk, State())
    assert page[0] == "step 0  right_padded_batch, wrong"
    assert strip_of(page) == ["0  3 5 7", "PPPRRxx..", "───── ▲"]
    chosen = walk.frames[0].step.chosen.tolist()
    assert [line.split() for line in page[3:7]] == [
        ["prompt", "positions", "slots", "read", "sees", "there", "length", "chosen", "said"],
        f"▸ 0 3-4, 0, 0 3-6 3 padding 0-4 3 → 7 {chosen[0]} {chosen[0]}".split(),
        f"1 3, 0, 0, 0 3-6 3 padding 0-3 3 → 7 {chosen[1]} {chosen[1]}".split(),
        f"2 3-6 3-6 3 0-6 3 → 7 {chosen[2]} {chosen[2]}".split(),
    ]
    assert [line.split() for line in page[8:14]] == [
        ["prompt", "0", "first"],
        ["column", "id", "fed", "position", "slot", "sees"],
        ["0", "11", "11", "3", "3", "0-3"],
        ["1", "12", "12", "4", "4", "0-4"],
        ["2", "0", "0", "0", "5", "0-4", "padding"],
        ["3", "0", "0", "0", "6", "0-4", "padding", "◂", "read"],
    ]
    assert strip_of(shown(walk, told(walk, State(), "n"))) == ["0  3 5 7", "PPPRRxxG.", "─────  ▲"]
    assert strip_of(shown(walk, told(walk, State(), "n", "n"))) == ["0  3 5 7", "PPPRRxxGG", "─────  ─▲"]
    (misread,) = labelled(page, "wrong")
    (misplaced,) = labelled(shown(walk, told(walk, State(), "n")), "wrong")
    assert "read at column 3" in misread
    assert "position 1" in misplaced  # of this step alone: the token that was misread is no fault of it


def test_the_page_of_a_row_at_its_own_offset(model: minikv.Decoder) -> None:
    walk = walk_of(model, "per_row_offsets", count=3)
    assert strip_of(shown(walk, State(prompt=1))) == ["0  3   7", "PPPRxxx..", "───▲"]
    assert strip_of(shown(walk, told(walk, State(prompt=1), "n"))) == ["0  3 5 7", "PPPRGxx..", "────▲"]
    assert labelled(shown(walk, State(prompt=1)), "wrong") == []


def test_long_runs_are_folded_to_fit(model: minikv.Decoder) -> None:
    recipe = RECIPES["right_padded_batch"]
    prefix = list(range(90))
    steps = recipe.steps(model, prefix, SUFFIXES, max_new_tokens=12)
    walk = Walk(recipe, prefix, SUFFIXES, NAMES, None, steps)
    walk.reach(0)
    numbers, cache, seen = strip_of(shown(walk, State()))
    assert cache == "P×90 RRxx .×11"
    assert seen == "──── ── ▲"
    assert numbers == "0    90   94"
    page = shown(walk, State(walk.reach(FAR)), columns=20)
    assert strip_of(page)[1] == "P×90 RRxx G…"


def test_a_row_that_had_ended_is_told_from_one_that_goes_on(model: minikv.Decoder) -> None:
    for name in ("right_padded_batch", "per_row_offsets"):
        free = walk_of(model, name)
        free.reach(FAR)
        stop = int(free.frames[0].step.chosen[2])
        assert all(stop not in frame.step.chosen[:2].tolist() for frame in free.frames), "the others would end as well"
        walk = walk_of(model, name, stop_ids=(stop,))
        first, second = shown(walk, State(prompt=2)), shown(walk, told(walk, State(prompt=2), "n"))
        assert any(line.startswith("▸") and f"{stop} ends" in line for line in first)
        assert any(line.startswith("▸") and "ended before" in line for line in second)
        assert strip_of(second)[1:] == ["PPPRRRRx" + "." * 2, ""]
        assert labelled(second, "logits") == []
        assert labelled(second, "said") == [""]


# --- keys -------------------------------------------------------------------------------------------------------------


def test_keys_lead_forward_and_back_and_stop_at_either_end(model: minikv.Decoder) -> None:
    walk = walk_of(model, "per_row_offsets", count=4)
    for forward, back in (("n", "b"), ("right", "left")):
        assert [told(walk, State(), *[forward] * count).at for count in range(6)] == [0, 1, 2, 3, 3, 3]
        assert [told(walk, State(3), *[back] * count).at for count in range(6)] == [3, 2, 1, 0, 0, 0]
    assert told(walk, State(1), "end").at == 3
    assert told(walk, State(2), "home").at == 0


def test_keys_choose_the_row(model: minikv.Decoder) -> None:
    walk = walk_of(model, "per_row_offsets")
    assert [told(walk, State(), *["down"] * count).prompt for count in range(4)] == [0, 1, 2, 2]
    assert [told(walk, State(prompt=2), *["up"] * count).prompt for count in range(4)] == [2, 1, 0, 0]
    assert told(walk, State(), "2").prompt == 2
    assert told(walk, State(prompt=1), "7") == State(prompt=1)


def test_a_step_without_the_row_shows_another_and_comes_back_to_it(model: minikv.Decoder) -> None:
    walk = walk_of(model, "naive_loop", count=2)
    state = told(walk, State(prompt=2), "home")
    assert "prompt 0  first" in shown(walk, state)
    assert told(walk, state, "down", "up").prompt == 0  # there is one row, and it is looked at
    assert "prompt 2  third" in shown(walk, told(walk, state, "end"))


def test_keys_quit_or_do_nothing(model: minikv.Decoder) -> None:
    walk = walk_of(model, "per_row_offsets")
    state = told(walk, State(), "n")
    assert press(walk, state, "q") == press(walk, state, EOF) == State(1, over=True)
    for key in ("z", "\x1b", "\xe0"):
        assert press(walk, state, key) == State(1)


def test_steps_are_computed_as_they_are_looked_at_and_kept_for_the_way_back(model: minikv.Decoder) -> None:
    recipe, computed = RECIPES["right_padded_batch"], []

    def counted() -> Iterator[Step]:
        for step in recipe.steps(model, PREFIX, SUFFIXES, max_new_tokens=4):
            computed.append(step)
            yield step

    walk = Walk(recipe, PREFIX, SUFFIXES, NAMES, None, counted())
    assert walk.reach(0) == 0
    assert len(computed) == 1
    pages = [shown(walk, State()), shown(walk, told(walk, State(), "n"))]
    state = told(walk, State(), "n", "n")
    assert len(computed) == 3
    assert shown(walk, told(walk, state, "b")) == pages[1]  # what came later has not changed what it shows
    assert shown(walk, told(walk, state, "b", "b")) == pages[0]
    assert len(computed) == 3
    assert told(walk, state, "end").at == 3
    assert shown(walk, State(3))[0].startswith("step 3, the last")
    assert all(frame.step.logits.numel() == 0 for frame in walk.frames)


def test_around() -> None:
    assert around(3, 1, most=3) == [0, 1, 2]
    assert around(9, 0, most=4) == [0, 1, 2, None]
    assert around(9, 4, most=5) == [None, 3, 4, 5, None]
    assert around(9, 8, most=3) == [None, 7, 8]
    for at in range(20):
        for most in range(3, 20):
            assert at in around(20, at, most)
            assert len(around(20, at, most)) == most


def test_the_newest_words_are_kept() -> None:
    assert tail("abcdef", 6) == "abcdef"
    assert tail("abcdef", 4) == "…def"
    assert tail("日本語", 5) == "…本語"


# --- printed ----------------------------------------------------------------------------------------------------------


def test_printed_steps_show_every_row_closely_or_one(model: minikv.Decoder) -> None:
    walk = walk_of(model, "right_padded_batch")
    everything = [line.plain for line in printed(walk, 0, 100)]
    assert [line.split()[1] for line in everything if line.startswith("prompt ")] == ["0", "1", "2"]
    one = [line.plain for line in printed(walk, 0, 100, prompt=1)]
    assert [line.split()[1] for line in one if line.startswith("prompt ")] == ["1"]
    assert [line for line in one if "→ 7" in line] == [line for line in everything if "→ 7" in line]


def test_without_a_terminal_all_steps_are_printed_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    done = CliRunner().invoke(app, ["step", "--recipe", "per_row_offsets", "--max-new-tokens", "2"])
    assert done.exit_code == 0
    assert "\x1b" not in done.stdout
    assert [line for line in done.stdout.splitlines() if line.startswith("step ")] == [
        "step 0  per_row_offsets, right",
        "step 1  per_row_offsets, right",
    ]
    assert "prompt 5  Licence" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--row", "9"], 1, "--row is 9, but there are 6 keys"),
        (["--recipe", "guess"], 1, "no recipe 'guess'"),
        (["--max-new-tokens", "0"], 2, "max-new-tokens"),
    ],
)
def test_a_users_mistake_is_told(arguments: list[str], code: int, words: str) -> None:
    done = CliRunner().invoke(app, ["step", *arguments])
    assert done.exit_code == code
    assert words in " ".join(done.stderr.split())
    assert done.stdout == ""


# --- the terminal -----------------------------------------------------------------------------------------------------


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, int]]:
    """The two ends of a pseudo-terminal; stdin is the second."""
    ours, theirs = pty.openpty()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(fileno=lambda: theirs))
    yield ours, theirs
    os.close(ours)
    os.close(theirs)


def test_keys_of_a_terminal(terminal: tuple[int, int]) -> None:
    ours, _ = terminal
    with keyboard() as next_key:
        os.write(ours, b"n\x1b[A\x1bOB\x1b[C\x1b[D\x1b[H\x1bOF\x1b[1~\x1b[4~\x1b[5~q\x04")
        keys = [next_key() for _ in range(12)]
    assert keys == ["n", "up", "down", "right", "left", "home", "end", "home", "end", "\x1b[5~", "q", EOF]
    with keyboard() as next_key:
        os.write(ours, b"\x1b")
        assert next_key() == "\x1b"  # nothing follows: the key itself


def test_the_terminal_is_as_it_was_after_an_error(terminal: tuple[int, int]) -> None:
    before, within = termios.tcgetattr(terminal[1]), []

    def fail() -> None:
        with keyboard():
            within.extend(termios.tcgetattr(terminal[1]))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert within != before
    assert within[LOCAL_MODES] & termios.ISIG  # Ctrl-C still interrupts
    assert termios.tcgetattr(terminal[1]) == before


def test_a_terminal_that_is_gone_ends_the_walk(terminal: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    with keyboard() as next_key, monkeypatch.context() as patch:
        patch.setattr(os, "read", gone)
        assert next_key() == EOF


def test_keys_of_a_windows_console() -> None:
    letters = iter("n\xe0H\x00P\xe0G\xe0O\xe0S\x1a")
    assert [windows_key(lambda: next(letters)) for _ in range(7)] == ["n", "up", "down", "home", "end", "\xe0", EOF]
    with pytest.raises(KeyboardInterrupt):
        windows_key(lambda: "\x03")


class Session:
    """`minikv step` in a pseudo-terminal of its own."""

    def __init__(self) -> None:
        self.ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self.before = termios.tcgetattr(self.theirs)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "minikv", "step", "--max-new-tokens", "4"],
            stdin=self.theirs,
            stdout=self.theirs,
            stderr=self.theirs,
            env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"},
            start_new_session=True,
            preexec_fn=lambda: (fcntl.ioctl(0, termios.TIOCSCTTY, 0), signal.signal(signal.SIGINT, signal.SIG_DFL)),
        )
        self.seen = ""

    def until(self, words: str) -> None:
        """Read what is written until these words come."""
        start = len(self.seen)
        while words not in self.seen[start:]:
            assert select([self.ours], [], [], 120)[0], f"{words!r} never came: {self.seen[start:]!r}"
            self.seen += os.read(self.ours, 65536).decode(errors="replace")

    def send(self, keys: bytes) -> None:
        os.write(self.ours, keys)

    def end(self) -> int:
        code = self.process.wait(timeout=120)
        while select([self.ours], [], [], 0)[0]:
            self.seen += os.read(self.ours, 65536).decode(errors="replace")
        return code


@pytest.fixture
def session() -> Iterator[Session]:
    session = Session()
    yield session
    session.process.kill()
    session.process.wait()
    os.close(session.ours)
    os.close(session.theirs)


def test_a_session_in_a_terminal(session: Session) -> None:
    session.until("step 0")
    session.until(KEYS[-6:])
    session.send(b"n")
    session.until("step 1")
    session.send(b"n")
    session.until("step 2")
    session.send(b"b")
    session.until("step 1")
    session.send(b"q")
    assert session.end() == 0
    assert termios.tcgetattr(session.theirs) == session.before
    assert session.seen.rindex("\x1b[?1049l") > session.seen.rindex("step 1")  # back from the second screen
    assert session.seen.rindex("\x1b[?25h") > session.seen.rindex("\x1b[?25l")  # and the cursor with it
