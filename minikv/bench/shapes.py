"""Official sizes with random weights: how long a forward pass takes does not depend on the values."""

from typing import Any

import torch
from torch import Tensor

from minikv.checkpoint import ARCHITECTURES, HEAD, blank
from minikv.decoder import Decoder
from minikv.errors import MinikvError


def gpt2(hidden: int, layers: int, heads: int) -> dict[str, Any]:
    """config.json of one of the four sizes of GPT-2 (Radford et al. 2019, table 2)."""
    return {
        "model_type": "gpt2",
        "n_embd": hidden,
        "n_layer": layers,
        "n_head": heads,
        "n_positions": 1024,
        "n_ctx": 1024,
        "vocab_size": 50257,
        "layer_norm_epsilon": 1e-5,
        "activation_function": "gelu_new",
    }


def qwen2(hidden: int, intermediate: int, layers: int, heads: int, kv_heads: int) -> dict[str, Any]:
    """config.json of one of the small sizes of Qwen2.5 (Qwen team 2024, arXiv:2412.15115, table 1)."""
    return {
        "model_type": "qwen2",
        "hidden_size": hidden,
        "intermediate_size": intermediate,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "max_position_embeddings": 32768,
        "vocab_size": 151936,
        "rms_norm_eps": 1e-6,
        "rope_theta": 1e6,
        "tie_word_embeddings": True,
    }


SHAPES = {
    "gpt2": gpt2(hidden=768, layers=12, heads=12),
    "gpt2-medium": gpt2(hidden=1024, layers=24, heads=16),
    "gpt2-large": gpt2(hidden=1280, layers=36, heads=20),
    "gpt2-xl": gpt2(hidden=1600, layers=48, heads=25),
    "qwen2.5-0.5b": qwen2(hidden=896, intermediate=4864, layers=24, heads=14, kv_heads=2),
    "qwen2.5-1.5b": qwen2(hidden=1536, intermediate=8960, layers=28, heads=12, kv_heads=2),
    "qwen2.5-3b": qwen2(hidden=2048, intermediate=11008, layers=36, heads=16, kv_heads=2),
}


def blank_shape(name: str) -> Decoder:
    """The decoder of an official shape, without weights."""
    if name not in SHAPES:
        raise MinikvError(f"no shape {name!r}; expected one of {', '.join(SHAPES)}")
    architecture = ARCHITECTURES[SHAPES[name]["model_type"]]
    return blank(architecture, architecture.config_class.parse(SHAPES[name], name))


def fill_randomly(model: Decoder, dtype: torch.dtype, seed: int) -> Decoder:
    """Give a blank decoder random weights. They are larger than those that a training begins with: with such small ones
    a deep decoder says one token for ever, and whoever says the same would prove nothing."""
    draw = torch.Generator().manual_seed(seed)
    shapes = {name: tensor.shape for name, tensor in model.state_dict().items()}
    if model.config.tied:
        del shapes[HEAD]
    weights = {name: random_weight(name, shape, draw).to(dtype) for name, shape in shapes.items()}
    model.load_state_dict({HEAD: weights[model.embedding], **weights}, strict=True, assign=True)
    if model.config.tied:
        model.lm_head.weight = model.get_parameter(model.embedding)
    return model.requires_grad_(False).eval()


def random_weight(name: str, shape: torch.Size, draw: torch.Generator) -> Tensor:
    noise = torch.randn(shape, generator=draw)
    if len(shape) == 2:
        return noise.mul_(3 / shape[1] ** 0.5)
    return noise.mul_(0.1) if name.endswith("bias") else noise.mul_(0.3).add_(1)  # the others are norms' weights


def random_ids(vocab: int, count: int, seed: int) -> list[int]:
    """Token ids to start from where there is no tokenizer."""
    return torch.randint(vocab, (count,), generator=torch.Generator().manual_seed(seed)).tolist()
