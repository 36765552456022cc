"""Describe a resolved recipe: every level's rules merged, colours, units and orders normalised.

Two recipes that mean the same are equal however their files are written. Nothing here needs
pydantic, so a process that is handed a resolved recipe starts quickly.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from bake.coordinates import Point
from bake.graph import DEFAULT_TICKS_PER_UNIT
from bake.level import Division, MeshNodes, TerrainRule
from bake.levels.elevation import ElevationImage
from bake.levels.reading.editors import EditorReading, LdtkReading, TiledReading
from bake.levels.reading.limits import DEFAULT_MEMORY_BUDGET
from bake.movement.rules import Connectivity, CornerCutting, CostRule, Headings

Algorithm = Literal["auto", "dijkstra", "floyd_warshall"]
DistanceStorage = Literal["auto", "labels"]
HierarchyMode = Literal["hpa", "none"]
HeuristicKind = Literal["auto", "field", "landmark"]
#: How bad a finding of `bake lint` is.
Severity = Literal["error", "warning", "notice", "off"]

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
DEFAULT_SOURCES = ("levels_src/*",)
DEFAULT_OUTPUT = "baked"

MIN_MEMORY_BUDGET = 2**20
MAX_MEMORY_BUDGET = 2**63 - 1
MAX_TICKS_PER_UNIT = 2**24
MAX_COST = 1_000_000
MIN_CLUSTER_SIZE = 4
MAX_CLUSTER_SIZE = 1024
MAX_SPACING = 1024
MAX_RADIUS = 65_536
MAX_LEVELS = 16
MIN_HEURISTIC_BYTES = 8
MAX_HEURISTIC_BYTES = 256

#: Keys of a recipe that are taken for terrains where they are written below [terrain].
SETTING_NAMES = frozenset(
    {
        "cell_size",
        "connectivity",
        "corner_cutting",
        "cost_rule",
        "division",
        "memory_budget",
        "origin",
        "output",
        "radius",
        "size",
        "sources",
        "tables",
        "ticks_per_unit",
    }
)

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "notice", "off")
#: Rules of `bake lint` that a recipe may weigh, and their severity where it does not.
DEFAULT_SEVERITY: Mapping[str, Severity] = {
    "spawns": "error",
    "exits": "error",
    "islands": "warning",
    "traps": "warning",
    "links": "error",
    "narrow": "notice",
    "ignored": "warning",
    "gravity": "warning",
    "straight": "notice",
    "terrain": "notice",
    "legend": "warning",
    "recipe": "warning",
}


@dataclass(frozen=True)
class ProfileRecipe:
    """One kind of agent.

    Attributes:
        name: letters, digits, "_", "." and "-", starting with a letter or digit.
        terrain: this profile's own rules by terrain, which override all others; sorted by name.
        size: cells along one side of its square footprint, 1 to 16.
        slopes: what slopes mean to this profile, by the names of a SlopeRule; these override the
            level's.
        radius: of its round footprint where the plane is divided, in units of the plane.
        turn: units that turning by one heading costs.
    """

    name: str
    terrain: Mapping[str, TerrainRule] = field(default_factory=dict)
    size: int = 1
    slopes: Mapping[str, float] = field(default_factory=dict)
    radius: float = 0.0
    turn: float = 1.0


@dataclass(frozen=True)
class LevelRecipe:
    """The rules one level is baked under, with the project's already merged in.

    Attributes:
        connectivity: neighbours of a square cell, 4 or 8; None = as the level's format says.
        corner_cutting: None = as the level's format says.
        cost_rule: None = as the level's format says.
        ticks_per_unit: ticks in one unit of cost, 1 to 2**24.
        cell_size: width and height of a cell, or one number for both, for levels whose file does
            not say where cells lie; None = 1.
        origin: where the top left corner of such a level lies; None = (0, 0).
        memory_budget: bytes a bake may use, at least 2**20.
        tables: products to bake, in the order of ``TABLE_NAMES``; None = auto.
        algorithm: how next hops are computed; every choice gives the same tables.
        distance_storage: how distances are kept; "auto" = as labels where ``tables`` asks for them,
            and not at all where it is "auto".
        cluster_size: side of a cluster in cells, 4 to 1024.
        cluster_regions: whether regions drawn in a level are clusters.
        hierarchy: "hpa" or "none".
        spacing: most steps between two transitions of an entrance, 1 to 1024.
        levels: layers of the hierarchy, 1 to 16.
        keep_paths: whether ways inside clusters are kept.
        heuristic_kind: "field" or "landmark"; "auto" = "field" where ``tables`` asks for a
            heuristic, and none where it is "auto".
        heuristic_bytes: what the heuristic may take for each node, 8 to 256.
        export_flat: whether a build writes the flat file of the level, too.
        export_distances, export_hierarchy: what that holds beside next hops.
        legend: terrain by image colour, "#rrggbb" where opaque, else "#rrggbbaa", lower case;
            sorted by colour.
        tiled: how Tiled maps are read; its legend in the order it was written.
        ldtk: how LDtk projects are read; its legend sorted by key.
        terrain: rules by terrain; sorted by name.
        headings: ways an agent can face, 4, 6 or 8; None = nobody faces any way.
        slopes: what slopes mean to every profile, by the names of a SlopeRule; sorted.
        elevation: the image that says how high cells lie.
        profiles: at least one; sorted by name.
        lint: severity of what `bake lint` finds, by rule, where the recipe says one.
        narrowed: whether some of the recipe's profiles were left out of this run.
        division: how a level is divided into nodes; None = levels of cells into these, and levels
            of shapes into a mesh.
        mesh_nodes: where the nodes of a navigation mesh lie.
    """

    connectivity: Connectivity | None = None
    corner_cutting: CornerCutting | None = None
    cost_rule: CostRule | None = None
    ticks_per_unit: int = DEFAULT_TICKS_PER_UNIT
    cell_size: float | Point | None = None
    origin: Point | None = None
    memory_budget: int = DEFAULT_MEMORY_BUDGET
    tables: tuple[str, ...] | None = None
    algorithm: Algorithm = "auto"
    distance_storage: DistanceStorage = "auto"
    cluster_size: int = 32
    cluster_regions: bool = False
    hierarchy: HierarchyMode = "hpa"
    spacing: int = 8
    levels: int = 1
    keep_paths: bool = True
    heuristic_kind: HeuristicKind = "auto"
    heuristic_bytes: int = 20
    export_flat: bool = False
    export_distances: bool = False
    export_hierarchy: bool = False
    legend: Mapping[str, str] = field(default_factory=dict)
    tiled: TiledReading = field(default_factory=TiledReading)
    ldtk: LdtkReading = field(default_factory=LdtkReading)
    terrain: Mapping[str, TerrainRule] = field(default_factory=dict)
    headings: Headings | None = None
    slopes: Mapping[str, float] = field(default_factory=dict)
    elevation: ElevationImage | None = None
    profiles: tuple[ProfileRecipe, ...] = (ProfileRecipe("default"),)
    lint: Mapping[str, Severity] = field(default_factory=dict)
    narrowed: bool = False
    division: Division | None = None
    mesh_nodes: MeshNodes = "centre"

    def canonical(self) -> str:
        """Write one line of JSON that is equal for two recipes exactly when they bake equal tables.

        Orders that mean nothing (of keys, profiles, tables, ``enter_from``) leave no trace.
        """
        # `algorithm` and `memory_budget` are left out: every algorithm gives the same tables, and
        # the budget decides only whether a bake succeeds, so neither can make an asset stale. Nor
        # can what is exported from it.
        rules: dict[str, object] = {
            "connectivity": self.connectivity,
            "corner_cutting": self.corner_cutting,
            "cost_rule": self.cost_rule,
            "ticks_per_unit": self.ticks_per_unit,
            "clusters": {"size": self.cluster_size, "regions": self.cluster_regions},
            "hierarchy": {
                "mode": self.hierarchy,
                "spacing": self.spacing,
                "levels": self.levels,
                "keep_paths": self.keep_paths,
            },
            "heuristic": {"kind": self.heuristic_kind, "bytes_per_node": self.heuristic_bytes},
            "tables": None if self.tables is None else sorted(self.tables),
            "legend": dict(self.legend),
            "terrain": _plain_rules(self.terrain),
            "profiles": {profile.name: _plain_rules(profile.terrain) for profile in self.profiles},
        }
        # What few recipes say is left out where it is not said, so that no other asset is stale.
        if self.cell_size is not None:
            rules["cell_size"] = self.cell_size
        if self.origin is not None:
            rules["origin"] = self.origin
        sizes = {profile.name: profile.size for profile in self.profiles if profile.size != 1}
        if sizes:
            rules["sizes"] = sizes
        if self.headings is not None:
            rules["headings"] = self.headings
            rules["turns"] = {profile.name: profile.turn for profile in self.profiles}
        if self.slopes:
            rules["slopes"] = dict(self.slopes)
        if any(profile.slopes for profile in self.profiles):
            own = {profile.name: dict(profile.slopes) for profile in self.profiles}
            rules["profile_slopes"] = own
        if self.elevation is not None:
            rules["elevation"] = asdict(self.elevation)
        radii = {profile.name: profile.radius for profile in self.profiles if profile.radius}
        if radii:
            rules["radii"] = radii
        if self.division is not None:
            rules["division"] = self.division
        if self.mesh_nodes != "centre":
            rules["mesh"] = {"nodes": self.mesh_nodes}
        if self.distance_storage != "auto":
            rules["distances"] = {"storage": self.distance_storage}
        # An editor's table is left out where it says nothing, so that a new editor makes no other
        # asset stale. Whether a file may be read changes nothing in what it says.
        for name, editor in (("tiled", self.tiled), ("ldtk", self.ldtk)):
            if replace(editor, allow_outside=False) != type(editor)():
                rules[name] = _plain_editor(editor)
        return json.dumps(rules, sort_keys=True, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True)
class Recipe:
    """A whole `bake.toml`.

    Attributes:
        file: where it was read from; None = the built-in defaults.
        sources: globs of level files, relative to ``folder``.
        output: folder of the assets, absolute or relative to ``folder``.
        defaults: rules of every level that has none of its own.
        levels: rules by level name (file name without extension), merged over the defaults.
        inside: rules by file name and level name, where a file of several levels and one of its
            levels have a table each; both are merged over the defaults.
    """

    file: Path | None = None
    sources: tuple[str, ...] = DEFAULT_SOURCES
    output: str = DEFAULT_OUTPUT
    defaults: LevelRecipe = LevelRecipe()
    levels: Mapping[str, LevelRecipe] = field(default_factory=dict)
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


def read_stated(text: str) -> LevelRecipe:
    """Read the part of :meth:`LevelRecipe.canonical` that decides which tables are made.

    Raises:
        ValueError: that method writes no such text; the message begins with the key.
    """
    try:
        stated = _Stated(json.loads(text))
    except RecursionError:
        raise ValueError("the brackets are nested too deeply") from None
    tables = stated.tables()
    return LevelRecipe(
        ticks_per_unit=stated.whole("ticks_per_unit", 1, MAX_TICKS_PER_UNIT),
        tables=tables,
        distance_storage=stated.distance_storage(),
        cluster_size=stated.whole("clusters.size", MIN_CLUSTER_SIZE, MAX_CLUSTER_SIZE),
        cluster_regions=stated.one_of("clusters.regions", Literal[True, False]),
        hierarchy=stated.one_of("hierarchy.mode", HierarchyMode),
        spacing=stated.whole("hierarchy.spacing", 1, MAX_SPACING),
        levels=stated.whole("hierarchy.levels", 1, MAX_LEVELS),
        keep_paths=stated.one_of("hierarchy.keep_paths", Literal[True, False]),
        heuristic_kind=stated.one_of("heuristic.kind", HeuristicKind),
        heuristic_bytes=stated.whole(
            "heuristic.bytes_per_node", MIN_HEURISTIC_BYTES, MAX_HEURISTIC_BYTES
        ),
        profiles=stated.profiles(),
    )


class _Stated:
    """Looks up values of a stated recipe by dotted keys, and checks each."""

    def __init__(self, document: object) -> None:
        self.document = document

    def at(self, place: str) -> Any:
        value = self.document
        for key in place.split("."):
            if not isinstance(value, dict) or key not in value:
                raise ValueError(f"{place}: this key is missing")
            value = value[key]
        return value

    def whole(self, place: str, least: int, most: int) -> int:
        value = self.at(place)
        if type(value) is not int or not least <= value <= most:
            raise ValueError(f"{place}: expected a whole number from {least:,} to {most:,}")
        return value

    def one_of(self, place: str, kind: Any) -> Any:
        value = self.at(place)
        for each in get_args(kind):
            if type(each) is type(value) and each == value:
                return each
        raise ValueError(f"{place}: expected {' or '.join(map(json.dumps, get_args(kind)))}")

    def distance_storage(self) -> Any:
        stated = isinstance(self.document, dict) and "distances" in self.document
        return self.one_of("distances.storage", DistanceStorage) if stated else "auto"

    def tables(self) -> tuple[str, ...] | None:
        value = self.at("tables")
        if value is None:
            return None
        if not isinstance(value, list) or not all(name in TABLE_NAMES for name in value):
            raise ValueError(f"tables: expected a list of {', '.join(TABLE_NAMES)}")
        return tuple(name for name in TABLE_NAMES if name in value)

    def profiles(self) -> tuple[ProfileRecipe, ...]:
        value = self.at("profiles")
        if not isinstance(value, dict) or not value:
            raise ValueError("profiles: expected an object with at least one profile")
        return tuple(ProfileRecipe(name) for name in sorted(value))
