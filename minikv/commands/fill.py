"""`minikv extract --template`: a JSON template and a document to the filled template, and a report of what to trust."""

import json
import sys
from math import exp
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from minikv.commands.common import read_document, stderr
from minikv.decoder import Decoder
from minikv.errors import MinikvError
from minikv.filling.fill import fill_report
from minikv.filling.filled import Filled, Record
from minikv.filling.template import parse, plan
from minikv.tokenizer import Tokenizer
from minikv.visible import one_line, printable

TemplateOption = Annotated[
    str | None, typer.Option(help="A file with a JSON template to fill, instead of keys; or - for stdin.")
]
ReportOption = Annotated[
    str | None,
    typer.Option(
        help="With --template: a file for a report on each value, as JSON. With - it goes to where the values go."
    ),
]
CELL = 48  # characters of a path or a value that the table shows


def read_template(path: str, keys: bool, recipe: bool) -> dict[str, Any]:
    """A template that can be filled, from its file. `keys` and `recipe`: whether such options are given too."""
    if keys:
        raise typer.BadParameter("give --keys, --keys-file or --template, one of them", param_hint="--template")
    if recipe:
        raise typer.BadParameter("is for keys; a template is filled in one way", param_hint="--recipe")
    template = parse(read_document(path))
    plan(template)
    return template


def check_report(report: str | None, template: bool) -> None:
    """A report that cannot be written is told before the work is done."""
    if report is not None and not template:
        raise typer.BadParameter("needs --template", param_hint="--report")
    if report not in (None, "-") and (Path(report).is_dir() or not Path(report).parent.is_dir()):
        raise MinikvError(f"the report cannot be written to {report}; expected a file in a folder that exists")


def fill_and_print(
    decoder: Decoder,
    tokenizer: Tokenizer,
    document: str,
    template: dict[str, Any],
    report: str | None,
    max_new_tokens: int,
) -> None:
    """The filled template on stdout, the report where it was asked for, and on a terminal a table of what to trust."""
    with stderr.status(f"filling the template from {len(document)} characters"):
        filled = fill_report(decoder, tokenizer, document, template, max_new_tokens=max_new_tokens)
    show_json(filled.as_json() if report == "-" else filled.values)
    if report not in (None, "-"):
        Path(report).write_text(as_json(filled.as_json()) + "\n", encoding="utf-8")
    if stderr.is_terminal:
        stderr.print(trust_table(filled))


def show_json(value: dict[str, Any]) -> None:
    text = as_json(value)
    print(printable(text) if sys.stdout.isatty() else text, flush=True)


def as_json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)


def trust_table(filled: Filled) -> Table:
    """A row for each blank: ✓ its value stands in the document, ✗ it does not, – there is none."""
    table = Table("", "path", "value", "sure", "", caption=summary(filled), caption_justify="left")
    for record in filled.report:
        mark, remark = verdict(record)
        style = "bold red" if mark == "✗" else ""
        said = record.text if record.value is None else json.dumps(record.value, ensure_ascii=False)
        sure = "" if record.log_prob is None else f"{exp(record.log_prob):.1%}"
        cells = (mark, cut(" > ".join(record.path)), cut(said), sure, remark)
        table.add_row(*map(Text, cells), style=style)
    return table


def verdict(record: Record) -> tuple[str, str]:
    """The mark of a value, and what to say of it."""
    if record.value is None:
        return "–", record.problem or ""
    remarks = [] if record.in_document else ["not in the document"]
    if any(part.found is not None and not part.found.same_case for part in record.parts):
        remarks.append("with other capitals there")
    if not record.ended:
        remarks.append("cut at the limit of tokens")
    if type(record.value) in (int, float) and record.text != str(record.value):
        remarks.append(f"from {cut(record.text)}")
    return "✓" if record.in_document else "✗", ", ".join(remarks)


def summary(filled: Filled) -> str:
    values = sum(record.value is not None for record in filled.report)
    return f"{values} of {len(filled.report)} blanks filled, {len(filled.not_in_document)} from outside the document"


def cut(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= CELL else line[: CELL - 1] + "…"
