"""Read Tiled's maps (.tmx, .tmj), and its worlds of maps (.world), as levels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bake.core.level import GridLevel, Remark, Rules, TerrainRule, Things
from bake.core.level import Shape as PlaneShape
from bake.levels.reading.editors import TiledReading
from bake.levels.reading.limits import check_size, check_terrain_count
from bake.levels.reading.mistakes import refuse, shown
from bake.levels.reading.terrains import VOID, built_in, keep_used
from bake.levels.reading.things import checked, joined, moved
from bake.levels.tiled.canvas import Canvas, Placing, crop
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.geometry import Geometry
from bake.levels.tiled.heights import read_heights
from bake.levels.tiled.layers import Layer, extent, open_layers
from bake.levels.tiled.meanings import Legend, TerrainRules
from bake.levels.tiled.objects import Templates, read_objects
from bake.levels.tiled.shapes import ShapePainter
from bake.levels.tiled.things import ObjectReader
from bake.levels.tiled.tilesets import MapFiles, Tilesets
from bake.levels.tiled.unread import UnreadCollector
from levelbake.places import Coordinates

MAX_MAPS = 10_000
_MAX_PATTERN = 200
#: A repeated group can make one match take arbitrarily long; so can many repeats beside one
#: another, and flags that allow blanks between a group and its repeat.
_REPEATED_GROUP = re.compile(r"\)[*+{?]|\(\?")
_REPEAT = re.compile(r"(?<!\\)[*+?{]")
_MAX_REPEATS = 4
_MAX_NAME = 128


def read_tiled(path: Path, part: str, reading: TiledReading, project: Path | None) -> GridLevel:
    """Read a map, a world of maps as one level, or one map of a world.

    Args:
        path: .tmx, .tmj or .world.
        part: of a world, the map's file name without its extension; "" = all maps as one level.
        reading: the recipe's [tiled].
        project: folder that references must stay in; None = the file's own.

    Raises:
        LevelError: there is a mistake in the file or in one it refers to.
        BakeErrors: there are several mistakes in links, regions, spots and doors.
    """
    if path.suffix.lower() != ".world":
        return read_map(path, reading, project)
    if part:
        return read_member(path, part, reading, project)
    return read_world(path, reading, project)


def world_parts(path: Path, reading: TiledReading) -> tuple[str, ...]:
    """Name the maps of a .world file, each of which becomes a level.

    Raises:
        LevelError: the file is not a world, or two maps have one name.
    """
    # Whether the maps may be read is checked when they are read.
    named = members(path, replace(reading, allow_outside=True), None)
    return tuple(member.path.stem for member in named)


@dataclass(frozen=True)
class MapLevel:
    """A level and where it lies on its map."""

    level: GridLevel
    placing: Placing


def read_map(path: Path, reading: TiledReading, project: Path | None) -> GridLevel:
    """Read a .tmx or .tmj file.

    Args:
        path: the file.
        reading: the recipe's [tiled].
        project: folder its references must stay in; None = the file's own.

    Raises:
        LevelError: there is a mistake in it, or in a file it refers to.
    """
    files = MapFiles(path, project, allow_outside=reading.allow_outside)
    level = open_map(files.open(path, "map"), reading, files).level
    return replace(level, remarks=(*level.remarks, *files.types.remarks()))


def open_map(owner: Fields, reading: TiledReading, files: MapFiles) -> MapLevel:
    """Make the level of an open map."""
    geometry = Geometry.of(owner)
    layers, raising = open_layers(owner, reading)
    tilesets, templates = Tilesets(owner, files), Templates(files)
    legend, rules = Legend(reading.legend), TerrainRules()
    objects = read_objects(layers, tilesets, templates, geometry)
    # Only on orthogonal maps are the pixels of objects those of the plane.
    kept = reading.keep_shapes and geometry.orientation == "orthogonal"
    painter = ShapePainter(geometry, tilesets, templates, legend, rules, keeps=kept)
    painter.find(objects, layers)
    if not (painter.shapes or any(layer.kind == "tilelayer" for layer in layers)):
        owner.refuse(
            "the map has no tile layer that counts, and no object has a terrain",
            "some terrain",
            "see layers and ignore in [tiled]"
            if reading.layers or reading.ignore
            else 'say what its objects are in [tiled.legend], as in "layer:Walls" = "wall"',
        )
    floors = _floors(layers)
    whole = extent(owner, [*layers, *raising], painter.boxes())
    # Every floor is painted whole, before an infinite map is cropped to what it holds.
    check_size(owner.file, whole.width, whole.height * max(1, len(floors)))
    canvas = Canvas(owner, tilesets, geometry, legend, rules, reading.empty)
    canvas.paint(layers, whole, floors, painter.place)
    if not kept:
        painter.paint(canvas, floors)
    box = whole if owner.values.get("infinite") in (None, False, 0, "0") else crop(canvas)
    placing = Placing.of(owner, geometry, box, floors)
    canvas.fill()
    terrain = placing.lay_out(canvas.terrain, whole, canvas.code(VOID))
    barred = placing.lay_out(canvas.barred, whole, 0)
    heights = read_heights(raising, whole, floors, tilesets)
    terrains = keep_used(tuple(canvas.names), terrain)
    check_terrain_count(owner.file, len(terrains), "terrains")
    things = ObjectReader(objects, placing, legend).things()
    unread = UnreadCollector(legend, files.types)
    unread.add_layers([*layers, *raising])
    unread.add_tiles(canvas.tiles.values())
    unread.add_objects(objects)
    hexagonal = geometry.orientation == "hexagonal"
    coordinates = _coordinates(owner, layers, placing)
    level = GridLevel(
        name=owner.file.stem,
        source=owner.file,
        terrain=terrain,
        terrains=terrains,
        hex_layout=geometry.hex_layout(box.left, box.top),
        rules=Rules(connectivity=6 if hexagonal else None),
        barred=barred if barred.any() else None,
        elevation=None if heights is None else placing.lay_out(heights, whole, 0.0),
        floor_height=placing.height if len(floors) > 1 else None,
        things=things,
        coordinates=coordinates,
        depends_on=tuple(files.depends_on),
        hints=canvas.hints,
        remarks=(*painter.remarks, *unread.remarks()),
        unmatched=legend.unmatched,
        shapes=_on_plane(painter.drawn(floors), placing, coordinates) if kept else (),
    )
    # Doors may add terrains.
    level = checked(level)
    return MapLevel(replace(level, terrain_rules=rules.of(level.terrains)), placing)


def _coordinates(owner: Fields, layers: list[Layer], placing: Placing) -> Coordinates:
    """Return where the cells are drawn; those of a floor, where its lowest tile layer is."""
    left, top = placing.origin
    base = placing.geometry.coordinates(left, top, owner.whole("height"))
    offsets = []
    for floor in placing.floors or (None,):
        own = (each for each in layers if each.kind == "tilelayer" and each.floor == floor)
        offsets.append(next((each.offset for each in own), (0.0, 0.0)))
    return base._replace(centres=tuple(_moved(base, *offset).centres[0] for offset in offsets))


def _moved(coordinates: Coordinates, x: float, y: float) -> Coordinates:
    """Return the same cells, elsewhere in the plane."""
    centres = ((each[0] + x, each[1] + y) for each in coordinates.centres)
    return coordinates._replace(centres=tuple(centres))


def _on_plane(
    shapes: Iterable[PlaneShape], placing: Placing, coordinates: Coordinates
) -> tuple[PlaneShape, ...]:
    """Return shapes where their floors are drawn."""
    left, top = placing.origin
    x, y = placing.geometry.coordinates(left, top, 0).centres[0]
    offsets = [(centre[0] - x, centre[1] - y) for centre in coordinates.centres]
    return tuple(shifted(each, *offsets[each.floor]) for each in shapes)


def shifted(shape: PlaneShape, x: float, y: float) -> PlaneShape:
    """Return a shape moved in the plane."""
    return replace(shape, rings=tuple(ring + np.array([x, y]) for ring in shape.rings))


def _floors(layers: list[Layer]) -> tuple[int, ...]:
    """Return the numbers of the floors, lowest first; empty where no group names one."""
    tiles = [layer for layer in layers if layer.kind == "tilelayer"]
    if not tiles:
        tiles = [layer for layer in layers if layer.floor is not None]
    floors = sorted({layer.floor for layer in tiles if layer.floor is not None})
    for layer in tiles:
        if floors and layer.floor is None:
            layer.fields.refuse(
                "the layer lies on no floor, though others do",
                "all tile layers inside groups with a property floor",
                "move it into the group of a floor, or ignore it in [tiled]",
            )
    return tuple(floors)


@dataclass(frozen=True)
class Member:
    """A map of a world: its file, and the pixel its first cell lies at."""

    fields: Fields
    path: Path
    x: float
    y: float


def members(path: Path, reading: TiledReading, project: Path | None) -> list[Member]:
    """List the maps of a world, in the order of the file; those of a pattern by name.

    Args:
        path: the .world file.
        reading: the recipe's [tiled].
        project: folder that references must stay in; None = the file's own.

    Raises:
        LevelError: the file is not a world, has no maps, or has one map twice.
    """
    files = MapFiles(path, project, allow_outside=reading.allow_outside)
    owner = files.open(path, "world")
    found = []
    for item in owner.items("maps"):
        name = item.text("fileName")
        named = item.at(f"map {shown(name)}")
        found.append(
            Member(named, files.refer(named, name), named.number("x", 0), named.number("y", 0))
        )
    for item in owner.items("patterns"):
        found += _matches(item, files)
    if not 0 < len(found) <= MAX_MAPS:
        owner.refuse(f"the world has {len(found):,} maps", f"1 to {MAX_MAPS:,}")
    seen: dict[str, Member] = {}
    for member in found:
        first = seen.setdefault(member.path.stem.casefold(), member)
        if first is not member:
            member.fields.refuse(
                f"the map {shown(member.path.name)} is there twice, or two have one name",
                "each map once, with a name of its own",
            )
    return found


def _matches(item: Fields, files: MapFiles) -> list[Member]:
    """Find the map files a pattern matches; its first two groups are column and row."""
    text = item.text("regexp")
    repeats = len(_REPEAT.findall(text))
    if len(text) > _MAX_PATTERN or repeats > _MAX_REPEATS or _REPEATED_GROUP.search(text):
        item.refuse(
            f"the pattern {shown(text)} is long, or repeats a group, or has many repeats",
            r"a pattern such as map_(\d+)_(\d+)\.tmx",
        )
    try:
        pattern = re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        item.refuse(f"the pattern {shown(text)} is not a regular expression: {error}")
    if pattern.groups < 2:
        item.refuse(
            f"the pattern {shown(text)} has fewer than two groups", "one for x and one for y"
        )
    scale = [item.number(f"multiplier{axis}", 1) for axis in "XY"]
    shift = [item.number(f"offset{axis}", 0) for axis in "XY"]
    found = []
    for path in _map_files(item.file.parent):
        match = pattern.fullmatch(path.name)
        if match is None:
            continue
        named = item.at(f"map {shown(path.name)}")
        at = []
        for axis in range(2):
            digits = match.group(axis + 1) or ""
            if re.fullmatch(r"-?[0-9]{1,9}", digits, re.ASCII) is None:
                named.refuse(
                    f"the pattern finds {shown(digits)} where a coordinate should be",
                    "a whole number",
                )
            at.append(int(digits) * scale[axis] + shift[axis])
        found.append(Member(named, files.refer(named, path.name), at[0], at[1]))
    if not found:
        any_case = re.compile(text, re.IGNORECASE)
        near = [path for path in _map_files(item.file.parent) if any_case.fullmatch(path.name)]
        but = f", but {shown(near[0].name)} is there, which differs in letter case" if near else ""
        item.refuse(f"the pattern {shown(text)} matches no map file{but}", "at least one")
    return found


def _map_files(folder: Path) -> list[Path]:
    """List the map files of a folder, by name."""
    return sorted(
        path
        for path in folder.iterdir()
        if path.suffix.lower() in (".tmx", ".tmj", ".json")
        and len(path.name) <= _MAX_NAME
        and path.is_file()
    )


def read_member(path: Path, part: str, reading: TiledReading, project: Path | None) -> GridLevel:
    """Read one map of a world by itself.

    Raises:
        LevelError: the world has no such map, or there is a mistake in either file.
    """
    found = [each for each in members(path, reading, project) if each.path.stem == part]
    if not found:
        refuse(path, None, f"the world has no map {shown(part)}", "one of its maps")
    files = MapFiles(path, project, allow_outside=reading.allow_outside)
    level = open_map(files.open(found[0].path, "map", found[0].fields), reading, files).level
    return replace(
        level,
        name=part,
        source=path,
        coordinates=level.coordinates and _moved(level.coordinates, found[0].x, found[0].y),
        shapes=tuple(shifted(each, found[0].x, found[0].y) for each in level.shapes),
        depends_on=tuple(files.depends_on),
        remarks=(*level.remarks, *files.types.remarks()),
    )


def read_world(path: Path, reading: TiledReading, project: Path | None) -> GridLevel:
    """Read all maps of a world as one level, with void between them.

    Things are called "MAP/NAME", after the file of their map.

    Raises:
        LevelError: maps overlap, do not lie on one common lattice, or differ in kind; or there is a
            mistake in one of them.
    """
    found = members(path, reading, project)
    files = MapFiles(path, project, allow_outside=reading.allow_outside)
    maps: list[MapLevel] = []
    for member in found:
        root = files.open(member.path, "map", member.fields)
        maps.append(open_map(root, reading, files))
        # Maps may not overlap, so no world has room for more cells than this.
        check_size(path, 1, sum(one.level.terrain.size for one in maps), "all maps")
    corners = [_corner(member, each, maps[0]) for member, each in zip(found, maps, strict=True)]
    left, top = min(x for x, _ in corners), min(y for _, y in corners)
    right = max(x + each.level.width for (x, _), each in zip(corners, maps, strict=True))
    bottom = max(y + each.level.height for (_, y), each in zip(corners, maps, strict=True))
    check_size(path, right - left, bottom - top)

    names: dict[str, int] = {}
    for each in maps:
        for name in each.level.terrains:
            names.setdefault(name, len(names))
    count = sum(each.level.terrain.size for each in maps)
    if count < (right - left) * (bottom - top):
        names.setdefault(VOID, len(names))
    check_terrain_count(path, len(names), "terrains")
    # The number after the last one marks cells that no map has taken yet.
    terrain = np.full((bottom - top, right - left), len(names), dtype=np.uint8)
    barred = np.zeros_like(terrain)
    raised = any(each.level.elevation is not None for each in maps)
    elevation = np.zeros(terrain.shape) if raised else None
    things = Things()
    remarks: list[Remark] = []
    shapes: list[PlaneShape] = []
    for member, one, corner in zip(found, maps, corners, strict=True):
        x, y = corner[0] - left, corner[1] - top
        here = (slice(y, y + one.level.height), slice(x, x + one.level.width))
        if (terrain[here] != len(names)).any():
            member.fields.refuse(
                "the map overlaps another one", "maps beside one another", "move it in Tiled"
            )
        codes = np.array([names[name] for name in one.level.terrains], dtype=np.uint8)
        terrain[here] = codes[one.level.terrain]
        if one.level.barred is not None:
            barred[here] = one.level.barred
        if elevation is not None and one.level.elevation is not None:
            elevation[here] = one.level.elevation
        things = joined(things, moved(one.level.things, f"{member.path.stem}/", x, y))
        shapes += (shifted(each, member.x, member.y) for each in one.level.shapes)
        remarks += (
            replace(each, place=f"{member.path.name}: {each.place}" if each.place else None)
            for each in one.level.remarks
        )
    terrain[terrain == len(names)] = names.get(VOID, 0)
    first = maps[0].placing.geometry.coordinates(left, top, 0)
    level = GridLevel(
        name=path.stem,
        source=path,
        terrain=terrain,
        terrains=tuple(names),
        terrain_rules=_agreed(found, maps, tuple(names)),
        barred=barred if barred.any() else None,
        elevation=elevation,
        things=things,
        coordinates=first,
        depends_on=tuple(files.depends_on),
        remarks=(*remarks, *files.types.remarks()),
        unmatched=tuple(
            entry
            for entry in maps[0].level.unmatched
            if all(entry in each.level.unmatched for each in maps)
        ),
        shapes=tuple(shapes),
    )
    return checked(level)


def _corner(member: Member, each: MapLevel, first: MapLevel) -> tuple[int, int]:
    """Return the cell of the world at which the map's cell (0, 0) lies."""
    geometry, like = each.placing.geometry, first.placing.geometry
    if geometry.orientation != "orthogonal" or each.level.floor_height is not None:
        member.fields.refuse(
            "the map has several floors"
            if each.level.floor_height is not None
            else f"the map is {geometry.orientation}",
            "orthogonal maps of one floor",
            'bake the maps one by one: world = "each" in [tiled]',
        )
    if geometry != like:
        member.fields.refuse(
            f"its tiles are {geometry.tile_width} x {geometry.tile_height}",
            f"{like.tile_width} x {like.tile_height}, as those of the first map",
        )
    x, y = member.x / geometry.tile_width, member.y / geometry.tile_height
    if not (x.is_integer() and y.is_integer()):
        member.fields.refuse(
            f"it lies at ({member.x:g}, {member.y:g}), which is between tiles",
            f"multiples of {geometry.tile_width} and {geometry.tile_height}",
            "turn on snapping and move it in Tiled",
        )
    return int(x) + each.placing.origin[0], int(y) + each.placing.origin[1]


def _agreed(
    found: list[Member], maps: list[MapLevel], names: tuple[str, ...]
) -> Mapping[str, TerrainRule]:
    rules: dict[str, TerrainRule] = {}
    for member, each in zip(found, maps, strict=True):
        for name, rule in each.level.terrain_rules.items():
            if rules.setdefault(name, rule) != rule:
                refuse(
                    member.path,
                    None,
                    f"the terrain {shown(name)} costs something else here than in a map before",
                    "one cost for each terrain",
                    "say the cost in [terrain] of the recipe, not in tiles",
                )
    return {**built_in(names), **rules}
