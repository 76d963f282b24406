"""Fixtures that the whole suite shares. Shapes in annotations are checked while the tests run, so they cannot lie."""

import jaxtyping

jaxtyping.install_import_hook("minikv", "beartype.beartype")

from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402

import pytest  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402

import minikv  # noqa: E402
from tests.chat import write_tokenizer  # noqa: E402
from tests.fixture import reference_model, write_checkpoint  # noqa: E402

torch.set_num_threads(1)  # the fixture's products are too small to share: threads would wait longer than they work
transformers.utils.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--model", help="a folder of real weights, for tests/real_weights.py")


@pytest.fixture(scope="session")
def reference() -> transformers.Qwen2ForCausalLM:
    """The fixture with body as transformers computes it: fp32, eager."""
    return reference_model()


@pytest.fixture(scope="session")
def checkpoint(reference: transformers.Qwen2ForCausalLM, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same weights in a folder, as transformers saves them. Read only: copy it to change it."""
    return write_checkpoint(reference, tmp_path_factory.mktemp("fixture"))


@pytest.fixture(scope="session")
def chat_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random weights with body beside a tokenizer with a chat template. It answers nonsense, always the same."""
    folder = tmp_path_factory.mktemp("chat")
    return write_checkpoint(reference_model(vocab=write_tokenizer(folder)), folder)


@pytest.fixture(scope="session", params=["sdpa", "by_hand", "fast"])
def model(request: pytest.FixtureRequest, checkpoint: Path) -> minikv.Decoder:
    """The same weights in minikv: with each attention, and in the fast form."""
    attend = minikv.by_hand if request.param == "by_hand" else minikv.sdpa
    model, _ = minikv.load(checkpoint, dtype=torch.float32, attend=attend)
    return minikv.fast(model) if request.param == "fast" else model


@pytest.fixture(scope="session")
def oracle(reference: transformers.Qwen2ForCausalLM) -> Callable[[list[int]], torch.Tensor]:
    """ids -> logits [new, vocab]: transformers' plain forward, one row, no padding, no cache."""

    @torch.no_grad()
    def logits(ids: list[int]) -> torch.Tensor:
        return reference(torch.tensor([ids]), use_cache=False).logits[0]

    return logits
