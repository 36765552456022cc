"""What an update did for one profile, with its components and clusters."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from levelbake.changes import UpdateReport


class DetailedReport(UpdateReport):
    """What an update did for one profile; components and clusters are found when asked for."""

    _components: Callable[[], tuple[int, int]]
    _clusters: Callable[[], tuple[int, ...]]

    @staticmethod
    def of(
        report: UpdateReport,
        components: Callable[[], tuple[int, int]],
        clusters: Callable[[], tuple[int, ...]],
    ) -> DetailedReport:
        """Return a report with what counts components and finds clusters."""
        found = DetailedReport(*report)
        found._components, found._clusters = components, clusters
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (tuple(self), self.components, self.clusters)

    @cached_property
    def components(self) -> tuple[int, int]:
        """Return how many components there were, and how many there are."""
        return self._components()

    @property
    def components_changed(self) -> bool:
        """Tell whether there are more components than before, or fewer."""
        return self.components[0] != self.components[1]

    @cached_property
    def clusters(self) -> tuple[int, ...]:
        """Return the clusters in which, or on the border of which, an arc changed.

        They are ascending, as they are numbered now; there are none where the asset has none.
        """
        return self._clusters()


def _restored(
    report: tuple[Any, ...], components: tuple[int, int], clusters: tuple[int, ...]
) -> DetailedReport:
    """Return a report that was pickled or copied, with all that it says."""
    return DetailedReport.of(UpdateReport(*report), lambda: components, lambda: clusters)
