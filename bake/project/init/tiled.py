"""Guess what the tiles of a Tiled map mean.

Names go first: properties, Wang colours, tilesets, layers. A layer whose name says nothing is
judged by how much of the map it covers, and by what it covers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bake.levels.reading.editors import BELOW, TiledReading
from bake.levels.reading.mistakes import shown
from bake.levels.reading.names import plain_name
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.geometry import TILE_BITS, Geometry
from bake.levels.tiled.layers import Box, Layer, extent, open_layers, pieces
from bake.levels.tiled.maps import members
from bake.levels.tiled.meanings import Legend, is_thing, property_key, truth
from bake.levels.tiled.objects import Object, Templates, read_objects
from bake.levels.tiled.tilesets import MapFiles, Tile, Tilesets
from bake.project.init.entries import TILED, TILED_LEGEND, Entry, Guesses, is_writable
from bake.project.init.words import (
    FLOOR,
    WALL,
    Meaning,
    is_one_word,
    layer_says,
    meaning,
    property_says,
    role,
    thing,
    usual,
)
from levelbake.errors import BakeError

#: Properties that the reader of Tiled maps understands by itself.
_OWN = frozenset(
    ("terrain", "blocked", "walkable", "cost", "one_way", "barred", "floor", "profiles", "spot")
)
#: What a tileset has to be called after to say something. Others are called after where a map
#: plays, and hold whatever there is in a forest or a house.
_TILESETS = frozenset(
    ("wall", "fence", "water", "tree", "cliff", "rock", "lava", "hedge", "furniture")
)
#: A layer that covers this much of a map is what one walks on, if its name says nothing.
_GROUND_SHARE = 0.5
#: An object that covers this much of a map is no obstacle on it.
_NEARLY_ALL = 0.9


@dataclass
class _Drawn:
    """What one tile layer holds."""

    layer: Layer
    tiles: Counter[int]  #: how many cells each tile covers
    silent: int = 0  #: how many cells hold tiles that say nothing

    @property
    def cells(self) -> int:
        """Return how many cells of the map it covers."""
        return self.tiles.total()


def tiled_entries(path: Path, project: Path) -> list[Entry]:
    """Guess what the maps of a file mean.

    Args:
        path: a map, or a world of maps.
        project: folder that files it refers to must lie in.

    Raises:
        LevelError: the file, or one it refers to, cannot be read.
    """
    reading = TiledReading()
    files = MapFiles(path, project, allow_outside=False)
    if path.suffix.lower() != ".world":
        return MapGuesser(files.open(path, "map"), files).entries()
    found: dict[tuple[tuple[str, ...], str], Entry] = {}
    ignored: set[str] = set()
    for member in members(path, reading, project):
        owner = files.open(member.path, "map", member.fields)
        for entry in MapGuesser(owner, files).entries():
            if entry.key == "ignore" and isinstance(entry.value, tuple):
                ignored.update(entry.value)
            found.setdefault((entry.table, entry.key), entry)
    own = found.get((TILED, "ignore"))
    if ignored and own is not None:
        found[own.table, own.key] = Entry(own.table, own.key, tuple(sorted(ignored)), own.why)
    return list(found.values())


class MapGuesser:
    """Guesses what one map means."""

    def __init__(self, owner: Fields, files: MapFiles) -> None:
        """Read the layers and the tiles they hold.

        Raises:
            LevelError: the map, or a file it refers to, cannot be read.
        """
        self.layers, _ = open_layers(owner, TiledReading())
        self.tilesets = Tilesets(owner, files)
        tiles = [layer for layer in self.layers if layer.kind == "tilelayer"]
        # Without tiles, an infinite map is as large as what is drawn on it.
        size = Box(0, 0, owner.whole("width"), owner.whole("height"))
        whole = extent(owner, self.layers) if tiles else size
        self.drawn = [self._drawn(layer, pieces(layer, whole)) for layer in tiles]
        self.size = max(1, max((each.cells for each in self.drawn), default=0))
        if owner.values.get("infinite") in (None, False, 0, "0"):
            self.size = max(1, whole.width * whole.height)
        self.pixels = (
            whole.width * whole.height * owner.number("tilewidth") * owner.number("tileheight")
        )
        self.objects: list[Object] = []
        self.unread: dict[str, str] = {}
        templates, geometry = Templates(files), Geometry.of(owner)
        for layer in self.layers:
            if layer.kind == "objectgroup":
                try:
                    found = read_objects([*tiles, layer], self.tilesets, templates, geometry)
                except BakeError as error:
                    self.unread[layer.path] = error.found
                else:
                    self.objects += found
        self.guesses = Guesses(TILED_LEGEND)

    @staticmethod
    def _drawn(layer: Layer, cells: Iterator[tuple[object, np.ndarray]]) -> _Drawn:
        tiles: Counter[int] = Counter()
        for _, gids in cells:
            kinds, counts = np.unique(gids & TILE_BITS, return_counts=True)
            tiles.update(dict(zip(kinds.tolist(), counts.tolist(), strict=True)))
        del tiles[0]
        return _Drawn(layer, tiles)

    def entries(self) -> list[Entry]:
        """Return the guesses, each key once."""
        roles = [(each.layer.name, role(each.layer.name)) for each in self.drawn]
        hidden = {name: said[1] for name, said in roles if said and said[0] == "above"}
        if all(name in hidden for name, _ in roles):
            hidden = {}
        names = {name for name in hidden if is_writable(name, TILED)}
        words = sorted(set(hidden.values()))
        why = f"layers that are drawn above agents, by the words {', '.join(map(shown, words))}"
        for path, error in sorted(self.unread.items()):
            why = f"objects of {shown(path)} cannot be read: {error}"
        ignored = tuple(sorted(names | {path for path in self.unread if is_writable(path, TILED)}))
        self.guesses.put(Entry(TILED, "ignore", ignored or None, why, sure=not self.unread))
        counted = [each for each in self.drawn if each.layer.name not in names]
        self._by_tiles(counted)
        self._by_objects()
        self._by_layers(counted)
        return self.guesses.entries()

    def _say(self, key: str, means: Meaning, why: str, *, sure: bool = True) -> None:
        """Give a terrain to what a key of the legend names."""
        self.guesses.means(key, means, why, usual(means), sure=sure)

    # -- tiles ------------------------------------------------------------------------------------

    def _by_tiles(self, counted: list[_Drawn]) -> None:
        """Guess by what tiles themselves say, and count those of each layer that say nothing."""
        by_set: dict[str, list[tuple[_Drawn, int]]] = defaultdict(list)
        for each in counted:
            for gid, count in each.tiles.items():
                found = self.tilesets.find(gid)
                if found is None:
                    continue
                tile = found[0].tile(found[1])
                if tile.shapes:
                    self._say("collision", WALL, "shapes of collision are drawn on tiles")
                if not self._says_something(tile):
                    each.silent += count
                    by_set[tile.tileset.name].append((each, count))
        for name, drawn in by_set.items():
            means = meaning(name)
            # A layer is named for one map, a tileset for many.
            if means is None or means.word not in _TILESETS:
                continue
            if any(layer_says(each.layer.name) for each, _ in drawn):
                # What other maps say of the tileset does not hold here.
                self.guesses.put(Entry(TILED_LEGEND, f"tileset:{name}", None))
                continue
            self._say(f"tileset:{name}", means, f"the tileset's name says {shown(means.word)}")
            for each, count in drawn:
                each.silent -= count

    def _says_something(self, tile: Tile) -> bool:
        """Tell whether a tile's terrain is known, or can be guessed from what is said of it."""
        own = tile.properties
        if any(own.has(name) for name in ("terrain", "blocked", "walkable", "cost")):
            return True
        if any(self._property(name, value) for name, value in own.values.items()):
            return True
        if tile.class_name:
            return True
        said = {colour: meaning(colour) for colour in tile.wang if colour.strip()}
        known = {colour: means for colour, means in said.items() if means is not None}
        for colour, means in known.items():
            self._say(f"wang:{colour}", means, f"the Wang colour's name says {shown(means.word)}")
        return bool(known)

    def _property(self, name: str, value: object) -> bool:
        """Guess what a property of a tile means; tell whether it means anything."""
        if plain_name(name) in _OWN or "=" in name or value is None or value == "":
            return False
        key, so = property_key(name, value), truth(value)
        if isinstance(value, str) and so is None:
            means = meaning(value)
            if means is None:
                return False
            self._say(key, means, f"its value says {shown(means.word)}")
            return True
        means = property_says(name)
        if means is None or isinstance(value, list | dict):
            return False
        if name.lower().removeprefix("is").strip("_- ") in ("passable", "walkable", "pass"):
            means = WALL if so is False else FLOOR
        elif so is False:
            return False
        self._say(key, means, f"the property's name says {shown(name)}")
        return True

    # -- layers -----------------------------------------------------------------------------------

    def _by_layers(self, counted: list[_Drawn]) -> None:
        """Guess by layers for the tiles that say nothing themselves."""
        blocks = any(entry.value == "blocked" for entry in self.guesses.found.values())
        names = [each.layer.name for each in counted if each.silent]
        said = [told[0] for name in names if (told := layer_says(name)) is not None]
        blocks |= any(means.cost is None and means.word != BELOW for means in said)
        ground: str | None = None
        floored = False
        for each in counted:
            if not each.cells:
                continue
            name, share = each.layer.name, each.cells / self.size
            below, ground = ground, ground or name
            floored = floored or (below is None and share > _NEARLY_ALL)
            if each.layer.properties.has("terrain") or not each.silent:
                continue
            key = f"layer:{name}"
            if sum(other.layer.name == name for other in self.drawn) > 1:
                key = f"layer:{each.layer.path}"
            told = layer_says(name)
            if told is not None:
                self._say(key, *told)
                continue
            if below is None:
                self._say(key, FLOOR, f"the lowest layer, on {share:.0%} of the map", sure=False)
                continue
            over = f"on {share:.0%} of the map, over {shown(below)}"
            if share >= _GROUND_SHARE and not floored:
                self._say(key, FLOOR, f"a layer {over}", sure=False)
            elif blocks or share >= _GROUND_SHARE:
                reason = "; other names say what is blocked" if blocks else ""
                why = f"a layer {over}{reason}"
                self._say(key, Meaning(BELOW, 1.0), why, sure=False)
            else:
                self._say(key, WALL, f"a layer {over}", sure=False)

    # -- objects ----------------------------------------------------------------------------------

    def _by_objects(self) -> None:
        """Guess which objects are spots or terrain, by their classes and layers."""
        silent: dict[str, int] = {}
        for each in self.objects:
            name = each.class_name
            if is_thing(each, Legend({})):
                continue
            found = thing(name)
            if found is not None:
                if is_writable(f"object:{name}", TILED_LEGEND):
                    why = f"the class's name says {shown(found[1])}"
                    self.guesses.put(Entry(TILED_LEGEND, f"object:{name}", found[0], why))
            elif each.layer is not None and self._covers_some(each):
                says = _object_says(name, each.name)
                layer = each.layer
                blocks = layer_says(layer.name) if _is_plain(layer.name) else None
                if blocks is not None and blocks[0].cost is None:
                    self._say(f"layer:{layer.path}", *blocks)
                elif says is not None:
                    self._say(f"object:{name or each.name}", *says)
                elif role(layer.name) is None:
                    silent[layer.path] = silent.get(layer.path, 0) + 1
        if not self.drawn and not self.guesses.has_terrain:
            self._by_layers_of_objects(silent)

    def _covers_some(self, each: Object) -> bool:
        """Tell whether an object covers cells, but not nearly all, as frames of cameras do."""
        if each.shape in ("point", "text", "polyline"):
            return False
        xs, ys = zip(*each.corners, strict=True) if each.corners else ((0.0,), (0.0,))
        width, height = max(xs) - min(xs) or each.width, max(ys) - min(ys) or each.height
        return width * height < _NEARLY_ALL * self.pixels

    def _by_layers_of_objects(self, silent: Mapping[str, int]) -> None:
        """Guess what the layers of objects mean on a map that has no others."""
        for path in sorted(silent):
            means = meaning(path.rpartition("/")[2])
            if means is not None:
                why = f"the layer's name says {shown(means.word)}, and there are no tiles"
                self._say(f"layer:{path}", means, why, sure=False)
        if silent and not self.guesses.has_terrain:
            most = max(silent, key=lambda path: (silent[path], path))
            why = "the layer of most objects, and there are no tiles"
            self._say(f"layer:{most}", WALL, why, sure=False)


def _is_plain(layer: str) -> bool:
    """Tell whether a layer is called after what its objects are, and not after what happens there.

    Chests may be objects of a layer "Chests", but those of "Chest events" are none.
    """
    found = role(layer)
    return is_one_word(layer) or (found is not None and found[0] == "collision")


def _object_says(class_name: str, name: str) -> tuple[Meaning, str] | None:
    """Return what an object's class says it blocks, or else its name if it is nothing more."""
    # Names of objects are whole sentences in games, such as "talk to the man by the wall".
    if not class_name and not is_one_word(name):
        return None
    found = property_says(class_name or name)
    if found is None or found.cost is not None:
        return None
    whose = "class's" if class_name else "objects'"
    return found, f"the {whose} name says {shown(found.word)}"
