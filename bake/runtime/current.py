"""Which answers hold now: those of the asset, or of the moment that updates have made of it.

Everything a reader needs of one moment hangs on ``moments``, which a batch replaces by a single
assignment; so an answer is from before a batch or from after it, never from between.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from bake.runtime.baked import BakedAnswers
from bake.runtime.reader.places import Places
from bake.runtime.reader.tables import Tables

if TYPE_CHECKING:
    from bake.runtime.live.live import Live
    from bake.runtime.live.moment import Moment
    from bake.runtime.navigator import Navigator
    from bake.runtime.reader.things import ThingTables
    from bake.runtime.snapshot import Answers


class Current:
    """The answers of a level's profiles, swapped when it changes; threads may share it.

    Attributes:
        places: of the level.
        baked: answers of each profile of the level as it was baked, whatever has become of it.
        moments: answers of each profile now; empty while nothing has changed.
    """

    def __init__(self, places: Places, profiles: tuple[str, ...]) -> None:
        self.places = places
        self.baked = {name: BakedAnswers(Tables(places, name), self) for name in profiles}
        self.moments: Mapping[str, Moment] = {}
        self._watching: weakref.WeakSet[Navigator] = weakref.WeakSet()
        self._making = threading.Lock()
        self._live: Live | None = None

    def now(self, name: str) -> Answers:
        """The answers of a profile."""
        moments = self.moments
        return moments[name] if moments else self.baked[name]

    def watch(self, navigator: Navigator) -> None:
        """Tell this navigator when the level changes."""
        self._watching.add(navigator)

    def publish(self, moments: Mapping[str, Moment]) -> None:
        """Make these the answers, and take back the quick lookups of those before."""
        before: Mapping[str, Answers] = self.moments or self.baked
        self.moments = moments
        for answers in before.values():
            answers.revoke()
        for navigator in list(self._watching):
            navigator._superseded()

    @cached_property
    def things(self) -> ThingTables:
        """Links, regions, spots and doors of the level."""
        from bake.runtime.reader.things import ThingTables

        return ThingTables(self.places)

    @property
    def live(self) -> Live:
        """Who changes the level; made at the first change, as most games never ask for one."""
        from bake.runtime.live.live import Live

        with self._making:
            if self._live is None:
                self._live = Live(self)
            return self._live

    def close(self) -> None:
        """Close what a writer keeps open."""
        if self._live is not None:
            self._live.close()
