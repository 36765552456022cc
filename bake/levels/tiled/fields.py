"""Read and check the values of a Tiled file, from JSON or from XML text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NoReturn

from bake.levels.reading.marks import WORDS, Attributes, parse_number
from bake.levels.reading.mistakes import refuse, shown
from bake.levels.reading.names import normalize_name
from bake.levels.tiled.custom_types import MAX_CLASSES_DEEP, CustomTypes, Use

#: The most properties of an object, tile or layer. The limit bounds templates, whose properties are
#: copied to all their objects.
MAX_PROPERTIES = 1024
#: The keys of the class of an object, tile or layer in the versions of Tiled.
_CLASS_KEYS: Mapping[Use, tuple[str, ...]] = {
    "object": ("class", "type"),
    "tile": ("class", "type"),
    "layer": ("class",),
}
#: Pairs of opposite flags: a flag of an object replaces an inherited opposite one.
_OPPOSITES = {
    **{"blocked": "walkable", "walkable": "blocked"},
    **{"one_way": "both_ways", "both_ways": "one_way"},
}
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_LIMIT = 10**18


class Fields:
    """Checked access to the keys of one object in a file."""

    def __init__(
        self,
        file: Path,
        values: Mapping[str, object],
        place: str,
        *,
        is_text: bool,
        types: CustomTypes | None = None,
    ) -> None:
        self.file = file
        self.values = values
        self.place = place  #: what the object is, in the terms of the editor
        self.is_text = is_text  #: whether numbers and flags are text, as in XML
        self.types = CustomTypes() if types is None else types

    def refuse(
        self, problem: str, expected: str | None = None, remedy: str | None = None
    ) -> NoReturn:
        refuse(self.file, self.place or None, problem, expected, remedy)

    def at_place(self, place: str) -> Fields:
        """Return the same fields with another name of their place."""
        return self.inside(self.values, place)

    def inside(self, values: Mapping[str, object], place: str) -> Fields:
        """Return the fields of another object in the same file."""
        return Fields(self.file, values, place, is_text=self.is_text, types=self.types)

    def has(self, key: str) -> bool:
        return self.values.get(key) is not None

    def integer(self, key: str, default: int | None = None, *, low: int = 0) -> int:
        """Return an integer of at least ``low``; the key is required without a default."""
        expected = "a whole number" if low < 0 else f"a whole number of at least {low}"
        value = self._required(key, default, expected)
        if self.is_text and isinstance(value, str) and _WHOLE.fullmatch(value):
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if type(value) is not int or not low <= value < _LIMIT:
            self.refuse(f"{key} is {shown(value)}", expected)
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """Return the value of a key as a finite number; without a default it is required."""
        value = self._required(key, default, "a number")
        number = parse_number(value, is_text=self.is_text)
        if number is None:
            self.refuse(f"{key} is {shown(value)}", "a number")
        return number

    def text(self, key: str, default: str | None = None) -> str:
        value = self._required(key, default, "text")
        if not isinstance(value, str):
            self.refuse(f"{key} is {shown(value)}", "text")
        return value

    def items(self, key: str) -> list[Fields]:
        """Return the objects in a list, empty if the key is missing."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.refuse(f"{key} is {shown(value)}", "a list of objects")
        prefix = f"{self.place}: " if self.place else ""
        return [self.inside(item, f"{prefix}{key}[{number}]") for number, item in enumerate(value)]

    def properties(self) -> Properties:
        """Return the custom properties without the defaults of the class."""
        items = self._property_items()
        if len(items) > MAX_PROPERTIES:
            self.refuse(f"it has {len(items):,} properties", f"at most {MAX_PROPERTIES:,}")
        return Properties(self, self._index_values(items, 0))

    def class_name(self, use: Use) -> str:
        """Return the class of an object, tile or layer, or "" without a class."""
        return next((name for key in _CLASS_KEYS[use] if (name := self.text(key, ""))), "")

    def class_properties(self, use: Use, name: str | None = None) -> Properties:
        """Return the default properties of a class.

        Args:
            use: the kind of owner.
            name: the class; None = the class of the owner.
        """
        name = self.class_name(use) if name is None else name
        return Properties(self, self.types.class_defaults(name, use))

    def typed_properties(self, use: Use) -> Properties:
        """Return the custom properties with the defaults of the class for missing ones."""
        return self.properties().with_inherited(self.class_properties(use))

    def _property_items(self) -> list[Fields]:
        """Return the properties as named objects; before Tiled 1.2 they are values by name."""
        values = self.values.get("properties", [])
        if not isinstance(values, dict):
            return self.items("properties")
        kinds = self.values.get("propertytypes", {})
        if not isinstance(kinds, dict):
            self.refuse(f"propertytypes is {shown(kinds)}", "an object")
        prefix = f"{self.place}: " if self.place else ""
        return [
            self.inside(
                {"name": name, "type": kinds.get(name, "string"), "value": value},
                f"{prefix}properties",
            )
            for name, value in values.items()
        ]

    def _index_values(self, items: list[Fields], depth: int) -> dict[str, object]:
        values: dict[str, object] = {}
        for item in items:
            name = item.text("name")
            if name in values:
                self.refuse(f"the property {shown(name)} is given twice", "each property once")
            values[name] = item.read_value(self.place, depth)
        return values

    def read_value(self, place: str, depth: int) -> object:
        """Return the value of a property or of a list's item, converted by its type."""
        kind, value = self.text("type", "string"), self.values.get("value")
        if depth > MAX_CLASSES_DEEP:
            self.refuse("its classes and lists are nested too deeply", f"{MAX_CLASSES_DEEP} deep")
        if self.is_text and kind == "class":
            value = self._index_values(self.items("properties"), depth + 1)
        elif self.is_text and kind == "list":
            value = [item.read_value(place, depth + 1) for item in self.items("items")]
        elif self.is_text and isinstance(value, str):
            value = _convert_text(value, kind)
        return self.types.resolve(value, kind, self.text("propertytype", ""), place, depth)

    def _required(self, key: str, default: object, expected: str) -> object:
        value = self.values.get(key, default)
        if value is None:
            self.refuse(f"{key} is missing", expected)
        return value


def _convert_text(value: str, kind: str) -> object:
    """Return a value from XML, converted by its type."""
    if kind == "bool":
        return {"true": True, "false": False}.get(value, value)
    if kind in ("int", "float", "object"):
        number = parse_number(value, is_text=True)
        if number is None:
            return value
        return number if kind == "float" else int(number)
    return value


class Properties(Attributes):
    """The custom properties of an object, tile or layer.

    Members of class properties count as properties of the owner, unless the owner has a property
    with that name, or two members with that name differ.
    """

    owner: Fields

    def __init__(self, owner: Fields, values: Mapping[str, object]) -> None:
        super().__init__(owner, "property", values)

    def with_inherited(self, below: Properties) -> Properties:
        """Return these properties, with missing ones inherited from a template, tile or class."""
        if not below.values:
            return self
        own_names = set(map(normalize_name, self.values))
        own_names |= {_OPPOSITES[name] for name in own_names & _OPPOSITES.keys()}
        inherited = {
            name: value
            for name, value in below.values.items()
            if normalize_name(name) not in own_names
        }
        return Properties(self.owner, {**inherited, **self.values})

    def has(self, name: str) -> bool:
        return self.value(name) not in (None, "")

    @cached_property
    def members(self) -> Mapping[str, Mapping[str, object]]:
        """The members of class properties: values by dotted path, by plain name."""
        members: dict[str, dict[str, object]] = {}
        for count, (path, value) in enumerate(_walk_members(self.values, "")):
            if count >= MAX_PROPERTIES:
                self.owner.refuse("its classes have too many members", f"{MAX_PROPERTIES:,} in all")
            name = normalize_name(path.rpartition(".")[2])
            # An object reference inside a class may have a meaning of the game.
            if value is not None and name in WORDS:
                members.setdefault(name, {})[path] = value
        return members

    def spelling(self, name: str) -> str:
        if name not in self.spellings and self.members.get(name):
            return next(iter(self.members[name]))
        return super().spelling(name)

    def value(self, name: str) -> object:
        if name in self.spellings or name not in self.members:
            return super().value(name)
        first, *rest = self.members[name].values()
        return first if all(value == first for value in rest) else None

    def find(self, key: str) -> object:
        """Return the value of a property, or of a member by its path such as "nav.blocked"."""
        if "." in key and self.values.get(key) is None:
            owner, _, member = key.partition(".")
            inner = self.find(owner)
            if isinstance(inner, Mapping):
                return Properties(self.owner, inner).find(member)
        if self.values.get(key) is not None:
            return self.values[key]
        return Attributes.value(self, normalize_name(key))

    def unread_members(self, known: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield the path and name of each member that a different value of the name overrides."""
        for name in known:
            value = self.value(name) if name in self.members else None
            for path, member in self.members.get(name, {}).items():
                if member != value:
                    yield path, name


def _walk_members(values: Mapping[str, object], path: str) -> Iterator[tuple[str, object]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _walk_members(value, f"{path}{name}.")
        elif path:
            yield f"{path}{name}", value
