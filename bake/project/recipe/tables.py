"""Declarations of keys and tables of a recipe, which check tables and describe their schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from bake.levels.reading.mistakes import Mistake
from bake.project.recipe.values import (
    Items,
    KeyPath,
    Mistakes,
    Scalar,
    Schema,
    format_choices,
    quote,
    show,
)


@dataclass(frozen=True)
class Key:
    """A key of a table: the kind of its value, and a description."""

    kind: Kind
    about: str = ""


@dataclass(frozen=True)
class Table:
    """A table with a fixed set of keys."""

    name: str  #: name in the JSON Schema
    about: str  #: description
    example: str  #: an example in a recipe, for error messages
    keys: Mapping[str, Key]  #: keys in the order of error messages
    #: required keys, with the mistake if they are missing
    required: Mapping[str, Mistake] = field(default_factory=dict)
    #: the key for a plain value instead of a table, such as cost in `grass = 2`
    short: str | None = None
    #: converts the values of the present keys to the value of the table
    make: Callable[[dict[str, Any]], Any] = dict
    #: remedies for keys that no longer exist
    gone: Mapping[str, str] = field(default_factory=dict)

    def read(self, value: Any, path: KeyPath, mistakes: Mistakes) -> Any:
        """Return the value of the table, or None after appending its mistakes."""
        before = len(mistakes)
        if self.short is not None and not isinstance(value, dict):
            values = {self.short: self.keys[self.short].kind.read(value, path, mistakes)}
        elif isinstance(value, dict):
            mistakes += [(path, self.required[key]) for key in self.required if key not in value]
            values = {
                name: key.kind.read(value[name], (*path, name), mistakes)
                for name, key in self.keys.items()
                if name in value
            }
            for name in value:
                if name not in self.keys:
                    mistakes.append(((*path, name), UnknownKey(name, self)))
        else:
            mistakes.append((path, _not_a_table(value, self.example)))
        if len(mistakes) > before:
            return None
        try:
            return self.make(values)
        except Mistake as mistake:
            mistakes.append((path, mistake))
            return None

    def schema(self, tables: Schema) -> Schema:
        properties = {name: key.kind.describe(tables) for name, key in self.keys.items()}
        for name, key in self.keys.items():
            if key.about:
                properties[name] = {**properties[name], "description": key.about}
        required = {"required": list(self.required)} if self.required else {}
        closed = {"additionalProperties": False, "properties": properties}
        return {"type": "object", "description": self.about, **closed, **required}

    def describe(self, tables: Schema) -> Schema:
        """Return a reference to the schema, which is added to ``tables``."""
        tables[self.name] = self.schema(tables)
        schema: Schema = {"$ref": f"#/$defs/{self.name}"}
        if self.short is None:
            return schema
        return {"anyOf": [self.keys[self.short].kind.describe(tables), schema]}


@dataclass(frozen=True)
class Named:
    """A table with free names and values of one kind."""

    names: Scalar  #: the kind of the names
    value: Scalar | Table  #: the kind of the values
    example: str  #: an example in a recipe, for error messages
    empty: Mistake | None = None  #: the mistake of an empty table; None = it may be empty
    noun: str = "name"  #: the noun for a name in error messages

    def read(self, value: Any, path: KeyPath, mistakes: Mistakes) -> dict[str, Any]:
        """Return normalized values by normalized name, after appending mistakes."""
        if not isinstance(value, dict):
            mistakes.append((path, _not_a_table(value, self.example)))
            return {}
        if not value and self.empty is not None:
            mistakes.append((path, self.empty))
        values: dict[str, Any] = {}
        first: dict[str, str] = {}
        for key, inner in value.items():
            name = self.names.read(key, (*path, key), mistakes)
            if name is not None and first.setdefault(name, key) != key:
                problem = f"found {show(key)}, the same {self.noun} as {show(first[name])}"
                expected = f"each {self.noun} once"
                mistakes.append(((*path, key), Mistake(problem, expected, "leave one out")))
            values[name] = self.value.read(inner, (*path, key), mistakes)
        return values

    def describe(self, tables: Schema) -> Schema:
        value = self.value.describe(tables)
        pattern = self.names.schema.get("pattern")
        named = {"patternProperties": {pattern: value}, "additionalProperties": False}
        if pattern is None:
            named = {"additionalProperties": value, "propertyNames": self.names.schema}
        return {"type": "object", **named, **({"minProperties": 1} if self.empty else {})}


Kind = Scalar | Items | Table | Named


class UnknownKey(Mistake):
    """An unknown key of a table. `read_tables` adds the table that the key belongs to."""

    def __init__(self, key: str, table: Table) -> None:
        expected = format_choices(list(table.keys))
        super().__init__(f"unknown key {quote(key)}", expected, table.gone.get(key))
        self.key, self.table = key, table


def _not_a_table(value: object, example: str) -> Mistake:
    return Mistake(f"found {show(value)}", f"a table, as in {example}")


#: When an asset states a key: always, if it differs from the default, or never or in another form.
Stated = Literal["always", "changed", "otherwise"]


@dataclass(frozen=True)
class Declared:
    """The declaration of a key, stored in the metadata of its field."""

    path: str  #: dotted path of the key, such as "hierarchy.mode"
    key: Key  #: kind of its value, and description
    stated: Stated  #: when assets state it
    make: Callable[[Any], Any]  #: converts the merged value to the value of the field


def key(
    path: str,
    kind: Kind,
    about: str = "",
    default: Any = None,
    *,
    usually: str = "",
    stated: Stated = "otherwise",
    make: Callable[[Any], Any] = lambda value: value,
) -> Any:
    """Return a dataclass field for a key of a recipe.

    Args:
        default: the default of the field, or a type to create it. Plain defaults are added to the
            description.
        usually: text after the default in the description.
        path, kind, about, stated, make: as in :class:`Declared`.
    """
    if isinstance(default, str | int | float) and "Default: " not in about:
        about = f"{about} Default: {show(default)}{usually}.".strip()
    metadata = {"declared": Declared(path, Key(kind, about), stated, make)}
    if isinstance(default, type):
        return field(default_factory=default, metadata=metadata)
    return field(default=default, metadata=metadata)


def list_declarations(kind: type) -> dict[str, Declared]:
    """Return the declarations of the keys of a recipe class, by field name."""
    return {
        item.name: item.metadata["declared"] for item in fields(kind) if "declared" in item.metadata
    }


def resolve_fields(kind: type, tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the field values of a recipe class from merged tables, by field name."""
    values = {}
    for name, declaration in list_declarations(kind).items():
        table, _, key = declaration.path.rpartition(".")
        inside = tables.get(table, {}) if table else tables
        if key in inside:
            values[name] = declaration.make(inside[key])
    return values
