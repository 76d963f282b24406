"""The lessons as they are stored, and the script that runs them. What the cells compute is checked by `make notebooks`,
which runs them all; here is only what can be seen without running them."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from notebooks import run

ROOT = Path(__file__).parent.parent
ABSOLUTE = re.compile(r"""(?<![\w.<:/])(/[\w.-]+){2,}|\b[A-Z]:\\""")  # a path from the root on; not </td>, not a URL
LESSONS = run.lessons()

lesson = pytest.mark.parametrize("path", LESSONS, ids=[path.stem for path in LESSONS])


def test_there_are_lessons() -> None:
    assert [path.name[:2] for path in LESSONS] == [f"{number:02}" for number in range(1, len(LESSONS) + 1)]
    assert len(LESSONS) >= 2


# --- as they are stored -----------------------------------------------------------------------------------------------


@lesson
def test_the_file_is_a_whole_notebook(path: Path) -> None:
    notebook = run.read(path)
    nbformat.validate(notebook)
    assert notebook.nbformat_minor >= 5, "cells have ids from 4.5 on"
    assert path.stat().st_size < 1_000_000, "larger ones are not shown on the web"


@lesson
def test_the_outputs_came_from_this_code_and_in_this_order(path: Path) -> None:
    notebook = run.read(path)
    assert notebook.metadata.minikv.code == run.code_hash(notebook), f"make notebooks-update: {path.name} is stale"
    counts = [cell.execution_count for cell in run.code_cells(notebook)]
    assert counts == list(range(1, len(counts) + 1))


@lesson
def test_what_a_cell_shows_is_stored(path: Path) -> None:
    for cell in run.code_cells(run.read(path)):
        assert cell.outputs or not shows(cell.source), f"cell {cell.id}"


def shows(source: str) -> bool:
    """Whether a cell ends with a value, or prints."""
    lines = [line for line in ast.parse(source).body if not isinstance(line, ast.FunctionDef)]
    names = {getattr(node.func, "id", "") for line in lines for node in ast.walk(line) if isinstance(node, ast.Call)}
    return "print" in names or (bool(lines) and isinstance(lines[-1], ast.Expr))


@lesson
def test_no_output_is_an_error_or_tells_whose_machine_it_was(path: Path) -> None:
    for cell in run.code_cells(run.read(path)):
        for output in cell.outputs:
            assert output.output_type != "error", f"cell {cell.id}"
            assert output.get("name") != "stderr", f"cell {cell.id}: {output.text}"
        for kind, text in run.texts(cell):
            found = None if kind.startswith("image/") else ABSOLUTE.search(text)
            assert found is None, f"cell {cell.id}: {found}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/home/ann/minikv/weights", True),
        ("'/Users/ann/x.py'", True),
        (r"C:\Users\ann", True),
        ("<td>and/or</td></tr>", False),
        ("https://arxiv.org/abs/1706", False),
        ("minikv/cache.py, 3 / 4", False),
    ],
)
def test_what_counts_as_a_path_of_somebodys_machine(text: str, found: bool) -> None:
    assert bool(ABSOLUTE.search(text)) == found


@lesson
def test_a_lesson_has_its_parts(path: Path) -> None:
    notebook = run.read(path)
    code = "\n".join(cell.source for cell in run.code_cells(notebook))
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert code.count(run.MODEL) == 1, "one line to change for other weights"
    assert "assert" in code
    assert "The question" in prose
    assert "**Predict" in prose
    assert prose.count("<details>") == prose.count("</details>") >= 1
    assert any(kind == "image/png" for cell in run.code_cells(notebook) for kind, _ in run.texts(cell)), "a picture"


# --- the script that runs them ----------------------------------------------------------------------------------------


def notebook_of(*sources: str) -> NotebookNode:
    return new_notebook(cells=[new_code_cell(source, id=f"c{number}") for number, source in enumerate(sources)])


def printed(text: str, tags: tuple[str, ...] = (), kind: str = "text/plain") -> NotebookNode:
    """A notebook of one cell that gave this."""
    notebook = notebook_of("x")
    notebook.cells[0].outputs = [new_output("display_data", {kind: text})]
    notebook.cells[0].metadata.tags = list(tags)
    return notebook


@pytest.mark.parametrize(
    ("stored", "fresh", "same"),
    [
        ("3 tokens", "3 tokens", True),
        ("3 tokens", "4 tokens", False),
        ("loss 1.234", "loss 1.235", True),
        ("loss 1.234", "loss 1.236", False),
        ("loss -0.00", "loss  0.00", True),
        ("loss 0.99", "loss 1.00", True),
        ("1.50e-07", "1.51e-07", True),
        ("1.50e-07", "1.50e-06", False),
        ("1.5", "1.5 1.5", False),
        ("3", "3.0", False),
    ],
)
def test_texts_are_compared_up_to_rounding(stored: str, fresh: str, same: bool) -> None:
    found = run.differences(printed(stored), printed(fresh))
    assert bool(found) != same
    assert same or "cell c0" in found[0]


def test_pictures_and_what_varies_are_compared_as_there_is_one() -> None:
    assert not run.differences(printed("AAAA", kind="image/png"), printed("BBBB", kind="image/png"))
    assert not run.differences(printed("3 s", ("varies",)), printed("5 s", ("varies",)))
    assert run.differences(printed("3 s", ("varies",)), printed("", ("varies",), kind="image/png"))
    assert run.differences(printed("AAAA", kind="image/png"), notebook_of("x")) == [
        "cell c0: stored image/png, now nothing"
    ]


def test_a_lesson_is_run_stored_and_compared(tmp_path: Path) -> None:
    path = tmp_path / "lesson.ipynb"
    nbformat.write(notebook_of("x = 2", "print(x, flush=True)\nprint(x, flush=True)", "x * 3"), path)
    first = command(path, "--update")
    assert first.returncode == 0, first.stdout + first.stderr
    stored = run.read(path)
    assert [cell.execution_count for cell in stored.cells] == [1, 2, 3]
    assert [text for cell in stored.cells for _, text in run.texts(cell)] == ["2\n2\n", "6"]
    assert stored.metadata.minikv.code == run.code_hash(stored)
    before = path.read_bytes()
    assert command(path).returncode == 0
    stored.cells[2].source = "x * 4"
    assert stored.metadata.minikv.code != run.code_hash(stored)
    nbformat.write(stored, path)
    stale = command(path)
    assert stale.returncode == 1
    assert "cell c2, text/plain" in stale.stdout
    assert path.read_bytes() != before, "comparing stores nothing"
    assert run.texts(run.read(path).cells[2]) == [("text/plain", "6")]


def test_a_cell_that_fails_is_told_and_nothing_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "lesson.ipynb"
    nbformat.write(notebook_of("print(1)", "assert False, 'look at the mask'"), path)
    before = path.read_bytes()
    failed = command(path, "--update")
    assert failed.returncode == 1
    assert "look at the mask" in failed.stdout
    assert path.read_bytes() == before


def test_on_other_weights_one_line_changes(tmp_path: Path) -> None:
    notebook = notebook_of("MODEL = None  # or a folder", "MODEL")
    assert run.on_model(notebook, str(tmp_path)).cells[0].source == f"MODEL = {str(tmp_path)!r}  # or a folder"
    assert run.on_model(notebook, "Qwen/Qwen2.5-0.5B").cells[0].source == "MODEL = 'Qwen/Qwen2.5-0.5B'  # or a folder"
    assert notebook.cells[0].source == "MODEL = None  # or a folder"


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "notebooks/run.py"), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
