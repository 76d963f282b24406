"""The command line: what it prints, where, and how it ends."""

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import huggingface_hub.constants
import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

import minikv
from minikv import RECIPES
from minikv.cli import app
from minikv.demo import Outcome, answers_table, bundled_document
from minikv.visible import printable, shown

KEYS = ["Model name", "Licence"]


def run(*arguments: object, stdin: str = "") -> Result:
    return CliRunner(env={"COLUMNS": "160", "TERM": "dumb"}).invoke(app, [*map(str, arguments)], input=stdin)


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "document.txt"
    path.write_text(bundled_document("announcement")[0])
    return path


def test_extract_gives_json_on_stdout_and_nothing_else_there(chat_checkpoint: Path, document: Path) -> None:
    done = run(
        "extract", "--model", chat_checkpoint, "--document", document, "--keys", ", ".join(KEYS), "--max-new-tokens", 6
    )
    assert done.exit_code == 0
    model, tokenizer = minikv.load(chat_checkpoint)
    assert json.loads(done.stdout) == minikv.extract(model, tokenizer, document.read_text(), KEYS, max_new_tokens=6)


@pytest.mark.parametrize("how", ["", "--plain", "--recipe naive_loop", "--recipe per_row_drafts --plain"])
def test_extract_gives_the_same_values_fast_or_plain(chat_checkpoint: Path, document: Path, how: str) -> None:
    done = run("extract", "--model", chat_checkpoint, "--document", document, "--keys", ",".join(KEYS), *how.split())
    model, tokenizer = minikv.load(chat_checkpoint)
    assert json.loads(done.stdout) == minikv.extract(model, tokenizer, document.read_text(), KEYS, "naive_loop")


def test_extract_reads_stdin_and_a_file_of_keys(chat_checkpoint: Path, document: Path, tmp_path: Path) -> None:
    keys = tmp_path / "keys.txt"
    keys.write_text("Model name\n\nLicence, and where it is said\n")
    common = ("extract", "--model", chat_checkpoint, "--max-new-tokens", 3, "--recipe", "naive_loop", "--json")
    from_stdin = run(*common, "--document", "-", "--keys-file", keys, stdin=document.read_text())
    assert list(json.loads(from_stdin.stdout)) == ["Model name", "Licence, and where it is said"]
    assert from_stdin.stdout == run(*common, "--document", document, "--keys-file", keys).stdout


def test_demo_shows_every_recipe_and_marks_what_differs(chat_checkpoint: Path) -> None:
    done = run("demo", "--model", chat_checkpoint, "--document", "announcement", "--max-new-tokens", 4)
    assert done.exit_code == 0
    rows = {line.split("│")[1].strip(): line for line in done.stdout.splitlines() if line.count("│") == 8}
    assert list(filter(None, rows)) == list(RECIPES)
    for name, recipe in RECIPES.items():
        assert ("≠" in rows[name]) == (not recipe.right), rows[name]
    agreements = re.findall(r"(\w+)\s+│\s+(\d) of 6", done.stdout)
    assert [name for name, agreeing in agreements if agreeing == "6"] == [
        name for name, recipe in RECIPES.items() if recipe.right
    ]


def test_demo_takes_a_document_and_keys(chat_checkpoint: Path, document: Path) -> None:
    done = run(
        "demo",
        "--model",
        chat_checkpoint,
        "--document",
        document,
        "--keys",
        "Model name,Licence",
        "--max-new-tokens",
        2,
    )
    assert done.exit_code == 0
    assert "Licence" in done.stdout
    assert "2 of 2" in done.stdout


def test_generate_streams_what_generate_gives(chat_checkpoint: Path) -> None:
    model, tokenizer = minikv.load(chat_checkpoint)
    plain = run("generate", "--model", chat_checkpoint, "--prompt", "The ferry", "--max-new-tokens", 9)
    (ids,) = minikv.generate(model, [tokenizer.encode("The ferry")], max_new_tokens=9, stop_ids=tokenizer.stop_ids)
    assert plain.stdout == tokenizer.decode(ids) + "\n"
    options = ("--chat", "--system", "Be brief.", "--max-new-tokens", 9)
    chat = run("generate", "--model", chat_checkpoint, "--prompt", "-", *options, stdin="The ferry")
    turns = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "The ferry"}]
    (ids,) = minikv.generate(model, [tokenizer.chat(turns)], max_new_tokens=9, stop_ids=tokenizer.stop_ids)
    assert chat.stdout == tokenizer.decode(ids) + "\n"


def test_generate_samples_as_asked(chat_checkpoint: Path) -> None:
    common = ("generate", "--model", chat_checkpoint, "--prompt", "The ferry", "--max-new-tokens", 12)
    drawn = [run(*common, "--temperature", 1, "--seed", seed).stdout for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert run(*common, "--temperature", 1, "--top-k", 1).stdout == run(*common).stdout
    assert run(*common, "--repetition-penalty", 5).stdout != run(*common).stdout


def test_the_checkpoints_own_sampling_is_used_where_asked_for_and_never_else(
    chat_checkpoint: Path, tmp_path: Path
) -> None:
    shutil.copytree(chat_checkpoint, tmp_path / "penalty")
    (tmp_path / "penalty" / "generation_config.json").write_text('{"repetition_penalty": 5.0}')
    common = ("generate", "--prompt", "The ferry", "--max-new-tokens", 12, "--model")
    unasked, asked = run(*common, tmp_path / "penalty"), run(*common, tmp_path / "penalty", "--sampling", "checkpoint")
    assert unasked.stdout == run(*common, chat_checkpoint).stdout
    assert asked.stdout == run(*common, chat_checkpoint, "--repetition-penalty", 5).stdout != unasked.stdout


def test_untrusted_text_cannot_drive_the_terminal(chat_checkpoint: Path, document: Path, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.write_text("\x1b[2JName\n[/red]\n")
    shown = run("demo", "--model", chat_checkpoint, "--document", document, "--keys-file", keys, "--max-new-tokens", 1)
    assert shown.exit_code == 0
    assert "\x1b" not in shown.stdout
    assert "[/red]" in shown.stdout
    wrong = run("generate", "--prompt", "a", "--model", "[/red]\x1b[2J")
    assert wrong.exit_code == 1
    assert "\x1b" not in wrong.stderr


def test_generate_stops_before_a_text(chat_checkpoint: Path) -> None:
    common = ("generate", "--model", chat_checkpoint, "--prompt", "The ferry", "--max-new-tokens", 12)
    whole = run(*common).stdout.removesuffix("\n")
    stop = whole[5:8]
    assert run(*common, "--stop", stop).stdout == whole[: whole.index(stop)] + "\n"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (
            ["extract", "--document", "DOCUMENT", "--keys", "a", "--model", "/nowhere"],
            1,
            "neither a folder that exists",
        ),
        (["extract", "--document", "DOCUMENT", "--keys", "a", "--model", "org/absent"], 1, "HF_HUB_OFFLINE is set"),
        (["extract", "--document", "DOCUMENT", "--keys", "a", "--recipe", "fast"], 1, "no recipe 'fast'"),
        (["extract", "--document", "DOCUMENT", "--keys", "a,a"], 1, "more than once"),
        (["extract", "--document", "DOCUMENT", "--keys", ",,"], 1, "no keys"),
        (["extract", "--document", "DOCUMENT"], 2, "--keys or --keys-file"),
        (["extract", "--document", "DOCUMENT", "--keys", "a", "--keys-file", "f"], 2, "--keys or --keys-file"),
        (["extract", "--document", "DOCUMENT", "--keys-file", "/nowhere/keys"], 1, "/nowhere/keys cannot be read"),
        (["extract", "--document", "/nowhere/text", "--keys", "a"], 1, "/nowhere/text cannot be read"),
        (["extract", "--document", "BINARY", "--keys", "a"], 1, "is not UTF-8 text"),
        (["extract", "--document", "EMPTY", "--keys", "a"], 1, "document is empty"),
        (["extract", "--document", "DOCUMENT", "--keys", "a", "--dtype", "int8"], 2, "none of auto"),
        (["generate", "--prompt", ""], 1, "empty prompt"),
        (["generate", "--prompt", "a", "--system", "b"], 2, "needs --chat"),
        (["generate", "--prompt", "a", "--top-p", "2"], 1, "top_p is 2.0"),
        (["generate", "--prompt", "a", "--temperature", "1e-40"], 1, "temperature is 1e-40"),
        (["generate", "--prompt", "a", "--seed", "9" * 23], 1, "seed is 999"),
        (["generate", "--prompt", "a", "--sampling", "wild"], 2, "neither greedy nor checkpoint"),
        (["generate", "--prompt", "a", "--max-new-tokens", "-1"], 2, "max-new-tokens"),
        (["demo", "--document", "no-such-thing", "--keys", "a"], 1, "no-such-thing cannot be read"),
        (["demo", "--document", "DOCUMENT"], 2, "--keys or --keys-file"),
    ],
)
def test_a_users_mistake_is_told_in_a_line(
    chat_checkpoint: Path,
    document: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    words: str,
) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00text")
    (tmp_path / "empty").write_text("\n")
    stand_ins = {"DOCUMENT": document, "BINARY": tmp_path / "binary", "EMPTY": tmp_path / "empty"}
    model = [] if "--model" in arguments else ["--model", chat_checkpoint]
    done = run(*[stand_ins.get(argument, argument) for argument in arguments], *model)
    told = " ".join(re.sub(r"[│╭╮╰╯─]", " ", done.stderr).split())
    assert words in told
    assert done.exit_code == code
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_help_names_the_commands_and_each_option() -> None:
    assert all(name in run("--help").stdout for name in ("demo", "extract", "generate"))
    for name, options in (
        ("demo", ("--model", "--document", "--keys", "--keys-file")),
        ("extract", ("--model", "--document", "--keys", "--keys-file", "--recipe", "--json")),
        ("generate", ("--model", "--prompt", "--chat", "--temperature", "--seed", "--stop")),
    ):
        told = run(name, "--help").stdout
        assert [option for option in options if option not in told] == []


def process(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "minikv", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job ignores it
    )


def test_in_a_process_of_its_own_stdout_holds_the_result_alone(chat_checkpoint: Path, document: Path) -> None:
    arguments = (
        "extract",
        "--model",
        chat_checkpoint,
        "--document",
        document,
        "--keys",
        "Licence",
        "--max-new-tokens",
        3,
    )
    stdout, stderr = process(*arguments).communicate(timeout=120)
    assert stdout == run(*arguments).stdout
    assert "Traceback" not in stderr


def test_ctrl_c_ends_quietly(chat_checkpoint: Path) -> None:
    begun = process("generate", "--model", chat_checkpoint, "--prompt", "a", "--max-new-tokens", 1000)
    assert begun.stdout is not None
    begun.stdout.read(1)
    begun.send_signal(signal.SIGINT)
    _, stderr = begun.communicate(timeout=60)
    assert begun.returncode == 130
    assert "interrupted" in stderr
    assert "Traceback" not in stderr


def test_answers_cannot_drive_the_terminal() -> None:
    assert printable("a\x1b[2Jb\rc\nd\te\u202ef\x85g\u2028h") == "a\ufffd[2Jb\ufffdc\nd\te\ufffdf\ufffdg\ufffdh"
    family = "\U0001f469\u200d\U0001f467"
    assert printable(family) == family
    assert shown("two\nlines  and\x07 a bell") == "two lines and\ufffd a bell"
    assert len(shown("x" * 100)) == 36


def test_an_empty_answer_is_told_in_words() -> None:
    answers = (["9B", "MIT"], ["9B", " "])
    outcomes = [Outcome(recipe, each, 1.0, 1) for recipe, each in zip(RECIPES.values(), answers, strict=False)]
    console = Console(width=100)
    with console.capture() as printed:
        console.print(answers_table(outcomes, KEYS))
    assert "≠ (nothing)" in printed.get()
    assert printed.get().count("≠") == 2, "once in the title"
