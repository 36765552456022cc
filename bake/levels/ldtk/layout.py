"""Where the levels of an asset lie on one grid of cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bake.levels.allowance import most_cells
from bake.levels.ldtk.legend import Legend
from bake.levels.ldtk.model import LayerInstance, TilesetDefinition
from bake.levels.ldtk.project import LoadedLevel, Project, Where

#: The layers terrain can come from; "Entities" is the fourth kind.
TERRAIN_LAYERS = ("IntGrid", "Tiles", "AutoLayer")


@dataclass(frozen=True)
class TerrainLayer:
    """A layer that says what terrain there is.

    Attributes:
        tileset: of its tiles, where they say anything.
    """

    layer: LayerInstance
    where: Where
    tileset: TilesetDefinition | None


@dataclass(frozen=True)
class PlacedLevel:
    """A level on the grid.

    Attributes:
        layers: those with terrain, the topmost first.
        x, y: cell of its top left corner, its floor's rows counted in.
        width, height: cells.
    """

    loaded: LoadedLevel
    layers: tuple[TerrainLayer, ...]
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class Layout:
    """The grid of an asset.

    Attributes:
        cell: its size in pixels.
        width, height: cells of one floor.
        floors: world depths, the lowest first.
    """

    cell: int
    width: int
    height: int
    floors: tuple[int, ...]
    levels: tuple[PlacedLevel, ...]


def lay_out(project: Project, levels: Sequence[LoadedLevel], layout: str, legend: Legend) -> Layout:
    """Place levels side by side as their world has them.

    Args:
        levels: of one world; a single one lies at the origin wherever it lies in the world.
        layout: the world's.

    Raises:
        LevelError: no layer has terrain, sizes or places fit no common grid, levels overlap, or
            there are too many cells.
    """
    layers = [tuple(_terrain_layers(project, each, legend)) for each in levels]
    cell = min((one.layer.grid_size for each in layers for one in each), default=0)
    if not cell:
        levels[0].where.refuse(
            "no layer says what terrain there is",
            "an IntGrid layer, or tiles with enum tags or with an entry in [ldtk.legend]",
            'name tiles in [ldtk.legend], as in "layer:Walls" = "wall"',
        )
    for each in layers:
        for one in each:
            if one.layer.grid_size % cell:
                one.where.refuse(
                    f"a grid of {one.layer.grid_size} px",
                    f"a multiple of {cell} px, the smallest grid of the layers",
                    "leave one of them out with ignore in [ldtk]",
                )
    floors = tuple(sorted({each.level.world_depth for each in levels}))
    corners = list(_corners(levels, layout, cell))
    left, top = min(x for x, _ in corners), min(y for _, y in corners)
    sizes = [(-(-each.level.px_wid // cell), -(-each.level.px_hei // cell)) for each in levels]
    width = max(x - left + w for (x, _), (w, _) in zip(corners, sizes, strict=True))
    height = max(y - top + h for (_, y), (_, h) in zip(corners, sizes, strict=True))
    if width * height * len(floors) > most_cells():
        levels[0].where.refuse(
            f"the levels take {len(floors)} x {width:,} x {height:,} cells",
            f"at most {most_cells():,}",
            'bake them one by one: world = "each" in [ldtk]' if len(levels) > 1 else "split it",
        )
    placed = [
        PlacedLevel(
            loaded, own, x - left, y - top + floors.index(loaded.level.world_depth) * height, w, h
        )
        for loaded, own, (x, y), (w, h) in zip(levels, layers, corners, sizes, strict=True)
    ]
    _check_overlaps(placed, (len(floors) * height, width))
    return Layout(cell, width, height, floors, tuple(placed))


def counts(project: Project, name: str, *, named: bool) -> bool:
    """Whether a layer counts by the recipe; ``named``: whether `layers` has to name it."""
    reading = project.reading
    wanted = not named or reading.layers is None or name in reading.layers
    return wanted and name not in reading.ignore


def _terrain_layers(
    project: Project, loaded: LoadedLevel, legend: Legend
) -> Iterator[TerrainLayer]:
    for layer, where in loaded.layers():
        project.definition(layer, where)
        if layer.type not in (*TERRAIN_LAYERS, "Entities"):
            where.inside("__type").refuse(
                "a layer of an unknown type", " or ".join((*TERRAIN_LAYERS, "Entities"))
            )
        if layer.type == "Entities" or not counts(project, layer.identifier, named=True):
            continue
        tileset = None
        if layer.tileset_def_uid is not None:
            tileset = project.tilesets.get(layer.tileset_def_uid)
            if tileset is None and (layer.grid_tiles or layer.auto_layer_tiles):
                where.inside("__tilesetDefUid").refuse(
                    f"no tileset is defined by {layer.tileset_def_uid}",
                    "the uid of a tileset in defs",
                    "save the project again in LDtk",
                )
            if tileset is not None and not legend.knows_tiles(tileset, layer):
                tileset = None
        if layer.type == "IntGrid" or tileset is not None:
            _check_size(layer, where, loaded)
            yield TerrainLayer(layer, where, tileset)


def _check_size(layer: LayerInstance, where: Where, loaded: LoadedLevel) -> None:
    level = loaded.level
    wanted = (-(-level.px_wid // layer.grid_size), -(-level.px_hei // layer.grid_size))
    if (layer.width, layer.height) != wanted:
        where.refuse(
            f"the layer has {layer.width:,} x {layer.height:,} cells of {layer.grid_size} px",
            f"{wanted[0]:,} x {wanted[1]:,} in a level of {level.px_wid:,} x {level.px_hei:,} px",
            "save the project again in LDtk",
        )
    count = layer.width * layer.height
    if layer.type == "IntGrid" and len(layer.int_grid_csv) != count:
        where.inside("intGridCsv").refuse(
            f"{len(layer.int_grid_csv):,} values",
            f"{count:,}, {layer.width:,} x {layer.height:,}",
            "save the project again in LDtk",
        )


def _corners(levels: Sequence[LoadedLevel], layout: str, cell: int) -> Iterator[tuple[int, int]]:
    """Top left corner of each level in cells, anywhere."""
    along = 0
    for loaded in levels:
        level = loaded.level
        if layout == "LinearHorizontal":
            yield along, 0
            along += -(-level.px_wid // cell)
        elif layout == "LinearVertical":
            yield 0, along
            along += -(-level.px_hei // cell)
        elif len(levels) == 1:
            yield 0, 0
        else:
            if level.world_x % cell or level.world_y % cell:
                loaded.where.refuse(
                    f"the level lies at ({level.world_x}, {level.world_y}) px of its world",
                    f"multiples of {cell} px, the smallest grid of the layers",
                    'move it, or bake levels one by one: world = "each" in [ldtk]',
                )
            yield level.world_x // cell, level.world_y // cell


def _check_overlaps(levels: Sequence[PlacedLevel], shape: tuple[int, int]) -> None:
    """Rows of the grid tell floors apart, so one grid of cells taken serves all."""
    taken = np.zeros(shape, dtype=np.bool_)
    for number, each in enumerate(levels):
        here = taken[each.y : each.y + each.height, each.x : each.x + each.width]
        if here.any():
            other = next(other for other in levels[:number] if _overlap(each, other))
            each.loaded.where.refuse(
                f"the level overlaps {other.loaded.level.identifier}",
                "levels of one depth side by side",
                "move one of them or give it another depth, or bake levels one by one: "
                'world = "each" in [ldtk]',
            )
        here[:] = True


def _overlap(one: PlacedLevel, other: PlacedLevel) -> bool:
    across = one.x < other.x + other.width and other.x < one.x + one.width
    return across and one.y < other.y + other.height and other.y < one.y + one.height
