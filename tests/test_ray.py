"""The same over Ray Data: the same results, once each, also where a process dies in the middle of its work, and on a
cluster that is there already."""

import builtins
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import torch
from ray.exceptions import RayTaskError
from typer.testing import CliRunner
from typer.testing import Result as Done

import minikv
from minikv import MinikvError
from minikv.checkpoint import bundled
from minikv.cli import app
from minikv.filling import many_ray
from minikv.filling.many_ray import Worker, in_words
from minikv.filling.run import Run


@pytest.fixture(autouse=True)
def no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)


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


@pytest.fixture
def cluster() -> Iterator[tuple[Path, dict[str, str]]]:
    """A cluster of one machine, with one processor: its folder, and the environment that lets one in. Its processes
    have the folder among their arguments, or end with those that have."""
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    with socket.socket() as free, TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as folder:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--num-cpus=1", f"--port={port}"]
        options = ["--node-ip-address=127.0.0.1", "--disable-usage-stats", f"--temp-dir={folder}"]
        environment = {**os.environ, **token, "RAY_worker_niceness": "0"}
        try:
            subprocess.run([*command, *options], env=environment, capture_output=True, check=True)
            yield Path(folder), {**token, "RAY_ADDRESS": f"127.0.0.1:{port}"}
        finally:
            for arguments in Path("/proc").glob("[0-9]*/cmdline"):
                with suppress(OSError):  # one that has ended meanwhile
                    if folder.encode() in arguments.read_bytes():
                        os.kill(int(arguments.parent.name), signal.SIGKILL)


def test_a_cluster_takes_it_without_a_change(
    tmp_path: Path, command: list[object], cluster: tuple[Path, dict[str, str]]
) -> None:
    """From another folder than this one, which the cluster's processes know nothing of; of two workers there is a
    processor for one, which does the work."""
    folder, environment = cluster
    joined = "session_2*/logs/python-core-driver-*.log"  # written there by each that uses the cluster
    assert not list(folder.glob(joined))
    assert run(*command, tmp_path / "local.jsonl").exit_code == 3
    (tmp_path / "elsewhere").mkdir()
    command[command.index("--documents") + 1] = "../documents.jsonl"
    done = subprocess.run(
        [sys.executable, "-m", "minikv", *map(str, command), "ray.jsonl", "--engine", "ray", "--workers", "2"],
        env={**os.environ, **environment},
        cwd=tmp_path / "elsewhere",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 3, done.stderr
    assert done.stdout == ""
    assert list(folder.glob(joined))
    assert lines(tmp_path / "elsewhere" / "ray.jsonl") == lines(tmp_path / "local.jsonl")


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "somewhere"])
def test_an_address_without_a_cluster(
    tmp_path: Path, command: list[object], monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", address)
    done = run(*command, tmp_path / "out.jsonl", "--engine", "ray")
    assert done.exit_code == 1
    assert f"RAY_ADDRESS is '{address}', where nothing can be reached" in done.stderr
    assert not list(tmp_path.glob("out.jsonl*"))


def test_a_cluster_that_lets_nobody_in(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**options: object) -> None:
        assert options["num_cpus"] is None
        raise ConnectionError("Failed to connect")

    monkeypatch.setattr("ray.init", refuse)
    told = r"address 10\.0\.0\.1:6379: Failed to connect\. .* set RAY_AUTH_MODE=token"
    with pytest.raises(MinikvError, match=told), many_ray.quiet_ray("10.0.0.1:6379", 2):
        pass


def test_a_worker_that_would_answer_otherwise_does_not(tmp_path: Path) -> None:
    """As on a machine of the cluster that has no such folder, another model in it, or another minikv."""
    asked = Run(bundled(), torch.float32, False, {"a": ""}, 8, 10**6, False, False)
    model, tokenizer = minikv.load(asked.folder, torch.float32)
    assert tokenizer is not None
    settings = asked.settings(model, tokenizer, tmp_path)
    assert Worker(asked, settings, tmp_path, 1).extractor.max_new_tokens == 8
    with pytest.raises(MinikvError, match=r"a worker on .* has no folder /nowhere; put the model there"):
        _ = Worker(replace(asked, folder=Path("/nowhere")), settings, tmp_path, 1).extractor
    other = {**settings, "minikv": "0", "model": "0"}
    with pytest.raises(MinikvError, match="has another minikv, model than the machine that asks"):
        _ = Worker(asked, other, tmp_path, 1).extractor


def test_what_went_wrong_is_told_in_its_own_words() -> None:
    cause = MinikvError("no folder\nFailed to apply UDF")
    assert in_words(RayTaskError("submit", "Traceback\nno folder\nFailed to apply UDF", cause)) == "no folder"
    assert in_words(ConnectionError("Trace\nno memory\n")) == "no memory"
    assert in_words(RuntimeError()) == "RuntimeError"


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
