"""Paint the terrain of shapes: objects, and collision shapes of tiles.

Shapes lie over all tiles of their floor, independent of their layer, since a game collides with
them wherever they are drawn. Collision shapes of tiles are painted first, then objects in the order
of the file; where shapes overlap, the later one wins.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from bake.core.arrays import BoolArray
from bake.core.errors import counted
from bake.core.level import Remark
from bake.core.level import Shape as PlaneShape
from bake.levels.reading.editors import BELOW
from bake.levels.reading.limits import spend_area, spend_work
from bake.levels.reading.mistakes import shown
from bake.levels.reading.terrains import UNKNOWN, VOID
from bake.levels.tiled.canvas import Canvas
from bake.levels.tiled.coverage import Coverage, Lattice, Outline, cover
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.geometry import TILE_BITS, Geometry, Ints
from bake.levels.tiled.layers import Box, Gids, Layer
from bake.levels.tiled.meanings import Legend, TerrainRules, find_kind, find_terrain, is_entity
from bake.levels.tiled.objects import Object, Templates, floor_index, read_shapes
from bake.levels.tiled.outlines import build_outline, collision_outline
from bake.levels.tiled.tilesets import Tile, Tilesets

#: The most single remarks of one kind.
_MOST_REMARKS = 12
#: The most classes of objects that a remark names.
_MOST_KINDS = 4
#: The number of cells per batch.
_AT_ONCE = 2**20


@dataclass(frozen=True)
class Shape:
    """An outline on the map with its terrain, and the object that draws it."""

    terrain: str
    outline: Outline
    drawn_by: Object


@dataclass(frozen=True)
class Stamp:
    """A collision shape of a tile, relative to the cell of the tile."""

    terrain: str
    covers: Coverage
    outline: Outline
    owner: Fields


def _plane_shape(
    terrain: str, outline: Outline, offset: tuple[float, float], floor: int, place: str
) -> PlaneShape:
    ring = np.stack([outline.x + offset[0], outline.y + offset[1]], axis=1)
    return PlaneShape(terrain, (ring,), "nonzero", outline.closed, floor, place)


class Cuts:
    """The steps between cells of the canvas that shapes of one terrain cut."""

    def __init__(self, canvas: Canvas, geometry: Geometry) -> None:
        self.canvas = canvas
        self.geometry = geometry
        self._ends: list[tuple[Ints, Ints, BoolArray]] = []

    def add(
        self, start: tuple[Ints, Ints], end: tuple[Ints, Ints], far: BoolArray, floor: int
    ) -> None:
        """Add cut steps.

        Args:
            start, end: lattice coordinates (u, v) of both cells of each step.
            far: whether the cut is on the side of the end.
            floor: the index of the floor.
        """
        start_cells, has_start = _cells(self.canvas, self.geometry, *start, floor)
        end_cells, has_end = _cells(self.canvas, self.geometry, *end, floor)
        on_map = has_start & has_end
        self._ends.append((start_cells[on_map], end_cells[on_map], far[on_map]))

    def targets(self, code: int) -> Ints:
        """Return the cells to paint: those on the side of the cut of steps between free cells."""
        cells = [np.zeros(0, dtype=np.int64)]
        canvas = self.canvas
        terrain = canvas.terrain.ravel()
        blocking_codes = {code, canvas.names.get(VOID, code)}
        if canvas.empty == VOID:
            blocking_codes.add(UNKNOWN)
        stops = np.zeros(256, dtype=np.bool_)
        stops[list(blocking_codes)] = True
        for start, end, far in self._ends:
            is_free = ~(stops[terrain[start]] | stops[terrain[end]])
            cells.append(np.where(far, end, start)[is_free])
        return np.concatenate(cells)


class ShapePainter:
    """Finds the shapes of a map that have a terrain, and paints them."""

    def __init__(
        self,
        geometry: Geometry,
        tilesets: Tilesets,
        templates: Templates,
        legend: Legend,
        rules: TerrainRules,
        *,
        keeps: bool = False,
    ) -> None:
        self.keeps = keeps  #: whether shapes remain shapes instead of painting cells
        self.geometry = geometry
        self.tilesets = tilesets
        self.templates = templates
        self.legend = legend
        self.rules = rules
        self.shapes: list[Shape] = []  #: shapes of objects, in the order of the file
        self.remarks: list[Remark] = []  #: remarks on objects and shapes without effect
        self._areas_of: dict[tuple[str, int, int], list[Object]] = {}
        self._stamps: dict[int, list[Stamp]] = {}
        self._placed: dict[tuple[int, int], list[tuple[Ints, Ints]]] = {}
        self._unread: dict[str, set[int]] = {}
        self._lost: list[tuple[Fields, str]] = []

    # -- objects ----------------------------------------------------------------------------------

    def find(self, objects: list[Object], layers: list[Layer]) -> None:
        """Add the shapes of objects that have a terrain, and remark on objects without meaning."""
        silent: dict[str, list[Object]] = {}
        used_paths: set[str] = set()
        for obj in objects:
            path = "" if obj.layer is None else obj.layer.path
            if is_entity(obj, self.legend):
                used_paths.add(path)
                continue
            terrain = find_terrain(obj, self.legend, self.rules)
            if terrain == BELOW:
                used_paths.add(path)
                continue
            shapes = list(self._list_shapes(obj, terrain))
            self.shapes += shapes
            if terrain is None and not shapes:
                silent.setdefault(path, []).append(obj)
            else:
                used_paths.add(path)
                if not shapes:
                    self._lost.append((obj.fields, f"it is a {obj.shape}, which covers no cell"))
        for layer in layers:
            if layer.path in silent:
                self._remark_silent(
                    layer, silent.pop(layer.path), alone=layer.path not in used_paths
                )

    def _list_shapes(self, obj: Object, terrain: str | None) -> Iterator[Shape]:
        """Yield the shapes of an object: the collision shapes of its tile, or else its outline."""
        if obj.tile is not None:
            if terrain is None:
                shapes = self._terrain_shapes(obj.tile)
            else:
                shapes = [(terrain, shape) for shape in self._areas(obj.tile)]
            for shape_terrain, shape in shapes:
                shape_outline = collision_outline(obj.tile, shape, obj.flips, self.geometry, obj)
                if shape_outline is not None:
                    yield Shape(shape_terrain, shape_outline, obj)
            if shapes:
                return
        if terrain is not None:
            outline = build_outline(obj, self.geometry)
            if outline is not None:
                yield Shape(terrain, outline, obj)

    def _remark_silent(self, layer: Layer, silent: list[Object], *, alone: bool) -> None:
        """Remark on areas without meaning; if ``alone``, on other objects of the layer as well."""
        kinds = Counter(
            find_kind(obj, self.legend) or obj.name
            for obj in silent
            if alone or obj.shape not in ("point", "tile", "text")
        )
        if not kinds:
            return
        parts = [
            f"{count:,} {f'of class or name {shown(kind)}' if kind else 'without a class'}"
            for kind, count in kinds.most_common(_MOST_KINDS)
        ]
        if len(kinds) > _MOST_KINDS:
            parts.append(
                f"{kinds.total() - sum(n for _, n in kinds.most_common(_MOST_KINDS)):,} more"
            )
        commonest = kinds.most_common(1)[0][0]
        entry = f"object:{commonest}" if commonest else f"layer:{layer.path}"
        self.remarks.append(
            Remark(
                f"layer {shown(layer.path)}",
                f"{'all' if alone else 'some'} of its objects mean nothing, {', '.join(parts)}; "
                f'if they are walls, add {shown(entry)} = "wall" to [tiled.legend], and '
                '"below" for what is none, or add the layer to ignore in [tiled]',
            )
        )

    def boxes(self) -> Iterator[tuple[Box, str]]:
        """Yield the box of cells around each shape of an object, and its place in the file."""
        for shape in self.shapes:
            yield self._box(shape.outline, 1), shape.drawn_by.fields.place

    def _box(self, outline: Outline, margin: int) -> Box:
        """Return the box of cells around an outline."""
        across, down = self.geometry.pitch
        left = math.floor(outline.x.min() / across) - margin
        top = math.floor(outline.y.min() / down) - margin
        right = math.ceil(outline.x.max() / across) + margin
        bottom = math.ceil(outline.y.max() / down) + margin
        return Box(left, top, right - left, bottom - top)

    # -- tiles ------------------------------------------------------------------------------------

    def _areas(self, tile: Tile) -> list[Object]:
        """Return the collision shapes of a tile without points, texts and pictures."""
        key = (tile.tileset.name, tile.tileset.first_gid, tile.number)
        if key not in self._areas_of:
            self._areas_of[key] = [
                shape
                for shape in read_shapes(tile, self.tilesets, self.templates)
                if shape.shape not in ("point", "text", "tile")
            ]
        return self._areas_of[key]

    def _terrain_shapes(self, tile: Tile) -> list[tuple[str, Object]]:
        """Return the collision shapes of a tile that have a terrain, with the terrain."""
        if not tile.shapes or self.legend.look_up_tile(tile.tileset.name, tile.number) is not None:
            return []
        # Without collision entries, shapes are not read, so their mistakes do not matter.
        shapes = self._areas(tile) if self.legend.has_collision else []
        pairs = [(self.legend.collision(shape.class_name, shape.name), shape) for shape in shapes]
        if not self.legend.has_collision or any(terrain is None for terrain, _ in pairs):
            self._unread.setdefault(tile.tileset.name, set()).add(tile.number)
        return [(terrain, shape) for terrain, shape in pairs if terrain not in (None, BELOW)]

    def stamps(self, gid: int) -> list[Stamp]:
        """Return the stamps of the collision shapes of a tile, flipped and rotated by its gid."""
        if gid not in self._stamps:
            stamps: list[Stamp] = []
            self._stamps[gid] = stamps
            tileset = self.tilesets.find(gid)
            if tileset is None:
                return stamps
            tile = tileset[0].tile(tileset[1])
            for terrain, shape in self._terrain_shapes(tile):
                outline = collision_outline(tile, shape, gid & ~TILE_BITS, self.geometry)
                if outline is None:
                    continue
                around = Lattice.around(self.geometry, outline)
                covers = cover(outline, around, shape.fields)
                if covers.is_empty and not self.keeps:
                    self._lost.append((shape.fields, _BETWEEN))
                else:
                    stamps.append(Stamp(terrain, covers, outline, shape.fields))
        return self._stamps[gid]

    def place(self, kinds: Gids, slots: Ints, first: tuple[int, int], floor: int) -> None:
        """Record the cells of tiles with collision shapes; the callback of :meth:`Canvas.paint`."""
        shaped = [slot for slot, gid in enumerate(kinds.tolist()) if gid and self.stamps(gid)]
        if not shaped:
            return
        wanted = np.zeros(len(kinds), dtype=np.bool_)
        wanted[shaped] = True
        cell = np.flatnonzero(wanted[slots].ravel())
        kind = slots.ravel()[cell]
        order = np.argsort(kind, kind="stable")
        y, x = np.divmod(cell[order], slots.shape[1])
        ends = np.searchsorted(kind[order], shaped, side="right")
        begin = 0
        for slot, end in zip(shaped, ends.tolist(), strict=True):
            cells = (x[begin:end] + first[0], y[begin:end] + first[1])
            self._placed.setdefault((int(kinds[slot]), floor), []).append(cells)
            begin = end

    # -- shapes of the plane -----------------------------------------------------------------------

    def plane_shapes(self, floors: tuple[int, ...]) -> Iterator[PlaneShape]:
        """Yield all shapes in painting order, in object pixels of an orthogonal map."""
        across, down = self.geometry.pitch
        for (gid, floor), places in self._placed.items():
            for stamp in self.stamps(gid):
                for xs, ys in places:
                    spend_work(stamp.owner.file, len(xs), stamp.owner.place)
                    for x, y in zip(xs.tolist(), ys.tolist(), strict=True):
                        yield _plane_shape(
                            stamp.terrain,
                            stamp.outline,
                            (x * across, y * down),
                            floor,
                            stamp.owner.place,
                        )
        for shape in self.shapes:
            place = shape.drawn_by.fields.place
            floor = floor_index(shape.drawn_by, floors)
            yield _plane_shape(shape.terrain, shape.outline, (0.0, 0.0), floor, place)

    # -- painting ---------------------------------------------------------------------------------

    def paint(self, canvas: Canvas, floors: tuple[int, ...]) -> None:
        """Paint all shapes over the tiles."""
        self._paint_tiles(canvas)
        for terrain, shapes in groupby(self.shapes, key=lambda shape: shape.terrain):
            self._paint_objects(canvas, terrain, shapes, floors)
        self._remark()

    def _paint_tiles(self, canvas: Canvas) -> None:
        by_terrain: dict[str, list[tuple[Stamp, int, Ints, Ints]]] = {}
        for (gid, floor), places in self._placed.items():
            x, y = (np.concatenate(arrays) for arrays in zip(*places, strict=True))
            for stamp in self.stamps(gid):
                by_terrain.setdefault(stamp.terrain, []).append((stamp, floor, x, y))
        for terrain, placed in by_terrain.items():
            code, cuts = canvas.code(terrain), Cuts(canvas, self.geometry)
            for stamp, floor, x, y in placed:
                for u, v in self._spread(stamp, stamp.covers.u, stamp.covers.v, x, y):
                    cells, on_map = _cells(canvas, self.geometry, u, v, floor)
                    canvas.terrain.ravel()[cells[on_map]] = code
                covers = stamp.covers
                cut_steps = zip(
                    self._spread(stamp, covers.from_u, covers.from_v, x, y),
                    self._spread(stamp, covers.to_u, covers.to_v, x, y),
                    strict=True,
                )
                for start, end in cut_steps:
                    far = np.resize(covers.far, len(start[0]))
                    spend_area(stamp.owner.file, len(far), stamp.owner.place)
                    cuts.add(start, end, far, floor)
            canvas.terrain.ravel()[cuts.targets(code)] = code

    def _spread(
        self, stamp: Stamp, du: Ints, dv: Ints, x: Ints, y: Ints
    ) -> Iterator[tuple[Ints, Ints]]:
        """Yield the lattice coordinates of offsets (du, dv) from all cells, in batches of cells."""
        if not len(du):
            return
        step = max(1, _AT_ONCE // len(du))
        for first in range(0, len(x), step):
            u, v = self.geometry.points_of(x[first : first + step], y[first : first + step])
            spend_work(stamp.owner.file, len(u) * len(du), stamp.owner.place)
            yield (u[:, None] + du).ravel(), (v[:, None] + dv).ravel()

    def _paint_objects(
        self, canvas: Canvas, terrain: str, shapes: Iterable[Shape], floors: tuple[int, ...]
    ) -> None:
        """Paint consecutive shapes of one terrain."""
        lattice = Lattice.for_box(self.geometry, canvas.whole)
        code, cuts = canvas.code(terrain), Cuts(canvas, self.geometry)
        for shape in shapes:
            owner = shape.drawn_by.fields
            floor = floor_index(shape.drawn_by, floors)
            covers = cover(shape.outline, lattice, owner)
            if covers.is_empty:
                self._remark_lost(shape, canvas.whole)
            cells, _ = _cells(canvas, self.geometry, covers.u, covers.v, floor)
            canvas.terrain.ravel()[cells] = code
            start, end = (covers.from_u, covers.from_v), (covers.to_u, covers.to_v)
            cuts.add(start, end, covers.far, floor)
        canvas.terrain.ravel()[cuts.targets(code)] = code

    def _remark_lost(self, shape: Shape, whole: Box) -> None:
        """Remark on a shape that covers no cell, unless it is a fence along the edge of the map."""
        box = self._box(shape.outline, 0)
        if (
            box.left >= whole.left + whole.width
            or box.top >= whole.top + whole.height
            or box.left + box.width <= whole.left
            or box.top + box.height <= whole.top
        ):
            self._lost.append((shape.drawn_by.fields, _OUTSIDE))
            return
        around = Lattice.around(self.geometry, shape.outline)
        if cover(shape.outline, around, shape.drawn_by.fields).is_empty:
            self._lost.append((shape.drawn_by.fields, _BETWEEN))

    def _remark(self) -> None:
        for name, numbers in self._unread.items():
            count = counted(len(numbers), "tile")
            self.remarks.append(
                Remark(
                    f"tileset {shown(name)}",
                    f'the collision shapes of {count} are ignored; add "collision" = "wall" to '
                    '[tiled.legend], or "collision" = "below" if they should be',
                )
            )
        for owner, message in self._lost[:_MOST_REMARKS]:
            self.remarks.append(Remark(owner.place, message))
        if len(self._lost) > _MOST_REMARKS:
            more = len(self._lost) - _MOST_REMARKS
            self.remarks.append(Remark(None, f"{more:,} more shapes cover no cell"))


_BETWEEN = (
    "the shape covers no cell: it is smaller than a cell and lies between the centers of cells; "
    "make it larger, or move it over the center of a cell"
)
_OUTSIDE = "the shape covers no cell: it lies outside the map"


def _cells(
    canvas: Canvas, geometry: Geometry, u: Ints, v: Ints, floor: int
) -> tuple[Ints, BoolArray]:
    """Return the cells of the canvas at lattice coordinates, and a mask of those on the map."""
    whole = canvas.whole
    x, y = geometry.cells_of(u, v)
    x, y = x - whole.left, y - whole.top
    on_map: BoolArray = (x >= 0) & (x < whole.width) & (y >= 0) & (y < whole.height)
    return (y + floor * whole.height) * whole.width + x, on_map
