"""The same promises on real Qwen2 or Qwen2.5 weights: `make check MODEL=folder`.

Not part of the suite, which must run without a download. Takes a few minutes and the memory of two fp32 copies.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
import transformers

import minikv
from minikv import RECIPES
from minikv.demo import bundled_document
from minikv.extract import prompts
from minikv.speed.draft import DRAFTED
from minikv.tokenizer import split_shared
from tests.transformers_recipes import answers

NEW = 24


@pytest.fixture(scope="module")
def folder(request: pytest.FixtureRequest) -> Path:
    given = request.config.getoption("--model")
    if not given:
        pytest.fail("name the checkpoint: make check MODEL=folder")
    return Path(given)


@pytest.fixture(scope="module", autouse=True)
def all_threads() -> Iterator[None]:
    """The suite runs on one thread, which suits its tiny products and not these."""
    threads = torch.get_num_threads()
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def real(folder: Path) -> tuple[minikv.Decoder, minikv.Tokenizer]:
    model, tokenizer = minikv.load(folder, dtype=torch.float32)
    assert tokenizer is not None
    return model, tokenizer


@pytest.fixture(scope="module")
def hf(folder: Path) -> transformers.PreTrainedModel:
    return transformers.AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    ).eval()


@pytest.fixture(scope="module")
def split(real: tuple[minikv.Decoder, minikv.Tokenizer]) -> tuple[list[int], list[list[int]]]:
    """The announcement's prompts: a shared prefix and six suffixes."""
    return split_shared(prompts(real[1], *bundled_document("announcement")))


def test_fp32_logits_equal_transformers_at_every_position(
    real: tuple[minikv.Decoder, minikv.Tokenizer],
    hf: transformers.PreTrainedModel,
    split: tuple,
    capsys: pytest.CaptureFixture,
) -> None:
    """Each attention against its own kind there: transformers' two differ from each other by up to 1.5e-4 (one position
    of this prompt, 0.5B), and the fused one is the nearer to fp64."""
    tokens = torch.tensor([[*split[0], *split[1][0]]])
    for attend, theirs in ((minikv.by_hand, "eager"), (minikv.sdpa, "sdpa")):
        real[0].attend = attend
        hf.set_attn_implementation(theirs)
        with torch.no_grad():
            found, expected = real[0](tokens), hf(tokens, use_cache=False).logits
        with capsys.disabled():
            print(
                f"\nfp32 {attend.__name__}: {tokens.shape[1]} positions, largest difference "
                f"{(found - expected).abs().max():.1e} at logits up to {expected.abs().max():.1f}"
            )
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-4)


def test_200_greedy_tokens_are_those_of_transformers(
    real: tuple[minikv.Decoder, minikv.Tokenizer], hf: transformers.PreTrainedModel
) -> None:
    prompt = real[1].encode("A lighthouse keeper wrote in her diary:")
    expected = hf.generate(
        input_ids=torch.tensor([prompt]),
        attention_mask=torch.ones(1, len(prompt), dtype=torch.int64),
        max_new_tokens=200, do_sample=False, temperature=None, top_p=None, top_k=None, repetition_penalty=1.0,
        eos_token_id=None, pad_token_id=0,
    )  # fmt: skip
    assert minikv.generate(real[0], [prompt], max_new_tokens=200) == [expected[0, len(prompt) :].tolist()]


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_gives_what_transformers_gives(
    real: tuple[minikv.Decoder, minikv.Tokenizer], hf: transformers.PreTrainedModel, split: tuple, name: str
) -> None:
    model, tokenizer = real
    stop = tokenizer.control["<|im_end|>"]
    hf.generation_config.repetition_penalty = 1.0
    ours = RECIPES[name](model, *split, max_new_tokens=NEW, stop_ids=[stop], pad_id=tokenizer.pad_id)
    twin = "naive_loop" if name == "per_row_offsets" else name
    assert ours == answers(hf, twin, *split, max_new_tokens=NEW, stop_id=stop, pad_id=tokenizer.pad_id)


@pytest.fixture(scope="module")
def quick(folder: Path) -> minikv.Decoder:
    return minikv.fast(minikv.load(folder, dtype=torch.float32)[0])


def test_the_fast_form_gives_the_same_logits_and_tokens(
    real: tuple[minikv.Decoder, minikv.Tokenizer], quick: minikv.Decoder, split: tuple, capsys: pytest.CaptureFixture
) -> None:
    model, tokenizer = real
    model.attend = minikv.sdpa
    tokens = torch.tensor([[*split[0], *split[1][0]]])
    with torch.no_grad():
        found, expected = quick(tokens), model(tokens)
    with capsys.disabled():
        print(f"\nfast, fp32: largest difference from the plain form {(found - expected).abs().max():.1e}")
    # Its sums are in another order; transformers' own two attentions differ by as much.
    torch.testing.assert_close(found, expected, rtol=0, atol=2e-4)
    limits = {"max_new_tokens": NEW, "stop_ids": [tokenizer.control["<|im_end|>"]]}
    truth = RECIPES["naive_loop"](model, *split, **limits)
    for recipe in (RECIPES["single_row_cache"], RECIPES["suffix_left_padded"], RECIPES["per_row_offsets"], DRAFTED):
        assert recipe(quick, *split, **limits) == truth, recipe.name


@pytest.mark.parametrize("form", [lambda model: model, minikv.fast], ids=["plain", "fast"])
def test_bf16_stays_near_fp32(
    folder: Path,
    real: tuple[minikv.Decoder, minikv.Tokenizer],
    split: tuple,
    form: Callable[[minikv.Decoder], minikv.Decoder],
    capsys: pytest.CaptureFixture,
) -> None:
    """Within 5 % of the logits' spread on average; and where it prefers another token, fp32 hardly minds."""
    rough = form(minikv.load(folder, dtype=torch.bfloat16)[0])
    tokens = torch.tensor([[*split[0], *split[1][0]]])
    with torch.no_grad():
        exact, found = real[0](tokens)[0], rough(tokens)[0].float()
    difference = ((found - exact).abs() / exact.std()).mean()
    margins = exact.max(dim=-1).values - exact.gather(1, found.argmax(dim=-1, keepdim=True))[:, 0]
    agreement = (margins == 0).float().mean()
    with capsys.disabled():
        print(f"\nbf16: mean difference {difference:.1%} of the spread, {agreement:.1%} of the likeliest tokens agree, "
              f"largest margin given up {margins.max():.2f}")  # fmt: skip
    assert difference < 0.05
    assert margins.max() < exact.std()


def test_chat_equals_apply_chat_template(folder: Path, real: tuple[minikv.Decoder, minikv.Tokenizer]) -> None:
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    for turns in (
        [{"role": "user", "content": "Hi"}],
        [{"role": "system", "content": ""}, {"role": "user", "content": "\nlines\n\n"}],
        [
            {"role": "system", "content": "S"},
            {"role": "user", "content": "1 < 2"},
            {"role": "assistant", "content": "é🙂"},
        ],
    ):
        assert real[1].render(turns) == theirs.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        expected = theirs.apply_chat_template(turns, tokenize=True, add_generation_prompt=True, return_dict=False)
        assert real[1].chat(turns) == expected


def test_loading_takes_the_files_size_and_little_more(folder: Path, capsys: pytest.CaptureFixture) -> None:
    """Linux: the process's own high-water mark, libraries included."""
    code = (
        "import minikv, sys, time, torch; status = lambda: open('/proc/self/status').read().split(); "
        "peak = lambda: status()[status().index('VmHWM:') + 1]; "
        "before = peak(); t = time.perf_counter(); model, _ = minikv.load(sys.argv[1]); t = time.perf_counter() - t; "
        "model(torch.tensor([[1, 2, 3]])); print(before, peak(), t)"
    )
    out = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True).stdout
    before, peak, seconds = map(float, out.split())
    size = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
    ratio = peak * 1024 / size
    with capsys.disabled():
        print(
            f"\nloaded and used once: peak {ratio:.2f} times the file ({before / 1e6:.2f} GB of it before loading), "
            f"{seconds:.1f} s"
        )
    assert ratio < 1.3
