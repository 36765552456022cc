"""Tell the game what an update did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from bake.runtime.reader.places import Place


@dataclass(frozen=True)
class UpdateReport:
    """What an update did for one profile.

    Attributes:
        profile: the name of the profile.
        arcs: how many arcs opened, closed or changed their price.
        columns: how many goals lie near the change; their baked next hops are void, and flow
            fields answer for them.
        sources: how many places have void next hops to other goals, too, since the bake.
        goals: how many goals those are.
        rebuilt: how many flow fields are ready now.
        opened, closed: places the profile can stand on from now on, and those it no longer can.
    """

    profile: str
    arcs: int
    columns: int
    sources: int
    goals: int
    rebuilt: int
    opened: tuple[Place, ...]
    closed: tuple[Place, ...]
    _components: Callable[[], tuple[int, int]] = field(repr=False, compare=False)
    _clusters: Callable[[], tuple[int, ...]] = field(repr=False, compare=False)
    _pending: Callable[[], int] = field(repr=False, compare=False)

    @cached_property
    def components(self) -> tuple[int, int]:
        """Return how many components there were, and are; they are counted when first asked for."""
        return self._components()

    @property
    def components_changed(self) -> bool:
        """Tell whether there are more components than before, or fewer."""
        return self.components[0] != self.components[1]

    @cached_property
    def clusters(self) -> tuple[int, ...]:
        """Return the clusters in which, or on the border of which, an arc changed.

        They are ascending, as they are numbered now.
        They are found when first asked for; there are none where the asset has no clusters.
        """
        return self._clusters()

    @property
    def pending(self) -> int:
        """Count the sources in doubt whose rows are not made again yet.

        See :meth:`Navigator.repair`.
        """
        return self._pending()
