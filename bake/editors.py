"""How the files of level editors are read: what a recipe says beyond the file itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: In place of a terrain: the tile leaves what lies below it.
BELOW = "below"


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
        allow_outside: whether files outside the project folder may be read.
    """

    layers: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    empty: str = "void"
    legend: Mapping[str, str] = field(default_factory=dict)
    allow_outside: bool = False
