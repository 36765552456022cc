"""Report properties and classes that are not read but resemble names that are."""

from __future__ import annotations

from collections.abc import Iterable

from bake.levels.reading.marks import KIND_WORDS, SPOT_WORDS
from bake.levels.reading.mistakes import shown
from bake.levels.reading.names import find_near_name, normalize_name
from bake.levels.reading.remarks import RemarkCollector
from bake.levels.tiled.custom_types import CustomTypes
from bake.levels.tiled.fields import Properties
from bake.levels.tiled.layers import ELEVATION, Layer
from bake.levels.tiled.meanings import KINDS, Legend, find_kind
from bake.levels.tiled.objects import Object
from bake.levels.tiled.tilesets import Tile

_TILE_WORDS = ("terrain", "blocked", "walkable", "cost", "one_way", "barred", "elevation")
_OBJECT_WORDS = ("terrain", "blocked", "walkable", "spot", "floor")
_LAYER_WORDS = ("terrain", "bake")
_GROUP_WORDS = ("floor",)
_LINE_WORDS = ("via", "over")
#: Shorter names resemble many words of games.
_LONG_KINDS = tuple(kind for kind in KINDS if len(kind) > len("door"))


class UnreadCollector(RemarkCollector):
    """Collects remarks on near misses and on overridden members of class properties."""

    def __init__(self, legend: Legend, types: CustomTypes) -> None:
        super().__init__()
        self.types = types
        self.legend_names = {
            normalize_name(name.partition("=")[0])
            for kind, _, name in (entry.partition(":") for entry in legend.entries)
            if kind == "property"
        }
        self.legend = legend

    def add_tiles(self, tiles: Iterable[Tile]) -> None:
        for tile in tiles:
            group = f"tileset {shown(tile.tileset.name)}"
            self.types.add_class(tile.class_name)
            self._add(group, tile.fields.place, tile.properties, _TILE_WORDS)

    def add_layers(self, layers: Iterable[Layer]) -> None:
        groups = {fields.place: fields for layer in layers for fields in layer.groups}
        for place, fields in groups.items():
            self._add(place, place, fields.typed_properties("layer"), _GROUP_WORDS)
        for layer in layers:
            self.types.add_class(layer.fields.class_name("layer"))
            purpose = layer.properties.value("bake")
            if isinstance(purpose, str) and find_near_name(normalize_name(purpose), (ELEVATION,)):
                message = f'the property "bake" is {shown(purpose)}, not {shown(ELEVATION)}'
                self.add(layer.fields.place, layer.fields.place, message)
            words = _LAYER_WORDS if layer.kind == "tilelayer" else _LAYER_WORDS[:1]
            self._add(layer.fields.place, layer.fields.place, layer.properties, words)

    def add_objects(self, objects: Iterable[Object]) -> None:
        for obj in objects:
            group = "" if obj.layer is None else f"layer {shown(obj.layer.path)}"
            kind = find_kind(obj, self.legend)
            words = (*KIND_WORDS[kind], "floor") if kind in KINDS else _OBJECT_WORDS
            if obj.properties.has("to"):
                words = KIND_WORDS["link"]
            elif obj.properties.flag("spot"):
                words = SPOT_WORDS
            if obj.shape == "polyline":
                words = (*words, *_LINE_WORDS)
            self._add(group, obj.fields.place, obj.properties, words)
            near = None
            if kind in KINDS and KIND_WORDS[kind]:
                self.types.add_class(obj.class_name)
            if kind not in KINDS and self.legend.kind(obj.class_name, obj.name) is None:
                self.types.add_class(obj.class_name)
                near = find_near_name(normalize_name(obj.class_name), _LONG_KINDS)
            if near is not None:
                message = (
                    f"the class {shown(obj.class_name)} is one edit away from {shown(near)}, but "
                    f"is not read as that; rename it, or add "
                    f"{shown(f'object:{obj.class_name}')} to [tiled.legend]"
                )
                self.add(group, obj.fields.place, message)

    def _add(self, group: str, place: str, properties: Properties, words: Iterable[str]) -> None:
        for name, near in properties.find_near_misses(words):
            if normalize_name(name) in self.legend_names:
                continue
            message = (
                f"the property {shown(name)} is not read; it is one edit away from {shown(near)}"
            )
            self.add(group, place, message)
        for path, name in properties.unread_members(words):
            message = (
                f"the member {shown(path)} is not read, because another {shown(name)} with another "
                "value counts, or none of several does; write it as a property of its own"
            )
            self.add(group, place, message)
