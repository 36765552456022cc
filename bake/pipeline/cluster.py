"""Let the workers of a Dask cluster make tables; no other module imports Dask.

A level whose next hops are searched in several ranges is made here, and its ranges are tasks. Any
other level is one task, which gets the world and returns what the asset holds. Workers get arrays
and never open a file of this machine.

Dask's own format on the wire is pickle: who can reach the scheduler can run code on all workers,
and workers can run code here.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import shutil
import tempfile
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from typing import Any, NoReturn

from bake.asset.write import Contents
from bake.errors import BakeError, BudgetError
from bake.pipeline.checkpoint import Checkpoint
from bake.pipeline.cluster_tasks import (
    SharedJob,
    make_level,
    refuse_other,
    search_range,
    versions,
)
from bake.pipeline.level import Report, world_contents
from bake.pipeline.profile import in_ranges
from bake.processors import processors
from bake.recipe import LevelRecipe
from bake.tables.range_search import Range, RangeJob, RunBudget
from bake.tables.run_writer import RangeRuns
from bake.worlds import World, usable

#: The address that starts a cluster on this machine.
LOCAL = "local"

#: Seconds to wait for a scheduler to answer, and for a worker where there is none.
CONNECT_SECONDS = 10.0
WORKER_SECONDS = 60.0

#: Seconds between two looks at whether the scheduler is there, and two reports of a worker.
LOOK_SECONDS = 0.25
REPORT_SECONDS = 0.5

#: Seconds between two counts of the workers.
COUNT_SECONDS = 5.0

#: How often a task may be lost with its worker before the build gives up.
MOST_LOSSES = 5

#: Levels that are read and written here at once.
MOST_LEVELS = 8

#: Takes the number of a unit, its stage, and how far it is.
News = Callable[[int, str, float], None]


class StoppedError(Exception):
    """The build is over; nobody waits for this level."""


# -- what runs on workers -------------------------------------------------------------------------


class _Reporter:
    """Tells how far a task is, and ends it when nobody wants it any more."""

    def __init__(self, topic: str, unit: int) -> None:
        from distributed import get_worker

        self._worker: Any = get_worker()
        self._key = self._worker.get_current_task()
        self._topic, self._unit = topic, unit
        self._told = time.monotonic()

    @property
    def memory(self) -> int | None:
        """The bytes that Dask lets this worker have; None = no limit."""
        return self._worker.memory_manager.memory_limit or None

    @property
    def name(self) -> str:
        return str(self._worker.address)

    def __call__(self, stage: str, done: float) -> None:
        now = time.monotonic()
        if now - self._told < REPORT_SECONDS:
            return
        self._told = now
        task = self._worker.state.tasks.get(self._key)
        if task is None or task.state == "cancelled":
            raise StoppedError
        self._worker.log_event(self._topic, [self._unit, stage, done])


def search_task(
    shared: SharedJob,
    targets: Range,
    earlier: RangeRuns | None,
    budget: RunBudget,
    topic: str,
    mine: Mapping[str, str],
) -> RangeRuns:
    """Search a range as a task of Dask, see :func:`search_range`."""
    return search_range(shared, targets, earlier, budget, mine, _Reporter(topic, targets[0]))


def level_task(
    world: World, recipe: LevelRecipe, stated: str, topic: str, mine: Mapping[str, str]
) -> list[Contents]:
    """Make a level as a task of Dask, see :func:`make_level`."""
    return make_level(world, recipe, stated, mine, _Reporter(topic, 0))


# -- what runs here -------------------------------------------------------------------------------


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
        try:
            import dask
            import distributed
        except ImportError:
            raise BakeError(
                "--cluster needs Dask, which is not installed",
                remedy='run `pip install "levelbake[cluster]"`',
            ) from None
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
        # When workers were counted last, and when there were some.
        self._counted = self._peopled = time.monotonic()

    def close(self) -> None:
        """End the tasks of this build, and the cluster if this started it."""
        self._over.set()
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
        checkpoint: Checkpoint | None,
    ) -> list[Contents]:
        """Make the tables of one level, in place of :func:`bake.pipeline.level.world_contents`."""
        subs = (usable(world, profile) for profile in world.metrics)
        if any(in_ranges(sub, recipe) for sub in subs):
            crew = RangeCrew(self)
            return world_contents(
                world, recipe, stated, threads, report, checkpoint, lambda profile: crew
            )
        report("next hops", 0)
        with self.listening(lambda _, stage, done: report(stage, done)) as topic:

            def submitted(data: Any, unit: int) -> Any:
                return self.submit(level_task, data, recipe, stated, topic)

            contents: list[Contents]
            (contents,) = self.results(world, [0], submitted)
        return contents

    def results(
        self,
        data: object,
        units: Sequence[int],
        submitted: Callable[[Any, int], Any],
    ) -> Iterator[Any]:
        """Send data to workers, submit a task for each unit, and yield results as they come.

        What is lost with a worker is sent and submitted again.

        Args:
            data: what all tasks need.
            units: numbers of the tasks.
            submitted: submits the task of a unit, given what stands for the data.

        Raises:
            BakeError: a task failed, or was lost too often; or the scheduler is gone.
            StoppedError: the build is over.
        """
        ended: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        running = dict[int, Any]()
        losses = dict.fromkeys(units, 0)
        held: Any = None

        def submit(unit: int) -> None:
            running[unit] = future = submitted(held, unit)
            future.add_done_callback(lambda done, unit=unit: ended.put((unit, done)))

        try:
            with self._errors():
                held = self._scattered(data)
                for unit in units:
                    submit(unit)
            while running:
                try:
                    unit, future = ended.get(timeout=LOOK_SECONDS)
                except queue.Empty:
                    self._look()
                    continue
                if future is not running.get(unit, ended):
                    continue
                self._look()
                with self._errors():
                    if future.status == "finished":
                        try:
                            result = future.result()
                        except (OSError, CancelledError):  # Its worker is gone.
                            self._look()
                        else:
                            del running[unit]
                            future.release()
                            yield result
                            continue
                    if future.status == "error":
                        self._failed(future.exception())
                    # The task is lost, with its data or for reasons of the scheduler's own.
                    losses[unit] += 1
                    if losses[unit] > MOST_LOSSES:
                        self._failed(None)
                    if held.status != "finished":
                        held = self._scattered(data)
                    submit(unit)
        finally:
            with contextlib.suppress(Exception):
                self._client.cancel(list(running.values()), force=True)

    def _scattered(self, data: object) -> Any:
        """Send data to a worker, again where it is lost meanwhile.

        Others fetch it from there when they need it. Dask can send data to all of them at once, but
        goes on for ever where one is lost at that moment.
        """
        for left in reversed(range(MOST_LOSSES)):
            try:
                return self._client.scatter(data, hash=False)
            except OSError:
                self._look()
                if not left:
                    raise
                time.sleep(LOOK_SECONDS)
        raise AssertionError

    def submit(self, function: Callable[..., Any], data: Any, *arguments: Any) -> Any:
        """Submit a task; its last argument is what its machine must share with this one."""
        return self._client.submit(function, data, *arguments, self._mine, pure=False)

    @contextlib.contextmanager
    def listening(self, told: News) -> Iterator[str]:
        """Call a function with what tasks report by a topic, which this yields."""
        topic = f"levelbake-{uuid.uuid4().hex}"
        with self._errors():
            self._client.subscribe_topic(topic, lambda news: told(*news[1]))
        try:
            yield topic
        finally:
            with contextlib.suppress(Exception):
                self._client.unsubscribe_topic(topic)

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

    def _look(self) -> None:
        """Look whether the build is over, and whether the scheduler and workers are there.

        Raises:
            StoppedError, BakeError.
        """
        if self._over.is_set():
            raise StoppedError
        if self._client.status not in ("running", "newly-created"):
            self._gone()
        now = time.monotonic()
        if now - self._counted < COUNT_SECONDS:
            return
        self._counted = now
        with self._errors():
            if self._workers():
                self._peopled = now
        if now - self._peopled > WORKER_SECONDS:
            raise BakeError(
                f"all workers of the scheduler at {self.address} are gone",
                remedy="start some, and build again: what was finished is kept",
            )

    def _workers(self) -> int:
        return len(self._client.nthreads())

    def _gone(self) -> NoReturn:
        raise BakeError(
            f"the scheduler at {self.address} is gone",
            remedy="start it again, and build again: what was finished is kept",
        )

    def _failed(self, error: BaseException | None) -> NoReturn:
        """Tell why a task failed for good."""
        if isinstance(error, BakeError):
            raise error
        if isinstance(error, MemoryError):
            raise BudgetError("a worker ran out of memory", remedy="lower memory_budget")
        if error is None or type(error).__name__ == "KilledWorker":
            raise BakeError(
                "workers were lost again and again while they baked this level",
                remedy="look at their logs; if memory ran out, give them more "
                "(dask worker --memory-limit), or fewer threads",
            )
        raise BakeError(f"a worker failed: {type(error).__name__}: {_first_line(error)}")

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
                self._gone()
            raise

    def _client_is_gone(self) -> bool:
        client = getattr(self, "_client", None)
        return client is not None and client.status != "running"


class RangeCrew:
    """Searches ranges on a cluster, see :class:`bake.tables.range_search.Crew`."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def search(
        self,
        job: RangeJob,
        ranges: Sequence[Range],
        earlier: Mapping[int, RangeRuns],
        budget: RunBudget,
        taken: Callable[[int, int], None],
    ) -> Iterator[RangeRuns]:
        """Yield the runs of ranges, in any order."""
        of = dict(ranges)
        cluster = self._cluster
        with cluster.listening(lambda begin, _, stop: taken(begin, int(stop))) as topic:

            def submitted(data: Any, begin: int) -> Any:
                targets, known = (begin, of[begin]), earlier.get(begin)
                return cluster.submit(search_task, data, targets, known, budget, topic)

            yield from cluster.results(SharedJob(job), list(of), submitted)


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def _quietly(close: Callable[..., object], **options: Any) -> None:
    """Close what may be closed, or gone, already."""
    with contextlib.suppress(Exception):
        close(**options)
