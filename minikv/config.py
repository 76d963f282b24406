"""`config.json` to the numbers that the decoder is built from.

Two dialects exist. The official Qwen2 and Qwen2.5 repositories write a flat file (`rope_theta`, `torch_dtype`);
transformers 5 nests the rotary settings (`rope_parameters: {rope_type, rope_theta}`) and writes `dtype`. Both are
read. Whatever the decoder does not compute is refused here, by name, before a single weight is read: a wrong theta or
an ignored sliding window still gives fluent text, only the wrong text.
"""

import json
import sys
from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from minikv.errors import CheckpointError

DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32}


@dataclass(frozen=True)
class Sizes:
    """What the cache, generation and loading ask about a decoder, whatever its architecture."""

    vocab: int  # rows of the embedding; may exceed what the tokenizer knows
    hidden: int
    intermediate: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    eps: float  # of every norm
    tied: bool  # the output head is the embedding
    context: int  # most positions that the model was trained for
    dtype: torch.dtype | None  # what the file says its weights are; None where it does not say

    @property
    def group(self) -> int:
        """Query heads that share one KV head."""
        return self.heads // self.kv_heads

    @classmethod
    @abstractmethod
    def parse(cls, raw: dict[str, Any], where: str = "config.json") -> "Sizes":
        """The config in the parsed JSON object `raw`; `where` names it in errors."""


@dataclass(frozen=True)
class Config(Sizes):
    """The sizes and constants of one Qwen2 decoder."""

    theta: float  # base of the rotary frequencies

    @classmethod
    def read(cls, path: Path) -> "Config":
        """The config in the file `path`. CheckpointError for what cannot be read or is not built."""
        return cls.parse(read_json(path), str(path))

    @classmethod
    def parse(cls, raw: dict[str, Any], where: str = "config.json") -> "Config":
        """The config in the parsed JSON object `raw`; `where` names it in errors."""
        refuse_unbuilt(raw, where)
        heads, kv_heads = size(raw, "num_attention_heads", where), size(raw, "num_key_value_heads", where)
        hidden = size(raw, "hidden_size", where)
        if heads % kv_heads:
            raise CheckpointError(
                f"{where}: num_attention_heads is {heads} and num_key_value_heads {kv_heads}; "
                f"expected a whole number of query heads for each KV head"
            )
        if raw.get("head_dim") is None and hidden % heads:
            raise CheckpointError(
                f"{where}: hidden_size {hidden} does not divide into {heads} heads, and no head_dim is given"
            )
        head_dim = hidden // heads if raw.get("head_dim") is None else size(raw, "head_dim", where)
        if head_dim % 2:
            raise CheckpointError(f"{where}: head_dim is {head_dim}; rotary embedding needs an even number")
        return cls(
            vocab=size(raw, "vocab_size", where),
            hidden=hidden,
            intermediate=size(raw, "intermediate_size", where),
            layers=size(raw, "num_hidden_layers", where),
            heads=heads,
            kv_heads=kv_heads,
            head_dim=head_dim,
            eps=number(raw, "rms_norm_eps", where),
            theta=rope_theta(raw, where),
            # transformers leaves a setting out of the file where it is the architecture's default, here false.
            tied=switch(raw, "tie_word_embeddings", where),
            context=size(raw, "max_position_embeddings", where),
            dtype=weights_dtype(raw, where),
        )


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file; CheckpointError where there is none."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CheckpointError(
            f"{path} does not exist; expected a checkpoint in the official layout, with config.json beside its weights"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{path} is not readable JSON: {error}") from None
    if not isinstance(raw, dict):
        raise CheckpointError(f"{path} holds a JSON {type(raw).__name__}; expected an object")
    return raw


def refuse_unbuilt(raw: dict[str, Any], where: str) -> None:
    """CheckpointError for a setting that asks for something which the decoder does not compute."""
    if raw.get("model_type") != "qwen2":
        raise CheckpointError(
            f"{where}: model_type is {raw.get('model_type')!r}; minikv computes 'qwen2' (Qwen2 and Qwen2.5, dense)"
        )
    if raw.get("quantization_config") is not None:
        raise CheckpointError(
            f"{where}: the weights are quantized (quantization_config); use the plain bf16 or fp32 checkpoint"
        )
    if raw.get("hidden_act", "silu") != "silu":
        raise CheckpointError(f"{where}: hidden_act is {raw['hidden_act']!r}; the decoder computes 'silu'")
    # `sliding_window` is a number in every official file; only `use_sliding_window` turns it on.
    if switch(raw, "use_sliding_window", where):
        raise CheckpointError(
            f"{where}: use_sliding_window is true; the decoder attends to every earlier position and has no window"
        )
    kinds = raw.get("layer_types") or []
    unbuilt = sorted({str(kind) for kind in kinds} - {"full_attention"}) if isinstance(kinds, list) else [repr(kinds)]
    if unbuilt:
        raise CheckpointError(
            f"{where}: layer_types has {', '.join(unbuilt)}; every layer of the decoder is full_attention"
        )
    if kinds and len(kinds) != raw.get("num_hidden_layers"):
        raise CheckpointError(
            f"{where}: layer_types names {len(kinds)} layers and num_hidden_layers is {raw.get('num_hidden_layers')!r}"
        )
    if raw.get("dual_chunk_attention_config") is not None:
        raise CheckpointError(f"{where}: dual_chunk_attention_config is set; chunked attention is not built")


def rope_theta(raw: dict[str, Any], where: str) -> float:
    """The base of the rotary frequencies, from either dialect. There is no default: a wrong base still gives text."""
    settings = [(key, raw[key]) for key in ("rope_parameters", "rope_scaling") if raw.get(key) is not None]
    found: dict[str, float] = {}
    if raw.get("rope_theta") is not None:
        found["rope_theta"] = number(raw, "rope_theta", where)
    for key, nested in settings:
        if not isinstance(nested, dict):
            raise CheckpointError(f"{where}: {key} is {nested!r}; expected an object or null")
        kind = nested.get("rope_type", nested.get("type", "default"))
        if kind != "default":
            raise CheckpointError(
                f"{where}: {key} asks for rotary embedding of type {kind!r}; only 'default' is built. "
                f"Remove {key} to run within the length that the model was trained for"
            )
        unknown = sorted(set(nested) - {"rope_type", "type", "rope_theta", "partial_rotary_factor"})
        if nested.get("partial_rotary_factor", 1) != 1:
            unknown.append("partial_rotary_factor")
        if unknown:
            raise CheckpointError(
                f"{where}: {key}.{unknown[0]} is set; the decoder rotates whole heads, by rope_theta alone"
            )
        if nested.get("rope_theta") is not None:
            found[f"{key}.rope_theta"] = number(nested, "rope_theta", f"{where}, {key}")
    if not found:
        raise CheckpointError(
            f"{where}: no rope_theta, neither at the top nor in rope_parameters; expected the base of the rotary "
            f"frequencies (1000000.0 in the official files). It is never guessed"
        )
    if len(set(found.values())) > 1:
        raise CheckpointError(f"{where}: two values of rope_theta: {found}; expected one")
    return next(iter(found.values()))


def weights_dtype(raw: dict[str, Any], where: str) -> torch.dtype | None:
    """The dtype that the file names for its weights: `dtype`, or `torch_dtype` in the older dialect."""
    name = raw.get("dtype", raw.get("torch_dtype"))
    if name is None:
        return None
    if not isinstance(name, str) or name not in DTYPES:
        raise CheckpointError(f"{where}: dtype is {name!r}; expected one of {', '.join(DTYPES)}")
    return DTYPES[name]


def size(raw: dict[str, Any], key: str, where: str) -> int:
    value = raw.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < 2**31:
        raise CheckpointError(f"{where}: {key} is {value!r}; expected a whole number from 1 to 2**31 - 1")
    return value


def number(raw: dict[str, Any], key: str, where: str) -> float:
    value = raw.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= sys.float_info.max:
        raise CheckpointError(f"{where}: {key} is {value!r}; expected a number above 0")
    return float(value)


def switch(raw: dict[str, Any], key: str, where: str) -> bool:
    value = raw.get(key, False)
    if not isinstance(value, bool):
        raise CheckpointError(f"{where}: {key} is {value!r}; expected true or false")
    return value
