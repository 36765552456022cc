"""Tell the game what an update did, and what all updates since a moment did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from bake.arrays import AnyArray, Int64Array
from levelbake.places import Place


@dataclass(frozen=True)
class UpdateReport:
    """What an update did for one profile."""

    profile: str  #: the name of the profile
    arcs: int  #: how many arcs opened, closed or changed their price
    #: whether every arc costs again what it did when the level was baked, so that the baked tables
    #: answer
    as_baked: bool
    #: opened, closed: places the profile can stand on from now on, and those it no longer can
    opened: tuple[Place, ...]
    closed: tuple[Place, ...]
    _components: Callable[[], tuple[int, int]] = field(repr=False, compare=False)
    _clusters: Callable[[], tuple[int, ...]] = field(repr=False, compare=False)

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


@dataclass(frozen=True)
class Changes:
    """What has changed on a level since a token was given out."""

    token: int  #: what to give to the next :meth:`LevelAsset.changes_since`
    #: (k, 2) int32 cells, or (k,) object names on graph levels, whose terrain or obstacle changed,
    #: or that are an end of an arc whose own price was set, or of a link that came, went or became
    #: another; in the order of the level. A place that changed and changed back is among them.
    places: AnyArray
    #: names of links that begin or end at one of these places; then those that are gone (of more
    #: than 65,536 those that went last)
    links: tuple[str, ...]
    #: names of profiles for which an arc opened or closed, so that they may reach other places now
    rerouted: tuple[str, ...]

    def __bool__(self) -> bool:
        """Tell whether anything has changed."""
        return len(self.places) > 0


#: Names of links that came, went or changed which a log remembers.
MOST_NAMES = 2**16


class ChangeLog:
    """When each location changed last, and each link by its name.

    It takes eight bytes a location, however long a game runs. Of links it remembers the MOST_NAMES
    that changed last.

    Attributes:
        batch: how many batches there have been.
    """

    def __init__(self, locations: int) -> None:
        self.batch = 0
        self._changed = np.zeros(locations, dtype=np.int64)
        self._rerouted: dict[str, int] = {}
        self._links: dict[str, int] = {}

    def note(self, locations: Int64Array, rerouted: list[str], links: list[str]) -> None:
        """Note a batch that changed these locations and links, and opened or closed arcs of
        profiles.
        """
        self.batch += 1
        self._changed[locations] = self.batch
        self._rerouted.update(dict.fromkeys(rerouted, self.batch))
        for name in links:
            self._links.pop(name, None)  # The one that changed last goes to the end.
            self._links[name] = self.batch
        while len(self._links) > MOST_NAMES:
            del self._links[next(iter(self._links))]

    def since(self, batch: int) -> tuple[Int64Array, tuple[str, ...], tuple[str, ...]]:
        """Return the locations that changed after a batch, the profiles with other arcs, and the
        links that came, went or became others.
        """
        rerouted, links = (
            tuple(sorted(name for name, last in noted.items() if last > batch))
            for noted in (self._rerouted, self._links)
        )
        return np.flatnonzero(self._changed > batch), rerouted, links
