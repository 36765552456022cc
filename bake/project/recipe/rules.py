"""Declare every key of a recipe, and describe a resolved one, each level's rules merged.

Each key is declared once, at the field of :class:`LevelRecipe` or :class:`ProfileRecipe` that it
sets. Two recipes that mean the same are equal however their files are written.
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
from bake.project.recipe.tables import Named, Table, declared, key, resolved
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
    number,
    quoted,
    whole,
)
from levelbake.places import Point
from levelbake.steps import Connectivity, CornerCutting, CostRule, Headings

Algorithm = Literal["auto", "dijkstra", "floyd_warshall"]
DistanceStorage = Literal["auto", "labels"]
HierarchyMode = Literal["hpa", "none"]
HeuristicKind = Literal["auto", "landmark"]
#: Every product a recipe can ask for, in the order they are baked.
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
#: Side of clusters that nothing but distances between them is baked of, if a recipe says none.
LONE_CLUSTER_SIZE = 8
MAX_SPACING = 1024
MAX_RADIUS = 65_536
MAX_LEVELS = 16
MIN_HEURISTIC_BYTES = 8
MAX_HEURISTIC_BYTES = 256


def _by_name(table: dict[str, Any]) -> dict[str, Any]:
    # Everything is sorted, so that no table can depend on the order in which a recipe was written.
    return dict(sorted(table.items()))


@dataclass(frozen=True)
class ProfileRecipe:
    """One kind of agent: its name, and what a recipe says of it."""

    name: str
    terrain: Mapping[str, TerrainRule] = key(
        "terrain",
        replace(TERRAIN, example='terrain = { water = "blocked" }'),
        TERRAIN_ABOUT,
        dict,
        make=_by_name,
    )
    size: int = key(
        "size",
        whole(1, MAX_SIZE, of=" of cells"),
        "Cells along one side of its square footprint, whose north-west cell is where it is.",
        1,
    )
    #: By the names of a SlopeRule.
    slopes: Mapping[str, float] = key(
        "slopes", replace(SLOPES, example="slopes = { climb = 2 }"), "", dict, make=_by_name
    )
    radius: float = key(
        "radius",
        number(0, MAX_RADIUS),
        "Of its round footprint where the plane is divided, in units of the plane.",
        0.0,
    )
    turn: float = key(
        "turn",
        number(0, above=True),
        "Units that turning by one heading costs, on levels with headings.",
        1.0,
    )


def _profiles(tables: Mapping[str, Mapping[str, Any]]) -> tuple[ProfileRecipe, ...]:
    return tuple(
        ProfileRecipe(name, **resolved(ProfileRecipe, table))
        for name, table in sorted(tables.items())
    )


PROFILE = Table(
    "ProfileTable",
    "One kind of agent.",
    '[profiles.walker] with terrain = { water = "blocked" }',
    {each.path: each.key for each in declared(ProfileRecipe).values()},
)


@dataclass(frozen=True)
class LevelRecipe:
    """The rules one level is baked under, with the project's already merged in.

    A key of None is as the level's format says. Mappings are sorted, but for the legend of Tiled.
    """

    connectivity: Connectivity | None = key(
        "connectivity",
        choice((4, 8), remedy="leave it out for hexagonal grids, which always have 6"),
        "Neighbours of a square cell. Default: as the level's format says, else 8.",
        stated="always",
    )
    headings: Headings | None = key(
        "headings",
        choice(Headings),
        "Ways an agent can face: 4 or 8 on squares, 6 on hexagons. A place is a cell and a heading "
        "then, and turning costs. Default: nobody faces any way.",
        stated="changed",
    )
    corner_cutting: CornerCutting | None = key(
        "corner_cutting",
        choice(CornerCutting),
        "Whether a diagonal step may pass a blocked corner: never, if one side is free, or always. "
        'Default: as the level\'s format says, else "never".',
        stated="always",
    )
    cost_rule: CostRule | None = key(
        "cost_rule",
        choice(CostRule),
        "What a step costs: its length times the mean of both cells' costs, or times the cost of "
        'the cell entered. Default: as the level\'s format says, else "mean".',
        stated="always",
    )
    ticks_per_unit: int = key(
        "ticks_per_unit",
        whole(1, MAX_TICKS_PER_UNIT),
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
        "Width and height of a cell in the game's plane, for levels whose file does not say: one "
        "number or [width, height]. Default: 1.",
        stated="changed",
    )
    origin: Point | None = key(
        "origin",
        ORIGIN,
        "Where the top left corner of a level lies, if its file does not say. Default: [0, 0].",
        stated="changed",
    )
    memory_budget: int = key(
        "memory_budget",
        MEMORY,
        'Bytes a bake may use, or text with a unit. Default: "2 GiB".',
        DEFAULT_MEMORY_BUDGET,
    )
    #: In the order of ``TABLE_NAMES``; None = auto.
    tables: tuple[str, ...] | None = key(
        "tables",
        Items(
            f'"auto" or a list of {", ".join(map(quoted, TABLE_NAMES))}',
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
        '"labels": some tens of bytes a place.',
        "auto",
        usually=', which is labels where tables names "distances", and no distances where tables '
        'is "auto"',
        stated="changed",
    )
    cluster_size: int = key(
        "clusters.size",
        whole(MIN_CLUSTER_SIZE, MAX_CLUSTER_SIZE),
        "Side of a cluster in cells; on graphs one has about its square of nodes.",
        32,
        usually=f", or {LONE_CLUSTER_SIZE} where tables names cluster_distances and there is no "
        "hierarchy",
        stated="always",
    )
    cluster_regions: bool = key(
        "clusters.regions",
        FLAG,
        "Whether regions of a level are clusters; places outside of them fall to squares.",
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
        whole(1, MAX_SPACING),
        "Most steps from one transition of an entrance to the next.",
        8,
        stated="always",
    )
    levels: int = key(
        "hierarchy.levels",
        whole(
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
        "Whether ways inside clusters are kept; else they are searched for.",
        True,
        stated="always",
    )
    #: The severity of what `bake lint` finds, by rule, where the recipe says one.
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
        whole(MIN_HEURISTIC_BYTES, MAX_HEURISTIC_BYTES),
        "What the heuristic may take for each place.",
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
    #: By colours, "#rrggbb" where opaque, else "#rrggbbaa", in lower case.
    legend: Mapping[str, str] = key(
        "legend",
        Named(COLOUR_KEY, TERRAIN_NAME, '[legend] with "#3a7d44" = "grass"', noun="colour"),
        "Terrain by colour of an image's pixels.",
        dict,
        make=_by_name,
    )
    elevation: ElevationImage | None = key(
        "elevation",
        ELEVATION,
        stated="changed",
        make=lambda table: ElevationImage(**table) if table else None,
    )
    #: By the names of a SlopeRule.
    slopes: Mapping[str, float] = key("slopes", SLOPES, "", dict, stated="changed", make=_by_name)
    tiled: TiledReading = key(
        "tiled", TILED, "", TiledReading, make=lambda table: TiledReading(**table)
    )
    ldtk: LdtkReading = key(
        "ldtk",
        LDTK,
        "",
        LdtkReading,
        make=lambda table: LdtkReading(**{**table, "legend": _by_name(table.get("legend", {}))}),
    )
    text: TextReading = key(
        "text",
        TEXT,
        "",
        TextReading,
        make=lambda table: TextReading(**{name: _by_name(each) for name, each in table.items()}),
    )
    terrain: Mapping[str, TerrainRule] = key("terrain", TERRAIN, TERRAIN_ABOUT, dict, make=_by_name)
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
        make=_profiles,
    )
    #: Whether some of the recipe's profiles were left out of this run, which no recipe says.
    narrowed: bool = False

    def canonical(self, terrains: Iterable[str] = ()) -> str:
        """Write one line of JSON that is equal for two recipes exactly when they bake equal tables.

        Orders that mean nothing (of keys, profiles, tables, ``enter_from``) leave no trace.

        Args:
            terrains: terrains that stand as null below "terrain" where the recipe has no rule.
        """
        # `algorithm` and `memory_budget` are left out: every algorithm gives the same tables, and
        # the budget decides only whether a bake succeeds, so neither can make an asset stale. Nor
        # can what is exported from it.
        rules: dict[str, Any] = {
            "tables": None if self.tables is None else sorted(self.tables),
            "legend": dict(self.legend),
            "terrain": {**dict.fromkeys(terrains), **_plain_rules(self.terrain)},
            "profiles": {profile.name: _plain_rules(profile.terrain) for profile in self.profiles},
        }
        # What few recipes say is left out where it is not said, so that no other asset is stale.
        for name, each in declared(LevelRecipe).items():
            value = getattr(self, name)
            changed = each.stated == "changed" and value != getattr(_DEFAULTS, name)
            if changed or each.stated == "always":
                table, _, key = each.path.rpartition(".")
                stated = rules.setdefault(table, {}) if table else rules
                stated[key] = asdict(value) if isinstance(value, ElevationImage) else value
        sizes = {profile.name: profile.size for profile in self.profiles if profile.size != 1}
        if sizes:
            rules["sizes"] = sizes
        if self.headings is not None:
            rules["turns"] = {profile.name: profile.turn for profile in self.profiles}
        if any(profile.slopes for profile in self.profiles):
            own = {profile.name: dict(profile.slopes) for profile in self.profiles}
            rules["profile_slopes"] = own
        radii = {profile.name: profile.radius for profile in self.profiles if profile.radius}
        if radii:
            rules["radii"] = radii
        # An editor's table is left out where it says nothing, so that a new editor makes no other
        # asset stale. Whether a file may be read changes nothing in what it says.
        for name, editor in (("tiled", self.tiled), ("ldtk", self.ldtk)):
            if replace(editor, allow_outside=False) != type(editor)():
                rules[name] = _plain_editor(editor)
        if self.text != TextReading():
            rules["text"] = asdict(self.text)
        return json.dumps(rules, sort_keys=True, separators=(",", ":"), allow_nan=False)


_DEFAULTS = LevelRecipe()


@dataclass(frozen=True)
class Recipe:
    """A whole `bake.toml`."""

    file: Path | None = None  #: where it was read from; None = the built-in defaults
    sources: tuple[str, ...] = DEFAULT_SOURCES  #: globs of level files, relative to ``folder``
    output: str = DEFAULT_OUTPUT  #: folder of the assets, absolute or relative to ``folder``
    defaults: LevelRecipe = _DEFAULTS  #: rules of every level that has none of its own
    #: rules by level name (file name without extension), merged over the defaults
    levels: Mapping[str, LevelRecipe] = field(default_factory=dict)
    #: rules by file name and level name, where a file of several levels and one of its levels have
    #: a table each; both are merged over the defaults
    inside: Mapping[tuple[str, str], LevelRecipe] = field(default_factory=dict)

    def for_level(self, name: str, file: str | None = None) -> LevelRecipe:
        """Return the rules of one level.

        Args:
            name: of the level.
            file: name without extension of the file the level comes from, where the two names
                differ.
        """
        own = self.levels.get(name, self.defaults)
        if file is None or file == name:
            return own
        whole = self.levels.get(file, self.defaults)
        return self.inside.get((file, name), own if name in self.levels else whole)

    @property
    def folder(self) -> Path:
        """Return the folder the recipe's paths start from: its own, or the working directory."""
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
