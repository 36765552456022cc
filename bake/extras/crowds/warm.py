"""Compile or load the kernels of agents ahead of the first frame of a game."""

from __future__ import annotations

from contextlib import suppress

from bake.extras.crowds.agent import Agent, Route
from bake.extras.crowds.belief import Belief
from bake.extras.crowds.crowd import Crowd
from bake.extras.crowds.plans import METHODS
from bake.play import LevelAsset, Navigator
from bake.play.warm import two_neighbours
from levelbake.errors import BakeError
from levelbake.places import Place


def warm_up(level: LevelAsset) -> None:
    """Run the first step of agents by every method, of a route, a crowd and a queue of requests.

    This needs the memory of one belief and one crowd. Profiles without agents, such as those with
    headings, are skipped.
    """
    from bake.core.kernels.jit import waiting

    with waiting():
        for name in level.profiles:
            nav = level.profile(name)
            ends = two_neighbours(nav)
            if ends is not None:
                for method in METHODS:
                    with suppress(BakeError):
                        _believe(nav, method, *ends)
                with suppress(BakeError):
                    Route(Belief(nav), *ends).path()
                with suppress(BakeError):
                    _crowd(level, name, *ends)
                with suppress(BakeError):
                    _request(nav, *ends)


def _believe(nav: Navigator, method: str, start: Place, goal: Place) -> None:
    belief = Belief(nav)
    # A moving-target search reuses its tree after the first step only if more steps follow.
    around, _ = nav.search.within(start, 3 * nav.distance(start, goal))
    last = around[-1]
    far: Place = last if isinstance(last, str | int) else tuple(map(int, last))
    agent = Agent(belief, start, far, method)
    agent.observe([start])
    agent.step()
    agent.observe([goal])
    agent.goal = start
    agent.step()


def _crowd(level: LevelAsset, profile: str, start: Place, goal: Place) -> None:
    crowd = Crowd(level)
    crowd.add(start, goal, profile=profile)
    crowd.plan(None)
    crowd.step()


def _request(nav: Navigator, start: Place, goal: Place) -> None:
    queue = nav.search.requests()
    queue.add(start, goal).moves(1)
    while len(queue):
        queue.run()
