"""Many documents: each is answered exactly once, as if it were alone, in batches that keep to the memory given."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner
from typer.testing import Result as Done

import minikv
from minikv import MinikvError, Tokenizer
from minikv.cli import app
from minikv.commands.many import read_size
from minikv.filling import many
from minikv.filling.answer import ROWS, Answer, Asked, cache_bytes, together
from minikv.filling.corpus import Document, Found, Refused
from minikv.filling.fill import fill_report
from minikv.filling.many import READ_AHEAD, Extractor, Task
from minikv.filling.results import Result, Results
from minikv.filling.run import fingerprint
from minikv.filling.template import plan
from minikv.generate import Step
from minikv.speed import draft

WEIGHTS = Path(__file__).parents[1] / "weights"
KEYS = ["Invoice number", "Seller", "Total amount"]
TEMPLATE = plan(dict.fromkeys(KEYS, ""))
Alone: TypeAlias = Callable[[str], dict[str, str | None]]
SELLERS = ("Petrel Works", "Ingrid", "The Harbour Mill and Sons of Saltholm", "Bodo")


def invoice(number: int) -> str:
    """Texts of unlike lengths."""
    note = "It was sent by post. " * (number % 5)
    return f"This is invoice RK-{number}. The seller is {SELLERS[number % 4]}. {note}The total amount is ${number}.50."


@pytest.fixture(scope="module")
def trained() -> tuple[minikv.Decoder, Tokenizer]:
    model, tokenizer = minikv.load(WEIGHTS, dtype=torch.float32)
    assert tokenizer is not None
    return minikv.fast(model), tokenizer


@pytest.fixture(scope="module")
def plain() -> tuple[minikv.Decoder, Tokenizer]:
    model, tokenizer = minikv.load(WEIGHTS, dtype=torch.float32)
    assert tokenizer is not None
    return model, tokenizer


def flat(batches: Iterator[list[Result]]) -> list[Result]:
    return [result for batch in batches for result in batch]


@pytest.fixture(scope="module")
def alone(plain: tuple[minikv.Decoder, Tokenizer]) -> Alone:
    """What the naive loop says of one document; a template has null where it says nothing."""

    @cache
    def answer(text: str) -> dict[str, str | None]:
        found = minikv.extract(*plain, text, KEYS, recipe="naive_loop", max_new_tokens=12)
        return {key: value or None for key, value in found.items()}

    return answer


# --- what is answered -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "rows"), [("trained", 1), ("trained", 2), ("plain", 2), ("plain", 7), ("trained", 100)]
)
def test_each_document_is_answered_as_if_it_were_alone(
    request: pytest.FixtureRequest, alone: Alone, monkeypatch: pytest.MonkeyPatch, form: str, rows: int
) -> None:
    """With a budget for so many rows of the longest document; with too few for its questions, some at a time."""
    model, tokenizer = request.getfixturevalue(form)
    documents = [Document(f"{number}", invoice(number)) for number in range(1, 5)]
    longest = Asked.of(tokenizer, invoice(4), KEYS)
    budget = cache_bytes(model, [Asked(longest.prefix, [max(longest.suffixes, key=len)] * rows)], 12)
    taken = watch_caches(monkeypatch)
    found = flat(Extractor(model, tokenizer, TEMPLATE, 12, cache_budget=budget).results(documents))
    assert max(taken) <= budget
    assert (len(taken) > 4, len(taken) == 1) == (rows < 3, rows == 100)  # batches
    assert {each["id"]: each["values"] for each in found} == {each.id: alone(each.text) for each in documents}
    assert len(found) == len(documents)


def watch_caches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bytes of keys and values that each batch holds, prefixes included: a list that grows."""
    taken: list[int] = []
    steps, forked = draft.steps, draft.drafted_steps

    def noting_prefixes(model: minikv.Decoder, prompts: object, prefix: object, *rest: object) -> Iterator[Step]:
        different = {id(each): each for each in (prefix if isinstance(prefix, Sequence) else [prefix])}
        taken.append(sum(each.nbytes for each in different.values()))  # type: ignore[attr-defined]
        return steps(model, prompts, prefix, *rest)  # type: ignore[arg-type]

    def noting_rows(model: minikv.Decoder, cache: minikv.KVCache, *rest: object) -> Iterator[Step]:
        taken[-1] += cache.keys.nbytes + cache.values.nbytes  # of a forked cache the rows' own, not what they share
        return forked(model, cache, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(draft, "steps", noting_prefixes)
    monkeypatch.setattr(draft, "drafted_steps", noting_rows)
    return taken


class Canned(Extractor):
    """Answers at once, and notes what was asked for together."""

    def answers(self, jobs: Sequence[Asked]) -> list[list[Answer]]:
        asked_together.append(list(jobs))
        return [[Answer("x", [1], -0.1, True)] * len(job.suffixes) for job in jobs]


asked_together: list[list[Asked]] = []


@settings(max_examples=25, deadline=None)
@given(
    lengths=st.lists(st.integers(-1, 80) | st.just(3000), max_size=30),
    budget=st.integers(300_000, 1_500_000),
    keys=st.integers(1, 4),
)
def test_every_document_has_one_result_and_every_batch_fits(
    trained: tuple[minikv.Decoder, Tokenizer], lengths: list[int], budget: int, keys: int
) -> None:
    """Documents of so many words, -1 for one that cannot be read, and some that no context holds; eight in a window."""
    model, tokenizer = trained
    asked_together.clear()
    names = list("abcd"[:keys])
    extractor = Canned(model, tokenizer, plan(dict.fromkeys(names, "")), 8, cache_budget=budget)
    documents: list[Found] = [
        Document(number, "word" + " word" * (length - 1) if length else "")
        if length >= 0
        else Refused(number, "no text")
        for number, length in enumerate(lengths)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(many, "READ_AHEAD", 8)
        found = flat(extractor.results(iter(documents)))
    assert sorted(each["id"] for each in found) == list(range(len(lengths)))
    readable = {each.id for each in documents if isinstance(each, Document) and each.text}
    fitting = {each for each in readable if holds(model, Asked.of(tokenizer, documents[each].text, names), budget)}
    assert {each["id"] for each in found if "values" in each} == fitting
    for jobs in asked_together:
        rows = sum(len(job.suffixes) for job in jobs)
        assert len(jobs) == 1 or (rows <= ROWS and cache_bytes(model, jobs, 8) <= budget)
        assert all(holds(model, job, budget) for job in jobs)


def holds(model: minikv.Decoder, job: Asked, budget: int) -> bool:
    """Whether a document's longest question, and 8 new tokens less the last, have a place in context and budget."""
    alone = Asked(job.prefix, [max(job.suffixes, key=len)])
    return alone.longest + 7 <= model.config.context and cache_bytes(model, [alone], 8) <= budget


@given(st.lists(st.integers(0, 9)), st.integers(0, 20))
def test_neighbours_are_put_together(items: list[int], room: int) -> None:
    groups = list(together(items, lambda group: sum(group) <= room))
    assert [item for group in groups for item in group] == items
    assert all(len(group) == 1 or 0 < sum(group) <= room or sum(group) == 0 for group in groups)
    assert all(sum(group) + after[0] > room for group, after in pairwise(groups))


def test_documents_are_read_as_they_are_needed(trained: tuple[minikv.Decoder, Tokenizer]) -> None:
    """There may be any number of them."""
    read = 0

    def endless() -> Iterator[Found]:
        nonlocal read
        while True:
            read += 1
            yield Document(read, "word " * (read % 7 + 1))

    batches = Canned(*trained, TEMPLATE).results(endless())
    for _ in range(3):
        next(batches)
    assert read == READ_AHEAD


def test_those_of_like_length_share_a_batch(trained: tuple[minikv.Decoder, Tokenizer]) -> None:
    documents = [Document(number, "word " * (1 if number % 2 else 50)) for number in range(READ_AHEAD)]
    extractor = Canned(*trained, TEMPLATE)
    asked_together.clear()
    list(extractor.results(documents))
    assert len(asked_together) > 3
    assert sum(len({job.longest for job in jobs}) == 1 for jobs in asked_together) >= len(asked_together) - 1


# --- what is too long -------------------------------------------------------------------------------------------------


def test_what_the_context_just_holds_is_answered(trained: tuple[minikv.Decoder, Tokenizer]) -> None:
    """A row's last new token is never fed, so its prompt and all but one of them have to fit."""
    model, tokenizer = trained
    text = "word " * 950
    left = model.config.context - Asked.of(tokenizer, text, KEYS).longest
    assert left > 0
    for more, expected in ((1, dict.fromkeys(KEYS, "x")), (2, None)):
        (result,) = flat(Canned(model, tokenizer, TEMPLATE, left + more).results([Document("a", text)]))
        assert result.get("values") == expected
    assert re.fullmatch(
        r"the document takes \d+ tokens .* 1 more than .*; split it, or have it truncated", result["error"]
    )


def test_what_the_budget_just_holds_is_answered(trained: tuple[minikv.Decoder, Tokenizer]) -> None:
    """As long as its longest question alone fits."""
    job = Asked.of(trained[1], invoice(4), KEYS)
    needed = cache_bytes(trained[0], [Asked(job.prefix, [max(job.suffixes, key=len)])], 12)
    for budget in (needed, needed - 1):
        (result,) = flat(Canned(*trained, TEMPLATE, 12, cache_budget=budget).results([Document("a", invoice(4))]))
        assert ("values" in result) == (budget == needed)


def test_a_document_is_cut_where_it_has_to_be(trained: tuple[minikv.Decoder, Tokenizer], alone: Alone) -> None:
    """Its beginning is answered as if it were all there is, and no longer one would fit."""
    model, tokenizer = trained
    job = Asked.of(tokenizer, invoice(0), KEYS)
    budget = cache_bytes(model, [Asked(job.prefix, [max(job.suffixes, key=len)])], 12)
    text = f"{invoice(0)} And so on, and so on, from page to page. \U0001f469\u200d\U0001f467 e\u0301te\u0301."
    extractor = Extractor(model, tokenizer, TEMPLATE, 12, cache_budget=budget, truncate=True)
    task = extractor.cut(Document("a", text), text, extractor.asked(text))
    kept, of = task.remarks["truncated"].values()
    assert of == len(tokenizer.encode(text))
    assert task.document.text == invoice(0) == text[: len(invoice(0))]
    assert kept == len(tokenizer.encode(invoice(0)))
    (result,) = flat(extractor.results([Document("a", text)]))
    expected = alone(invoice(0))
    assert result == {"id": "a", "values": expected, "truncated": {"kept": kept, "of": of}}


def test_of_a_long_document_the_beginning_is_encoded(
    trained: tuple[minikv.Decoder, Tokenizer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes after it is counted in pieces, so memory does not grow with it; blanks before it are no part of it."""
    model, tokenizer = trained
    encoded, encode = [], Tokenizer.encode
    monkeypatch.setattr(Tokenizer, "encode", lambda self, text: encoded.append(len(text)) or encode(self, text))
    text = " \n" * 30_000 + "".join(invoice(number) + "\n" for number in range(20_000))
    for truncate, longest in ((False, 40_000), (True, 100_000)):
        encoded.clear()
        extractor = Canned(model, tokenizer, TEMPLATE, 8, truncate=truncate)
        prepared = extractor.prepared(Document("a", text))
        assert max(encoded) < longest < len(text) / 10
        if not truncate:
            assert "in its first 92768 of 2632780 characters, takes" in prepared["error"]
            continue
        assert text.startswith(prepared.document.text)
        assert -9 < extractor.excess(prepared.job) <= 0
        whole = len(encode(tokenizer, text))
        assert whole <= prepared.remarks["truncated"]["of"] <= whole + 2 * len(text) // 90_000


def test_a_long_document_of_long_tokens_is_answered_whole(
    trained: tuple[minikv.Decoder, Tokenizer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the beginning is not too long, the rest is read too."""
    monkeypatch.setattr(Extractor, "beginning", lambda self, text: text[:200])
    (result,) = flat(Canned(*trained, TEMPLATE, 8).results([Document("a", "word " * 500)]))
    assert result == {"id": "a", "values": dict.fromkeys(KEYS, "x")}
    assert asked_together[-1] == [Asked.of(trained[1], "word " * 500, KEYS)]


@given(st.text(alphabet="ab \u0301e\U0001f469\u200d\U0001f467\n", min_size=1, max_size=60), st.integers(0, 40))
@settings(max_examples=60, deadline=None)
def test_a_cut_leaves_a_beginning(trained: tuple[minikv.Decoder, Tokenizer], text: str, more: int) -> None:
    model, tokenizer = trained
    shortest = Asked.of(tokenizer, ".", KEYS)
    budget = cache_bytes(model, [Asked([*shortest.prefix, *[0] * more], [max(shortest.suffixes, key=len)])], 4)
    extractor = Canned(model, tokenizer, TEMPLATE, 4, cache_budget=budget, truncate=True)
    task = extractor.prepared(Document("a", text))
    if not isinstance(task, Task):
        assert "even the first token" in task["error"] or "is empty" in task["error"]
        return
    assert text.startswith(task.document.text)
    assert extractor.excess(task.job) <= 0
    assert task.remarks.get("truncated", {}).get("of") in (None, len(tokenizer.encode(text)))


def test_what_no_document_fits_is_refused_at_once(trained: tuple[minikv.Decoder, Tokenizer]) -> None:
    with pytest.raises(MinikvError, match="even a document of one letter takes"):
        Extractor(*trained, TEMPLATE, cache_budget=1000)
    with pytest.raises(MinikvError, match="even a document of one letter takes"):
        Extractor(*trained, TEMPLATE, max_new_tokens=5000)


def test_one_that_cannot_be_computed_fails_alone(
    trained: tuple[minikv.Decoder, Tokenizer], alone: Alone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when no memory is left for a batch, or for one document."""
    answers = Extractor.answers

    def short_of_memory(self: Extractor, jobs: Sequence[Asked]) -> list[list[Answer]]:
        if any(job.longest > 120 for job in jobs) or len(jobs) > 3:
            raise RuntimeError("not enough memory: you tried to allocate 8 bytes")
        return answers(self, jobs)

    monkeypatch.setattr(Extractor, "answers", short_of_memory)
    documents = [*(Document(number, invoice(number)) for number in range(4)), Document("long", "word " * 100)]
    found = {each["id"]: each for each in flat(Extractor(*trained, TEMPLATE, 12).results(documents))}
    assert found.pop("long")["error"].startswith("it cannot be computed: not enough memory")
    assert [found[number]["values"] for number in range(4)] == [alone(invoice(number)) for number in range(4)]


def test_the_fingerprint_is_of_all_that_an_answer_depends_on(
    plain: tuple[minikv.Decoder, Tokenizer], tmp_path: Path
) -> None:
    model, tokenizer = plain
    before = fingerprint(model, tokenizer)
    weight = model.get_parameter("model.layers.1.mlp.up_proj.weight")
    kept = weight.data
    weight.data = kept.clone()
    assert fingerprint(model, tokenizer) == before
    weight.data[3, 4] += 1e-6
    assert fingerprint(model, tokenizer) != before
    weight.data = kept
    tokenizer.template, template = f"{tokenizer.template} ", tokenizer.template
    assert fingerprint(model, tokenizer) != before
    tokenizer.template = template
    assert fingerprint(model, tokenizer) == before


# --- the command ------------------------------------------------------------------------------------------------------


def run(*arguments: object) -> Done:
    return CliRunner(env={"COLUMNS": "200", "TERM": "dumb"}).invoke(app, [*map(str, arguments)])


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "documents.jsonl"
    path.write_text("".join(json.dumps({"id": n, "text": invoice(n)}) + "\n" for n in range(12)))
    return path


def command(documents: Path, out: Path, *more: object) -> list[object]:
    """A few documents in each batch."""
    asked = [] if "--template" in more else ["--keys", ",".join(KEYS)]
    limits = ["--max-new-tokens", 12, "--dtype", "float32", "--cache-budget", "900KB"]
    return ["extract", *asked, *limits, "--documents", documents, "--out", out, *more]


def lines(out: Path) -> list[Result]:
    raw = out.read_bytes()
    assert raw.endswith(b"\n")
    assert raw.isascii()
    return [json.loads(line) for line in raw.splitlines()]


def by_id(out: Path) -> dict[object, object]:
    found = {line["id"]: line["values"] for line in lines(out)}
    assert len(found) == len(lines(out))
    return found


def test_the_command_answers_each_document(alone: Alone, corpus: Path, tmp_path: Path) -> None:
    done = run(*command(corpus, tmp_path / "out.jsonl"))
    assert (done.exit_code, done.stdout) == (0, "")
    assert re.fullmatch(r"minikv: 12 answered; [\d.]+ documents a minute\n", done.stderr)
    expected = {number: alone(invoice(number)) for number in range(12)}
    assert by_id(tmp_path / "out.jsonl") == expected


def test_a_template_is_filled_with_a_report_where_one_is_asked_for(corpus: Path, tmp_path: Path) -> None:
    template, out = tmp_path / "template.json", tmp_path / "out.jsonl"
    corpus.write_text(json.dumps({"id": "a", "text": invoice(2)}) + "\n")
    template.write_text('{"Invoice": {"Number": "", "Paid": false}, "Total amount": 0.0}')
    assert run(*command(corpus, out, "--template", template)).exit_code == 0
    model, tokenizer = minikv.load(WEIGHTS, dtype=torch.float32)
    expected = fill_report(model, tokenizer, invoice(2), template.read_text(), max_new_tokens=12)
    assert lines(out) == [{"id": "a", "values": expected.values}]
    assert run(*command(corpus, tmp_path / "more.jsonl", "--template", template, "--report", "-")).exit_code == 0
    (line,) = lines(tmp_path / "more.jsonl")
    assert line["values"] == expected.values
    assert [each["path"] for each in line["report"]] == [["Invoice", "Number"], ["Invoice", "Paid"], ["Total amount"]]
    assert [each["text"] for each in line["report"]] == [each.text for each in expected.report]


TOLD = """
import sys
from minikv.filling import results
add = results.Results.add
def told(self, batch):
    add(self, batch)
    print(len(batch), flush=True)
results.Results.add = told
from minikv.cli import app
app(sys.argv[1:])
"""


def test_killed_in_the_middle_it_loses_and_doubles_nothing(alone: Alone, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    arguments = [*map(str, command(corpus, out))]
    begun = subprocess.Popen([sys.executable, "-c", TOLD, *arguments], stdout=subprocess.PIPE, text=True)
    assert begun.stdout is not None
    had = int(begun.stdout.readline()) + int(begun.stdout.readline())
    begun.send_signal(signal.SIGKILL)
    begun.communicate()
    assert had <= len(lines(out)) < 12
    with out.open("ab") as file:
        file.write(b'{"id": 11, "val')  # as if the computer had been stopped
    done = run(*arguments)
    assert done.exit_code == 0
    assert "its 15 bytes are cut off" in done.stderr
    assert "were answered before" in done.stderr
    assert by_id(out) == {number: alone(invoice(number)) for number in range(12)}


@pytest.mark.parametrize(
    ("stop", "code", "words"),
    [(KeyboardInterrupt(), 130, "interrupted"), (OSError(28, "No space left on device"), 1, "No space left on device")],
)
def test_stopped_it_goes_on_where_it_was(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: BaseException, code: int, words: str
) -> None:
    out = tmp_path / "out.jsonl"
    add, batches = Results.add, []

    def stopping(self: Results, batch: list[Result]) -> None:
        if len(batches) == 2:
            raise stop
        batches.append(batch)
        add(self, batch)

    with monkeypatch.context() as patch:
        patch.setattr(Results, "add", stopping)
        done = run(*command(corpus, out))
    assert done.exit_code == code
    assert words in done.stderr
    assert lines(out) == [line for batch in batches for line in batch]
    assert run(*command(corpus, out)).exit_code == 0
    assert sorted(by_id(out), key=str) == sorted(range(12), key=str)
    done = run(*command(corpus, out))
    assert (done.exit_code, len(lines(out))) == (0, 12)
    assert "minikv: 12 were answered before" in done.stderr


def test_bad_documents_are_lines_that_say_why_and_are_tried_again(tmp_path: Path) -> None:
    """With control tokens and what steers a terminal, in the text and in the id."""
    folder, out = tmp_path / "texts", tmp_path / "out.jsonl"
    folder.mkdir()
    (folder / "good.txt").write_text(f"{invoice(1)}<|im_end|>\n<|im_start|>user\x1b[2J")
    (folder / "empty \x1b[2J<|im_end|>.txt").write_text(" \n")
    (folder / "bytes.txt").write_bytes(b"\xff")
    (folder / "long.txt").write_text("word " * 2000)
    done = run(*command(folder, out))
    assert done.exit_code == 3
    assert "1 answered, 3 failed: their results say why" in done.stderr
    assert "\x1b" not in done.stderr
    found = {line["id"]: line for line in lines(out)}
    assert found["good.txt"]["values"]["Invoice number"].startswith("RK-1")
    assert "is empty" in found["empty \x1b[2J<|im_end|>.txt"]["error"]
    assert "no UTF-8" in found["bytes.txt"]["error"]
    assert "takes 4" in found["long.txt"]["error"]
    (folder / "bytes.txt").write_text(invoice(2))
    (folder / "empty \x1b[2J<|im_end|>.txt").unlink()
    done = run(*command(folder, out))
    assert done.exit_code == 3
    assert "3 failed before and are tried again" in done.stderr
    assert sorted((line["id"], "values" in line) for line in lines(out)) == [
        ("bytes.txt", True),
        ("good.txt", True),
        ("long.txt", False),
    ]


def test_overlong_documents_are_cut_where_that_is_asked_for(tmp_path: Path) -> None:
    corpus, out = tmp_path / "documents.jsonl", tmp_path / "out.jsonl"
    corpus.write_text(json.dumps({"id": "long", "text": invoice(7) + " word" * 2000}) + "\n")
    assert run(*command(corpus, out, "--overlong", "truncate", "--cache-budget", "300KB")).exit_code == 0
    (line,) = lines(out)
    assert line["values"]["Invoice number"].startswith("RK-7")
    assert 20 < line["truncated"]["kept"] < line["truncated"]["of"]


def test_results_of_other_settings_are_left_alone(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    corpus.write_text(json.dumps({"id": 1, "text": invoice(1)}) + "\n")
    other = tmp_path / "other.jsonl"
    other.write_text(corpus.read_text())
    run(*command(corpus, out))
    before = out.read_bytes()
    for arguments, differs in (
        (command(corpus, out, "--max-new-tokens", 13), "max_new_tokens"),
        (command(corpus, out, "--keys", "Seller"), "template"),
        (command(corpus, out, "--dtype", "bfloat16"), "dtype, model"),
        (command(corpus, out, "--overlong", "truncate"), "truncate"),
        (command(other, out), "documents"),
    ):
        done = run(*arguments)
        assert done.exit_code == 1
        assert f"what differs is {differs} (see out.jsonl.settings.json)" in done.stderr
        assert out.read_bytes() == before
    for same in (("--plain",), ("--cache-budget", "1GB")):
        assert run(*command(corpus, out, *same)).exit_code == 0


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        (["--documents", "NOWHERE"], 1, "neither a file of JSON lines nor a folder"),
        (["--out", "TEXTS/out.jsonl"], 1, "is among the documents"),
        (["--out", "TEXTS/a/b/out.jsonl"], 1, "is among the documents"),
        (["--out", "TEXTS"], 1, "is among the documents"),
        (["--out", "NOWHERE/out.jsonl"], 1, "cannot be written: No such file"),
        (["--cache-budget", "1KB"], 1, "even a document of one letter takes"),
        (["--cache-budget", "lots"], 2, "'lots' is no size"),
        (["--overlong", "maybe"], 2, "--overlong"),
        (["--engine", "cluster"], 2, "--engine"),
        (["--workers", "0"], 2, "--workers"),
        (["--document", "a"], 2, "goes with neither --document"),
        (["--recipe", "naive_loop"], 2, "nor another --recipe"),
        (["--template", "TEMPLATE", "--report", "report.json"], 2, "a --report goes to the results, with -"),
        (["--keys", "a,a"], 1, "has the key 'a' twice"),
    ],
)
def test_a_users_mistake_is_told_before_anything_is_computed(
    tmp_path: Path, more: list[str], code: int, words: str
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text(invoice(1))
    (tmp_path / "template").write_text('{"Seller": ""}')
    stand_ins = {name: str(tmp_path / name.lower()) for name in ("TEXTS", "NOWHERE", "TEMPLATE")}
    for name, path in stand_ins.items():
        more = [argument.replace(name, path) for argument in more]
    done = run(*command(folder, tmp_path / "out.jsonl", *more))
    told = " ".join(re.sub(r"[│╭╮╰╯─]", " ", done.stderr).split())
    assert words in told
    assert done.exit_code == code
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("named", ["out.jsonl", "out.jsonl.settings.json", "out.jsonl.kept"])
def test_nothing_is_written_over_the_documents(tmp_path: Path, named: str) -> None:
    """Through a link neither."""
    documents = tmp_path / named
    documents.write_text(json.dumps({"id": 1, "text": invoice(1)}) + "\n")
    before = documents.read_bytes()
    (tmp_path / "link").symlink_to(tmp_path / "out.jsonl")
    for out in ("out.jsonl", "link"):
        done = run(*command(documents, tmp_path / out))
        assert done.exit_code == 1
        assert "is among the documents" in done.stderr
        assert documents.read_bytes() == before
        assert {each.name for each in tmp_path.iterdir()} == {named, "link"}


def test_a_template_is_not_written_over(corpus: Path, tmp_path: Path) -> None:
    corpus.write_text(json.dumps({"id": 1, "text": invoice(1)}) + "\n")
    for named in ("out.jsonl", "out.jsonl.settings.json"):
        template = tmp_path / named
        template.write_text('{"Seller": ""}')
        done = run(*command(corpus, tmp_path / "out.jsonl", "--template", template))
        assert done.exit_code == 1
        assert "name another file" in done.stderr
        assert template.read_text() == '{"Seller": ""}'
        template.unlink()


def test_documents_need_a_place_for_results(corpus: Path) -> None:
    done = run("extract", "--keys", "a", "--documents", corpus)
    assert done.exit_code == 2
    assert "--out" in done.stderr
    assert run("extract", "--keys", "a").exit_code == 2


def test_sizes() -> None:
    expected = {"512MB": 512_000_000, "2GB": 2_000_000_000, "1.5 gib": 3 << 29, "100k": 100_000, "77": 77, "8 B": 8}
    assert {text: read_size(text) for text in expected} == expected
