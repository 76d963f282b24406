"""Two runs, tensor by tensor in the order of computation: the first that differs, and how it grows from there.

    found = minikv.compare(model, reference, tokens)
    found.first     # the Difference of the first tensor beyond the tolerance: the fault is in what computes it
    print(found)    # each layer, and every tensor of the layer where it begins

A fault in one tensor makes all that follow it differ, so the first one names the cause and the last one only the harm.
The tolerance is absolute, as for logits. Where a residual stream grows to thousands, rounding alone may pass it there:
then read the relative difference, which jumps at a fault and creeps with rounding.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from minikv.decoder import Decoder
from minikv.errors import MinikvError
from minikv.generate import check_ids
from minikv.look.recorder import LOGITS, POINTS
from minikv.look.trace import distinct, folded, split_layer, trace
from minikv.table import Cell, Mark, Table, cell

FIGURES = ("largest", "mean", "relative", "cosine")
PIECE = 1 << 18  # numbers of a tensor that are compared at a time: few enough to stay in the processor's cache
Mapped = Mapping[str, str] | Callable[[str], str]  # our name of a module to the reference's


@dataclass(frozen=True)
class Difference:
    """One tensor of two runs. The difference is infinite where the shapes differ, or one holds what is no number."""

    name: str
    shape: tuple[int, ...]
    reference_shape: tuple[int, ...]
    max: float  # the largest absolute difference
    mean: float  # the absolute difference on average
    relative: float  # the length of the difference over the length of the reference, both as vectors
    cosine: float  # of the angle between the two vectors

    @property
    def figures(self) -> tuple[str, ...]:
        """The four numbers as a table shows them, named by FIGURES."""
        return (*(f"{number:.3g}" for number in (self.max, self.mean, self.relative)), f"{self.cosine:.6f}")


@dataclass(frozen=True)
class Top1:
    """Whether two runs would choose the same tokens."""

    positions: int
    agreeing: int  # positions where both have the same likeliest token
    margin: float  # by how much the reference's likeliest token leads at least: the nearest that it comes to a tie


@dataclass(frozen=True)
class Comparison:
    """The differences of two runs, in the order of computation."""

    differences: tuple[Difference, ...]
    atol: float
    top1: Top1 | None  # where both gave logits
    unmatched: tuple[str, ...]  # tensors that only the first run has

    @property
    def first(self) -> Difference | None:
        """The first tensor that differs by more than `atol` anywhere."""
        return next((each for each in self.differences if each.max > self.atol), None)

    @property
    def ok(self) -> bool:
        return self.first is None

    def table(self) -> Table:
        """A row for each layer, with the figures of its last tensor: the residual stream at its end. The layer in which
        the first difference lies is shown tensor by tensor."""
        layers: dict[str, list[Difference]] = {}
        for each in self.differences:
            layers.setdefault("".join(split_layer(each.name)[:2]), []).append(each)
        opened = None if self.first is None else "".join(split_layer(self.first.name)[:2])
        rows = [self._row(each) for layer, inside in layers.items() for each in inside[-1 if layer != opened else 0 :]]
        return Table(self._title(), ("tensor", *FIGURES), tuple(rows), "\n".join(self._remarks()))

    def _row(self, each: Difference) -> tuple[Cell, ...]:
        mark = Mark.WRONG if each is self.first else Mark.PLAIN
        return cell(each.name, mark), *(cell(figure, mark) for figure in each.figures)

    def _title(self) -> str:
        if self.first is None:
            return f"{len(self.differences)} tensors are equal within {self.atol:g}"
        figures = ", ".join(map(" ".join, zip(FIGURES, self.first.figures, strict=True)))
        shapes = list(self.first.shape), list(self.first.reference_shape)
        shape = f"shape {shapes[0]}" if shapes[0] == shapes[1] else f"shapes {shapes[0]} and {shapes[1]}"
        return f"first beyond {self.atol:g}: {self.first.name} ({figures}, {shape})"

    def _remarks(self) -> list[str]:
        remarks = []
        if self.top1 is not None:
            remarks.append(
                f"The same likeliest token at {self.top1.agreeing} of {self.top1.positions} positions; it leads by "
                f"{self.top1.margin:.3g} at least."
            )
        if self.unmatched:
            names = ", ".join(name for name, _ in folded(dict.fromkeys(self.unmatched)))
            remarks.append(f"Not seen in the reference: {names}.")
        return remarks

    def as_json(self) -> dict[str, Any]:
        """All of it, for `json.dumps`; null for a figure that is no finite number."""
        return {
            "ok": self.ok,
            "atol": self.atol,
            "first": None if self.first is None else self.first.name,
            "top1": None if self.top1 is None else asdict(self.top1),
            "tensors": [finite_or_none(asdict(each)) for each in self.differences],
            "unmatched": list(self.unmatched),
        }

    def __repr__(self) -> str:
        return repr(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def finite_or_none(figures: dict[str, Any]) -> dict[str, Any]:
    return {key: None if isinstance(x, float) and not math.isfinite(x) else x for key, x in figures.items()}


@torch.no_grad()
def compare(
    model: nn.Module,
    reference: nn.Module,
    tokens: Int[Tensor, "rows new"],
    atol: float = 1e-4,
    mapping: Mapped | None = None,
) -> Comparison:
    """Run both on the same tokens, without a cache, and compare every tensor that has a name in both.

    model, reference   modules that take int64 tokens: decoders of minikv or of transformers, or your own
    atol               how much a tensor may differ from the reference's, anywhere
    mapping            our names of modules to the reference's, as a dict of those that differ or a function of the
                       name. None: the same names, as in transformers' Qwen2 and GPT-2

    The tensors of both runs are held at once, and nothing else: twice the `nbytes` of a trace. MinikvError where no
    module is named alike in both.
    """
    check_question((model, reference), tokens.tolist(), atol)
    with trace(model) as ours:
        model(tokens.to(device_of(model)))
    with trace(reference) as theirs:
        reference(tokens.to(device_of(reference)))
    counterparts = {
        name: theirs.latest[other] for name in ours.names if (other := mapped(name, mapping)) in theirs.latest
    }
    if not counterparts.keys() - {LOGITS}:
        raise MinikvError(
            f"no module is named alike in both: here {', '.join(ours.names[:3])} …, in the reference "
            f"{', '.join(theirs.names[:3])} …; give a mapping from our names of modules to the reference's"
        )
    return differences_of(ours.latest, counterparts, atol)


def differences_of(a: Mapping[str, Tensor], b: Mapping[str, Tensor], atol: float) -> Comparison:
    """Compare what two runs have in common, such as the passes of two traces, in the order of the first; `b` is the
    reference. A tensor that has two names in both is compared under the first."""
    pairs: dict[tuple[int, int], str] = {}
    for name in a:
        if name in b:
            pairs.setdefault((id(a[name]), id(b[name])), name)
    matched = {ours for ours, _ in pairs}
    return Comparison(
        differences=tuple(difference(name, a[name], b[name]) for name in pairs.values()),
        atol=atol,
        top1=next((top1(a[name], b[name]) for name in (LOGITS, "lm_head") if name in a and name in b), None),
        unmatched=tuple(name for name, tensor in distinct(a).items() if id(tensor) not in matched),
    )


def difference(name: str, a: Tensor, b: Tensor) -> Difference:
    """How far `a` is from `b`, the reference. What is minus infinity in both, as a hidden score, is equal; what is no
    number never is."""
    shapes = tuple(a.shape), tuple(b.shape)
    if a.shape != b.shape:
        return Difference(name, *shapes, max=math.inf, mean=math.inf, relative=math.inf, cosine=math.nan)
    largest, sums = 0.0, torch.zeros(5, dtype=torch.float64)
    for x, y in zip(a.flatten().split(PIECE), b.flatten().split(PIECE), strict=True):
        x, y = x.cpu().double(), y.cpu().double()
        gap = (x - y).abs()
        gap = gap.masked_fill(gap.isnan(), math.inf).masked_fill(x == y, 0.0)
        infinite = ~(x.isfinite() & y.isfinite())
        x, y = x.masked_fill(infinite, 0.0), y.masked_fill(infinite, 0.0)
        largest = max(largest, float(gap.max()) if len(gap) else 0.0)
        sums += torch.stack([gap.sum(), gap @ gap, x @ x, y @ y, x @ y])
    total, *squares, product = sums.tolist()
    apart, length, expected = map(math.sqrt, squares)
    return Difference(
        name,
        *shapes,
        max=largest,
        mean=total / max(a.numel(), 1),
        relative=apart / expected if expected else math.inf if apart else 0.0,
        cosine=product / (length * expected) if length and expected else float(length == expected),
    )


def top1(ours: Float[Tensor, "*rows vocab"], theirs: Float[Tensor, "*rows other"]) -> Top1 | None:
    """Whether two runs' logits choose the same tokens; None if they are of different shapes."""
    if ours.shape != theirs.shape:
        return None
    first, second = theirs.float().topk(2).values.unbind(-1)
    agreeing = ours.argmax(dim=-1).cpu() == theirs.argmax(dim=-1).cpu()
    return Top1(agreeing.numel(), int(agreeing.sum()), float((first - second).min()))


def check_question(models: Iterable[nn.Module], prompts: list[list[int]], atol: float) -> None:
    """MinikvError for a comparison that could prove nothing, or for ids that a decoder cannot take."""
    if not atol >= 0:  # so that NaN, within which everything is, is refused too
        raise MinikvError(f"atol is {atol}; expected 0 or more")
    empty = [number for number, prompt in enumerate(prompts) if not prompt]
    if empty or not prompts:
        raise MinikvError(f"{f'prompt {empty[0]} is empty' if empty else 'no prompts'}; expected at least one token")
    for model in models:
        if isinstance(model, Decoder):
            check_ids(model, prompts, used=[0] * len(prompts), more=0)


def mapped(name: str, mapping: Mapped | None) -> str:
    """The reference's name of a tensor of ours: its module's name, and the point behind it as it is."""
    module, _, point = name.rpartition(".")
    if point not in ("input", *POINTS):
        module, point = name, ""
    if mapping is None or name == LOGITS:
        return name
    other = mapping(module) if callable(mapping) else mapping.get(module, module)
    return f"{other}.{point}" if point else other


def device_of(model: nn.Module) -> torch.device:
    return next((parameter.device for parameter in model.parameters()), torch.device("cpu"))
