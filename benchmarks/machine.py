"""Describe the machine and the commit of a measurement."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import cache
from importlib.metadata import version
from pathlib import Path

from bake.core.processors import processors

ROOT = Path(__file__).resolve().parents[1]

#: Files that a run writes itself, which do not count as changes of the project.
_WRITTEN = ("benchmarks/RESULTS.md", "docs/growth.png")


@cache
def machine() -> str:
    """Return the processor, cores and versions in one line, without the machine's name."""
    parts = [f"{_processor()}, {processors()} cores", f"Python {platform.python_version()}"]
    parts += [f"{name} {version(name)}" for name in ("numpy", "numba", "scipy", "h5py")]
    return "; ".join([parts[0], ", ".join(parts[1:])])


@cache
def commit() -> str:
    """Return the measured commit, and whether files differ from it."""
    try:
        head = _git("rev-parse", "--short=12", "HEAD").strip()
        changed = _git("status", "--porcelain", "--", ".", *(f":!{path}" for path in _WRITTEN))
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{head}, with changes" if changed.strip() else head


def busy() -> str | None:
    """Return a warning if other programs use the processor; None if not, or if unknown."""
    try:
        load = os.getloadavg()[0]
    except (AttributeError, OSError):
        return None
    return f"load {load:.1f} on {processors()} cores" if load > processors() / 2 else None


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()
