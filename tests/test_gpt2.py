"""GPT-2 on the same cache, placement, generation and recipes: against transformers' plain forward."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import decoders, models, pre_tokenizers, trainers
from torch import Tensor
from typer.testing import CliRunner

import minikv
import minikv.gpt2
from minikv import RECIPES, CheckpointError, KVCache, MinikvError, Placement, Tokenizer
from minikv.attention import by_hand, sdpa
from minikv.checkpoint import WEIGHTS, blank, load
from minikv.cli import app
from minikv.gpt2 import GPT2, GPT2Config, gelu_new
from tests.chat import SENTENCES
from tests.fixture import Oracle, check_steps, contents, give_body, ids, unchanged, write_checkpoint
from tests.transformers_recipes import answers

Patch = pytest.MonkeyPatch

CONTEXT = 128
# An epsilon that is not the default of nn.LayerNorm, or a norm that forgot its own would pass.
SIZES = {"n_embd": 64, "n_head": 4, "n_layer": 3, "n_positions": CONTEXT, "layer_norm_epsilon": 1e-3}
PREFIX = ids(23)
SUFFIXES = [ids(2, seed=2), ids(5, seed=3), ids(9, seed=4), ids(3, seed=5), ids(9, seed=6)]

# What the official config.json of gpt2 says, dropouts and the like left out.
OFFICIAL: dict[str, Any] = {
    "activation_function": "gelu_new",
    "architectures": ["GPT2LMHeadModel"],
    "bos_token_id": 50256,
    "eos_token_id": 50256,
    "layer_norm_epsilon": 1e-05,
    "model_type": "gpt2",
    "n_ctx": 1024,
    "n_embd": 768,
    "n_head": 12,
    "n_layer": 12,
    "n_positions": 1024,
    "vocab_size": 50257,
}


def reference_model(tied: bool = True, vocab: int = 97, **sizes: Any) -> transformers.GPT2LMHeadModel:
    """A tiny GPT-2 with body in transformers: fp32, eager attention."""
    config = transformers.GPT2Config(
        **(SIZES | sizes),
        vocab_size=vocab,
        bos_token_id=None,
        eos_token_id=None,
        tie_word_embeddings=tied,
        attn_implementation="eager",
    )
    reference = transformers.GPT2LMHeadModel(config).eval().requires_grad_(False)
    give_body(reference, seed=0)
    return reference


@pytest.fixture(scope="module")
def reference() -> transformers.GPT2LMHeadModel:
    return reference_model()


@pytest.fixture(scope="module")
def checkpoint(reference: transformers.GPT2LMHeadModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(reference, tmp_path_factory.mktemp("gpt2"))


@pytest.fixture(scope="module", params=[sdpa, by_hand], ids=["sdpa", "by_hand"])
def model(request: pytest.FixtureRequest, checkpoint: Path) -> GPT2:
    return load(checkpoint, dtype=torch.float32, attend=request.param)[0]


@pytest.fixture(scope="module")
def oracle(reference: transformers.GPT2LMHeadModel) -> Oracle:
    """ids -> logits [new, vocab]: transformers' plain forward, one row, no padding, no cache."""

    @torch.no_grad()
    def logits(ids: list[int]) -> Tensor:
        return reference(torch.tensor([ids]), use_cache=False).logits[0]

    return logits


# --- the numbers ------------------------------------------------------------------------------------------------------


def test_logits_equal_the_oracle_at_every_position(model: GPT2, oracle: Oracle) -> None:
    tokens = ids(CONTEXT)
    torch.testing.assert_close(model(torch.tensor([tokens]))[0], oracle(tokens), rtol=0, atol=1e-4)


def test_an_untied_head_and_an_inner_size_are_their_own(tmp_path: Path) -> None:
    reference = reference_model(tied=False, n_inner=100)
    model, _ = load(write_checkpoint(reference, tmp_path))
    tokens = torch.tensor([ids(20)])
    torch.testing.assert_close(model(tokens), reference(tokens).logits, rtol=0, atol=1e-4)


def test_ragged_rows_are_right_at_every_step(model: GPT2, oracle: Oracle) -> None:
    prompts = [ids(1, seed=2), ids(11, seed=3), ids(4, seed=4)]
    check_steps(oracle, list(minikv.steps(model, prompts, max_new_tokens=6)), [], prompts)


def test_rows_continue_a_prefix_from_their_own_offsets(model: GPT2, oracle: Oracle) -> None:
    prefix = minikv.prefill(model, PREFIX, chunk=10)
    before = contents(prefix)
    walk = list(minikv.steps(model, SUFFIXES, prefix, max_new_tokens=6))
    check_steps(oracle, walk, PREFIX, SUFFIXES)
    assert unchanged(prefix, before)
    assert [step.lengths[0].item() for step in walk] == [23, 25, 26, 27, 28, 29]


def test_a_cache_walked_by_hand_gives_the_plain_forward(model: GPT2, oracle: Oracle) -> None:
    cache = minikv.prefill(model, PREFIX).fork(rows=2, slots=40)
    short, long = ids(3, seed=2), ids(8, seed=3)
    tokens = torch.tensor([short + [96] * 5, long])
    logits = model(tokens, cache, cache.place([3, 8]))
    torch.testing.assert_close(logits[0, :3], oracle(PREFIX + short)[23:], rtol=0, atol=1e-4)
    torch.testing.assert_close(logits[1], oracle(PREFIX + long)[23:], rtol=0, atol=1e-4)
    cache.advance([3, 8])
    logits = model(torch.tensor([[7], [8]]), cache, cache.place([1, 1]))
    torch.testing.assert_close(logits[0, 0], oracle([*PREFIX, *short, 7])[-1], rtol=0, atol=1e-4)
    torch.testing.assert_close(logits[1, 0], oracle([*PREFIX, *long, 8])[-1], rtol=0, atol=1e-4)


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_gives_what_transformers_gives(
    model: GPT2, reference: transformers.GPT2LMHeadModel, name: str
) -> None:
    twin = "naive_loop" if name == "per_row_offsets" else name
    ours = RECIPES[name](model, PREFIX, SUFFIXES, max_new_tokens=12, pad_id=96)
    assert ours == answers(reference, twin, PREFIX, SUFFIXES, max_new_tokens=12, pad_id=96)


@pytest.mark.parametrize("name", RECIPES)
def test_right_recipes_give_the_naive_loop_and_wrong_ones_do_not(model: GPT2, name: str) -> None:
    truth = RECIPES["naive_loop"](model, PREFIX, SUFFIXES, max_new_tokens=12)
    found = RECIPES[name](model, PREFIX, SUFFIXES, max_new_tokens=12)
    assert (found == truth) == RECIPES[name].right


def test_bf16_stays_near_fp32(checkpoint: Path, oracle: Oracle) -> None:
    """8 significant bits through three layers: within 3 % of the logits' spread on average, 15 % anywhere."""
    model, _ = load(checkpoint, dtype=torch.bfloat16)
    tokens = ids(64)
    exact, rough = oracle(tokens), model(torch.tensor([tokens]))[0]
    assert rough.dtype == torch.bfloat16
    difference = (rough.float() - exact).abs() / exact.std()
    assert difference.mean() < 0.03
    assert difference.max() < 0.15


def test_gelu_is_that_of_the_paper() -> None:
    x = torch.linspace(-6, 6, 101, dtype=torch.float64)
    paper = x / 2 * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3)))
    torch.testing.assert_close(gelu_new(x), paper)
    torch.testing.assert_close(gelu_new(x.float()), paper.float(), rtol=0, atol=1e-6)


def test_gradients_reach_every_weight(checkpoint: Path) -> None:
    model, _ = load(checkpoint)
    model.requires_grad_(True)
    model(torch.tensor([ids(10)])).square().mean().backward()
    assert [name for name, weight in model.named_parameters() if weight.grad is None or not weight.grad.any()] == []


# --- the end of the learned positions ---------------------------------------------------------------------------------


def test_the_last_position_works_and_one_more_is_refused(model: GPT2, oracle: Oracle) -> None:
    full = ids(CONTEXT + 1)
    with pytest.raises(MinikvError, match=r"position 128; the model has learned positions 0 to 127"):
        model(torch.tensor([full]))
    cache = minikv.prefill(model, full[: CONTEXT - 1]).fork(rows=1, slots=CONTEXT + 4)
    last = model(torch.tensor([full[CONTEXT - 1 : CONTEXT]]), cache, cache.place([1]))
    torch.testing.assert_close(last[0, 0], oracle(full[:CONTEXT])[-1], rtol=0, atol=1e-4)
    cache.advance([1])
    before = contents(cache)
    with pytest.raises(MinikvError, match="position 128"):
        model(torch.tensor([full[CONTEXT:]]), cache, cache.place([1]))
    assert unchanged(cache, before)
    backwards = Placement.causal(1, 2)
    with pytest.raises(MinikvError, match="position -1"):
        model(torch.tensor([[1, 2]]), placement=replace(backwards, positions=backwards.positions - 1))


def test_padding_may_lie_beyond_the_learned_positions(model: GPT2, oracle: Oracle) -> None:
    """Row 0 is one token short of the end and row 1 has room for nine: row 0's padding reaches position 135."""
    cache = minikv.prefill(model, ids(CONTEXT - 9)).fork(rows=2, slots=CONTEXT)
    filler = ids(8, seed=8)
    model(torch.tensor([filler, filler]), cache, cache.place([8, 8]))
    cache.advance([8, 0])
    nine = ids(9, seed=9)
    placement = cache.place([1, 9])
    assert int(placement.positions.max()) == CONTEXT + 7
    logits = model(torch.tensor([[5] + [0] * 8, nine]), cache, placement)
    torch.testing.assert_close(logits[0, 0], oracle([*ids(CONTEXT - 9), *filler, 5])[-1], rtol=0, atol=1e-4)
    torch.testing.assert_close(logits[1], oracle([*ids(CONTEXT - 9), *nine])[-9:], rtol=0, atol=1e-4)


def test_ragged_rows_are_right_up_to_the_last_position(model: GPT2, oracle: Oracle) -> None:
    prompts = [ids(3, seed=2), ids(CONTEXT - 3, seed=3)]
    check_steps(oracle, list(minikv.steps(model, prompts, max_new_tokens=4)), [], prompts)
    with pytest.raises(MinikvError, match="context is 128"):
        minikv.generate(model, prompts, max_new_tokens=5)


# --- every bug put back once ------------------------------------------------------------------------------------------


def positions_from_zero(patch: Patch, model: GPT2) -> None:
    place = KVCache.place

    def without_offset(cache: KVCache, counts: Tensor) -> Placement:
        good = place(cache, counts)
        return replace(good, positions=good.positions - cache.lengths[:, None])

    patch.setattr(KVCache, "place", without_offset)


def positions_dropped(patch: Patch, model: GPT2) -> None:
    model.transformer.wpe.weight.zero_()


def exact_gelu(patch: Patch, model: GPT2) -> None:
    patch.setattr(minikv.gpt2, "gelu_new", torch.nn.functional.gelu)


def scale_missing(patch: Patch, model: GPT2) -> None:
    attend, root = model.attend, model.config.head_dim**0.5
    patch.setattr(model, "attend", lambda q, keys, values, mask: attend(q * root, keys, values, mask))


def last_norm_dropped(patch: Patch, model: GPT2) -> None:
    patch.setattr(model.transformer, "ln_f", torch.nn.Identity())


def q_k_v_in_another_order(patch: Patch, model: GPT2) -> None:
    for layer in model.transformer.h:
        for weight in (layer.attn.c_attn.weight, layer.attn.c_attn.bias):
            weight.copy_(weight.roll(64, dims=-1))


def heads_and_head_dim_swapped(patch: Patch, model: GPT2) -> None:
    for layer in model.transformer.h:
        for weight in (layer.attn.c_attn.weight, layer.attn.c_attn.bias):
            weight.copy_(weight.unflatten(-1, (3, 16, 4)).transpose(-1, -2).flatten(-3))


def norm_without_mean(patch: Patch, model: GPT2) -> None:
    for layer in model.transformer.h:
        norm = layer.ln_1
        rms = torch.nn.RMSNorm(64, norm.eps)
        rms.weight = norm.weight
        patch.setattr(layer, "ln_1", torch.nn.Sequential(rms, Plus(norm.bias)))


class Plus(torch.nn.Module):
    def __init__(self, bias: Tensor):
        super().__init__()
        self.bias = bias

    def forward(self, x: Tensor) -> Tensor:
        return x + self.bias


def biases_of_conv1d_dropped(patch: Patch, model: GPT2) -> None:
    for name, weight in model.named_parameters():
        if ".c_" in name and name.endswith("bias"):
            weight.zero_()


def biases_of_norms_dropped(patch: Patch, model: GPT2) -> None:
    for name, weight in model.named_parameters():
        if ".ln_" in name and name.endswith("bias"):
            weight.zero_()


def eps_of_another_size(patch: Patch, model: GPT2) -> None:
    for layer in model.transformer.h:
        patch.setattr(layer.ln_1, "eps", 1e-2)


# Each moves the logits by a hundred times the tolerance at least; exact_gelu by ten times, as the two gelus themselves
# differ by 0.0005 at most.
BUGS = [
    positions_from_zero,
    positions_dropped,
    exact_gelu,
    scale_missing,
    last_norm_dropped,
    q_k_v_in_another_order,
    heads_and_head_dim_swapped,
    norm_without_mean,
    biases_of_conv1d_dropped,
    biases_of_norms_dropped,
    eps_of_another_size,
]


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.__name__)
def test_the_check_of_ragged_rows_sees(
    model: GPT2, oracle: Oracle, monkeypatch: Patch, bug: Callable[[Patch, GPT2], None]
) -> None:
    model = copy.deepcopy(model)

    def difference() -> float:
        (step,) = minikv.steps(model, SUFFIXES, minikv.prefill(model, PREFIX), max_new_tokens=1)
        expected = torch.stack([oracle(PREFIX + suffix)[-1] for suffix in SUFFIXES])
        return (step.logits - expected).abs().max().item()

    assert difference() < 1e-4
    bug(monkeypatch, model)
    assert difference() > (1e-3 if bug is exact_gelu else 1e-2)


# --- files ------------------------------------------------------------------------------------------------------------


def stored_as_official(checkpoint: Path, folder: Path) -> Path:
    """The checkpoint in the layout of the official gpt2 … gpt2-xl: no prefix, causal masks among the weights, and a
    config.json without what transformers added to it later."""
    tensors = {name.removeprefix("transformer."): tensor for name, tensor in load_file(checkpoint / WEIGHTS).items()}
    triangle = torch.ones(CONTEXT, CONTEXT).tril().view(1, 1, CONTEXT, CONTEXT)
    for layer in range(3):
        tensors[f"h.{layer}.attn.bias"] = triangle.clone()
        tensors[f"h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
    save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(OFFICIAL | SIZES | {"n_ctx": CONTEXT, "vocab_size": 97}))
    return folder


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("official", [True, False], ids=["official", "transformers 5"])
def test_both_layouts_load_in_both_dtypes(
    reference: transformers.GPT2LMHeadModel, tmp_path: Path, dtype: torch.dtype, official: bool
) -> None:
    reference = copy.deepcopy(reference).to(dtype)
    folder = write_checkpoint(reference, tmp_path)
    if official:
        stored_as_official(folder, folder)
    model, tokenizer = load(folder)
    assert isinstance(model, GPT2)
    assert tokenizer is None
    assert model.dtype == dtype
    assert model.lm_head.weight is model.transformer.wte.weight
    theirs = reference.state_dict()
    assert set(model.state_dict()) == set(theirs)
    for name, weight in model.state_dict().items():
        assert torch.equal(weight, theirs[name]), name


def test_own_names() -> None:
    for stored, own in (
        ("wte.weight", "transformer.wte.weight"),
        ("transformer.wte.weight", "transformer.wte.weight"),
        ("h.0.attn.c_attn.bias", "transformer.h.0.attn.c_attn.bias"),
        ("transformer.h.11.attn.c_proj.bias", "transformer.h.11.attn.c_proj.bias"),
        ("lm_head.weight", "lm_head.weight"),
        ("h.0.attn.bias", None),
        ("transformer.h.11.attn.bias", None),
        ("h.11.attn.masked_bias", None),
    ):
        assert GPT2.own_name(stored) == own


def changed(checkpoint: Path, folder: Path, change: Callable[[dict[str, Tensor]], object]) -> Path:
    """A copy of the checkpoint with its tensors changed."""
    tensors = load_file(checkpoint / WEIGHTS)
    change(tensors)
    save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})
    (folder / "config.json").write_text((checkpoint / "config.json").read_text())
    return folder


def test_a_tied_head_may_be_stored(checkpoint: Path, tmp_path: Path, oracle: Oracle) -> None:
    def store(tensors: dict[str, Tensor]) -> None:
        tensors["lm_head.weight"] = tensors["transformer.wte.weight"].clone()

    model, _ = load(changed(checkpoint, tmp_path, store))
    tokens = ids(9)
    torch.testing.assert_close(model(torch.tensor([tokens]))[0], oracle(tokens), rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t.pop("transformer.h.1.attn.c_attn.bias"), "missing transformer.h.1.attn.c_attn.bias"),
        (lambda t: t.update({"wte.weight": t["transformer.wte.weight"].clone()}), "are both the decoder's"),
        (lambda t: t.update({"h.3.ln_1.bias": torch.zeros(64)}), "unexpected transformer.h.3.ln_1.bias"),
        (lambda t: t.update({"transformer.wpe.weight": torch.zeros(64, 64)}), "expected [128, 64]"),
        (
            lambda t: t.update(
                {"transformer.h.0.mlp.c_fc.weight": t["transformer.h.0.mlp.c_fc.weight"].T.contiguous()}
            ),
            "has shape [256, 64]; expected [64, 256]",
        ),
    ],
    ids=["missing", "twice", "unexpected", "short table", "transposed"],
)
def test_other_tensors_are_refused(
    checkpoint: Path, tmp_path: Path, change: Callable[[dict[str, Tensor]], object], words: str
) -> None:
    with pytest.raises(CheckpointError) as refused:
        load(changed(checkpoint, tmp_path, change))
    assert words in str(refused.value)


# --- config.json ------------------------------------------------------------------------------------------------------


def test_the_official_config_is_read() -> None:
    config = GPT2Config.parse(OFFICIAL)
    assert config == GPT2Config(
        vocab=50257,
        hidden=768,
        intermediate=3072,
        layers=12,
        heads=12,
        kv_heads=12,
        head_dim=64,
        eps=1e-5,
        tied=True,
        context=1024,
        dtype=None,
    )
    stated = {"tie_word_embeddings": True, "n_inner": None, "scale_attn_weights": True, "quantization_config": None}
    assert GPT2Config.parse(OFFICIAL | stated) == config
    absent = {key: value for key, value in OFFICIAL.items() if key not in ("activation_function", "n_positions")}
    assert GPT2Config.parse(absent) == config


def test_settings_that_change_the_decoder_are_read() -> None:
    changes = {"n_inner": 100, "tie_word_embeddings": False, "torch_dtype": "float16", "n_positions": 77}
    config = GPT2Config.parse(OFFICIAL | changes)
    assert (config.intermediate, config.tied, config.dtype, config.context) == (100, False, torch.float16, 77)
    assert GPT2Config.parse(OFFICIAL | {"dtype": "bfloat16"}).dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("activation_function", "gelu"),
        ("activation_function", "relu"),
        ("activation_function", None),
        ("scale_attn_weights", False),
        ("scale_attn_by_inverse_layer_idx", True),
        ("reorder_and_upcast_attn", True),
        ("add_cross_attention", True),
        ("quantization_config", {"bits": 4}),
        ("tie_word_embeddings", "yes"),
        ("n_head", 7),
        ("n_head", 0),
        ("n_embd", None),
        ("n_layer", 12.0),
        ("n_positions", None),
        ("n_positions", "1024"),
        ("n_inner", 0),
        ("vocab_size", True),
        ("layer_norm_epsilon", 0),
        ("layer_norm_epsilon", None),
        ("torch_dtype", "int8"),
    ],
)
def test_what_is_not_computed_is_refused_by_name(tmp_path: Path, key: str, value: object) -> None:
    (tmp_path / "config.json").write_text(json.dumps(OFFICIAL | {key: value}))
    with pytest.raises(CheckpointError, match=key.removeprefix("torch_")) as refused:
        load(tmp_path)
    assert str(tmp_path / "config.json") in str(refused.value)


@pytest.mark.parametrize(
    ("hidden", "heads", "layers"),
    [(768, 12, 12), (1024, 16, 24), (1280, 20, 36), (1600, 25, 48)],
    ids=["gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"],
)
def test_the_official_sizes_have_the_tensors_of_transformers(hidden: int, heads: int, layers: int) -> None:
    sizes = {"n_embd": hidden, "n_head": heads, "n_layer": layers}
    with torch.device("meta"):
        theirs = transformers.GPT2LMHeadModel(transformers.GPT2Config(**sizes)).state_dict()
    ours = blank(GPT2, GPT2Config.parse(OFFICIAL | sizes)).state_dict()
    assert {name: weight.shape for name, weight in ours.items()} == {
        name: weight.shape for name, weight in theirs.items()
    }


# --- text -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights in the official layout beside a tokenizer in GPT-2's manner: bytes and merges, one control token that
    tokenizer_config.json does not name, no chat template."""
    folder = tmp_path_factory.mktemp("text")
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=399, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    tokenizer.add_special_tokens(["<|endoftext|>"])
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": CONTEXT}))
    write_checkpoint(reference_model(vocab=400), folder)
    stored_as_official(folder, folder)
    (folder / "config.json").write_text(json.dumps(OFFICIAL | SIZES | {"n_ctx": CONTEXT, "vocab_size": 400}))
    return folder


def test_text_in_text_out_and_on_the_command_line(folder: Path) -> None:
    model, tokenizer = load(folder)
    assert isinstance(tokenizer, Tokenizer)
    assert tokenizer.stop_ids == (399,)
    assert tokenizer.pad_id == 399
    prompt = tokenizer.encode("The ferry leaves<|endoftext|>")
    assert 399 not in prompt
    (new,) = minikv.generate(model, [prompt], max_new_tokens=12, stop_ids=tokenizer.stop_ids)
    asked = ["generate", "--model", folder, "--prompt", "The ferry leaves<|endoftext|>", "--max-new-tokens", 12]
    done = CliRunner().invoke(app, [*map(str, asked)])
    assert done.exit_code == 0
    assert done.stdout == tokenizer.decode(new) + "\n"


def test_the_same_ids_as_transformers_own_tokenizer_and_generate(folder: Path) -> None:
    theirs = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    model, tokenizer = load(folder)
    prompt = tokenizer.encode("The invoice number: 4711, Déjà vu.")
    assert prompt == theirs("The invoice number: 4711, Déjà vu.").input_ids
    expected = reference_model(vocab=400).generate(
        torch.tensor([prompt]), max_new_tokens=30, do_sample=False, pad_token_id=0
    )
    assert minikv.generate(model, [prompt], max_new_tokens=30) == [expected[0, len(prompt) :].tolist()]


def test_without_a_chat_template_chat_says_so(folder: Path) -> None:
    model, tokenizer = load(folder)
    with pytest.raises(MinikvError, match="no chat template"):
        minikv.extract(model, tokenizer, "A text.", ["a key"])
    done = CliRunner().invoke(app, ["generate", "--model", str(folder), "--prompt", "Hi", "--chat"])
    assert done.exit_code == 1
    assert "no chat template" in done.stderr
