"""The command line. Results go to stdout and everything else to stderr; a user's mistake is one line, no traceback.

Exit codes: 0 done, 1 the job cannot be done as asked, 2 wrong usage, 130 interrupted.
"""

import io
import json
import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from minikv import demo as lesson
from minikv.checkpoint import bundled, load, load_sampling
from minikv.config import DTYPES
from minikv.decoder import Decoder
from minikv.errors import MinikvError
from minikv.extract import extract as extract_values
from minikv.extract import find_recipe
from minikv.generate import steps
from minikv.recipes import RECIPES
from minikv.sampling import Sampling
from minikv.tokenizer import Tokenizer, until

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A Qwen2 decoder by hand with its KV cache in the open: many keys from one document, on one cached prefix.",
)
stderr = Console(stderr=True)

ModelOption = Annotated[
    str | None,
    typer.Option("--model", help="A folder or a hub id, such as Qwen/Qwen2.5-0.5B-Instruct. Default: the bundled one."),
]
RevisionOption = Annotated[str | None, typer.Option(help="Branch, tag or commit of a hub id.")]
KeysOption = Annotated[str | None, typer.Option(help="The values to look for, separated by commas.")]
KeysFileOption = Annotated[Path | None, typer.Option(help="A file with one key on each line.")]


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Register a command that ends a user's mistake in one line and a Ctrl-C in none."""

    @app.command()
    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            function(*args, **kwargs)
        except MinikvError as error:
            stderr.print(Text(lesson.printable(f"minikv: {error}")), soft_wrap=True)
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            stderr.print("minikv: interrupted")
            raise typer.Exit(130) from None
        except BrokenPipeError:  # the reader of stdout has seen enough
            sys.stderr.close()
            raise typer.Exit(0) from None
        except OSError as error:
            stderr.print(Text(f"minikv: the result cannot be written: {error.strerror}"), soft_wrap=True)
            raise typer.Exit(1) from None

    return run


@command
def demo(
    model: ModelOption = None,
    document: Annotated[
        str, typer.Option(help=f"A text file, - for stdin, or one of {', '.join(lesson.DOCUMENTS)}.")
    ] = lesson.DOCUMENTS[0],
    keys: KeysOption = None,
    keys_file: KeysFileOption = None,
    max_new_tokens: Annotated[int, typer.Option(min=0, help="Tokens of an answer at most.")] = 32,
    dtype: Annotated[str, typer.Option(help="fp32 keeps equal answers equal; 16 bits round by batch.")] = "float32",
    revision: RevisionOption = None,
) -> None:
    """Every recipe, right and wrong, on one document: the bug and its repair in one table."""
    bundled_keys: list[str] = []
    if document in lesson.DOCUMENTS and not Path(document).exists():
        text, bundled_keys = lesson.bundled_document(document)
    else:
        text = read_document(document)
    asked = bundled_keys if bundled_keys and keys is None and keys_file is None else read_keys(keys, keys_file)
    decoder, tokenizer = load_both(model, dtype, revision)
    outcomes = lesson.run_all(decoder, tokenizer, text, asked, max_new_tokens, stderr)
    console = Console() if sys.stdout.isatty() else Console(width=160)
    console.print(lesson.answers_table(outcomes, asked))
    console.print(lesson.figures_table(outcomes))
    if model is None:
        console.print("The same on the official weights: minikv demo --model Qwen/Qwen2.5-0.5B-Instruct")


@command
def extract(
    document: Annotated[str, typer.Option(help="A text file, or - for stdin.")],
    keys: KeysOption = None,
    keys_file: KeysFileOption = None,
    model: ModelOption = None,
    recipe: Annotated[str, typer.Option(help=f"One of {', '.join(RECIPES)}.")] = "per_row_offsets",
    max_new_tokens: Annotated[int, typer.Option(min=0, help="Tokens of a value at most.")] = 64,
    dtype: Annotated[str, typer.Option(help="auto, float32, bfloat16 or float16.")] = "auto",
    revision: RevisionOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="JSON on a terminal too; elsewhere stdout always gets JSON.")
    ] = False,
) -> None:
    """The value of each key, read out of a document."""
    find_recipe(recipe)
    text, asked = read_document(document), read_keys(keys, keys_file)
    decoder, tokenizer = load_both(model, dtype, revision)
    with stderr.status(f"reading {len(asked)} values out of {len(text)} characters"):
        values = extract_values(decoder, tokenizer, text, asked, recipe, max_new_tokens=max_new_tokens)
    if as_json or not sys.stdout.isatty():
        print(json.dumps(values, ensure_ascii=False, indent=2))
        return
    table = Table("key", "value")
    for key, value in values.items():
        table.add_row(Text(lesson.printable(key)), Text(lesson.printable(value)))
    Console().print(table)


@command
def generate(
    prompt: Annotated[str, typer.Option(help="The text to continue, or - for stdin.")],
    model: ModelOption = None,
    chat: Annotated[bool, typer.Option("--chat", help="The prompt is a user's turn, in the chat template.")] = False,
    system: Annotated[str | None, typer.Option(help="The system turn, with --chat.")] = None,
    max_new_tokens: Annotated[int, typer.Option(min=0, help="Tokens to generate at most.")] = 200,
    stop: Annotated[list[str] | None, typer.Option(help="Stop before this text. May be given several times.")] = None,
    sampling: Annotated[
        str, typer.Option(help="greedy, or checkpoint: as its generation_config.json says. The options below override.")
    ] = "greedy",
    temperature: Annotated[float | None, typer.Option(help="0 is greedy.")] = None,
    top_k: Annotated[int | None, typer.Option(help="Draw from the k likeliest tokens; 0: from all.")] = None,
    top_p: Annotated[float | None, typer.Option(help="Draw from the likeliest tokens up to this probability.")] = None,
    repetition_penalty: Annotated[float | None, typer.Option(help="Counts the prompt too.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of the random draws.")] = None,
    dtype: Annotated[str, typer.Option(help="auto, float32, bfloat16 or float16.")] = "auto",
    revision: RevisionOption = None,
) -> None:
    """Continue a prompt, streaming."""
    if system is not None and not chat:
        raise typer.BadParameter("needs --chat", param_hint="--system")
    if sampling not in ("greedy", "checkpoint"):
        raise typer.BadParameter(f"{sampling!r} is neither greedy nor checkpoint", param_hint="--sampling")
    text = sys.stdin.read() if prompt == "-" else prompt
    decoder, tokenizer = load_both(model, dtype, revision)
    how, stop_ids = Sampling(), tokenizer.stop_ids
    if sampling == "checkpoint":
        how, more = load_sampling(bundled() if model is None else model, revision)
        stop_ids = (*stop_ids, *more)
    given = {
        "temperature": temperature,
        "top_k": top_k,
        "top_p": top_p,
        "repetition_penalty": repetition_penalty,
        "seed": seed,
    }
    how = Sampling(**{**vars(how), **{name: value for name, value in given.items() if value is not None}})
    if chat:
        turns = [{"role": "system", "content": system}] if system is not None else []
        ids = tokenizer.chat([*turns, {"role": "user", "content": text}])
    else:
        ids = tokenizer.encode(text)
    walk = steps(decoder, [ids], max_new_tokens=max_new_tokens, stop_ids=stop_ids, sampling=how)
    new_ids = (int(step.chosen[0]) for step in walk if not bool(step.finished[0]))
    for piece in until(tokenizer.stream(new_ids), stop or []):
        print(lesson.printable(piece) if sys.stdout.isatty() else piece, end="", flush=True)
    print()


def load_both(model: str | None, dtype: str, revision: str | None) -> tuple[Decoder, Tokenizer]:
    """The checkpoint that the options name, its tokenizer included."""
    if dtype != "auto" and dtype not in DTYPES:
        raise typer.BadParameter(f"{dtype!r} is none of auto, {', '.join(DTYPES)}", param_hint="--dtype")
    source = bundled() if model is None else model
    # A hub id may have to be downloaded, which has progress bars of its own.
    local = Path(source).is_dir()
    with stderr.status(Text(lesson.shown(f"loading {source}"))) if local else nullcontext():
        decoder, tokenizer = load(source, DTYPES.get(dtype, dtype), revision=revision)
    if tokenizer is None:
        raise MinikvError(f"{source} holds no tokenizer.json; expected one beside the weights")
    return decoder, tokenizer


def read_document(document: str) -> str:
    """The text of a file, or of stdin for "-"."""
    try:
        raw = sys.stdin.buffer.read() if document == "-" else Path(document).read_bytes()
        return raw.decode("utf-8-sig")  # a byte order mark is no part of the text
    except UnicodeDecodeError as error:
        raise MinikvError(f"{document} is not UTF-8 text: {error}; convert it first") from None
    except OSError as error:
        raise MinikvError(f"{document} cannot be read: {error.strerror}") from None


def read_keys(keys: str | None, keys_file: Path | None) -> list[str]:
    """The keys of one of the two options."""
    if (keys is None) == (keys_file is None):
        raise typer.BadParameter("give --keys or --keys-file, one of them", param_hint="--keys")
    listed = keys.split(",") if keys is not None else read_document(str(keys_file)).splitlines()
    found = [key.strip() for key in listed if key.strip()]
    if not found:
        raise MinikvError("no keys; expected the names of the values to look for")
    return found


def main() -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):  # a model may answer in any script, whatever the locale
        sys.stdout.reconfigure(encoding="utf-8")
    app()
