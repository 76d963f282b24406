"""The benchmark of many documents: that all do the same work, and that a difference is told. No test asks how fast."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import minikv
from minikv import MinikvError
from minikv.bench import many as bench
from minikv.bench.many import Speed, keys_for, make_documents
from minikv.checkpoint import bundled
from minikv.cli import app


def run(*arguments: object) -> Result:
    small = ["--documents", 3, "--naive", 1, "--tokens", 40, "--keys", 2, "--new-tokens", 6]
    return CliRunner(env={"TERM": "dumb"}).invoke(app, ["bench", "many", *map(str, [*small, *arguments])])


def test_all_ways_give_the_same_answers() -> None:
    done = run("--cache-budget", "600KB")
    assert done.exit_code == 0
    found = json.loads(done.stdout.splitlines()[-1])
    assert [speed["name"] for speed in found["speeds"]] == [
        "transformers, naive loop",
        "minikv, one document at a time",
        "minikv, many",
    ]
    assert [(speed["documents"], speed["equal"], speed["answers"]) for speed in found["speeds"]] == [
        (1, 2, 2),
        (3, 6, 6),
        (3, 6, 6),
    ]
    assert found["card"]["parameters"] == "1.1 million"
    assert "pages a minute" in done.stdout


def test_answers_that_differ_are_counted_and_end_it_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "naive_loop", lambda model, job: ([[0] for _ in job.suffixes], 0))
    done = run()
    assert done.exit_code == 1
    assert [speed["equal"] for speed in json.loads(done.stdout.splitlines()[-1])["speeds"]] == [2, 4, 4]


def test_documents_are_of_unlike_lengths_around_what_was_asked(tmp_path: Path) -> None:
    _, tokenizer = minikv.load(bundled())
    assert tokenizer is not None
    documents = make_documents(tokenizer, 9, 64)
    lengths = [len(tokenizer.encode(document.text)) for document in documents]
    assert sorted(lengths) == pytest.approx([32, 40, 48, 56, 64, 72, 80, 88, 96], abs=2)  # a cut word has more tokens
    assert lengths != sorted(lengths)
    assert len({document.text for document in documents}) == 9
    assert documents == make_documents(tokenizer, 9, 64)


def test_what_cannot_be_measured() -> None:
    _, tokenizer = minikv.load(bundled())
    assert tokenizer is not None
    for bad in (lambda: make_documents(tokenizer, 0, 64), lambda: make_documents(tokenizer, 3, 1), lambda: keys_for(7)):
        with pytest.raises(MinikvError, match="expected"):
            bad()
    assert run("--runs", 0).exit_code == 1


def test_pages_a_minute() -> None:
    assert Speed("", documents=6, seconds=12.0, equal=0, answers=0).per_minute == 30
