"""Define the shape of `bake.toml`, its tables and keys, as pydantic models.

None, or an empty table, stands for "not given". Field descriptions go into the JSON Schema.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, get_args

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

from bake.graph import DEFAULT_TICKS_PER_UNIT
from bake.level import Division, MeshNodes
from bake.levels.reading.editors import WorldAs
from bake.levels.reading.models import CELL_SIZE_SCHEMA, ORIGIN_SCHEMA
from bake.movement.rules import MAX_SIZE, CornerCutting, CostRule, Headings
from bake.recipe import values
from bake.recipe.rules import (
    DEFAULT_OUTPUT,
    DEFAULT_SEVERITY,
    DEFAULT_SOURCES,
    MAX_CLUSTER_SIZE,
    MAX_COST,
    MAX_HEURISTIC_BYTES,
    MAX_LEVELS,
    MAX_MEMORY_BUDGET,
    MAX_RADIUS,
    MAX_SPACING,
    MAX_TICKS_PER_UNIT,
    MIN_CLUSTER_SIZE,
    MIN_HEURISTIC_BYTES,
    MIN_MEMORY_BUDGET,
    TABLE_NAMES,
    Algorithm,
    DistanceStorage,
    HeuristicKind,
    HierarchyMode,
    Severity,
)

Check = Callable[[Any], Any]
CheckOfItems = Callable[[Any, values.Items], Any]

_NAME: dict[str, Any] = {"type": "string", "minLength": 1}


def _checked(check: Check, schema: dict[str, Any]) -> PlainValidator:
    """Let a function check a value, and state the JSON Schema of what it accepts."""
    return PlainValidator(check, json_schema_input_type=Annotated[Any, WithJsonSchema(schema)])


def _checked_list(check: CheckOfItems, schema: dict[str, Any]) -> WrapValidator:
    """Let a function check a list once pydantic has checked its items."""
    return WrapValidator(check, json_schema_input_type=Annotated[Any, WithJsonSchema(schema)])


def _matching(check: Check, pattern: str) -> PlainValidator:
    return _checked(check, {"type": "string", "pattern": f"^{pattern}$"})


def _chosen(
    kind: Any, remedy: str | None = None, gone: Mapping[str, str] | None = None
) -> PlainValidator:
    """Accept one of a Literal's values; ``gone`` says what takes the place of earlier ones."""
    check = values.one_of(*get_args(kind), remedy=remedy, gone=gone)
    return PlainValidator(check, json_schema_input_type=kind)


def _range(least: int, most: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "maximum": most}


def _whole(
    least: int, most: int, of: str = "", remedy: Mapping[str, str] | None = None
) -> PlainValidator:
    """Accept a whole number in a range, both ends included."""
    return _checked(values.whole(least, most, of=of, remedy=remedy), _range(least, most))


def _distinct(items: dict[str, Any], **limits: int) -> dict[str, Any]:
    """Make the JSON Schema of a list of distinct items."""
    return {"type": "array", "items": items, "uniqueItems": True, **limits}


_TerrainName = Annotated[str, _checked(values.terrain_name, _NAME)]
_LayerName = Annotated[str, _checked(values.layer_name, _NAME)]
_LayerNames = Annotated[
    tuple[_LayerName, ...] | None,
    _checked_list(values.layer_names, _distinct(_NAME, minItems=1)),
]
_ColourKey = Annotated[str, _matching(values.colour, values.COLOUR)]
_TiledKey = Annotated[str, _matching(values.tiled_key, values.TILED_KEY)]
_LdtkKey = Annotated[str, _matching(values.ldtk_key, values.LDTK_KEY)]
_ProfileName = Annotated[str, _matching(values.profile_name, values.PROFILE_NAME)]
_LevelName = Annotated[str, _matching(values.level_name, r"[^/\\]+")]
#: What takes the place of forms in which next hops were kept.
_GONE_DISTANCES = {"dense": 'distances are always kept as labels: write "labels"'}
_Flag = Annotated[bool | None, _checked(values.flag, {"type": "boolean"})]
_SeverityKey = Annotated[Severity | None, _chosen(Severity)]


class Table(BaseModel):
    """A TOML table in which every key is known."""

    model_config = ConfigDict(extra="forbid", frozen=True)


_NUMBER_OR_BLOCKED: dict[str, Any] = {
    "anyOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": MAX_COST}, {"const": "blocked"}]
}
_ShortRule = Annotated[float | str, WithJsonSchema(_NUMBER_OR_BLOCKED)]


class RuleTable(Table):
    """What one terrain means for movement."""

    cost: Annotated[float | None, _checked(values.cost, _NUMBER_OR_BLOCKED)] = Field(
        description='Units to cross one cell, or "blocked".'
    )
    enter_from: Annotated[
        tuple[_TerrainName, ...] | None, _checked_list(values.enter_from, _distinct(_NAME))
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
    dict[_TerrainName, Rule], Field(description='Cost by terrain: a number, "blocked", or a table.')
]


_AtLeastZero = _checked(values.at_least_zero, {"type": "number", "minimum": 0, "maximum": MAX_COST})


class SlopesTable(Table):
    """What it costs that the ground rises and falls, where a level says how high its cells lie."""

    up: Annotated[float | None, _AtLeastZero] = Field(
        default=None,
        description="Units that each unit of rise adds to the price of a step. Default: 0.",
    )
    down: Annotated[float | None, _AtLeastZero] = Field(
        default=None, description="Units that each unit of fall adds. Default: 0."
    )
    climb: Annotated[float | None, _AtLeastZero] = Field(
        default=None, description="The most that one step may rise. Default: any."
    )
    drop: Annotated[float | None, _AtLeastZero] = Field(
        default=None, description="The most that one step may fall. Default: any."
    )

    def given(self) -> dict[str, float]:
        """Return the values that the recipe states, by name."""
        return {name: value for name, value in dict(self).items() if value is not None}


class ElevationTable(Table):
    """The image that says how high the cells of a level lie, a pixel for each cell."""

    image: Annotated[str | None, _checked(values.image_name, _NAME)] = Field(
        default=None,
        description="A lossless grey image of 8 or 16 bits a pixel, as large as the level; its "
        "path from the recipe's folder.",
    )
    unit: Annotated[
        float | None,
        _checked(values.above_zero, {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_COST}),
    ] = Field(default=None, description="Units that one step of grey rises. Default: 1.")
    zero: Annotated[
        float | None,
        _checked(values.height, {"type": "number", "minimum": -MAX_COST, "maximum": MAX_COST}),
    ] = Field(default=None, description="How high black lies, in units. Default: 0.")

    @model_validator(mode="after")
    def _has_an_image(self) -> ElevationTable:
        if self.image is None and (self.unit is not None or self.zero is not None):
            raise values.wrong("found no image", "image beside unit and zero")
        return self


class ProfileTable(Table):
    """One kind of agent."""

    size: Annotated[int | None, _whole(1, MAX_SIZE, of=" of cells")] = Field(
        default=None,
        description="Cells along one side of its square footprint, whose north-west cell is where "
        "it is. Default: 1.",
    )
    radius: Annotated[
        float | None,
        _checked(values.radius, {"type": "number", "minimum": 0, "maximum": MAX_RADIUS}),
    ] = Field(
        default=None,
        description="Of its round footprint where the plane is divided, in units of the plane. "
        "Default: 0.",
    )
    terrain: Terrain = Field(default_factory=dict)
    slopes: SlopesTable = Field(default_factory=SlopesTable)
    turn: Annotated[
        float | None,
        _checked(values.above_zero, {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_COST}),
    ] = Field(
        default=None,
        description="Units that turning by one heading costs, on levels with headings. Default: 1.",
    )


class MeshTable(Table):
    """How a navigation mesh becomes a graph."""

    nodes: Annotated[MeshNodes | None, _chosen(MeshNodes)] = Field(
        default=None,
        description='Where nodes lie: "centre" of each polygon, "edge": in the middle of each '
        'shared edge, "portal": in the middle and at both ends. Default: "centre".',
    )


class NextHopsTable(Table):
    """How next hops are computed; every choice gives the same tables."""

    algorithm: Annotated[Algorithm | None, _chosen(Algorithm)] = Field(
        default=None, description='Default: "auto", by size and density.'
    )


class DistancesTable(Table):
    """Whether distances between all pairs are kept where tables does not name them."""

    storage: Annotated[DistanceStorage | None, _chosen(DistanceStorage, gone=_GONE_DISTANCES)] = (
        Field(
            default=None,
            description='"labels": some tens of bytes a place. Default: "auto", which is labels '
            'where tables names "distances", and no distances where tables is "auto".',
        )
    )


class ClustersTable(Table):
    """How places are grouped into clusters."""

    size: Annotated[int | None, _whole(MIN_CLUSTER_SIZE, MAX_CLUSTER_SIZE)] = Field(
        default=None,
        description="Side of a cluster in cells; on graphs one has about its square of nodes. "
        "Default: 32.",
    )
    regions: _Flag = Field(
        default=None,
        description="Whether regions of a level are clusters; places outside of them fall "
        "to squares. Default: false.",
    )


#: What to do about a number of layers that was one before plans were searched for.
_LEVELS_REMEDY = {"auto": "leave levels out: a plan is a search, for which one layer is enough"}


class HierarchyTable(Table):
    """Layers of transitions between clusters, for paths by HPA*."""

    mode: Annotated[
        HierarchyMode | None,
        _chosen(HierarchyMode, "shortest paths need no hierarchy: nav.path is exact without any"),
    ] = Field(
        default=None,
        description='"hpa": a few transitions an entrance; "none". Default: "hpa".',
    )
    spacing: Annotated[int | None, _whole(1, MAX_SPACING)] = Field(
        default=None,
        description="Most steps from one transition of an entrance to the next. Default: 8.",
    )
    levels: Annotated[int | None, _whole(1, MAX_LEVELS, remedy=_LEVELS_REMEDY)] = Field(
        default=None, description="Layers, each of clusters twice as wide. Default: 1."
    )
    keep_paths: _Flag = Field(
        default=None,
        description="Whether ways inside clusters are kept; else they are searched for. "
        "Default: true.",
    )


class HeuristicTable(Table):
    """Lower bounds of distances that guide searches."""

    kind: Annotated[HeuristicKind | None, _chosen(HeuristicKind)] = Field(
        default=None,
        description='"field": a table between basins, corrected by fields, and a few pivots; '
        '"landmark": pivots alone, faster to bake. Default: "auto", which is "field" where '
        'tables names "heuristic", and no heuristic where tables is "auto".',
    )
    bytes_per_node: Annotated[int | None, _whole(MIN_HEURISTIC_BYTES, MAX_HEURISTIC_BYTES)] = Field(
        default=None,
        description="What the heuristic may take for each place, tables included. Default: 20.",
    )


def _rule(name: str, what: str) -> Any:
    return Field(default=None, description=f'{what} Default: "{DEFAULT_SEVERITY[name]}".')


class ExportTable(Table):
    """Flat files for engines that cannot read HDF5, beside the assets."""

    flat: _Flag = Field(
        default=None, description="Whether each build writes LEVEL.bake. Default: false."
    )
    distances: _Flag = Field(
        default=None,
        description="Whether it holds distances, which tables has to name. Default: false.",
    )
    hierarchy: _Flag = Field(
        default=None,
        description="Whether it holds clusters and hierarchies, for the Python reader. "
        "Default: false.",
    )


class LintTable(Table):
    """How bad what `bake lint` finds is: "error", "warning", "notice" or "off"."""

    spawns: _SeverityKey = _rule("spawns", "Spawns where their profile cannot stand.")
    exits: _SeverityKey = _rule("exits", "Spawns from which no exit can be reached.")
    islands: _SeverityKey = _rule("islands", "Places that cannot be reached.")
    traps: _SeverityKey = _rule("traps", "Places that can be entered, but not left.")
    links: _SeverityKey = _rule("links", "Links that lead nowhere, or are for nobody.")
    narrow: _SeverityKey = _rule("narrow", "Cells too narrow for a large profile.")
    ignored: _SeverityKey = _rule("ignored", "Layers, objects and shapes that do not count.")
    gravity: _SeverityKey = _rule("gravity", "Levels that look like those of platformers.")
    straight: _SeverityKey = _rule("straight", "Straight lines of a divided plane through walls.")
    terrain: _SeverityKey = _rule("terrain", "Terrains that no cell has.")
    legend: _SeverityKey = _rule("legend", "Entries of a legend that match nothing.")
    recipe: _SeverityKey = _rule("recipe", "Keys of the recipe that became terrains by accident.")

    def given(self) -> dict[str, Severity]:
        """Return severities by rule, where the recipe states them."""
        return {name: value for name, value in dict(self).items() if value is not None}


class EditorTable(Table):
    """What tables of all level editors have."""

    layers: _LayerNames = None
    ignore: _LayerNames = Field(
        default=None, description="Layers that do not count, named as in layers. Default: none."
    )
    empty: Annotated[str | None, _checked(values.terrain_name, _NAME)] = None
    legend: dict[str, _TerrainName] = {}
    world: Annotated[WorldAs | None, _chosen(WorldAs)] = Field(
        default=None,
        description="Whether the maps or levels of a world bake as one level, or one asset each. "
        'Default: "one".',
    )
    allow_outside: _Flag = Field(
        default=None,
        description="Whether files outside the recipe's folder may be read. Default: false.",
    )


class TiledTable(EditorTable):
    """How maps of the Tiled editor are read."""

    layers: _LayerNames = Field(
        default=None,
        description="Tile layers that count, by name or path (Group/Layer). Default: all.",
    )
    empty: Annotated[str | None, _checked(values.terrain_name, _NAME)] = Field(
        default=None, description='Terrain of cells without a tile. Default: "void".'
    )
    legend: dict[_TiledKey, _TerrainName] = Field(
        default_factory=dict,
        description='Terrain, or "below", by what a tile is: "tile:SET:IDS", "property:NAME", '
        '"property:NAME=VALUE", "class:NAME", "wang:NAME", "tileset:NAME", "layer:NAME"; '
        'terrain of collision shapes by "collision" or "collision:CLASS"; terrain of objects, or '
        'kind of thing, by "object:CLASS".',
    )


class LdtkTable(EditorTable):
    """How projects of the LDtk editor are read."""

    layers: _LayerNames = Field(
        default=None, description="Layers that count, by identifier. Default: all."
    )
    empty: Annotated[str | None, _checked(values.terrain_name, _NAME)] = Field(
        default=None,
        description='Terrain of cells of which no layer says anything. Default: "floor".',
    )
    legend: dict[_LdtkKey, _TerrainName] = Field(
        default_factory=dict,
        description='Terrain, or "below", by what a cell holds: "value:NAME", '
        '"value:LAYER:NAME", "value:LAYER:NUMBER", "tile:SET:IDS", "enum:TAG", "tileset:NAME", '
        '"layer:NAME", "area:ENTITY"; kind of thing by "entity:NAME".',
    )


_MEMORY: dict[str, Any] = {
    "anyOf": [
        _range(MIN_MEMORY_BUDGET, MAX_MEMORY_BUDGET),
        {"type": "string", "pattern": f"^{values.MEMORY}$"},
    ]
}
_TABLES: dict[str, Any] = {
    "anyOf": [
        {"const": "auto"},
        _distinct({"enum": list(TABLE_NAMES)}, minItems=1),
    ]
}
_SQUARE = Literal[4, 8]

_SourceGlob = Annotated[str, PlainValidator(values.source_glob)]
_TableName = Annotated[str, PlainValidator(values.one_of(*TABLE_NAMES))]


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
        _chosen(_SQUARE, "leave it out for hexagonal grids, which always have 6"),
    ] = Field(
        default=None,
        description="Neighbours of a square cell. Default: as the level's format says, else 8.",
    )
    headings: Annotated[Headings | None, _chosen(Headings)] = Field(
        default=None,
        description="Ways an agent can face: 4 or 8 on squares, 6 on hexagons. A place is a cell "
        "and a heading then, and turning costs. Default: nobody faces any way.",
    )
    corner_cutting: Annotated[CornerCutting | None, _chosen(CornerCutting)] = Field(
        default=None,
        description="Whether a diagonal step may pass a blocked corner: never, if one side is "
        'free, or always. Default: as the level\'s format says, else "never".',
    )
    cost_rule: Annotated[CostRule | None, _chosen(CostRule)] = Field(
        default=None,
        description="What a step costs: its length times the mean of both cells' costs, or times "
        'the cost of the cell entered. Default: as the level\'s format says, else "mean".',
    )
    ticks_per_unit: Annotated[int | None, _whole(1, MAX_TICKS_PER_UNIT)] = Field(
        default=None,
        description=f"Fixed-point scale of costs. Default: {DEFAULT_TICKS_PER_UNIT}.",
    )
    division: Annotated[Division | None, _chosen(Division)] = Field(
        default=None,
        description="How a level is divided into nodes: its cells, convex polygons of a "
        "navigation mesh, points of visibility, or Dirichlet domains. "
        'Default: levels of cells into these, levels of shapes "mesh".',
    )
    cell_size: Annotated[
        float | tuple[float, float] | None, _checked(values.cell_size, CELL_SIZE_SCHEMA)
    ] = Field(
        default=None,
        description="Width and height of a cell in the game's plane, for levels whose file does "
        "not say: one number or [width, height]. Default: 1.",
    )
    origin: Annotated[tuple[float, float] | None, _checked(values.origin, ORIGIN_SCHEMA)] = Field(
        default=None,
        description="Where the top left corner of a level lies, if its file does not say. "
        "Default: [0, 0].",
    )
    memory_budget: Annotated[int | None, _checked(values.memory_budget, _MEMORY)] = Field(
        default=None,
        description='Bytes a bake may use, or text with a unit. Default: "2 GiB".',
    )
    tables: Annotated[tuple[_TableName, ...] | None, _checked_list(values.tables, _TABLES)] = Field(
        default=None,
        description='Products to bake. Default: "auto", which is all but distances and '
        "the heuristic.",
    )
    next_hops: NextHopsTable = Field(default_factory=NextHopsTable)
    distances: DistancesTable = Field(default_factory=DistancesTable)
    clusters: ClustersTable = Field(default_factory=ClustersTable)
    hierarchy: HierarchyTable = Field(default_factory=HierarchyTable)
    lint: LintTable = Field(default_factory=LintTable)
    heuristic: HeuristicTable = Field(default_factory=HeuristicTable)
    mesh: MeshTable = Field(default_factory=MeshTable)
    export: ExportTable = Field(default_factory=ExportTable)
    legend: dict[_ColourKey, _TerrainName] = Field(
        default_factory=dict, description="Terrain by colour of an image's pixels."
    )
    elevation: ElevationTable = Field(default_factory=ElevationTable)
    slopes: SlopesTable = Field(default_factory=SlopesTable)
    tiled: TiledTable = Field(default_factory=TiledTable)
    ldtk: LdtkTable = Field(default_factory=LdtkTable)
    terrain: Terrain = Field(default_factory=dict)
    profiles: Annotated[
        dict[_ProfileName, ProfileTable],
        AfterValidator(_at_least_one),
    ] = Field(
        default_factory=dict,
        description='Kinds of agents by name. Default: one called "default".',
        json_schema_extra={"minProperties": 1},
    )


class RecipeTable(LevelTable):
    """bake.toml: what levelbake bakes, and under which rules."""

    sources: Annotated[
        tuple[_SourceGlob, ...] | None,
        _checked_list(values.sources, _distinct(_NAME, minItems=1)),
    ] = Field(
        default=None,
        description="Globs of level files relative to the recipe's folder. "
        f"Default: {json.dumps(DEFAULT_SOURCES)}.",
    )
    output: Annotated[str | None, _checked(values.output_folder, _NAME)] = Field(
        default=None, description=f'Folder of the assets. Default: "{DEFAULT_OUTPUT}".'
    )
    levels: dict[_LevelName, LevelTable] = Field(
        default_factory=dict,
        description="Rules of single levels, by file name without extension, over the project's.",
    )


def schema() -> dict[str, Any]:
    """Make the JSON Schema of a whole recipe."""
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
