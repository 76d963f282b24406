"""The comparison: each fault is named at the tensor where it is, and equal models are equal."""

import copy
import json
import math
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from typer.testing import CliRunner, Result

import minikv
import minikv.commands.compare
import minikv.gpt2
import minikv.qwen2
from minikv import KVCache, MinikvError, Placement
from minikv.checkpoint import WEIGHTS
from minikv.cli import app
from minikv.decoder import Pass
from minikv.look.compare import Comparison, Difference, Top1, difference, differences_of, mapped
from tests.fixture import ids, write_checkpoint
from tests.test_bugs_put_back import (
    kv_heads_tiled_instead_of_grouped,
    pairs_rotated_instead_of_halves,
    triangle_aligned_top_left,
)
from tests.test_gpt2 import reference_model as gpt2_reference

Patch = pytest.MonkeyPatch
TOKENS = torch.tensor([ids(24)])


@pytest.fixture(scope="module")
def qwen2(checkpoint: Path) -> minikv.Qwen2:
    """By hand, as the reference's eager attention: then the two are equal to the last bit or nearly."""
    model, _ = minikv.load(checkpoint, dtype=torch.float32, attend=minikv.by_hand)
    assert isinstance(model, minikv.Qwen2)
    return model


# --- equal models -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["sdpa", "by_hand"], indirect=True)
def test_transformers_is_equal(model: minikv.Decoder, reference: transformers.Qwen2ForCausalLM) -> None:
    found = minikv.compare(model, reference, TOKENS, atol=1e-4)
    assert found.ok, found
    assert found.first is None
    names = [each.name for each in found.differences]
    inside = ("q_proj", "k_proj", "v_proj", "mask", "q", "keys", "values", "weights", "attended")
    assert [f"model.layers.2.self_attn.{each}" for each in inside] == [
        name for name in names if name.startswith("model.layers.2.self_attn.") and ".o_proj" not in name
    ]
    assert names[0] == "model.input"
    assert names[-1] == "lm_head"
    assert found.unmatched == tuple(f"model.layers.{layer}.self_attn.scores" for layer in range(3))
    assert found.top1 is not None
    assert found.top1.agreeing == found.top1.positions == 24
    minikv.assert_logits_match(model, reference, [ids(9), ids(1), ids(30, seed=2)])


def test_gpt2_of_transformers_is_equal(tmp_path: Path, monkeypatch: Patch) -> None:
    reference = gpt2_reference()
    model, _ = minikv.load(write_checkpoint(reference, tmp_path))
    found = minikv.compare(model, reference, TOKENS)
    assert found.ok, found
    assert len([each for each in found.differences if ".attn." in each.name]) == 3 * 9
    monkeypatch.setattr(minikv.gpt2, "gelu_new", nn.functional.silu)
    assert first(minikv.compare(model, reference, TOKENS)) == "transformer.h.0.mlp.c_proj.input"


def test_a_model_equals_itself_to_the_last_bit(qwen2: minikv.Qwen2) -> None:
    found = minikv.compare(qwen2, copy.deepcopy(qwen2), TOKENS, atol=0.0)
    assert found.ok
    assert found.unmatched == ()
    assert all(each.max == each.mean == each.relative == 0 for each in found.differences)


# --- every fault at its place -----------------------------------------------------------------------------------------


def bias_dropped(patch: Patch, model: minikv.Qwen2) -> None:
    patch.setattr(model.model.layers[1].self_attn.k_proj, "bias", None)


def another_theta(patch: Patch, model: minikv.Qwen2) -> None:
    patch.setattr(model.model, "config", replace(model.config, theta=1e4))


def eps_of_another_size(patch: Patch, model: minikv.Qwen2) -> None:
    patch.setattr(model.model.layers[1].post_attention_layernorm, "eps", 1e-2)


def scale_missing(patch: Patch, model: minikv.Qwen2) -> None:
    attend = model.attend
    patch.setattr(model, "attend", lambda q, keys, values, mask: attend(q * 4, keys, values, mask))


def residual_after_the_norm(patch: Patch, model: minikv.Qwen2) -> None:
    def forward(layer: minikv.qwen2.Layer, x: Tensor, angles: Tensor, at: Pass) -> Tensor:
        x = layer.input_layernorm(x)
        x = x + layer.self_attn(x, angles, at)
        return x + layer.mlp(layer.post_attention_layernorm(x))

    patch.setattr(minikv.qwen2.Layer, "forward", forward)


def residual_of_the_wrong_place(patch: Patch, model: minikv.Qwen2) -> None:
    def forward(layer: minikv.qwen2.Layer, x: Tensor, angles: Tensor, at: Pass) -> Tensor:
        return x + layer.mlp(layer.post_attention_layernorm(x + layer.self_attn(layer.input_layernorm(x), angles, at)))

    patch.setattr(minikv.qwen2.Layer, "forward", forward)


def another_activation(patch: Patch, model: minikv.Qwen2) -> None:
    def forward(mlp: minikv.qwen2.MLP, x: Tensor) -> Tensor:
        return mlp.down_proj(nn.functional.gelu(mlp.gate_proj(x)) * mlp.up_proj(x))

    patch.setattr(minikv.qwen2.MLP, "forward", forward)


def output_transposed(patch: Patch, model: minikv.Qwen2) -> None:
    weight = model.model.layers[2].self_attn.o_proj.weight
    weight.copy_(weight.T.clone())


def gate_and_up_swapped(patch: Patch, model: minikv.Qwen2) -> None:
    mlp = model.model.layers[0].mlp
    mlp.gate_proj, mlp.up_proj = mlp.up_proj, mlp.gate_proj


def head_of_its_own(patch: Patch, model: minikv.Qwen2) -> None:
    model.lm_head.weight = nn.Parameter(model.lm_head.weight.roll(1, dims=0), requires_grad=False)


def one_row_of_the_embedding(patch: Patch, model: minikv.Qwen2) -> None:
    model.model.embed_tokens.weight[int(TOKENS[0, 20])] += 0.01


def queries_see_one_ahead(patch: Patch, model: minikv.Qwen2) -> None:
    causal = Placement.causal

    def shifted(*args: object) -> Placement:
        good = causal(*args)
        return replace(good, mask=good.mask | good.mask.roll(1, dims=-1))

    patch.setattr(Placement, "causal", shifted)


FAULTS: list[tuple[Callable[[Patch, minikv.Qwen2], None], str]] = [
    (one_row_of_the_embedding, "model.embed_tokens"),
    (bias_dropped, "model.layers.1.self_attn.k_proj"),
    (another_theta, "model.layers.0.self_attn.q"),
    (pairs_rotated_instead_of_halves, "model.layers.0.self_attn.q"),
    (kv_heads_tiled_instead_of_grouped, "model.layers.0.self_attn.attended"),
    (scale_missing, "model.layers.0.self_attn.attended"),
    (output_transposed, "model.layers.2.self_attn.o_proj"),
    (residual_after_the_norm, "model.layers.0.post_attention_layernorm.input"),
    (eps_of_another_size, "model.layers.1.post_attention_layernorm"),
    (gate_and_up_swapped, "model.layers.0.mlp.gate_proj"),
    (another_activation, "model.layers.0.mlp.down_proj.input"),
    (residual_of_the_wrong_place, "model.layers.0"),
    (head_of_its_own, "lm_head"),
]


def first(found: Comparison) -> str:
    assert found.first is not None
    return found.first.name


@pytest.mark.parametrize(("fault", "name"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_fault_is_named_where_it_is(
    qwen2: minikv.Qwen2,
    reference: transformers.Qwen2ForCausalLM,
    monkeypatch: Patch,
    fault: Callable[[Patch, minikv.Qwen2], None],
    name: str,
) -> None:
    with minikv.trace(qwen2) as healthy:
        qwen2(TOKENS)
    model = copy.deepcopy(qwen2)
    fault(monkeypatch, model)
    found = minikv.compare(model, reference, TOKENS)
    assert first(found) == name
    assert not found.ok
    with minikv.trace(model) as t:
        model(TOKENS)
    among_our_own = differences_of(t.latest, healthy.latest, atol=1e-4)
    assert first(among_our_own) == name
    assert among_our_own.unmatched == ()
    with pytest.raises(AssertionError, match=rf"first beyond 0\.0001: {name} \("):
        minikv.assert_logits_match(model, reference, TOKENS.tolist())


def test_another_mask_is_named_where_it_is(
    qwen2: minikv.Qwen2, reference: transformers.Qwen2ForCausalLM, monkeypatch: Patch
) -> None:
    queries_see_one_ahead(monkeypatch, qwen2)
    found = minikv.compare(qwen2, reference, TOKENS)
    assert first(found) == "model.layers.0.self_attn.mask"


def test_a_triangle_aligned_top_left_is_named_at_a_later_chunk(qwen2: minikv.Qwen2, monkeypatch: Patch) -> None:
    def chunks() -> list[dict[str, Tensor]]:
        cache = KVCache.empty(qwen2, rows=2, slots=12)
        with minikv.trace(qwen2) as t:
            for start in (0, 6):
                tokens = torch.tensor([ids(12), ids(12, seed=2)])[:, start : start + 6]
                qwen2(tokens, cache, cache.place([6, 6]))
                cache.advance([6, 6])
        return t.passes

    healthy = chunks()
    triangle_aligned_top_left(monkeypatch, qwen2)
    faulty = chunks()
    assert differences_of(faulty[0], healthy[0], atol=0.0).ok
    later = differences_of(faulty[1], healthy[1], atol=1e-4)
    assert first(later) == "model.layers.0.self_attn.mask"
    assert later.first is not None  # no query looks beyond slot 5, so attention does not read further
    assert (later.first.shape, later.first.reference_shape) == ((2, 6, 6), (2, 6, 12))


# --- the figures ------------------------------------------------------------------------------------------------------


def test_figures_of_a_difference() -> None:
    found = difference("x", torch.tensor([[3.0, 4.0], [0.0, 1.0]]), torch.tensor([[3.0, 0.0], [0.0, 4.0]]))
    assert found == Difference("x", (2, 2), (2, 2), max=4.0, mean=7 / 4, relative=1.0, cosine=found.cosine)
    assert found.cosine == pytest.approx(13 / (26**0.5 * 5))


@pytest.mark.parametrize(
    ("ours", "theirs", "largest", "relative", "cosine"),
    [
        ([1.0, -math.inf], [1.0, -math.inf], 0, 0, 1),  # a score that both hide
        ([1.0, -math.inf], [1.0, 5.0], math.inf, math.inf, 1),
        ([1.0, 5.0], [1.0, -math.inf], math.inf, math.inf, 1),
        ([1.0, math.nan], [1.0, math.nan], math.inf, math.inf, 1),
        ([1.0, math.inf], [1.0, -math.inf], math.inf, math.inf, 1),
        ([0.0, 0.0], [0.0, 0.0], 0, 0, 1),
        ([0.0, 2.0], [0.0, 0.0], 2, math.inf, 0),
        ([True, False], [True, True], 1, 0.5**0.5, 0.5**0.5),
        ([], [], 0, 0, 1),
    ],
)
def test_figures_of_what_is_hidden_or_no_number(
    ours: list[float], theirs: list[float], largest: float, relative: float, cosine: float
) -> None:
    found = difference("x", torch.tensor(ours), torch.tensor(theirs))
    assert (found.max, found.relative, found.cosine) == (largest, pytest.approx(relative), pytest.approx(cosine))


def test_a_large_tensor_is_compared_to_its_end() -> None:
    theirs = torch.ones(700, 1000)
    for place in (0, 350, 699):
        ours = theirs.clone()
        ours[place] += 0.5
        found = difference("x", ours, theirs)
        assert (found.max, found.mean) == (0.5, pytest.approx(0.5 / 700))
        assert found.relative == pytest.approx((0.25 / 700) ** 0.5)
        assert found.cosine == pytest.approx((699 + 1.5) / (700 * (699 + 2.25)) ** 0.5)


def test_another_shape_is_beyond_any_tolerance() -> None:
    found = differences_of({"x": torch.zeros(2, 3)}, {"x": torch.zeros(3, 2)}, atol=1e9)
    assert not found.ok
    assert "first beyond 1e+09: x (largest inf, mean inf, relative inf, cosine nan, shapes [2, 3] and [3, 2])" in str(
        found
    )
    assert json.loads(json.dumps(found.as_json(), allow_nan=False))["tensors"][0]["max"] is None


def test_top1_and_margin() -> None:
    ours = torch.tensor([[[1.0, 2.0, 0.0], [5.0, 4.75, 0.0], [0.0, 0.0, 1.0]]])
    theirs = torch.tensor([[[1.0, 2.0, 0.0], [4.0, 4.5, 0.0], [0.0, 0.0, 9.0]]])
    found = differences_of({"lm_head": ours}, {"lm_head": theirs}, atol=10.0)
    assert found.top1 == Top1(positions=3, agreeing=2, margin=0.5)
    assert "The same likeliest token at 2 of 3 positions; it leads by 0.5 at least." in str(found)


def test_the_table_has_a_row_for_each_layer_and_opens_the_first_that_differs() -> None:
    names = ["embed", "h.0.ln", "h.0", "h.1.ln", "h.1.mlp", "h.1", "h.2.ln", "h.2", "lm_head"]
    theirs = {name: torch.ones(4) for name in names}
    ours = {name: torch.ones(4) + (0.5 if number > 3 else 0) for number, name in enumerate(names)}
    ours |= {f"h.{layer}.q": torch.ones(1) for layer in range(3)}
    found = differences_of(ours, theirs, atol=0.1)
    lines = str(found).splitlines()
    assert lines[0] == "first beyond 0.1: h.1.mlp (largest 0.5, mean 0.5, relative 0.5, cosine 1.000000, shape [4])"
    assert [line.split()[0] for line in lines[1:-2]] == [
        "tensor",
        "embed",
        "h.0",
        "h.1.ln",
        "h.1.mlp",
        "h.1",
        "h.2",
        "lm_head",
    ]
    assert lines[-1] == "Not seen in the reference: h.0…2.q."
    assert "h.1.mlp" in found._repr_html_()
    assert [each["name"] for each in found.as_json()["tensors"]] == names


# --- other modules, and mistakes --------------------------------------------------------------------------------------


class Port(nn.Module):
    """The decoder under other names, as somebody's port may have it."""

    def __init__(self, model: minikv.Qwen2):
        super().__init__()
        self.gpt, self.head = copy.deepcopy(model.model), copy.deepcopy(model.lm_head)

    def forward(self, tokens: Tensor) -> dict[str, Tensor]:
        at = Pass(Placement.causal(*tokens.shape), None, minikv.sdpa)
        return {"logits": self.head(self.gpt(tokens, at))}


def test_a_mapping_names_the_references_modules(qwen2: minikv.Qwen2) -> None:
    port = Port(qwen2)
    for renamed in (
        lambda name: name.replace("model", "gpt").replace("lm_head", "head"),
        {name: name.replace("model", "gpt") for name, _ in qwen2.named_modules()} | {"lm_head": "head"},
    ):
        found = minikv.compare(qwen2, port, TOKENS, mapping=renamed)
        assert found.ok
        assert len(found.differences) == 2 + 3 * 13 + 2  # all but what is inside attention
    port.gpt.layers[1].mlp.up_proj.weight.mul_(1.01)
    assert first(minikv.compare(qwen2, port, TOKENS, mapping=renamed)) == "model.layers.1.mlp.up_proj"
    with pytest.raises(AssertionError, match=r"first beyond 0\.0001: model\.layers\.1\.mlp\.up_proj "):
        minikv.assert_logits_match(qwen2, port, [ids(5)], mapping=renamed)
    with pytest.raises(
        MinikvError, match=r"no module is named alike in both: here model\.input.* gpt\.input.* mapping"
    ):
        minikv.compare(qwen2, port, TOKENS)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("model.layers.0.mlp", "net.model.layers.0.mlp"),
        ("model.layers.0.mlp.input", "net.model.layers.0.mlp.input"),
        ("model.layers.0.self_attn.q", "net.model.layers.0.self_attn.q"),
        ("logits", "logits"),  # of the whole, whatever its parts are called
    ],
)
def test_names_that_are_mapped(ours: str, theirs: str) -> None:
    asked = []
    assert mapped(ours, lambda module: asked.append(module) or f"net.{module}") == theirs
    assert asked in (["model.layers.0.mlp"], ["model.layers.0.self_attn"], [])
    assert mapped(ours, None) == mapped(ours, {}) == ours


def test_the_assertion_names_prompt_and_position(qwen2: minikv.Qwen2, reference: transformers.Qwen2ForCausalLM) -> None:
    model = copy.deepcopy(qwen2)
    prompts = [[1, 2, 3], [4, 5, 6, 7, 50, 8], [50]]
    model.model.embed_tokens.weight[50] += 1  # which the head shares: all logits of token 50 differ a little …
    model.lm_head.weight = qwen2.lm_head.weight  # … but for this
    with pytest.raises(AssertionError) as failed:
        minikv.assert_logits_match(model, reference, prompts)
    lines = str(failed.value).splitlines()
    assert lines[0].startswith("prompt 1, 6 tokens: the logits differ from position 4 on, by ")
    assert lines[1].startswith("first beyond 0.0001: model.embed_tokens (largest 1, mean 0.167, ")
    assert lines[-3].startswith("lm_head ")


def test_the_fast_form_is_checked_too_but_not_explained(checkpoint: Path, reference: nn.Module) -> None:
    model = minikv.fast(minikv.load(checkpoint)[0])
    minikv.assert_logits_match(model, reference, [ids(12)])
    with pytest.raises(AssertionError, match=r"prompt 0, 12 tokens: the logits differ(.|\n)*fast form"):
        minikv.assert_logits_match(model, reference, [ids(12)], atol=0.0)


def test_mistakes(qwen2: minikv.Qwen2, reference: nn.Module) -> None:
    for prompts, words in (([], "no prompts"), ([[1], []], "prompt 1 is empty"), ([[97]], "has the id 97")):
        with pytest.raises(MinikvError, match=words):
            minikv.assert_logits_match(qwen2, reference, prompts)
    for atol in (-1.0, math.nan):
        with pytest.raises(MinikvError, match="atol is"):
            minikv.compare(qwen2, reference, TOKENS, atol=atol)
    with pytest.raises(MinikvError, match="expected at least one token"):
        minikv.compare(qwen2, reference, TOKENS[:, :0])


# --- the command ------------------------------------------------------------------------------------------------------


def run(*arguments: object, stdin: str = "") -> Result:
    return CliRunner(env={"COLUMNS": "160", "TERM": "dumb"}).invoke(app, [*map(str, arguments)], input=stdin)


def test_compare_with_transformers(chat_checkpoint: Path, tmp_path: Path) -> None:
    done = run("compare", "--model", chat_checkpoint, "--prompt", "The ferry leaves at nine.")
    assert done.exit_code == 0, done.stderr
    assert " tensors are equal within 0.0001\n" in done.stdout
    assert [line.split()[0] for line in done.stdout.splitlines() if line.startswith("model.layers")] == [
        f"model.layers.{layer}" for layer in range(3)
    ]
    assert "Not seen in the reference: model.layers.0…2.self_attn.scores" in done.stdout
    text = tmp_path / "text.txt"
    text.write_text("The ferry leaves at nine.")
    assert run("compare", "--model", chat_checkpoint, "--prompt-file", text).stdout == done.stdout
    assert (
        run("compare", "--model", chat_checkpoint, "--prompt-file", "-", stdin=text.read_text()).stdout == done.stdout
    )


def test_compare_with_other_weights(chat_checkpoint: Path, tmp_path: Path) -> None:
    other = shutil.copytree(chat_checkpoint, tmp_path / "other")
    tensors = load_file(other / WEIGHTS)
    tensors["model.layers.1.mlp.down_proj.weight"] *= 1.001
    save_file(tensors, other / WEIGHTS, metadata={"format": "pt"})
    common = ("compare", "--model", chat_checkpoint, "--prompt", "The ferry leaves", "--against", other)
    done = run(*common)
    assert done.exit_code == 1
    assert done.stdout.startswith("first beyond 0.0001: model.layers.1.mlp.down_proj (largest 0.0")
    done = run(*common, "--json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert found["first"] == "model.layers.1.mlp.down_proj"
    assert (found["ok"], found["atol"], found["dtype"]) == (False, 1e-4, "torch.float32")
    by_name = {each["name"]: each for each in found["tensors"]}
    assert by_name["model.layers.1.mlp.down_proj"]["relative"] == pytest.approx(0.001, rel=0.01)
    assert by_name["model.layers.1.mlp.down_proj.input"]["max"] == 0
    assert run(*common, "--atol", 100).exit_code == 0


def test_mistakes_on_the_command_line(chat_checkpoint: Path, checkpoint: Path, monkeypatch: Patch) -> None:
    model = ("compare", "--model", chat_checkpoint)
    assert run(*model).exit_code == 2
    assert run(*model, "--prompt", "a", "--prompt-file", "b").exit_code == 2
    for options, words in (
        (("--prompt", ""), "prompt 0 is empty"),
        (("--prompt-file", "absent.txt"), "absent.txt cannot be read"),
        (("--prompt", "The ferry leaves at nine", "--against", checkpoint), "has the id"),
    ):
        done = run(*model, *options)
        assert done.exit_code == 1
        assert words in done.stderr
        assert done.stdout == ""
    monkeypatch.setattr("minikv.bench.contestants.installed", lambda name: "absent")
    done = run(*model, "--prompt", "a")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "transformers is absent" in done.stderr
