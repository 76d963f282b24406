"""The decoder against transformers' plain forward and against the papers' small cases."""

import copy
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import transformers
from transformers.models.qwen2.modeling_qwen2 import Qwen2RMSNorm

import minikv
from minikv.attention import Attend, by_hand, sdpa
from minikv.cache import Placement
from minikv.qwen2 import RMSNorm
from minikv.rope import rope_angles, rotate
from tests.fixture import ids, reference_model, write_checkpoint

Oracle = Callable[[list[int]], torch.Tensor]
BOTH = pytest.mark.parametrize("attend", [sdpa, by_hand])


def test_logits_equal_the_oracle_at_every_position(model: minikv.Decoder, oracle: Oracle) -> None:
    tokens = ids(200)
    torch.testing.assert_close(model(torch.tensor([tokens]))[0], oracle(tokens), rtol=0, atol=1e-4)


def test_an_untied_head_is_its_own(tmp_path: Path) -> None:
    reference = reference_model(tied=False)
    model, _ = minikv.load(write_checkpoint(reference, tmp_path))
    tokens = torch.tensor([ids(20)])
    torch.testing.assert_close(model(tokens), reference(tokens).logits, rtol=0, atol=1e-4)


def test_200_greedy_tokens_are_those_of_transformers(
    model: minikv.Decoder, reference: transformers.Qwen2ForCausalLM
) -> None:
    prompt = ids(15)
    expected = reference.generate(
        torch.tensor([prompt]), max_new_tokens=200, do_sample=False, eos_token_id=None, pad_token_id=0
    )
    assert minikv.generate(model, [prompt], max_new_tokens=200) == [expected[0, len(prompt) :].tolist()]


def test_bf16_stays_near_fp32(checkpoint: Path, oracle: Oracle) -> None:
    """8 significant bits through three layers: within 3 % of the logits' spread on average, 15 % anywhere."""
    model, _ = minikv.load(checkpoint, dtype=torch.bfloat16)
    tokens = ids(64)
    exact, rough = oracle(tokens), model(torch.tensor([tokens]))[0]
    assert rough.dtype == torch.bfloat16
    difference = (rough.float() - exact).abs() / exact.std()
    assert difference.mean() < 0.03
    assert difference.max() < 0.15


@pytest.mark.parametrize("bias", ["q_proj", "k_proj", "v_proj"])
def test_the_fixture_sees_a_dropped_bias(reference: transformers.Qwen2ForCausalLM, oracle: Oracle, bias: str) -> None:
    without = copy.deepcopy(reference)
    for layer in without.model.layers:
        getattr(layer.self_attn, bias).bias.zero_()
    tokens = ids(40)
    assert (without(torch.tensor([tokens])).logits[0] - oracle(tokens)).abs().max() > 1


def test_rope_turns_halves_not_pairs() -> None:
    q = torch.tensor([1.0, 0, 0, 0]).view(1, 1, 1, 4)
    turned = rotate(q, rope_angles(torch.tensor([[1]]), head_dim=4, theta=10_000.0))
    torch.testing.assert_close(turned.flatten(), torch.tensor([math.cos(1), 0, math.sin(1), 0]))


def test_rope_angles_are_exact_far_out_in_any_dtype() -> None:
    angles = rope_angles(torch.tensor([[256, 257, 30_001]]), head_dim=64, theta=1e6)
    assert angles.dtype == torch.float32
    assert angles[0, :, 0].tolist() == [256, 257, 30_001]
    assert angles[0, 0, -1].item() == pytest.approx(256 / 1e6 ** (62 / 64), rel=1e-5)


@BOTH
def test_gqa_groups_neighbours(attend: Attend) -> None:
    """4 query heads on 2 KV heads whose values are their own number: heads read 0, 0, 1, 1, not 0, 1, 0, 1."""
    q, keys = torch.randn(1, 1, 4, 8), torch.randn(1, 2, 3, 8)
    values = torch.tensor([0.0, 1.0]).view(1, 2, 1, 1).expand(1, 2, 3, 8)
    out = attend(q, keys, values, torch.ones(1, 1, 3, dtype=torch.bool))
    torch.testing.assert_close(out[0, 0, :, 0], torch.tensor([0.0, 0.0, 1.0, 1.0]))


@BOTH
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_attention_is_the_papers_formula(attend: Attend, dtype: torch.dtype) -> None:
    """Against softmax(q k^T / sqrt(d)) v, one head and one query at a time, in fp64."""
    draw = torch.Generator().manual_seed(3)
    q = torch.randn(2, 5, 6, 16, generator=draw).to(dtype)
    keys, values = (torch.randn(2, 3, 11, 16, generator=draw).to(dtype) for _ in range(2))
    mask = torch.rand(2, 5, 11, generator=draw) < 0.6
    mask[..., 0] = True
    out = attend(q, keys, values, mask)
    assert out.dtype == dtype
    for row in range(2):
        for column in range(5):
            for head in range(6):
                see = mask[row, column]
                k, v = keys[row, head // 2, see].double(), values[row, head // 2, see].double()
                weights = (k @ q[row, column, head].double() / 4).softmax(0)
                tolerance = 1e-5 if dtype == torch.float32 else 0.03
                torch.testing.assert_close(out[row, column, head].double(), weights @ v, rtol=0, atol=tolerance)


@BOTH
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_query_that_sees_nothing_gets_zeros(attend: Attend, dtype: torch.dtype) -> None:
    q, keys, values = torch.randn(1, 3, 4, 8), torch.randn(1, 2, 5, 8), torch.randn(1, 2, 5, 8)
    mask = torch.ones(1, 3, 5, dtype=torch.bool)
    mask[0, 1] = False
    out = attend(q.to(dtype), keys.to(dtype), values.to(dtype), mask)
    assert not out.isnan().any()
    assert not out[0, 1].any()
    assert out[0, 0].any()
    assert out[0, 2].any()


@pytest.mark.parametrize("scale", [1.0, 1e-4, 300.0])
def test_rmsnorm_is_that_of_transformers_bit_for_bit_in_bf16(scale: float) -> None:
    draw = torch.Generator().manual_seed(5)
    x = (scale * torch.randn(2, 7, 64, generator=draw)).bfloat16()
    ours, theirs = RMSNorm(64, 1e-6).bfloat16(), Qwen2RMSNorm(64, 1e-6).bfloat16()
    weight = (1 + 0.3 * torch.randn(64, generator=draw)).bfloat16()
    ours.weight.data, theirs.weight.data = weight, weight
    assert ours(x).dtype == torch.bfloat16
    assert torch.equal(ours(x), theirs(x))


def test_positions_and_mask_alone_put_several_texts_in_one_sequence(model: minikv.Decoder, oracle: Oracle) -> None:
    """A shared prefix of 6 and two continuations of 3 in one row: each sees the prefix and itself."""
    prefix, left, right = ids(6), ids(3, seed=2), ids(3, seed=3)
    positions = torch.tensor([[*range(6), 6, 7, 8, 6, 7, 8]])
    mask = Placement.causal(1, 12).mask.clone()
    mask[:, 9:, 6:9] = False
    placement = Placement(positions, torch.arange(12)[None], mask)
    logits = model(torch.tensor([[*prefix, *left, *right]]), placement=placement)[0]
    torch.testing.assert_close(logits[6:9], oracle(prefix + left)[6:], rtol=0, atol=1e-4)
    torch.testing.assert_close(logits[9:], oracle(prefix + right)[6:], rtol=0, atol=1e-4)


def test_gradients_reach_every_weight(checkpoint: Path) -> None:
    """The plain forward can be trained: nothing in it is written in place."""
    model, _ = minikv.load(checkpoint)
    model.requires_grad_(True)
    model(torch.tensor([ids(10)])).square().mean().backward()
    still = [name for name, weight in model.named_parameters() if weight.grad is None or not weight.grad.any()]
    # A bias of every key alike shifts all scores of a query alike, but for RoPE: even that one gets a gradient.
    assert still == []


def test_importing_minikv_imports_nothing_heavy() -> None:
    code = "import minikv, sys; print(*sorted({'transformers', 'matplotlib', 'rich', 'typer'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == ""
