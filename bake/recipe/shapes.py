"""What tables of `bake.toml` are made of: names, keys and choices, and their JSON Schema."""

from __future__ import annotations

from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, PlainValidator, WithJsonSchema, WrapValidator

from bake.recipe import values

NAME: dict[str, Any] = {"type": "string", "minLength": 1}


def list_of(items: dict[str, Any], **limits: int) -> dict[str, Any]:
    """JSON Schema of a list of distinct items."""
    return {"type": "array", "items": items, "uniqueItems": True, **limits}


def matching(pattern: str) -> WithJsonSchema:
    """JSON Schema of text that matches a pattern."""
    return WithJsonSchema({"type": "string", "pattern": f"^{pattern}$"})


def whole(least: int, most: int) -> dict[str, Any]:
    """JSON Schema of a whole number in a range, both ends included."""
    return {"type": "integer", "minimum": least, "maximum": most}


def chosen(kind: Any, remedy: str | None = None) -> PlainValidator:
    """One of a Literal's values, and its JSON Schema."""
    return PlainValidator(
        values.one_of(*get_args(kind), remedy=remedy), json_schema_input_type=kind
    )


TerrainName = Annotated[str, PlainValidator(values.terrain_name), WithJsonSchema(NAME)]
ColourKey = Annotated[str, PlainValidator(values.colour), matching(values.COLOUR)]
TiledKey = Annotated[str, PlainValidator(values.tiled_key), matching(values.TILED_KEY)]
LdtkKey = Annotated[str, PlainValidator(values.ldtk_key), matching(values.LDTK_KEY)]
ProfileName = Annotated[str, PlainValidator(values.profile_name), matching(values.PROFILE_NAME)]
LevelName = Annotated[str, PlainValidator(values.level_name), matching(r"[^/\\]+")]

_LayerName = Annotated[str, PlainValidator(values.layer_name), WithJsonSchema(NAME)]
LayerNames = Annotated[
    tuple[_LayerName, ...] | None,
    WrapValidator(values.layer_names),
    WithJsonSchema(list_of(NAME, minItems=1)),
]
Flag = Annotated[bool | None, PlainValidator(values.flag), WithJsonSchema({"type": "boolean"})]


class Table(BaseModel):
    """A TOML table in which every key is known."""

    model_config = ConfigDict(extra="forbid", frozen=True)
