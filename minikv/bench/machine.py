"""What a measurement was made on, and how its seconds are summed up."""

import platform
import resource
import statistics
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import torch

from minikv.decoder import Decoder


@dataclass(frozen=True)
class Timing:
    """The seconds of repeated runs of one thing."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def mean(self) -> float:
        return statistics.mean(self.seconds)

    @property
    def std(self) -> float:
        """Of the sample; 0 for a single run, which shows no spread."""
        return statistics.stdev(self.seconds) if len(self.seconds) > 1 else 0.0


def card(model: Decoder) -> dict[str, str]:
    """Machine, versions, threads and the model's dtype and size: what a figure means nothing without."""
    config = model.config
    parameters = sum(parameter.numel() for parameter in model.parameters())
    return {
        "cpu": f"{processor()}, {platform.machine()}",
        "threads": str(torch.get_num_threads()),
        "python": platform.python_version(),
        **{name: installed(name) for name in ("torch", "minikv", "transformers")},
        "dtype": str(model.dtype).removeprefix("torch."),
        "device": str(model.device),
        "parameters": f"{parameters / 1e6:.1f} million",
        "sizes": f"{config.layers} layers, hidden {config.hidden}, {config.heads} query heads and {config.kv_heads} KV "
        f"heads of {config.head_dim}, vocabulary {config.vocab}",
    }


def processor() -> str:
    """The processor as it names itself."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def peak_bytes() -> int:
    """The most memory that this process has held at once, since it began."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
