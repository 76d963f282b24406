"""A hub id or a folder to a model with verified weights.

Everything is checked before a weight is used: the config, the list of files, each file's header, and each tensor's
name, shape and dtype against what the decoder needs. Only safetensors files are opened, never a pickle. Tensors are
mapped from the file, not read into a second copy: a bf16 checkpoint in bf16 takes its own size in memory and no more.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import constants, hf_hub_download, snapshot_download
from huggingface_hub import errors as hub
from safetensors import SafetensorError, safe_open
from torch import Tensor

from minikv.attention import Attend, sdpa
from minikv.config import Sizes, read_json, switch
from minikv.decoder import Decoder
from minikv.errors import CheckpointError, MinikvError
from minikv.gpt2 import GPT2
from minikv.qwen2 import Qwen2
from minikv.sampling import Sampling
from minikv.tokenizer import Tokenizer

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
HEAD = "lm_head.weight"
NEEDED = ["*.json", "*.safetensors", "chat_template.jinja"]  # what a snapshot of a repository is downloaded for
ARCHITECTURES: dict[str, type[Decoder]] = {"qwen2": Qwen2, "gpt2": GPT2}  # by the model_type of config.json
FLOATS = {"BF16": torch.bfloat16, "F16": torch.float16, "F32": torch.float32}


def load(
    source: str | os.PathLike[str],
    dtype: torch.dtype | str = "auto",
    device: torch.device | str = "cpu",
    *,
    revision: str | None = None,
    attend: Attend = sdpa,
) -> tuple[Decoder, Tokenizer | None]:
    """The model and the tokenizer of a checkpoint in the official layout of Qwen2, Qwen2.5 or GPT-2.

    source     a folder, or a hub id such as "Qwen/Qwen2.5-0.5B-Instruct" (downloaded into huggingface_hub's cache, or
               taken from it; HF_HUB_OFFLINE is respected)
    dtype      "auto": what config.json names, or else the file's own; or a torch.dtype
    revision   branch, tag or commit of a hub id
    attend     attention.sdpa or attention.by_hand

    The tokenizer is None where a folder holds no tokenizer.json. MinikvError, before anything is computed, for all that
    cannot be loaded or would not be computed right. The weights are views of the files as long as the model lives: do
    not write to these in place.
    """
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise MinikvError(f"device {device!r} cannot be used here: {str(error).splitlines()[0]}") from None
    folder = resolve(source, revision)
    architecture, config = read_config(folder / "config.json")
    tokenizer = Tokenizer.read(folder) if (folder / "tokenizer.json").exists() else None
    return load_model(folder, architecture, config, dtype, device, attend), tokenizer


def read_config(path: Path) -> tuple[type[Decoder], Sizes]:
    """The architecture that a config.json names, and what it says about it."""
    raw = read_json(path)
    architecture = ARCHITECTURES.get(str(raw.get("model_type")))
    if architecture is None:
        raise CheckpointError(
            f"{path}: model_type is {raw.get('model_type')!r}; minikv computes 'qwen2' (Qwen2 and Qwen2.5, dense) and "
            f"'gpt2'"
        )
    return architecture, architecture.config_class.parse(raw, str(path))


def load_model(
    folder: Path,
    architecture: type[Decoder],
    config: Sizes,
    dtype: torch.dtype | str,
    device: torch.device | str,
    attend: Attend,
) -> Decoder:
    """The decoder of `config` with the weights of `folder`."""
    stored = stored_tensors(folder, architecture)
    if len(stored) < config.layers:  # or a config of a billion layers would be built before it is found wanting
        raise CheckpointError(
            f"{folder}: {len(stored)} tensors are too few for the {config.layers} layers of config.json"
        )
    try:
        model = blank(architecture, config, attend)
    except RuntimeError as error:  # sizes whose product no tensor can have
        raise CheckpointError(f"{folder}: no decoder can be built by its config.json: {error}") from None
    expected = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    verify(stored, expected, config, folder)
    wanted = wanted_dtype(dtype, config, stored[architecture.embedding])
    tensors = dict(mapped(stored))
    embedding = tensors[architecture.embedding]
    if config.tied and not torch.equal(tensors.pop(HEAD, embedding), embedding):
        raise CheckpointError(  # one of two that differ would be thrown away without a word
            f"{folder}: config.json ties {HEAD} to {architecture.embedding}, but the stored ones differ; set "
            f"tie_word_embeddings to false to use both"
        )
    tensors = {name: tensor.to(device=device, dtype=wanted) for name, tensor in tensors.items()}
    model.load_state_dict({HEAD: tensors[architecture.embedding], **tensors}, strict=True, assign=True)
    model.tie()
    return model.requires_grad_(False).eval()


def blank(architecture: type[Decoder], config: Sizes, attend: Attend = sdpa) -> Decoder:
    """The decoder on the meta device: names and shapes, no memory. A 72B model takes a moment."""
    with torch.device("meta"):
        return architecture(config, attend)


def load_sampling(source: str | os.PathLike[str], revision: str | None = None) -> tuple[Sampling, tuple[int, ...]]:
    """How a checkpoint's authors sample, and its stop ids, from its generation_config.json. Nothing else reads that
    file: its repetition penalty counts the prompt, so it discourages copying from a document."""
    path = resolve(source, revision) / "generation_config.json"
    if not path.exists():
        raise CheckpointError(f"{path} does not exist; say how to sample yourself")
    raw = read_json(path)
    ends = [] if raw.get("eos_token_id") is None else raw["eos_token_id"]
    ends = ends if isinstance(ends, list) else [ends]
    if not all(type(end) is int and end >= 0 for end in ends):
        raise CheckpointError(f"{path}: eos_token_id is {raw['eos_token_id']!r}; expected a token id or a list of them")
    settings: dict[str, Any] = {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "repetition_penalty": 1.0}
    for name, default in settings.items():
        value = default if raw.get(name) is None else raw[name]
        if type(value) not in (int, type(default)):
            raise CheckpointError(f"{path}: {name} is {value!r}; expected a number, a whole one for top_k")
        settings[name] = type(default)(value)
    if not switch(raw, "do_sample", str(path)):
        settings["temperature"] = 0.0
    try:
        return Sampling(**settings), tuple(ends)
    except MinikvError as error:
        raise CheckpointError(f"{path}: {error}") from None


def bundled() -> Path:
    """The folder of the trained checkpoint that comes with minikv."""
    package = Path(__file__).parent
    for folder in (package / "weights", package.parent / "weights"):  # in a wheel, and in a clone
        if (folder / WEIGHTS).exists():
            return folder
    raise CheckpointError("no checkpoint is bundled with this copy of minikv; name one (--model SOURCE)")


# --- where the files are ----------------------------------------------------------------------------------------------


def resolve(source: str | os.PathLike[str], revision: str | None = None) -> Path:
    """The folder that holds a checkpoint; a hub id is downloaded first, config.json before the gigabytes."""
    name = os.fspath(source)
    expanded = os.path.expanduser(name)  # os.path answers no, where Path raises, for a name that cannot be a path
    if os.path.isdir(expanded):
        return Path(expanded)
    if os.path.exists(expanded):
        raise CheckpointError(f"{name} is a file; expected the folder that holds config.json and the weights")
    if name.startswith((".", "/", "~")) or name.count("/") != 1 or "\\" in name:
        raise CheckpointError(
            f"{name!r} is neither a folder that exists nor a hub id such as Qwen/Qwen2.5-0.5B-Instruct"
        )
    with hub_errors(name, revision):
        read_config(Path(hf_hub_download(name, "config.json", revision=revision)))
        return Path(snapshot_download(name, revision=revision, allow_patterns=NEEDED))


@contextmanager
def hub_errors(name: str, revision: str | None) -> Iterator[None]:
    """The hub's failures as one CheckpointError each that says what to do."""
    try:
        yield
    except hub.GatedRepoError:
        raise CheckpointError(f"{name} is gated; accept its terms on the hub and log in with `hf auth login`") from None
    except hub.RepositoryNotFoundError:
        raise CheckpointError(f"no repository {name!r} on the hub, or no access to it; check the spelling") from None
    except hub.RevisionNotFoundError:
        raise CheckpointError(f"{name} has no revision {revision!r}; name a branch, tag or commit of it") from None
    except hub.HFValidationError as error:
        raise CheckpointError(f"{name!r} is no hub id: {error}") from None
    except (hub.LocalEntryNotFoundError, hub.OfflineModeIsEnabled):
        reason = "HF_HUB_OFFLINE is set" if constants.HF_HUB_OFFLINE else "the hub cannot be reached"
        wanted = name if revision is None else f"{name} at revision {revision}"
        raise CheckpointError(
            f"{wanted} is not in the local cache and {reason}; connect once to download it, or pass a folder"
        ) from None
    except hub.EntryNotFoundError as error:
        raise CheckpointError(f"{name} is no checkpoint in the official layout: {error}") from None
    except CheckpointError:
        raise
    except Exception as error:  # the transport's own too, whose module changes with the hub's version
        raise CheckpointError(f"{name} could not be downloaded: {type(error).__name__}: {error}") from None


# --- what the files hold ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StoredTensor:
    """A tensor as a file's header describes it."""

    file: Path
    name: str  # in the file
    shape: tuple[int, ...]
    dtype: str  # as safetensors spells it: "BF16", "F32", …


def stored_tensors(folder: Path, architecture: type[Decoder]) -> dict[str, StoredTensor]:
    """Every weight of a checkpoint by the decoder's name for it, from the headers alone."""
    stored: dict[str, StoredTensor] = {}
    for name, found in all_tensors(folder).items():
        own = architecture.own_name(name)
        if own in stored:
            raise CheckpointError(f"{folder}: {name} and {stored[own].name} are both the decoder's {own}")
        if own is not None:
            stored[own] = found
    return stored


def all_tensors(folder: Path) -> dict[str, StoredTensor]:
    """Every tensor of a checkpoint by its name there."""
    if (folder / WEIGHTS).exists():
        return read_header(folder / WEIGHTS)
    if not (folder / INDEX).exists():
        pickles = sorted(path.name for pattern in ("*.bin", "*.pt", "*.pth") for path in folder.glob(pattern))
        found = f"only {', '.join(pickles)}: pickle files can run code and are not opened" if pickles else "neither"
        raise CheckpointError(
            f"{folder}: expected {WEIGHTS} or {INDEX}, found {found}. Use a checkpoint saved as safetensors"
        )
    where_by_name = read_index(folder / INDEX)
    stored: dict[str, StoredTensor] = {}
    for shard in sorted(set(where_by_name.values())):
        if not (folder / shard).is_file():
            raise CheckpointError(f"{folder}: {INDEX} names the shard {shard}, which is absent; download it again")
        held = read_header(folder / shard)
        promised = {name for name, file in where_by_name.items() if file == shard}
        if promised != set(held):
            raise CheckpointError(
                f"{folder / shard}: {differences(promised, set(held))} compared with {INDEX}; "
                f"shards and index are not of one checkpoint: download them again"
            )
        stored |= held
    return stored


def read_index(path: Path) -> dict[str, str]:
    """Tensor name -> shard, from an index whose every shard is a plain file name: none leads out of the folder."""
    shards = read_json(path).get("weight_map")
    if not isinstance(shards, dict) or not shards:
        raise CheckpointError(f"{path}: expected an object weight_map of tensor names to shards")
    for name, shard in shards.items():
        plain = isinstance(shard, str) and not set(shard) & set("/\\:\0") and shard.endswith(".safetensors")
        if not plain:
            raise CheckpointError(
                f"{path}: tensor {name} is said to be in {shard!r}; expected the name of a .safetensors file in the "
                f"same folder"
            )
    return shards


def read_header(path: Path) -> dict[str, StoredTensor]:
    with opened(path) as file:
        parts = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 (it is no dict)
        return {
            name: StoredTensor(path, name, tuple(part.get_shape()), part.get_dtype()) for name, part in parts.items()
        }


def mapped(stored: Mapping[str, StoredTensor]) -> Iterator[tuple[str, Tensor]]:
    """Each tensor by the decoder's name, as a view of its file: a page is read when its numbers are first used."""
    for path in sorted({found.file for found in stored.values()}):
        with opened(path) as file:
            for name, found in stored.items():
                if found.file == path:
                    yield name, file.get_tensor(found.name)


@contextmanager
def opened(path: Path) -> "Iterator[safe_open]":
    """A safetensors file, mapped; CheckpointError for one that is cut short, too long or no such file at all."""
    try:
        with safe_open(path, framework="pt") as file:
            yield file
    except (SafetensorError, OSError) as error:
        raise CheckpointError(
            f"{path} ({path.stat().st_size if path.exists() else 0} bytes) is not a whole safetensors file: {error}. "
            f"Download it again"
        ) from None


def verify(
    stored: Mapping[str, StoredTensor], expected: Mapping[str, tuple[int, ...]], config: Sizes, folder: Path
) -> None:
    """CheckpointError unless the files hold just the tensors of the decoder, each in its shape and a float dtype. A
    tied head may be stored or not."""
    optional = {HEAD} if config.tied else set()
    if not config.tied and HEAD not in stored:
        raise CheckpointError(
            f"{folder}: no {HEAD}, and config.json does not tie it to the embedding (tie_word_embeddings is false or "
            f"absent); the checkpoint is incomplete, or its config is another's"
        )
    if set(stored) - optional != set(expected) - optional:
        raise CheckpointError(
            f"{folder}: {differences(set(expected) - optional, set(stored) - optional)} compared with what config.json "
            f"describes ({config.layers} layers)"
        )
    for name, found in stored.items():
        if found.shape != expected[name]:
            raise CheckpointError(
                f"{found.file}: {name} has shape {list(found.shape)}; expected {list(expected[name])} by config.json"
            )
        if found.dtype not in FLOATS:
            raise CheckpointError(f"{found.file}: {name} is stored as {found.dtype}; expected {', '.join(FLOATS)}")


def wanted_dtype(dtype: torch.dtype | str, config: Sizes, embedding: StoredTensor) -> torch.dtype:
    if isinstance(dtype, torch.dtype) and dtype in FLOATS.values():
        return dtype
    if dtype != "auto":
        raise CheckpointError(f"dtype is {dtype!r}; expected 'auto' or one of torch.bfloat16, float16, float32")
    return config.dtype or FLOATS[embedding.dtype]


def differences(expected: set[str], found: set[str]) -> str:
    """ "missing a, b and 3 more; unexpected c" """
    parts = [
        f"{label} {', '.join(sorted(names)[:3])}" + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        for label, names in (("missing", expected - found), ("unexpected", found - expected))
        if names
    ]
    return "; ".join(parts)
