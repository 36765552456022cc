"""How the files of level editors are read: what a recipe says beyond the file itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

#: In place of a terrain: the tile leaves what lies below it.
BELOW = "below"

#: How a source of several levels bakes: joined into one level, or one asset each.
WorldAs = Literal["one", "each"]


@dataclass(frozen=True)
class TiledReading:
    """How Tiled maps are read.

    Attributes:
        layers: names or paths ("Group/Layer") of the layers that count; None = all.
        ignore: names or paths of layers that do not.
        empty: terrain of cells without a tile.
        legend: terrain, or BELOW, by what a tile is: "tile:SET:IDS", "property:NAME[=VALUE]",
            "class:NAME", "wang:NAME", "tileset:NAME", "layer:NAME"; and kind of thing by
            "object:CLASS".
        world: what the maps of a .world file bake to.
        allow_outside: whether files outside the project folder may be read.
    """

    layers: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    empty: str = "void"
    legend: Mapping[str, str] = field(default_factory=dict)
    world: WorldAs = "one"
    allow_outside: bool = False


@dataclass(frozen=True)
class LdtkReading:
    """How projects of the LDtk editor are read.

    Attributes:
        layers: identifiers of the layers that count; None = all.
        ignore: identifiers of layers that do not.
        empty: terrain of cells no layer says anything of.
        legend: terrain, or BELOW, by what a cell holds: "value:NAME", "value:LAYER:NAME",
            "value:LAYER:NUMBER", "tile:SET:IDS", "enum:TAG", "tileset:NAME", "layer:NAME",
            "area:ENTITY"; and kind of thing by "entity:NAME".
        world: what the levels of a world bake to.
        allow_outside: whether level files outside the project folder may be read.
    """

    layers: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    empty: str = "floor"
    legend: Mapping[str, str] = field(default_factory=dict)
    world: WorldAs = "one"
    allow_outside: bool = False
