"""Ctrl-C ends a command soon, whatever compiled code is in the middle of."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

#: Seconds a command has to end by itself.
PATIENCE = 1.5


@contextmanager
def leaving_when_interrupted(code: int, saying: str) -> Iterator[None]:
    """End this process some time after an interrupt, should it still be there.

    An interrupt is an exception in the main thread, which it meets when it next runs Python: not
    before the kernel it is in returns. Nothing is lost by leaving without it, as files are renamed
    into place when they are whole.

    Args:
        code: to exit with.
        saying: a line for standard error.
    """
    in_main = threading.current_thread() is threading.main_thread()
    # Another handler means that interrupts are for others, as in the background of a shell.
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    told, teller = socket.socketpair()
    with told, teller:
        teller.setblocking(False)
        before = signal.set_wakeup_fd(teller.fileno(), warn_on_full_buffer=False)
        threading.Thread(target=_wait, args=(told, code, saying), daemon=True).start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)


def _wait(told: socket.socket, code: int, saying: str) -> None:
    """Wait for the system to write an interrupt's number, or for the end."""
    try:
        while signal.SIGINT not in (numbers := told.recv(64)):
            if not numbers:
                return
    except OSError:  # the command has ended
        return
    time.sleep(PATIENCE)
    if told.fileno() < 0:
        return
    sys.stderr.write(saying + "\n")
    sys.stderr.flush()
    os._exit(code)
