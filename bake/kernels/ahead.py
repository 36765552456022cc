"""Compile what a long task needs before it begins, in as many processes as there are processors.

The task is rehearsed on something tiny. Its kernels run as plain Python then, and what each of them
is called with says what code has to be there. Whatever is missed is compiled when it is called.
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

from bake.kernels.cache import Turn, cache_folder
from bake.kernels.jit import Kernel, load_numba, noted
from bake.kernels.trust import make_folder
from bake.processors import processors

#: Called with what is being done, and the fraction of it that is done.
Report = Callable[[str, float], None]

#: What runs in each process. A module in the folder that it starts in hides none of its own.
_COMPILER = (sys.executable, "-P", "-m", __name__)


def compile_ahead(rehearse: Callable[[], object], report: Report) -> str:
    """Compile what a task needs; other processes that want to do so wait, and then find it.

    Args:
        rehearse: does the task on something tiny, in this process.
        report: called with how many kernels are to be compiled, and the fraction that is.

    Returns:
        The number of kernels that were compiled, or why none were, in a sentence; empty where all
        were there.
    """
    if not _can_keep():
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


def _can_keep() -> bool:
    try:
        make_folder(cache_folder())
        with tempfile.TemporaryFile(dir=cache_folder()):
            return True
    except OSError:
        return False


class _Crew:
    """Processes that compile; a thread for each hands it one kernel after another."""

    def __init__(self, size: int) -> None:
        #: An order, in which the least is first; which of equals; what to compile, empty = no more.
        self._tasks: queue.PriorityQueue[tuple[int, int, bytes]] = queue.PriorityQueue()
        self._news: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._noted: set[bytes] = set()
        self._asked: set[Kernel] = set()
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
        """Have code compiled that a call needs; the longest of what is left goes first."""
        if kernel not in self._asked:
            self._asked.add(kernel)
            kernel.look_again()
        if kernel.in_cache:
            return
        name = kernel.function.__module__, kernel.function.__qualname__
        task = json.dumps([*name, *map(_kind, args)]).encode() + b"\n"
        if task not in self._noted:
            self._noted.add(task)
            self._tasks.put((-_size(kernel), len(self._noted), task))

    def finish(self, report: Report) -> str:
        """Wait until all is compiled, or no process is left."""
        self._dismiss(1)
        done, total, busy = 0, len(self._noted), len(self._processes)
        what = f"{total} kernel{'s'[: total - 1]}, once, on {busy} processor{'s'[: busy - 1]}"
        while busy:
            if total:
                report(f"compiling {what}", done / total)
            if self._news.get():
                done += 1
            else:
                busy -= 1
        for kernel in self._asked:
            kernel.look_again()
        return f"compiled {what}" if done else ""

    def end(self) -> None:
        """End all processes, whatever they are doing."""
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
                self._news.put(True)
        self._news.put(False)


@functools.cache
def _size(kernel: Kernel) -> int:
    """Return how much bytecode lies in a kernel and those that it calls."""
    code, names = kernel.function.__code__, kernel.function.__globals__
    called = [found for name in code.co_names if isinstance(found := names.get(name), Kernel)]
    return len(code.co_code) + sum(_size(each) for each in called if each is not kernel)


def _kind(value: Any) -> list[Any]:
    """Return what a kernel is compiled for, in JSON, given an argument of that kind."""
    if isinstance(value, np.ndarray):
        flags = value.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return ["array", value.dtype.str, value.ndim, layout, flags.writeable]
    if isinstance(value, tuple):
        return ["tuple", type(value).__module__, type(value).__qualname__, *map(_kind, value)]
    return ["none"] if value is None else ["number", np.dtype(type(value)).str]


def _example(kind: str, *more: Any) -> Any:
    """Return an argument of a kind."""
    if kind == "none":
        return None
    if kind == "number":
        return np.dtype(more[0]).type(0)
    if kind == "tuple":
        made = getattr(importlib.import_module(more[0]), more[1])
        parts = (_example(*part) for part in more[2:])
        return tuple(parts) if made is tuple else made(*parts)
    dtype, dimensions, layout, writeable = more
    shape = (2,) * dimensions
    array = np.empty(shape, dtype, "C" if layout == "A" else layout)
    if layout == "A":
        array = np.empty((*shape, 2), dtype)[..., 0]
    array.flags.writeable = writeable
    return array


def _compile() -> None:
    """Compile what comes on standard input, and answer with a byte for each; end with the input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    given: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(given,), daemon=True).start()
    load_numba()
    typeof = importlib.import_module("numba").typeof
    while True:
        module, name, *kinds = json.loads(given.get())
        with suppress(Exception):  # Whoever calls the kernel is told.
            args = (typeof(_example(*kind)) for kind in kinds)
            getattr(importlib.import_module(module), name).compile(tuple(args))
        for turn in [*Turn.held]:  # What could not be compiled would make others wait for ever.
            turn.leave()
        os.write(1, b".")


def _listen(given: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        given.put(line)
    os._exit(0)  # The parent has ended, or does without.


if __name__ == "__main__":
    _compile()
