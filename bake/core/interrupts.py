"""Handlers of Ctrl-C and of a worker's end: delay them, stop a loop, or end the process."""

from __future__ import annotations

import queue
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

#: The signals whose handlers may raise an exception: Ctrl-C, and the termination of a worker.
INTERRUPTS = (signal.SIGINT, signal.SIGTERM)


class StopFlag:
    """An event that a signal handler may set.

    The lock of :class:`threading.Event` may be held by the very code that the handler interrupts.
    """

    def __init__(self) -> None:
        """Create a flag that is not set."""
        self._is_set = False
        self._wake_ups: queue.SimpleQueue[None] = queue.SimpleQueue()

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        """Set the flag, and wake up all threads that wait for it."""
        self._is_set = True
        self._wake_ups.put(None)

    def wait(self, timeout: float) -> bool:
        """Wait at most ``timeout`` seconds for the flag, and return whether it is set."""
        if not self._is_set:
            with suppress(queue.Empty):
                self._wake_ups.get(timeout=timeout)
                self._wake_ups.put(None)  # for the next thread that waits
        return self._is_set


class _Accepted:
    """Whether the last interrupt stopped a loop, so that the command succeeds."""

    value = False


def interrupt_was_accepted() -> bool:
    """Return whether the last Ctrl-C stopped a loop under :func:`interrupts_stop`."""
    return _Accepted.value


@contextmanager
def interrupts_stop(stop: Callable[[], bool]) -> Iterator[None]:
    """Call ``stop`` at Ctrl-C; raise `KeyboardInterrupt` only where it returns False.

    A loop that Ctrl-C is meant to end cannot rely on the exception: Python prints and drops an
    exception that is raised in a finalizer or in the callback of a weak reference.

    Args:
        stop: makes the loop end soon and returns True, or returns False. It runs in a signal
            handler, so it may not wait for a lock.
    """
    raises = signal.getsignal(signal.SIGINT)
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or not callable(raises):
        yield
        return
    _Accepted.value = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        _Accepted.value = stop()
        if not _Accepted.value:
            raises(number, frame)

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, raises)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Postpone interrupts while this block runs; they are raised at its end."""
    pending: list[int] = []
    # Only the main thread runs handlers. A signal without a Python handler raises nothing.
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {
            interrupt: handler
            for interrupt in INTERRUPTS
            if callable(handler := signal.getsignal(interrupt))
        }
    for interrupt in handlers:
        signal.signal(interrupt, lambda number, frame: pending.append(number))
    try:
        yield
    finally:
        for interrupt, handler in handlers.items():
            signal.signal(interrupt, handler)
        for number in dict.fromkeys(pending):
            signal.raise_signal(number)


@contextmanager
def interrupts_end() -> Iterator[None]:
    """Exit at once and silently on Ctrl-C while this block runs.

    For the start of a command, when there is nothing to report yet.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
