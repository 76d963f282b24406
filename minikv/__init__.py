"""minikv: a Qwen2 decoder by hand, with its KV cache in the open. GPT-2 stands beside it."""

from minikv.attention import by_hand, sdpa
from minikv.cache import KVCache, Placement
from minikv.checkpoint import load, load_sampling
from minikv.config import Config
from minikv.decoder import Decoder
from minikv.errors import CheckpointError, MinikvError
from minikv.extract import extract
from minikv.fast import fast
from minikv.generate import Step, generate, prefill, steps
from minikv.gpt2 import GPT2
from minikv.qwen2 import Qwen2
from minikv.recipes import RECIPES, Recipe
from minikv.sampling import GREEDY, Sampling
from minikv.tokenizer import Tokenizer

__version__ = "0.1.0"

__all__ = [
    "GPT2",
    "GREEDY",
    "RECIPES",
    "CheckpointError",
    "Config",
    "Decoder",
    "KVCache",
    "MinikvError",
    "Placement",
    "Qwen2",
    "Recipe",
    "Sampling",
    "Step",
    "Tokenizer",
    "by_hand",
    "extract",
    "fast",
    "generate",
    "load",
    "load_sampling",
    "prefill",
    "sdpa",
    "steps",
]
