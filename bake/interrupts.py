"""Decide what interrupts do: wait, where code cannot be left in the middle, or end the process."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

#: The signals whose handlers may raise an exception: Ctrl-C, and the end of a worker.
INTERRUPTS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold interrupts back while this block runs; those that came are raised at its end."""
    came: list[int] = []
    # Only the main thread runs handlers. A signal without a handler in Python raises nothing.
    held = {}
    if threading.current_thread() is threading.main_thread():
        held = {each: handler for each in INTERRUPTS if callable(handler := signal.getsignal(each))}
    for each in held:
        signal.signal(each, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        for each, handler in held.items():
            signal.signal(each, handler)
        for number in dict.fromkeys(came):
            signal.raise_signal(number)


@contextmanager
def interrupts_end() -> Iterator[None]:
    """Let Ctrl-C end this process at once and in silence while this block runs.

    That is for a start, of which nothing is worth telling.
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
