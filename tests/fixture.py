"""A tiny Qwen2 with body, and what gives a model one. With its default initialisation it is blind: dropping every QKV
bias moves its logits by nothing at all. With these weights the same fault moves them by more than ten."""

from collections.abc import Callable, Sequence
from pathlib import Path

import torch
import transformers

from minikv import KVCache, Step

Oracle = Callable[[list[int]], torch.Tensor]  # ids to logits [new, vocab]

SIZES = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 1024,
    "rms_norm_eps": 1e-6,
    "rope_parameters": {"rope_type": "default", "rope_theta": 1e6},
}


def reference_model(tied: bool = True, seed: int = 0, vocab: int = 97) -> transformers.Qwen2ForCausalLM:
    """The fixture in transformers: fp32, eager attention."""
    config = transformers.Qwen2Config(**SIZES, vocab_size=vocab, tie_word_embeddings=tied, attn_implementation="eager")
    reference = transformers.Qwen2ForCausalLM(config).eval().requires_grad_(False)
    give_body(reference, seed)
    return reference


def give_body(reference: transformers.PreTrainedModel, seed: int) -> None:
    """Random weights that show every fault: products of spread 1.5, norms around 1, biases and embeddings of 0.5."""
    draw = torch.Generator().manual_seed(seed)
    for name, weight in reference.named_parameters():
        noise = torch.randn(weight.shape, generator=draw)
        if name.endswith("bias") or "embed" in name or "wte" in name or "wpe" in name:
            weight.copy_(0.5 * noise)
        elif weight.dim() == 1:  # of a norm
            weight.copy_(1 + 0.3 * noise)
        else:
            inputs = weight.shape[0] if ".c_" in name else weight.shape[1]  # GPT-2's c_attn, c_proj, c_fc: [in, out]
            weight.copy_(1.5 * noise / inputs**0.5)


def write_checkpoint(reference: transformers.PreTrainedModel, folder: Path) -> Path:
    """Save as transformers saves: safetensors, and config.json in its nested dialect."""
    reference.save_pretrained(folder)
    return folder


def ids(new: int, seed: int = 1) -> list[int]:
    """Random token ids of the fixture."""
    return torch.randint(97, (new,), generator=torch.Generator().manual_seed(seed)).tolist()


def contents(cache: KVCache) -> list[torch.Tensor]:
    return [cache.keys.clone(), cache.values.clone(), cache.tokens.clone(), cache.lengths.clone()]


def unchanged(cache: KVCache, before: list[torch.Tensor]) -> bool:
    return all(torch.equal(now, then) for now, then in zip(contents(cache), before, strict=True))


def check_steps(oracle: Oracle, walk: Sequence[Step], prefix: list[int], prompts: list[list[int]]) -> None:
    """Every row's logits at every step are the oracle's for all that the row has said so far."""
    said = [[*prefix, *prompt] for prompt in prompts]
    for number, step in enumerate(walk):
        for row, text in enumerate(said):
            torch.testing.assert_close(
                step.logits[row],
                oracle(text)[-1],
                rtol=0,
                atol=1e-4,
                msg=lambda m, r=row, n=number: f"row {r}, step {n}: {m}",
            )
            text.append(int(step.chosen[row]))
