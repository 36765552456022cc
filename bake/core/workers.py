"""Worker processes, each of which runs a function on one task after another.

A worker that ends during a task costs only that task, and the cause of its end is reported. A
worker imports this module before it can report anything, so the module needs only Python.
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

from bake.core.interrupts import interrupts_held

T = TypeVar("T")
R = TypeVar("R")

#: Called in a worker with the progress of a task, and in this process with the same arguments.
Report = Callable[..., None]

#: Seconds that a worker has to end; an interrupted command has longer.
PATIENCE = 1.0

#: Python reads this variable when it starts: the current folder is then not an import path.
SAFE_PATH_VARIABLE = "PYTHONSAFEPATH"


@dataclass(frozen=True)
class Lost:
    """A task without a result, since its worker ended."""

    cause: str  #: how the worker ended, such as "was ended by SIGKILL"
    killed: bool = False  #: whether it was killed, as the system does where memory runs out


# -- safe imports ---------------------------------------------------------------------------------


class _SafePath:
    """The number of blocks whose child processes must not import from the current folder."""

    blocks = 0
    before: str | None = None
    lock = threading.Lock()


@contextmanager
def safe_import_path() -> Iterator[None]:
    """Start Python processes in this block without the current folder on their import path.

    Otherwise Python would import the modules that it starts a process with from the current folder,
    which may be another person's repository. Processes that inherit the environment are safe.
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
    """Return whether child processes of this one respect :func:`safe_import_path`.

    They do not if Python was started to ignore its variables (``-E``) without ``-P``, since
    children get the same options.
    """
    return sys.flags.safe_path or not sys.flags.ignore_environment


# -- this process ---------------------------------------------------------------------------------


@dataclass
class _Worker(Generic[T]):
    """A worker process, as seen by the process that started it."""

    process: BaseProcess
    connection: Connection
    task: T | None = None  #: the task that it runs
    is_ready: bool = False  #: whether it has loaded everything

    def receive(self) -> tuple[list[tuple[str, Any]], bool]:
        """Return the messages that have arrived, and whether more may come."""
        is_running = (
            self.process.exitcode is None
        )  # Messages sent before its end are still in the pipe.
        messages = []
        try:
            while self.connection.poll():
                messages.append(self.connection.recv())
        except (EOFError, OSError):
            is_running = False
        return messages, is_running

    def send_task(self, task: T) -> None:
        """Send a task."""
        self.task = task
        with suppress(OSError):  # The worker has ended, which is noticed later.
            self.connection.send(task)

    @property
    def waitables(self) -> tuple[Connection, int]:
        """The objects that become ready when the worker has sent a message, or has ended."""
        return self.connection, self.process.sentinel

    def end_cause(self) -> Lost:
        """Return the cause of a worker's end, after its last message."""
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

    Workers are terminated when this process is interrupted, or when the caller stops iterating.

    Args:
        function: called with a task and a reporting function; pickled by name.
        tasks: the tasks.
        count: the number of workers.
        prepare: called in each worker before its first task; an exception ends the worker.
        report: called with the reports of the function.

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
            wait([source for worker in crew.workers for source in worker.waitables])
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
        waiting: tasks without a worker.
        workers: those that run a task, or wait for their first one.
        processes: of all workers, including those without a task left.
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
        """Start one worker per waiting task, up to the limit."""
        running = sum(worker.task is not None for worker in self.workers)
        wanted = min(self._count, len(self.waiting) + running)
        while len(self.workers) < wanted and not self.unfit.cause:
            try:
                self.workers.append(_start_worker(self._prepare, self._function))
            except OSError as error:
                self.unfit = Lost(f"cannot be started: {error.strerror or error}")
            else:
                self.processes.append(self.workers[-1].process)

    def handle(self, worker: _Worker[T]) -> Iterator[tuple[T, R | Lost]]:
        """Process the messages of a worker, and yield its task once it has ended."""
        messages, is_running = worker.receive()
        for kind, content in messages:
            if kind == "progress":
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
                worker.send_task(self.waiting.popleft())
        if is_running:
            return
        self.workers.remove(worker)
        worker.connection.close()
        cause = worker.end_cause()
        if worker.task is not None:
            yield worker.task, cause
        elif not worker.is_ready and not self.unfit.cause:
            self.unfit = Lost(f"{cause.cause} while it started", cause.killed)


def _start_worker(prepare: Callable[[], object], function: Callable[[T, Report], R]) -> _Worker[T]:
    """Start a worker.

    Raises:
        OSError: the system has no more processes or files.
    """
    # Only "spawn" works alike on every system, and with threads.
    context = multiprocessing.get_context("spawn")
    connection, worker_end = context.Pipe()
    process = context.Process(target=_serve, args=(worker_end,), daemon=True)
    try:
        with safe_import_path():
            start_tracker()
            with interrupts_blocked():
                process.start()
    except OSError:
        connection.close()
        raise
    finally:
        worker_end.close()
    worker = _Worker[T](process, connection)
    with suppress(OSError):
        connection.send((prepare, function))
    return worker


def end_workers(workers: Collection[BaseProcess]) -> None:
    """Terminate workers, so that they write checkpoints; kill those that take too long."""
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
    """Start the resource tracker of multiprocessing if it is not running.

    It must run before interrupts are blocked, as starting it unblocks them.
    """
    if sys.platform != "win32":
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block interrupts in processes started in this block; their parent ends them.

    The signal mask is inherited. In this process another thread could still receive the signal,
    between the start of a process and its first task, so here the interrupt is also postponed.
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
    """Whether this worker runs a task; a global, as signal handlers take no argument."""

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
            os._exit(1)  # The parent has ended.

    try:
        try:
            prepare, function = connection.recv()
            prepare()
        except EOFError:
            return
        except Exception as error:
            send("unfit", _format_on_one_line(error))
            return
        send("ready")
        with suppress(EOFError):
            while True:
                _run_and_send(function, connection.recv(), send)
    except KeyboardInterrupt:
        _end_by_signal()


def _run_and_send(function: Callable[[T, Report], R], task: T, send: Callable[..., None]) -> None:
    """Run a task, and send its result or exception."""
    try:
        send("done", run_task(function, task, lambda *progress: send("progress", progress)))
    except MemoryError:
        send("done", Lost("ran out of memory", killed=True))
    except Exception as error:
        error.add_note(f"in a worker process:\n{traceback.format_exc()}")
        try:
            send("raised", error)
        except Exception:  # The exception cannot be pickled.
            send("raised", RuntimeError(traceback.format_exc()))


def run_task(function: Callable[[T, Report], R], task: T, report: Report) -> R:
    """Run a function in this worker; SIGTERM ends the worker after the function has cleaned up."""
    _Work.running = True
    try:
        return function(task, report)
    except KeyboardInterrupt:
        _end_by_signal()
        raise
    finally:
        _Work.running = False


def _format_on_one_line(error: BaseException) -> str:
    message = next(iter(str(error).splitlines()), "")
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def prepare_process() -> None:
    """Set this process up as a worker: it ends silently with SIGTERM, or with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _handle_sigterm)
    sys.unraisablehook = _handle_unraisable
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this worker with its parent; workers of a killed build would otherwise wait forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _handle_sigterm(number: int, frame: FrameType | None) -> None:
    # A second SIGTERM must not interrupt saving.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if not _Work.running:
        _end_by_signal()
    raise KeyboardInterrupt


def _end_by_signal() -> None:
    """End this process with the signal's default action, so that its parent sees the cause."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    signal.raise_signal(signal.SIGTERM)
    os._exit(1)


def _handle_unraisable(lost: sys.UnraisableHookArgs) -> None:
    """End this worker silently on an interrupt in code that cannot raise."""
    if lost.exc_type is KeyboardInterrupt:
        _end_by_signal()
    sys.__unraisablehook__(lost)
