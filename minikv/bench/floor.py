"""What a decode step cannot be faster than: its weights read once, and its weights multiplied and nothing else done."""

import time

import torch

from minikv.decoder import Decoder
from minikv.speed.packed import Packed

READ = 256 << 20  # bytes that are read to learn the memory's rate: more than the processor's caches keep


class Floor:
    """Both, for a model in its plain and in its fast form."""

    def __init__(self, model: Decoder, quick: Decoder):
        self.step_bytes = step_bytes(model)
        self.products = [module for module in quick.modules() if isinstance(module, Packed)]
        self.dtype = quick.dtype
        self.numbers = torch.ones(READ // 4)

    def read(self) -> float:
        """Seconds to read a step's weights once: at the rate at which all threads together add up numbers that lie in
        memory."""
        started = time.perf_counter()
        self.numbers.sum()
        return (time.perf_counter() - started) / READ * self.step_bytes

    def multiply(self, rows: int) -> float:
        """Seconds of the products of a decode step: every packed weight with one token of each row."""
        widths = {product.weight.shape[1] for product in self.products}
        inputs = {width: torch.ones(rows, width, dtype=self.dtype) for width in widths}
        started = time.perf_counter()
        with torch.no_grad():
            for product in self.products:
                product(inputs[product.weight.shape[1]])
        return time.perf_counter() - started


def step_bytes(model: Decoder) -> int:
    """Bytes of the weights that one decode step reads: all of them, but of an embedding that is not the head too only
    the few rows of its tokens."""
    weights = sum(weight.nbytes for weight in model.parameters())  # a tied head counts once
    return weights if model.config.tied else weights - model.get_parameter(model.embedding).nbytes
