"""Tables of `bake.toml` about who may go where: terrain and profiles."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import (
    BeforeValidator,
    Field,
    PlainValidator,
    WithJsonSchema,
    WrapValidator,
    model_validator,
)

from bake.footprint import MAX_SIZE
from bake.recipe import MAX_COST, values
from bake.recipe.shapes import NAME, Table, TerrainName, list_of, whole

_NUMBER_OR_BLOCKED: dict[str, Any] = {
    "anyOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": MAX_COST}, {"const": "blocked"}]
}
_ShortRule = Annotated[float | str, WithJsonSchema(_NUMBER_OR_BLOCKED)]


class RuleTable(Table):
    """What one terrain means for movement."""

    cost: Annotated[
        float | None, PlainValidator(values.cost), WithJsonSchema(_NUMBER_OR_BLOCKED)
    ] = Field(description='Units to cross one cell, or "blocked".')
    enter_from: Annotated[
        tuple[TerrainName, ...] | None,
        WrapValidator(values.enter_from),
        WithJsonSchema(list_of(NAME)),
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
        WithJsonSchema(whole(1, MAX_SIZE)),
    ] = Field(
        default=None,
        description="Cells along one side of its square footprint, whose north-west cell is where "
        "it is. Default: 1.",
    )
    terrain: Terrain = Field(default_factory=dict)
