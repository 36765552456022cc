"""Guess the terrain of the tiles and objects of a Tiled map.

Guesses are made by name where possible: of properties, Wang colors, tilesets and layers. A layer
with an unknown name is judged by the share of the map that it covers and by the layer below.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bake.levels.reading.editors import BELOW, TiledReading
from bake.levels.reading.mistakes import shown
from bake.levels.reading.names import normalize_name
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.geometry import TILE_BITS, Geometry
from bake.levels.tiled.layers import Box, Layer, decode_layer, find_extent, open_layers
from bake.levels.tiled.maps import list_members
from bake.levels.tiled.meanings import Legend, is_entity, parse_flag, property_key
from bake.levels.tiled.objects import Object, Templates, read_objects
from bake.levels.tiled.tilesets import MapFiles, Tile, Tilesets
from bake.project.init.entries import TILED, TILED_LEGEND, Entry, Guesses, is_writable
from bake.project.init.words import (
    FLOOR,
    WALL,
    Meaning,
    guess_by_layer,
    guess_by_property,
    guess_role,
    guess_spot,
    guess_terrain,
    is_one_word,
    usual_cost,
)
from levelbake.errors import BakeError

#: Properties that the reader of Tiled maps already reads.
_OWN = frozenset(
    ("terrain", "blocked", "walkable", "cost", "one_way", "barred", "floor", "profiles", "spot")
)
#: Words in names of tilesets that determine terrain. Other tilesets are named after a location,
#: such as a forest or a house, and have tiles of all kinds.
_TILESETS = frozenset(
    ("wall", "fence", "water", "tree", "cliff", "rock", "lava", "hedge", "furniture")
)
#: A layer with an unknown name that covers this share of a map is floor.
_GROUND_SHARE = 0.5
#: An object that covers this share of a map is not an obstacle.
_NEARLY_ALL = 0.9


@dataclass
class _LayerTiles:
    """A tile layer with the number of cells of each tile."""

    layer: Layer
    tiles: Counter[int]  #: number of cells of each tile, by gid
    silent: int = 0  #: number of cells with tiles without a guess of their own

    @property
    def cells(self) -> int:
        """The number of cells with a tile."""
        return self.tiles.total()


def guess_tiled(path: Path, project: Path) -> list[Entry]:
    """Guess the terrain of a map, or of all maps of a world.

    Args:
        path: a map or a world of maps.
        project: the folder that referenced files must lie in.

    Raises:
        LevelError: the file, or one it refers to, cannot be read.
    """
    reading = TiledReading()
    files = MapFiles(path, project, allow_outside=False)
    if path.suffix.lower() != ".world":
        return MapGuesser(files.open(path, "map"), files).entries()
    entries: dict[tuple[tuple[str, ...], str], Entry] = {}
    ignored: set[str] = set()
    for member in list_members(path, reading, project):
        owner = files.open(member.path, "map", member.fields)
        for entry in MapGuesser(owner, files).entries():
            if entry.key == "ignore" and isinstance(entry.value, tuple):
                ignored.update(entry.value)
            entries.setdefault((entry.table, entry.key), entry)
    ignore_entry = entries.get((TILED, "ignore"))
    if ignored and ignore_entry is not None:
        entries[ignore_entry.table, ignore_entry.key] = Entry(
            ignore_entry.table, ignore_entry.key, tuple(sorted(ignored)), ignore_entry.why
        )
    return list(entries.values())


class MapGuesser:
    """Guesses the terrain of the tiles and objects of a map."""

    def __init__(self, owner: Fields, files: MapFiles) -> None:
        """Read the layers of a map, and count their tiles.

        Raises:
            LevelError: the map, or a file it refers to, cannot be read.
        """
        self.layers, _ = open_layers(owner, TiledReading())
        self.tilesets = Tilesets(owner, files)
        tiles = [layer for layer in self.layers if layer.kind == "tilelayer"]
        # The size of an infinite map without tiles is unknown.
        size = Box(0, 0, owner.integer("width"), owner.integer("height"))
        whole = find_extent(owner, self.layers) if tiles else size
        self.tile_layers = [self._count_tiles(layer, decode_layer(layer, whole)) for layer in tiles]
        self.size = max(1, max((counted.cells for counted in self.tile_layers), default=0))
        if owner.values.get("infinite") in (None, False, 0, "0"):
            self.size = max(1, whole.width * whole.height)
        self.pixels = (
            whole.width * whole.height * owner.number("tilewidth") * owner.number("tileheight")
        )
        self.objects: list[Object] = []
        self.unread: dict[str, str] = {}
        templates, geometry = Templates(files), Geometry.read(owner)
        for layer in self.layers:
            if layer.kind == "objectgroup":
                try:
                    objects = read_objects([*tiles, layer], self.tilesets, templates, geometry)
                except BakeError as error:
                    self.unread[layer.path] = error.found
                else:
                    self.objects += objects
        self.guesses = Guesses(TILED_LEGEND)

    @staticmethod
    def _count_tiles(layer: Layer, cells: Iterator[tuple[object, np.ndarray]]) -> _LayerTiles:
        tiles: Counter[int] = Counter()
        for _, gids in cells:
            kinds, counts = np.unique(gids & TILE_BITS, return_counts=True)
            tiles.update(dict(zip(kinds.tolist(), counts.tolist(), strict=True)))
        del tiles[0]
        return _LayerTiles(layer, tiles)

    def entries(self) -> list[Entry]:
        """Return the guesses, with distinct keys."""
        roles = [(drawn.layer.name, guess_role(drawn.layer.name)) for drawn in self.tile_layers]
        hidden = {name: guess[1] for name, guess in roles if guess and guess[0] == "above"}
        if all(name in hidden for name, _ in roles):
            hidden = {}
        names = {name for name in hidden if is_writable(name, TILED)}
        words = sorted(set(hidden.values()))
        why = f"layers that are drawn above agents, by the words {', '.join(map(shown, words))}"
        for path, error in sorted(self.unread.items()):
            why = f"objects of {shown(path)} cannot be read: {error}"
        ignored = tuple(sorted(names | {path for path in self.unread if is_writable(path, TILED)}))
        self.guesses.add(Entry(TILED, "ignore", ignored or None, why, sure=not self.unread))
        counted = [drawn for drawn in self.tile_layers if drawn.layer.name not in names]
        self._by_tiles(counted)
        self._by_objects()
        self._by_layers(counted)
        return self.guesses.entries()

    def _add(self, key: str, means: Meaning, why: str, *, sure: bool = True) -> None:
        """Add a guess for an entry of the legend."""
        self.guesses.add_meaning(key, means, why, usual_cost(means), sure=sure)

    # -- tiles ------------------------------------------------------------------------------------

    def _by_tiles(self, counted: list[_LayerTiles]) -> None:
        """Guess by properties, classes and Wang colors of tiles, and count the other tiles."""
        by_set: dict[str, list[tuple[_LayerTiles, int]]] = defaultdict(list)
        for drawn_layer in counted:
            for gid, count in drawn_layer.tiles.items():
                match = self.tilesets.find(gid)
                if match is None:
                    continue
                tile = match[0].tile(match[1])
                if tile.shapes:
                    self._add("collision", WALL, "shapes of collision are drawn on tiles")
                if not self._has_guess(tile):
                    drawn_layer.silent += count
                    by_set[tile.tileset.name].append((drawn_layer, count))
        for name, uses in by_set.items():
            means = guess_terrain(name)
            # A layer belongs to one map, a tileset to many, so only few words count.
            if means is None or means.word not in _TILESETS:
                continue
            if any(guess_by_layer(drawn_layer.layer.name) for drawn_layer, _ in uses):
                # The guess for this tileset in other maps does not apply to this map.
                self.guesses.add(Entry(TILED_LEGEND, f"tileset:{name}", None))
                continue
            self._add(f"tileset:{name}", means, f"the tileset's name says {shown(means.word)}")
            for drawn_layer, count in uses:
                drawn_layer.silent -= count

    def _has_guess(self, tile: Tile) -> bool:
        """Return whether a tile has a terrain, or a guess by property, class or Wang color."""
        properties = tile.properties
        if any(properties.has(name) for name in ("terrain", "blocked", "walkable", "cost")):
            return True
        if any(self._guess_property(name, value) for name, value in properties.values.items()):
            return True
        if tile.class_name:
            return True
        meanings = {color: guess_terrain(color) for color in tile.wang if color.strip()}
        known = {color: means for color, means in meanings.items() if means is not None}
        for color, means in known.items():
            self._add(f"wang:{color}", means, f"the Wang color's name says {shown(means.word)}")
        return bool(known)

    def _guess_property(self, name: str, value: object) -> bool:
        """Add a guess for a property of a tile, and return whether there is one."""
        if normalize_name(name) in _OWN or "=" in name or value is None or value == "":
            return False
        key, is_true = property_key(name, value), parse_flag(value)
        if isinstance(value, str) and is_true is None:
            means = guess_terrain(value)
            if means is None:
                return False
            self._add(key, means, f"its value says {shown(means.word)}")
            return True
        means = guess_by_property(name)
        if means is None or isinstance(value, list | dict):
            return False
        if name.lower().removeprefix("is").strip("_- ") in ("passable", "walkable", "pass"):
            means = WALL if is_true is False else FLOOR
        elif is_true is False:
            return False
        self._add(key, means, f"the property's name says {shown(name)}")
        return True

    # -- layers -----------------------------------------------------------------------------------

    def _by_layers(self, counted: list[_LayerTiles]) -> None:
        """Guess by layers for the tiles without a guess of their own."""
        blocks = any(entry.value == "blocked" for entry in self.guesses.by_key.values())
        names = [drawn_layer.layer.name for drawn_layer in counted if drawn_layer.silent]
        meanings = [guess[0] for name in names if (guess := guess_by_layer(name)) is not None]
        blocks |= any(means.cost is None and means.word != BELOW for means in meanings)
        ground: str | None = None
        floored = False
        for drawn_layer in counted:
            if not drawn_layer.cells:
                continue
            name, share = drawn_layer.layer.name, drawn_layer.cells / self.size
            below, ground = ground, ground or name
            floored = floored or (below is None and share > _NEARLY_ALL)
            if drawn_layer.layer.properties.has("terrain") or not drawn_layer.silent:
                continue
            key = f"layer:{name}"
            if sum(same_name.layer.name == name for same_name in self.tile_layers) > 1:
                key = f"layer:{drawn_layer.layer.path}"
            guess = guess_by_layer(name)
            if guess is not None:
                self._add(key, *guess)
                continue
            if below is None:
                self._add(key, FLOOR, f"the lowest layer, on {share:.0%} of the map", sure=False)
                continue
            over = f"on {share:.0%} of the map, over {shown(below)}"
            if share >= _GROUND_SHARE and not floored:
                self._add(key, FLOOR, f"a layer {over}", sure=False)
            elif blocks or share >= _GROUND_SHARE:
                reason = "; other names say what is blocked" if blocks else ""
                why = f"a layer {over}{reason}"
                self._add(key, Meaning(BELOW, 1.0), why, sure=False)
            else:
                self._add(key, WALL, f"a layer {over}", sure=False)

    # -- objects ----------------------------------------------------------------------------------

    def _by_objects(self) -> None:
        """Guess which objects are spots or terrain by their classes and layers."""
        silent: dict[str, int] = {}
        for obj in self.objects:
            name = obj.class_name
            if is_entity(obj, Legend({})):
                continue
            kind = guess_spot(name)
            if kind is not None:
                if is_writable(f"object:{name}", TILED_LEGEND):
                    why = f"the class's name says {shown(kind[1])}"
                    self.guesses.add(Entry(TILED_LEGEND, f"object:{name}", kind[0], why))
            elif obj.layer is not None and self._covers_some(obj):
                guess = _guess_obstacle(name, obj.name)
                layer = obj.layer
                layer_guess = guess_by_layer(layer.name) if _names_objects(layer.name) else None
                if layer_guess is not None and layer_guess[0].cost is None:
                    self._add(f"layer:{layer.path}", *layer_guess)
                elif guess is not None:
                    self._add(f"object:{name or obj.name}", *guess)
                elif guess_role(layer.name) is None:
                    silent[layer.path] = silent.get(layer.path, 0) + 1
        if not self.tile_layers and not self.guesses.has_terrain:
            self._by_layers_of_objects(silent)

    def _covers_some(self, obj: Object) -> bool:
        """Return whether an object covers some cells, but not nearly all like a camera frame."""
        if obj.shape in ("point", "text", "polyline"):
            return False
        xs, ys = zip(*obj.corners, strict=True) if obj.corners else ((0.0,), (0.0,))
        width, height = max(xs) - min(xs) or obj.width, max(ys) - min(ys) or obj.height
        return width * height < _NEARLY_ALL * self.pixels

    def _by_layers_of_objects(self, silent: Mapping[str, int]) -> None:
        """Guess the terrain of object layers on a map without tile layers."""
        for path in sorted(silent):
            means = guess_terrain(path.rpartition("/")[2])
            if means is not None:
                why = f"the layer's name says {shown(means.word)}, and there are no tiles"
                self._add(f"layer:{path}", means, why, sure=False)
        if silent and not self.guesses.has_terrain:
            most = max(silent, key=lambda path: (silent[path], path))
            why = "the layer of most objects, and there are no tiles"
            self._add(f"layer:{most}", WALL, why, sure=False)


def _names_objects(layer: str) -> bool:
    """Return whether a layer is named after its objects, such as "Chests" or "Collision".

    The objects of a layer such as "Chest events" need not be chests.
    """
    layer_role = guess_role(layer)
    return is_one_word(layer) or (layer_role is not None and layer_role[0] == "collision")


def _guess_obstacle(class_name: str, name: str) -> tuple[Meaning, str] | None:
    """Return the obstacle in the class of an object, or else in its name, and the reason."""
    # In games, names of objects may be sentences, such as "talk to the man by the wall".
    if not class_name and not is_one_word(name):
        return None
    means = guess_by_property(class_name or name)
    if means is None or means.cost is not None:
        return None
    source = "class's" if class_name else "objects'"
    return means, f"the {source} name says {shown(means.word)}"
