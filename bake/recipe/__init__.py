"""`bake.toml`: what to bake, under which rules, checked whole before anything is baked.

The dataclasses here hold a resolved recipe: every level's rules are merged, colours, units and
orders are normalised. Two recipes that mean the same are equal however their files are written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from bake.editors import LdtkReading, TiledReading
from bake.errors import RecipeError
from bake.graph import DEFAULT_TICKS_PER_UNIT
from bake.level import Connectivity, CornerCutting, CostRule, TerrainRule
from bake.severity import Severity

if TYPE_CHECKING:
    from bake.recipe.editors import LdtkTable, TiledTable
    from bake.recipe.model import LevelTable, RecipeTable
    from bake.recipe.terrain import RuleTable

Algorithm = Literal["auto", "dijkstra", "floyd_warshall"]
Storage = Literal["auto", "dense", "compressed"]
HierarchyMode = Literal["hpa", "exact", "none"]
HeuristicKind = Literal["auto", "field", "landmark"]

RECIPE_NAME = "bake.toml"

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

DEFAULT_SOURCES = ("levels_src/*",)
DEFAULT_OUTPUT = "baked"
DEFAULT_MEMORY_BUDGET = 2 * 2**30

MIN_MEMORY_BUDGET = 2**20
MAX_MEMORY_BUDGET = 2**63 - 1
MAX_TICKS_PER_UNIT = 2**24
MAX_COST = 1_000_000
MIN_CLUSTER_SIZE = 4
MAX_CLUSTER_SIZE = 1024
MAX_SPACING = 1024
MAX_LEVELS = 16
MIN_HEURISTIC_BYTES = 8
MAX_HEURISTIC_BYTES = 256
#: Entries of legends and terrain of the project, times tables of levels.
MAX_MERGED = 2**22

#: Keys of a recipe that, written below [terrain], are taken for terrains.
SETTING_NAMES = frozenset(
    {
        "connectivity",
        "corner_cutting",
        "cost_rule",
        "memory_budget",
        "output",
        "size",
        "sources",
        "tables",
        "ticks_per_unit",
    }
)

T = TypeVar("T")


@dataclass(frozen=True)
class ProfileRecipe:
    """One kind of agent.

    Attributes:
        name: letters, digits, "_", "." and "-", starting with a letter or digit.
        terrain: this profile's own rules by terrain, above all others; sorted by name.
        size: cells along one side of its square footprint, 1 to 16.
    """

    name: str
    terrain: Mapping[str, TerrainRule] = field(default_factory=dict)
    size: int = 1


@dataclass(frozen=True)
class LevelRecipe:
    """The rules one level is baked under, with the project's already merged in.

    Attributes:
        connectivity: neighbours of a square cell, 4 or 8; None = as the level's format says.
        corner_cutting: None = as the level's format says.
        cost_rule: None = as the level's format says.
        ticks_per_unit: ticks in one unit of cost, 1 to 2**24.
        memory_budget: bytes a bake may use, at least 2**20.
        tables: products to bake, in the order of ``TABLE_NAMES``; None = auto.
        algorithm: how next hops are computed; every choice gives the same tables.
        storage: how next hops are kept; "auto" = dense up to 64 KiB, else compressed.
        cluster_size: side of a cluster in cells, 4 to 1024.
        cluster_regions: whether regions drawn in a level are clusters.
        hierarchy: "hpa", "exact" or "none".
        spacing: most steps between two transitions of an entrance, 1 to 1024.
        levels: layers of the hierarchy, 1 to 16; None = auto.
        keep_paths: whether ways inside clusters are kept.
        heuristic_kind: "field" or "landmark"; "auto" = "field" where ``tables`` asks for a
            heuristic, and none where it is "auto".
        heuristic_bytes: what the heuristic may take for each node, 8 to 256.
        legend: terrain by image colour, "#rrggbb" where opaque, else "#rrggbbaa", lower case;
            sorted by colour.
        tiled: how Tiled maps are read; its legend in the order it was written.
        ldtk: how LDtk projects are read; its legend sorted by key.
        terrain: rules by terrain; sorted by name.
        profiles: at least one; sorted by name.
        lint: severity of what `bake lint` finds, by rule, where the recipe says one.
        narrowed: whether some of the recipe's profiles were left out for this run.
    """

    connectivity: Connectivity | None = None
    corner_cutting: CornerCutting | None = None
    cost_rule: CostRule | None = None
    ticks_per_unit: int = DEFAULT_TICKS_PER_UNIT
    memory_budget: int = DEFAULT_MEMORY_BUDGET
    tables: tuple[str, ...] | None = None
    algorithm: Algorithm = "auto"
    storage: Storage = "auto"
    cluster_size: int = 32
    cluster_regions: bool = False
    hierarchy: HierarchyMode = "hpa"
    spacing: int = 8
    levels: int | None = None
    keep_paths: bool = True
    heuristic_kind: HeuristicKind = "auto"
    heuristic_bytes: int = 20
    legend: Mapping[str, str] = field(default_factory=dict)
    tiled: TiledReading = field(default_factory=TiledReading)
    ldtk: LdtkReading = field(default_factory=LdtkReading)
    terrain: Mapping[str, TerrainRule] = field(default_factory=dict)
    profiles: tuple[ProfileRecipe, ...] = (ProfileRecipe("default"),)
    lint: Mapping[str, Severity] = field(default_factory=dict)
    narrowed: bool = False

    def canonical(self) -> str:
        """One line of JSON that is equal for two recipes exactly when they bake equal tables.

        Orders that mean nothing (of keys, profiles, tables, ``enter_from``) leave no trace.
        """
        # `algorithm` and `memory_budget` are left out: every algorithm gives the same tables, and
        # the budget decides only whether a bake succeeds, so neither can make an asset stale.
        rules: dict[str, object] = {
            "connectivity": self.connectivity,
            "corner_cutting": self.corner_cutting,
            "cost_rule": self.cost_rule,
            "ticks_per_unit": self.ticks_per_unit,
            "storage": self.storage,
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
        sizes = {profile.name: profile.size for profile in self.profiles if profile.size != 1}
        if sizes:
            rules["sizes"] = sizes
        # Left out where nothing is said, so that a new editor makes no other asset stale.
        if replace(self.tiled, allow_outside=False) != TiledReading():
            rules["tiled"] = _plain_tiled(self.tiled)
        # Whether a file may be read changes nothing in what it says.
        if replace(self.ldtk, allow_outside=False) != LdtkReading():
            rules["ldtk"] = _plain_ldtk(self.ldtk)
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
            levels have a table each: both merged over the defaults.
    """

    file: Path | None = None
    sources: tuple[str, ...] = DEFAULT_SOURCES
    output: str = DEFAULT_OUTPUT
    defaults: LevelRecipe = LevelRecipe()
    levels: Mapping[str, LevelRecipe] = field(default_factory=dict)
    inside: Mapping[tuple[str, str], LevelRecipe] = field(default_factory=dict)

    def for_level(self, name: str, file: str | None = None) -> LevelRecipe:
        """The rules of one level.

        Args:
            name: of the level.
            file: name without extension of the file it comes from, where that is another one.
        """
        own = self.levels.get(name, self.defaults)
        if file is None or file == name:
            return own
        whole = self.levels.get(file, self.defaults)
        return self.inside.get((file, name), own if name in self.levels else whole)

    @property
    def folder(self) -> Path:
        """The folder the recipe's paths start from: its own, or the working directory."""
        return Path.cwd() if self.file is None else self.file.parent


def find_recipe(start: Path) -> Path | None:
    """The `bake.toml` in the folder ``start`` itself; None where there is none.

    Raises:
        RecipeError: the folder may not be searched.
    """
    file = start / RECIPE_NAME
    try:
        return file if S_ISREG(file.stat().st_mode) else None
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise RecipeError(f"cannot be read: {error.strerror}", file=file) from error


def load_recipe(path: Path | None) -> Recipe:
    """Read and check a recipe.

    Args:
        path: the file; None = the built-in defaults.

    Raises:
        RecipeError: the file cannot be read, is no TOML, or has one mistake.
        BakeErrors: it has several mistakes; all of them, in the order of their lines.
    """
    if path is None:
        return Recipe()
    # pydantic is costly to import, and a process that is handed a resolved recipe never needs it.
    from bake.recipe.file import read_table

    table = read_table(path)
    pairs = [
        (file, name)
        for name in sorted(table.levels)
        for file in _files_of(name)
        if file in table.levels
    ]
    _check_merged(path, table, len(table.levels) + len(pairs))
    defaults = _merged(LevelRecipe(), table)
    return Recipe(
        file=path,
        sources=DEFAULT_SOURCES if table.sources is None else table.sources,
        output=DEFAULT_OUTPUT if table.output is None else table.output,
        defaults=defaults,
        levels={name: _merged(defaults, level) for name, level in sorted(table.levels.items())},
        inside={
            (file, name): _merged(_merged(defaults, table.levels[file]), table.levels[name])
            for file, name in pairs
        },
    )


def _check_merged(path: Path, table: RecipeTable, levels: int) -> None:
    """Every level has the project's entries laid out for itself."""
    entries = len(table.legend) + len(table.terrain)
    entries += len(table.tiled.legend) + len(table.ldtk.legend)
    if levels * entries > MAX_MERGED:
        raise RecipeError(
            f"found {entries:,} entries of legends and terrain, and {levels:,} tables of levels",
            file=path,
            expected=f"at most {MAX_MERGED:,} if multiplied",
            remedy="split the recipe into those of several projects",
        )


def _files_of(name: str) -> Iterator[str]:
    """What the file may be called that a level is one of several of."""
    return (name[:at] for at, letter in enumerate(name) if letter == "-")


def recipe_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of `bake.toml`, for editors that complete and check TOML."""
    from bake.recipe.model import schema

    return schema()


def _merged(base: LevelRecipe, table: LevelTable) -> LevelRecipe:
    """``table`` laid over ``base``: legend and terrain key by key, everything else whole."""
    # Sorted, so that nothing baked from a recipe can depend on the order it was written in.
    profiles = tuple(
        ProfileRecipe(name, dict(sorted(_rules(profile.terrain).items())), profile.size or 1)
        for name, profile in sorted(table.profiles.items())
    )
    return LevelRecipe(
        connectivity=_given(table.connectivity, base.connectivity),
        corner_cutting=_given(table.corner_cutting, base.corner_cutting),
        cost_rule=_given(table.cost_rule, base.cost_rule),
        ticks_per_unit=_given(table.ticks_per_unit, base.ticks_per_unit),
        memory_budget=_given(table.memory_budget, base.memory_budget),
        tables=None if table.tables == ("auto",) else _given(table.tables, base.tables),
        algorithm=_given(table.next_hops.algorithm, base.algorithm),
        storage=_given(table.next_hops.storage, base.storage),
        cluster_size=_given(table.clusters.size, base.cluster_size),
        cluster_regions=_given(table.clusters.regions, base.cluster_regions),
        hierarchy=_given(table.hierarchy.mode, base.hierarchy),
        spacing=_given(table.hierarchy.spacing, base.spacing),
        levels=_levels(table.hierarchy.levels, base.levels),
        keep_paths=_given(table.hierarchy.keep_paths, base.keep_paths),
        heuristic_kind=_given(table.heuristic.kind, base.heuristic_kind),
        heuristic_bytes=_given(table.heuristic.bytes_per_node, base.heuristic_bytes),
        legend=dict(sorted({**base.legend, **table.legend}.items())),
        tiled=_tiled(base.tiled, table.tiled),
        ldtk=_ldtk(base.ldtk, table.ldtk),
        terrain=dict(sorted({**base.terrain, **_rules(table.terrain)}.items())),
        profiles=profiles or base.profiles,
        lint={**base.lint, **table.lint.given()},
    )


def _given(value: T | None, otherwise: T) -> T:
    return otherwise if value is None else value


def _tiled(base: TiledReading, table: TiledTable) -> TiledReading:
    return TiledReading(
        layers=_given(table.layers, base.layers),
        ignore=_given(table.ignore, base.ignore),
        empty=_given(table.empty, base.empty),
        legend={**base.legend, **table.legend},
        world=_given(table.world, base.world),
        allow_outside=_given(table.allow_outside, base.allow_outside),
    )


def _plain_tiled(tiled: TiledReading) -> dict[str, object]:
    return {
        "layers": None if tiled.layers is None else sorted(tiled.layers),
        "ignore": sorted(tiled.ignore),
        "empty": tiled.empty,
        # Of several entries about properties the first applies, so their order counts.
        "legend": list(tiled.legend.items()),
        "world": tiled.world,
    }


def _ldtk(base: LdtkReading, table: LdtkTable) -> LdtkReading:
    return LdtkReading(
        layers=_given(table.layers, base.layers),
        ignore=_given(table.ignore, base.ignore),
        empty=_given(table.empty, base.empty),
        legend=dict(sorted({**base.legend, **table.legend}.items())),
        world=_given(table.world, base.world),
        allow_outside=_given(table.allow_outside, base.allow_outside),
    )


def _plain_ldtk(ldtk: LdtkReading) -> dict[str, object]:
    return {
        "layers": None if ldtk.layers is None else sorted(ldtk.layers),
        "ignore": sorted(ldtk.ignore),
        "empty": ldtk.empty,
        "legend": dict(ldtk.legend),
        "world": ldtk.world,
    }


def _levels(value: int | str | None, otherwise: int | None) -> int | None:
    """Layers of a hierarchy; "auto" lifts a number the project gives."""
    return None if isinstance(value, str) else _given(value, otherwise)


def _rules(terrain: Mapping[str, RuleTable]) -> dict[str, TerrainRule]:
    return {name: TerrainRule(rule.cost, rule.enter_from) for name, rule in terrain.items()}


def _plain_rules(terrain: Mapping[str, TerrainRule]) -> dict[str, object]:
    return {
        name: {
            "cost": None if rule.cost is None else float(rule.cost),
            "enter_from": None if rule.enter_from is None else sorted(rule.enter_from),
        }
        for name, rule in terrain.items()
    }
