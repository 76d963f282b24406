"""What a run over many documents is told: enough for any process to do a part of it, and to know it again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch

from minikv import __version__
from minikv.decoder import Decoder
from minikv.filling.many import Extractor
from minikv.filling.results import Result
from minikv.filling.template import plan
from minikv.qwen2 import Qwen2
from minikv.speed.fast import fast
from minikv.tokenizer import Tokenizer


@dataclass(frozen=True)
class Run:
    """Which model, in which form, is to fill which template. What is not explained here is `Extractor`'s."""

    folder: Path  # the checkpoint's
    dtype: torch.dtype
    plain: bool  # compute as qwen2.py is written; else in the fast form, where there is one
    template: Mapping[str, Any]
    max_new_tokens: int
    cache_budget: int
    truncate: bool
    report: bool

    def extractor(self, model: Decoder, tokenizer: Tokenizer) -> Extractor:
        """What answers, with the model of the folder, which may be made fast in place."""
        if isinstance(model, Qwen2) and not self.plain:
            fast(model)
        limits = (self.max_new_tokens, self.cache_budget, self.truncate, self.report)
        return Extractor(model, tokenizer, plan(self.template), *limits)

    def settings(self, model: Decoder, tokenizer: Tokenizer, documents: Path) -> Result:
        """What the results depend on. Not the form, the budget and who computes: they decide no more than rounding,
        and which documents are too long."""
        return {
            "minikv": __version__,
            "documents": str(documents.resolve()),
            "template": self.template,
            "model": fingerprint(model, tokenizer),
            "dtype": str(self.dtype).removeprefix("torch."),
            "max_new_tokens": self.max_new_tokens,
            "truncate": self.truncate,
            "report": self.report,
        }


def fingerprint(model: Decoder, tokenizer: Tokenizer) -> str:
    """SHA-256 of all that a model answers from: weights, sizes, vocabulary and chat form, wherever they lie. About a
    second for a GB. To be taken before a model is made fast: packed weights show no numbers."""
    text = json.dumps([repr(model.config), tokenizer.plain.to_str(), tokenizer.control, tokenizer.template])
    digest = sha256(text.encode())
    for name, weight in model.named_parameters():
        digest.update(f"{name} {list(weight.shape)} {weight.dtype}".encode())
        digest.update(weight.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data)
    return digest.hexdigest()
