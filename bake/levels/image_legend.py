"""Which terrain each colour of an image stands for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from bake.arrays import UInt8Array, UInt32Array
from bake.errors import LevelError
from bake.level import Colour, TerrainRule
from bake.levels.colour import colour_text, pack_colour, rgb
from bake.levels.limits import check_terrain_count
from bake.levels.unknown import UNKNOWN

#: Colours that need no legend entry.
BUILT_IN: Mapping[str, str] = {"#000000": "wall", "#ffffff": "floor"}
#: Terrain of fully transparent pixels that no legend entry names.
CLEAR = "void"
#: What the built-in terrains cost, under whatever colour they appear.
BUILT_IN_RULES: Mapping[str, TerrainRule] = {
    "wall": TerrainRule(cost=None),
    "floor": TerrainRule(cost=1.0),
    CLEAR: TerrainRule(cost=None),
}


class ImageLegend:
    """The recipe's colours, then the built-in ones the recipe does not name.

    Attributes:
        names: terrains by number, in legend order, then the built-in ones.
        colours: the first colour the legend names for a terrain, by terrain.
    """

    names: tuple[str, ...]
    colours: Mapping[str, Colour]

    def __init__(self, legend: Mapping[str, str], path: Path) -> None:
        """Number the terrains and index the colours.

        Args:
            legend: terrain by colour, "#rgb", "#rrggbb" or "#rrggbbaa".
            path: the image, for errors.

        Raises:
            LevelError: a key is no colour, or one colour stands for two terrains.
        """
        terrain_of: dict[int, str] = {}
        for text, terrain in legend.items():
            packed = pack_colour(text)
            place = f'[legend] "{text}"'
            if packed is None:
                raise LevelError(
                    f"'{text}' is no colour",
                    file=path,
                    place=place,
                    expected='"#rgb", "#rrggbb" or "#rrggbbaa"',
                )
            if terrain_of.setdefault(packed, terrain) != terrain:
                raise LevelError(
                    f"{colour_text(packed)} stands for '{terrain_of[packed]}' and '{terrain}'",
                    file=path,
                    place=place,
                    expected="one terrain for each colour",
                )
        for text, terrain in BUILT_IN.items():
            packed = pack_colour(text)
            assert packed is not None
            terrain_of.setdefault(packed, terrain)

        self.names = tuple(dict.fromkeys([*terrain_of.values(), CLEAR]))
        check_terrain_count(path, len(self.names), "[legend]")
        number = {name: code for code, name in enumerate(self.names)}
        colours: dict[str, Colour] = {}
        # One byte for each of the 16.7 million opaque colours: a look-up costs the same however
        # many colours the legend has, and no image has to be sorted.
        self._opaque = np.full(2**24, UNKNOWN, dtype=np.uint8)
        self._translucent: dict[int, int] = {}
        for packed, terrain in terrain_of.items():
            colours.setdefault(terrain, rgb(packed))
            if packed & 0xFF == 0xFF:
                self._opaque[packed >> 8] = number[terrain]
            else:
                self._translucent[packed] = number[terrain]
        self.colours = colours
        self._clear = number[CLEAR]
        self._names_clear = any(packed & 0xFF == 0 for packed in self._translucent)

    def look_up(self, packed: UInt32Array) -> UInt8Array:
        """Terrain of each colour.

        Args:
            packed: colours as 0xrrggbbaa, any shape.

        Returns:
            Index into ``names``, or UNKNOWN; same shape.
        """
        terrain: UInt8Array = self._opaque[packed >> np.uint32(8)]
        alpha = packed.astype(np.uint8)
        translucent = alpha != 255
        if not self._names_clear:
            clear = alpha == 0
            terrain[clear] = self._clear
            translucent &= ~clear
        if translucent.any():
            colours, inverse = np.unique(packed[translucent], return_inverse=True)
            codes = [self._translucent_code(int(colour)) for colour in colours]
            terrain[translucent] = np.array(codes, dtype=np.uint8)[inverse]
        return terrain

    def _translucent_code(self, packed: int) -> int:
        return self._translucent.get(packed, self._clear if packed & 0xFF == 0 else UNKNOWN)
