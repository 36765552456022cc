"""Worker processes, each of which runs a function on one task after another.

A worker that ends in the middle of a task costs that task alone, and how it ended is reported.
A worker imports this module before it can report anything, so it needs nothing but Python.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any, Generic, TypeVar, cast

from bake.interrupts import interrupts_held

T = TypeVar("T")
R = TypeVar("R")

#: Called in a worker with the progress of a task, and in this process with the same.
Report = Callable[..., None]

#: Seconds a worker has to end by itself; a command that is interrupted has longer.
PATIENCE = 1.0

#: Python reads this variable when it starts: the current folder is then no place to import from.
SAFE_PATH_VARIABLE = "PYTHONSAFEPATH"


@dataclass(frozen=True)
class Lost:
    """A task that has no result, as its worker ended."""

    cause: str  #: how the worker ended, such as "was ended by SIGKILL"
    killed: bool = False  #: whether it was killed, as the system does where memory runs out


# -- safe imports ---------------------------------------------------------------------------------


class _SafePath:
    """How many blocks of this process start children that may not import from this folder."""

    blocks = 0
    before: str | None = None
    lock = threading.Lock()


@contextmanager
def safe_import_path() -> Iterator[None]:
    """Start Python processes in this block without the current folder on their import path.

    Python would import the modules that it starts a process with from the folder that it is started
    in, where a stranger's repository may lie. Processes that inherit the environment are safe.
    """
    with _SafePath.lock:
        if not _SafePath.blocks:
            _SafePath.before = os.environ.get(SAFE_PATH_VARIABLE)
            os.environ[SAFE_PATH_VARIABLE] = "1"
        _SafePath.blocks += 1
    try:
        yield
    finally:
        with _SafePath.lock:
            _SafePath.blocks -= 1
            if not _SafePath.blocks and _SafePath.before is None:
                os.environ.pop(SAFE_PATH_VARIABLE, None)
            elif not _SafePath.blocks:
                os.environ[SAFE_PATH_VARIABLE] = cast("str", _SafePath.before)


def children_import_safely() -> bool:
    """Return whether child processes of this one heed :func:`safe_import_path`.

    They do not where Python was started to ignore its variables (``-E``) without ``-P``, as it
    starts children with the same options.
    """
    return sys.flags.safe_path or not sys.flags.ignore_environment


# -- this process ---------------------------------------------------------------------------------


@dataclass
class _Worker(Generic[T]):
    """A worker process, as the process that started it sees it."""

    process: BaseProcess
    connection: Connection
    task: T | None = None  #: the task that it runs
    is_ready: bool = False  #: whether it has loaded everything

    def receive(self) -> tuple[list[tuple[str, Any]], bool]:
        """Return the messages that have arrived, and whether more may come."""
        is_running = self.process.exitcode is None  # What it sent before its end is in the pipe.
        messages = []
        try:
            while self.connection.poll():
                messages.append(self.connection.recv())
        except (EOFError, OSError):
            is_running = False
        return messages, is_running

    def hand_over(self, task: T) -> None:
        """Send a task."""
        self.task = task
        with suppress(OSError):  # It has ended, which is noticed later.
            self.connection.send(task)

    @property
    def waitables(self) -> tuple[Connection, int]:
        """The objects that are ready when the worker has sent something, or has ended."""
        return self.connection, self.process.sentinel

    def end_cause(self) -> Lost:
        """Return how a worker ended that sends nothing more."""
        self.process.join(PATIENCE)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join(PATIENCE)
        code = self.process.exitcode
        if code is not None and code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = f"signal {-code}"
            return Lost(f"was ended by {name}", killed=name == "SIGKILL")
        return Lost(f"ended with exit status {code}")


def run_tasks(
    function: Callable[[T, Report], R],
    tasks: Sequence[T],
    count: int,
    *,
    prepare: Callable[[], object],
    report: Report,
) -> Iterator[tuple[T, R | Lost]]:
    """Run a function on tasks, each in one of several worker processes.

    Workers are ended when this process is interrupted, or when no more results are asked for.

    Args:
        function: called with a task and where to report; sent to the workers by its name.
        tasks: the tasks.
        count: the number of workers.
        prepare: called in each worker before its first task; what it raises ends the worker.
        report: called with what the function reports.

    Yields:
        Each task with its result, in the order in which they end.

    Raises:
        Exception: the function raised it.
    """
    crew = _Crew(function, prepare, deque(tasks), count, report)
    try:
        while crew.waiting or crew.workers:
            crew.start_workers()
            if not crew.workers:
                yield from ((task, crew.unfit) for task in crew.waiting)
                return
            wait([each for worker in crew.workers for each in worker.waitables])
            for worker in [*crew.workers]:
                yield from crew.handle(worker)
    except BaseException:
        end_workers(crew.processes)
        raise
    for process in crew.processes:
        process.join(PATIENCE)
    end_workers(crew.processes)


class _Crew(Generic[T, R]):
    """The workers that share some tasks.

    Attributes:
        waiting: tasks that no worker has.
        workers: those that have a task, or wait for their first one.
        processes: of all workers, also those that no task was left for.
        unfit: why no more workers are started; its cause is empty while they are.
    """

    def __init__(
        self,
        function: Callable[[T, Report], R],
        prepare: Callable[[], object],
        waiting: deque[T],
        count: int,
        report: Report,
    ) -> None:
        self.waiting = waiting
        self.workers: list[_Worker[T]] = []
        self.processes: list[BaseProcess] = []
        self.unfit = Lost("")
        self._function, self._prepare = function, prepare
        self._count, self._report = count, report

    def start_workers(self) -> None:
        """Start a worker for each task that waits, up to the number of workers."""
        running = sum(worker.task is not None for worker in self.workers)
        wanted = min(self._count, len(self.waiting) + running)
        while len(self.workers) < wanted and not self.unfit.cause:
            try:
                self.workers.append(_started(self._prepare, self._function))
            except OSError as error:
                self.unfit = Lost(f"cannot be started: {error.strerror or error}")
            else:
                self.processes.append(self.workers[-1].process)

    def handle(self, worker: _Worker[T]) -> Iterator[tuple[T, R | Lost]]:
        """Handle what a worker has sent, and yield its task once that has ended."""
        messages, is_running = worker.receive()
        for kind, content in messages:
            if kind == "news":
                self._report(*content)
            elif kind == "unfit":
                self.unfit = Lost(f"cannot be started: {content}")
            elif kind == "raised":
                raise content
            else:
                worker.is_ready = True
                task, worker.task = worker.task, None
                if kind == "done" and task is not None:
                    yield task, content
                if not self.waiting:
                    worker.connection.close()
                    self.workers.remove(worker)
                    return
                worker.hand_over(self.waiting.popleft())
        if is_running:
            return
        self.workers.remove(worker)
        worker.connection.close()
        cause = worker.end_cause()
        if worker.task is not None:
            yield worker.task, cause
        elif not worker.is_ready and not self.unfit.cause:
            self.unfit = Lost(f"{cause.cause} while it started", cause.killed)


def _started(prepare: Callable[[], object], function: Callable[[T, Report], R]) -> _Worker[T]:
    """Start a worker.

    Raises:
        OSError: the system has no more processes or files.
    """
    # Only "spawn" starts processes in the same way on every system, and works with threads.
    context = multiprocessing.get_context("spawn")
    connection, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    try:
        with safe_import_path():
            start_tracker()
            with interrupts_blocked():
                process.start()
    except OSError:
        connection.close()
        raise
    finally:
        theirs.close()
    worker = _Worker[T](process, connection)
    with suppress(OSError):
        connection.send((prepare, function))
    return worker


def end_workers(workers: Collection[BaseProcess]) -> None:
    """Let workers end by themselves, which leaves checkpoints, but kill those that take long."""
    running = [worker for worker in workers if worker.exitcode is None]
    for worker in running:
        worker.terminate()
    end, left = time.monotonic() + PATIENCE, {worker.sentinel: worker for worker in running}
    while left and (ended := wait(list(left), end - time.monotonic())):
        for sentinel in ended:
            del left[cast("int", sentinel)]
    for worker in left.values():
        worker.kill()
    for worker in running:
        worker.join(PATIENCE)


def start_tracker() -> None:
    """Start the process that multiprocessing starts before any other, if it does not run.

    It has to run before interrupts are blocked, as starting it unblocks them.
    """
    if sys.platform != "win32":
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Keep interrupts from processes that are started in this block; their parent ends them.

    The signal is blocked because processes inherit that. In this process another thread could still
    take it, between starting a process and sending it its task, so here the interrupt is held back,
    too.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if not hasattr(signal, "pthread_sigmask") or not in_main:
        yield
        return
    with interrupts_held():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


# -- the worker -----------------------------------------------------------------------------------


class _Work:
    """Whether this worker runs a task; signal handlers are handed nothing."""

    running = False


def _serve(connection: Connection) -> None:
    """Run tasks until no more come."""
    prepare_process()
    lock = threading.Lock()

    def send(kind: str, content: object = None) -> None:
        try:
            with lock:
                connection.send((kind, content))
        except OSError:
            os._exit(1)  # Nobody listens any longer.

    try:
        try:
            prepare, function = connection.recv()
            prepare()
        except EOFError:
            return
        except Exception as error:
            send("unfit", _in_a_line(error))
            return
        send("ready")
        with suppress(EOFError):
            while True:
                _answer(function, connection.recv(), send)
    except KeyboardInterrupt:
        _end_by_signal()


def _answer(function: Callable[[T, Report], R], task: T, send: Callable[..., None]) -> None:
    """Run a task, and send its result or what it raised."""
    try:
        send("done", run_task(function, task, lambda *news: send("news", news)))
    except MemoryError:
        send("done", Lost("ran out of memory", killed=True))
    except Exception as error:
        error.add_note(f"in a worker process:\n{traceback.format_exc()}")
        try:
            send("raised", error)
        except Exception:  # It cannot be sent.
            send("raised", RuntimeError(traceback.format_exc()))


def run_task(function: Callable[[T, Report], R], task: T, report: Report) -> R:
    """Run a function in this worker; SIGTERM ends it after the function has cleaned up."""
    _Work.running = True
    try:
        return function(task, report)
    except KeyboardInterrupt:
        _end_by_signal()
        raise
    finally:
        _Work.running = False


def _in_a_line(error: BaseException) -> str:
    said = next(iter(str(error).splitlines()), "")
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def prepare_process() -> None:
    """Prepare this process as a worker: it ends by SIGTERM, or with its parent, in silence."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _on_terminate)
    sys.unraisablehook = _on_unraisable
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this worker with its parent; workers of a killed build would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _on_terminate(number: int, frame: FrameType | None) -> None:
    # A second one must not interrupt saving.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if not _Work.running:
        _end_by_signal()
    raise KeyboardInterrupt


def _end_by_signal() -> None:
    """End this process as the signal would have, so that its parent can name it."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    signal.raise_signal(signal.SIGTERM)
    os._exit(1)


def _on_unraisable(lost: sys.UnraisableHookArgs) -> None:
    """End this worker where Python would print that an interrupt came where nobody can catch it."""
    if lost.exc_type is KeyboardInterrupt:
        _end_by_signal()
    sys.__unraisablehook__(lost)
