"""Compile the kernels of a long task in advance, in one process per processor.

The task is rehearsed on a tiny input. Its kernels run as plain Python meanwhile, and the arguments
of each call determine the code to compile. Kernels that the rehearsal misses are compiled when they
are called.
"""

from __future__ import annotations

import functools
import gc
import importlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from bake.core.kernels.cache import Turn, cache_folder
from bake.core.kernels.jit import Kernel, load_numba, noted
from bake.core.kernels.trust import make_folder
from bake.core.processors import processors

#: Called with a description of the current stage, and the fraction that is done.
Report = Callable[[str, float], None]

#: The command of each compiler process; -P keeps modules of the current folder from shadowing its
#: own.
_COMPILER = (sys.executable, "-P", "-m", __name__)


def compile_ahead(rehearse: Callable[[], object], report: Report) -> str:
    """Compile the kernels of a task; other processes that need them wait for the result.

    Args:
        rehearse: runs the task on a tiny input, in this process.
        report: called with the number of kernels to compile, and the fraction that is done.

    Returns:
        A sentence with the number of kernels compiled, or the reason why none were; empty if all
        were cached.
    """
    if not _can_write_cache():
        return f"compiled code cannot be kept: {cache_folder()} cannot be written"
    turn = Turn(cache_folder() / "ahead.turn")
    report("waiting for the compiler", 0)
    turn.take()
    crew = _Crew(processors())
    try:
        with noted(crew.note):
            rehearse()
        return crew.finish(report)
    finally:
        crew.end()
        turn.leave()


def _can_write_cache() -> bool:
    try:
        make_folder(cache_folder())
        with tempfile.TemporaryFile(dir=cache_folder()):
            return True
    except OSError:
        return False


class _Crew:
    """Compiler processes, each fed by a thread with one kernel after another."""

    def __init__(self, size: int) -> None:
        #: (priority, a number that breaks ties, a kernel to compile or empty = stop); the least is
        #: first.
        self._tasks: queue.PriorityQueue[tuple[int, int, bytes]] = queue.PriorityQueue()
        self._events: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._queued: set[bytes] = set()
        self._seen_kernels: set[Kernel] = set()
        self._processes = [
            subprocess.Popen(
                _COMPILER,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            for _ in range(size)
        ]
        for process in self._processes:
            threading.Thread(target=self._feed, args=(process,), daemon=True).start()

    def note(self, kernel: Kernel, args: tuple[Any, ...]) -> None:
        """Queue the code that a call needs; the largest kernels are compiled first."""
        if kernel not in self._seen_kernels:
            self._seen_kernels.add(kernel)
            kernel.refresh_cache()
        if kernel.in_cache:
            return
        name = kernel.function.__module__, kernel.function.__qualname__
        task = json.dumps([*name, *map(_kind, args)]).encode() + b"\n"
        if task not in self._queued:
            self._queued.add(task)
            self._tasks.put((-_size(kernel), len(self._queued), task))

    def finish(self, report: Report) -> str:
        """Wait until everything is compiled, or no process is left."""
        self._dismiss(1)
        done, total, busy = 0, len(self._queued), len(self._processes)
        what = f"{total} kernel{'s'[: total - 1]}, once, on {busy} processor{'s'[: busy - 1]}"
        while busy:
            if total:
                report(f"compiling {what}", done / total)
            if self._events.get():
                done += 1
            else:
                busy -= 1
        for kernel in self._seen_kernels:
            kernel.refresh_cache()
        return f"compiled {what}" if done else ""

    def end(self) -> None:
        """Kill all processes."""
        self._dismiss(-sys.maxsize)
        for process in self._processes:
            process.kill()
            with suppress(OSError), process:
                pass

    def _dismiss(self, order: int) -> None:
        for number in range(len(self._processes)):
            self._tasks.put((order, number, b""))

    def _feed(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(OSError, ValueError):
            while task := self._tasks.get()[2]:
                process.stdin.write(task)
                process.stdin.flush()
                if not process.stdout.read(1):
                    break
                self._events.put(True)
        self._events.put(False)


@functools.cache
def _size(kernel: Kernel) -> int:
    """Return the size of the bytecode of a kernel and of the kernels it calls."""
    code, names = kernel.function.__code__, kernel.function.__globals__
    called = [value for name in code.co_names if isinstance(value := names.get(name), Kernel)]
    return len(code.co_code) + sum(_size(inner) for inner in called if inner is not kernel)


def _kind(value: Any) -> list[Any]:
    """Return the JSON description of the type that a kernel is compiled for, given an argument."""
    if isinstance(value, np.ndarray):
        flags = value.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return ["array", value.dtype.str, value.ndim, layout, flags.writeable]
    if isinstance(value, tuple):
        return ["tuple", type(value).__module__, type(value).__qualname__, *map(_kind, value)]
    return ["none"] if value is None else ["number", np.dtype(type(value)).str]


def _example(kind: str, *more: Any) -> Any:
    """Return an argument of a described type."""
    if kind == "none":
        return None
    if kind == "number":
        return np.dtype(more[0]).type(0)
    if kind == "tuple":
        kind_of_tuple = getattr(importlib.import_module(more[0]), more[1])
        parts = (_example(*part) for part in more[2:])
        return tuple(parts) if kind_of_tuple is tuple else kind_of_tuple(*parts)
    dtype, dimensions, layout, writeable = more
    shape = (2,) * dimensions
    array = np.empty(shape, dtype, "C" if layout == "A" else layout)
    if layout == "A":
        array = np.empty((*shape, 2), dtype)[..., 0]
    array.flags.writeable = writeable
    return array


def _compile() -> None:
    """Compile each kernel named on standard input, and answer each with one byte."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    load_numba()
    typeof = importlib.import_module("numba").typeof
    while True:
        module, name, *kinds = json.loads(requests.get())
        with suppress(Exception):  # The caller of the kernel gets the error.
            args = (typeof(_example(*kind)) for kind in kinds)
            getattr(importlib.import_module(module), name).compile(tuple(args))
        for lock in [*Turn.held]:  # A failed compilation must not block other processes forever.
            lock.leave()
        os.write(1, b".")


def _listen(requests: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        requests.put(line)
    os._exit(0)  # The parent has ended, or no longer needs this process.


if __name__ == "__main__":
    _compile()
