"""Read level files: :func:`load` reads any format, :func:`parts` names the levels of a file."""

from bake.levels.formats import (
    LOSSY_SUFFIXES,
    SUFFIXES,
    format_of,
    implied_files,
    is_puzzle,
    load,
    parts,
)
from bake.levels.reading.editors import LdtkReading, TiledReading
from bake.levels.reading.text import TextReading

__all__ = [
    "LOSSY_SUFFIXES",
    "SUFFIXES",
    "LdtkReading",
    "TextReading",
    "TiledReading",
    "format_of",
    "implied_files",
    "is_puzzle",
    "load",
    "parts",
]
