"""Unfold paths: say by which links they go, and through which places these lead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bake.core.arrays import Float64Array
from bake.play.live.ground import LevelState
from bake.play.live.pricing import Pricing
from bake.play.live.rules import LevelRules
from bake.play.reader.version import Version
from levelbake.hops import Pair
from levelbake.places import AnyPlace, Place


class Unfolded(NamedTuple):
    """A path with the places that its links pass through."""

    #: those of the path, and between the ends of a link those of its ``via``
    places: list[AnyPlace]
    #: for each place the name of the link by which it is reached; None for a step, and for the
    #: first place
    links: list[str | None]


class Move(NamedTuple):
    """A link in one of its directions."""

    ticks: float  #: what it costs
    link: str  #: its name
    via: tuple[Place, ...]  #: the places it passes through, in this direction


class Moves:
    """The links that one profile can take as a level is now, by their ends."""

    def __init__(self, version: Version) -> None:
        """Find them.

        Args:
            version: the profile on the level as it is now.
        """
        places, profile, level = version.places, version.profile, version.level
        rules = LevelRules(places)
        self._places, self._scale = places, rules.movement.ticks_per_unit
        self._best: dict[Pair, Move] = {}
        links = list((rules.links if level is None else level.links.now).values())
        if not links:
            return
        level = LevelState.baked(rules) if level is None else level
        vias, clear = rules.vias(links), np.ones(len(links), dtype=np.bool_)
        if vias is not None:
            clear = Pricing(rules, profile).clear(level, vias)
        for link, is_clear in zip(links, clear.tolist(), strict=True):
            if not is_clear or (link.profiles is not None and profile not in link.profiles):
                continue
            for pair, via in zip(rules.ends(link), (link.via, link.via[::-1]), strict=False):
                ticks = self._ticks(level.prices.get(pair, link.cost))
                known = self._best.get(pair)
                if known is None or ticks < known.ticks:
                    self._best[pair] = Move(ticks, link.name, via)

    def _ticks(self, units: float) -> float:
        return float(np.rint(units * self._scale))

    def unfold(self, path: Sequence[Place], units: Float64Array) -> Unfolded:
        """Put the places that links pass through between their ends.

        Args:
            path: places, each one move from the one before.
            units: what each move costs.
        """
        unfolded = Unfolded(list(path[:1]), [None] * len(path[:1]))
        at = [self._places.location(place) for place in path]
        for here, place in enumerate(path[1:]):
            move = self._best.get((at[here], at[here + 1]))
            if move is None or move.ticks > self._ticks(units[here]):
                unfolded.places.append(place)
                unfolded.links.append(None)
            else:
                unfolded.places.extend((*move.via, place))
                unfolded.links.extend([move.link] * (len(move.via) + 1))
        return unfolded
