"""The keys of a recipe, and resolved recipes with the merged rules of each level.

Each key is declared once, at its field of :class:`LevelRecipe` or :class:`ProfileRecipe`. Recipes
with the same meaning are equal, independent of the form of their files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from bake.core.graph import DEFAULT_TICKS_PER_UNIT
from bake.core.level import Division, MeshNodes, TerrainRule
from bake.core.movement import MAX_SIZE
from bake.levels.elevation import ElevationImage
from bake.levels.reading.editors import EditorReading, LdtkReading, TiledReading
from bake.levels.reading.limits import DEFAULT_MEMORY_BUDGET
from bake.levels.reading.mistakes import Mistake
from bake.levels.reading.text import TextReading
from bake.project.recipe.parts import (
    ELEVATION,
    LDTK,
    LINT,
    SLOPES,
    TERRAIN,
    TERRAIN_ABOUT,
    TEXT,
    TILED,
    Severity,
)
from bake.project.recipe.tables import Named, Table, key, list_declarations, resolve_fields
from bake.project.recipe.values import (
    CELL_SIZE,
    COLOUR_KEY,
    FLAG,
    MEMORY,
    ORIGIN,
    PROFILE_NAME,
    TERRAIN_NAME,
    Items,
    choice,
    integer,
    number,
    quote,
)
from levelbake.places import Point
from levelbake.steps import Connectivity, CornerCutting, CostRule, Headings

Algorithm = Literal["auto", "dijkstra", "floyd_warshall"]
DistanceStorage = Literal["auto", "labels"]
HierarchyMode = Literal["hpa", "none"]
HeuristicKind = Literal["auto", "landmark"]
#: The tables that a recipe can request, in the order in which they are baked.
TABLE_NAMES = (
    "components",
    "next_hops",
    "distances",
    "clusters",
    "hierarchy",
    "cluster_distances",
    "heuristic",
)

RECIPE_NAME = "bake.toml"
DEFAULT_FOLDER = "levels_src"
DEFAULT_SOURCES = (f"{DEFAULT_FOLDER}/*",)
DEFAULT_OUTPUT = "baked"

MAX_TICKS_PER_UNIT = 2**24
MIN_CLUSTER_SIZE = 4
MAX_CLUSTER_SIZE = 1024
#: The default side of clusters in cells if only distances between clusters are baked.
LONE_CLUSTER_SIZE = 8
MAX_SPACING = 1024
MAX_RADIUS = 65_536
MAX_LEVELS = 16
MIN_HEURISTIC_BYTES = 8
MAX_HEURISTIC_BYTES = 256


def _sort_by_name(table: dict[str, Any]) -> dict[str, Any]:
    # Sort all entries, so that no table depends on the order in a recipe.
    return dict(sorted(table.items()))


@dataclass(frozen=True)
class ProfileRecipe:
    """The rules of a kind of agent in a recipe."""

    name: str
    terrain: Mapping[str, TerrainRule] = key(
        "terrain",
        replace(TERRAIN, example='terrain = { water = "blocked" }'),
        TERRAIN_ABOUT,
        dict,
        make=_sort_by_name,
    )
    size: int = key(
        "size",
        integer(1, MAX_SIZE, of=" of cells"),
        "Cells along one side of its square footprint, whose north-west cell is where it is.",
        1,
    )
    #: By field names of SlopeRule.
    slopes: Mapping[str, float] = key(
        "slopes", replace(SLOPES, example="slopes = { climb = 2 }"), "", dict, make=_sort_by_name
    )
    radius: float = key(
        "radius",
        number(0, MAX_RADIUS),
        "Radius of its round footprint on a divided plane, in units of the plane.",
        0.0,
    )
    turn: float = key(
        "turn",
        number(0, above=True),
        "Units that turning by one heading costs, on levels with headings.",
        1.0,
    )


def _build_profiles(tables: Mapping[str, Mapping[str, Any]]) -> tuple[ProfileRecipe, ...]:
    return tuple(
        ProfileRecipe(name, **resolve_fields(ProfileRecipe, table))
        for name, table in sorted(tables.items())
    )


PROFILE = Table(
    "ProfileTable",
    "One kind of agent.",
    '[profiles.walker] with terrain = { water = "blocked" }',
    {
        declaration.path: declaration.key
        for declaration in list_declarations(ProfileRecipe).values()
    },
)


@dataclass(frozen=True)
class LevelRecipe:
    """The rules of one level, merged with the rules of the project.

    None means the default of the level's format. Mappings are sorted, except for the legend of
    Tiled.
    """

    connectivity: Connectivity | None = key(
        "connectivity",
        choice((4, 8), remedy="leave it out for hexagonal grids, which always have 6"),
        "Neighbors of a square cell. Default: by the level's format, else 8.",
        stated="always",
    )
    headings: Headings | None = key(
        "headings",
        choice(Headings),
        "Directions that an agent can face: 4 or 8 on squares, 6 on hexagons. A node is then a "
        "cell and a heading, and turning costs. Default: agents have no heading.",
        stated="changed",
    )
    corner_cutting: CornerCutting | None = key(
        "corner_cutting",
        choice(CornerCutting),
        "Whether a diagonal step may pass a blocked corner: never, if one side is free, or always. "
        'Default: by the level\'s format, else "never".',
        stated="always",
    )
    cost_rule: CostRule | None = key(
        "cost_rule",
        choice(CostRule),
        "What a step costs: its length times the mean of both cells' costs, or times the cost of "
        'the cell entered. Default: by the level\'s format, else "mean".',
        stated="always",
    )
    ticks_per_unit: int = key(
        "ticks_per_unit",
        integer(1, MAX_TICKS_PER_UNIT),
        "Fixed-point scale of costs.",
        DEFAULT_TICKS_PER_UNIT,
        stated="always",
    )
    division: Division | None = key(
        "division",
        choice(Division),
        "How a level is divided into nodes: its cells, convex polygons of a navigation mesh, "
        "points of visibility, or Dirichlet domains. Default: levels of cells into these, levels "
        'of shapes "mesh".',
        stated="changed",
    )
    cell_size: float | Point | None = key(
        "cell_size",
        CELL_SIZE,
        "Width and height of a cell in the game's plane, unless the level file sets it: one "
        "number or [width, height]. Default: 1.",
        stated="changed",
    )
    origin: Point | None = key(
        "origin",
        ORIGIN,
        "The top left corner of a level, unless its file sets it. Default: [0, 0].",
        stated="changed",
    )
    memory_budget: int = key(
        "memory_budget",
        MEMORY,
        'Bytes a bake may use, or text with a unit. Default: "2 GiB".',
        DEFAULT_MEMORY_BUDGET,
    )
    #: in the order of ``TABLE_NAMES``; None = auto
    tables: tuple[str, ...] | None = key(
        "tables",
        Items(
            f'"auto" or a list of {", ".join(map(quote, TABLE_NAMES))}',
            choice(TABLE_NAMES),
            'use "auto" for every table',
            TABLE_NAMES.index,
            auto=True,
        ),
        'Products to bake. Default: "auto", which is all but distances and the heuristic.',
    )
    algorithm: Algorithm = key(
        "next_hops.algorithm",
        choice(Algorithm),
        "",
        "auto",
        usually=", by size and density",
    )
    distance_storage: DistanceStorage = key(
        "distances.storage",
        choice(
            DistanceStorage,
            gone={"dense": 'distances are always kept as labels: write "labels"'},
        ),
        '"labels": some tens of bytes per node.',
        "auto",
        usually=', which is labels where tables names "distances", and no distances where tables '
        'is "auto"',
        stated="changed",
    )
    cluster_size: int = key(
        "clusters.size",
        integer(MIN_CLUSTER_SIZE, MAX_CLUSTER_SIZE),
        "Side of a cluster in cells; on graphs one has about its square of nodes.",
        32,
        usually=f", or {LONE_CLUSTER_SIZE} where tables names cluster_distances and there is no "
        "hierarchy",
        stated="always",
    )
    cluster_regions: bool = key(
        "clusters.regions",
        FLAG,
        "Whether regions of a level are clusters; cells outside regions belong to squares.",
        False,
        stated="always",
    )
    hierarchy: HierarchyMode = key(
        "hierarchy.mode",
        choice(
            HierarchyMode,
            remedy="shortest paths need no hierarchy: nav.path is exact without any",
        ),
        '"hpa": a few transitions an entrance; "none".',
        "hpa",
        stated="always",
    )
    spacing: int = key(
        "hierarchy.spacing",
        integer(1, MAX_SPACING),
        "The most steps between neighboring transitions of an entrance.",
        8,
        stated="always",
    )
    levels: int = key(
        "hierarchy.levels",
        integer(
            1,
            MAX_LEVELS,
            gone={"auto": "leave levels out: a plan is a search, for which one layer is enough"},
        ),
        "Layers, each of clusters twice as wide.",
        1,
        stated="always",
    )
    keep_paths: bool = key(
        "hierarchy.keep_paths",
        FLAG,
        "Whether paths inside clusters are stored; otherwise they are searched for.",
        True,
        stated="always",
    )
    #: Severity by rule of `bake lint`, for rules that the recipe sets.
    lint: Mapping[str, Severity] = key("lint", LINT, "", dict)
    heuristic_kind: HeuristicKind = key(
        "heuristic.kind",
        choice(HeuristicKind, gone={"field": 'leave it out: searches take heuristic="exact"'}),
        '"landmark": distances to a few places.',
        "auto",
        usually=', which is "landmark" where tables names "heuristic", else no heuristic',
        stated="always",
    )
    heuristic_bytes: int = key(
        "heuristic.bytes_per_node",
        integer(MIN_HEURISTIC_BYTES, MAX_HEURISTIC_BYTES),
        "The most bytes of the heuristic per node.",
        20,
        stated="always",
    )
    mesh_nodes: MeshNodes = key(
        "mesh.nodes",
        choice(MeshNodes),
        'Where nodes lie: "centre" of each polygon, "edge": in the middle of each shared edge, '
        '"portal": in the middle and at both ends.',
        "centre",
        stated="changed",
    )
    export_flat: bool = key("export.flat", FLAG, "Whether each build writes LEVEL.bake.", False)
    export_distances: bool = key(
        "export.distances",
        FLAG,
        "Whether it holds distances, which tables has to name.",
        False,
    )
    export_hierarchy: bool = key(
        "export.hierarchy",
        FLAG,
        "Whether it holds clusters and hierarchies, for the Python reader.",
        False,
    )
    #: By colors, "#rrggbb" where opaque, else "#rrggbbaa", in lower case.
    legend: Mapping[str, str] = key(
        "legend",
        Named(COLOUR_KEY, TERRAIN_NAME, '[legend] with "#3a7d44" = "grass"', noun="color"),
        "Terrain by color, for images and drawings.",
        dict,
        make=_sort_by_name,
    )
    elevation: ElevationImage | None = key(
        "elevation",
        ELEVATION,
        stated="changed",
        make=lambda table: ElevationImage(**table) if table else None,
    )
    #: By field names of SlopeRule.
    slopes: Mapping[str, float] = key(
        "slopes", SLOPES, "", dict, stated="changed", make=_sort_by_name
    )
    tiled: TiledReading = key(
        "tiled", TILED, "", TiledReading, make=lambda table: TiledReading(**table)
    )
    ldtk: LdtkReading = key(
        "ldtk",
        LDTK,
        "",
        LdtkReading,
        make=lambda table: LdtkReading(
            **{**table, "legend": _sort_by_name(table.get("legend", {}))}
        ),
    )
    text: TextReading = key(
        "text",
        TEXT,
        "",
        TextReading,
        make=lambda table: TextReading(
            **{name: _sort_by_name(entries) for name, entries in table.items()}
        ),
    )
    terrain: Mapping[str, TerrainRule] = key(
        "terrain", TERRAIN, TERRAIN_ABOUT, dict, make=_sort_by_name
    )
    profiles: tuple[ProfileRecipe, ...] = key(
        "profiles",
        Named(
            PROFILE_NAME,
            PROFILE,
            "[profiles.walker]",
            Mistake(
                "found no profile",
                "at least one, such as [profiles.walker]",
                'leave the table out for one profile called "default"',
            ),
        ),
        'Kinds of agents by name. Default: one called "default".',
        (ProfileRecipe("default"),),
        make=_build_profiles,
    )
    #: Whether this run excludes some profiles of the recipe; not a key of recipes.
    narrowed: bool = False

    def canonical(self, terrains: Iterable[str] = ()) -> str:
        """Return one line of JSON that is equal for two recipes if and only if their tables are.

        The order of keys, profiles, tables and ``enter_from`` does not matter.

        Args:
            terrains: terrains that are null under "terrain" unless the recipe has a rule.
        """
        # `algorithm`, `memory_budget` and exports are excluded, as they cannot make an asset stale:
        # all algorithms compute the same tables, and the budget cannot change a table.
        rules: dict[str, Any] = {
            "tables": None if self.tables is None else sorted(self.tables),
            "legend": dict(self.legend),
            "terrain": {**dict.fromkeys(terrains), **_plain_rules(self.terrain)},
            "profiles": {profile.name: _plain_rules(profile.terrain) for profile in self.profiles},
        }
        # Rare keys are stated only if they are set, so that new keys make no other asset stale.
        for name, declaration in list_declarations(LevelRecipe).items():
            value = getattr(self, name)
            changed = declaration.stated == "changed" and value != getattr(_DEFAULTS, name)
            if changed or declaration.stated == "always":
                table, _, key = declaration.path.rpartition(".")
                stated = rules.setdefault(table, {}) if table else rules
                stated[key] = asdict(value) if isinstance(value, ElevationImage) else value
        sizes = {profile.name: profile.size for profile in self.profiles if profile.size != 1}
        if sizes:
            rules["sizes"] = sizes
        if self.headings is not None:
            rules["turns"] = {profile.name: profile.turn for profile in self.profiles}
        if any(profile.slopes for profile in self.profiles):
            slopes = {profile.name: dict(profile.slopes) for profile in self.profiles}
            rules["profile_slopes"] = slopes
        radii = {profile.name: profile.radius for profile in self.profiles if profile.radius}
        if radii:
            rules["radii"] = radii
        # The table of an editor is stated only if it is set, so that a new editor makes no other
        # asset stale. Permission to read a file does not affect its contents.
        for name, editor in (("tiled", self.tiled), ("ldtk", self.ldtk)):
            if replace(editor, allow_outside=False) != type(editor)():
                rules[name] = _plain_editor(editor)
        if self.text != TextReading():
            rules["text"] = asdict(self.text)
        return json.dumps(rules, sort_keys=True, separators=(",", ":"), allow_nan=False)


_DEFAULTS = LevelRecipe()


@dataclass(frozen=True)
class Recipe:
    """A complete `bake.toml`, with the rules of all levels."""

    file: Path | None = None  #: path of the file; None = the built-in defaults
    sources: tuple[str, ...] = DEFAULT_SOURCES  #: globs of level files, relative to ``folder``
    output: str = DEFAULT_OUTPUT  #: folder of the assets, absolute or relative to ``folder``
    defaults: LevelRecipe = _DEFAULTS  #: rules of levels without a table
    #: rules by level name (file name without extension), merged over the defaults
    levels: Mapping[str, LevelRecipe] = field(default_factory=dict)
    #: rules by file name and level name, if both the file and the level have a table; both tables
    #: are merged over the defaults
    inside: Mapping[tuple[str, str], LevelRecipe] = field(default_factory=dict)

    def for_level(self, name: str, file: str | None = None) -> LevelRecipe:
        """Return the rules of one level.

        Args:
            name: the name of the level.
            file: the name of its file without extension, if the two names differ.
        """
        level_rules = self.levels.get(name, self.defaults)
        if file is None or file == name:
            return level_rules
        file_rules = self.levels.get(file, self.defaults)
        return self.inside.get((file, name), level_rules if name in self.levels else file_rules)

    @property
    def folder(self) -> Path:
        """The base folder of relative paths: the folder of the file, or the working directory."""
        return Path() if self.file is None else self.file.parent


def _plain_rules(terrain: Mapping[str, TerrainRule]) -> dict[str, object]:
    return {
        name: {
            "cost": None if rule.cost is None else float(rule.cost),
            "enter_from": None if rule.enter_from is None else sorted(rule.enter_from),
        }
        for name, rule in terrain.items()
    }


def _plain_editor(editor: EditorReading) -> dict[str, object]:
    return {
        "layers": None if editor.layers is None else sorted(editor.layers),
        "ignore": sorted(editor.ignore),
        "empty": editor.empty,
        "legend": list(editor.legend.items()) if editor.ordered else dict(editor.legend),
        "world": editor.world,
    }
