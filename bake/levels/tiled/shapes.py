"""Paint the terrain that is drawn as shapes: objects, and collision shapes of tiles.

Shapes lie over all tiles of their floor, whatever layer they are on, as a game collides with them
wherever they were drawn. Collision shapes of tiles come first, then objects in the order of the
file, and where two overlap the later one counts.
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
from bake.levels.tiled.meanings import Legend, TerrainRules, is_thing, kind_of, terrain_of
from bake.levels.tiled.objects import Object, Templates, floor_place, read_shapes
from bake.levels.tiled.outlines import collision_outline, outline_of
from bake.levels.tiled.tilesets import Tile, Tilesets

#: How many remarks of one kind are made one by one.
_MOST_REMARKS = 12
#: How many classes of objects one remark names.
_MOST_KINDS = 4
#: How many cells are painted at once.
_AT_ONCE = 2**20


@dataclass(frozen=True)
class Shape:
    """An outline that has a terrain, at a place on the map, and the object that draws it."""

    terrain: str
    outline: Outline
    drawn_by: Object


@dataclass(frozen=True)
class Stamp:
    """What one collision shape of a tile does around each cell that the tile lies in."""

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
    """Ways that shapes of one terrain cut, as cells of the canvas."""

    def __init__(self, canvas: Canvas, geometry: Geometry) -> None:
        self.canvas = canvas
        self.geometry = geometry
        self._ends: list[tuple[Ints, Ints, BoolArray]] = []

    def add(
        self, one: tuple[Ints, Ints], other: tuple[Ints, Ints], far: BoolArray, floor: int
    ) -> None:
        """Add the ways between as many lattice points; ``far``: the cut belongs to the other."""
        begin, begins = _cells(self.canvas, self.geometry, *one, floor)
        end, ends = _cells(self.canvas, self.geometry, *other, floor)
        there = begins & ends
        self._ends.append((begin[there], end[there], far[there]))

    def targets(self, code: int) -> Ints:
        """Return the cells that hold the cuts of ways between cells that do not have ``code``."""
        found = [np.zeros(0, dtype=np.int64)]
        canvas = self.canvas
        terrain = canvas.terrain.ravel()
        walled = {code, canvas.names.get(VOID, code)}
        if canvas.empty == VOID:
            walled.add(UNKNOWN)
        stops = np.zeros(256, dtype=np.bool_)
        stops[list(walled)] = True
        for one, other, far in self._ends:
            open_way = ~(stops[terrain[one]] | stops[terrain[other]])
            found.append(np.where(far, other, one)[open_way])
        return np.concatenate(found)


class ShapePainter:
    """Finds the shapes of one map, and paints them.

    Attributes:
        keeps: whether shapes are kept as they are, in place of painting cells.
        shapes: objects that have a terrain, in the order of the file.
        remarks: what was drawn, but does not count.
    """

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
        self.keeps = keeps
        self.geometry = geometry
        self.tilesets = tilesets
        self.templates = templates
        self.legend = legend
        self.rules = rules
        self.shapes: list[Shape] = []
        self.remarks: list[Remark] = []
        self._areas_of: dict[tuple[str, int, int], list[Object]] = {}
        self._stamps: dict[int, list[Stamp]] = {}
        self._placed: dict[tuple[int, int], list[tuple[Ints, Ints]]] = {}
        self._unread: dict[str, set[int]] = {}
        self._lost: list[tuple[Fields, str]] = []

    # -- objects ----------------------------------------------------------------------------------

    def find(self, objects: list[Object], layers: list[Layer]) -> None:
        """Find the objects that have a terrain, and remark on those that mean nothing."""
        silent: dict[str, list[Object]] = {}
        counts: set[str] = set()
        for each in objects:
            path = "" if each.layer is None else each.layer.path
            if is_thing(each, self.legend):
                counts.add(path)
                continue
            terrain = terrain_of(each, self.legend, self.rules)
            if terrain == BELOW:
                counts.add(path)
                continue
            drawn = list(self._drawn(each, terrain))
            self.shapes += drawn
            if terrain is None and not drawn:
                silent.setdefault(path, []).append(each)
            else:
                counts.add(path)
                if not drawn:
                    self._lost.append((each.fields, f"it is a {each.shape}, which covers no cell"))
        for layer in layers:
            if layer.path in silent:
                self._remark_silent(layer, silent.pop(layer.path), alone=layer.path not in counts)

    def _drawn(self, each: Object, terrain: str | None) -> Iterator[Shape]:
        """Yield an object's shapes: its tile's, if it has some, or else its own outline."""
        if each.tile is not None:
            if terrain is None:
                shapes = self._counting(each.tile)
            else:
                shapes = [(terrain, shape) for shape in self._areas(each.tile)]
            for said, shape in shapes:
                drawn = collision_outline(each.tile, shape, each.flips, self.geometry, each)
                if drawn is not None:
                    yield Shape(said, drawn, each)
            if shapes:
                return
        if terrain is not None:
            own = outline_of(each, self.geometry)
            if own is not None:
                yield Shape(terrain, own, each)

    def _remark_silent(self, layer: Layer, silent: list[Object], *, alone: bool) -> None:
        """Remark on objects that mean nothing: areas, and any others where they are alone."""
        kinds = Counter(
            kind_of(each, self.legend) or each.name
            for each in silent
            if alone or each.shape not in ("point", "tile", "text")
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
        """Yield the cells around each shape of an object, and its place in the file."""
        for shape in self.shapes:
            yield self._box(shape.outline, 1), shape.drawn_by.fields.place

    def _box(self, outline: Outline, margin: int) -> Box:
        """Return a box of cells around an outline."""
        across, down = self.geometry.pitch
        left = math.floor(outline.x.min() / across) - margin
        top = math.floor(outline.y.min() / down) - margin
        right = math.ceil(outline.x.max() / across) + margin
        bottom = math.ceil(outline.y.max() / down) + margin
        return Box(left, top, right - left, bottom - top)

    # -- tiles ------------------------------------------------------------------------------------

    def _areas(self, tile: Tile) -> list[Object]:
        """Return the collision shapes of a tile but points, texts and pictures."""
        key = (tile.tileset.name, tile.tileset.first_gid, tile.number)
        if key not in self._areas_of:
            self._areas_of[key] = [
                shape
                for shape in read_shapes(tile, self.tilesets, self.templates)
                if shape.shape not in ("point", "text", "tile")
            ]
        return self._areas_of[key]

    def _counting(self, tile: Tile) -> list[tuple[str, Object]]:
        """Return the collision shapes of a tile that count for themselves, with their terrain."""
        if not tile.shapes or self.legend.range_with(tile.tileset.name, tile.number) is not None:
            return []
        # Shapes that nobody asks for are not read, so no mistake in them stops a level.
        shapes = self._areas(tile) if self.legend.has_collision else []
        said = [(self.legend.collision(each.class_name, each.name), each) for each in shapes]
        if not self.legend.has_collision or any(terrain is None for terrain, _ in said):
            self._unread.setdefault(tile.tileset.name, set()).add(tile.number)
        return [(terrain, each) for terrain, each in said if terrain not in (None, BELOW)]

    def stamps(self, gid: int) -> list[Stamp]:
        """Return what the collision shapes of a tile do; ``gid`` has its flips."""
        if gid not in self._stamps:
            found: list[Stamp] = []
            self._stamps[gid] = found
            tileset = self.tilesets.find(gid)
            if tileset is None:
                return found
            tile = tileset[0].tile(tileset[1])
            for terrain, shape in self._counting(tile):
                outline = collision_outline(tile, shape, gid & ~TILE_BITS, self.geometry)
                if outline is None:
                    continue
                around = Lattice.around(self.geometry, outline)
                covers = cover(outline, around, shape.fields)
                if covers.is_empty and not self.keeps:
                    self._lost.append((shape.fields, _BETWEEN))
                else:
                    found.append(Stamp(terrain, covers, outline, shape.fields))
        return self._stamps[gid]

    def place(self, kinds: Gids, kind_at: Ints, first: tuple[int, int], floor: int) -> None:
        """Note where tiles with collision shapes lie; see :meth:`Canvas.paint`."""
        shaped = [at for at, gid in enumerate(kinds.tolist()) if gid and self.stamps(gid)]
        if not shaped:
            return
        wanted = np.zeros(len(kinds), dtype=np.bool_)
        wanted[shaped] = True
        cell = np.flatnonzero(wanted[kind_at].ravel())
        kind = kind_at.ravel()[cell]
        order = np.argsort(kind, kind="stable")
        y, x = np.divmod(cell[order], kind_at.shape[1])
        ends = np.searchsorted(kind[order], shaped, side="right")
        begin = 0
        for at, end in zip(shaped, ends.tolist(), strict=True):
            where = (x[begin:end] + first[0], y[begin:end] + first[1])
            self._placed.setdefault((int(kinds[at]), floor), []).append(where)
            begin = end

    # -- keeping ----------------------------------------------------------------------------------

    def drawn(self, floors: tuple[int, ...]) -> Iterator[PlaneShape]:
        """Yield all shapes in the order in which they would be painted, in the pixels of objects.

        The map is orthogonal. Floors are places among those of the level.
        """
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
            floor = floor_place(shape.drawn_by, floors)
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
            x, y = (np.concatenate(each) for each in zip(*places, strict=True))
            for stamp in self.stamps(gid):
                by_terrain.setdefault(stamp.terrain, []).append((stamp, floor, x, y))
        for terrain, placed in by_terrain.items():
            code, cuts = canvas.code(terrain), Cuts(canvas, self.geometry)
            for stamp, floor, x, y in placed:
                for u, v in self._spread(stamp, stamp.covers.u, stamp.covers.v, x, y):
                    cells, there = _cells(canvas, self.geometry, u, v, floor)
                    canvas.terrain.ravel()[cells[there]] = code
                covers = stamp.covers
                ways = zip(
                    self._spread(stamp, covers.from_u, covers.from_v, x, y),
                    self._spread(stamp, covers.to_u, covers.to_v, x, y),
                    strict=True,
                )
                for one, other in ways:
                    far = np.resize(covers.far, len(one[0]))
                    spend_area(stamp.owner.file, len(far), stamp.owner.place)
                    cuts.add(one, other, far, floor)
            canvas.terrain.ravel()[cuts.targets(code)] = code

    def _spread(
        self, stamp: Stamp, du: Ints, dv: Ints, x: Ints, y: Ints
    ) -> Iterator[tuple[Ints, Ints]]:
        """Yield lattice points around every cell in turn, some cells at a time."""
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
        """Paint shapes of one terrain that follow one another."""
        lattice = Lattice.of(self.geometry, canvas.whole)
        code, cuts = canvas.code(terrain), Cuts(canvas, self.geometry)
        for shape in shapes:
            owner = shape.drawn_by.fields
            floor = floor_place(shape.drawn_by, floors)
            covers = cover(shape.outline, lattice, owner)
            if covers.is_empty:
                self._remark_lost(shape, canvas.whole)
            cells, _ = _cells(canvas, self.geometry, covers.u, covers.v, floor)
            canvas.terrain.ravel()[cells] = code
            one, other = (covers.from_u, covers.from_v), (covers.to_u, covers.to_v)
            cuts.add(one, other, covers.far, floor)
        canvas.terrain.ravel()[cuts.targets(code)] = code

    def _remark_lost(self, shape: Shape, whole: Box) -> None:
        """Remark on a shape that covers no cell, unless it is a fence along the map's edge."""
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
    "the shape covers no cell: it is smaller than a cell and lies between the middles of cells; "
    "make it larger, or move it over the middle of a cell"
)
_OUTSIDE = "the shape covers no cell: it lies outside the map"


def _cells(
    canvas: Canvas, geometry: Geometry, u: Ints, v: Ints, floor: int
) -> tuple[Ints, BoolArray]:
    """Return the cells of the canvas at lattice points, and which of them are on the map."""
    whole = canvas.whole
    x, y = geometry.cells_of(u, v)
    x, y = x - whole.left, y - whole.top
    there: BoolArray = (x >= 0) & (x < whole.width) & (y >= 0) & (y < whole.height)
    return (y + floor * whole.height) * whole.width + x, there
