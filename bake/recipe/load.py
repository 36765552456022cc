"""Find a `bake.toml`, and merge the tables of its levels over the project's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bake.errors import RecipeError
from bake.level import TerrainRule
from bake.levels.elevation import ElevationImage
from bake.levels.reading.editors import EditorReading
from bake.recipe.rules import (
    DEFAULT_OUTPUT,
    DEFAULT_SOURCES,
    RECIPE_NAME,
    LevelRecipe,
    ProfileRecipe,
    Recipe,
)

if TYPE_CHECKING:
    from bake.recipe.tables import (
        EditorTable,
        ElevationTable,
        LevelTable,
        RecipeTable,
        RuleTable,
    )

#: The most entries of the project's legends and terrain, times the tables of levels.
MAX_MERGED = 2**22

T = TypeVar("T")
E = TypeVar("E", bound=EditorReading)


def find_recipe(start: Path) -> Path | None:
    """Return the `bake.toml` in the folder ``start`` itself, or None where there is none.

    A folder, a pipe or a link to nothing of that name is one, which :func:`load_recipe` refuses.

    Raises:
        RecipeError: the folder may not be searched.
    """
    file = start / RECIPE_NAME
    try:
        file.lstat()
        return file
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise RecipeError(f"the recipe cannot be read: {error.strerror}", file=file) from error


def load_recipe(path: Path | None) -> Recipe:
    """Read and check a recipe.

    Args:
        path: the file; None = the built-in defaults.

    Raises:
        RecipeError: the file cannot be read, is no TOML, or has one mistake.
        BakeErrors: it has several mistakes; the error holds all of them, in the order of their
            lines.
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
    """Refuse a recipe whose levels, each with the project's entries, would take too much memory."""
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
    """Yield the names of files of several levels that a level of this name may come from."""
    return (name[:at] for at, letter in enumerate(name) if letter == "-")


def recipe_schema() -> dict[str, Any]:
    """Make the JSON Schema (2020-12) of `bake.toml`, for editors that complete and check TOML."""
    from bake.recipe.tables import schema

    return schema()


def _merged(base: LevelRecipe, table: LevelTable) -> LevelRecipe:
    """Lay ``table`` over ``base``: legend and terrain key by key, everything else whole."""
    # Everything is sorted, so that no table can depend on the order in which a recipe was written.
    profiles = tuple(
        ProfileRecipe(
            name,
            dict(sorted(_rules(profile.terrain).items())),
            profile.size or 1,
            dict(sorted(profile.slopes.given().items())),
            profile.radius or 0.0,
            _given(profile.turn, 1.0),
        )
        for name, profile in sorted(table.profiles.items())
    )
    return LevelRecipe(
        connectivity=_given(table.connectivity, base.connectivity),
        headings=_given(table.headings, base.headings),
        corner_cutting=_given(table.corner_cutting, base.corner_cutting),
        cost_rule=_given(table.cost_rule, base.cost_rule),
        ticks_per_unit=_given(table.ticks_per_unit, base.ticks_per_unit),
        cell_size=_given(table.cell_size, base.cell_size),
        origin=_given(table.origin, base.origin),
        memory_budget=_given(table.memory_budget, base.memory_budget),
        tables=None if table.tables == ("auto",) else _given(table.tables, base.tables),
        algorithm=_given(table.next_hops.algorithm, base.algorithm),
        distance_storage=_given(table.distances.storage, base.distance_storage),
        cluster_size=_given(table.clusters.size, base.cluster_size),
        cluster_regions=_given(table.clusters.regions, base.cluster_regions),
        hierarchy=_given(table.hierarchy.mode, base.hierarchy),
        spacing=_given(table.hierarchy.spacing, base.spacing),
        levels=_given(table.hierarchy.levels, base.levels),
        keep_paths=_given(table.hierarchy.keep_paths, base.keep_paths),
        heuristic_kind=_given(table.heuristic.kind, base.heuristic_kind),
        heuristic_bytes=_given(table.heuristic.bytes_per_node, base.heuristic_bytes),
        export_flat=_given(table.export.flat, base.export_flat),
        export_distances=_given(table.export.distances, base.export_distances),
        export_hierarchy=_given(table.export.hierarchy, base.export_hierarchy),
        legend=dict(sorted({**base.legend, **table.legend}.items())),
        tiled=_editor(base.tiled, table.tiled),
        ldtk=_editor(base.ldtk, table.ldtk),
        terrain=dict(sorted({**base.terrain, **_rules(table.terrain)}.items())),
        slopes=dict(sorted({**base.slopes, **table.slopes.given()}.items())),
        elevation=_elevation(base.elevation, table.elevation),
        profiles=profiles or base.profiles,
        lint={**base.lint, **table.lint.given()},
        division=_given(table.division, base.division),
        mesh_nodes=_given(table.mesh.nodes, base.mesh_nodes),
    )


def _given(value: T | None, otherwise: T) -> T:
    return otherwise if value is None else value


def _elevation(base: ElevationImage | None, table: ElevationTable) -> ElevationImage | None:
    """Return the image of a level; one of its own replaces the project's whole."""
    if table.image is None:
        return base
    return ElevationImage(table.image, _given(table.unit, 1.0), _given(table.zero, 0.0))


def _editor(base: E, table: EditorTable) -> E:
    legend = {**base.legend, **table.legend}
    return replace(
        base,
        layers=_given(table.layers, base.layers),
        ignore=_given(table.ignore, base.ignore),
        empty=_given(table.empty, base.empty),
        legend=legend if base.ordered else dict(sorted(legend.items())),
        world=_given(table.world, base.world),
        allow_outside=_given(table.allow_outside, base.allow_outside),
    )


def _rules(terrain: Mapping[str, RuleTable]) -> dict[str, TerrainRule]:
    return {name: TerrainRule(rule.cost, rule.enter_from) for name, rule in terrain.items()}
