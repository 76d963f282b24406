"""How a trace is taken: hooks on every module, and a wrapper around attention, for a time.

A module says nothing of what it computes inside, and attention is a function that is no module. So the hooks keep track
of which module is being computed, and the wrapper names what it sees behind that. No architecture is known here.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.utils.weak import WeakTensorKeyDictionary

from minikv.attention import Attend, attention_scores, attention_weights
from minikv.decoder import Decoder, Pass

POINTS = ("mask", "q", "keys", "values", "scores", "weights", "attended")  # inside attention, in order
LOGITS = "logits"  # the output of the model itself, which has no name of its own


class Recorder:
    """Copies of the tensors of each forward pass, by name, in the order in which they were computed."""

    def __init__(self, patterns: Sequence[str] = ()):
        self.passes: list[dict[str, Tensor]] = []
        self.met: set[str] = set()  # every name that came up, asked for or not
        self.patterns = patterns
        self.running: list[str] = []  # the modules that are being computed, the innermost last
        self.begun: set[str] = set()  # the modules that were computed in this pass
        # The copy of each tensor that still lives: what goes from module to module unchanged is kept once.
        self.copies = WeakTensorKeyDictionary()

    @contextmanager
    def watching(self, model: nn.Module) -> Iterator[None]:
        """Record what the model computes. However this ends, nothing of it stays behind on the model."""
        with ExitStack() as stack:
            for name, module in model.named_modules():
                name = name or LOGITS
                entered = module.register_forward_pre_hook(partial(self.enter, name), with_kwargs=True)
                stack.callback(entered.remove)
                left = module.register_forward_hook(partial(self.leave, name), always_call=True)
                stack.callback(left.remove)
            stack.enter_context(attention_watched(model, self))
            yield

    def enter(self, name: str, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Before a module is computed."""
        # A pass is a call of the whole model, or what comes before a module's second turn: `Decoder.hidden` and the
        # head may be called one by one.
        if not self.running and (name == LOGITS or name in self.begun or not self.passes):
            self.passes.append({})
            self.begun.clear()
        self.running.append(name)
        self.begun.add(name)
        given = first_tensor((*args, *kwargs.values()))
        if given is not None and name != LOGITS:
            self.keep(f"{name}.input", given)

    def leave(self, name: str, module: nn.Module, args: tuple[Any, ...], output: Any) -> None:
        """After it was computed, or failed."""
        self.running.pop()
        made = first_tensor(output)
        if made is not None:
            self.keep(name, made)

    def wants(self, name: str) -> bool:
        """Whether a pattern asks for this name; without patterns all are asked for."""
        return not self.patterns or any(fnmatchcase(name, pattern) for pattern in self.patterns)

    def keep(self, name: str, tensor: Tensor) -> None:
        """A copy of the tensor, under this name, if it is asked for."""
        self.met.add(name)
        if not self.wants(name):
            return
        copy = self.copies.get(tensor)
        if copy is None or not torch.equal(copy, tensor):  # other libraries write in place
            copy = self.copies[tensor] = tensor.detach().clone()
        self.passes[-1][name] = copy

    def wants_point(self, point: str) -> bool:
        """Whether a point inside the attention of the running module is asked for."""
        return self.wants(f"{self.running[-1]}.{point}")

    def keep_points(self, **points: Tensor) -> None:
        """Tensors inside the attention of the running module."""
        for point, tensor in points.items():
            self.keep(f"{self.running[-1]}.{point}", tensor)


def first_tensor(values: Any) -> Tensor | None:
    """The tensor itself, or the first of several: other libraries' modules give tuples and named tuples of them."""
    if isinstance(values, Mapping):
        values = tuple(values.values())
    if isinstance(values, tuple | list):
        return next((value for value in values if isinstance(value, Tensor)), None)
    return values if isinstance(values, Tensor) else None


# --- inside attention -------------------------------------------------------------------------------------------------


def attention_watched(model: nn.Module, recorder: Recorder) -> AbstractContextManager[None]:
    """Record what goes through the attention of the model, where there is a place to stand."""
    if isinstance(model, Decoder):
        return instead(model, "body", partial(watched_body, recorder, model.body))
    transformers = sys.modules.get("transformers.modeling_utils")  # loaded, if the model is one of its own
    if transformers is not None and isinstance(model, transformers.PreTrainedModel):
        registry = transformers.ALL_ATTENTION_FUNCTIONS  # where each of its layers looks up how to attend
        return instead(registry, "get_interface", partial(watched_interface, recorder, registry.get_interface))
    return nullcontext()


def watched_body(
    recorder: Recorder, body: Callable[[Tensor, Pass], Tensor], tokens: Int[Tensor, "rows new"], at: Pass
) -> Float[Tensor, "rows new hidden"]:
    """What the decoder's body gives; it attends as it would, but watched."""
    return body(tokens, replace(at, attend=partial(watched_attention, recorder, at.attend)))


def watched_attention(
    recorder: Recorder,
    attend: Attend,
    q: Float[Tensor, "rows new heads head_dim"],
    keys: Float[Tensor, "rows kv_heads slots head_dim"],
    values: Float[Tensor, "rows kv_heads slots head_dim"],
    mask: Bool[Tensor, "rows new slots"],
) -> Float[Tensor, "rows new heads head_dim"]:
    """What `attend` gives. Scores and weights are made beside it, as `attention.by_hand` makes them."""
    recorder.keep_points(mask=mask, q=q, keys=keys, values=values)
    if recorder.wants_point("scores") or recorder.wants_point("weights"):
        with torch.no_grad():
            scores = attention_scores(q, keys, mask)
            weights = attention_weights(scores, mask).to(values.dtype)
        recorder.keep_points(scores=scores.flatten(1, 2), weights=weights.flatten(1, 2))  # rows heads new slots
    attended = attend(q, keys, values, mask)
    recorder.keep_points(attended=attended)
    return attended


def watched_interface(recorder: Recorder, look_up: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., Any]:
    """The function that transformers would attend with, watched. All its models look it up in one place; those that are
    not being traced get it as it is."""
    attend = look_up(*args, **kwargs)
    if not recorder.running:
        return attend

    def watched(
        module: nn.Module,
        query: Float[Tensor, "rows heads new head_dim"],
        key: Float[Tensor, "rows kv_heads slots head_dim"],
        value: Float[Tensor, "rows kv_heads slots head_dim"],
        attention_mask: Tensor | None,  # rows 1 new slots: whether seen, or what is added to the scores
        **options: Any,
    ) -> tuple[Tensor, Tensor | None]:
        if attention_mask is not None:  # without one the function is causal by itself
            seen = attention_mask if attention_mask.dtype == torch.bool else attention_mask == 0
            recorder.keep_points(mask=seen[:, 0])
        recorder.keep_points(q=query.transpose(1, 2), keys=key, values=value)
        attended, weights = attend(module, query, key, value, attention_mask, **options)
        if weights is not None:
            recorder.keep_points(weights=weights)
        recorder.keep_points(attended=attended)
        return attended, weights

    return watched


@contextmanager
def instead(owner: object, name: str, value: object) -> Iterator[None]:
    """`owner.name` is `value` for a time."""
    own = vars(owner)
    before = {name: own[name]} if name in own else {}
    own[name] = value
    try:
        yield
    finally:
        del own[name]
        own.update(before)
