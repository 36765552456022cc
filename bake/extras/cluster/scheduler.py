"""The connection of a build to a Dask cluster, whose workers compute the tables.

If the next hops of a level are searched in several ranges, each range is a task, and this machine
computes the rest. Any other level is one task, which receives the world and returns the contents of
the asset. Workers receive arrays and never open a file of this machine.

Dask sends pickles: anyone who can reach the scheduler can run code on all workers, and workers can
run code on this machine.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, InvalidStateError
from typing import Any

from bake.baking.checkpoint import Checkpoint
from bake.baking.level import world_contents
from bake.baking.profile import Report, in_ranges
from bake.core.errors import BudgetError
from bake.core.extras import require_package
from bake.core.processors import processors
from bake.extras.cluster.tasks import (
    check_versions,
    level_task,
    return_data,
    run_task,
    search_task,
    versions,
)
from bake.project.recipe import LevelRecipe
from bake.store.write import Contents
from bake.tables.range_search import Range, SharedSearch
from bake.tables.run_writer import RangeRuns
from bake.worlds import World, usable
from levelbake.errors import BakeError

#: The address that starts a cluster on this machine.
LOCAL = "local"

#: Seconds to wait for the scheduler to answer, and for a first worker.
CONNECT_SECONDS = 10.0
WORKER_SECONDS = 60.0

#: Seconds between two checks of the connection to the scheduler.
CHECK_SECONDS = 0.25

#: Seconds between two counts of the workers.
COUNT_SECONDS = 5.0

#: The largest number of levels that are read and written at once.
MOST_LEVELS = 8


class StoppedError(Exception):
    """The build is over, and the result of this level is not needed."""


class Cluster:
    """A connection to a cluster, for one build.

    Attributes:
        address: of the scheduler.
        levels_at_once: how many levels this machine works on.
    """

    def __init__(self, address: str, jobs: int | None) -> None:
        """Connect, or start a cluster on this machine.

        Args:
            address: of the scheduler; LOCAL = start one, with workers.
            jobs: how many workers to start, and levels to work on at once.

        Raises:
            BakeError: Dask is not installed, there is no scheduler or no worker, or a machine has
                another version of a package.
        """
        for package in ("dask", "distributed"):
            require_package(package, "cluster", "--cluster")
        import dask
        import distributed

        self._dask: Any = distributed
        self._settings: Any = dask.config.set
        self.address = address
        self._over = threading.Event()
        self._local: Any = None
        self._closing = contextlib.ExitStack()
        with contextlib.ExitStack() as undo:
            undo.callback(self._closing.close)
            self._silence_dask()
            self._client: Any = self._connect(jobs)
            self._versions = versions()
            self._check_machines()
            undo.pop_all()
        self.levels_at_once = jobs or min(MOST_LEVELS, 2 * max(1, self._count_workers()))
        self._executor = self._client.get_executor(pure=False)
        self._ended: Exception | None = None
        self._waiting = set[Future[Any]]()
        threading.Thread(target=self._watch, daemon=True).start()

    def close(self) -> None:
        """End the tasks of this build, and a cluster that was started for it."""
        self._over.set()
        self._fail_waiting(StoppedError())
        self._closing.close()

    def abandon(self) -> None:
        """Prepare to be closed at once: do not restart workers that are killed now."""
        self._over.set()
        for nanny in () if self._local is None else self._local.workers.values():
            nanny.auto_restart = False

    def make(
        self,
        world: World,
        recipe: LevelRecipe,
        stated: str,
        threads: int,
        report: Report,
        checkpoint: Checkpoint,
    ) -> list[Contents]:
        """Return the contents of an asset, as :func:`bake.baking.level.world_contents` does.

        Raises:
            BakeError: a table cannot be computed, tasks were lost too often, or the scheduler is
                gone.
            StoppedError: the build is over.
        """
        tasks = _LevelTasks(self)
        subs = (usable(world, profile) for profile in world.metrics)
        try:
            if any(in_ranges(sub, recipe) for sub in subs):
                table_of = checkpoint.table
                return world_contents(world, recipe, stated, threads, report, table_of, tasks)
            report("next hops", 0)
            contents: list[Contents] = tasks.submit_task(level_task, world, recipe, stated).result()
        finally:
            tasks.cancel()
        return contents

    def send(self, data: object) -> Any:
        """Return a reference to data for the arguments of tasks; workers fetch it from each other.

        The data is the result of a task, which the scheduler repeats if the data is lost.
        """
        with self._errors():
            return self._client.submit(return_data, data, pure=False)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Submit a task; if it fails, its future raises an error of one line."""
        result = Future[Any]()
        self._waiting.add(result)
        result.add_done_callback(self._waiting.discard)
        with self._errors():
            if self._ended is not None:
                raise self._ended
            task = self._executor.submit(run_task, self._versions, function, *arguments)
            result.add_done_callback(lambda result: task.cancel() if result.cancelled() else None)
            task.add_done_callback(lambda task: self._set_result(result, task))
        return result

    def _set_result(self, result: Future[Any], task: Future[Any]) -> None:
        error = CancelledError() if task.cancelled() else task.exception()
        with contextlib.suppress(InvalidStateError):
            if error is None:
                result.set_result(task.result())
            else:
                result.set_exception(self._task_error(error))

    def _fail_waiting(self, error: Exception) -> None:
        """Raise an error in every thread that waits for a task."""
        self._ended = self._ended or error
        for future in self._waiting.copy():
            with contextlib.suppress(InvalidStateError):
                future.set_exception(error)

    def _watch(self) -> None:
        """Check the scheduler and the workers, and fail all tasks if they are gone."""
        counted = had_workers = time.monotonic()
        try:
            while not self._over.wait(CHECK_SECONDS):
                if self._client.status not in ("running", "newly-created"):
                    raise self._scheduler_error()
                now = time.monotonic()
                if now - counted < COUNT_SECONDS:
                    continue
                counted = now
                with self._errors():
                    if self._count_workers():
                        had_workers = now
                if now - had_workers > WORKER_SECONDS:
                    raise BakeError(
                        f"all workers of the scheduler at {self.address} are gone",
                        remedy="start some, and build again: what was finished is kept",
                    )
        except (BakeError, StoppedError) as error:
            self._fail_waiting(error)

    def _silence_dask(self) -> None:
        """Hide Dask's log and its warnings about versions."""
        names = [*logging.root.manager.loggerDict]  # Dask adds handlers to several of its loggers.
        noisy = ("distributed", "tornado", "asyncio")
        for name in {*noisy, *(name for name in names if name.partition(".")[0] in noisy)}:
            logger = logging.getLogger(name)
            self._closing.callback(setattr, logger, "handlers", logger.handlers)
            self._closing.callback(setattr, logger, "propagate", logger.propagate)
            logger.handlers, logger.propagate = [logging.NullHandler()], False
        self._closing.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")

    def _connect(self, jobs: int | None) -> Any:
        """Return a client of the cluster, after its first worker has joined."""
        address = self.address
        if address == LOCAL:
            folder = tempfile.mkdtemp(prefix="levelbake-")
            self._closing.callback(shutil.rmtree, folder, ignore_errors=True)
            # The scheduler has no option for its folder, and would leave one behind.
            self._closing.enter_context(self._settings({"temporary-directory": folder}))
            try:
                local = self._dask.LocalCluster(
                    n_workers=jobs or processors(),
                    threads_per_worker=1,
                    dashboard_address=None,
                    worker_dashboard_address=None,
                    local_directory=folder,
                    silence_logs=logging.CRITICAL + 1,
                )
            except (OSError, RuntimeError) as error:
                raise BakeError(f"no cluster can be started here: {_first_line(error)}") from None
            self._local = local
            self._closing.callback(_close_quietly, local.close, timeout=1)
            address = local.scheduler_address
        try:
            self._check_address(address)
            client = self._dask.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise BakeError(
                f"no Dask scheduler answers at {self.address!r}: {_first_line(error)}",
                expected="an address such as tcp://HOST:8786, or local",
                remedy="start one with `dask scheduler`",
            ) from None
        self._closing.callback(_close_quietly, client.close, timeout=1)
        try:
            client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except (OSError, TimeoutError):
            raise BakeError(
                f"the scheduler at {self.address} has no workers",
                remedy=f"start some with `dask worker {self.address}`",
            ) from None
        return client

    def _check_address(self, address: str) -> None:
        """Raise ValueError for an invalid address; Dask's client does not check it."""
        from distributed.comm.addressing import parse_address
        from distributed.comm.registry import backends

        scheme, location = parse_address(address)
        if scheme not in backends:
            raise ValueError(f"unknown scheme {scheme!r}")
        backend: Any = backends[scheme]
        backend.get_address_host_port(location)

    def _check_machines(self) -> None:
        """Check the versions of all machines before anything is sent.

        Raises:
            BakeError: a version differs.
        """
        with self._errors():
            try:
                installed = self._client.run_on_scheduler(versions)
            except (ImportError, AttributeError, TypeError):
                installed = {}
            check_versions(self._versions, installed, "the scheduler")
            for name, answer in self._client.run(versions, on_error="return").items():
                if isinstance(answer, OSError):  # The worker has just left.
                    continue
                installed = answer if isinstance(answer, dict) else {}
                check_versions(self._versions, installed, f"the worker {name}")

    def _count_workers(self) -> int:
        return len(self._client.nthreads())

    def _scheduler_error(self) -> BakeError:
        return BakeError(
            f"the scheduler at {self.address} is gone",
            remedy="start it again, and build again: what was finished is kept",
        )

    def _task_error(self, error: BaseException) -> Exception:
        """Return the error to raise for a task that failed for good."""
        if self._over.is_set():
            return StoppedError()
        if isinstance(error, BakeError):
            return error
        if isinstance(error, MemoryError):
            return BudgetError("a worker ran out of memory", remedy="lower memory_budget")
        if type(error).__name__ == "KilledWorker":
            return BakeError(
                "workers were lost again and again while they baked this level",
                remedy="look at their logs; if memory ran out, give them more "
                "(dask worker --memory-limit), or fewer threads",
            )
        if isinstance(error, OSError | CancelledError) or self._is_disconnected():
            return self._scheduler_error()
        return BakeError(f"a worker failed: {type(error).__name__}: {_first_line(error)}")

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Convert errors of a lost connection into one line."""
        try:
            yield
        except (BakeError, StoppedError):
            raise
        except Exception as error:
            if self._over.is_set():
                raise StoppedError from None
            if isinstance(error, OSError) or self._is_disconnected():
                raise self._scheduler_error() from None
            raise

    def _is_disconnected(self) -> bool:
        client = getattr(self, "_client", None)
        return client is not None and client.status != "running"


class _LevelTasks:
    """The tasks of one level; a :class:`bake.tables.range_search.Executor`."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._sent = dict[SharedSearch, Any]()
        self._waiting = set[Future[Any]]()

    def submit(
        self,
        function: Callable[[SharedSearch, Range], RangeRuns],
        shared: SharedSearch,
        targets: Range,
        /,
    ) -> Future[RangeRuns]:
        """Search a range on a worker."""
        assert function is SharedSearch.runs_of
        if shared not in self._sent:
            self._sent[shared] = self._cluster.send(shared)
        return self.submit_task(search_task, self._sent[shared], targets)

    def submit_task(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Submit a task of any function."""
        future = self._cluster.submit(function, *arguments)
        self._waiting.add(future)
        future.add_done_callback(self._waiting.discard)
        return future

    def cancel(self) -> None:
        """Cancel all tasks that are not done."""
        for future in self._waiting.copy():
            future.cancel()


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def _close_quietly(close: Callable[..., object], **options: Any) -> None:
    """Close a connection or a cluster, which may be closed or gone already."""
    with contextlib.suppress(Exception):
        close(**options)
