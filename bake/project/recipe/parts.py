"""The tables of a recipe for terrain, slopes, elevation, lint, editors and text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from bake.core.level import TerrainRule
from bake.levels.reading.editors import WorldAs
from bake.levels.reading.mistakes import Mistake
from bake.project.recipe.tables import Key, Kind, Named, Table
from bake.project.recipe.values import (
    COST,
    COST_EXPECTED,
    ENTER_FROM,
    FLAG,
    IMAGE,
    LAYERS,
    LDTK_KEY,
    MAX_COST,
    SPOT_KIND,
    SYMBOL_KEY,
    TERRAIN_NAME,
    TILED_KEY,
    choice,
    number,
)

#: The severity of a finding of `bake lint`.
Severity = Literal["error", "warning", "notice", "off"]

#: The configurable rules of `bake lint`, with default severity and description.
_RULES: Mapping[str, tuple[Severity, str]] = {
    "spawns": ("error", "Spawns in cells where their profile cannot stand."),
    "exits": ("error", "Spawns from which no exit can be reached."),
    "islands": ("warning", "Cells that cannot be reached."),
    "traps": ("warning", "Cells that can be entered, but not left."),
    "links": ("error", "Links with an unreachable end, or without a profile."),
    "narrow": ("notice", "Cells too narrow for a large profile."),
    "ignored": ("warning", "Layers, objects and shapes that are ignored."),
    "classes": ("notice", "Classes of Tiled without a project file that defines them."),
    "gravity": ("warning", "Levels that look like levels of platformers."),
    "straight": ("notice", "Straight lines of a divided plane through walls."),
    "terrain": ("notice", "Terrains that no cell has."),
    "legend": ("warning", "Entries of a legend that match nothing."),
    "recipe": ("warning", "Keys of the recipe that became terrains by accident."),
}
DEFAULT_SEVERITY: Mapping[str, Severity] = {name: usual for name, (usual, _) in _RULES.items()}


def _build_rule(values: dict[str, Any]) -> TerrainRule:
    rule = TerrainRule(**values)
    if rule.cost is None and rule.enter_from is not None:
        raise Mistake(
            'found enter_from beside cost = "blocked"',
            "one of the two",
            "blocked terrain can't be entered from anywhere",
        )
    return rule


def _check_elevation(values: dict[str, Any]) -> dict[str, Any]:
    if values and "image" not in values:
        raise Mistake("found no image", "image beside unit and zero")
    return values


_RULE = Table(
    "RuleTable",
    "The movement rules of one terrain.",
    "",
    {
        "cost": Key(COST, 'Units to cross one cell, or "blocked".'),
        "enter_from": Key(ENTER_FROM, "Terrains it may be entered from. Default: from any."),
    },
    required={"cost": Mistake("found no cost", COST_EXPECTED, "add cost = 1, say")},
    short="cost",
    make=_build_rule,
)
TERRAIN = Named(TERRAIN_NAME, _RULE, "[terrain] with grass = 1")
TERRAIN_ABOUT = 'Cost by terrain: a number, "blocked", or a table.'
_AT_LEAST_ZERO = number(0)
SLOPES = Table(
    "SlopesTable",
    "The cost of rising and falling ground, on levels with elevation.",
    "[slopes] with climb = 2",
    {
        "up": Key(
            _AT_LEAST_ZERO,
            "Units added to the cost of a step per unit of rise. Default: 0.",
        ),
        "down": Key(
            _AT_LEAST_ZERO, "Units added to the cost of a step per unit of fall. Default: 0."
        ),
        "climb": Key(_AT_LEAST_ZERO, "The largest rise of one step. Default: any."),
        "drop": Key(_AT_LEAST_ZERO, "The largest fall of one step. Default: any."),
    },
)
ELEVATION = Table(
    "ElevationTable",
    "An image with the elevation of the cells of a level, one pixel per cell.",
    '[elevation] with image = "heights.png"',
    {
        "image": Key(
            IMAGE,
            "Path of a lossless grayscale image with 8 or 16 bits per pixel and the size of the "
            "level, relative to the folder of the recipe.",
        ),
        "unit": Key(number(0, above=True), "Units of elevation per gray level. Default: 1."),
        "zero": Key(number(-MAX_COST), "Elevation of black, in units. Default: 0."),
    },
    make=_check_elevation,
)
LINT = Table(
    "LintTable",
    'The severity of the rules of `bake lint`: "error", "warning", "notice" or "off".',
    '[lint] with islands = "error"',
    {
        name: Key(choice(Severity), f'{about} Default: "{usual}".')
        for name, (usual, about) in _RULES.items()
    },
)


def _editor_table(name: str, about: str, example: str, legend_kind: Named, **abouts: str) -> Table:
    """Return the table of a level editor; all editors have the same keys."""
    kinds: dict[str, Kind] = {
        "layers": LAYERS,
        "ignore": LAYERS,
        "empty": TERRAIN_NAME,
        "legend": legend_kind,
        "world": choice(WorldAs),
        "allow_outside": FLAG,
    }
    descriptions = {
        "ignore": "Layers to skip, named as in layers. Default: none.",
        "world": "Whether the maps or levels of a world bake as one level, or one asset each. "
        'Default: "one".',
        "allow_outside": "Whether files outside the recipe's folder may be read. Default: false.",
        **abouts,
    }
    return Table(
        name, about, example, {key: Key(kind, descriptions[key]) for key, kind in kinds.items()}
    )


TILED = _editor_table(
    "TiledTable",
    "Options for reading maps of the Tiled editor.",
    '[tiled] with ignore = ["Shadows"]',
    Named(TILED_KEY, TERRAIN_NAME, '[tiled.legend] with "layer:Walls" = "wall"'),
    layers="Tile layers to read, by name or path (Group/Layer). Default: all.",
    empty='Terrain of cells without a tile. Default: "void".',
    legend='Terrain, or "below", by what a tile is: "tile:SET:IDS", "property:NAME", '
    '"property:NAME=VALUE", "class:NAME", "wang:NAME", "tileset:NAME", "layer:NAME"; terrain of '
    'collision shapes by "collision" or "collision:CLASS"; terrain of objects, or kind of thing, '
    'by "object:CLASS".',
)
LDTK = _editor_table(
    "LdtkTable",
    "Options for reading projects of the LDtk editor.",
    '[ldtk] with world = "each"',
    Named(LDTK_KEY, TERRAIN_NAME, '[ldtk.legend] with "value:walls" = "wall"'),
    layers="Layers to read, by identifier. Default: all.",
    empty='Terrain of cells that are empty in every layer. Default: "floor".',
    legend='Terrain, or "below", by what a cell holds: "value:NAME", "value:LAYER:NAME", '
    '"value:LAYER:NUMBER", "tile:SET:IDS", "enum:TAG", "tileset:NAME", "layer:NAME", '
    '"area:ENTITY"; kind of thing by "entity:NAME".',
)
TEXT = Table(
    "TextTable",
    "Options for reading text levels: rows of characters (.txt) and separated values (.csv).",
    '[text.legend] with "~" = "water"',
    {
        "legend": Key(
            Named(
                SYMBOL_KEY,
                TERRAIN_NAME,
                '[text.legend] with "~" = "water"',
                noun="character",
            ),
            'Terrain by character, or by the value of a cell; " " is a blank or an empty cell.',
        ),
        "spots": Key(
            Named(SYMBOL_KEY, SPOT_KIND, '[text.spots] with "@" = "spawn"', noun="character"),
            'Kind of spot by character or value: "spawn", "exit" or any other word.',
        ),
    },
)
