"""The trace: each tensor against transformers' own, and nothing changed by looking."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor, nn
from transformers.models.qwen2.modeling_qwen2 import apply_rotary_pos_emb

import minikv
from minikv import KVCache, MinikvError
from minikv.attention import by_hand
from minikv.look import recorder
from tests.fixture import contents, ids, write_checkpoint
from tests.test_gpt2 import reference_model as gpt2_reference

PLAIN = pytest.mark.parametrize("model", ["sdpa", "by_hand"], indirect=True)
PREFIX, SUFFIXES = ids(11), [ids(2, seed=2), ids(6, seed=3), ids(1, seed=4)]
OUTPUTS = ("input_layernorm", "self_attn", "post_attention_layernorm", "mlp", "")
PROJECTIONS = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj")
MLP = ("mlp.gate_proj", "mlp.up_proj", "mlp.down_proj")


@contextmanager
def hooked(model: nn.Module) -> Iterator[dict[str, Any]]:
    """What each module of a model was given last (`name.input`) and gave, by hooks that owe nothing to the trace."""
    seen: dict[str, Any] = {}

    def hook(name: str) -> Callable[..., None]:
        def note(module: nn.Module, args: tuple[Any, ...], output: Any) -> None:
            seen[name] = output[0] if isinstance(output, tuple) and "rotary" not in name else output
            if args:
                seen[f"{name}.input"] = args[0]

        return note

    handles = [module.register_forward_hook(hook(name)) for name, module in model.named_modules()]
    yield seen
    for handle in handles:
        handle.remove()


@torch.no_grad()
def of_transformers(reference: transformers.Qwen2ForCausalLM, tokens: list[int]) -> dict[str, Tensor]:
    """Transformers' tensors of one row, the first dimension the columns; of weights the heads, of keys the KV heads."""
    with hooked(reference) as seen:
        attentions = reference(torch.tensor([tokens]), use_cache=False, output_attentions=True).attentions
    cos, sin = seen["model.rotary_emb"]
    found = {name: seen[name][0] for name in ("model.embed_tokens", "model.norm", "lm_head")}
    for layer, weights in enumerate(attentions):
        name, attn = f"model.layers.{layer}", f"model.layers.{layer}.self_attn"
        names = [f"{name}.{each}".rstrip(".") for each in (*OUTPUTS, *PROJECTIONS, *MLP)]
        names += [f"{name}.post_attention_layernorm.input", f"{name}.mlp.down_proj.input"]
        found |= {each: seen[each][0] for each in names}
        q, k, v = (seen[f"{attn}.{each}_proj"].unflatten(-1, (-1, 16)).transpose(1, 2) for each in "qkv")
        q, k = apply_rotary_pos_emb(q, k, cos, sin)
        found |= {f"{attn}.q": q[0].transpose(0, 1), f"{attn}.keys": k[0], f"{attn}.values": v[0]}
        found |= {
            f"{attn}.weights": weights[0],
            f"{attn}.attended": seen[f"{attn}.o_proj.input"][0].unflatten(-1, (4, 16)),
        }
        scores = (q[0] @ k[0].repeat_interleave(2, dim=0).transpose(1, 2)) / 4
        found[f"{attn}.scores"] = scores.masked_fill(~torch.ones_like(scores).tril().bool(), -torch.inf)
    return found


def check_row(found: dict[str, Tensor], row: int, expected: dict[str, Tensor], columns: slice, length: int) -> None:
    """One row of a pass against the whole row there: `columns` of it were new, and `length` slots are filled now."""
    new = columns.stop - columns.start
    for name, right in expected.items():
        ours = found[name][row]
        if name.endswith((".keys", ".values")):
            ours, right = ours[:, :length], right[:, :length]
        elif name.endswith((".scores", ".weights")):
            empty = -torch.inf if name.endswith(".scores") else 0.0
            assert (ours[:, :new, length:] == empty).all(), name
            ours, right = ours[:, :new, :length], right[:, columns, :length]
        elif name == "lm_head" and ours.dim() == 1:  # read at one column
            right = right[columns.stop - 1]
        else:
            ours, right = ours[:new], right[columns]
        torch.testing.assert_close(ours, right, rtol=0, atol=1e-4, msg=lambda m, n=name: f"row {row}, {n}: {m}")


@PLAIN
def test_every_tensor_is_that_of_transformers(model: minikv.Decoder, reference: transformers.Qwen2ForCausalLM) -> None:
    rows = [ids(9, seed=row) for row in range(3)]
    with minikv.trace(model) as t:
        logits = model(torch.tensor(rows))
    for row, tokens in enumerate(rows):
        check_row(t.latest, row, of_transformers(reference, tokens), slice(0, 9), 9)
    assert torch.equal(t["logits"], logits)
    assert torch.equal(t["lm_head"], logits)
    assert t["model.layers.1.self_attn.mask"].equal(torch.ones(3, 9, 9).tril().bool())


@PLAIN
def test_in_16_bits_each_tensor_keeps_its_dtype(model: minikv.Decoder) -> None:
    model = copy.deepcopy(model).to(torch.bfloat16)
    with minikv.trace(model) as t:
        model(torch.tensor([ids(9)]))
    dtypes = {name.rpartition(".")[2]: tensor.dtype for name, tensor in t.latest.items()}
    assert dtypes.pop("mask") == torch.bool
    assert dtypes.pop("scores") == torch.float32  # the softmax is taken in fp32, its weights are cast back
    assert set(dtypes.values()) == {torch.bfloat16}
    attn = "model.layers.0.self_attn"
    weights, values = t[f"{attn}.weights"], t[f"{attn}.values"].repeat_interleave(2, dim=1)
    attended = (weights.double() @ values.double()).transpose(1, 2)
    torch.testing.assert_close(t[f"{attn}.attended"].double(), attended, rtol=0, atol=0.03)


@PLAIN
def test_every_tensor_of_ragged_rows_on_a_cache_at_every_step(
    model: minikv.Decoder, reference: transformers.Qwen2ForCausalLM
) -> None:
    prefix = minikv.prefill(model, PREFIX)
    with minikv.trace(model) as t:
        walk = list(minikv.steps(model, SUFFIXES, prefix, max_new_tokens=3))
    assert len(t.passes) == 3
    said = [[*PREFIX, *suffix] for suffix in SUFFIXES]
    for step, found in zip(walk, t.passes, strict=True):
        for row, text in enumerate(said):
            columns = slice(int(step.lengths[row]), int(step.after[row]))
            assert columns.stop == len(text)
            check_row(found, row, of_transformers(reference, text), columns, len(text))
            text.append(int(step.chosen[row]))
        assert torch.equal(found["lm_head"], step.logits)
        assert torch.equal(found["model.layers.0.self_attn.mask"], step.placement.mask[:, :, : step.placement.seen])


def test_every_tensor_of_gpt2(tmp_path: Path) -> None:
    reference = gpt2_reference()
    model, _ = minikv.load(write_checkpoint(reference, tmp_path))
    tokens = torch.tensor([ids(7)])
    with minikv.trace(model) as t:
        model(tokens)
    with hooked(reference) as seen:
        attentions = reference(tokens, output_attentions=True).attentions
    names = ["transformer.wte", "transformer.ln_f", "lm_head"]
    for layer, weights in enumerate(attentions):
        name = f"transformer.h.{layer}"
        inside = (
            "ln_1",
            "attn.c_attn",
            "attn.c_proj",
            "attn",
            "ln_2.input",
            "ln_2",
            "mlp.c_fc",
            "mlp.c_proj.input",
            "mlp",
        )
        names += [name, f"{name}.input", *(f"{name}.{each}" for each in inside)]
        torch.testing.assert_close(t[f"{name}.attn.weights"], weights, rtol=0, atol=1e-4)
        q, _, v = seen[f"{name}.attn.c_attn"].unflatten(-1, (3, 4, 16)).unbind(2)
        torch.testing.assert_close(t[f"{name}.attn.q"], q, rtol=0, atol=1e-4)
        torch.testing.assert_close(t[f"{name}.attn.values"], v.transpose(1, 2), rtol=0, atol=1e-4)
    for name in names:
        torch.testing.assert_close(t[name], seen[name], rtol=0, atol=1e-4, msg=lambda m, n=name: f"{n}: {m}")


# --- nothing is changed by looking ------------------------------------------------------------------------------------


@PLAIN
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_traced_and_untraced_are_equal_bit_for_bit(model: minikv.Decoder, dtype: torch.dtype) -> None:
    model = copy.deepcopy(model).to(dtype)

    def run() -> tuple[list[Tensor], list[Tensor]]:
        walk = list(minikv.steps(model, SUFFIXES, minikv.prefill(model, PREFIX), max_new_tokens=4))
        return [step.logits for step in walk], contents(walk[-1].cache)

    logits, cache = run()
    with minikv.trace(model):
        traced, traced_cache = run()
    assert all(map(torch.equal, logits, traced))
    assert all(map(torch.equal, cache, traced_cache))


@PLAIN
def test_gradients_are_those_of_an_untraced_pass(model: minikv.Decoder) -> None:
    model = copy.deepcopy(model).requires_grad_(True)

    def gradient() -> Tensor:
        model.zero_grad()
        model(torch.tensor([ids(5)])).square().mean().backward()
        assert isinstance(model, minikv.Qwen2)
        return model.model.embed_tokens.weight.grad

    untraced = gradient()
    with minikv.trace(model) as t:
        assert torch.equal(gradient(), untraced)
    assert not t["lm_head"].requires_grad


def left_behind(model: nn.Module) -> list[Any]:
    """What a trace may have put on a model: hooks, and attributes of its own."""
    hooks = [
        hooks
        for module in model.modules()
        for hooks in (module._forward_hooks, module._forward_pre_hooks, module._forward_hooks_always_called)
    ]
    return [*(list(each) for each in hooks if each), *(key for key in vars(model) if key == "body")]


@PLAIN
def test_nothing_is_left_behind_even_after_an_error(model: minikv.Decoder) -> None:
    attend, keys = model.attend, set(vars(model))
    with minikv.trace(model):
        assert left_behind(model)
    assert not left_behind(model)
    with pytest.raises(ZeroDivisionError), minikv.trace(model):
        raise ZeroDivisionError
    assert not left_behind(model)
    with pytest.raises(IndexError), minikv.trace(model):
        model(torch.tensor([[97]]))  # fails inside the embedding
    assert not left_behind(model)
    assert model.attend is attend
    assert set(vars(model)) == keys


@PLAIN
def test_a_pass_that_failed_does_not_spoil_the_next(model: minikv.Decoder) -> None:
    tokens = torch.tensor([ids(5)])
    with minikv.trace(model) as alone:
        model(tokens)
    with minikv.trace(model) as t:
        with pytest.raises(IndexError):
            model(torch.tensor([[97]]))
        model(tokens)
    assert len(t.passes) == 2
    assert t.names == alone.names
    assert all(torch.equal(t[name], alone[name]) for name in t.names)


@PLAIN
def test_what_a_pass_is(model: minikv.Decoder) -> None:
    tokens = torch.tensor([ids(5)])
    with minikv.trace(model, "model.norm", "lm_head", "logits") as t:
        hidden = model.hidden(tokens)
        model(tokens)
        model.lm_head(model.hidden(tokens))
        model.hidden(tokens)
        model.lm_head(hidden)
        model.lm_head(hidden)
    head = ["model.norm", "lm_head"]
    assert [list(each) for each in t.passes] == [head[:1], [*head, "logits"], head, head, head[1:]]


@PLAIN
def test_traces_may_be_nested(model: minikv.Decoder) -> None:
    tokens = torch.tensor([ids(5)])
    with minikv.trace(model, "*.0.self_attn.*") as outer:
        model(tokens)
        with minikv.trace(model, "*.q", "lm_head") as inner:
            model(tokens)
        model(tokens)
    assert [len(outer.passes), len(inner.passes)] == [3, 1]
    assert outer.passes[0].keys() == outer.passes[1].keys() == outer.passes[2].keys()
    assert inner.names == [f"model.layers.{layer}.self_attn.q" for layer in range(3)] + ["lm_head"]
    assert torch.equal(inner["model.layers.0.self_attn.q"], outer["model.layers.0.self_attn.q"])
    assert not left_behind(model)


def test_attention_may_be_changed_inside_a_trace(checkpoint: Path) -> None:
    model, _ = minikv.load(checkpoint)
    tokens = torch.tensor([ids(5)])
    with minikv.trace(model) as t:
        model.attend = lambda q, keys, values, mask: 2 * by_hand(q, keys, values, mask)
        changed = model.attend
        model(tokens)
    assert model.attend is changed
    name = "model.layers.0.self_attn"
    right = by_hand(*(t[f"{name}.{point}"] for point in ("q", "keys", "values", "mask")))
    assert torch.equal(t[f"{name}.attended"], 2 * right)


@PLAIN
def test_what_is_kept_is_a_copy(model: minikv.Decoder) -> None:
    cache = KVCache.empty(model, rows=1, slots=8)
    with minikv.trace(model, "*.keys") as t:
        model(torch.tensor([ids(4)]), cache, cache.place([4]))
        before = t["model.layers.0.self_attn.keys"].clone()
        model(torch.tensor([ids(4, seed=2)]), cache, cache.place([4]))  # over the same slots
    assert torch.equal(t.passes[0]["model.layers.0.self_attn.keys"], before)
    assert not torch.equal(t.passes[1]["model.layers.0.self_attn.keys"], before)


@PLAIN
def test_scores_are_made_only_where_they_are_asked_for(model: minikv.Decoder, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    scores = recorder.attention_scores
    monkeypatch.setattr(recorder, "attention_scores", lambda *args: made.append(1) or scores(*args))
    for patterns, count in (("lm_head",), 0), (("*.attended", "*.q"), 0), (("*.1.*.weights",), 1), ((), 3):
        made.clear()
        with minikv.trace(model, *patterns):
            model(torch.tensor([ids(3)]))
        assert len(made) == count, patterns


# --- names ------------------------------------------------------------------------------------------------------------


@PLAIN
def test_names_are_in_order_and_patterns_choose_among_them(model: minikv.Decoder) -> None:
    tokens = torch.tensor([ids(3)])
    with minikv.trace(model) as t:
        model(tokens)
    layer = [name.removeprefix("model.layers.1.") for name in t.names if name.startswith("model.layers.1.")]
    assert [name for name in layer if not name.endswith("input")] == [
        "input_layernorm",
        *(f"self_attn.{each}_proj" for each in "qkv"),
        *(f"self_attn.{each}" for each in ("mask", "q", "keys", "values", "scores", "weights", "attended")),
        "self_attn.o_proj",
        "self_attn",
        "post_attention_layernorm",
        *(f"mlp.{each}_proj" for each in ("gate", "up", "down")),
        "mlp",
    ]
    assert t.names.index("model.layers.0") < t.names.index("model.layers.1.input_layernorm")
    with minikv.trace(model, "*.layers.1.*", "model.norm") as some:
        model(tokens)
    assert some.names == [name for name in t.names if ".layers.1." in name or name == "model.norm"]
    assert all(torch.equal(some[name], t[name]) for name in some.names)
    assert "model.norm" in some
    assert "lm_head" not in some


def test_a_tensor_with_two_names_is_kept_once(checkpoint: Path) -> None:
    model, _ = minikv.load(checkpoint)
    with minikv.trace(
        model, "model.layers.0.self_attn", "*.0.self_attn.o_proj", "*.0.post_attention_layernorm.input"
    ) as t:
        model(torch.tensor([ids(3)]))
    assert t["model.layers.0.self_attn"] is t["model.layers.0.self_attn.o_proj"]
    assert t.nbytes == 2 * 3 * 64 * 4  # two tensors of 3 tokens, hidden 64, fp32


class InPlace(nn.Module):
    """A residual stream that is written in place, as other libraries do."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.twice, self.last = nn.Embedding(4, 2), nn.Linear(2, 2, bias=False), nn.Identity()
        self.embed.weight = nn.Parameter(torch.arange(8.0).view(4, 2), requires_grad=False)
        self.twice.weight = nn.Parameter(2 * torch.eye(2), requires_grad=False)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(tokens)
        x += self.twice(x)
        return self.last(x)


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_what_is_written_in_place_is_seen_before_and_after(mode: Callable[[], Any]) -> None:
    port = InPlace()
    with mode(), minikv.trace(port) as t:
        port(torch.tensor([1]))
    assert t["embed"].tolist() == [[2, 3]]
    assert t["twice"].tolist() == [[4, 6]]
    assert t["last.input"].tolist() == [[6, 9]]


@PLAIN
def test_errors(model: minikv.Decoder) -> None:
    tokens = torch.tensor([ids(3)])
    with (
        pytest.raises(MinikvError, match=r"no tensor matches '\*.weighs'; .* model.layers.0.self_attn.weights"),
        minikv.trace(model, "lm_head", "*.weighs"),
    ):
        model(tokens)
    assert not left_behind(model)
    with (
        pytest.raises(MinikvError, match=r"matches 'model.layers.0.mlp.scores'; the nearest names are model.layers.0"),
        minikv.trace(model, "model.layers.0.mlp.scores"),
    ):
        model(tokens)
    with minikv.trace(model) as t:
        with pytest.raises(MinikvError, match="nothing was recorded"):
            t["lm_head"]
        model(tokens)
    with pytest.raises(MinikvError, match=r"lm_haed is not in the latest pass; the nearest names are lm_head"):
        t["lm_haed"]
    assert t.names[0] == "model.input"


def test_the_fast_form_has_no_such_points(checkpoint: Path) -> None:
    model = minikv.fast(minikv.load(checkpoint)[0])
    with pytest.raises(MinikvError, match="fast form"), minikv.trace(model):
        pass


def test_tables(checkpoint: Path) -> None:
    model, _ = minikv.load(checkpoint)
    with minikv.trace(model, "*.q", "model.layers.2.mlp.up_proj", "lm_head") as t:
        assert repr(t).startswith("passes: 0, 0.0 MB")
        for _ in range(2):
            model(torch.tensor([ids(3)]))
    assert repr(t).splitlines() == [
        "passes: 2, 0.0 MB; the latest:",
        "tensor                        shape          dtype",
        "model.layers.0…2.self_attn.q  [1, 3, 4, 16]  float32",
        "model.layers.2.mlp.up_proj    [1, 3, 128]    float32",
        "lm_head                       [1, 3, 97]     float32",
    ]
    assert "model.layers.0…2.self_attn.q<" in t._repr_html_()


# --- another library's model ------------------------------------------------------------------------------------------


def test_transformers_itself_may_be_traced(reference: transformers.Qwen2ForCausalLM) -> None:
    tokens = ids(6)
    expected = of_transformers(reference, tokens)
    registry = transformers.modeling_utils.ALL_ATTENTION_FUNCTIONS
    own = left_behind(reference)  # transformers keeps hooks of its own there
    with minikv.trace(reference) as outer, minikv.trace(reference) as t:
        traced = reference(torch.tensor([tokens])).logits
    assert "get_interface" not in vars(registry)
    assert left_behind(reference) == own
    assert torch.equal(traced, reference(torch.tensor([tokens])).logits)
    for name, right in expected.items():
        if not name.endswith(".scores"):
            assert torch.equal(t[name][0], right), name
            assert torch.equal(outer[name][0], right), name
    assert t["model.layers.0.self_attn.mask"][0].equal(torch.ones(6, 6).tril().bool())


def test_only_the_model_that_is_traced_is_seen(reference: transformers.Qwen2ForCausalLM) -> None:
    other = copy.deepcopy(reference)
    tokens = torch.tensor([ids(4)])
    with minikv.trace(reference, "*.q") as t, minikv.trace(other, "*.q") as none:
        reference(tokens)
    assert len(t.names) == 3
    assert none.passes == []
