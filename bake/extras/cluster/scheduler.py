"""The connection of a build to a Dask cluster, whose workers compute the tables.

A level whose next hops are searched in several ranges is made here, and its ranges are tasks. Any
other level is one task, which gets the world and returns what the asset holds. Workers get arrays
and never open a file of this machine.

Dask's own format on the wire is pickle: who can reach the scheduler can run code on all workers,
and workers can run code here.
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
    level_task,
    refuse_other,
    run_task,
    same,
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

#: Seconds to wait for a scheduler to answer, and for a worker where there is none.
CONNECT_SECONDS = 10.0
WORKER_SECONDS = 60.0

#: Seconds between two looks at whether the scheduler is there.
LOOK_SECONDS = 0.25

#: Seconds between two counts of the workers.
COUNT_SECONDS = 5.0

#: Levels that are read and written here at once.
MOST_LEVELS = 8


class StoppedError(Exception):
    """The build is over; nobody waits for this level."""


class Cluster:
    """A connection to a cluster, for one build.

    Attributes:
        address: of the scheduler.
        levels_at_once: how many levels to work on here.
    """

    def __init__(self, address: str, jobs: int | None) -> None:
        """Connect, or start a cluster on this machine.

        Args:
            address: of the scheduler; LOCAL = start one, with workers.
            jobs: how many workers to start, and levels to work on at once.

        Raises:
            BakeError: Dask is not installed, nobody answers, there is no worker, or one of the
                machines has other versions.
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
            self._silence()
            self._client: Any = self._connected(jobs)
            self._mine = versions()
            self._refuse_others()
            undo.pop_all()
        self.levels_at_once = jobs or min(MOST_LEVELS, 2 * max(1, self._workers()))
        self._executor = self._client.get_executor(pure=False)
        self._ended: Exception | None = None
        self._waiting = set[Future[Any]]()
        threading.Thread(target=self._watch, daemon=True).start()

    def close(self) -> None:
        """End the tasks of this build, and the cluster if this started it."""
        self._over.set()
        self._end(StoppedError())
        self._closing.close()

    def abandon(self) -> None:
        """Prepare to be closed at once: workers that are killed now are not started again."""
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
        """Make the tables of one level, in place of :func:`bake.baking.level.world_contents`.

        Raises:
            BakeError: a table cannot be made, tasks were lost too often, or the scheduler is gone.
            StoppedError: the build is over.
        """
        tasks = _LevelTasks(self)
        subs = (usable(world, profile) for profile in world.metrics)
        try:
            if any(in_ranges(sub, recipe) for sub in subs):
                kept_of = checkpoint.table
                return world_contents(world, recipe, stated, threads, report, kept_of, tasks)
            report("next hops", 0)
            contents: list[Contents] = tasks.begin(level_task, world, recipe, stated).result()
        finally:
            tasks.cancel()
        return contents

    def held(self, data: object) -> Any:
        """Return what stands for data in tasks; workers fetch it from each other.

        It is the result of a task as well, which the scheduler repeats where it is lost.
        """
        with self._errors():
            return self._client.submit(same, data, pure=False)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Submit a task; its future fails with one line, whatever becomes of the task."""
        ours = Future[Any]()
        self._waiting.add(ours)
        ours.add_done_callback(self._waiting.discard)
        with self._errors():
            if self._ended is not None:
                raise self._ended
            theirs = self._executor.submit(run_task, self._mine, function, *arguments)
            ours.add_done_callback(lambda ours: theirs.cancel() if ours.cancelled() else None)
            theirs.add_done_callback(lambda done: self._settle(ours, done))
        return ours

    def _settle(self, ours: Future[Any], done: Future[Any]) -> None:
        error = CancelledError() if done.cancelled() else done.exception()
        with contextlib.suppress(InvalidStateError):
            if error is None:
                ours.set_result(done.result())
            else:
                ours.set_exception(self._told(error))

    def _end(self, error: Exception) -> None:
        """Let nobody wait any longer."""
        self._ended = self._ended or error
        for future in self._waiting.copy():
            with contextlib.suppress(InvalidStateError):
                future.set_exception(error)

    def _watch(self) -> None:
        """Look whether the scheduler and workers are there, and end all waiting if they are not."""
        counted = peopled = time.monotonic()
        try:
            while not self._over.wait(LOOK_SECONDS):
                if self._client.status not in ("running", "newly-created"):
                    raise self._gone()
                now = time.monotonic()
                if now - counted < COUNT_SECONDS:
                    continue
                counted = now
                with self._errors():
                    if self._workers():
                        peopled = now
                if now - peopled > WORKER_SECONDS:
                    raise BakeError(
                        f"all workers of the scheduler at {self.address} are gone",
                        remedy="start some, and build again: what was finished is kept",
                    )
        except (BakeError, StoppedError) as error:
            self._end(error)

    def _silence(self) -> None:
        """Keep what Dask logs, and its warnings about versions, from the screen."""
        names = [*logging.root.manager.loggerDict]  # Dask gives several of its own a handler.
        noisy = ("distributed", "tornado", "asyncio")
        for name in {*noisy, *(each for each in names if each.partition(".")[0] in noisy)}:
            logger = logging.getLogger(name)
            self._closing.callback(setattr, logger, "handlers", logger.handlers)
            self._closing.callback(setattr, logger, "propagate", logger.propagate)
            logger.handlers, logger.propagate = [logging.NullHandler()], False
        self._closing.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")

    def _connected(self, jobs: int | None) -> Any:
        address = self.address
        if address == LOCAL:
            folder = tempfile.mkdtemp(prefix="levelbake-")
            self._closing.callback(shutil.rmtree, folder, ignore_errors=True)
            # The scheduler takes no folder of its own, and would leave one behind.
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
            self._closing.callback(_quietly, local.close, timeout=1)
            address = local.scheduler_address
        try:
            self._check_form(address)
            client = self._dask.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise BakeError(
                f"no Dask scheduler answers at {self.address!r}: {_first_line(error)}",
                expected="an address such as tcp://HOST:8786, or local",
                remedy="start one with `dask scheduler`",
            ) from None
        self._closing.callback(_quietly, client.close, timeout=1)
        try:
            client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except (OSError, TimeoutError):
            raise BakeError(
                f"the scheduler at {self.address} has no workers",
                remedy=f"start some with `dask worker {self.address}`",
            ) from None
        return client

    def _check_form(self, address: str) -> None:
        """Raise ValueError for what is no address, of which a client would be made all the same."""
        from distributed.comm.addressing import parse_address
        from distributed.comm.registry import backends

        scheme, location = parse_address(address)
        if scheme not in backends:
            raise ValueError(f"unknown scheme {scheme!r}")
        backend: Any = backends[scheme]
        backend.get_address_host_port(location)

    def _refuse_others(self) -> None:
        """Refuse a cluster of other versions before anything is sent.

        Raises:
            BakeError: a version differs.
        """
        with self._errors():
            try:
                theirs = self._client.run_on_scheduler(versions)
            except (ImportError, AttributeError, TypeError):
                theirs = {}
            refuse_other(self._mine, theirs, "the scheduler")
            for name, found in self._client.run(versions, on_error="return").items():
                if isinstance(found, OSError):  # It has just gone.
                    continue
                theirs = found if isinstance(found, dict) else {}
                refuse_other(self._mine, theirs, f"the worker {name}")

    def _workers(self) -> int:
        return len(self._client.nthreads())

    def _gone(self) -> BakeError:
        return BakeError(
            f"the scheduler at {self.address} is gone",
            remedy="start it again, and build again: what was finished is kept",
        )

    def _told(self, error: BaseException) -> Exception:
        """Return what to say of a task that failed for good."""
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
        if isinstance(error, OSError | CancelledError) or self._client_is_gone():
            return self._gone()
        return BakeError(f"a worker failed: {type(error).__name__}: {_first_line(error)}")

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn the errors of a connection that has ended into one line."""
        try:
            yield
        except (BakeError, StoppedError):
            raise
        except Exception as error:
            if self._over.is_set():
                raise StoppedError from None
            if isinstance(error, OSError) or self._client_is_gone():
                raise self._gone() from None
            raise

    def _client_is_gone(self) -> bool:
        client = getattr(self, "_client", None)
        return client is not None and client.status != "running"


class _LevelTasks:
    """The tasks of one level, see :class:`bake.tables.range_search.Executor`."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._held = dict[SharedSearch, Any]()
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
        if shared not in self._held:
            self._held[shared] = self._cluster.held(shared)
        return self.begin(search_task, self._held[shared], targets)

    def begin(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Submit any task."""
        future = self._cluster.submit(function, *arguments)
        self._waiting.add(future)
        future.add_done_callback(self._waiting.discard)
        return future

    def cancel(self) -> None:
        """Cancel what is left."""
        for future in self._waiting.copy():
            future.cancel()


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def _quietly(close: Callable[..., object], **options: Any) -> None:
    """Close what may be closed, or gone, already."""
    with contextlib.suppress(Exception):
        close(**options)
