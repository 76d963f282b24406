"""Walk through a decode, forward and back: its steps, and where a key leads.

Nothing here reads a key or writes to a terminal. Steps are computed as the walk comes to them, and kept for the way
back.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from minikv.decoder import Decoder
from minikv.extract import prompts
from minikv.generate import Step, collect
from minikv.look.causes import causes
from minikv.look.grid import ended_prompts
from minikv.look.keyboard import EOF
from minikv.look.show import RowView, describe
from minikv.recipes import Recipe
from minikv.tokenizer import Tokenizer, split_shared
from minikv.visible import one_line

FAR = 2**63  # the number of a step that no walk has


@dataclass(frozen=True)
class Frame:
    """One step, and its rows as they are shown."""

    step: Step  # without its logits: of a large vocabulary and many rows they are too many to keep for every step
    views: list[RowView]

    def row_of(self, prompt: int) -> int:
        """The row that answers a prompt; the first where the step has none that does."""
        return self.step.prompts.index(prompt) if prompt in self.step.prompts else 0


@dataclass
class Walk:
    """The steps of one recipe on one job, computed as far as somebody looked."""

    recipe: Recipe
    prefix: Sequence[int]
    suffixes: Sequence[Sequence[int]]
    names: Sequence[str]  # what each prompt asks for
    tokenizer: Tokenizer | None
    coming: Iterator[Step]
    frames: list[Frame] = field(default_factory=list)
    complete: bool = False  # whether the last step is among the frames

    @classmethod
    def of(
        cls, model: Decoder, tokenizer: Tokenizer, recipe: Recipe, document: str, keys: Sequence[str], count: int
    ) -> "Walk":
        """A recipe at the job of `extract`, up to `count` new tokens for each key."""
        prefix, suffixes = split_shared(prompts(tokenizer, document, keys))
        coming = recipe.steps(
            model,
            prefix,
            suffixes,
            max_new_tokens=count,
            stop_ids=tokenizer.stop_ids,
            pad_id=tokenizer.pad_id,
        )
        return cls(recipe, prefix, suffixes, keys, tokenizer, coming)

    def reach(self, number: int) -> int:
        """Compute the steps up to this one; its number, or that of the last."""
        while len(self.frames) <= number and not self.complete:
            step = next(self.coming, None)
            if step is None:
                self.complete = True
            else:
                self.frames.append(self.frame_of(step))
        return min(number, len(self.frames) - 1)

    def frame_of(self, step: Step) -> Frame:
        ended = ended_prompts([frame.step for frame in self.frames])
        views = [
            # A library feeds a row on after its end, which the step alone does not tell.
            replace(view, idle=True, padding=(True,) * len(view.fed)) if view.prompt in ended else view
            for view in describe(step, self.tokenizer)
        ]
        return Frame(replace(step, logits=step.logits.new_empty(len(views), 0)), views)

    def steps(self, at: int) -> list[Step]:
        """The steps up to this one."""
        return [frame.step for frame in self.frames[: at + 1]]

    def said(self, at: int, prompt: int) -> str:
        """What a prompt's row has answered by this step, on one line."""
        ids = collect(self.steps(at), len(self.suffixes))[prompt]
        text = " ".join(map(str, ids)) if self.tokenizer is None else self.tokenizer.decode(ids)
        return one_line(text).strip()

    def faults(self, at: int, prompt: int) -> list[str]:
        """What this step does wrong to a prompt's row, in sentences."""
        own = sum(prompt in step.prompts for step in self.steps(at)) - 1
        found = causes(self.steps(at), prompt, self.prefix, self.suffixes[prompt])
        return [cause.sentence for cause in found if cause.step == own]


@dataclass(frozen=True)
class State:
    """Where somebody is on a walk."""

    at: int = 0  # the step
    prompt: int = 0  # whose row is looked at closely, in the steps that have it
    over: bool = False


def press(walk: Walk, state: State, key: str) -> State:
    """The state that a key leads to: the same at either end, and for a key without a meaning."""
    if key in ("n", "right", " ", "\n"):
        return replace(state, at=walk.reach(state.at + 1))
    if key in ("b", "left"):
        return replace(state, at=max(0, state.at - 1))
    if key in ("home", "end"):
        return replace(state, at=0 if key == "home" else walk.reach(FAR))
    if key in ("q", EOF):
        return replace(state, over=True)
    frame = walk.frames[state.at]
    if key in ("up", "down"):
        row = frame.row_of(state.prompt) + (1 if key == "down" else -1)
        return replace(state, prompt=frame.step.prompts[max(0, min(row, len(frame.views) - 1))])
    if key in map(str, frame.step.prompts):
        return replace(state, prompt=int(key))
    return state
