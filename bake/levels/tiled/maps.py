"""Read Tiled maps (.tmx, .tmj) and worlds of maps (.world) as levels."""

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
from bake.levels.reading.terrains import VOID, built_in_rules, remove_unused
from bake.levels.reading.things import check_things, merge_things, move_things
from bake.levels.tiled.canvas import Canvas, Placing, find_filled_box
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.geometry import Geometry
from bake.levels.tiled.heights import read_heights
from bake.levels.tiled.layers import Layer, find_extent, open_layers
from bake.levels.tiled.meanings import Legend, TerrainRules
from bake.levels.tiled.objects import Templates, read_objects
from bake.levels.tiled.shapes import ShapePainter
from bake.levels.tiled.things import ObjectReader
from bake.levels.tiled.tilesets import MapFiles, Tilesets
from bake.levels.tiled.unread import UnreadCollector
from levelbake.places import Coordinates

MAX_MAPS = 10_000
_MAX_PATTERN = 200
#: Regular expressions that can take arbitrarily long: repeated groups, many adjacent repeats, and
#: flags that allow blanks between a group and its repeat.
_REPEATED_GROUP = re.compile(r"\)[*+{?]|\(\?")
_REPEAT = re.compile(r"(?<!\\)[*+?{]")
_MAX_REPEATS = 4
_MAX_NAME = 128


def read_tiled(path: Path, part: str, reading: TiledReading, project: Path | None) -> GridLevel:
    """Read a map, a world of maps as one level, or one map of a world.

    Args:
        path: .tmx, .tmj or .world.
        part: the name of a map in a world: its file name without extension; "" = all maps as one
            level.
        reading: the options of the recipe, from [tiled].
        project: the folder that references must stay in; None = the folder of the file.

    Raises:
        LevelError: the file, or a file it refers to, has a mistake.
        BakeErrors: there are several mistakes in links, regions, spots and doors.
    """
    if path.suffix.lower() != ".world":
        return read_map(path, reading, project)
    if part:
        return read_member(path, part, reading, project)
    return read_world(path, reading, project)


def world_parts(path: Path, reading: TiledReading) -> tuple[str, ...]:
    """Return the names of the maps in a .world file.

    Raises:
        LevelError: the file is not a world, or two maps have the same name.
    """
    # References are checked when the maps are read.
    named = list_members(path, replace(reading, allow_outside=True), None)
    return tuple(member.path.stem for member in named)


@dataclass(frozen=True)
class MapLevel:
    """A level with its position on the map."""

    level: GridLevel
    placing: Placing


def read_map(path: Path, reading: TiledReading, project: Path | None) -> GridLevel:
    """Read a .tmx or .tmj file.

    Args:
        path: the file.
        reading: the options of the recipe, from [tiled].
        project: the folder that references must stay in; None = the folder of the file.

    Raises:
        LevelError: the file, or a file it refers to, has a mistake.
    """
    files = MapFiles(path, project, allow_outside=reading.allow_outside)
    level = build_map_level(files.open(path, "map"), reading, files).level
    return replace(level, remarks=(*level.remarks, *files.types.remarks()))


def build_map_level(owner: Fields, reading: TiledReading, files: MapFiles) -> MapLevel:
    """Build the level of an open map."""
    geometry = Geometry.read(owner)
    layers, raising = open_layers(owner, reading)
    tilesets, templates = Tilesets(owner, files), Templates(files)
    legend, rules = Legend(reading.legend), TerrainRules()
    objects = read_objects(layers, tilesets, templates, geometry)
    # On other than orthogonal maps, object pixels are not coordinates of the plane.
    keep_shapes = reading.keep_shapes and geometry.orientation == "orthogonal"
    painter = ShapePainter(geometry, tilesets, templates, legend, rules, keeps=keep_shapes)
    painter.find(objects, layers)
    if not (painter.shapes or any(layer.kind == "tilelayer" for layer in layers)):
        owner.refuse(
            "the map has no tile layer to read, and no object has a terrain",
            "some terrain",
            "see layers and ignore in [tiled]"
            if reading.layers or reading.ignore
            else 'set the terrain of its objects in [tiled.legend], as in "layer:Walls" = "wall"',
        )
    floors = _list_floors(layers)
    whole = find_extent(owner, [*layers, *raising], painter.boxes())
    # All floors are painted before an infinite map is cropped.
    check_size(owner.file, whole.width, whole.height * max(1, len(floors)))
    canvas = Canvas(owner, tilesets, geometry, legend, rules, reading.empty)
    canvas.paint(layers, whole, floors, painter.place)
    if not keep_shapes:
        painter.paint(canvas, floors)
    box = (
        whole if owner.values.get("infinite") in (None, False, 0, "0") else find_filled_box(canvas)
    )
    placing = Placing.build(owner, geometry, box, floors)
    canvas.fill()
    terrain = placing.rearrange(canvas.terrain, whole, canvas.code(VOID))
    barred = placing.rearrange(canvas.barred, whole, 0)
    heights = read_heights(raising, whole, floors, tilesets)
    terrains = remove_unused(tuple(canvas.names), terrain)
    check_terrain_count(owner.file, len(terrains), "terrains")
    things = ObjectReader(objects, placing, legend).things()
    unread = UnreadCollector(legend, files.types)
    unread.add_layers([*layers, *raising])
    unread.add_tiles(canvas.tiles.values())
    unread.add_objects(objects)
    hexagonal = geometry.orientation == "hexagonal"
    coordinates = _build_coordinates(owner, layers, placing)
    level = GridLevel(
        name=owner.file.stem,
        source=owner.file,
        terrain=terrain,
        terrains=terrains,
        hex_layout=geometry.hex_layout(box.left, box.top),
        rules=Rules(connectivity=6 if hexagonal else None),
        barred=barred if barred.any() else None,
        elevation=None if heights is None else placing.rearrange(heights, whole, 0.0),
        floor_height=placing.height if len(floors) > 1 else None,
        things=things,
        coordinates=coordinates,
        depends_on=tuple(files.depends_on),
        hints=canvas.hints,
        remarks=(*painter.remarks, *unread.remarks()),
        unmatched=legend.unmatched,
        shapes=_shift_to_floors(painter.plane_shapes(floors), placing, coordinates)
        if keep_shapes
        else (),
    )
    # The states of doors may add terrains.
    level = check_things(level)
    return MapLevel(replace(level, terrain_rules=rules.for_terrains(level.terrains)), placing)


def _build_coordinates(owner: Fields, layers: list[Layer], placing: Placing) -> Coordinates:
    """Return the coordinates of the cells; a floor is drawn where its lowest tile layer is."""
    left, top = placing.origin
    base = placing.geometry.coordinates(left, top, owner.integer("height"))
    offsets = []
    for floor in placing.floors or (None,):
        tile_layers = (layer for layer in layers if layer.kind == "tilelayer")
        floor_layers = (layer for layer in tile_layers if layer.floor == floor)
        offsets.append(next((layer.offset for layer in floor_layers), (0.0, 0.0)))
    return base._replace(
        centres=tuple(_shift_coordinates(base, *offset).centres[0] for offset in offsets)
    )


def _shift_coordinates(coordinates: Coordinates, x: float, y: float) -> Coordinates:
    """Return coordinates that are shifted in the plane."""
    centers = ((center[0] + x, center[1] + y) for center in coordinates.centres)
    return coordinates._replace(centres=tuple(centers))


def _shift_to_floors(
    shapes: Iterable[PlaneShape], placing: Placing, coordinates: Coordinates
) -> tuple[PlaneShape, ...]:
    """Return shapes, shifted to where their floors are drawn."""
    left, top = placing.origin
    x, y = placing.geometry.coordinates(left, top, 0).centres[0]
    offsets = [(center[0] - x, center[1] - y) for center in coordinates.centres]
    return tuple(shift_shape(shape, *offsets[shape.floor]) for shape in shapes)


def shift_shape(shape: PlaneShape, x: float, y: float) -> PlaneShape:
    """Return a shape that is shifted in the plane."""
    return replace(shape, rings=tuple(ring + np.array([x, y]) for ring in shape.rings))


def _list_floors(layers: list[Layer]) -> tuple[int, ...]:
    """Return the numbers of the floors, lowest first; empty if no group names a floor."""
    tiles = [layer for layer in layers if layer.kind == "tilelayer"]
    if not tiles:
        tiles = [layer for layer in layers if layer.floor is not None]
    floors = sorted({layer.floor for layer in tiles if layer.floor is not None})
    for layer in tiles:
        if floors and layer.floor is None:
            layer.fields.refuse(
                "the layer has no floor, but other layers do",
                "all tile layers inside groups with a property floor",
                "move it into the group of a floor, or ignore it in [tiled]",
            )
    return tuple(floors)


@dataclass(frozen=True)
class Member:
    """A map of a world: its file, and the pixel of its first cell."""

    fields: Fields
    path: Path
    x: float
    y: float


def list_members(path: Path, reading: TiledReading, project: Path | None) -> list[Member]:
    """Return the maps of a world in the order of the file; maps of a pattern are sorted by name.

    Args:
        path: the .world file.
        reading: the options of the recipe, from [tiled].
        project: the folder that references must stay in; None = the folder of the file.

    Raises:
        LevelError: the file is not a world, has no maps, or lists a map twice.
    """
    files = MapFiles(path, project, allow_outside=reading.allow_outside)
    owner = files.open(path, "world")
    listed = []
    for item in owner.items("maps"):
        name = item.text("fileName")
        named = item.at_place(f"map {shown(name)}")
        listed.append(
            Member(named, files.refer(named, name), named.number("x", 0), named.number("y", 0))
        )
    for item in owner.items("patterns"):
        listed += _match_pattern(item, files)
    if not 0 < len(listed) <= MAX_MAPS:
        owner.refuse(f"the world has {len(listed):,} maps", f"1 to {MAX_MAPS:,}")
    seen: dict[str, Member] = {}
    for member in listed:
        first = seen.setdefault(member.path.stem.casefold(), member)
        if first is not member:
            member.fields.refuse(
                f"the map {shown(member.path.name)} is listed twice, or two maps have this name",
                "each map once, with a name of its own",
            )
    return listed


def _match_pattern(item: Fields, files: MapFiles) -> list[Member]:
    """Return the maps that match a pattern, whose first two groups are column and row."""
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
    matching = []
    for path in _map_files(item.file.parent):
        match = pattern.fullmatch(path.name)
        if match is None:
            continue
        named = item.at_place(f"map {shown(path.name)}")
        corner = []
        for axis in range(2):
            digits = match.group(axis + 1) or ""
            if re.fullmatch(r"-?[0-9]{1,9}", digits, re.ASCII) is None:
                named.refuse(
                    f"the pattern finds {shown(digits)} where a coordinate should be",
                    "a whole number",
                )
            corner.append(int(digits) * scale[axis] + shift[axis])
        matching.append(Member(named, files.refer(named, path.name), corner[0], corner[1]))
    if not matching:
        any_case = re.compile(text, re.IGNORECASE)
        near = [path for path in _map_files(item.file.parent) if any_case.fullmatch(path.name)]
        but = f", but {shown(near[0].name)} is there, which differs in letter case" if near else ""
        item.refuse(f"the pattern {shown(text)} matches no map file{but}", "at least one")
    return matching


def _map_files(folder: Path) -> list[Path]:
    """Return the map files of a folder, sorted by name."""
    return sorted(
        path
        for path in folder.iterdir()
        if path.suffix.lower() in (".tmx", ".tmj", ".json")
        and len(path.name) <= _MAX_NAME
        and path.is_file()
    )


def read_member(path: Path, part: str, reading: TiledReading, project: Path | None) -> GridLevel:
    """Read a single map of a world.

    Raises:
        LevelError: the world has no such map, or a file has a mistake.
    """
    matching = [
        member for member in list_members(path, reading, project) if member.path.stem == part
    ]
    if not matching:
        refuse(path, None, f"the world has no map {shown(part)}", "one of its maps")
    files = MapFiles(path, project, allow_outside=reading.allow_outside)
    level = build_map_level(
        files.open(matching[0].path, "map", matching[0].fields), reading, files
    ).level
    return replace(
        level,
        name=part,
        source=path,
        coordinates=level.coordinates
        and _shift_coordinates(level.coordinates, matching[0].x, matching[0].y),
        shapes=tuple(shift_shape(shape, matching[0].x, matching[0].y) for shape in level.shapes),
        depends_on=tuple(files.depends_on),
        remarks=(*level.remarks, *files.types.remarks()),
    )


def read_world(path: Path, reading: TiledReading, project: Path | None) -> GridLevel:
    """Read all maps of a world as one level, with void between them.

    Entities are named "MAP/NAME", after the file of their map.

    Raises:
        LevelError: the maps overlap, share no lattice or differ in kind, or one has a mistake.
    """
    listed = list_members(path, reading, project)
    files = MapFiles(path, project, allow_outside=reading.allow_outside)
    maps: list[MapLevel] = []
    for member in listed:
        root = files.open(member.path, "map", member.fields)
        maps.append(build_map_level(root, reading, files))
        # Maps must not overlap, so no world has more cells than this.
        check_size(path, 1, sum(map_level.level.terrain.size for map_level in maps), "all maps")
    corners = [
        _find_corner(member, map_level, maps[0])
        for member, map_level in zip(listed, maps, strict=True)
    ]
    left, top = min(x for x, _ in corners), min(y for _, y in corners)
    right = max(x + placed.level.width for (x, _), placed in zip(corners, maps, strict=True))
    bottom = max(y + placed.level.height for (_, y), placed in zip(corners, maps, strict=True))
    check_size(path, right - left, bottom - top)

    names: dict[str, int] = {}
    for map_level in maps:
        for name in map_level.level.terrains:
            names.setdefault(name, len(names))
    count = sum(map_level.level.terrain.size for map_level in maps)
    if count < (right - left) * (bottom - top):
        names.setdefault(VOID, len(names))
    check_terrain_count(path, len(names), "terrains")
    # The number after the last terrain marks cells that no map covers yet.
    terrain = np.full((bottom - top, right - left), len(names), dtype=np.uint8)
    barred = np.zeros_like(terrain)
    raised = any(map_level.level.elevation is not None for map_level in maps)
    elevation = np.zeros(terrain.shape) if raised else None
    things = Things()
    remarks: list[Remark] = []
    shapes: list[PlaneShape] = []
    for member, map_level, corner in zip(listed, maps, corners, strict=True):
        x, y = corner[0] - left, corner[1] - top
        area = (slice(y, y + map_level.level.height), slice(x, x + map_level.level.width))
        if (terrain[area] != len(names)).any():
            member.fields.refuse(
                "the map overlaps another one", "maps beside one another", "move it in Tiled"
            )
        codes = np.array([names[name] for name in map_level.level.terrains], dtype=np.uint8)
        terrain[area] = codes[map_level.level.terrain]
        if map_level.level.barred is not None:
            barred[area] = map_level.level.barred
        if elevation is not None and map_level.level.elevation is not None:
            elevation[area] = map_level.level.elevation
        things = merge_things(
            things, move_things(map_level.level.things, f"{member.path.stem}/", x, y)
        )
        shapes += (shift_shape(shape, member.x, member.y) for shape in map_level.level.shapes)
        remarks += (
            replace(remark, place=f"{member.path.name}: {remark.place}" if remark.place else None)
            for remark in map_level.level.remarks
        )
    terrain[terrain == len(names)] = names.get(VOID, 0)
    first = maps[0].placing.geometry.coordinates(left, top, 0)
    level = GridLevel(
        name=path.stem,
        source=path,
        terrain=terrain,
        terrains=tuple(names),
        terrain_rules=_merge_rules(listed, maps, tuple(names)),
        barred=barred if barred.any() else None,
        elevation=elevation,
        things=things,
        coordinates=first,
        depends_on=tuple(files.depends_on),
        remarks=(*remarks, *files.types.remarks()),
        unmatched=tuple(
            entry
            for entry in maps[0].level.unmatched
            if all(entry in map_level.level.unmatched for map_level in maps)
        ),
        shapes=tuple(shapes),
    )
    return check_things(level)


def _find_corner(member: Member, map_level: MapLevel, first: MapLevel) -> tuple[int, int]:
    """Return the cell of the world at which the cell (0, 0) of a map lies."""
    geometry, first_geometry = map_level.placing.geometry, first.placing.geometry
    if geometry.orientation != "orthogonal" or map_level.level.floor_height is not None:
        member.fields.refuse(
            "the map has several floors"
            if map_level.level.floor_height is not None
            else f"the map is {geometry.orientation}",
            "orthogonal maps of one floor",
            'bake the maps one by one: world = "each" in [tiled]',
        )
    if geometry != first_geometry:
        member.fields.refuse(
            f"its tiles are {geometry.tile_width} x {geometry.tile_height}",
            f"{first_geometry.tile_width} x {first_geometry.tile_height}, as in the first map",
        )
    x, y = member.x / geometry.tile_width, member.y / geometry.tile_height
    if not (x.is_integer() and y.is_integer()):
        member.fields.refuse(
            f"it lies at ({member.x:g}, {member.y:g}), which is between tiles",
            f"multiples of {geometry.tile_width} and {geometry.tile_height}",
            "turn on snapping and move it in Tiled",
        )
    return int(x) + map_level.placing.origin[0], int(y) + map_level.placing.origin[1]


def _merge_rules(
    listed: list[Member], maps: list[MapLevel], names: tuple[str, ...]
) -> Mapping[str, TerrainRule]:
    rules: dict[str, TerrainRule] = {}
    for member, map_level in zip(listed, maps, strict=True):
        for name, rule in map_level.level.terrain_rules.items():
            if rules.setdefault(name, rule) != rule:
                refuse(
                    member.path,
                    None,
                    f"the terrain {shown(name)} has another cost than in an earlier map",
                    "one cost for each terrain",
                    "set the cost in [terrain] of the recipe, not in tiles",
                )
    return {**built_in_rules(names), **rules}
