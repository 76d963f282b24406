"""The rooms of the README: all are there, and each imports only from those above it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OUTSIDE = {"__init__", "__main__", "errors"}  # the front door, and what all may import
ROOMS = list(dict.fromkeys(re.findall(r"\]\(minikv/(\w+)(?:\.py)?\) *[,|:]", (ROOT / "README.md").read_text())))


def imported(path: Path) -> Iterator[str]:
    """The rooms that a file imports from as it is imported itself; what a function asks for later does not count."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("minikv."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.ImportFrom) and node.module == "minikv":
            yield from (name.name for name in node.names if not name.name.startswith("__"))


def test_every_room_is_listed() -> None:
    entries = (ROOT / "minikv").iterdir()
    there = {path.stem for path in entries if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert there - OUTSIDE == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_from_those_above_it(room: str) -> None:
    above = {*ROOMS[: ROOMS.index(room) + 1], *OUTSIDE}
    files = [ROOT / "minikv" / f"{room}.py", *(ROOT / "minikv" / room).glob("*.py")]
    found = [(path.name, other) for path in files if path.exists() for other in imported(path)]
    assert [(name, other) for name, other in found if other not in above] == []


def test_imports_are_found() -> None:
    assert {"cache", "decoder", "errors", "sampling"} <= set(imported(ROOT / "minikv" / "generate.py"))
    assert "draft" not in set(imported(ROOT / "minikv" / "filling" / "answer.py")), "minikv.speed is the room"
