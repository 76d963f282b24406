"""The bundled checkpoint: an official layout, the lesson visible on it, and script, card and weights of one piece."""

import json
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from types import ModuleType

import pytest
import torch
import transformers

import minikv
from minikv import RECIPES
from minikv.checkpoint import bundled
from minikv.demo import DOCUMENTS, bundled_document
from minikv.extract import prompts
from minikv.tokenizer import split_shared

WEIGHTS = Path(__file__).parent.parent / "weights"


@pytest.fixture(scope="module")
def both() -> tuple[minikv.Qwen2, minikv.Tokenizer]:
    model, tokenizer = minikv.load(bundled(), dtype=torch.float32)
    assert tokenizer is not None
    return model, tokenizer


@pytest.fixture
def evaluation(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """weights/evaluate.py, which imports its neighbours."""
    monkeypatch.syspath_prepend(WEIGHTS)
    import evaluate

    return evaluate


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True)


def test_it_is_small_and_says_what_it_is() -> None:
    assert bundled() == WEIGHTS
    assert sum(path.stat().st_size for path in WEIGHTS.glob("*") if path.is_file()) <= 8_000_000
    config = minikv.Config.read(WEIGHTS / "config.json")
    assert config.tied
    assert config.group >= 2
    assert json.loads((WEIGHTS / "config.json").read_text())["rope_theta"] == config.theta  # the official, flat dialect


def test_transformers_loads_it_with_equal_logits(both: tuple[minikv.Qwen2, minikv.Tokenizer]) -> None:
    reference = transformers.AutoModelForCausalLM.from_pretrained(WEIGHTS, dtype=torch.float32)
    for name in DOCUMENTS:
        text, keys = bundled_document(name)
        tokens = prompts(both[1], text, keys)[0]
        with torch.no_grad():
            expected = reference(torch.tensor([tokens]), use_cache=False).logits
        torch.testing.assert_close(both[0](torch.tensor([tokens])), expected, rtol=0, atol=1e-4)


def test_transformers_renders_and_encodes_the_same_prompts(both: tuple[minikv.Qwen2, minikv.Tokenizer]) -> None:
    theirs = transformers.AutoTokenizer.from_pretrained(WEIGHTS)
    for turns in (
        [{"role": "user", "content": "Invoice 12, due in May."}],
        [
            {"role": "system", "content": ""},
            {"role": "user", "content": "é\n\n"},
            {"role": "assistant", "content": "1"},
        ],
    ):
        assert both[1].render(turns) == theirs.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        expected = theirs.apply_chat_template(turns, tokenize=True, add_generation_prompt=True, return_dict=False)
        assert both[1].chat(turns) == expected


def test_its_biases_matter(both: tuple[minikv.Qwen2, minikv.Tokenizer]) -> None:
    text, keys = bundled_document("announcement")
    with_biases = minikv.extract(*both, text, keys)
    without, _ = minikv.load(WEIGHTS, dtype=torch.float32)
    for name, weight in without.named_parameters():
        if name.endswith("bias"):
            weight.data = torch.zeros_like(weight)
    changed = minikv.extract(without, both[1], text, keys)
    assert sum(changed[key] != with_biases[key] for key in keys) >= 5


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_lesson_shows_on_every_bundled_document(both: tuple[minikv.Qwen2, minikv.Tokenizer], name: str) -> None:
    model, tokenizer = both
    text, keys = bundled_document(name)
    answers = {recipe: minikv.extract(model, tokenizer, text, keys, recipe, max_new_tokens=32) for recipe in RECIPES}
    truth = answers["naive_loop"]
    for recipe in RECIPES:
        if RECIPES[recipe].right:
            assert answers[recipe] == truth, recipe
    _, suffixes = split_shared(prompts(tokenizer, text, keys))
    padded = [key for key, suffix in zip(keys, suffixes, strict=True) if len(suffix) < max(map(len, suffixes))]
    assert len(padded) >= 4
    assert sum(answers["right_padded_batch"][key] == truth[key] for key in padded) <= len(padded) / 2


def test_a_sample_of_the_evaluation_reproduces_the_stored_figures() -> None:
    done = run(WEIGHTS / "evaluate.py", "--pairs", 40)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_card_shows_the_stored_figures(evaluation: ModuleType) -> None:
    stored = json.loads((WEIGHTS / "figures.json").read_text())
    assert stored["pairs"] >= 300
    padded = [mark == "1" for mark in stored["padded"]]
    assert evaluation.table(stored["recipes"], padded) in (WEIGHTS / "README.md").read_text()


def test_the_stored_figures_keep_the_lesson() -> None:
    stored = json.loads((WEIGHTS / "figures.json").read_text())
    padded = [column for column, mark in enumerate(stored["padded"]) if mark == "1"]
    for name, recipe in RECIPES.items():
        agrees = stored["recipes"][name]["agrees"]
        if recipe.right:
            assert set(agrees) == {"1"}, name
    wrong = stored["recipes"]["right_padded_batch"]
    assert sum(wrong["exact"][column] == "1" for column in padded) <= len(padded) / 2


def test_training_begins_as_the_card_says(tmp_path: Path) -> None:
    """A minute of the script that made the weights: seeded, from nothing, to the loss that the card states for it, give
    or take what another processor's rounding makes of it."""
    done = run(WEIGHTS / "make_checkpoint.py", tmp_path, "--stop-after", 150)
    assert done.returncode == 0, done.stderr
    entry = json.loads((tmp_path / "training_log.json").read_text())[-1]
    assert entry["step"] == 150
    stated = re.search(r"--stop-after 150`.*?mean loss of ([\d.]+)", (WEIGHTS / "README.md").read_text(), re.DOTALL)
    assert stated is not None
    assert entry["loss"] < 1.25 * float(stated[1])
    minikv.load(tmp_path)


def test_a_document_without_an_order_on_its_side_is_written_anew(
    evaluation: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All six orders of three fields may be held out: training met such three after 17,700 steps, and never ended."""
    import documents  # weights/ is on the path while `evaluation` is there

    fields = [documents.invented(Random(seed)) for seed in range(3)]
    monkeypatch.setattr(documents.values, "is_held_out", lambda text: "," in text)
    assert documents.ordered(Random(0), fields, 3, held_out=False) is None
    assert len(documents.ordered(Random(0), fields, 2, held_out=False)) == 2
    found, ordered = [None], documents.ordered
    monkeypatch.setattr(documents, "ordered", lambda *given: found.pop() if found else ordered(*given))
    monkeypatch.setattr(documents.values, "is_held_out", lambda text: False)
    assert documents.write(Random(0), evaluation.Size(4, 0, keys=4)).answers
    assert not found
