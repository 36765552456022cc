"""Keeping a C library, which would write to standard error by itself, from doing so."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

_ONE_AT_A_TIME = threading.Lock()


@contextlib.contextmanager
def quiet_libraries() -> Iterator[None]:
    """Send what is written to file descriptor 2 nowhere, meanwhile.

    What other threads write to standard error in this time is lost, too, so keep it short.
    """
    with _ONE_AT_A_TIME, contextlib.ExitStack() as restored:
        with contextlib.suppress(OSError):  # closed: nothing is seen anyway
            kept = os.dup(2)
            restored.callback(os.close, kept)
            restored.callback(os.dup2, kept, 2)
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), 2)
        yield
