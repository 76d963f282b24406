"""What the commands share: their options, how they load a model and read a text, and how a mistake ends them."""

import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from rich.console import Console
from rich.text import Text

from minikv.checkpoint import bundled, load
from minikv.config import DTYPES
from minikv.decoder import Decoder
from minikv.demo import DOCUMENTS, bundled_document
from minikv.errors import MinikvError
from minikv.tokenizer import Tokenizer
from minikv.visible import printable, shown

stderr = Console(stderr=True)

ModelOption = Annotated[
    str | None,
    typer.Option("--model", help="A folder or a hub id, such as Qwen/Qwen2.5-0.5B-Instruct. Default: the bundled one."),
]
RevisionOption = Annotated[str | None, typer.Option(help="Branch, tag or commit of a hub id.")]
JobOption = Annotated[
    str, typer.Option("--document", help=f"A text file, - for stdin, or one of {', '.join(DOCUMENTS)}.")
]
KeysOption = Annotated[str | None, typer.Option(help="The values to look for, separated by commas.")]
KeysFileOption = Annotated[Path | None, typer.Option(help="A file with one key on each line.")]


def plainly(function: Callable[..., None]) -> Callable[..., None]:
    """A command that ends a user's mistake in one line and a Ctrl-C in none."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            function(*args, **kwargs)
        except MinikvError as error:
            stderr.print(Text(printable(f"minikv: {error}")), soft_wrap=True)
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


def load_both(model: str | None, dtype: str, revision: str | None) -> tuple[Decoder, Tokenizer]:
    """The checkpoint that the options name, its tokenizer included."""
    decoder, tokenizer = load_any(model, dtype, revision)
    if tokenizer is None:
        raise MinikvError(f"{model} holds no tokenizer.json; expected one beside the weights")
    return decoder, tokenizer


def load_any(model: str | None, dtype: str, revision: str | None) -> tuple[Decoder, Tokenizer | None]:
    """The checkpoint that the options name, with its tokenizer if it has one."""
    source = bundled() if model is None else model
    wanted = read_dtype(dtype)
    # A hub id may have to be downloaded, which has progress bars of its own.
    local = Path(source).is_dir()
    with stderr.status(Text(shown(f"loading {source}"))) if local else nullcontext():
        return load(source, wanted, revision=revision)


def read_dtype(dtype: str) -> torch.dtype | str:
    """The dtype that --dtype names, or "auto"."""
    if dtype != "auto" and dtype not in DTYPES:
        raise typer.BadParameter(f"{dtype!r} is none of auto, {', '.join(DTYPES)}", param_hint="--dtype")
    return DTYPES.get(dtype, dtype)


def read_document(document: str) -> str:
    """The text of a file, or of stdin for "-"."""
    try:
        raw = sys.stdin.buffer.read() if document == "-" else Path(document).read_bytes()
        return raw.decode("utf-8-sig")  # a byte order mark is no part of the text
    except UnicodeDecodeError as error:
        raise MinikvError(f"{document} is not UTF-8 text: {error}; convert it first") from None
    except OSError as error:
        raise MinikvError(f"{document} cannot be read: {error.strerror}") from None


def read_job(document: str, keys: str | None, keys_file: Path | None) -> tuple[str, list[str]]:
    """A document's text and the keys to ask of it. One of the package's own brings its keys where none are given."""
    ours = document in DOCUMENTS and not Path(document).exists()
    text, own = bundled_document(document) if ours else (read_document(document), [])
    return text, own if own and keys is None and keys_file is None else read_keys(keys, keys_file)


def read_keys(keys: str | None, keys_file: Path | None) -> list[str]:
    """The keys of one of the two options."""
    if (keys is None) == (keys_file is None):
        raise typer.BadParameter("give --keys or --keys-file, one of them", param_hint="--keys")
    listed = keys.split(",") if keys is not None else read_document(str(keys_file)).splitlines()
    found = [key.strip() for key in listed if key.strip()]
    if not found:
        raise MinikvError("no keys; expected the names of the values to look for")
    return found
