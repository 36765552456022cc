"""Read level files: :func:`load` reads any format, :func:`parts` names the levels of a file."""

from bake.levels.formats import (
    LDTK_SUFFIX,
    LOSSY_SUFFIXES,
    SUFFIXES,
    TILED_SUFFIXES,
    load,
    parts,
)
from bake.levels.reading.editors import LdtkReading, TiledReading

__all__ = [
    "LDTK_SUFFIX",
    "LOSSY_SUFFIXES",
    "SUFFIXES",
    "TILED_SUFFIXES",
    "LdtkReading",
    "TiledReading",
    "load",
    "parts",
]
