"""Run the lessons, and hold their stored outputs to what the code gives now.

    python notebooks/run.py                 fail where a cell does, or gives another output
    python notebooks/run.py --update        store the outputs, and a hash of the code that gave them
    python notebooks/run.py --model FOLDER  on other weights: fail where a cell does

`make notebooks`, `make notebooks-update` and `make notebooks MODEL=folder` are the same in the
environment that make sets up. Files named behind the options are run alone.

Outputs are compared as texts, up to blanks and to one unit in the last place of a decimal fraction,
since another processor rounds in another order. A picture is compared as "there is one", and so is
every output of a cell with the tag `varies`: a time, and whatever else depends on the machine.
"""

import argparse
import copy
import hashlib
import json
import re
import sys
import time
from decimal import Decimal
from difflib import ndiff
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

FOLDER = Path(__file__).parent
LIMIT = 600  # seconds of one cell, on real weights and a slow machine too
VARIES = "varies"
MODEL = "MODEL = None"  # the line that a reader changes for other weights
FRACTION = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


def lessons() -> list[Path]:
    return sorted(FOLDER.glob("[0-9]*.ipynb"))


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


# --- running --------------------------------------------------------------------------------------


def executed(notebook: NotebookNode) -> NotebookNode:
    """The same notebook with fresh outputs, run in a new kernel of this Python. CellExecutionError
    where a cell fails."""
    fresh = copy.deepcopy(notebook)
    client = NotebookClient(
        fresh,
        timeout=LIMIT,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,  # or the outputs would depend on when a buffer was full
        extra_arguments=["--log-level=ERROR", "--HistoryManager.enabled=False"],
        resources={"metadata": {"path": str(FOLDER)}},
    )
    client.execute()
    fresh.metadata = NotebookNode(
        kernelspec={"display_name": "Python 3", "language": "python", "name": "python3"},
        language_info={"name": "python"},  # without the version that happened to run it
        minikv={"code": code_hash(fresh)},
    )
    return fresh


def code_hash(notebook: NotebookNode) -> str:
    """Of all code cells. The one in the metadata is of the code that gave the stored outputs."""
    sources = json.dumps([cell.source for cell in code_cells(notebook)])
    return hashlib.sha256(sources.encode()).hexdigest()


def on_model(notebook: NotebookNode, model: str) -> NotebookNode:
    """The same notebook on other weights: a folder or a hub id in its one line for that."""
    other = copy.deepcopy(notebook)
    place = str(Path(model).resolve()) if Path(model).is_dir() else model
    for cell in code_cells(other):
        cell.source = cell.source.replace(MODEL, f"MODEL = {place!r}")
    return other


# --- comparing ------------------------------------------------------------------------------------


def differences(stored: NotebookNode, fresh: NotebookNode) -> list[str]:
    """What is no longer as it was stored, in lines that say where."""
    found = []
    for before, now in zip(code_cells(stored), code_cells(fresh), strict=True):
        old, new = contents(before), contents(now)
        if [kind for kind, _ in old] != [kind for kind, _ in new]:
            found.append(f"cell {now.id}: stored {kinds(old)}, now {kinds(new)}")
            continue
        for (kind, before_text), (_, text) in zip(old, new, strict=True):
            if not same_text(before_text, text):
                lines = ndiff(before_text.splitlines(), text.splitlines())
                found.append("\n".join([f"cell {now.id}, {kind}: - stored, + now", *lines]))
    return found


def contents(cell: NotebookNode) -> list[tuple[str, str]]:
    """Kind and text of each output; no text of what is only compared as "there is one"."""
    varies = VARIES in cell.metadata.get("tags", [])
    return [
        (kind, "" if varies or kind.startswith("image/") else text) for kind, text in texts(cell)
    ]


def texts(cell: NotebookNode) -> list[tuple[str, str]]:
    """Kind and text of each output as it is stored: "stdout", "text/html", "image/png" …"""
    outputs = [
        {each.name: each.text} if each.output_type == "stream" else each.get("data", {})
        for each in cell.outputs
    ]
    return [(kind, text) for output in outputs for kind, text in sorted(output.items())]


def kinds(outputs: list[tuple[str, str]]) -> str:
    return ", ".join(kind for kind, _ in outputs) or "nothing"


def same_text(stored: str, fresh: str) -> bool:
    """Equal up to blanks, and each decimal fraction up to one in its last place."""
    if FRACTION.sub("0.0", stored).split() != FRACTION.sub("0.0", fresh).split():
        return False
    pairs = zip(FRACTION.findall(stored), FRACTION.findall(fresh), strict=True)
    return all(abs(Decimal(a) - Decimal(b)) <= max(last_place(a), last_place(b)) for a, b in pairs)


def last_place(number: str) -> Decimal:
    """0.01 for 3.14, 1E-7 for 2.5e-6."""
    return Decimal(1).scaleb(Decimal(number).as_tuple().exponent)


# --- the command ----------------------------------------------------------------------------------


def check(path: Path, update: bool, model: str | None) -> list[str]:
    """Run one notebook; what is wrong with it."""
    stored = read(path)
    try:
        fresh = executed(stored if model is None else on_model(stored, model))
    except CellExecutionError as error:
        return [str(error)]
    if update:
        nbformat.write(fresh, path)
    return [] if update or model is not None else differences(stored, fresh)


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the lessons, and hold them to their outputs.")
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: all")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--update", action="store_true", help="store the outputs, compare nothing")
    what.add_argument("--model", help="a folder or a hub id to run on, compare nothing")
    options = parser.parse_args()
    failed = False
    for path in options.notebooks or lessons():
        started = time.perf_counter()
        wrong = check(path, options.update, options.model)
        seconds = time.perf_counter() - started
        print(f"{path.name}: {'failed' if wrong else 'ok'}, {seconds:.0f} s", flush=True)
        for each in wrong:
            print(each, flush=True)
        failed = failed or bool(wrong)
    if failed and not options.update and options.model is None:
        print("where the new outputs are right, store them: make notebooks-update")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
