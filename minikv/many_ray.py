"""The same over Ray Data: some processes on this machine, each with the model, fed and watched over by Ray.

Ray reads the documents, hands them out, and begins a process anew that dies; what such a one had been given is computed
once more. The results come back to the process that asked, and are written by it alone. So all that is said of a run
without Ray holds for one with it. This module imports Ray only where it is used.
"""

import json
import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from minikv.checkpoint import load
from minikv.corpus import Document, Found, Refused, read_documents, unanswered
from minikv.errors import MinikvError
from minikv.many import READ_AHEAD
from minikv.results import Result
from minikv.run import Run


def check_ray() -> None:
    """MinikvError where Ray is absent."""
    try:
        import ray.data  # noqa: F401
    except ImportError as error:
        raise MinikvError(f'Ray Data cannot be used here ({error}); pip install "minikv[ray]"') from None


class Worker:
    """What an actor of Ray keeps: the model. It is called with one window of documents at a time."""

    def __init__(self, run: Run, threads: int):
        torch.set_num_threads(threads)
        model, tokenizer = load(run.folder, run.dtype)
        assert tokenizer is not None  # the process that asked has loaded the same
        self.extractor = run.extractor(model, tokenizer)

    def __call__(self, batch: dict[str, Any]) -> Iterator[dict[str, list[str]]]:
        (window,) = batch["window"]
        for results in self.extractor.results(map(as_found, json.loads(window))):
            yield {"results": [json.dumps(results)]}


def as_found(fields: dict[str, Any]) -> Found:
    return Document(**fields) if "text" in fields else Refused(**fields)


def results_over_ray(run: Run, documents: Path, answered: set[bytes], workers: int) -> Iterator[list[Result]]:
    """As `Extractor.results`, of the documents that have none yet, from so many processes. MinikvError where Ray gives
    up, as when the machine has no memory for them."""
    from ray.data import ActorPoolStrategy, read_datasource
    from ray.exceptions import RayError

    threads = max(1, torch.get_num_threads() // workers)
    with quiet_ray(workers):
        # Reading waits more than it computes, so it takes none of the processors that are counted out to workers.
        windows = read_datasource(source(documents, answered), num_cpus=0, override_num_blocks=1)
        results = windows.map_batches(
            Worker,
            fn_constructor_args=(run, threads),
            compute=ActorPoolStrategy(size=workers),
            num_cpus=1,
            batch_size=1,
        )
        try:
            for row in results.iter_rows():
                yield json.loads(row["results"])
        except RayError as error:
            raise MinikvError(f"Ray gave up: {str(error).strip().splitlines()[-1]}") from None


def source(documents: Path, answered: set[bytes]) -> Any:
    """The documents that have no result yet, as Ray Data reads them: by one process, a row for each window."""
    from ray.data.block import BlockMetadata
    from ray.data.datasource import Datasource, ReadTask

    class Windows(Datasource):
        def estimate_inmemory_data_size(self) -> None:
            return None

        def get_read_tasks(self, parallelism: int, *args: Any, **kwargs: Any) -> list[Any]:
            unknown = BlockMetadata(num_rows=None, size_bytes=None, input_files=None, exec_stats=None)
            return [ReadTask(partial(read_windows, documents, answered), unknown)]

    return Windows()


def read_windows(documents: Path, answered: set[bytes]) -> Iterator[Any]:
    """READ_AHEAD documents at a time, as tables of one row. As JSON, in which half a character passes too."""
    import pyarrow

    waiting = unanswered(read_documents(documents), answered)
    while window := [asdict(found) for found in islice(waiting, READ_AHEAD)]:
        yield pyarrow.table({"window": [json.dumps(window)]})


@contextmanager
def quiet_ray(workers: int) -> Iterator[None]:
    """Ray on this machine alone, without its reports, pages and bars. Its ports are open to the network, but from 2.60
    on it lets in only who knows a token, which it keeps in the user's home."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray
    from ray.data import DataContext

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray's own, about its own
        ray.init(
            address="local",
            num_cpus=workers,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.CRITICAL,
        )
        logging.getLogger("ray.data").setLevel(logging.CRITICAL)
        context = DataContext.get_current()
        context.enable_progress_bars = context.print_on_execution_start = False
        context.target_max_block_size = 1  # bytes: each row as soon as it is there, not when many have come together
        try:
            yield
        finally:
            ray.shutdown()
