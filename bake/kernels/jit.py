"""How kernels are compiled: numba, without the interpreter lock, cached on disk.

A game may go without numba: kernels are plain functions then, slower but right.

numba's cache notices a changed file but not a changed function or constant in another file, so the
cache folder is named after the sources of every kernel.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

numba: Any
try:
    import numba
except ImportError:
    numba = None

P = ParamSpec("P")
R = TypeVar("R")

#: Whether kernels are compiled. Where not, an array operation beats them if there is one.
COMPILED = numba is not None


def cache_folder() -> Path:
    """Where compiled kernels of exactly these sources are kept; `BAKE_CACHE_DIR` overrides."""
    digest = hashlib.sha256()
    package = Path(__file__).parents[1]
    for room in ("kernels", "search", "verify"):
        for source in sorted((package / room).rglob("*.py")):
            name = source.relative_to(package).as_posix()
            digest.update(name.encode() + b"\0" + source.read_bytes() + b"\0")
    return _user_cache() / "kernels" / digest.hexdigest()[:16]


def _user_cache() -> Path:
    chosen = os.environ.get("BAKE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "levelbake"


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _use_cache() -> bool:
    if os.environ.get("NUMBA_CACHE_DIR"):
        return True
    folder = cache_folder()
    if not _writable(folder):
        return False
    numba.config.CACHE_DIR = str(folder)
    return True


def _load_without_blas() -> None:
    """Load numba's array code without scipy's linear algebra.

    numba looks for BLAS there when it loads its first kernel, which takes 0.3 s, as long as all the
    rest of starting up; no kernel here multiplies matrices.
    """
    if "scipy.linalg" in sys.modules:
        return
    sys.modules["scipy.linalg"] = None  # type: ignore[assignment]  # imports of it then fail
    try:
        importlib.import_module("numba.np.arraymath")
    except ImportError:
        pass  # laid out otherwise in this version of numba; then it looks for BLAS as ever
    finally:
        del sys.modules["scipy.linalg"]


_CACHE = COMPILED and _use_cache()
if COMPILED:
    _load_without_blas()


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Part of a kernel, written once and copied into each that uses it: a call costs too much."""
    if not COMPILED:
        return function
    return cast("Callable[P, R]", numba.njit(cache=_CACHE, nogil=True, inline="always")(function))


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a plain function over arrays and scalars; it may run in several threads at once."""
    if not COMPILED:
        return function
    return cast("Callable[P, R]", numba.njit(cache=_CACHE, nogil=True)(function))
