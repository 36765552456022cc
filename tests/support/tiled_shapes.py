"""Maps of Tiled with shapes over a floor, and what reading them gives."""

from pathlib import Path

from bake.core.level import GridLevel
from tests.support.levels import named
from tests.support.tiled_maps import layer, objects, read, tmx, write

FLOORS = [[1] * 6 for _ in range(5)]


def drawn(level: GridLevel, terrain: str = "wall") -> set[tuple[int, int]]:
    """The cells of one terrain."""
    return {
        (x, y)
        for y, row in enumerate(named(level))
        for x, name in enumerate(row)
        if name == terrain
    }


def over_floors(folder: Path, *items: str, name: str = "Things", **reading: object) -> GridLevel:
    """Objects on a map of 6 x 5 tiles of 16 pixels."""
    text = tmx(layer(FLOORS), objects(*items, name=name), width=6, height=5)
    return read(write(folder, text), **reading)


def remarks(level: GridLevel) -> list[str]:
    """Return the remarks on what was drawn; every map of these tests uses a class, too."""
    drawn = (each for each in level.remarks if each.rule == "ignored")
    return [f"{each.place}: {each.message}" for each in drawn]
