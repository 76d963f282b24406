"""The contests as tables, as one JSON object and as a picture."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from minikv.bench.draw import check_matplotlib
from minikv.bench.extract import Contest, Result, Target, Verdict, verdicts
from minikv.visible import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PHASES = {"prefill": "#0072B2", "suffix": "#E69F00", "decode": "#009E73"}  # Okabe and Ito's, told apart by all eyes


@dataclass(frozen=True)
class Report:
    """The contests of one dtype, and what they were measured on."""

    model: str  # what it is called
    card: Mapping[str, str]
    dtype: str
    new_tokens: int
    step_bytes: int  # of the weights that one decode step reads
    contests: Sequence[Contest]

    @property
    def runs(self) -> int:
        return len(self.contests[0].results[0].outcomes)

    @property
    def verdicts(self) -> list[Verdict]:
        return verdicts(self.contests, self.dtype)

    @property
    def exact(self) -> bool:
        """Whether equal answers may be expected: 16 bits round by the shape of the batch."""
        return self.dtype == "float32"

    @property
    def failed(self) -> bool:
        return self.exact and any(contest.partings for contest in self.contests)


# --- tables -----------------------------------------------------------------------------------------------------------


def show(report: Report, console: Console) -> None:
    """Everything for people: the card, a table for each size, what the columns mean, the targets."""
    lines = [report.model, *(f"  {name}: {value}" for name, value in report.card.items())]
    console.print(Text(printable("\n".join(lines))))
    for contest in report.contests:
        console.print(size_table(report, contest))
        console.print(floor_remark(report, contest), highlight=False)
        console.print(answers_remark(report, contest), highlight=False)
    for remark in remarks(report):
        console.print(remark, highlight=False)
    if report.verdicts:
        console.print(targets_table(report.verdicts))


def size_table(report: Report, contest: Contest) -> Table:
    """The contestants on one job. ≈ marks what is estimated from some of the rows."""
    fed = sorted(map(len, contest.job.suffixes))
    table = Table(
        title=f"{contest.size.prefix} tokens of shared prefix, {contest.size.keys} keys of {fed[0]} to {fed[-1]} "
        f"tokens, {report.new_tokens} new tokens each, {report.dtype}. Seconds: median of {report.runs}",
        title_justify="left",
    )
    table.add_column("contestant", no_wrap=True)
    for heading in ("prefill", "suffix", "decode", "total (min–max)", "speed", "step ms", "/ read", "cache MB"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("peak MB", justify="right", no_wrap=True)
    table.add_column("equal", justify="right", no_wrap=True)
    best = contest.fastest("transformers")
    for result in contest.results:
        mark = "≈ " if result.estimated else ""
        total = result.seconds("total")
        equal, compared = contest.equal_rows(result)
        table.add_row(
            result.name,
            *(shown(result.seconds(phase).median) for phase in PHASES),
            f"{mark}{shown(total.median)} ({shown(min(total.seconds))}–{shown(max(total.seconds))})",
            "–" if best is None else f"{mark}{speed(result, best):.2f}",
            "–" if result.step is None else f"{1e3 * result.step:.1f}",
            "–" if result.step is None else f"{result.step / contest.read.median:.2f}",
            f"{result.cache_bytes / 1e6:.1f}",
            "–" if result.peak_bytes is None else f"{result.peak_bytes / 1e6:.0f}",
            f"{equal} of {compared}",
        )
    return table


def shown(seconds: float) -> str:
    """Three digits."""
    return f"{seconds:.0f}" if seconds >= 99.95 else f"{seconds:#.3g}"


def speed(result: Result, best: Result) -> float:
    """How many times as fast as transformers' fastest."""
    return best.seconds("total").median / result.seconds("total").median


def remarks(report: Report) -> list[str]:
    """What the columns mean, and which rows differ."""
    told = [
        "speed: times as fast as transformers' fastest. step: one decode step, median. / read: that, as a multiple of "
        "reading its weights once. cache: keys and values of the largest cache decoded from. peak: the most resident "
        "memory in a run beyond what was resident before it, both libraries' weights. equal: rows with the same "
        f"{report.new_tokens} tokens as the contestant named below each table."
    ]
    if not report.exact:
        told.append("In 16 bits rounding depends on the shape of the batch, so right recipes may part at near ties.")
    return told


def floor_remark(report: Report, contest: Contest) -> str:
    """What a decode step of minikv's fast form cannot be faster than."""
    read, products = contest.read.median, contest.products.median
    return (
        f"A step's weights ({report.step_bytes / 1e6:.1f} MB): read once in {1e3 * read:.1f} ms "
        f"({report.step_bytes / read / 1e9:.1f} GB/s), multiplied with {contest.size.keys} tokens and nothing else in "
        f"{1e3 * products:.1f} ms, {products / read:.2f} times that; both measured before each contestant's turn."
    )


def answers_remark(report: Report, contest: Contest) -> str:
    """Whom the answers were compared with; in fp32, every row that parts and where."""
    told = [f"Compared with {contest.truth.name}."]
    if report.exact:
        told.extend(
            f"{parting.name}: row {parting.row} parts at new token {parting.token + 1} of {report.new_tokens}."
            for parting in contest.partings
        )
    return " ".join(told)


def targets_table(found: Sequence[Verdict]) -> Table:
    """What was to be reached, and whether it was."""
    table = Table(
        title="Targets, for Qwen2 0.5B on two cores: minikv's fastest recipe at each size", title_justify="left"
    )
    for heading in ("target", "bound", "measured", "met"):
        table.add_column(heading, justify="left" if heading == "target" else "right", no_wrap=True)
    for verdict in found:
        sign = "≤" if verdict.target.against == "read" else "≥"
        table.add_row(
            in_words(verdict.target),
            f"{sign} {verdict.target.bound:g}",
            f"{'≈ ' if verdict.estimated else ''}{verdict.measured:.2f}",
            "yes" if verdict.met else "no",
        )
    return table


def in_words(target: Target) -> str:
    aim = {
        "fastest": "times as fast as transformers' fastest recipe",
        "naive_loop": "times as fast as transformers' naive loop",
        "read": "a decode step, as a multiple of reading the weights once",
    }
    return f"{target.size}, {target.dtype}: {aim[target.against]}"


# --- JSON -------------------------------------------------------------------------------------------------------------


def as_json(report: Report) -> dict[str, Any]:
    """All that was measured, every run of it. Seconds and bytes."""
    return {
        "benchmark": "extract",
        "model": report.model,
        "card": dict(report.card),
        "dtype": report.dtype,
        "new_tokens": report.new_tokens,
        "runs": report.runs,
        "step_bytes": report.step_bytes,
        "sizes": [
            {
                "prefix": contest.size.prefix,
                "keys": contest.size.keys,
                "suffix_tokens": [len(suffix) for suffix in contest.job.suffixes],
                "read": list(contest.read.seconds),
                "products": list(contest.products.seconds),
                "compared_with": contest.truth.name,
                "contestants": [result_json(contest, result) for result in contest.results],
                "partings": [asdict(parting) for parting in contest.partings],
            }
            for contest in report.contests
        ],
        "targets": [
            {**asdict(verdict.target), "size": str(verdict.target.size)}
            | {"measured": verdict.measured, "estimated": verdict.estimated, "met": verdict.met}
            for verdict in report.verdicts
        ],
    }


def result_json(contest: Contest, result: Result) -> dict[str, Any]:
    best = contest.fastest("transformers")
    equal, compared = contest.equal_rows(result)
    return {
        "name": result.name,
        "estimated": result.estimated,
        "rows_measured": len(result.answers),
        **{phase: list(result.seconds(phase).seconds) for phase in (*PHASES, "total")},
        "step": result.step,
        "times_as_fast_as_transformers_fastest": None if best is None else speed(result, best),
        "cache_bytes": result.cache_bytes,
        "peak_bytes": result.peak_bytes,
        "equal_rows": equal,
        "compared_rows": compared,
    }


# --- picture ----------------------------------------------------------------------------------------------------------


def draw(report: Report, path: Path) -> None:
    """Stacked bars of the phases' medians, a panel for each size, as wide as a README."""
    check_matplotlib()
    from matplotlib.figure import Figure

    columns = 1 if len(report.contests) == 1 else 2
    lines = -(-len(report.contests) // columns)
    height = 0.26 * len(report.contests[0].results) + 0.6
    figure = Figure(figsize=(9, lines * height + 0.7), dpi=110, layout="constrained", facecolor="white")
    panels = figure.subplots(lines, columns, squeeze=False, sharey=True).flatten()
    for panel, contest in zip(panels, report.contests, strict=False):
        draw_bars(panel, contest)
    for panel in panels[len(report.contests) :]:
        panel.set_visible(False)
    panels[0].invert_yaxis()  # all panels', since they share it
    threads = f"{report.card['threads']} threads, {report.card['cpu']}, torch {report.card['torch']}"
    figure.supxlabel(
        f"seconds, median of {report.runs}; {report.new_tokens} new tokens for each key; {threads}",
        fontsize=8,
        color="#666666",
    )
    handles = [panels[0].barh(0, 0, color=colour, label=phase) for phase, colour in PHASES.items()]
    figure.legend(handles=handles, loc="outside upper right", ncols=len(handles), frameon=False, fontsize=9)
    figure.suptitle(f"{report.model}, {report.dtype}", x=0.01, ha="left", fontsize=11)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def draw_bars(panel: "Axes", contest: Contest) -> None:
    """A bar for each contestant. One that is more than six times as long as transformers' fastest is cut at the edge,
    or those that matter could not be seen; its seconds stand in it."""
    totals = {result.name: result.seconds("total").median for result in contest.results}
    best, edge = contest.fastest("transformers"), 1.3 * max(totals.values())
    if best is not None:
        edge = min(edge, 6 * totals[best.name])
    for place, result in enumerate(contest.results):
        left = 0.0
        for phase, colour in PHASES.items():
            width = result.seconds(phase).median
            panel.barh(result.name, width, left=left, color=colour, height=0.72)
            left += width
        told = f"{'≈ ' if result.estimated else ''}{shown(totals[result.name])} s"
        if left > 0.85 * edge:
            end = min(left, edge)
            told = f"{told} » " if left > edge else f"{told} "
            panel.text(end, place, told, ha="right", va="center", fontsize=8, color="white", weight="bold")
        else:
            panel.text(left, place, f" {told}", ha="left", va="center", fontsize=8)
    panel.set_xlim(0, edge)
    panel.set_title(f"{contest.size.prefix} tokens of prefix, {contest.size.keys} keys", loc="left", fontsize=9)
    panel.tick_params(labelsize=8)
    panel.spines[["top", "right"]].set_visible(False)
