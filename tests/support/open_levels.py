"""Small levels drawn as text, baked once in a folder and opened."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bake.play import LevelAsset, Navigator, open_asset
from tests.support.baked import bake_grid, rows

#: The tables that agents need; the rest only takes time to bake.
TABLES = ("components", "next_hops")


@contextmanager
def drawn_level(
    folder: Path, *lines: str, hex_layout: str | None = None, **settings: object
) -> Iterator[tuple[LevelAsset, Navigator]]:
    """A level drawn with LETTERS, and its only profile."""
    settings.setdefault("tables", TABLES)
    asset = bake_grid(folder, rows(*lines), hex_layout, **settings)
    with open_asset(asset) as level:
        yield level, level.profile()
