"""The same over Ray Data: the same results, once each, also where a process dies in the middle of its work."""

import builtins
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner
from typer.testing import Result as Done

from minikv import many_ray
from minikv.cli import app
from minikv.many_ray import Worker


def run(*arguments: object) -> Done:
    return CliRunner(env={"COLUMNS": "200", "TERM": "dumb"}).invoke(app, [*map(str, arguments)])


@pytest.fixture
def command(tmp_path: Path) -> list[object]:
    """More documents than one window holds, some of them bad, in many batches."""
    good = [json.dumps({"id": n, "text": f"This is invoice RK-{n}. The seller is Petrel Works."}) for n in range(70)]
    bad = [
        "no JSON",
        '{"id": "empty", "text": ""}',
        '{"id": 7, "text": "again"}',
        '{"id": "half \\ud800", "text": "\\ud800"}',
    ]
    (tmp_path / "documents.jsonl").write_text("\n".join(good[:40] + bad + good[40:]))
    asked = ["--keys", "Seller", "--max-new-tokens", 8, "--dtype", "float32", "--cache-budget", "1MB"]
    return ["extract", *asked, "--documents", tmp_path / "documents.jsonl", "--out"]


def lines(out: Path) -> list[str]:
    return sorted(out.read_text().splitlines())


class Dying(Worker):
    """The first that comes to the third batch of its window is killed there."""

    def __call__(self, batch: dict[str, Any]) -> Iterator[dict[str, list[str]]]:
        died = Path(os.environ["DIED"])
        for number, results in enumerate(super().__call__(batch)):
            if number == 2 and not died.exists():
                died.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            yield results


def test_a_process_that_dies_changes_nothing(
    tmp_path: Path, command: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(*command, tmp_path / "local.jsonl").exit_code == 3
    monkeypatch.setattr(many_ray, "Worker", Dying)
    monkeypatch.setenv("DIED", str(tmp_path / "died"))
    monkeypatch.setenv("RAY_worker_niceness", "0")  # or they wait for whatever else the machine does
    done = run(*command, tmp_path / "ray.jsonl", "--engine", "ray", "--workers", 2)
    assert done.exit_code == 3
    assert "70 answered, 4 failed" in done.stderr
    assert (tmp_path / "died").exists()
    assert lines(tmp_path / "ray.jsonl") == lines(tmp_path / "local.jsonl")
    assert len(lines(tmp_path / "ray.jsonl")) == 74


def test_without_ray_one_is_told_what_to_install(
    tmp_path: Path, command: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    importing = builtins.__import__

    def without_ray(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "ray":
            raise ModuleNotFoundError("No module named 'ray'", name="ray")
        return importing(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_ray)
    done = run(*command, tmp_path / "out.jsonl", "--engine", "ray")
    assert done.exit_code == 1
    assert "No module named 'ray'" in done.stderr
    assert 'pip install "minikv[ray]"' in done.stderr
    assert not (tmp_path / "out.jsonl").exists()
