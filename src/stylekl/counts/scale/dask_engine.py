"""The engine of Dask: splits counted by worker processes here or elsewhere, and merged there in a tree.

A worker that dies costs its work alone: others do that again. What a split raises is tried again only where the network
or a disk may be the cause.
"""

from __future__ import annotations

import logging
import os
import signal
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from functools import partial as bound
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

from stylekl.counts import cores
from stylekl.counts.scale.splits import missing
from stylekl.errors import InputError, SplitError, StyleklError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from distributed import Client, Future

    from stylekl.counts.scale.engine import Tell
    from stylekl.counts.scale.splits import Split

T = TypeVar("T")
TOGETHER = 16  # partials that are merged at a time
TRIES = 3  # times that a split is tried where what it raises may pass
DEATHS = 3  # workers that may die with a split before it is taken to be the cause
WAIT = 30  # seconds for a scheduler to answer and a worker to come
_SILENT = logging.CRITICAL + 1
_ANY = "127.0.0.1:0"  # Dask listens for HTTP with and without a dashboard


class Dask:
    """Runs work on the workers of a client."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def each(self, work: Callable[[Split], T], splits: Sequence[Split]) -> list[T]:
        """Return what `work` returns of each split, in their order."""
        futures = self._submitted(work, splits)
        return self._fetched(futures, futures, splits, lambda _done, _all: None)

    def reduced(
        self, work: Callable[[Split], T], splits: Sequence[Split], merging: Callable[..., T], tell: Tell
    ) -> T:
        """Return what `work` returns of all splits, merged on the workers."""
        leaves = self._submitted(work, splits)
        nodes = leaves
        while len(nodes) > 1:
            groups = [nodes[first : first + TOGETHER] for first in range(0, len(nodes), TOGETHER)]
            nodes = [self.client.submit(merging, *group, pure=False) for group in groups]
        (found,) = self._fetched(nodes, leaves, splits, tell)
        return found

    def _submitted(self, work: Callable[[Split], T], splits: Sequence[Split]) -> list[Future[T]]:
        return [
            self.client.submit(
                bound(attempt, work, ours()),
                split,
                key=f"stylekl-{split.number}-{os.getpid()}-{id(splits)}",
                pure=False,
            )
            for split in splits
        ]

    def _fetched(
        self, nodes: list[Future[T]], leaves: list[Future[T]], splits: Sequence[Split], tell: Tell
    ) -> list[T]:
        """Return the results of `nodes` as they are there; what is needed no more, the workers may forget.

        Raises what the first split that fails raises, and cancels the others.
        """
        from distributed import as_completed

        done = 0
        tell(done, len(leaves))
        leaf = {future.key: place for place, future in enumerate(leaves)}
        node = {future.key: place for place, future in enumerate(nodes)}
        waiting = as_completed({*leaves, *nodes}, loop=self.client.loop)
        found: dict[int, T] = {}
        failed: list[Future[T]] = []
        for future in waiting:
            if future.status not in ("finished", "error", "cancelled"):
                waiting.add(future)  # its worker died meanwhile, and it is done again
                continue
            if future.status != "finished":
                if future.key in leaf:
                    error = _error_of(future, splits[leaf[future.key]].name)
                    self.client.cancel([*nodes, *waiting.futures])
                    raise error
                failed.append(future)  # a split that it needs says why, or it is the last to say so
                continue
            if future.key in node:
                found[node[future.key]] = future.result()
            if future.key in leaf:
                done += 1
                tell(done, len(leaves))
            future.release()
        if failed:
            raise _error_of(failed[0], "the merged counts")
        return [found[place] for place in range(len(nodes))]


def _error_of(future: Future[Any], what: str) -> StyleklError:
    """Return why `what` did not come back, in our words."""
    from distributed import KilledWorker

    error = future.exception()
    if isinstance(error, StyleklError):
        return error
    if isinstance(error, KilledWorker):
        return SplitError(
            f"{what}: {DEATHS + 1} workers died with it",
            "it may not fit into a worker's memory: --split-size 16 makes smaller ones; otherwise one of its "
            "records is the cause",
        )
    return SplitError(f"{what}: {type(error).__name__}: {error}", "see what the workers logged")


def attempt(work: Callable[[Split], T], expected: tuple[str, ...], split: Split) -> T:
    """Return what `work` returns of a split, tried again where that may help; runs on a worker.

    Raises what can be sent back: InputError and StyleklError for errors of the input, SplitError for all others.
    """
    if ours() != expected:
        raise SplitError(_differing("a worker", ours(), expected), _INSTALL)
    for tried in range(1, TRIES + 1):
        try:
            return work(split)
        except InputError as error:
            raise InputError(error.message, error.hint) from None
        except StyleklError as error:
            raise StyleklError(error.message, error.hint) from None
        except Exception as error:
            if tried == TRIES:
                raise SplitError(
                    f"{split.name}: tried {TRIES} times: {type(error).__name__}: {error}",
                    "check that every worker reaches the file",
                ) from None
    raise AssertionError


_INSTALL = "install the same stylekl and tiktoken for the workers: counts of two versions are not added up"


def ours() -> tuple[str, ...]:
    """Return the versions that counts depend on."""
    from stylekl import __version__

    return f"stylekl {__version__}", f"tiktoken {version('tiktoken')}"


def _differing(who: str, theirs: tuple[str, ...], expected: tuple[str, ...]) -> str:
    return f"{who} has {' and '.join(theirs)}, this process {' and '.join(expected)}"


@contextmanager
def dask_engine(scheduler: str | None, jobs: int | None) -> Iterator[Dask]:
    """Yield the engine of a Dask scheduler, or of a cluster of `jobs` processes here, which ends with it.

    Raises UsageError where the scheduler does not answer or has no worker, or where its workers have another stylekl,
    InputError where Dask is not installed.
    """
    try:
        import cryptography  # noqa: F401
        import dask
        import distributed  # noqa: F401
    except ImportError:
        raise missing("--engine dask") from None
    settings = {
        "distributed.scheduler.allowed-failures": DEATHS,
        # A death is put down to all that a worker was given, so none is given a second split while it has one.
        "distributed.scheduler.worker-saturation": 1.0,
        "distributed.comm.timeouts.connect": f"{WAIT}s",
        "distributed.worker.multiprocessing-method": "spawn",
        "distributed.admin.tick.limit": "1h",  # a long count is no reason to warn
    }
    with dask.config.set(settings), _quiet(), ExitStack() as stack:
        client = stack.enter_context(_client(scheduler) if scheduler else _local(cores.wanted(jobs)))
        _require_ours(client, scheduler)
        yield Dask(client)


@contextmanager
def _client(scheduler: str) -> Iterator[Client]:
    from distributed import Client, Security

    if scheduler.startswith("tls://") and Security().get_connection_args("client").get("ssl_context") is None:
        raise UsageError(
            f"--scheduler {scheduler}: no keys for TLS",
            "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT names them",
        )
    try:
        client = Client(scheduler, timeout=WAIT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UsageError(
            f"--scheduler {scheduler}: {reason}", "`dask scheduler` prints its address"
        ) from None
    try:
        yield client
    finally:
        client.close()


@contextmanager
def _local(workers: int) -> Iterator[Client]:
    """Yield the client of a cluster of processes on this machine, which nobody else can reach.

    Whoever reaches a scheduler can run code in it, so it listens here alone, and for who has the key of this run.
    """
    from distributed import Client, LocalCluster, Security

    from stylekl.results.store import scratch_folder

    with ExitStack() as stack:
        scratch = stack.enter_context(
            tempfile.TemporaryDirectory(
                prefix="stylekl-dask-", dir=scratch_folder(), ignore_cleanup_errors=True
            )
        )
        with _uninterrupted():
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                worker_dashboard_address=_ANY,
                scheduler_kwargs={"dashboard": False, "dashboard_address": _ANY},
                local_directory=scratch,
                security=Security.temporary(),
                silence_logs=_SILENT,
                env={"OPENBLAS_NUM_THREADS": "1"},
            )
        stack.enter_context(cluster)
        yield stack.enter_context(Client(cluster, set_as_default=False))


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Keep Ctrl-C from what is started meanwhile, and from what that starts: this process ends them all.

    A thread and a process have the signals blocked that are blocked where they are started.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # starting it would let the signal through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _require_ours(client: Client, scheduler: str | None) -> None:
    """Raise UsageError where there is no worker, or one of another version than this process."""
    try:
        client.wait_for_workers(1, timeout=WAIT)
    except TimeoutError:
        raise UsageError(
            f"--scheduler {scheduler}: it has no worker", "`dask worker ADDRESS` starts one"
        ) from None
    try:
        theirs = client.run(ours)
    except Exception as error:  # where stylekl is not installed, what was sent cannot even be read
        raise UsageError(
            f"--scheduler {scheduler}: its workers cannot load stylekl: {type(error).__name__}: {error}",
            _INSTALL,
        ) from None
    for address, found in sorted(theirs.items()):
        if found != ours():
            raise UsageError(_differing(f"the worker {address}", found, ours()), _INSTALL)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what Dask logs off stderr: what matters of it is raised."""
    names = ("distributed", "tornado", "asyncio")
    levels = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(_SILENT)
    try:
        yield
    finally:
        with suppress(Exception):
            for name, level in levels.items():
                logging.getLogger(name).setLevel(level)
