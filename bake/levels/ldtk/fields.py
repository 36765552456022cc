"""Custom fields of entities, read by name in any case, each with a check."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NoReturn

from bake.levels.json_text import shown
from bake.levels.ldtk.model import FieldInstance
from bake.levels.ldtk.project import Where
from bake.levels.limits import MAX_COST
from bake.levels.terrain_json import is_plain_text
from bake.movement import EAST, NORTH, SOUTH, WEST

HEADINGS = {"north": NORTH, "east": EAST, "south": SOUTH, "west": WEST}
_OPPOSITE = {NORTH: SOUTH, SOUTH: NORTH, EAST: WEST, WEST: EAST}
_REFERENCES = ("EntityRef", "Array<EntityRef>")


class Fields:
    """The fields of one entity; one that is null in LDtk is as if it were not there."""

    def __init__(self, instances: Sequence[FieldInstance], where: Where) -> None:
        self.where = where
        self.instances = {each.identifier.lower(): each for each in instances}

    def refuse(self, name: str, expected: str) -> NoReturn:
        self.where.refuse(f"the field {name} is {shown(self._value(name))}", expected)

    def _value(self, name: str) -> object:
        found = self.instances.get(name)
        return None if found is None else found.value

    def text(self, name: str) -> str | None:
        """Text without control characters; None where it is empty or missing."""
        value = self._value(name)
        if value is None or value == "":
            return None
        if not isinstance(value, str) or not is_plain_text(value):
            self.refuse(name, "text without control characters")
        return value

    def flag(self, name: str) -> bool | None:
        value = self._value(name)
        if value is not None and not isinstance(value, bool):
            self.refuse(name, "a Bool")
        return value

    def cost(self, name: str) -> float | None:
        """A cost in units."""
        value = self._value(name)
        if value is None:
            return None
        known = isinstance(value, int | float) and not isinstance(value, bool)
        if not isinstance(value, int | float) or not known or not 0 < value <= MAX_COST:
            self.refuse(name, f"a number above 0, at most {MAX_COST:g}")
        assert math.isfinite(value), "it is at most MAX_COST"
        return float(value)

    def names(self, name: str) -> tuple[str, ...] | None:
        """Names from an array, or from one text with commas; None where there are none."""
        value = self._value(name)
        listed = value.split(",") if isinstance(value, str) else value
        if listed is None:
            return None
        if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
            self.refuse(name, "a list of names")
        found = tuple(dict.fromkeys(one.strip() for one in listed if one.strip()))
        if not all(is_plain_text(one) for one in found):
            self.refuse(name, "names without control characters")
        return found or None

    def headings(self) -> int:
        """Bits of :mod:`bake.level`: what `barred` names, and all against what `one_way` does."""
        found = 0
        for heading in self.names("barred") or ():
            if heading.lower() not in HEADINGS:
                self.refuse("barred", f"headings among {', '.join(HEADINGS)}")
            found |= HEADINGS[heading.lower()]
        one_way = (self.text("one_way") or "").lower()
        if one_way:
            if one_way not in HEADINGS:
                self.refuse("one_way", f"one of {', '.join(HEADINGS)}")
            found |= _OPPOSITE[HEADINGS[one_way]]
        return found

    def references(self) -> list[dict[str, str]]:
        """Every reference to an entity: its ids, "entityIid" among them."""
        found: list[dict[str, str]] = []
        for name, each in self.instances.items():
            if each.type not in _REFERENCES or each.value is None:
                continue
            for one in each.value if isinstance(each.value, list) else [each.value]:
                if one is None:
                    continue
                if not isinstance(one, dict) or not isinstance(one.get("entityIid"), str):
                    self.refuse(name, "references to entities, with entityIid")
                found.append({key: text for key, text in one.items() if isinstance(text, str)})
        return found
