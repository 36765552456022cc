"""Several levels at once, each in a process of its own that does not outlive this one."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import cast

from bake.errors import BakeError
from bake.pipeline.attempt import Outcome, Report, attempt
from bake.pipeline.sources import Task

#: Seconds a worker has to end by itself; shorter than what a command has that is interrupted.
PATIENCE = 1.0

#: Where a worker process tells how far it is.
_news: Connection | None = None

#: Whether a worker process is baking.
_at_work = False


def attempt_in_processes(
    tasks: Sequence[Task], jobs: int, threads: int, force: bool, report: Report
) -> Iterator[Outcome]:
    """Bake levels, some at once, and yield what became of each as they finish.

    Workers are ended where this one is interrupted, or where no more outcomes are asked for.
    """
    # "spawn" is the one way to start a process that works alike on every system, and with threads.
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    with _relayed(report) as channel:
        pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_join, initargs=(channel,))
        try:
            with _interrupts_held():
                futures = {_submitted(pool, task, threads, force): task for task in tasks}
            for future in as_completed(futures):
                yield _result(future, futures[future])
        except BaseException:
            _end(set(multiprocessing.active_children()) - others)
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _end(workers: Collection[BaseProcess]) -> None:
    """Let workers end by themselves, which leaves checkpoints, but not for long."""
    for worker in workers:
        worker.terminate()
    end, left = time.monotonic() + PATIENCE, {worker.sentinel: worker for worker in workers}
    while left and (gone := wait(list(left), end - time.monotonic())):
        for sentinel in gone:
            del left[cast("int", sentinel)]
    for worker in left.values():
        worker.kill()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Processes started in here never see an interrupt: the one that started them ends them.

    Blocking the signal is for them, who inherit that. This process has other threads to take it,
    and would meet it between starting a process and telling it what it is for, so it waits too.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if not hasattr(signal, "pthread_sigmask") or not in_main:
        yield
        return
    came: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGINT, handler)
    if came and handler is signal.default_int_handler:
        raise KeyboardInterrupt


@contextmanager
def _relayed(report: Report) -> Iterator[Connection]:
    """A channel whose messages are reported.

    Its writers share no lock, which one that is killed could take with it: messages this short are
    written whole.
    """
    # A pipe is at its end when no writer is left: workers that are gone, and then this process.
    receiver, sender = multiprocessing.Pipe(duplex=False)

    def relay() -> None:
        with suppress(EOFError, OSError):
            while True:
                report(*receiver.recv())

    thread = threading.Thread(target=relay, daemon=True)
    thread.start()
    try:
        yield sender
    finally:
        sender.close()
        thread.join()
        receiver.close()


def _join(channel: Connection) -> None:
    """Begin as a worker process."""
    global _news  # noqa: PLW0603 - a pool hands its workers nothing but globals
    _news = channel
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _told_to_end)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Workers of a build that was killed would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _told_to_end(number: int, frame: FrameType | None) -> None:
    # Told again, as a pool does that has lost another worker, it would leave what it is saving.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if not _at_work:
        os._exit(1)
    raise KeyboardInterrupt


def _work(task: Task, threads: int, force: bool) -> Outcome:
    global _at_work  # noqa: PLW0603 - signal handlers are handed nothing but globals
    channel = _news
    assert channel is not None
    try:
        _at_work = True
        return attempt(task, threads, force, lambda *news: channel.send(news))
    except KeyboardInterrupt:
        os._exit(1)
    finally:
        _at_work = False


def _submitted(pool: ProcessPoolExecutor, task: Task, threads: int, force: bool) -> Future[Outcome]:
    """A level handed to the pool; one that failed at once if a worker already died."""
    try:
        return pool.submit(_work, task, threads, force)
    except BrokenProcessPool as error:
        lost: Future[Outcome] = Future()
        lost.set_exception(error)
        return lost


def _result(future: Future[Outcome], task: Task) -> Outcome:
    try:
        return future.result()
    except BrokenProcessPool:
        error = BakeError(
            "the process baking this level, or one beside it, was killed",
            file=task.source,
            remedy="if memory ran out, bake fewer levels at once (--jobs 1)",
        )
        return Outcome(task, "failed", error=error)
