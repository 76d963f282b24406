"""Look inside a forward pass: every tensor that it computes, by name, and nothing changed by looking.

    with minikv.trace(model, "*.self_attn.weights") as t:
        model(tokens)
    t["model.layers.0.self_attn.weights"]   # [rows, heads, new, slots]

A module's output has the module's name, which is the checkpoint's; what went in is that name and `.input`. Inside
attention no module gives what one looks for, so there the points have names of their own, behind the name of the module
that attends. Where the paper's quantities (Vaswani et al. 2017) are in Qwen2, `L` being `model.layers.0`:

    quantity                        name                                        shape
    x, embedded                     model.embed_tokens                          rows new hidden
    x, normalised                   L.input_layernorm                           rows new hidden
    Q, K, V before RoPE             L.self_attn.q_proj, .k_proj, .v_proj        rows new heads*head_dim
    the mask                        L.self_attn.mask                            rows new slots
    Q after RoPE                    L.self_attn.q                               rows new heads head_dim
    K after RoPE, V, all seen       L.self_attn.keys, .values                   rows kv_heads slots head_dim
    Q K^T / sqrt(head_dim)          L.self_attn.scores                          rows heads new slots
    softmax of it                   L.self_attn.weights                         rows heads new slots
    softmax of it, times V          L.self_attn.attended                        rows new heads head_dim
    attention, times W^O            L.self_attn.o_proj                          rows new hidden
    residual stream, in the middle  L.post_attention_layernorm.input            rows new hidden
    x, normalised again             L.post_attention_layernorm                  rows new hidden
    MLP, inside                     L.mlp.gate_proj, .up_proj, .down_proj.input rows new intermediate
    MLP                             L.mlp                                       rows new hidden
    residual stream, at the end     L                                           rows new hidden
    x, normalised at last           model.norm                                  rows new hidden
    logits                          lm_head                                     rows new vocab

In GPT-2 `L` is `transformer.h.0`: Q, K and V before attention lie side by side in `L.attn.c_attn`, the points are
behind `L.attn`, the middle of the residual stream is `L.ln_2.input`, and `transformer.h.0.input` is the embedding with
its position. `logits` is what the whole model gave, where it was called as a whole.

Tracing never changes a result. Scores and weights, which a fused kernel never has, are computed beside the attention
that the model runs, by the functions that `attention.by_hand` is made of, and only where a pattern asks for them; the
model goes on with its own. Without a trace there is no hook and no wrapper (`recorder.py`): nothing is slower.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from typing import TypeVar

from torch import Tensor, nn

from minikv.errors import MinikvError
from minikv.look.recorder import LOGITS, POINTS, Recorder
from minikv.speed.fast import FusedBody
from minikv.table import Table, cell

T = TypeVar("T")


class Trace:
    """The tensors of each forward pass, by name, in the order in which they were computed.

    `passes` is a list of dicts; `t[name]` is the tensor in the latest. Every tensor is a copy, so nothing that is
    computed later changes it; one that has several names (what `self_attn` gives is what its `o_proj` gives) is kept
    once. Of a module that is called twice in a pass, the second call is kept.
    """

    def __init__(self, passes: list[dict[str, Tensor]]):
        self.passes = passes

    @property
    def latest(self) -> dict[str, Tensor]:
        """The tensors of the latest pass."""
        return self.passes[-1] if self.passes else {}

    @property
    def names(self) -> list[str]:
        """The names in the latest pass, in order."""
        return list(self.latest)

    @property
    def nbytes(self) -> int:
        """Bytes of all that is kept, in all passes."""
        return sum(tensor.nbytes for each in self.passes for tensor in distinct(each).values())

    def __getitem__(self, name: str) -> Tensor:
        if not self.latest:
            raise MinikvError(f"nothing was recorded, so no {name}: run the model inside the trace, and ask for it")
        if name not in self.latest:
            raise MinikvError(f"{name} is not in the latest pass; the nearest names are {nearest(name, self.names)}")
        return self.latest[name]

    def __contains__(self, name: str) -> bool:
        return name in self.latest

    def table(self) -> Table:
        """Name, shape and dtype of each tensor of the latest pass; layers that are alike in one row."""
        kept = distinct(self.latest)
        looks = {name: (str(list(x.shape)), str(x.dtype).removeprefix("torch.")) for name, x in kept.items()}
        return Table(
            f"passes: {len(self.passes)}, {self.nbytes / 1e6:.1f} MB; the latest:",
            ("tensor", "shape", "dtype"),
            tuple((cell(name), cell(shape), cell(dtype)) for name, (shape, dtype) in folded(looks)),
        )

    def __repr__(self) -> str:
        return repr(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


@contextmanager
def trace(model: nn.Module, *patterns: str) -> Iterator[Trace]:
    """Record every forward pass inside the `with`: all tensors, or those whose name matches one of the patterns (as in
    `fnmatch`: `*` is anything, dots included).

    Every pass is kept, so for a long generation ask only for what you need. A model of another library may be traced as
    well: its modules, and inside attention what transformers hands to its attention functions (no scores, and weights
    only where it computes them in the open, with `attn_implementation="eager"`).

    MinikvError for a model in the fast form, and for a pattern that matches nothing, on entering where that can be
    told, else on leaving.
    """
    if any(isinstance(module, FusedBody) for module in model.children()):
        raise MinikvError(
            "the model is in its fast form, whose products are fused; load it again and trace the plain form"
        )
    check_patterns(patterns, possible_names(model))
    recorder = Recorder(patterns)
    with recorder.watching(model):
        yield Trace(recorder.passes)
    if recorder.passes:
        check_patterns(patterns, sorted(recorder.met))


def possible_names(model: nn.Module) -> list[str]:
    """Every name that a trace of the model might give. Which modules attend is only known when they do."""
    names = [LOGITS]
    for name, module in model.named_modules():
        if name:
            points = POINTS if any(True for _ in module.children()) else ()
            names += [f"{name}.input", *(f"{name}.{point}" for point in points), name]
    return names


def check_patterns(patterns: Iterable[str], names: Sequence[str]) -> None:
    """MinikvError for a pattern that none of the names matches."""
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise MinikvError(f"no tensor matches {pattern!r}; the nearest names are {nearest(pattern, names)}")


def nearest(wanted: str, names: Sequence[str]) -> str:
    """The names that end most like the one wanted, for an error."""
    ending = wanted.lstrip("*.")
    parts = ending.count(".") + 1

    def unlike(name: str) -> tuple[float, int]:
        same = ".".join(name.split(".")[-parts:])
        return -SequenceMatcher(None, ending, same).ratio(), -name.count(".")

    return ", ".join(sorted(names, key=unlike)[:3])


def distinct(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Each tensor once, under its first name."""
    first: dict[int, str] = {}
    return {name: tensor for name, tensor in tensors.items() if first.setdefault(id(tensor), name) == name}


def folded(named: Mapping[str, T]) -> list[tuple[str, T]]:
    """The pairs, with one for all names that differ in their layer's number only and stand for the same: `0…23`."""
    alike: dict[tuple[str, str, T], list[str]] = {}
    for name, what in named.items():
        before, number, after = split_layer(name)
        alike.setdefault((before, after, what), []).append(number)
    return [
        (before + (found[0] if len(found) == 1 else f"{found[0]}…{found[-1]}") + after, what)
        for (before, after, what), found in alike.items()
    ]


def split_layer(name: str) -> tuple[str, str, str]:
    """A name in three: up to its layer's number, the number, and the rest. Without a layer all is the first part."""
    found = re.fullmatch(r"(.*?\.)(\d+)(\..*)?", name)
    return (found[1], found[2], found[3] or "") if found else (name, "", "")
