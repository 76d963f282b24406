"""minikv: a Qwen2 decoder by hand, with its KV cache in the open. GPT-2 stands beside it."""

from minikv.attention import by_hand, sdpa
from minikv.cache import KVCache, Placement
from minikv.checkpoint import load, load_sampling
from minikv.config import Config
from minikv.decoder import Decoder
from minikv.errors import CheckpointError, MinikvError
from minikv.extract import extract
from minikv.filling.fill import fill, fill_report
from minikv.generate import Step, generate, prefill, steps
from minikv.gpt2 import GPT2
from minikv.look.assert_match import assert_logits_match
from minikv.look.causes import Cause, Fault, causes
from minikv.look.compare import Comparison, compare
from minikv.look.parting import Parting, partings
from minikv.look.show import RowView, describe, show
from minikv.look.trace import trace
from minikv.qwen2 import Qwen2
from minikv.recipes import RECIPES, Recipe
from minikv.sampling import GREEDY, Sampling
from minikv.speed.fast import fast
from minikv.tokenizer import Tokenizer

__version__ = "0.1.0"

__all__ = [
    "GPT2",
    "GREEDY",
    "RECIPES",
    "Cause",
    "CheckpointError",
    "Comparison",
    "Config",
    "Decoder",
    "Fault",
    "KVCache",
    "MinikvError",
    "Parting",
    "Placement",
    "Qwen2",
    "Recipe",
    "RowView",
    "Sampling",
    "Step",
    "Tokenizer",
    "assert_logits_match",
    "by_hand",
    "causes",
    "compare",
    "describe",
    "extract",
    "fast",
    "fill",
    "fill_report",
    "generate",
    "load",
    "load_sampling",
    "partings",
    "prefill",
    "sdpa",
    "show",
    "steps",
    "trace",
]
