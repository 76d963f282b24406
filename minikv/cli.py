"""The command line. Results go to stdout and everything else to stderr; a user's mistake is one line, no traceback.

Exit codes: 0 done, 1 the job cannot be done as asked, 2 wrong usage, 3 done, but some of many documents failed, 130
interrupted.
"""

import io
import json
import sys
from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from minikv import demo as lesson
from minikv.bench import extract_report, growth, growth_report
from minikv.bench.contestants import all_of_minikv, all_of_transformers, check_transformers, load_reference
from minikv.bench.draw import FORMATS, check_matplotlib, draw_growth
from minikv.bench.extract import compare, without
from minikv.bench.floor import Floor
from minikv.bench.job import Size, make_job
from minikv.bench.machine import card
from minikv.bench.shapes import SHAPES, blank_shape, fill_randomly, random_ids
from minikv.checkpoint import bundled, load_sampling, resolve
from minikv.commands.bench_many import bench_many
from minikv.commands.common import (
    JobOption,
    KeysFileOption,
    KeysOption,
    ModelOption,
    RevisionOption,
    load_any,
    load_both,
    plainly,
    read_document,
    read_dtype,
    read_job,
    read_keys,
    stderr,
)
from minikv.commands.compare import compare as compare_models
from minikv.commands.draw import draw
from minikv.commands.fill import ReportOption, TemplateOption, check_report, fill_and_print, read_template
from minikv.commands.many import (
    BudgetOption,
    DocumentsOption,
    Engine,
    EngineOption,
    OutOption,
    Overlong,
    OverlongOption,
    WorkersOption,
    extract_many,
)
from minikv.commands.step import step
from minikv.commands.why import why
from minikv.config import DTYPES
from minikv.errors import MinikvError
from minikv.extract import extract as extract_values
from minikv.extract import find_recipe
from minikv.filling.template import without_repetition
from minikv.generate import steps
from minikv.qwen2 import Qwen2
from minikv.recipes import RECIPES
from minikv.sampling import Sampling
from minikv.speed.draft import DRAFTED
from minikv.speed.fast import fast
from minikv.tokenizer import until
from minikv.visible import printable

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A Qwen2 decoder by hand with its KV cache in the open: many keys from one document, on one cached prefix.",
)
bench_app = typer.Typer(no_args_is_help=True, help="Measure: each prints tables, and one JSON object as its last line.")
app.add_typer(bench_app, name="bench")
bench_app.command("many")(bench_many)
app.command("compare")(compare_models)
app.command("draw")(draw)
app.command("step")(step)
app.command("why")(why)


@app.command()
@plainly
def demo(
    model: ModelOption = None,
    document: JobOption = lesson.DOCUMENTS[0],
    keys: KeysOption = None,
    keys_file: KeysFileOption = None,
    max_new_tokens: Annotated[int, typer.Option(min=0, help="Tokens of an answer at most.")] = 32,
    dtype: Annotated[str, typer.Option(help="fp32 keeps equal answers equal; 16 bits round by batch.")] = "float32",
    revision: RevisionOption = None,
) -> None:
    """Every recipe, right and wrong, on one document: the bug and its repair in one table."""
    text, asked = read_job(document, keys, keys_file)
    decoder, tokenizer = load_both(model, dtype, revision)
    outcomes = lesson.run_all(decoder, tokenizer, text, asked, max_new_tokens, stderr)
    console = Console() if sys.stdout.isatty() else Console(width=160)
    console.print(lesson.answers_table(outcomes, asked))
    console.print(lesson.figures_table(outcomes))
    if model is None:
        console.print("The same on the official weights: minikv demo --model Qwen/Qwen2.5-0.5B-Instruct")


@app.command()
@plainly
def extract(
    document: Annotated[str | None, typer.Option(help="A text file, or - for stdin.")] = None,
    keys: KeysOption = None,
    keys_file: KeysFileOption = None,
    template: TemplateOption = None,
    model: ModelOption = None,
    recipe: Annotated[str, typer.Option(help=f"One of {', '.join(RECIPES)}, {DRAFTED.name}.")] = DRAFTED.name,
    plain: Annotated[
        bool, typer.Option("--plain", help="Compute as qwen2.py is written, not in the fast form.")
    ] = False,
    max_new_tokens: Annotated[int, typer.Option(min=0, help="Tokens of a value at most.")] = 64,
    dtype: Annotated[str, typer.Option(help="auto, float32, bfloat16 or float16.")] = "auto",
    revision: RevisionOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="JSON on a terminal too; elsewhere stdout always gets JSON.")
    ] = False,
    report: ReportOption = None,
    documents: DocumentsOption = None,
    out: OutOption = None,
    cache_budget: BudgetOption = "512MB",
    overlong: OverlongOption = Overlong.REFUSE,
    engine: EngineOption = Engine.LOCAL,
    workers: WorkersOption = 1,
) -> None:
    """The value of each key, read out of a document, or out of many."""
    find_recipe(recipe)
    check_report(report, template is not None)
    blanks = template and read_template(
        template, keys=keys is not None or keys_file is not None, recipe=recipe != DRAFTED.name
    )
    if documents is not None:
        if document is not None or recipe != DRAFTED.name or report not in (None, "-"):
            raise typer.BadParameter(
                "goes with neither --document nor another --recipe; a --report goes to the results, with -",
                param_hint="--documents",
            )
        extract_many(
            documents,
            out,
            template=blanks or without_repetition([(key, "") for key in read_keys(keys, keys_file)]),
            model=model,
            revision=revision,
            dtype=dtype,
            plain=plain,
            max_new_tokens=max_new_tokens,
            report=report == "-",
            cache_budget=cache_budget,
            overlong=overlong,
            engine=engine,
            workers=workers,
        )
        return
    if document is None or out is not None:
        raise typer.BadParameter("give --document alone, or --documents with --out", param_hint="--document")
    text, asked = read_document(document), [] if blanks else read_keys(keys, keys_file)
    decoder, tokenizer = load_both(model, dtype, revision)
    if isinstance(decoder, Qwen2) and not plain:
        fast(decoder)
    if blanks:
        fill_and_print(decoder, tokenizer, text, blanks, report, max_new_tokens)
        return
    with stderr.status(f"reading {len(asked)} values out of {len(text)} characters"):
        values = extract_values(decoder, tokenizer, text, asked, recipe, max_new_tokens=max_new_tokens)
    if as_json or not sys.stdout.isatty():
        print(json.dumps(values, ensure_ascii=False, indent=2))
        return
    table = Table("key", "value")
    for key, value in values.items():
        table.add_row(Text(printable(key)), Text(printable(value)))
    Console().print(table)


@app.command()
@plainly
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
        print(printable(piece) if sys.stdout.isatty() else piece, end="", flush=True)
    print()


@bench_app.command("cache")
@plainly
def bench_cache(
    model: ModelOption = None,
    shape: Annotated[
        str | None, typer.Option(help=f"Random weights of an official size instead: {', '.join(SHAPES)}.")
    ] = None,
    new_tokens: Annotated[int, typer.Option(min=1, help="Tokens to generate, whatever they are.")] = 1000,
    runs: Annotated[int, typer.Option(min=1, help="Runs of each.")] = 5,
    prompt: Annotated[str | None, typer.Option(help="What to continue. Without a tokenizer: 8 random tokens.")] = None,
    dtype: Annotated[str, typer.Option(help="In fp32 both choose the same tokens; 16 bits round apart.")] = "float32",
    every: Annotated[
        int, typer.Option(min=1, help="Without a cache time one token in so many, and interpolate those between.")
    ] = 1,
    out: Annotated[Path | None, typer.Option(help="A folder for picture and JSON, or a .png or .svg.")] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Of random weights and tokens.")] = 0,
    revision: RevisionOption = None,
) -> None:
    """What a KV cache saves: the same tokens with it and without, the seconds of each, and how they grow."""
    if shape is not None and model is not None:
        raise typer.BadParameter("give --model or --shape, not both", param_hint="--shape")
    read_dtype(dtype)  # a mistake is told before anything is loaded
    picture, record = result_files(out, "cache")
    tokenizer = None
    if shape is None:
        decoder, tokenizer = load_any(model, dtype, revision)
        name = "the bundled checkpoint" if model is None else Path(model).resolve().name
    else:
        decoder, name = blank_shape(shape), f"{shape}, random weights"
    if tokenizer is not None:
        ids = tokenizer.encode(growth.PROMPT if prompt is None else prompt)
    elif prompt is None:
        ids = random_ids(decoder.config.vocab, growth.RANDOM_PROMPT, seed)
    else:
        raise MinikvError(f"{name}: there is no tokenizer to read a prompt with; leave --prompt")
    growth.check(decoder, ids, new_tokens, runs, every)
    if shape is not None:
        with stderr.status(f"drawing the weights of {shape}"):
            fill_randomly(decoder, DTYPES.get(dtype, torch.float32), seed)
    found = growth.compare(decoder, ids, new_tokens, runs, every, stderr)
    facts = card(decoder)
    console = Console() if sys.stdout.isatty() else Console(width=160)
    console.print(Text(printable(f"{name}\n" + "\n".join(f"  {key}: {value}" for key, value in facts.items()))))
    console.print(growth_report.totals_table(found))
    console.print(growth_report.places_table(found))
    for remark in growth_report.remarks(found):
        console.print(Text(remark))
    as_json = json.dumps({"benchmark": "cache", "model": name, "card": facts, **found.as_json()}, allow_nan=False)
    if picture is not None:
        draw_growth(found, name, facts, picture)
    if record is not None:
        record.write_text(as_json + "\n", encoding="utf-8")
    print(as_json)


@bench_app.command("extract")
@plainly
def bench_extract(
    model: ModelOption = None,
    prefix_tokens: Annotated[int | None, typer.Option(help="Tokens of the shared prefix. Default: 256.")] = None,
    keys: Annotated[int | None, typer.Option(help="Keys asked of the document. Default: 6.")] = None,
    sizes: Annotated[str | None, typer.Option(help="Several at once: prefix tokens x keys, 256x6,2048x32.")] = None,
    new_tokens: Annotated[int, typer.Option(help="Tokens that each row gets.")] = 20,
    runs: Annotated[int, typer.Option(help="Times that every contestant does every job.")] = 3,
    dtype: Annotated[str, typer.Option(help="bfloat16 or float32.")] = "bfloat16",
    skip: Annotated[
        list[str] | None, typer.Option(help="A contestant to leave out, as the table names it. May be given again.")
    ] = None,
    estimate_naive: Annotated[
        bool, typer.Option("--estimate-naive", help="Time two rows of each naive loop, and mark the rest as estimated.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="A folder for picture and JSON, or a .png or .svg.")] = None,
    revision: RevisionOption = None,
) -> None:
    """One document, many keys: minikv's right recipes beside transformers, phase by phase."""
    if dtype not in ("bfloat16", "float32"):
        raise typer.BadParameter(f"{dtype!r} is neither bfloat16 nor float32", param_hint="--dtype")
    if sizes is not None and (prefix_tokens is not None or keys is not None):
        raise typer.BadParameter("give either this or --prefix-tokens and --keys", param_hint="--sizes")
    check_transformers()
    picture, record = result_files(out, f"extract-{dtype}")
    one = Size(256 if prefix_tokens is None else prefix_tokens, 6 if keys is None else keys)
    wanted = [one] if sizes is None else [Size.parse(text) for text in sizes.split(",")]
    decoder, tokenizer = load_both(model, dtype, revision)
    jobs = [make_job(tokenizer, decoder.config, size, new_tokens) for size in wanted]
    with stderr.status("loading the same weights with transformers"):
        reference = load_reference(bundled() if model is None else resolve(model, revision), decoder.dtype)
    quick, _ = load_both(model, dtype, revision)  # its own copy, since it is packed in place
    contestants = without([*all_of_transformers(reference), *all_of_minikv(decoder, fast(quick))], skip or [])
    floor = Floor(decoder, quick)
    report = extract_report.Report(
        model="the bundled checkpoint" if model is None else Path(model).name,
        card=card(decoder),
        dtype=dtype,
        new_tokens=new_tokens,
        step_bytes=floor.step_bytes,
        contests=compare(contestants, jobs, floor, runs, estimate_naive, stderr),
    )
    console = Console() if sys.stdout.isatty() else Console(width=160)
    extract_report.show(report, console)
    as_json = json.dumps(extract_report.as_json(report), allow_nan=False)
    if picture is not None:
        extract_report.draw(report, picture)
    if record is not None:
        record.write_text(as_json + "\n", encoding="utf-8")
    print(as_json)
    if report.failed:
        raise typer.Exit(1)


def result_files(out: Path | None, name: str) -> tuple[Path | None, Path | None]:
    """Where --out puts a benchmark's picture and its JSON: into a folder both, else the picture alone. Told, and the
    folder made, before anything is measured."""
    if out is None:
        return None, None
    check_matplotlib()
    folder = out.is_dir() or not out.suffix
    if not folder and out.suffix not in FORMATS:
        raise MinikvError(f"--out is {out}; expected a folder, or a file that ends in {' or '.join(FORMATS)}")
    (out if folder else out.parent).mkdir(parents=True, exist_ok=True)
    return (out / f"{name}.png", out / f"{name}.json") if folder else (out, None)


def main() -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):  # a model may answer in any script, whatever the locale
        sys.stdout.reconfigure(encoding="utf-8")
    app()
