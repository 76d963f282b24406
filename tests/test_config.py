"""config.json: both dialects give the same decoder, and what the decoder does not compute is refused by name."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from minikv import CheckpointError
from minikv.checkpoint import blank
from minikv.config import Config
from minikv.qwen2 import Qwen2

ABSENT: Any = object()

COMMON: dict[str, Any] = {
    "architectures": ["Qwen2ForCausalLM"],
    "hidden_act": "silu",
    "hidden_size": 896,
    "intermediate_size": 4864,
    "max_position_embeddings": 32768,
    "max_window_layers": 21,
    "model_type": "qwen2",
    "num_attention_heads": 14,
    "num_hidden_layers": 24,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-6,
    "tie_word_embeddings": True,
    "use_sliding_window": False,
    "vocab_size": 151936,
}
# As the official repositories write it, and as transformers 5 does: Qwen2.5-0.5B in both.
FLAT: dict[str, Any] = COMMON | {"rope_theta": 1000000.0, "sliding_window": 32768, "torch_dtype": "bfloat16"}
NESTED: dict[str, Any] = COMMON | {
    "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0},
    "dtype": "bfloat16",
    "layer_types": ["full_attention"] * 24,
    "sliding_window": None,
}
WHOLE_NUMBERS = [
    "vocab_size",
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "max_position_embeddings",
]


def written(folder: Path, raw: dict[str, Any], **changes: Any) -> Path:
    """config.json in `folder`: `raw` with some settings changed, or left out where they are ABSENT."""
    path = folder / "config.json"
    path.write_text(json.dumps({key: value for key, value in (raw | changes).items() if value is not ABSENT}))
    return path


def refusal(path: Path) -> str:
    """What reading the file `path` is refused with; the message names the file."""
    with pytest.raises(CheckpointError) as refused:
        Config.read(path)
    assert str(path) in str(refused.value)
    return str(refused.value)


# --- what is read -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("raw", [FLAT, NESTED], ids=["flat", "nested"])
def test_both_dialects_give_the_same_decoder(raw: dict[str, Any], tmp_path: Path) -> None:
    config = Config.read(written(tmp_path, raw))
    assert config == Config(
        vocab=151936,
        hidden=896,
        intermediate=4864,
        layers=24,
        heads=14,
        kv_heads=2,
        head_dim=64,
        eps=1e-6,
        theta=1e6,
        tied=True,
        context=32768,
        dtype=torch.bfloat16,
    )
    assert config.group == 7


@pytest.mark.parametrize("theta", [10000.0, 10000, 5e5])
def test_theta_is_what_the_file_says(theta: float, tmp_path: Path) -> None:
    for raw, changes in ((FLAT, {"rope_theta": theta}), (NESTED, {"rope_parameters": {"rope_theta": theta}})):
        assert Config.read(written(tmp_path, raw, **changes)).theta == theta


def test_theta_may_stand_in_both_places_with_one_value(tmp_path: Path) -> None:
    assert Config.read(written(tmp_path, NESTED, rope_theta=1e6)).theta == 1e6
    assert Config.read(written(tmp_path, NESTED, rope_theta=None, rope_scaling=None)).theta == 1e6


@pytest.mark.parametrize("key", ["rope_scaling", "rope_parameters"])
def test_rotary_settings_of_the_default_type_change_nothing(key: str, tmp_path: Path) -> None:
    for nested in ({"rope_type": "default"}, {"type": "default"}, {}):
        assert Config.read(written(tmp_path, FLAT, **{key: nested})).theta == 1e6


@pytest.mark.parametrize("key", ["dtype", "torch_dtype"])
@pytest.mark.parametrize("name", ["bfloat16", "float16", "float32"])
def test_dtype_is_read_from_either_key(key: str, name: str, tmp_path: Path) -> None:
    raw = COMMON | {"rope_theta": 1e6, key: name}
    assert Config.read(written(tmp_path, raw)).dtype == getattr(torch, name)


def test_a_file_that_names_no_dtype_gives_none(tmp_path: Path) -> None:
    assert Config.read(written(tmp_path, FLAT, torch_dtype=ABSENT)).dtype is None
    assert Config.read(written(tmp_path, FLAT, torch_dtype=None)).dtype is None


@pytest.mark.parametrize("window", [4, 32768, 131072])
def test_the_number_of_a_sliding_window_is_no_switch(window: int, tmp_path: Path) -> None:
    whole = Config.read(written(tmp_path, FLAT))
    assert Config.read(written(tmp_path, FLAT, sliding_window=window, use_sliding_window=False)) == whole
    assert Config.read(written(tmp_path, FLAT, sliding_window=window, use_sliding_window=ABSENT)) == whole


def test_tie_word_embeddings_absent_means_false(tmp_path: Path) -> None:
    assert not Config.read(written(tmp_path, FLAT, tie_word_embeddings=ABSENT)).tied
    assert not Config.read(written(tmp_path, FLAT, tie_word_embeddings=False)).tied


def test_head_dim_may_be_given(tmp_path: Path) -> None:
    assert Config.read(written(tmp_path, FLAT, head_dim=None)).head_dim == 64
    config = Config.read(written(tmp_path, FLAT, head_dim=32))
    assert config.head_dim == 32
    assert blank(Qwen2, config).model.layers[0].self_attn.k_proj.weight.shape == (2 * 32, 896)
    # Given, it need not be hidden / heads, and hidden need not divide.
    assert Config.read(written(tmp_path, FLAT, head_dim=64, hidden_size=900)).head_dim == 64


def test_settings_that_do_not_change_the_numbers_are_passed_over(tmp_path: Path) -> None:
    extra = {"attention_dropout": 0.0, "use_cache": True, "quantization_config": None, "hidden_act": ABSENT}
    assert Config.read(written(tmp_path, FLAT, **extra)) == Config.read(written(tmp_path, NESTED))


# --- what is refused --------------------------------------------------------------------------------------------------

# (what is changed in the flat file, what the message says besides the file's name)
REFUSED: list[tuple[dict[str, Any], list[str]]] = [
    *(({"model_type": name}, ["model_type", repr(name)]) for name in ("llama", "qwen2_moe", "qwen3", "Qwen2", None)),
    ({"model_type": ABSENT}, ["model_type", "None"]),
    ({"quantization_config": {"quant_method": "gptq", "bits": 4}}, ["quantization_config"]),
    ({"quantization_config": {}}, ["quantization_config"]),
    *(({"hidden_act": name}, ["hidden_act", repr(name), "silu"]) for name in ("gelu", "relu", None)),
    ({"dual_chunk_attention_config": {"chunk_size": 262144}}, ["dual_chunk_attention_config"]),
    ({"use_sliding_window": True}, ["use_sliding_window is true"]),
    *(({"use_sliding_window": value}, ["use_sliding_window", repr(value)]) for value in ("false", 1, 0, None)),
    *(({"tie_word_embeddings": value}, ["tie_word_embeddings", repr(value)]) for value in ("false", 1, 0, None)),
    ({"layer_types": ["full_attention"] * 23 + ["sliding_attention"]}, ["layer_types", "sliding_attention"]),
    ({"layer_types": ["linear_attention", "full_attention"]}, ["layer_types", "linear_attention"]),
    ({"layer_types": "sliding_attention"}, ["layer_types", "sliding_attention"]),
    # Rotary embedding of another kind, in the older and the newer spelling.
    *(
        ({key: {spelling: kind, "factor": 4.0, "rope_theta": 1e6}}, [key, repr(kind)])
        for key in ("rope_scaling", "rope_parameters")
        for spelling in ("type", "rope_type")
        for kind in ("yarn", "linear", "dynamic", "llama3", "longrope", "mrope", None)
    ),
    ({"rope_scaling": "yarn"}, ["rope_scaling", "'yarn'"]),
    ({"rope_parameters": [1e6]}, ["rope_parameters"]),
    ({"rope_parameters": {"partial_rotary_factor": 0.5}}, ["rope_parameters.partial_rotary_factor"]),
    ({"rope_parameters": {"attention_factor": 3.0}}, ["rope_parameters.attention_factor"]),
    ({"rope_parameters": {"full_attention": {"rope_type": "yarn"}}}, ["rope_parameters.full_attention"]),
    ({"layer_types": ["full_attention"]}, ["layer_types names 1 layers"]),
    ({"hidden_size": 2**62}, ["hidden_size", "2**31 - 1"]),
    # The base: never guessed, never one of two.
    ({"rope_theta": ABSENT}, ["rope_theta", "rope_parameters", "never guessed"]),
    ({"rope_theta": None}, ["rope_theta", "never guessed"]),
    ({"rope_theta": ABSENT, "rope_parameters": {"rope_type": "default"}}, ["rope_theta", "never guessed"]),
    ({"rope_parameters": {"rope_theta": 10000.0}}, ["two values of rope_theta", "1000000.0", "10000.0"]),
    ({"rope_scaling": {"rope_theta": 10000.0}}, ["two values of rope_theta", "1000000.0", "10000.0"]),
    *(
        ({"rope_theta": value}, ["rope_theta", "above 0"])
        for value in (0, -1e6, math.nan, math.inf, -math.inf, "1000000.0", True, [1e6], 10**400)
    ),
    ({"rope_theta": ABSENT, "rope_parameters": {"rope_theta": math.nan}}, ["rope_parameters", "rope_theta", "nan"]),
    *(
        ({"rms_norm_eps": value}, ["rms_norm_eps", "above 0"])
        for value in (0, -1e-6, math.nan, math.inf, "1e-6", True, None, ABSENT)
    ),
    # Sizes: whole numbers from 1. A float that is whole, a string of digits and true are none.
    *(
        ({key: value}, [key, "whole number"])
        for key in WHOLE_NUMBERS
        for value in (0, -1, "64", 64.0, True, None, [64], ABSENT)
    ),
    *(({"head_dim": value}, ["head_dim", "whole number"]) for value in (0, -64, "64", 64.0, True)),
    ({"head_dim": 63}, ["head_dim is 63", "even"]),
    ({"hidden_size": 14 * 63}, ["head_dim is 63", "even"]),
    ({"hidden_size": 900}, ["hidden_size 900", "14 heads"]),
    ({"num_key_value_heads": 4}, ["num_attention_heads is 14", "num_key_value_heads 4"]),
    ({"num_key_value_heads": 28}, ["num_attention_heads is 14", "num_key_value_heads 28"]),
    *(({"torch_dtype": name}, ["dtype", repr(name)]) for name in ("float64", "int8", "float8_e4m3fn", "auto", 16)),
    ({"dtype": ["bfloat16"]}, ["dtype", "bfloat16", "float32"]),
]


@pytest.mark.parametrize(
    ("changes", "words"), REFUSED, ids=[str(changes).replace(str(ABSENT), "ABSENT")[:80] for changes, _ in REFUSED]
)
def test_refused_by_name(changes: dict[str, Any], words: list[str], tmp_path: Path) -> None:
    message = refusal(written(tmp_path, FLAT, **changes))
    assert [word for word in words if word not in message] == [], message


def test_yarn_is_refused_where_the_newer_dialect_puts_it(tmp_path: Path) -> None:
    yarn = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768, "rope_theta": 1e6}
    message = refusal(written(tmp_path, NESTED, rope_parameters=yarn))
    assert "'yarn'" in message
    assert "rope_parameters" in message


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not readable JSON"),
        (b'{"model_type": "qwen2",', "not readable JSON"),
        (b"model_type: qwen2", "not readable JSON"),
        (b'{"model_type": "\xff\xfe"}', "not readable JSON"),
        ('{"model_type": "qwen2"}'.encode("utf-16"), "not readable JSON"),
        (b'{"a": ' * 100_000, "not readable JSON"),
        (b'{"vocab_size": ' + b"9" * 5000 + b"}", "not readable JSON"),  # Python reads no number this long
        (b"[]", "a JSON list; expected an object"),
        (b'"qwen2"', "a JSON str; expected an object"),
        (b"151936", "a JSON int; expected an object"),
        (b"null", "a JSON NoneType; expected an object"),
    ],
    ids=["empty", "cut", "yaml", "no-utf8", "utf16", "deep", "long-number", "list", "string", "number", "null"],
)
def test_what_is_no_json_object_is_refused(content: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(content)
    assert words in refusal(path)


def test_an_absent_file_and_a_folder_in_its_place_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    assert "does not exist" in refusal(path)
    path.mkdir()
    assert "not readable JSON" in refusal(path)


def test_a_refusal_names_the_file_once_and_shows_no_traceback_of_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    for content in (None, b"{"):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(CheckpointError) as refused:
            Config.read(path)
        assert refused.value.__suppress_context__
        assert str(refused.value).count(str(path)) == 1


# --- every official size ----------------------------------------------------------------------------------------------

OFFICIAL = {  # hidden, layers, heads, kv_heads, intermediate, vocab, tied: parameters, a tied head counted once
    "Qwen2-0.5B": (896, 24, 14, 2, 4864, 151936, True, 494_032_768),
    "Qwen2-1.5B": (1536, 28, 12, 2, 8960, 151936, True, 1_543_714_304),
    "Qwen2-7B": (3584, 28, 28, 4, 18944, 152064, False, 7_615_616_512),
    "Qwen2-72B": (8192, 80, 64, 8, 29568, 152064, False, 72_706_203_648),
    "Qwen2.5-0.5B": (896, 24, 14, 2, 4864, 151936, True, 494_032_768),
    "Qwen2.5-1.5B": (1536, 28, 12, 2, 8960, 151936, True, 1_543_714_304),
    "Qwen2.5-3B": (2048, 36, 16, 2, 11008, 151936, True, 3_085_938_688),
    "Qwen2.5-7B": (3584, 28, 28, 4, 18944, 152064, False, 7_615_616_512),
    "Qwen2.5-14B": (5120, 48, 40, 8, 13824, 152064, False, 14_770_033_664),
    "Qwen2.5-32B": (5120, 64, 40, 8, 27648, 152064, False, 32_763_876_352),
    "Qwen2.5-72B": (8192, 80, 64, 8, 29568, 152064, False, 72_706_203_648),
}


@pytest.mark.parametrize("name", OFFICIAL)
def test_official_sizes_have_the_names_and_shapes_of_the_reference(name: str) -> None:
    hidden, layers, heads, kv_heads, intermediate, vocab, tied, parameters = OFFICIAL[name]
    raw = FLAT | {
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "intermediate_size": intermediate,
        "vocab_size": vocab,
        "tie_word_embeddings": tied,
    }
    model = blank(Qwen2, Config.parse(raw))
    assert sum(weight.numel() for weight in model.parameters()) == parameters
    assert {weight.device.type for weight in model.parameters()} == {"meta"}
    with torch.device("meta"):
        reference = transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**raw))
    expected = {key: weight.shape for key, weight in reference.state_dict().items()}
    assert {key: weight.shape for key, weight in model.state_dict().items()} == expected
    assert (model.lm_head.weight is model.model.embed_tokens.weight) == tied
