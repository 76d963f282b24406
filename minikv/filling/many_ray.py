"""The same over Ray Data: some processes, each with the model, fed and watched over by Ray. They are on this machine,
or, where RAY_ADDRESS names a cluster, wherever that has processors.

Ray reads the documents, hands them out, and begins a process anew that dies; what such a one had been given is computed
once more. The results come back to the process that asked, and are written by it alone. So all that is said of a run
without Ray holds for one with it. This module imports Ray only where it is used.
"""

import json
import logging
import os
import platform
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from minikv.checkpoint import load
from minikv.errors import MinikvError
from minikv.filling.corpus import Document, Found, Refused, read_documents, unanswered
from minikv.filling.many import READ_AHEAD, Extractor
from minikv.filling.results import Result, differing
from minikv.filling.run import Run


def check_ray() -> None:
    """MinikvError where Ray is absent, or nothing is at the address of its cluster."""
    try:
        import ray.data  # noqa: F401
    except ImportError as error:
        raise MinikvError(f'Ray Data cannot be used here ({error}); pip install "minikv[ray]"') from None
    check_reachable(address())


def address() -> str:
    """The cluster's, by Ray's own convention; "local" for one that is started on this machine for this run alone."""
    return os.environ.get("RAY_ADDRESS") or "local"


def check_reachable(address: str) -> None:
    """MinikvError where nobody answers: Ray itself would try again for many minutes."""
    if address in ("local", "auto"):  # auto: the cluster that runs on this machine
        return
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except (OSError, ValueError) as error:
        raise MinikvError(
            f"RAY_ADDRESS is {address!r}, where nothing can be reached ({error}); expected host:port of a cluster that "
            f"runs, as `ray start --head` prints it. Without RAY_ADDRESS Ray is started on this machine"
        ) from None


class Worker:
    """What an actor of Ray keeps: the model. It is called with one window of documents at a time."""

    def __init__(self, run: Run, settings: Result, documents: Path, threads: int):
        self.run, self.settings, self.documents, self.threads = run, settings, documents, threads

    @cached_property
    def extractor(self) -> Extractor:
        """Made at the first window: what goes wrong in a constructor Ray prints at length, and tries again. MinikvError
        where it would not answer as the machine that asks."""
        run = self.run
        torch.set_num_threads(self.threads)
        where = f"a worker on {platform.node()}"
        if not run.folder.is_dir():
            raise MinikvError(f"{where} has no folder {run.folder}; put the model there on each machine of the cluster")
        model, tokenizer = load(run.folder, run.dtype)
        if tokenizer is None:
            raise MinikvError(f"{where} has a folder {run.folder} without tokenizer.json; have it alike everywhere")
        if other := differing(self.settings, run.settings(model, tokenizer, self.documents)):
            raise MinikvError(f"{where} has another {', '.join(other)} than the machine that asks; have all alike")
        return run.extractor(model, tokenizer)

    def __call__(self, batch: dict[str, Any]) -> Iterator[dict[str, list[str]]]:
        (window,) = batch["window"]
        for results in self.extractor.results(map(as_found, json.loads(window))):
            yield {"results": [json.dumps(results)]}


def as_found(fields: dict[str, Any]) -> Found:
    return Document(**fields) if "text" in fields else Refused(**fields)


def results_over_ray(
    run: Run, settings: Result, documents: Path, answered: set[bytes], workers: int
) -> Iterator[list[Result]]:
    """As `Extractor.results`, of the documents that have none yet, from so many processes. MinikvError where Ray gives
    up, as when the machine has no memory for them, and where a worker would answer from other `settings` than these."""
    from ray import get_runtime_context
    from ray.data import ActorPoolStrategy, read_datasource
    from ray.exceptions import RayError

    cluster = address()
    # A worker counts as one processor, so on a cluster, which others may share, it takes no more.
    threads = max(1, torch.get_num_threads() // workers) if cluster == "local" else 1
    with quiet_ray(cluster, workers):
        # Reading waits more than it computes, so it takes none of the processors that are counted out to workers. It is
        # done on this machine, which has the documents.
        windows = read_datasource(
            source(documents, answered),
            num_cpus=0,
            override_num_blocks=1,
            label_selector={"ray.io/node-id": get_runtime_context().get_node_id()},
        )
        results = windows.map_batches(
            Worker,
            fn_constructor_args=(run, settings, documents, threads),
            compute=ActorPoolStrategy(size=workers),
            num_cpus=1,
            batch_size=1,
        )
        try:
            for row in results.iter_rows():
                yield json.loads(row["results"])
        except RayError as error:
            raise MinikvError(f"Ray gave up: {in_words(error)}") from None


def in_words(error: Exception) -> str:
    """What went wrong, without Ray's account of where, which stands above it, and Ray's advice, which stands below."""
    cause = getattr(error, "cause", None)  # an error in one of the processes
    lines = str(cause or error).strip().splitlines() or [type(error).__name__]
    return lines[0] if cause else lines[-1]


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
def quiet_ray(address: str, workers: int) -> Iterator[None]:
    """The cluster of that address, or "local": Ray on this machine alone; without its reports, pages and bars. The
    ports of the latter are open to the network, but from 2.60 on it lets in only who knows a token, which it keeps in
    the user's home. MinikvError where there is no such cluster, or it lets nobody in."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray
    from ray.data import DataContext

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray's own, about its own
        try:
            ray.init(
                address=address,
                num_cpus=workers if address == "local" else None,  # a cluster has what it has
                include_dashboard=False,
                log_to_driver=False,
                logging_level=logging.CRITICAL,
            )
        except (ray.exceptions.RayError, ConnectionError, RuntimeError) as error:
            raise MinikvError(
                f"Ray cannot be used at the address {address}: {in_words(error)}. Is it a cluster of this version of "
                f"Ray and of Python? If it asks for a token, set RAY_AUTH_MODE=token"
            ) from None
        logging.getLogger("ray.data").setLevel(logging.CRITICAL)
        context = DataContext.get_current()
        context.enable_progress_bars = context.print_on_execution_start = False
        context.target_max_block_size = 1  # bytes: each row as soon as it is there, not when many have come together
        try:
            yield
        finally:
            ray.shutdown()
