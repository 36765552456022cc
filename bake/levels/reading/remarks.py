"""Collect remarks on what has no effect, with one remark for all that are alike."""

from __future__ import annotations

from bake.core.errors import counted
from bake.core.level import Remark

_MOST_REMARKS = 16


class RemarkCollector:
    """Collects remarks on places in a file."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], list[str]] = {}

    def add(self, group: str, place: str, message: str) -> None:
        """Add a remark.

        Args:
            group: the common place of those that become one remark, such as a layer.
            place: its own.
            message: its text.
        """
        self._places.setdefault((group, message), []).append(place)

    def remarks(self) -> list[Remark]:
        """Return the remarks; those that are alike have the place of their group and a count."""
        remarks = []
        for (group, message), places in list(self._places.items())[:_MOST_REMARKS]:
            several = f" ({counted(len(places), 'place')})" if len(places) > 1 else ""
            remarks.append(Remark(group if several else places[0], message + several))
        if len(self._places) > _MOST_REMARKS:
            more = len(self._places) - _MOST_REMARKS
            remarks.append(Remark(None, f"{more:,} more names are not read"))
        return remarks
