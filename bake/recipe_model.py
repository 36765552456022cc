"""The shape of `bake.toml`: which tables and keys there are, checked by pydantic.

None, or an empty table, stands for "not given". Field descriptions go into the JSON Schema.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    WithJsonSchema,
    WrapValidator,
    model_validator,
)

from bake import recipe_values as values
from bake.editors import WorldAs
from bake.footprint import MAX_SIZE
from bake.graph import DEFAULT_TICKS_PER_UNIT
from bake.level import CornerCutting, CostRule
from bake.recipe import (
    DEFAULT_OUTPUT,
    DEFAULT_SOURCES,
    MAX_CLUSTER_SIZE,
    MAX_COST,
    MAX_HEURISTIC_BYTES,
    MAX_LEVELS,
    MAX_MEMORY_BUDGET,
    MAX_SPACING,
    MAX_TICKS_PER_UNIT,
    MIN_CLUSTER_SIZE,
    MIN_HEURISTIC_BYTES,
    MIN_MEMORY_BUDGET,
    TABLE_NAMES,
    Algorithm,
    HeuristicKind,
    HierarchyMode,
    Storage,
)
from bake.severity import DEFAULT_SEVERITY, SEVERITIES, Severity

_NAME: dict[str, Any] = {"type": "string", "minLength": 1}
_NUMBER_OR_BLOCKED: dict[str, Any] = {
    "anyOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": MAX_COST}, {"const": "blocked"}]
}
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
_ShortRule = Annotated[float | str, WithJsonSchema(_NUMBER_OR_BLOCKED)]


def _list_of(items: dict[str, Any], **limits: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "uniqueItems": True, **limits}


TerrainName = Annotated[str, PlainValidator(values.terrain_name), WithJsonSchema(_NAME)]
SourceGlob = Annotated[str, PlainValidator(values.source_glob)]
TableName = Annotated[str, PlainValidator(values.one_of(*TABLE_NAMES))]
ColourKey = Annotated[
    str,
    PlainValidator(values.colour),
    WithJsonSchema({"type": "string", "pattern": f"^{values.COLOUR}$"}),
]
TiledKey = Annotated[
    str,
    PlainValidator(values.tiled_key),
    WithJsonSchema({"type": "string", "pattern": f"^{values.TILED_KEY}$"}),
]
LdtkKey = Annotated[
    str,
    PlainValidator(values.ldtk_key),
    WithJsonSchema({"type": "string", "pattern": f"^{values.LDTK_KEY}$"}),
]
LayerName = Annotated[str, PlainValidator(values.layer_name), WithJsonSchema(_NAME)]
ProfileName = Annotated[
    str,
    PlainValidator(values.profile_name),
    WithJsonSchema({"type": "string", "pattern": f"^{values.PROFILE_NAME}$"}),
]
LevelName = Annotated[
    str,
    PlainValidator(values.level_name),
    WithJsonSchema({"type": "string", "pattern": r"^[^/\\]+$"}),
]


class Table(BaseModel):
    """A TOML table in which every key is known."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RuleTable(Table):
    """What one terrain means for movement."""

    cost: Annotated[
        float | None, PlainValidator(values.cost), WithJsonSchema(_NUMBER_OR_BLOCKED)
    ] = Field(description='Units to cross one cell, or "blocked".')
    enter_from: Annotated[
        tuple[TerrainName, ...] | None,
        WrapValidator(values.enter_from),
        WithJsonSchema(_list_of(_NAME)),
    ] = Field(default=None, description="Terrains it may be entered from. Default: from any.")

    @model_validator(mode="after")
    def _blocked_has_no_way_in(self) -> RuleTable:
        if self.cost is None and self.enter_from is not None:
            raise values.wrong(
                'found enter_from beside cost = "blocked"',
                "one of the two",
                "blocked terrain can't be entered from anywhere",
            )
        return self


def _as_rule(value: Any) -> Any:
    """`grass = 2` is short for `grass = { cost = 2 }`."""
    return value if isinstance(value, dict) else {"cost": value}


Rule = Annotated[
    RuleTable,
    BeforeValidator(_as_rule, json_schema_input_type=_ShortRule | RuleTable),
]
Terrain = Annotated[
    dict[TerrainName, Rule], Field(description='Cost by terrain: a number, "blocked", or a table.')
]


class ProfileTable(Table):
    """One kind of agent."""

    size: Annotated[
        int | None,
        PlainValidator(values.size),
        WithJsonSchema({"type": "integer", "minimum": 1, "maximum": MAX_SIZE}),
    ] = Field(
        default=None,
        description="Cells along one side of its square footprint, whose north-west cell is where "
        "it is. Default: 1.",
    )
    terrain: Terrain = Field(default_factory=dict)


class NextHopsTable(Table):
    """How next hops are computed and kept; every choice gives the same answers."""

    algorithm: Annotated[
        Algorithm | None,
        PlainValidator(
            values.one_of("auto", "dijkstra", "floyd_warshall"), json_schema_input_type=Algorithm
        ),
    ] = Field(default=None, description='Default: "auto", by size and density.')
    storage: Annotated[
        Storage | None,
        PlainValidator(
            values.one_of("auto", "dense", "compressed"), json_schema_input_type=Storage
        ),
    ] = Field(
        default=None,
        description='Default: "auto", which keeps tables of at most 64 KiB dense and others '
        "compressed into runs.",
    )


class TiledTable(Table):
    """How maps of the Tiled editor are read."""

    layers: Annotated[
        tuple[LayerName, ...] | None,
        WrapValidator(values.layer_names),
        WithJsonSchema(_list_of(_NAME, minItems=1)),
    ] = Field(
        default=None,
        description="Tile layers that count, by name or path (Group/Layer). Default: all.",
    )
    ignore: Annotated[
        tuple[LayerName, ...] | None,
        WrapValidator(values.layer_names),
        WithJsonSchema(_list_of(_NAME, minItems=1)),
    ] = Field(default=None, description="Layers that do not count, by name or path. Default: none.")
    empty: Annotated[str | None, PlainValidator(values.terrain_name), WithJsonSchema(_NAME)] = (
        Field(default=None, description='Terrain of cells without a tile. Default: "void".')
    )
    legend: dict[TiledKey, TerrainName] = Field(
        default_factory=dict,
        description='Terrain, or "below", by what a tile is: "tile:SET:IDS", "property:NAME", '
        '"property:NAME=VALUE", "class:NAME", "wang:NAME", "tileset:NAME", "layer:NAME"; kind of '
        'thing by "object:CLASS".',
    )
    world: Annotated[
        WorldAs | None,
        PlainValidator(values.one_of("one", "each"), json_schema_input_type=WorldAs),
    ] = Field(
        default=None,
        description="Whether the maps of a .world file bake as one level, or one asset each. "
        'Default: "one".',
    )
    allow_outside: Annotated[
        bool | None, PlainValidator(values.flag), WithJsonSchema({"type": "boolean"})
    ] = Field(
        default=None,
        description="Whether files outside the recipe's folder may be read. Default: false.",
    )


class LdtkTable(Table):
    """How projects of the LDtk editor are read."""

    layers: Annotated[
        tuple[LayerName, ...] | None,
        WrapValidator(values.layer_names),
        WithJsonSchema(_list_of(_NAME, minItems=1)),
    ] = Field(default=None, description="Layers that count, by identifier. Default: all.")
    ignore: Annotated[
        tuple[LayerName, ...] | None,
        WrapValidator(values.layer_names),
        WithJsonSchema(_list_of(_NAME, minItems=1)),
    ] = Field(default=None, description="Layers that do not count. Default: none.")
    empty: Annotated[str | None, PlainValidator(values.terrain_name), WithJsonSchema(_NAME)] = (
        Field(
            default=None,
            description='Terrain of cells no layer says anything of. Default: "floor".',
        )
    )
    legend: dict[LdtkKey, TerrainName] = Field(
        default_factory=dict,
        description='Terrain, or "below", by what a cell holds: "value:NAME", '
        '"value:LAYER:NAME", "value:LAYER:NUMBER", "tile:SET:IDS", "enum:TAG", "tileset:NAME", '
        '"layer:NAME", "area:ENTITY"; kind of thing by "entity:NAME".',
    )
    world: Annotated[
        WorldAs | None,
        PlainValidator(values.one_of("one", "each"), json_schema_input_type=WorldAs),
    ] = Field(
        default=None,
        description="Whether the levels of a world bake as one level, or one asset each. "
        'Default: "one".',
    )
    allow_outside: Annotated[
        bool | None, PlainValidator(values.flag), WithJsonSchema({"type": "boolean"})
    ] = Field(
        default=None,
        description="Whether files outside the recipe's folder may be read. Default: false.",
    )


def _whole(least: int, most: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "maximum": most}


class ClustersTable(Table):
    """How places are grouped into clusters."""

    size: Annotated[
        int | None,
        PlainValidator(values.whole(MIN_CLUSTER_SIZE, MAX_CLUSTER_SIZE)),
        WithJsonSchema(_whole(MIN_CLUSTER_SIZE, MAX_CLUSTER_SIZE)),
    ] = Field(
        default=None,
        description="Side of a cluster in cells; on graphs one has about its square of nodes. "
        "Default: 32.",
    )
    regions: Annotated[
        bool | None, PlainValidator(values.flag), WithJsonSchema({"type": "boolean"})
    ] = Field(
        default=None,
        description="Whether regions drawn in a level are clusters; cells outside of them fall "
        "to squares. Default: false.",
    )


class HierarchyTable(Table):
    """Layers of transitions between clusters, for paths by HPA*."""

    mode: Annotated[
        HierarchyMode | None,
        PlainValidator(values.one_of("hpa", "exact", "none"), json_schema_input_type=HierarchyMode),
    ] = Field(
        default=None,
        description='"hpa": a few transitions an entrance; "exact": all of them, for shortest '
        'paths; "none". Default: "hpa".',
    )
    spacing: Annotated[
        int | None,
        PlainValidator(values.whole(1, MAX_SPACING)),
        WithJsonSchema(_whole(1, MAX_SPACING)),
    ] = Field(
        default=None,
        description="Most steps from one transition of an entrance to the next. Default: 8.",
    )
    levels: Annotated[
        int | str | None,
        PlainValidator(values.whole(1, MAX_LEVELS, "auto")),
        WithJsonSchema({"anyOf": [{"const": "auto"}, _whole(1, MAX_LEVELS)]}),
    ] = Field(
        default=None,
        description='Layers, each of clusters twice as wide. Default: "auto", until the last is '
        "small enough for a table.",
    )
    keep_paths: Annotated[
        bool | None, PlainValidator(values.flag), WithJsonSchema({"type": "boolean"})
    ] = Field(
        default=None,
        description="Whether ways inside clusters are kept; else they are searched for. "
        "Default: true.",
    )


class HeuristicTable(Table):
    """Lower bounds of distances that guide searches."""

    kind: Annotated[
        HeuristicKind | None,
        PlainValidator(
            values.one_of("auto", "field", "landmark"), json_schema_input_type=HeuristicKind
        ),
    ] = Field(
        default=None,
        description='"field": a table between basins, corrected by fields, and a few pivots; '
        '"landmark": pivots alone, faster to bake. Default: "auto", which is "field" where '
        'tables names "heuristic", and no heuristic where tables is "auto".',
    )
    bytes_per_node: Annotated[
        int | None,
        PlainValidator(values.whole(MIN_HEURISTIC_BYTES, MAX_HEURISTIC_BYTES)),
        WithJsonSchema(_whole(MIN_HEURISTIC_BYTES, MAX_HEURISTIC_BYTES)),
    ] = Field(
        default=None,
        description="What the heuristic may take for each place, tables included. Default: 20.",
    )


def _at_least_one(profiles: dict[str, ProfileTable]) -> dict[str, ProfileTable]:
    if not profiles:
        raise values.wrong(
            "found no profile",
            "at least one, such as [profiles.walker]",
            'leave the table out for one profile called "default"',
        )
    return profiles


SeverityKey = Annotated[
    Severity | None,
    PlainValidator(values.one_of(*SEVERITIES), json_schema_input_type=Severity),
]


class LintTable(Table):
    """How bad what `bake lint` finds is: "error", "warning", "notice" or "off"."""

    spawns: SeverityKey = Field(
        default=None,
        description="Spawns where their profile cannot stand. "
        f'Default: "{DEFAULT_SEVERITY["spawns"]}".',
    )
    exits: SeverityKey = Field(
        default=None,
        description="Spawns from which no exit can be reached. "
        f'Default: "{DEFAULT_SEVERITY["exits"]}".',
    )
    islands: SeverityKey = Field(
        default=None,
        description=f'Places that cannot be reached. Default: "{DEFAULT_SEVERITY["islands"]}".',
    )
    traps: SeverityKey = Field(
        default=None,
        description="Places that can be entered, but not left. "
        f'Default: "{DEFAULT_SEVERITY["traps"]}".',
    )
    links: SeverityKey = Field(
        default=None,
        description="Links that lead nowhere, or are for nobody. "
        f'Default: "{DEFAULT_SEVERITY["links"]}".',
    )
    narrow: SeverityKey = Field(
        default=None,
        description="Cells too narrow for a large profile. "
        f'Default: "{DEFAULT_SEVERITY["narrow"]}".',
    )
    legend: SeverityKey = Field(
        default=None,
        description="Terrains and colours that nothing is drawn in. "
        f'Default: "{DEFAULT_SEVERITY["legend"]}".',
    )
    recipe: SeverityKey = Field(
        default=None,
        description="Keys of the recipe that became terrains by accident. "
        f'Default: "{DEFAULT_SEVERITY["recipe"]}".',
    )

    def given(self) -> dict[str, Severity]:
        """Severities by rule, where the recipe says one."""
        return {name: value for name, value in dict(self).items() if value is not None}


class LevelTable(Table):
    """The rules of one level."""

    connectivity: Annotated[
        Literal[4, 8] | None,
        PlainValidator(
            values.one_of(4, 8, remedy="leave it out for hexagonal grids, which always have 6"),
            json_schema_input_type=Literal[4, 8],
        ),
    ] = Field(
        default=None,
        description="Neighbours of a square cell. Default: as the level's format says, else 8.",
    )
    corner_cutting: Annotated[
        CornerCutting | None,
        PlainValidator(
            values.one_of("never", "one_free", "always"), json_schema_input_type=CornerCutting
        ),
    ] = Field(
        default=None,
        description="Whether a diagonal step may pass a blocked corner: never, if one side is "
        'free, or always. Default: as the level\'s format says, else "never".',
    )
    cost_rule: Annotated[
        CostRule | None,
        PlainValidator(values.one_of("mean", "entered"), json_schema_input_type=CostRule),
    ] = Field(
        default=None,
        description="What a step costs: its length times the mean of both cells' costs, or times "
        'the cost of the cell entered. Default: as the level\'s format says, else "mean".',
    )
    ticks_per_unit: Annotated[
        int | None,
        PlainValidator(values.ticks_per_unit),
        WithJsonSchema({"type": "integer", "minimum": 1, "maximum": MAX_TICKS_PER_UNIT}),
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
        WithJsonSchema(_list_of(_NAME, minItems=1)),
    ] = Field(
        default=None,
        description="Globs of level files relative to the recipe's folder. "
        f"Default: {json.dumps(DEFAULT_SOURCES)}.",
    )
    output: Annotated[str | None, PlainValidator(values.output_folder), WithJsonSchema(_NAME)] = (
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
