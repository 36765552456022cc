"""Kernels are loaded by a thread, and no call waits for it."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bake.core.kernels import jit
from bake.core.kernels.heap import push
from tests.support import counted

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.skipif(not jit.COMPILED, reason="numba is not installed")


def shown(cache: Path, *arguments: str) -> list[str]:
    """Return the lines that a program prints, which does not wait for the compiler."""
    done = subprocess.run(
        [sys.executable, "-c", *arguments],
        env={**os.environ, "BAKE_CACHE_DIR": str(cache), "BAKE_COMPILE": ""},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


#: Compiles one kernel for one kind of arguments, so that the cache has it.
FILL = """
import numpy as np
from bake.core.kernels import jit
from bake.core.kernels.heap import push
with jit.waiting():
    push(np.zeros((2, 2), np.int64), 0, 5, 7)
"""

#: Loads kernels behind, and prints what is loaded before and afterwards.
BEHIND = """
import sys, threading
import numpy as np
from bake.core.kernels import jit
from bake.core.kernels.heap import drop_first, push
done = threading.Event()
kernels = [push, drop_first][: int(sys.argv[1])]
jit.load_behind(kernels, done.set)
started = threading.active_count() > 1
for thread in threading.enumerate()[1:]:
    thread.join()
print(started, done.is_set(), jit.loaded(kernels), "numba" in sys.modules)
heap = np.zeros((2, 2), np.int64)
assert push(heap, 0, 5, 7) == 1 and heap[0].tolist() == [5, 7]
print(jit.loaded(kernels))
heap = np.zeros((2, 2), np.float64)
assert push(heap, 0, 5, 7) == 1 and heap[0].tolist() == [5, 7]
print(jit.loaded(kernels))
"""


def test_kernels_are_loaded_behind_if_the_cache_has_all_of_them(tmp_path: Path) -> None:
    counted.python(FILL, tmp_path, BAKE_COMPILE="")
    # Arguments that the cache has no code for run as plain Python, and the kernel is not loaded.
    assert shown(tmp_path, BEHIND, "1") == ["True True True True", "True", "False"]
    assert shown(tmp_path, BEHIND, "2") == ["False False False False", "False", "False"]


#: Asks whether a kernel is ready while a thread imports numba.
WHILE_IMPORTING = """
import sys, threading, types
from bake.core.kernels import jit
from bake.core.kernels.heap import push
begun, over = threading.Event(), threading.Event()
def load_numba():
    sys.modules["numba"] = types.ModuleType("numba")
    begun.set()
    over.wait(60)
    raise ImportError
jit.load_numba = load_numba
jit.load_behind([push], lambda: print("loaded"))
begun.wait(60)
print(jit.ready(push))
over.set()
"""


def test_no_call_waits_for_a_thread_that_imports_numba(tmp_path: Path) -> None:
    counted.python(FILL, tmp_path, BAKE_COMPILE="")
    assert shown(tmp_path, WHILE_IMPORTING) == ["False"]


def test_one_thread_at_a_time_refreshes_a_target() -> None:
    """Generators that numba advances in a refresh cannot be entered by a second thread."""
    with jit.waiting():
        dispatcher = push._load_compiled()
    inside, overlaps = threading.Lock(), []

    class Target:
        def refresh(self) -> None:
            if not inside.acquire(blocking=False):
                overlaps.append(threading.get_ident())
                return
            time.sleep(0.02)
            inside.release()

        def codegen(self) -> object:
            return dispatcher.targetctx.codegen()

    threads = [threading.Thread(target=dispatcher._cache.kept, args=(Target(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert overlaps == []
