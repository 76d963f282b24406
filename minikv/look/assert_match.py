"""For other people's tests: a model's logits are those of a reference, or where they first are not, and why."""

from collections.abc import Iterable

import torch
from jaxtyping import Int
from torch import Tensor, nn

from minikv.errors import MinikvError
from minikv.generate import as_ids
from minikv.look.compare import Mapped, check_question, compare, device_of, difference
from minikv.look.recorder import LOGITS, first_tensor


@torch.no_grad()
def assert_logits_match(
    model: nn.Module,
    reference: nn.Module,
    prompts: Iterable[Iterable[int]],
    atol: float = 1e-4,
    mapping: Mapped | None = None,
) -> None:
    """For a test: AssertionError unless both give the same logits, within `atol`, at every position of every prompt.

    Each prompt, a list of ids of any length, is run alone and whole, without a cache. The error names the prompt, the
    position, and the first tensor that differs, and shows how the difference grows from there. See `compare` for the
    other arguments.
    """
    prompts = as_ids(prompts)
    check_question((model, reference), prompts, atol)
    for number, prompt in enumerate(prompts):
        tokens = torch.tensor([prompt])
        found, expected = (logits_of(each, tokens) for each in (model, reference))
        how = difference(LOGITS, found, expected)
        if not how.max <= atol:
            raise AssertionError(
                f"prompt {number}, {len(prompt)} tokens: the logits differ from position "
                f"{first_position(found, expected, atol)} on, by {how.max:.3g} at most; expected {atol:g}\n"
                f"{explained(model, reference, tokens, atol, mapping)}"
            )


def logits_of(model: nn.Module, tokens: Int[Tensor, "rows new"]) -> Tensor:
    """What the model gives as a whole, or the first tensor of that."""
    logits = first_tensor(model(tokens.to(device_of(model))))
    if logits is None:
        raise MinikvError(f"a {type(model).__name__} gave no tensor; expected logits [rows, new, vocab]")
    return logits


def first_position(found: Tensor, expected: Tensor, atol: float) -> int:
    """The first position whose logits differ; 0 where nothing can be laid side by side."""
    if found.shape != expected.shape:
        return 0
    return next(at for at in range(found.shape[1]) if difference(LOGITS, found[:, at], expected[:, at]).max > atol)


def explained(
    model: nn.Module, reference: nn.Module, tokens: Int[Tensor, "rows new"], atol: float, mapping: Mapped | None
) -> str:
    """The comparison of the two, or why there is none: a fast form has no names inside."""
    try:
        return repr(compare(model, reference, tokens, atol, mapping))
    except MinikvError as error:
        return str(error)
