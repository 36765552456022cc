"""Find the sources of the reader in JavaScript: beside the package in a clone, else inside it."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def reader_sources() -> Path:
    """Return the folder of the reader's sources, which may be absent."""
    return (_PACKAGE.parent if _is_clone() else _PACKAGE) / "readers" / "js"


def _is_clone() -> bool:
    """Tell whether the package lies in a clone; ``site-packages`` may hold any other `readers`."""
    return (_PACKAGE.parent / "distribution" / "backend.py").is_file()
