"""Who is measured: minikv's right recipes, and what one would write with transformers; and how one run is measured.

A run is cut where its forward passes begin, seen by one hook on the embedding, the same for both libraries. What lies
between two beginnings belongs to the first: a pass, its head, the choice of the token, and what was made ready for the
next pass. So copying the prefix's cache for the rows counts as prefill in a batch, and to the last step of the row
before where rows go one by one.
"""

import copy
import ctypes
import gc
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import torch
from torch import nn

from minikv.bench.job import Job
from minikv.bench.machine import installed
from minikv.decoder import Decoder
from minikv.errors import MinikvError
from minikv.generate import Step, collect
from minikv.recipes import RECIPES, Recipe, as_tensors, with_holes
from minikv.speed.draft import DRAFTED

Answered: TypeAlias = tuple[list[list[int]], int]  # the new ids of each suffix, and the bytes of the largest cache
OLDEST = (5, 24)  # of transformers: the first whose generate takes `cache`


@dataclass(frozen=True)
class Contestant:
    """One way to do a job, with what is needed to cut its run into phases."""

    name: str
    answer: Callable[[Job], Answered]
    embedding: nn.Module  # its model's: called once in every forward pass
    alone: bool  # row after row; or else all rows as one batch
    shares: bool  # the prefix is computed once, apart from the suffixes

    @property
    def library(self) -> str:
        return self.name.partition(".")[0]


@dataclass(frozen=True)
class Outcome:
    """What one run of a contestant gave. Times in seconds."""

    answers: list[list[int]]
    prefill: float  # the prefix; where it is not shared, the whole prompts
    suffix: float  # the passes over the suffixes, 0 where these are computed with their prefix
    steps: tuple[float, ...]  # each decode step: all passes that feed one new token to a row
    total: float
    cache_bytes: int  # keys and values of the largest cache that it decoded from
    peak_bytes: int | None  # most resident memory at once beyond what was resident before; None where not told

    @property
    def decode(self) -> float:
        return sum(self.steps)


def measure(contestant: Contestant, job: Job) -> Outcome:
    """One run."""
    before = begin_peak()
    with pass_starts(contestant.embedding) as starts:
        began = time.perf_counter()
        answers, cache_bytes = contestant.answer(job)
        ended = time.perf_counter()
    peak = None if before is None else resident("VmHWM") - before
    if [len(answer) for answer in answers] != [job.new_tokens] * len(job.suffixes):
        raise MinikvError(
            f"{contestant.name} gave {[len(answer) for answer in answers]} new tokens; expected {job.new_tokens} for "
            f"each of {len(job.suffixes)} rows"
        )
    spans = [after - start for start, after in pairwise([began, *starts[1:], ended])]
    rounds = len(job.suffixes) if contestant.alone else 1
    prefills = len(spans) - rounds * job.new_tokens  # of the shared prefix: one pass, or one for each chunk
    if prefills < 0 or (prefills > 0) != contestant.shares:
        raise MinikvError(f"{contestant.name} took {len(spans)} forward passes, which do not divide into its phases")
    # Of a round's passes the first is over its prompt, and each of the others feeds the token chosen before.
    first = sum(spans[prefills :: job.new_tokens])
    return Outcome(
        answers=answers,
        prefill=sum(spans[:prefills]) if contestant.shares else first,
        suffix=first if contestant.shares else 0.0,
        steps=tuple(span for number, span in enumerate(spans[prefills:]) if number % job.new_tokens),
        total=ended - began,
        cache_bytes=cache_bytes,
        peak_bytes=peak,
    )


@contextmanager
def pass_starts(embedding: nn.Module) -> Iterator[list[float]]:
    """When each forward pass began: a list that grows while the context lasts."""
    starts: list[float] = []
    hook = embedding.register_forward_pre_hook(lambda module, arguments: starts.append(time.perf_counter()))
    try:
        yield starts
    finally:
        hook.remove()


def begin_peak() -> int | None:
    """Have the kernel count the peak of resident memory anew, and say what is resident now. None where it keeps no
    such count, or does not let this process reset it."""
    gc.collect()
    with suppress(AttributeError):  # where the C library is not glibc
        ctypes.CDLL(None).malloc_trim(0)  # or memory that the run before gave back would hide what this one takes
    try:
        Path("/proc/self/clear_refs").write_text("5")  # proc(5): resets VmHWM to what is resident now
    except OSError:
        return None
    return resident("VmRSS")


def resident(field: str) -> int:
    """Bytes of a field of /proc/self/status."""
    found = re.search(rf"^{field}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    if found is None:
        raise MinikvError(f"/proc/self/status has no {field}")
    return int(found[1]) * 1024


# --- minikv -----------------------------------------------------------------------------------------------------------


def of_minikv(recipe: Recipe, model: Decoder, variant: str = "") -> Contestant:
    """One of minikv's recipes; `variant` names what is special about the model."""

    def answer(job: Job) -> Answered:
        sizes: list[int] = []
        walk = recipe.steps(model, job.prefix, job.suffixes, max_new_tokens=job.new_tokens, pad_id=job.pad_id)
        return collect(noting_sizes(walk, sizes), len(job.suffixes)), max(sizes)

    return Contestant(
        name=f"minikv.{recipe.name}{variant}",
        answer=answer,
        embedding=model.get_submodule(model.embedding.rpartition(".")[0]),
        alone=recipe.name in ("naive_loop", "single_row_cache"),
        shares=recipe.name != "naive_loop",
    )


def noting_sizes(walk: Iterable[Step], sizes: list[int]) -> Iterator[Step]:
    """The same steps; the size of the cache of each is noted."""
    for step in walk:
        sizes.append(step.cache.nbytes)
        yield step


def all_of_minikv(model: Decoder, quick: Decoder) -> list[Contestant]:
    """The right recipes, and what is faster with the same weights in their fast form."""
    plain = [of_minikv(recipe, model) for recipe in RECIPES.values() if recipe.right]
    return [*plain, *(of_minikv(recipe, quick, ".fast") for recipe in (RECIPES["per_row_offsets"], DRAFTED))]


# --- transformers -----------------------------------------------------------------------------------------------------
# Its models are typed Any, since this module is imported where transformers is not installed.


def load_reference(folder: Path, dtype: torch.dtype) -> Any:
    """The same weights as transformers loads them, with its own defaults for everything but how to choose a token."""
    import transformers

    transformers.utils.logging.disable_progress_bar()
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).eval()
    # What the call does not say is taken from here: with the checkpoint's own, rows would stop early and be penalised.
    model.generation_config = transformers.GenerationConfig()
    return model


def check_transformers() -> None:
    """MinikvError, before anything is loaded, where transformers is absent or too old."""
    found = installed("transformers")
    numbers = re.match(r"(\d+)\.(\d+)", found)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < OLDEST:
        raise MinikvError(
            f"transformers is {found}; to compare with it, {'.'.join(map(str, OLDEST))} or newer is needed: "
            f"pip install --upgrade transformers"
        )


def all_of_transformers(model: Any) -> list[Contestant]:
    """What people write, each right."""
    return [
        of_transformers(naive_loop, model, alone=True, shares=False),
        of_transformers(left_padded_batch, model, alone=False, shares=False),
        of_transformers(single_row_cache, model, alone=True, shares=True),
        of_transformers(suffix_left_padded, model, alone=False, shares=True),
    ]


def of_transformers(way: Callable[[Any, Job], Answered], model: Any, alone: bool, shares: bool) -> Contestant:
    return Contestant(
        name=f"transformers.{way.__name__}",
        answer=lambda job: way(model, job),
        embedding=model.get_input_embeddings(),
        alone=alone,
        shares=shares,
    )


def naive_loop(model: Any, job: Job) -> Answered:
    """Each whole prompt by itself."""
    return joined(ask(model, [[*job.prefix, *suffix]], job) for suffix in job.suffixes)


def left_padded_batch(model: Any, job: Job) -> Answered:
    """All whole prompts as one batch, padded on the left: the documented way. The prefix is computed in each row."""
    return ask(model, [[*hole, *job.prefix, *suffix] for suffix, hole in with_holes(job.suffixes)], job)


def single_row_cache(model: Any, job: Job) -> Answered:
    """The prefix once; each suffix by itself on a copy of its cache, since generate grows the one that it is given."""
    cached = prefilled(model, job)
    return joined(ask(model, [[*job.prefix, *suffix]], job, copy.deepcopy(cached)) for suffix in job.suffixes)


def suffix_left_padded(model: Any, job: Job) -> Answered:
    """The prefix once; all suffixes as one batch, with the padding between prefix and suffix."""
    cache = prefilled(model, job)
    cache.batch_repeat_interleave(len(job.suffixes))
    return ask(model, [[*job.prefix, *hole, *suffix] for suffix, hole in with_holes(job.suffixes)], job, cache)


@torch.no_grad()
def prefilled(model: Any, job: Job) -> Any:
    """A cache of the prefix."""
    return model(torch.tensor([job.prefix]), use_cache=True, logits_to_keep=1).cache


def ask(model: Any, rows: list[list[int | None]], job: Job, cache: Any = None) -> Answered:
    """One call of generate, greedy; a None in a row is padding. It feeds what the cache does not hold yet."""
    tokens, real = as_tensors(rows, job.pad_id)
    out = model.generate(
        input_ids=tokens,
        attention_mask=real.long(),
        cache=cache,
        max_new_tokens=job.new_tokens,
        do_sample=False,
        pad_token_id=job.pad_id,
        return_dict_in_generate=True,
    )
    held = sum(layer.keys.nbytes + layer.values.nbytes for layer in out.cache.layers)
    return out.sequences[:, tokens.shape[1] :].tolist(), held


def joined(answered: Iterable[Answered]) -> Answered:
    """Rows that were answered one by one, as one answer."""
    parts = list(answered)
    return [row for rows, _ in parts for row in rows], max(held for _, held in parts)
