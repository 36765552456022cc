"""What an update did, told to the game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from bake.runtime.reader.places import Place


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
    _components: Callable[[], tuple[int, int]] = field(repr=False, compare=False)
    _clusters: Callable[[], tuple[int, ...]] = field(repr=False, compare=False)
    _pending: Callable[[], int] = field(repr=False, compare=False)

    @cached_property
    def components(self) -> tuple[int, int]:
        """How many components there were, and are; counted when first asked for."""
        return self._components()

    @property
    def components_changed(self) -> bool:
        """Whether there are more of them, or fewer."""
        return self.components[0] != self.components[1]

    @cached_property
    def clusters(self) -> tuple[int, ...]:
        """Clusters an arc changed in, or on the border of, as they are numbered now; ascending.

        They are found when first asked for; there are none where the asset has no clusters.
        """
        return self._clusters()

    @property
    def pending(self) -> int:
        """Sources in doubt whose rows are not made anew yet: see :meth:`Navigator.repair`."""
        return self._pending()
