"""Measure the time and the peak memory of other processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# A process inherits the peak of its parent, so a bare interpreter starts it.
_LAUNCH = """
import json, os, sys, time
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
begun = time.perf_counter()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - begun
print(json.dumps([os.waitstatus_to_exitcode(status), seconds, usage.ru_maxrss]))
"""


@dataclass(frozen=True)
class Usage:
    """The cost of a process: seconds of wall time, and its peak resident set in bytes."""

    seconds: float
    peak: int


def bake_command() -> str | None:
    """Return the path of the installed `bake` command; None if it is not installed."""
    for name in ("bake", "bake.exe"):
        file = Path(sysconfig.get_path("scripts")) / name
        if file.exists():
            return str(file)
    return None


def can_measure_memory() -> bool:
    """Return whether this system reports the peak memory of a process."""
    return hasattr(os, "wait4") and hasattr(os, "posix_spawn")


def run(command: Sequence[str], extra: Mapping[str, str] | None = None) -> float:
    """Return the seconds that a command takes; it must succeed.

    Args:
        command: program and arguments.
        extra: environment variables to set.
    """
    begun = time.perf_counter()
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment(extra), check=False
    )
    seconds = time.perf_counter() - begun
    assert done.returncode == 0, f"{' '.join(command[1:])}: {done.stderr.strip()}"
    return seconds


def run_measured(command: Sequence[str]) -> Usage:
    """Run a command, which must succeed, and return its time and peak memory."""
    bare = [sys.executable, "-I", "-S", "-c", _LAUNCH]
    done = subprocess.run([*bare, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr.strip()
    code, seconds, peak = json.loads(done.stdout)
    assert code == 0, f"{' '.join(command[1:])}: {done.stderr.strip()}"
    return Usage(seconds, peak if sys.platform == "darwin" else peak * 1024)


def python_says(program: str) -> float:
    """Run a short program in a new interpreter, and return the number that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env=environment(),
    )
    return float(done.stdout)


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return this process's environment with variables set and only the package's compiler cache.

    Bytecode is kept, as where Python was installed to be used.
    """
    unwanted = ("NUMBA_CACHE_DIR", "PYTHONDONTWRITEBYTECODE")
    result = {key: value for key, value in os.environ.items() if key not in unwanted}
    result.update(extra or {})
    return result
