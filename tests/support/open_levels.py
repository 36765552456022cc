"""Small levels drawn as text, baked once in a process and opened."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bake.play import LevelAsset, Navigator, open_asset
from tests.support.baked import bake_grid, rows

#: The tables that agents need; the rest only takes time to bake.
TABLES = ("components", "next_hops")


#: The assets of levels that were drawn before, by what they were drawn and baked by.
_BAKED: dict[object, bytes] = {}


@contextmanager
def drawn_level(
    folder: Path, *lines: str, hex_layout: str | None = None, **settings: object
) -> Iterator[tuple[LevelAsset, Navigator]]:
    """A level drawn with LETTERS, and its only profile."""
    settings.setdefault("tables", TABLES)
    key, asset = (lines, hex_layout, repr(settings)), folder / "drawn.h5"
    if key not in _BAKED:
        _BAKED[key] = bake_grid(folder, rows(*lines), hex_layout, **settings).read_bytes()
    asset.write_bytes(_BAKED[key])
    with open_asset(asset) as level:
        yield level, level.profile()
