"""What every decoder here has in common: tokens to logits, with a cache or without.

The cache, generation, recipes and loading know a model by this much and no more. `qwen2.py` and `gpt2.py` each add one
architecture: its parts, and what they are called in its checkpoints.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from minikv.attention import Attend
from minikv.cache import KVCache, Placement
from minikv.config import Sizes
from minikv.errors import MinikvError


@dataclass(frozen=True, eq=False)
class Pass:
    """One forward pass: where its new tokens go, the cache that they continue, and how they attend."""

    placement: Placement
    cache: KVCache | None
    attend: Attend

    def attention(
        self,
        layer: int,
        q: Float[Tensor, "rows new heads head_dim"],
        k: Float[Tensor, "rows new kv_heads head_dim"],
        v: Float[Tensor, "rows new kv_heads head_dim"],
    ) -> Float[Tensor, "rows new heads head_dim"]:
        """Keep a layer's new keys and values, and let each query attend to the slots that its mask shows."""
        keys, values = self.remember(layer, k, v)
        return self.attend(q, keys, values, self.placement.mask[:, :, : keys.shape[2]])

    def remember(
        self,
        layer: int,
        k: Float[Tensor, "rows new kv_heads head_dim"],
        v: Float[Tensor, "rows new kv_heads head_dim"],
    ) -> tuple[Float[Tensor, "rows kv_heads seen head_dim"], Float[Tensor, "rows kv_heads seen head_dim"]]:
        """Keep a layer's new keys and values; return all that some query sees. Without a cache the new tokens are all
        there is: column and slot are one."""
        if self.cache is None:
            return k.transpose(1, 2), v.transpose(1, 2)
        return self.cache.write(layer, self.placement, k, v)


class Decoder(nn.Module):
    """A decoder with its output head.

    `model(tokens)` is the plain causal forward pass. `model(tokens, cache, placement)` continues a cache: it writes the
    new keys and values and moves no length. Where only some columns' logits are wanted, take them from the hidden
    states, `model.lm_head(model.hidden(tokens, cache, placement)[rows, columns])`: the head is a third of a small
    model.
    """

    config_class: ClassVar[type[Sizes]]  # the architecture's own
    embedding: ClassVar[str]  # the tensor that a tied head is
    cache_class: type[KVCache] = KVCache  # what a prefix is kept in
    lm_head: nn.Linear

    def __init__(self, config: Sizes, attend: Attend):
        super().__init__()
        self.config = config
        self.attend = attend  # attention.sdpa or attention.by_hand; may be changed at any time

    def tie(self) -> None:
        """Let the head be the embedding, where the config says so."""
        if self.config.tied:
            self.lm_head.weight = self.get_parameter(self.embedding)

    @abstractmethod
    def body(self, tokens: Int[Tensor, "rows new"], at: Pass) -> Float[Tensor, "rows new hidden"]:
        """The last hidden states, normalised: all of the decoder but its head."""

    @staticmethod
    @abstractmethod
    def own_name(stored: str) -> str | None:
        """What the decoder calls a checkpoint's tensor; None for one that is no weight."""

    def hidden(
        self, tokens: Int[Tensor, "rows new"], cache: KVCache | None = None, placement: Placement | None = None
    ) -> Float[Tensor, "rows new hidden"]:
        """The last hidden states, which the head makes logits of."""
        placement = self._checked(tokens, cache, placement)
        if cache is not None:
            cache.write_tokens(placement, tokens)
        return self.body(tokens, Pass(placement, cache, self.attend))

    def forward(
        self, tokens: Int[Tensor, "rows new"], cache: KVCache | None = None, placement: Placement | None = None
    ) -> Float[Tensor, "rows new vocab"]:
        return self.lm_head(self.hidden(tokens, cache, placement))

    @property
    def dtype(self) -> torch.dtype:
        return next(self.parameters()).dtype

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def _checked(
        self, tokens: Int[Tensor, "rows new"], cache: KVCache | None, placement: Placement | None
    ) -> Placement:
        """The placement to compute with; MinikvError, before anything is written, if model, tokens, cache and placement
        do not fit each other."""
        rows, new = tokens.shape
        if cache is not None:
            config = self.config
            shape = (config.layers, rows, config.kv_heads, cache.keys.shape[3], config.head_dim)
            if cache.keys.shape != shape or (cache.keys.dtype, cache.keys.device) != (self.dtype, self.device):
                raise MinikvError(
                    f"the cache holds {list(cache.keys.shape)} in {cache.keys.dtype} on {cache.keys.device}; this "
                    f"model and these tokens need {list(shape)} in {self.dtype} on {self.device}, as KVCache.empty "
                    f"makes it"
                )
        if placement is None:
            if cache is not None:
                raise MinikvError("a cache without a placement; say where the new tokens go: cache.place(counts)")
            return Placement.causal(rows, new, tokens.device)
        slots = new if cache is None else cache.slots
        shapes = [placement.positions.shape, placement.slots.shape, placement.mask.shape]
        if shapes != [(rows, new), (rows, new), (rows, new, slots)]:
            raise MinikvError(
                f"tokens are {[rows, new]}, but the placement has positions, slots and mask of "
                f"{[list(shape) for shape in shapes]}; expected {[rows, new]} twice and {[rows, new, slots]}"
            )
        if bool(((placement.slots < 0) | (placement.slots > slots)).any()):  # -1 would overwrite the last slot
            raise MinikvError(f"slots {placement.slots.tolist()} of a cache of {slots}; expected 0 to {slots - 1}")
        return placement
