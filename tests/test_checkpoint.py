"""Checkpoints: each layout that the official ones come in loads to the reference's numbers, and a folder or hub id
that would not compute them is refused before a weight is used, with what is wrong and where."""

import gc
import json
import os
import pickle
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote, urlsplit

import huggingface_hub
import pytest
import torch
import transformers
from huggingface_hub import constants
from safetensors.torch import load_file, save_file
from torch import Tensor

import minikv
from minikv import CheckpointError
from minikv.checkpoint import HEAD, INDEX, WEIGHTS, load
from minikv.qwen2 import Qwen2
from tests.fixture import SIZES, reference_model

Change = Callable[[Path], object]  # to a folder, in place
Logits = Callable[[list[int]], Tensor]

IDS = [3, 14, 15, 92, 65, 35, 89, 79, 32, 38]
FIRST, SECOND = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
LAYER = [
    "input_layernorm.weight",
    "mlp.down_proj.weight",
    "mlp.gate_proj.weight",
    "mlp.up_proj.weight",
    "post_attention_layernorm.weight",
    "self_attn.k_proj.bias",
    "self_attn.k_proj.weight",
    "self_attn.o_proj.weight",
    "self_attn.q_proj.bias",
    "self_attn.q_proj.weight",
    "self_attn.v_proj.bias",
    "self_attn.v_proj.weight",
]
EMBEDDING = Qwen2.embedding
NAMES = [EMBEDDING, "model.norm.weight"] + [f"model.layers.{layer}.{name}" for layer in range(3) for name in LAYER]
VECTORS = [name for name in NAMES if "norm" in name or name.endswith("bias")]
K = "model.layers.1.self_attn.k_proj.weight"
NORM = "model.layers.1.input_layernorm.weight"


# --- changes to a folder ----------------------------------------------------------------------------------------------


def weights(change: Callable[[dict[str, Tensor]], object]) -> Change:
    """Changes the tensors of a single-file checkpoint."""

    def apply(folder: Path) -> None:
        tensors = {name: tensor.clone() for name, tensor in load_file(folder / WEIGHTS).items()}
        change(tensors)
        save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})

    return apply


def put(name: str, change: Callable[[Tensor], Tensor], source: str | None = None) -> Change:
    """Stores as tensor `name` what `change` makes of it, or of the tensor `source`."""
    return weights(lambda tensors: tensors.update({name: change(tensors[source or name]).contiguous().clone()}))


def drop(name: str) -> Change:
    return weights(lambda tensors: tensors.pop(name))


def settings(file: str = "config.json", **changes: Any) -> Change:
    """Changes the JSON object in a file; None leaves a key out."""

    def apply(folder: Path) -> None:
        raw = json.loads((folder / file).read_text()) | changes
        (folder / file).write_text(json.dumps({key: value for key, value in raw.items() if value is not None}))

    return apply


def cast(dtype: torch.dtype) -> Change:
    """Stores every tensor in `dtype`, under a config that names no dtype."""
    return both(
        weights(lambda tensors: tensors.update({name: tensor.to(dtype) for name, tensor in tensors.items()})),
        settings(dtype=None),
    )


def content(file: str, made: bytes | Callable[[bytes], bytes]) -> Change:
    """Writes a file's bytes anew."""
    return lambda folder: (folder / file).write_bytes(
        made if isinstance(made, bytes) else made((folder / file).read_bytes())
    )


def remove(file: str) -> Change:
    return lambda folder: (folder / file).unlink()


def both(*changes: Change) -> Change:
    return lambda folder: [change(folder) for change in changes]


def shards(folder: Path) -> None:
    """The single file as two shards and an index, as the official 7B and larger are stored."""
    tensors = load_file(folder / WEIGHTS)
    names = sorted(tensors)
    parts = {FIRST: names[::2], SECOND: names[1::2]}
    for shard, held in parts.items():
        save_file({name: tensors[name].clone() for name in held}, folder / shard, metadata={"format": "pt"})
    where = {name: shard for shard, held in parts.items() for name in held}
    total = sum(tensor.nbytes for tensor in tensors.values())
    (folder / INDEX).write_text(json.dumps({"metadata": {"total_size": total}, "weight_map": where}))
    (folder / WEIGHTS).unlink()


def index(change: Callable[[dict[str, Any]], object]) -> Change:
    """Makes shards, then changes the index's weight_map."""

    def apply(folder: Path) -> None:
        shards(folder)
        raw = json.loads((folder / INDEX).read_text())
        change(raw["weight_map"])
        (folder / INDEX).write_text(json.dumps(raw))

    return apply


def moved(place: Callable[[Path], str]) -> Change:
    """Makes shards, then moves the second to `place`, where the index names it: it could be opened there."""

    def apply(folder: Path) -> None:
        shards(folder)
        target = place(folder)
        (folder / target).parent.mkdir(exist_ok=True)
        (folder / SECOND).rename(folder / target)
        raw = json.loads((folder / INDEX).read_text())
        for name, shard in raw["weight_map"].items():
            raw["weight_map"][name] = target if shard == SECOND else shard
        (folder / INDEX).write_text(json.dumps(raw))

    return apply


def header(described: object) -> bytes:
    """A safetensors file whose header is `described`, with 64 bytes of data."""
    text = json.dumps(described).encode()
    return len(text).to_bytes(8, "little") + text + bytes(64)


def cut(length: Callable[[int, int], int]) -> Change:
    """Cuts the file, or fills it up with zeros, to `length` (end of its header, its size)."""

    def apply(folder: Path) -> None:
        path = folder / WEIGHTS
        whole = path.stat().st_size
        with path.open("rb") as file:
            end = 8 + int.from_bytes(file.read(8), "little")
        os.truncate(path, length(end, whole))

    return apply


def copy_of(checkpoint: Path, to: Path) -> Path:
    return Path(shutil.copytree(checkpoint, to))


@pytest.fixture
def folder(checkpoint: Path, tmp_path: Path) -> Path:
    """The tied fixture's checkpoint, to be changed."""
    return copy_of(checkpoint, tmp_path / "copy")


def refusal(source: str | Path, **arguments: Any) -> str:
    with pytest.raises(CheckpointError) as refused:
        load(source, **arguments)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__ or refused.value.__context__ is None  # one error, not a chain of them
    return str(refused.value)


# --- what loads -------------------------------------------------------------------------------------------------------


def transformers_shards(folder: Path) -> None:
    model = transformers.Qwen2ForCausalLM.from_pretrained(folder, dtype=torch.float32)
    (folder / WEIGHTS).unlink()
    model.save_pretrained(folder, max_shard_size="100KB")


def no_change(folder: Path) -> None:
    """The single file, as it is."""


@pytest.mark.parametrize("layout", [no_change, shards, transformers_shards])
@pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])
def test_each_layout_gives_the_references_logits(layout: Change, tied: bool, tmp_path: Path) -> None:
    reference = reference_model(tied=tied)
    reference.save_pretrained(tmp_path)
    layout(tmp_path)
    assert (tmp_path / INDEX).exists() == (layout is not no_change)
    assert len(list(tmp_path.glob("*.safetensors"))) >= (1 if layout is no_change else 2)
    model, tokenizer = load(tmp_path)
    ids = torch.tensor([IDS])
    torch.testing.assert_close(model(ids), reference(ids, use_cache=False).logits, atol=1e-4, rtol=1e-4)
    assert tokenizer is None
    assert not model.training
    assert not any(weight.requires_grad for weight in model.parameters())
    assert {weight.device.type for weight in model.parameters()} == {"cpu"}
    assert (model.lm_head.weight is model.model.embed_tokens.weight) == tied
    assert (model.lm_head.weight.data_ptr() == model.model.embed_tokens.weight.data_ptr()) == tied


def test_a_path_may_be_a_string(folder: Path, oracle: Logits) -> None:
    torch.testing.assert_close(load(str(folder))[0](torch.tensor([IDS]))[0], oracle(IDS), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("layout", [no_change, shards])
def test_a_tied_head_that_is_stored_too_is_accepted_where_it_is_the_embedding(
    layout: Change, folder: Path, oracle: Logits
) -> None:
    both(put(HEAD, lambda head: head, source=EMBEDDING), layout)(folder)
    model = load(folder)[0]
    assert model.lm_head.weight is model.model.embed_tokens.weight
    torch.testing.assert_close(model(torch.tensor([IDS]))[0], oracle(IDS), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("layout", [no_change, shards])
def test_a_tied_head_that_differs_is_refused(layout: Change, folder: Path) -> None:
    def last_number_off(embedding: Tensor) -> Tensor:
        head = embedding.clone()
        head[-1, -1] += 1e-3
        return head

    both(put(HEAD, last_number_off, source=EMBEDDING), layout)(folder)
    message = refusal(folder)
    assert str(folder) in message
    assert HEAD in message
    assert EMBEDDING in message
    assert "tie_word_embeddings" in message
    settings(tie_word_embeddings=False)(folder)  # what the message says to do
    model = load(folder)[0]
    assert model.lm_head.weight[-1, -1] != model.model.embed_tokens.weight[-1, -1]


# (config's dtype in which key, dtype of the file, dtype asked for, dtype of the model)
DTYPES = [
    ("torch_dtype", "bfloat16", torch.float32, "auto", torch.bfloat16),
    ("dtype", "bfloat16", torch.float32, "auto", torch.bfloat16),
    ("torch_dtype", "float16", torch.bfloat16, "auto", torch.float16),
    ("dtype", "float32", torch.bfloat16, "auto", torch.float32),
    ("dtype", None, torch.bfloat16, "auto", torch.bfloat16),
    ("dtype", None, torch.float16, "auto", torch.float16),
    ("dtype", None, torch.float32, "auto", torch.float32),
    ("torch_dtype", "bfloat16", torch.bfloat16, torch.float32, torch.float32),
    ("dtype", "float32", torch.float32, torch.bfloat16, torch.bfloat16),
    ("dtype", None, torch.float16, torch.float32, torch.float32),
]


@pytest.mark.parametrize(("key", "named", "stored", "asked", "given"), DTYPES)
def test_dtype_is_the_one_asked_for_or_the_configs_or_the_files(
    key: str, named: str | None, stored: torch.dtype, asked: torch.dtype | str, given: torch.dtype, folder: Path
) -> None:
    both(cast(stored), settings(dtype=None), settings(**{key: named}))(folder)
    tensors = load_file(folder / WEIGHTS)
    model = load(folder, dtype=asked)[0]
    found = dict(model.named_parameters())
    assert set(found) == set(NAMES)
    for name, weight in found.items():
        assert weight.dtype == given
        assert torch.equal(weight, tensors[name].to(given))
    assert model(torch.tensor([IDS])).dtype == given


def test_a_file_of_mixed_dtypes_gives_a_model_of_one(folder: Path) -> None:
    both(cast(torch.bfloat16), put(NORM, lambda norm: norm.float()))(folder)
    assert {weight.dtype for weight in load(folder)[0].parameters()} == {torch.bfloat16}


@pytest.mark.parametrize("asked", ["bfloat16", "float32", "", "AUTO", torch.float64, torch.int8, torch.complex64])
def test_a_dtype_that_is_none_of_ours_is_refused(asked: torch.dtype | str, folder: Path) -> None:
    message = refusal(folder, dtype=asked)
    assert repr(asked) in message
    assert "'auto'" in message


def mapped_ranges(folder: Path) -> list[range]:
    """The addresses at which this process has a safetensors file of `folder` mapped."""
    lines = [line for line in Path("/proc/self/maps").read_text().splitlines() if str(folder) in line]
    borders = [line.split()[0].split("-") for line in lines if line.endswith(".safetensors")]
    return [range(int(start, 16), int(end, 16)) for start, end in borders]


@pytest.mark.parametrize("layout", [no_change, shards])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["fp32", "bf16"])
def test_weights_are_mapped_from_their_file_not_copied(layout: Change, dtype: torch.dtype, folder: Path) -> None:
    both(cast(dtype), layout)(folder)
    model = load(folder)[0]
    ranges = mapped_ranges(folder)
    strays = [
        name
        for name, weight in model.named_parameters()
        if not any(weight.data_ptr() in span and weight.data_ptr() + weight.nbytes - 1 in span for span in ranges)
    ]
    assert strays == []


# --- what is refused --------------------------------------------------------------------------------------------------

# What was done to the folder -> (the change, what the message says besides the folder's name)
BROKEN: dict[str, tuple[Change, list[str]]] = {
    **{f"without {name}": (drop(name), [f"missing {name}", "3 layers"]) for name in NAMES},
    "without three": (
        both(*map(drop, VECTORS[:4])),
        ["missing", " and 1 more"],
    ),
    "with another layer": (
        put("model.layers.3.input_layernorm.weight", lambda norm: norm, source=NORM),
        ["unexpected model.layers.3.input_layernorm.weight"],
    ),
    "with a bias of o_proj": (
        put("model.layers.1.self_attn.o_proj.bias", lambda bias: bias, source=NORM),
        ["unexpected model.layers.1.self_attn.o_proj.bias"],
    ),
    "with one name changed": (
        both(put("model.final.weight", lambda norm: norm, source="model.norm.weight"), drop("model.norm.weight")),
        ["missing model.norm.weight; unexpected model.final.weight"],
    ),
    "a layer more in config": (settings(num_hidden_layers=4, layer_types=None), ["missing model.layers.3", "4 layers"]),
    "a layer less in config": (
        settings(num_hidden_layers=2, layer_types=None),
        ["unexpected model.layers.2", "2 layers"],
    ),
    "untied without head": (settings(tie_word_embeddings=False), [f"no {HEAD}", "tie_word_embeddings is false"]),
    "tie not named, without head": (
        settings(tie_word_embeddings=None),
        [f"no {HEAD}", "tie_word_embeddings", "absent"],
    ),
    # Shapes. Those of length 1 would be broadcast by a copy.
    **{f"{name} of [1]": (put(name, lambda v: v[:1]), [WEIGHTS, f"{name} has shape [1]"]) for name in VECTORS},
    "norm of [64, 1]": (put(NORM, lambda norm: norm[:, None]), [f"{NORM} has shape [64, 1]", "expected [64]"]),
    "norm of []": (put(NORM, lambda norm: norm[0]), [f"{NORM} has shape []", "expected [64]"]),
    "norm of [0]": (put(NORM, lambda norm: norm[:0]), [f"{NORM} has shape [0]", "expected [64]"]),
    "transposed": (put(K, lambda weight: weight.T), [WEIGHTS, f"{K} has shape [64, 32]", "expected [32, 64]"]),
    "heads apart": (put(K, lambda weight: weight.unflatten(0, (2, 16))), [f"{K} has shape [2, 16, 64]"]),
    "vocab of 96": (
        put(EMBEDDING, lambda table: table[:96]),
        [f"{EMBEDDING} has shape [96, 64]", "[97, 64]"],
    ),
    "vocab of 98 in config": (settings(vocab_size=98), [f"{EMBEDDING} has shape [97, 64]", "[98, 64]"]),
    "kv heads in config": (settings(num_key_value_heads=4), ["k_proj", "expected [64"]),
    "tied head of another shape": (
        put(HEAD, lambda table: table[:96], source=EMBEDDING),
        [f"{HEAD} has shape [96, 64]", "[97, 64]"],
    ),
    # Dtypes.
    **{
        f"stored as {name}": (put(K, lambda weight, to=dtype: weight.to(to)), [WEIGHTS, K, f"stored as {name}", "BF16"])
        for name, dtype in {
            "I8": torch.int8,
            "U8": torch.uint8,
            "I64": torch.int64,
            "BOOL": torch.bool,
            "F64": torch.float64,
            "F8_E4M3": torch.float8_e4m3fn,
            "F8_E5M2": torch.float8_e5m2,
        }.items()
    },
    # The file itself.
    **{
        where: (cut(length), [WEIGHTS, "bytes) is not a whole safetensors file"])
        for where, length in {
            "empty": lambda end, whole: 0,
            "cut in the header's length": lambda end, whole: 3,
            "cut after the header's length": lambda end, whole: 8,
            "cut in the header": lambda end, whole: end // 2,
            "cut one byte before the header's end": lambda end, whole: end - 1,
            "cut at the header's end": lambda end, whole: end,
            "cut in the data": lambda end, whole: (end + whole) // 2,
            "cut by one byte": lambda end, whole: whole - 1,
            "too long by one byte": lambda end, whole: whole + 1,
            "too long by a page": lambda end, whole: whole + 4096,
        }.items()
    },
    **{
        what: (content(WEIGHTS, made), [WEIGHTS, "not a whole safetensors file"])
        for what, made in {
            "header of 10^15 bytes": lambda raw: (10**15).to_bytes(8, "little") + raw[8:],
            "header of 2^64 - 1 bytes": lambda raw: b"\xff" * 8 + raw[8:],
            "header of 0 bytes": lambda raw: bytes(8) + raw[8:],
            "header that is no JSON": lambda raw: raw[:8] + b"[" + raw[9:],
            "header that is a list": header([]),
            "header with data beyond the end": header(
                {NORM: {"dtype": "F32", "shape": [64], "data_offsets": [0, 256]}}
            ),
            "header with a size that is not its shape's": header(
                {NORM: {"dtype": "F32", "shape": [64], "data_offsets": [0, 64]}}
            ),
            "header with tensors on top of each other": header(
                {name: {"dtype": "F32", "shape": [16], "data_offsets": [0, 64]} for name in (NORM, K)}
            ),
            "header with an unknown dtype": header({NORM: {"dtype": "Q4", "shape": [16], "data_offsets": [0, 64]}}),
            "pointer of git-lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 988097824\n",
            "web page": b"<!DOCTYPE html><html><body>Sign in</body></html>",
        }.items()
    },
    "weights are a folder": (both(remove(WEIGHTS), lambda folder: (folder / WEIGHTS).mkdir()), [WEIGHTS]),
    "no weights": (remove(WEIGHTS), [WEIGHTS, INDEX, "neither"]),
    "no config": (remove("config.json"), ["config.json does not exist"]),
    "config cut": (content("config.json", lambda raw: raw[:-5]), ["config.json is not readable JSON"]),
    "another architecture": (settings(model_type="llama"), ["config.json", "'llama'"]),
    "tokenizer cut": (content("tokenizer.json", b"{"), ["tokenizer.json is not readable JSON"]),
    # Shards and their index. A shard that the index places elsewhere lies there, whole.
    "shard in the folder above": (moved(lambda _: "../x.safetensors"), [INDEX, "'../x.safetensors'", "same folder"]),
    "shard by absolute path": (moved(lambda folder: str(folder / "x.safetensors")), [INDEX, "/copy/x.safetensors'"]),
    "shard in a subfolder": (moved(lambda _: "sub/x.safetensors"), [INDEX, "'sub/x.safetensors'"]),
    "shard beyond a dot": (moved(lambda _: "./x.safetensors"), [INDEX, "'./x.safetensors'"]),
    "shard by backslash": (moved(lambda _: "..\\x.safetensors"), [INDEX, "x.safetensors'", "same folder"]),
    "shard on a drive": (moved(lambda _: "C:x.safetensors"), [INDEX, "'C:x.safetensors'"]),
    "shard called .bin": (moved(lambda _: "model-2.bin"), [INDEX, "'model-2.bin'", ".safetensors"]),
    **{
        f"shard called {shard!r}": (index(lambda where, to=shard: where.update({K: to})), [INDEX, K, repr(shard)])
        for shard in (None, 2, True, [FIRST], {"file": FIRST}, "", "..", "x\0.safetensors")
    },
    "shard absent": (both(shards, remove(SECOND)), [INDEX, SECOND, "absent"]),
    "shard cut": (both(shards, content(SECOND, lambda raw: raw[:-1])), [SECOND, "not a whole safetensors file"]),
    "tensor not in its shard": (index(lambda where: where.update({NAMES[0]: SECOND, K: FIRST})), [INDEX, "missing"]),
    "tensor of no shard": (index(lambda where: where.update({"x": FIRST})), [FIRST, INDEX, "missing x"]),
    "tensor not in the index": (index(lambda where: where.pop(K)), [INDEX, f"unexpected {K}"]),
    "shards of a model without a bias": (both(drop(VECTORS[-1]), shards), [f"missing {VECTORS[-1]}", "3 layers"]),
    "index without weight_map": (both(shards, settings(INDEX, weight_map=None)), [INDEX, "weight_map"]),
    "index with an empty weight_map": (both(shards, settings(INDEX, weight_map={})), [INDEX, "weight_map"]),
    "index with a list": (both(shards, settings(INDEX, weight_map=[FIRST])), [INDEX, "weight_map"]),
    "index cut": (both(shards, content(INDEX, lambda raw: raw[:-5])), [f"{INDEX} is not readable JSON"]),
    "index that is a list": (both(shards, content(INDEX, b"[]")), [INDEX, "a JSON list"]),
}


def forbidden(*_: object) -> NoReturn:
    raise AssertionError("a weight was read")


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_checkpoint_is_refused_from_its_headers(
    what: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change, words = BROKEN[what]
    change(folder)
    monkeypatch.setattr(minikv.checkpoint, "mapped", forbidden)
    message = refusal(folder)
    assert [word for word in [str(folder), *words] if word not in message] == [], message


class Trap:
    """Unpickled, it makes a folder: code from the file has run."""

    def __init__(self, mark: Path):
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (str(self.mark),)


@pytest.mark.parametrize("name", [WEIGHTS, "pytorch_model.bin", "consolidated.00.pth", "model.pt"])
@pytest.mark.parametrize("save", [torch.save, pickle.dump], ids=["torch", "pickle"])
def test_a_pickle_is_never_opened(name: str, save: Callable[..., None], folder: Path, tmp_path: Path) -> None:
    mark = tmp_path / "code-has-run"
    (folder / WEIGHTS).unlink()
    with (folder / name).open("wb") as file:
        save({EMBEDDING: Trap(mark)}, file)
    message = refusal(folder)
    assert str(folder) in message
    assert name in message
    assert "safetensors" in message
    assert not mark.exists()
    with (folder / name).open("rb") as file:  # the trap works
        torch.load(file, weights_only=False) if save is torch.save else pickle.load(file)
    assert mark.exists()


@pytest.mark.parametrize("change", [no_change, both(cast(torch.bfloat16), settings(dtype="float32")), shards])
def test_a_failing_load_leaves_nothing_behind(
    change: Change, folder: Path, model: minikv.Decoder, oracle: Logits
) -> None:
    both(put(HEAD, lambda head: head + 1, source=EMBEDDING), change)(folder)  # fails as late as any
    before = {path: path.read_bytes() for path in folder.iterdir()}
    weights_before = {name: (weight, weight.clone()) for name, weight in model.named_parameters()}
    assert "differ" in refusal(folder)
    gc.collect()
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    assert mapped_ranges(folder) == []
    open_files = [os.readlink(link) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    assert [file for file in open_files if str(folder) in file] == []
    for name, weight in model.named_parameters():
        kept, values = weights_before[name]
        assert weight is kept
        assert torch.equal(weight, values)
    torch.testing.assert_close(model(torch.tensor([IDS]))[0], oracle(IDS), atol=1e-4, rtol=1e-4)


def test_a_file_instead_of_a_folder_is_refused(folder: Path) -> None:
    message = refusal(folder / WEIGHTS)
    assert str(folder / WEIGHTS) in message
    assert "is a file" in message


@pytest.mark.parametrize(
    "source",
    [
        "gpt2",
        "a/b/c",
        "org/",
        "/name",
        "org/na me",
        "org/-name",
        "org/..",
        "org/na--me",
        "org/name\n",
        "org/na\0me",
        "C:\\models\\qwen",
        "./nowhere",
        "../nowhere",
        "/nowhere/at/all",
        "~/nowhere-at-all",
        "~nobody-of-this-name/model",
        "https://huggingface.co/org/name",
        "x" * 300,
        "org/" + "x" * 300,
    ],
    ids=lambda source: repr(source[:40]),
)
def test_what_is_neither_a_folder_nor_a_hub_id_is_refused(source: str, cache: Path) -> None:
    message = refusal(source)
    assert repr(source) in message or str(source) in message
    assert "no hub id" in message or "neither a folder that exists nor a hub id" in message


def test_no_name_at_all_is_not_the_current_folder(
    checkpoint: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(checkpoint)
    assert "neither a folder" in refusal("")
    assert load(".")[0].config.layers == SIZES["num_hidden_layers"]


# --- the hub ----------------------------------------------------------------------------------------------------------

REPO = "some-org/Some-Qwen2"
MAIN, OTHER = "a" * 40, "b" * 40  # commits


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache of huggingface_hub, which knows no token, and a hub at a closed port of this machine."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_IMPLICIT_TOKEN", True)
    monkeypatch.setattr(constants, "HF_HUB_ETAG_TIMEOUT", 2)
    monkeypatch.setattr(constants, "HF_HUB_DOWNLOAD_TIMEOUT", 2)
    monkeypatch.setattr(constants, "AGENT_HARNESSES_PATH", str(tmp_path / "agents.json"), raising=False)
    monkeypatch.setattr(time, "sleep", lambda _: None)  # it waits 23 s in all before it gives a hub up
    set_endpoint("http://127.0.0.1:9", monkeypatch)
    huggingface_hub.close_session()  # it keeps its proxies and connections
    yield tmp_path / "hub"
    huggingface_hub.close_session()


def set_endpoint(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", url + "/{repo_id}/resolve/{revision}/{filename}")


def lay_out(cache: Path, checkpoint: Path, commit: str, branch: str) -> Path:
    """A repository's commit as huggingface_hub keeps it once downloaded."""
    repository = cache / f"models--{REPO.replace('/', '--')}"
    (repository / "refs").mkdir(parents=True, exist_ok=True)
    (repository / "refs" / branch).write_text(commit)
    return copy_of(checkpoint, repository / "snapshots" / commit)


@dataclass
class Hub:
    """A hub on the loopback that serves one folder as `REPO`, or answers everything with one error."""

    folder: Path
    fault: tuple[int, str] | None = None  # status and X-Error-Code
    garbled: bool = False  # answers what is no HTTP
    asked: list[str] = field(default_factory=list)  # the paths, without those that are not about `REPO`

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body."""
        if self.fault is not None:
            status, code = self.fault
            return status, {"X-Error-Code": code} if code else {}, b""
        if path == f"/api/models/{REPO}" or path.startswith(f"/api/models/{REPO}/revision/"):
            return 200, {}, json.dumps({"id": REPO, "sha": MAIN, "siblings": []}).encode()
        if path == f"/api/models/{REPO}/tree/{MAIN}":
            files = [{"type": "file", "path": p.name, "size": p.stat().st_size, "oid": p.name} for p in self.files()]
            return 200, {}, json.dumps(files).encode()
        found = re.fullmatch(f"/{REPO}/resolve/[^/]+/([^/]+)", path)
        if found and (self.folder / found[1]).is_file():
            return 200, {"X-Repo-Commit": MAIN, "ETag": f'"{found[1]}"'}, (self.folder / found[1]).read_bytes()
        return 404, {"X-Error-Code": "EntryNotFound" if found else "RepoNotFound", "X-Repo-Commit": MAIN}, b""

    def files(self) -> list[Path]:
        return sorted(self.folder.iterdir())

    def file_names(self) -> set[str]:
        """The files that were asked for."""
        return {path.rpartition("/")[2] for path in self.asked if "/resolve/" in path}


@pytest.fixture
def hub(cache: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub that can be reached, with the fixture's checkpoint."""
    served = Hub(folder)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            if REPO in path:
                served.asked.append(path)
            if served.garbled:
                self.wfile.write(b"\0\1\2 this is no HTTP\r\n\r\n")
                return
            status, headers, body = served.answer(path)
            self.send_response(status)
            for key, value in ({"Content-Length": str(len(body))} | headers).items():
                self.send_header(key, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        set_endpoint(f"http://127.0.0.1:{server.server_port}", monkeypatch)
        yield served
        huggingface_hub.close_session()
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("revision", [None, "main", "older", MAIN, OTHER])
def test_a_cached_checkpoint_loads_offline_by_its_revision(
    revision: str | None, checkpoint: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, oracle: Logits
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    lay_out(cache, checkpoint, MAIN, "main")
    older = lay_out(cache, checkpoint, OTHER, "older")
    settings(max_position_embeddings=77)(older)
    model, tokenizer = load(REPO, revision=revision)
    assert model.config.context == (77 if revision in ("older", OTHER) else SIZES["max_position_embeddings"])
    assert tokenizer is None
    torch.testing.assert_close(model(torch.tensor([IDS]))[0], oracle(IDS), atol=1e-4, rtol=1e-4)


def test_a_cached_checkpoint_loads_where_the_hub_cannot_be_reached(checkpoint: Path, cache: Path) -> None:
    lay_out(cache, checkpoint, MAIN, "main")
    assert load(REPO)[0].config.context == SIZES["max_position_embeddings"]


def test_a_broken_checkpoint_in_the_cache_is_refused_as_a_folder_is(checkpoint: Path, cache: Path) -> None:
    snapshot = lay_out(cache, checkpoint, MAIN, "main")
    drop(VECTORS[-1])(snapshot)
    assert f"missing {VECTORS[-1]}" in refusal(REPO)
    (snapshot / WEIGHTS).unlink()
    assert str(snapshot) in refusal(REPO)


@pytest.mark.parametrize(
    ("offline", "reason"),
    [(True, "HF_HUB_OFFLINE is set"), (False, "the hub cannot be reached")],
    ids=["offline", "cut"],
)
@pytest.mark.parametrize("revision", [None, "v9", "c" * 40])
def test_what_is_not_in_the_cache_and_cannot_be_downloaded_is_refused(
    offline: bool, reason: str, revision: str | None, checkpoint: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", offline)
    if revision is not None:
        lay_out(cache, checkpoint, MAIN, "main")  # another revision than the one asked for
    message = refusal(REPO, revision=revision)
    for words in (REPO, revision or REPO, "not in the local cache", reason, "connect once", "pass a folder"):
        assert words in message


@pytest.mark.parametrize("layout", [no_change, shards])
def test_a_hub_id_is_downloaded_without_its_pickles(layout: Change, hub: Hub, cache: Path, oracle: Logits) -> None:
    layout(hub.folder)
    needed = {path.name for path in hub.files()}
    for name in ("pytorch_model.bin", "model.pt", "model.gguf", "README.md", "modeling_qwen2.py"):
        (hub.folder / name).write_text("not needed")
    model = load(REPO, revision="main")[0]
    torch.testing.assert_close(model(torch.tensor([IDS]))[0], oracle(IDS), atol=1e-4, rtol=1e-4)
    assert hub.file_names() == needed
    assert "/config.json" in hub.asked[0]  # before anything else
    asked = len(hub.asked)
    load(REPO, revision=MAIN)  # now from the cache
    assert [path for path in hub.asked[asked:] if path.endswith(".safetensors")] == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (settings(model_type="llama"), "'llama'"),
        (settings(use_sliding_window=True), "use_sliding_window"),
        (settings(rope_scaling={"type": "yarn", "factor": 4.0}), "'yarn'"),
        (content("config.json", b"[]"), "a JSON list"),
    ],
    ids=["llama", "window", "yarn", "list"],
)
def test_what_is_not_built_is_refused_by_its_config_before_any_weight_is_fetched(
    change: Change, words: str, hub: Hub, cache: Path
) -> None:
    change(hub.folder)
    message = refusal(REPO)
    assert words in message
    assert "config.json" in message
    assert hub.file_names() == {"config.json"}
    assert {path for path in hub.asked if "/resolve/" not in path} == set()
    assert list(cache.rglob("*.safetensors")) == []


@pytest.mark.parametrize(
    ("status", "code", "revision", "words"),
    [
        (401, "RepoNotFound", None, ["no repository", "check the spelling"]),
        (404, "RepoNotFound", None, ["no repository", "check the spelling"]),
        (401, "", None, ["could not be downloaded", "401"]),  # a token that is no longer valid
        (404, "RevisionNotFound", "v9", ["no revision 'v9'", "branch, tag or commit"]),
        (403, "GatedRepo", None, ["is gated", "hf auth login"]),
        (401, "GatedRepo", None, ["is gated", "hf auth login"]),
        (404, "EntryNotFound", None, ["config.json", "official layout"]),
        (500, "", None, ["not in the local cache", "cannot be reached"]),
        (200, "", None, ["not in the local cache", "cannot be reached"]),  # a network that asks to sign in
    ],
)
def test_each_refusal_of_the_hub_is_one_error(
    status: int, code: str, revision: str | None, words: list[str], hub: Hub, cache: Path
) -> None:
    hub.fault = status, code
    message = refusal(REPO, revision=revision)
    assert [word for word in [REPO, *words] if word not in message] == [], message
    assert hub.file_names() == {"config.json"}
    assert list(cache.rglob("*.safetensors")) == []


def test_an_answer_that_is_no_http_is_one_error(hub: Hub) -> None:
    hub.garbled = True
    assert REPO in refusal(REPO)
    assert hub.asked != []


def test_a_repository_without_weights_is_refused(hub: Hub) -> None:
    (hub.folder / WEIGHTS).rename(hub.folder / "pytorch_model.bin")
    message = refusal(REPO)
    assert WEIGHTS in message
    assert "pytorch_model.bin" not in hub.file_names()
