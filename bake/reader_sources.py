"""Find the sources of readers in other languages: beside the package in a clone, else inside it."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def reader_sources(language: str) -> Path:
    """Return the folder of a reader's sources, which may be absent.

    Args:
        language: the reader's folder: "c" or "js".
    """
    clone = _PACKAGE.parent / "readers" / language
    return clone if _is_clone() else _PACKAGE / "readers" / language


def _is_clone() -> bool:
    """Tell whether the package lies in a clone; ``site-packages`` may hold any other `readers`."""
    return (_PACKAGE.parent / "distribution" / "backend.py").is_file()
