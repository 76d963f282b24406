"""Choose the next token from its logits: greedy, or drawn at random from what temperature, top-k and top-p leave.

The order is the usual one: repetition penalty, temperature, top-k, top-p.
"""

from dataclasses import dataclass
from math import gcd, inf

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from minikv.cache import KVCache
from minikv.errors import MinikvError


@dataclass(frozen=True)
class Sampling:
    """How to choose. The default is greedy: the likeliest token, no penalty."""

    temperature: float = 0.0  # 0: greedy; else logits are divided by it
    top_k: int = 0  # keep the k likeliest tokens; 0: all
    top_p: float = 1.0  # keep the likeliest tokens up to this probability together; 1: all
    repetition_penalty: float = 1.0  # above 1: tokens already in the row become less likely
    seed: int | None = None  # of the random draws; None: a different draw each time

    def __post_init__(self) -> None:
        wrong = [
            f"{name} is {value}; expected {expected}"
            for name, value, good, expected in (
                # Below a thousandth the quotients overflow fp32, and the draw is greedy in all but name.
                (
                    "temperature",
                    self.temperature,
                    self.temperature == 0 or 1e-3 <= self.temperature < inf,
                    "0 or >= 0.001",
                ),
                ("top_k", self.top_k, self.top_k >= 0, "0 (all) or above"),
                ("top_p", self.top_p, 0 < self.top_p <= 1, "above 0, at most 1"),
                ("repetition_penalty", self.repetition_penalty, 0 < self.repetition_penalty < inf, "above 0"),
                ("seed", self.seed, self.seed is None or 0 <= self.seed < 2**63, "a whole number from 0 to 2**63 - 1"),
            )
            if not good
        ]
        if wrong:
            raise MinikvError("sampling: " + "; ".join(wrong))


GREEDY = Sampling()


class Sampler:
    """A `Sampling` with its random numbers: seeded once, then drawn from step by step."""

    def __init__(self, sampling: Sampling, device: torch.device):
        self.sampling = sampling
        self.generator = torch.Generator(device)
        if sampling.seed is None:
            self.generator.seed()
        else:
            self.generator.manual_seed(sampling.seed)

    def choose(self, logits: Float[Tensor, "rows vocab"], cache: KVCache) -> Int[Tensor, " rows"]:
        """One token for each row. The penalty counts every token that the row's cache holds, the prefix included."""
        how = self.sampling
        logits = logits.float()
        if how.repetition_penalty != 1.0:
            logits = penalise(logits, tokens_seen(cache, vocab=logits.shape[-1]), how.repetition_penalty)
        if how.temperature == 0:
            return argmax(logits)
        logits = keep_top_p(keep_top_k(logits / how.temperature, how.top_k), how.top_p)
        return torch.multinomial(logits.softmax(dim=-1), 1, generator=self.generator)[:, 0]


def argmax(logits: Float[Tensor, "rows vocab"]) -> Int[Tensor, " rows"]:
    """`logits.float().argmax(dim=-1)`, several times as fast. PyTorch's argmax looks at one number at a time, its amax
    at as many as the processor can: so the first of the best blocks is sought, and then the first of the best in it."""
    size = gcd(logits.shape[-1], 64)
    blocks = logits.float().unflatten(-1, (-1, size))
    best = blocks.amax(dim=-1).argmax(dim=-1)
    return best * size + blocks[torch.arange(len(best), device=best.device), best].argmax(dim=-1)


def tokens_seen(cache: KVCache, vocab: int) -> Bool[Tensor, "rows vocab"]:
    """Which tokens stand in each row, up to its length: padding lies beyond it and does not count."""
    filled = torch.arange(cache.slots, device=cache.lengths.device) < cache.lengths[:, None]
    row, slot = filled.nonzero(as_tuple=True)
    seen = torch.zeros(cache.rows, vocab, dtype=torch.bool, device=cache.lengths.device)
    seen[row, cache.tokens[row, slot]] = True
    return seen


def penalise(
    logits: Float[Tensor, "rows vocab"], seen: Bool[Tensor, "rows vocab"], penalty: float
) -> Float[Tensor, "rows vocab"]:
    """Logits of seen tokens divided by the penalty where positive, multiplied where negative (Keskar et al. 2019,
    arXiv:1909.05858, section 4.1). With penalty 1.1, [2.2, 1, -1] and tokens 0 and 2 seen become [2.0, 1, -1.1]."""
    return torch.where(seen, torch.where(logits > 0, logits / penalty, logits * penalty), logits)


def keep_top_k(logits: Float[Tensor, "rows vocab"], k: int) -> Float[Tensor, "rows vocab"]:
    """All but the k largest logits to -inf; ties with the k-th stay. k = 0 keeps all."""
    if k == 0 or k >= logits.shape[-1]:
        return logits
    smallest_kept = logits.topk(k, dim=-1).values[:, -1:]
    return logits.masked_fill(logits < smallest_kept, -torch.inf)


def keep_top_p(logits: Float[Tensor, "rows vocab"], p: float) -> Float[Tensor, "rows vocab"]:
    """Keep the likeliest tokens until their probabilities add up to p, the one that crosses it included, so at least
    one (Holtzman et al. 2020, arXiv:1904.09751); the others to -inf. p = 1 keeps all."""
    if p == 1:
        return logits
    descending, order = logits.sort(dim=-1, descending=True)
    probabilities = descending.softmax(dim=-1)
    before = probabilities.cumsum(dim=-1) - probabilities  # probability of all likelier tokens together
    dropped = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, order, before >= p)
    return logits.masked_fill(dropped, -torch.inf)
