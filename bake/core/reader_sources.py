"""Find the sources of the JavaScript reader: beside the package in a clone, else inside it."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def reader_sources() -> Path:
    """Return the folder of the reader's sources, which may be absent."""
    return (_PACKAGE.parent if _is_clone() else _PACKAGE) / "readers" / "js"


def _is_clone() -> bool:
    """Return whether the package is in a clone; ``site-packages`` may contain another `readers`."""
    return (_PACKAGE.parent / "distribution" / "backend.py").is_file()
