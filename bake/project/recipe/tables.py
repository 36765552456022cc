"""Declare keys and tables of a recipe, read tables by it, and make their JSON Schema."""

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
    alternatives,
    quoted,
    show,
)


@dataclass(frozen=True)
class Key:
    """A key of a table: what its value is, and what it is for."""

    kind: Kind
    about: str = ""


@dataclass(frozen=True)
class Table:
    """A table in which every key is known."""

    name: str  #: what it is called in the JSON Schema
    about: str  #: what it is for
    example: str  #: of it in a recipe, for mistakes
    keys: Mapping[str, Key]  #: in the order in which mistakes list them
    #: a key that has to be there, and what to say where it is not
    required: Mapping[str, Mistake] = field(default_factory=dict)
    #: the key that a plain value stands for, as `grass = 2` does for a cost
    short: str | None = None
    #: turns the values of the keys that are there into what the table says
    make: Callable[[dict[str, Any]], Any] = dict
    #: what to do about keys that were there once
    gone: Mapping[str, str] = field(default_factory=dict)

    def read(self, value: Any, path: KeyPath, mistakes: Mistakes) -> Any:
        """Return what the table says; None where there is a mistake, and all of them are noted."""
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
            mistakes.append((path, _no_table(value, self.example)))
        if len(mistakes) > before:
            return None
        try:
            return self.make(values)
        except Mistake as mistake:
            mistakes.append((path, mistake))
            return None

    def schema(self, tables: Schema) -> Schema:
        properties = {name: key.kind.described(tables) for name, key in self.keys.items()}
        for name, key in self.keys.items():
            if key.about:
                properties[name] = {**properties[name], "description": key.about}
        required = {"required": list(self.required)} if self.required else {}
        closed = {"additionalProperties": False, "properties": properties}
        return {"type": "object", "description": self.about, **closed, **required}

    def described(self, tables: Schema) -> Schema:
        """Return a reference to the schema, which is put among ``tables``."""
        tables[self.name] = self.schema(tables)
        schema: Schema = {"$ref": f"#/$defs/{self.name}"}
        if self.short is None:
            return schema
        return {"anyOf": [self.keys[self.short].kind.described(tables), schema]}


@dataclass(frozen=True)
class Named:
    """A table of values under names that are chosen freely."""

    names: Scalar  #: the kind of the names
    each: Scalar | Table  #: the kind of the values
    example: str  #: of it in a recipe, for mistakes
    empty: Mistake | None = None  #: what is wrong where there is none; None = nothing is
    noun: str = "name"  #: what several spellings are of

    def read(self, value: Any, path: KeyPath, mistakes: Mistakes) -> dict[str, Any]:
        """Return values by name, both normalised; mistakes are noted."""
        if not isinstance(value, dict):
            mistakes.append((path, _no_table(value, self.example)))
            return {}
        if not value and self.empty is not None:
            mistakes.append((path, self.empty))
        found: dict[str, Any] = {}
        first: dict[str, str] = {}
        for key, inner in value.items():
            name = self.names.read(key, (*path, key), mistakes)
            if name is not None and first.setdefault(name, key) != key:
                said = f"found {show(key)}, the same {self.noun} as {show(first[name])}"
                expected = f"each {self.noun} once"
                mistakes.append(((*path, key), Mistake(said, expected, "leave one out")))
            found[name] = self.each.read(inner, (*path, key), mistakes)
        return found

    def described(self, tables: Schema) -> Schema:
        each = self.each.described(tables)
        pattern = self.names.schema.get("pattern")
        named = {"patternProperties": {pattern: each}, "additionalProperties": False}
        if pattern is None:
            named = {"additionalProperties": each, "propertyNames": self.names.schema}
        return {"type": "object", **named, **({"minProperties": 1} if self.empty else {})}


Kind = Scalar | Items | Table | Named


class UnknownKey(Mistake):
    """A key that its table does not have; who knows all tables adds where it belongs."""

    def __init__(self, key: str, table: Table) -> None:
        expected = alternatives(list(table.keys))
        super().__init__(f"unknown key {quoted(key)}", expected, table.gone.get(key))
        self.key, self.table = key, table


def _no_table(value: object, example: str) -> Mistake:
    return Mistake(f"found {show(value)}", f"a table, as in {example}")


#: A key is stated in an asset always, where it has not its default, or else never or in a form of
#: its own.
Stated = Literal["always", "changed", "otherwise"]


@dataclass(frozen=True)
class Declared:
    """What is declared of a key beside the field that it sets."""

    path: str  #: its name, after that of its table and a dot where it has one
    key: Key  #: its kind of value, and what it is for
    stated: Stated  #: when an asset states it
    make: Callable[[Any], Any]  #: turns what tables say, once merged, into the value of the field


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
    """Return the field of a recipe that a key sets.

    Args:
        default: of the field, or the type that makes it; ``about`` need not say a plain one.
        usually: what else there is to say of it.
        path, kind, about, stated, make: as of :class:`Declared`.
    """
    if isinstance(default, str | int | float) and "Default: " not in about:
        about = f"{about} Default: {show(default)}{usually}.".strip()
    metadata = {"declared": Declared(path, Key(kind, about), stated, make)}
    if isinstance(default, type):
        return field(default_factory=default, metadata=metadata)
    return field(default=default, metadata=metadata)


def declared(kind: type) -> dict[str, Declared]:
    """Return what is declared of the keys of a kind of recipe, by the fields that they set."""
    return {
        each.name: each.metadata["declared"] for each in fields(kind) if "declared" in each.metadata
    }


def resolved(kind: type, tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that merged tables set, by name."""
    found = {}
    for name, each in declared(kind).items():
        table, _, key = each.path.rpartition(".")
        inside = tables.get(table, {}) if table else tables
        if key in inside:
            found[name] = each.make(inside[key])
    return found
