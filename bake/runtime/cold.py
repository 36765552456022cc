"""Answer before anything is compiled, while another process fills the cache of compiled kernels."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

#: What the other process runs: see :mod:`bake.runtime.warm`.
_PROGRAM = "bake.runtime.warm"

#: It begins a little later, so that the first answers have the machine for themselves.
_LATER = """
import runpy, sys, time
time.sleep(0.5)
del sys.argv[0]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


class CacheFiller:
    """A keeper of at most one process that fills the cache, for all open assets."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[Path, None] = {}
        self._seen: set[Path] = set()
        self._child: subprocess.Popen[bytes] | None = None

    def add(self, asset: Path) -> None:
        """Take an asset into account that has been opened."""
        with self._lock:
            if asset not in self._seen:
                self._seen.add(asset)
                self._waiting[asset] = None

    def is_running(self) -> bool:
        """Tell whether the process is at work."""
        child = self._child
        return child is not None and child.poll() is None

    def start(self) -> None:
        """Start the process, unless one is running or every open asset has had its turn."""
        with self._lock:
            if self.is_running():
                return
            if not self._waiting or not (interpreter := _interpreter()):
                return
            assets = [str(each) for each in self._waiting]
            self._waiting.clear()
            try:
                self._child = subprocess.Popen(
                    [interpreter, "-c", _LATER, _PROGRAM, *assets],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, "BAKE_COMPILE": "wait", "PYTHONPATH": _path()},
                    creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
                )
            except OSError:
                self._child = None  # Kernels stay uncompiled; the answers are the same.


def _interpreter() -> str | None:
    """Return the Python that runs this process; None inside another program.

    A game that embeds Python is not to start itself once more.
    """
    name = Path(sys.executable or "").name.lower()
    return sys.executable if name.startswith(("python", "pypy")) else None


def _path() -> str:
    package = str(Path(__file__).resolve().parents[2])
    return os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH", "")]))


_FILLER = CacheFiller()


def answer_uncompiled(asset: Path) -> None:
    """See to it that questions to an asset do not wait for the compiler.

    Kernels that are not in the cache run as plain Python, and a process of low priority is started
    to compile them. The variable ``BAKE_COMPILE`` says otherwise: with "wait" questions do wait,
    and with "never" no process is started.
    """
    from bake.kernels.jit import without_waiting

    how = os.environ.get("BAKE_COMPILE", "")
    if how == "wait":
        return
    _FILLER.add(Path(asset).resolve())
    without_waiting((lambda: None) if how == "never" else _FILLER.start, _FILLER.is_running)
