"""How the files of level editors are read: what a recipe says beyond the file itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

#: In place of a terrain: the tile leaves what lies below it.
BELOW = "below"

#: How a source of several levels bakes: joined into one level, or one asset each.
WorldAs = Literal["one", "each"]


@dataclass(frozen=True)
class EditorReading:
    """What a recipe may say about any editor's files.

    Attributes:
        layers: names of the layers that count; None = all.
        ignore: names of layers that do not.
        empty: terrain of cells that no layer says anything of.
        legend: terrain, or BELOW, by what a tile or cell is.
        world: what the levels of a world bake to.
        allow_outside: whether files outside the project folder may be read.
        ordered: whether the order of the legend means anything.
    """

    layers: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    empty: str = "void"
    legend: Mapping[str, str] = field(default_factory=dict)
    world: WorldAs = "one"
    allow_outside: bool = False
    ordered: ClassVar[bool] = False


@dataclass(frozen=True)
class TiledReading(EditorReading):
    """How Tiled maps are read.

    Layers go by name or path ("Group/Layer"). Keys of the legend are "tile:SET:IDS",
    "property:NAME[=VALUE]", "class:NAME", "wang:NAME", "tileset:NAME" and "layer:NAME";
    "object:CLASS" gives the kind of a thing. Of several entries about properties the first applies.
    """

    ordered: ClassVar[bool] = True


@dataclass(frozen=True)
class LdtkReading(EditorReading):
    """How projects of the LDtk editor are read.

    Layers go by identifier. Keys of the legend are "value:NAME", "value:LAYER:NAME",
    "value:LAYER:NUMBER", "tile:SET:IDS", "enum:TAG", "tileset:NAME", "layer:NAME" and
    "area:ENTITY"; "entity:NAME" gives the kind of a thing.
    """

    empty: str = "floor"
