"""Collect remarks on parts of a level that have no effect; equal remarks are merged."""

from __future__ import annotations

from bake.core.errors import counted
from bake.core.level import Remark

_MOST_REMARKS = 16


class RemarkCollector:
    """Collects remarks on places in a file and merges equal ones."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], list[str]] = {}

    def add(self, group: str, place: str, message: str) -> None:
        """Add a remark.

        Args:
            group: the common place of remarks that may be merged, such as a layer.
            place: the place of this remark.
            message: the text.
        """
        self._places.setdefault((group, message), []).append(place)

    def remarks(self) -> list[Remark]:
        """Return the remarks; a merged remark has the place of its group and a count."""
        remarks = []
        for (group, message), places in list(self._places.items())[:_MOST_REMARKS]:
            several = f" ({counted(len(places), 'place')})" if len(places) > 1 else ""
            remarks.append(Remark(group if several else places[0], message + several))
        if len(self._places) > _MOST_REMARKS:
            more = len(self._places) - _MOST_REMARKS
            remarks.append(Remark(None, f"{more:,} more names are not read"))
        return remarks
