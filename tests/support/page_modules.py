"""Ask the modules of the viewer's page that need no page, with Node."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bake.play import LevelAsset, Navigator
from levelbake.errors import BlockedCellError
from tests.support.node import ask_node

RUNNER = Path(__file__).with_name("page_modules.mjs")


def ask(flat: Path, questions: Sequence[Sequence[Any]]) -> list[Any]:
    """Return the answer to each question; what is refused is ``error: `` and one line."""
    answers = ask_node(RUNNER, flat=flat, questions=json.dumps(questions).encode())
    return [each["answer"] if "answer" in each else f"error: {each['error']}" for each in answers]


class Reader:
    """The Python reader of one profile, asked by locations as the page asks."""

    def __init__(self, level: LevelAsset, profile: str | None = None) -> None:
        self.level = level
        self.nav: Navigator = level.profile(profile or level.profiles[0])
        tables = level._columns(self.nav.name)
        self.places = tables.places
        self.standing: list[int] = tables.location.tolist()

    def place(self, location: int) -> Any:
        return self.places.place_at(location)

    def stands(self, location: int) -> bool:
        try:
            return self.nav.reachable(self.place(location), self.place(location))
        except BlockedCellError:
            return False

    def hop(self, start: int, goal: int) -> int:
        """The next hop, -1 where there is none or nobody can stand, as the page says it."""
        if not self.stands(start) or not self.stands(goal):
            return -1
        found = self.nav.next_hop(self.place(start), self.place(goal))
        return -1 if found is None else self.places.location(found)

    def distance(self, start: int, goal: int) -> float | None:
        """Units, None where there is no path or nobody can stand."""
        if not self.stands(start) or not self.stands(goal):
            return None
        units = self.nav.distance(self.place(start), self.place(goal))
        return None if units == math.inf else units
