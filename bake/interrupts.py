"""Keep interrupts from code that cannot be left in the middle."""

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
