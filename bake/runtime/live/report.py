"""What an update did, told to the game."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from bake.runtime.reader.places import Place

if TYPE_CHECKING:
    from bake.runtime.live.moment import Moment


@dataclass(frozen=True)
class UpdateReport:
    """What an update did for one profile.

    Attributes:
        profile: whose.
        arcs: arcs whose price changed, or that opened or closed.
        columns: goals near the change, whose baked next hops are void: a flow field answers.
        sources: places from which some other goals' next hops are void, too, since the bake.
        goals: those goals.
        rebuilt: flow fields that are ready now.
        opened, closed: places the profile can stand on from now on, or no longer.
    """

    profile: str
    arcs: int
    columns: int
    sources: int
    goals: int
    rebuilt: int
    opened: tuple[Place, ...]
    closed: tuple[Place, ...]
    _before: Moment | None = field(default=None, repr=False, compare=False)
    _after: Moment | None = field(default=None, repr=False, compare=False)
    _changed: tuple[int, ...] = field(default=(), repr=False, compare=False)

    @cached_property
    def components(self) -> tuple[int, int]:
        """How many components there were, and are; counted when first asked for."""
        if self._after is None:
            return 0, 0
        if self._before is not None:
            before = self._before.tables.component_count
        else:
            before = self._after.tables.baked_components
        return before, self._after.tables.component_count

    @property
    def components_changed(self) -> bool:
        """Whether there are more of them, or fewer."""
        return self.components[0] != self.components[1]

    @cached_property
    def clusters(self) -> tuple[int, ...]:
        """Clusters an arc changed in, or on the border of, as they are numbered now; ascending.

        Found when first asked for; none where the asset has no clusters.
        """
        if self._after is None or self._after.state.clusters is None or not self._changed:
            return ()
        label = self._after.state.clusters.made().partition.label
        return tuple(sorted({int(label[row]) for row in self._changed} - {-1}))

    @property
    def pending(self) -> int:
        """Sources in doubt whose rows are not made anew yet: see :meth:`Navigator.repair`."""
        from bake.runtime.live.repairs import pending_sources

        return 0 if self._after is None else len(pending_sources(self._after.state))
