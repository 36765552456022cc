"""Find, compile and call the reader in C, ``readers/c``, as a library.

Nothing is compiled unless somebody asks for it: a game's process is no place for a compiler. The
library lies beside compiled kernels, in a folder that is named after a digest of what the reader
can read, or where ``BAKE_NATIVE`` says. ``BAKE_NATIVE=off`` leaves it alone.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from bake.errors import OutputError
from bake.flat.schema import FLAT_VERSION
from bake.reader_sources import reader_sources

#: Where the sources lie.
SOURCES = reader_sources("c")

_NAMES = {"win32": "levelbake.dll", "darwin": "liblevelbake.dylib"}
_NODE = ctypes.c_int32
_NODES = ctypes.POINTER(ctypes.c_int32)
_MEMORY = ctypes.c_void_p

#: What each function takes and returns.
_SIGNATURES: dict[str, tuple[object, Sequence[object]]] = {
    "lb_open": (ctypes.c_int, (_MEMORY, _MEMORY, ctypes.c_size_t)),
    "lb_profile": (ctypes.c_int, (_MEMORY, ctypes.c_char_p, _MEMORY)),
    "lb_next_hop": (_NODE, (_MEMORY, _NODE, _NODE)),
    "lb_next_hops": (None, (_MEMORY, _MEMORY, _MEMORY, _MEMORY, ctypes.c_size_t)),
    "lb_path": (ctypes.c_size_t, (_MEMORY, _NODE, _NODE, _MEMORY, ctypes.c_size_t)),
    "lb_paths": (
        None,
        (_MEMORY, _MEMORY, _MEMORY, _MEMORY, ctypes.c_size_t, _MEMORY, ctypes.c_size_t),
    ),
    "lb_distance": (ctypes.c_double, (_MEMORY, _NODE, _NODE)),
    "lb_changes_size": (ctypes.c_size_t, (_MEMORY, _NODE)),
    "lb_changes_open": (ctypes.c_int, (_MEMORY, _MEMORY, _NODE, _MEMORY, ctypes.c_size_t)),
    "lb_follow": (ctypes.c_int, (_MEMORY, _MEMORY)),
    "lb_set_blocked": (ctypes.c_int, (_MEMORY, _NODE)),
    "lb_set_open": (ctypes.c_int, (_MEMORY, _NODE)),
    "lb_set_terrain": (ctypes.c_int, (_MEMORY, _NODE, _NODE)),
    "lb_set_baked": (None, (_MEMORY,)),
    "lb_set_price": (ctypes.c_int, (_MEMORY, _NODE, _NODE, ctypes.c_double)),
}


@cache
def library() -> ctypes.CDLL | None:
    """Return the reader in C, if it was compiled; None where it was not, or cannot be loaded."""
    chosen = os.environ.get("BAKE_NATIVE")
    if chosen == "off":
        return None
    path = Path(chosen) if chosen else library_place()
    if not path.is_file():
        return None
    try:
        found = ctypes.CDLL(str(path))
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(found, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError):
        return None
    return found


def size_of(what: str) -> int:
    """Return the bytes of one of the reader's structures: level, nav or changes."""
    found = library()
    assert found is not None
    return ctypes.c_size_t.in_dll(found, f"lb_size_of_{what}").value


def library_place() -> Path:
    """Return where the library lies after it was compiled."""
    from bake.kernels.cache import cache_folder

    name = _NAMES.get(sys.platform, "liblevelbake.so")
    return cache_folder() / f"native-{FLAT_VERSION}" / name


def compile_library(sources: Path = SOURCES, place: Path | None = None) -> Path:
    """Compile the reader, and return where the library lies.

    Args:
        sources: a folder with ``levelbake.c`` and the headers.
        place: where the library goes; None = where :func:`library` looks for it.

    Raises:
        OutputError: there are no sources or no compiler, the compiler fails, or the library cannot
            be written.
    """
    source = sources / "levelbake.c"
    if not source.is_file():
        raise OutputError(
            "there are no sources of the reader in C",
            file=source,
            remedy="name the folder readers/c of a clone",
        )
    compiler = next(
        filter(None, map(shutil.which, (os.environ.get("CC", "cc"), "gcc", "clang"))), None
    )
    if compiler is None:
        raise OutputError("there is no C compiler", remedy="install one, or name it by CC")
    place = library_place() if place is None else place
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent, suffix=place.suffix)
        os.close(handle)
        made = Path(name)
        try:
            command = [compiler, "-O2", "-std=c99", "-shared", "-fPIC", "-o", name, str(source)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                first = next(iter(done.stderr.splitlines()), f"exit code {done.returncode}")
                raise OutputError(f"{compiler} fails: {first}", file=source)
            made.chmod(0o755)
            made.replace(place)
        finally:
            with contextlib.suppress(FileNotFoundError):
                made.unlink()
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror or error}", file=place) from None
    library.cache_clear()
    return place
