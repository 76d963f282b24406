"""`minikv step`: walk through a decode in a terminal, one forward pass after the other, forward and back."""

import sys
from typing import Annotated

import typer
from rich.console import Console, Group

from minikv.commands.common import (
    JobOption,
    KeysFileOption,
    KeysOption,
    ModelOption,
    RevisionOption,
    load_both,
    plainly,
    read_job,
    stderr,
)
from minikv.demo import DOCUMENTS
from minikv.errors import MinikvError
from minikv.extract import find_recipe
from minikv.look.keyboard import keyboard
from minikv.look.page import printed, screen
from minikv.look.strip import LEGEND
from minikv.look.walk import State, Walk, press
from minikv.recipes import RECIPES
from minikv.speed.draft import DRAFTED

PRINTED = 120  # columns of a line where there is no terminal to ask


@plainly
def step(
    recipe: Annotated[
        str,
        typer.Option(
            help=f"One of {', '.join(RECIPES)}, {DRAFTED.name}. The default shows the bug in its first step; after it, "
            f"walk per_row_offsets, the repair."
        ),
    ] = "right_padded_batch",
    model: ModelOption = None,
    document: JobOption = DOCUMENTS[0],
    keys: KeysOption = None,
    keys_file: KeysFileOption = None,
    max_new_tokens: Annotated[int, typer.Option(min=1, help="Tokens of an answer at most.")] = 32,
    row: Annotated[
        int | None, typer.Option(min=0, help="The prompt whose row to look at closely. Without a terminal: it alone.")
    ] = None,
    dtype: Annotated[str, typer.Option(help="auto, float32, bfloat16 or float16.")] = "float32",
    revision: RevisionOption = None,
) -> None:
    """Walk through a decode: what each forward pass fed, where it put it, what it saw, read and chose.

    Where input or output is no terminal, all steps are printed.
    """
    chosen = find_recipe(recipe)
    text, asked = read_job(document, keys, keys_file)
    if row is not None and row >= len(asked):
        raise MinikvError(
            f"--row is {row}, but there are {len(asked)} keys; expected a number from 0 to {len(asked) - 1}"
        )
    decoder, tokenizer = load_both(model, dtype, revision)
    with stderr.status("the first step"):
        walk = Walk.of(decoder, tokenizer, chosen, text, asked, max_new_tokens)
        walk.reach(0)
    if sys.stdin.isatty() and sys.stdout.isatty() and not Console().is_dumb_terminal:
        explore(walk, State(prompt=row or 0))
    else:
        print_all(walk, row)


def explore(walk: Walk, state: State) -> None:
    """Show a step, wait for a key, show where it leads. The terminal is as it was afterwards."""
    console = Console()
    with keyboard() as next_key, console.screen() as shown:
        while not state.over:
            shown.update(Group(*screen(walk, state, *console.size)))
            state = press(walk, state, next_key())


def print_all(walk: Walk, prompt: int | None) -> None:
    """Every step, as plain text."""
    print(f"{LEGEND}\n")
    at = 0
    while walk.reach(at) == at:
        print("\n".join(line.plain.rstrip() for line in printed(walk, at, PRINTED, prompt)))
        at += 1
