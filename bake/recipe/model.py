"""The shape of `bake.toml`: which tables and keys there are, checked by pydantic.

None, or an empty table, stands for "not given". Field descriptions go into the JSON Schema.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, PlainValidator, WithJsonSchema, WrapValidator

from bake.graph import DEFAULT_TICKS_PER_UNIT
from bake.level import CornerCutting, CostRule
from bake.recipe import (
    DEFAULT_OUTPUT,
    DEFAULT_SOURCES,
    MAX_MEMORY_BUDGET,
    MAX_TICKS_PER_UNIT,
    MIN_MEMORY_BUDGET,
    TABLE_NAMES,
    values,
)
from bake.recipe.editors import LdtkTable, TiledTable
from bake.recipe.lint import LintTable
from bake.recipe.shapes import (
    NAME,
    ColourKey,
    LevelName,
    ProfileName,
    Table,
    TerrainName,
    chosen,
    list_of,
    whole,
)
from bake.recipe.tables import ClustersTable, HeuristicTable, HierarchyTable, NextHopsTable
from bake.recipe.terrain import ProfileTable, Terrain

_MEMORY: dict[str, Any] = {
    "anyOf": [
        {"type": "integer", "minimum": MIN_MEMORY_BUDGET, "maximum": MAX_MEMORY_BUDGET},
        {"type": "string", "pattern": f"^{values.MEMORY}$"},
    ]
}
_TABLES: dict[str, Any] = {
    "anyOf": [
        {"const": "auto"},
        {
            "type": "array",
            "items": {"enum": list(TABLE_NAMES)},
            "uniqueItems": True,
            "minItems": 1,
        },
    ]
}
_SQUARE = Literal[4, 8]

SourceGlob = Annotated[str, PlainValidator(values.source_glob)]
TableName = Annotated[str, PlainValidator(values.one_of(*TABLE_NAMES))]


def _at_least_one(profiles: dict[str, ProfileTable]) -> dict[str, ProfileTable]:
    if not profiles:
        raise values.wrong(
            "found no profile",
            "at least one, such as [profiles.walker]",
            'leave the table out for one profile called "default"',
        )
    return profiles


class LevelTable(Table):
    """The rules of one level."""

    connectivity: Annotated[
        _SQUARE | None,
        chosen(_SQUARE, "leave it out for hexagonal grids, which always have 6"),
    ] = Field(
        default=None,
        description="Neighbours of a square cell. Default: as the level's format says, else 8.",
    )
    corner_cutting: Annotated[CornerCutting | None, chosen(CornerCutting)] = Field(
        default=None,
        description="Whether a diagonal step may pass a blocked corner: never, if one side is "
        'free, or always. Default: as the level\'s format says, else "never".',
    )
    cost_rule: Annotated[CostRule | None, chosen(CostRule)] = Field(
        default=None,
        description="What a step costs: its length times the mean of both cells' costs, or times "
        'the cost of the cell entered. Default: as the level\'s format says, else "mean".',
    )
    ticks_per_unit: Annotated[
        int | None,
        PlainValidator(values.ticks_per_unit),
        WithJsonSchema(whole(1, MAX_TICKS_PER_UNIT)),
    ] = Field(
        default=None,
        description=f"Fixed-point scale of costs. Default: {DEFAULT_TICKS_PER_UNIT}.",
    )
    memory_budget: Annotated[
        int | None, PlainValidator(values.memory_budget), WithJsonSchema(_MEMORY)
    ] = Field(
        default=None,
        description='Bytes a bake may use, or text with a unit. Default: "2 GiB".',
    )
    tables: Annotated[
        tuple[TableName, ...] | None,
        WrapValidator(values.tables),
        WithJsonSchema(_TABLES),
    ] = Field(
        default=None,
        description='Products to bake. Default: "auto", which is all but the heuristic, '
        "distances only where they take at most 16 MiB.",
    )
    next_hops: NextHopsTable = Field(default_factory=NextHopsTable)
    clusters: ClustersTable = Field(default_factory=ClustersTable)
    hierarchy: HierarchyTable = Field(default_factory=HierarchyTable)
    lint: LintTable = Field(default_factory=LintTable)
    heuristic: HeuristicTable = Field(default_factory=HeuristicTable)
    legend: dict[ColourKey, TerrainName] = Field(
        default_factory=dict, description="Terrain by colour of an image's pixels."
    )
    tiled: TiledTable = Field(default_factory=TiledTable)
    ldtk: LdtkTable = Field(default_factory=LdtkTable)
    terrain: Terrain = Field(default_factory=dict)
    profiles: Annotated[
        dict[ProfileName, ProfileTable],
        AfterValidator(_at_least_one),
    ] = Field(
        default_factory=dict,
        description='Kinds of agents by name. Default: one called "default".',
        json_schema_extra={"minProperties": 1},
    )


class RecipeTable(LevelTable):
    """bake.toml: what levelbake bakes, and under which rules."""

    sources: Annotated[
        tuple[SourceGlob, ...] | None,
        WrapValidator(values.sources),
        WithJsonSchema(list_of(NAME, minItems=1)),
    ] = Field(
        default=None,
        description="Globs of level files relative to the recipe's folder. "
        f"Default: {json.dumps(DEFAULT_SOURCES)}.",
    )
    output: Annotated[str | None, PlainValidator(values.output_folder), WithJsonSchema(NAME)] = (
        Field(default=None, description=f'Folder of the assets. Default: "{DEFAULT_OUTPUT}".')
    )
    levels: dict[LevelName, LevelTable] = Field(
        default_factory=dict,
        description="Rules of single levels, by file name without extension, over the project's.",
    )


def schema() -> dict[str, Any]:
    """JSON Schema of a whole recipe."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_tidied(RecipeTable.model_json_schema()),
        "title": "bake.toml",
    }


def _tidied(part: Any) -> Any:
    """Drop defaults of null (TOML has none) and titles that repeat keys; close named tables."""
    if isinstance(part, list):
        return [_tidied(item) for item in part]
    if not isinstance(part, dict):
        return part
    tidy = {key: _tidied(value) for key, value in part.items()}
    if tidy.get("default", ...) is None:
        del tidy["default"]
    if isinstance(tidy.get("title"), str):
        del tidy["title"]
    if "patternProperties" in tidy:
        tidy["additionalProperties"] = False
    return tidy
