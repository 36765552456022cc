"""Read and check the values of a Tiled file, whether they come as JSON or as XML text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from bake.levels.reading.marks import Attributes, as_number
from bake.levels.reading.mistakes import refuse, shown

#: The most properties an object, tile or layer may have; those of a template are copied to its
#: objects.
MAX_PROPERTIES = 1024
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_LIMIT = 10**18


class Fields:
    """Reads the keys of one object of a file.

    Attributes:
        file: where it stands.
        values: by key.
        place: what it is, in words a user of the editor knows.
        is_text: whether numbers and flags come as text, as in XML.
    """

    def __init__(
        self, file: Path, values: Mapping[str, object], place: str, *, is_text: bool
    ) -> None:
        self.file = file
        self.values = values
        self.place = place
        self.is_text = is_text

    def refuse(
        self, found: str, expected: str | None = None, remedy: str | None = None
    ) -> NoReturn:
        refuse(self.file, self.place or None, found, expected, remedy)

    def at(self, place: str) -> Fields:
        """Return the same fields with a better name for their place."""
        return Fields(self.file, self.values, place, is_text=self.is_text)

    def inside(self, values: Mapping[str, object], place: str) -> Fields:
        """Return the fields of another object of the same file."""
        return Fields(self.file, values, place, is_text=self.is_text)

    def has(self, key: str) -> bool:
        return self.values.get(key) is not None

    def whole(self, key: str, default: int | None = None, *, low: int = 0) -> int:
        """Return a whole number of at least ``low``; without a default it may not be missing."""
        expected = "a whole number" if low < 0 else f"a whole number of at least {low}"
        value = self._given(key, default, expected)
        if self.is_text and isinstance(value, str) and _WHOLE.fullmatch(value):
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if type(value) is not int or not low <= value < _LIMIT:
            self.refuse(f"{key} is {shown(value)}", expected)
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """Return a finite number."""
        value = self._given(key, default, "a number")
        found = as_number(value, is_text=self.is_text)
        if found is None:
            self.refuse(f"{key} is {shown(value)}", "a number")
        return found

    def text(self, key: str, default: str | None = None) -> str:
        value = self._given(key, default, "text")
        if not isinstance(value, str):
            self.refuse(f"{key} is {shown(value)}", "text")
        return value

    def items(self, key: str) -> list[Fields]:
        """Return a list of objects, empty where there is none."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.refuse(f"{key} is {shown(value)}", "a list of objects")
        prefix = f"{self.place}: " if self.place else ""
        return [self.inside(item, f"{prefix}{key}[{at}]") for at, item in enumerate(value)]

    def properties(self) -> Properties:
        """Return the custom properties."""
        found: dict[str, object] = {}
        items = self.items("properties")
        if len(items) > MAX_PROPERTIES:
            self.refuse(f"it has {len(items):,} properties", f"at most {MAX_PROPERTIES:,}")
        for item in items:
            name = item.text("name")
            if name in found:
                self.refuse(f"the property {shown(name)} is given twice", "each property once")
            found[name] = _typed(item)
        return Properties(self, found)

    def _given(self, key: str, default: object, expected: str) -> object:
        value = self.values.get(key, default)
        if value is None:
            self.refuse(f"{key} is missing", expected)
        return value


def _typed(item: Fields) -> object:
    """Return the value of a property, converted by its type."""
    kind, value = item.text("type", "string"), item.values.get("value")
    if not item.is_text or not isinstance(value, str):
        return value
    if kind == "bool":
        return {"true": True, "false": False}.get(value, value)
    if kind in ("int", "float", "object"):
        number = as_number(value, is_text=True)
        if number is None:
            return value
        return number if kind == "float" else int(number)
    return value


class Properties(Attributes):
    """Custom properties: what a designer typed."""

    owner: Fields

    def __init__(self, owner: Fields, values: Mapping[str, object]) -> None:
        super().__init__(owner, "property", values)

    def over(self, below: Properties) -> Properties:
        """Return these properties, with those of a template or tile where these say nothing."""
        return Properties(self.owner, {**below.values, **self.values})

    def has(self, name: str) -> bool:
        return self.values.get(name) not in (None, "")
