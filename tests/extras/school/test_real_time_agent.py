"""Agents by RTA* and LRTA*: they arrive, they learn, and what they learned is forgotten in time."""

import math
from pathlib import Path

import pytest

from bake.extras.crowds.belief import Belief
from bake.extras.school import RealTimeAgent
from bake.extras.school.real_time_agent import MOST_LOOKAHEAD
from bake.play import Navigator
from levelbake.errors import QueryError
from tests.support.open_levels import drawn_level

TRAP = ("........", ".#####..", ".....#..", ".#####..", "........")

METHODS = ("lrta_star", "rta_star")


def walked(nav: Navigator, agent: RealTimeAgent, radius: int = 0) -> list[object]:
    way: list[object] = [agent.place]
    while not agent.arrived:
        if radius:
            agent.observe(agent.belief.around(agent.place, radius))
        ahead = agent.path()
        assert agent.step() is not None
        if ahead is not None and radius:
            assert ahead[-1] == agent.place
        way.append(agent.place)
        assert len(way) < 500
    return way


@pytest.mark.parametrize("lookahead", [1, 4])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("radius", [0, 1])
def test_it_arrives(tmp_path: Path, method: str, lookahead: int, radius: int) -> None:
    with drawn_level(tmp_path, *TRAP) as (_, nav):
        agent = RealTimeAgent(Belief(nav), (0, 2), (7, 2), method, lookahead=lookahead)
        way = walked(nav, agent, radius)
        assert nav.still_valid(way)  # type: ignore[arg-type]
        assert math.isclose(agent.walked, nav.length(way), abs_tol=1e-3)  # type: ignore[arg-type]
        assert agent.steps == len(way) - 1
        assert agent.step() == (7, 2)


def test_who_learns_walks_shorter_the_next_time(tmp_path: Path) -> None:
    with drawn_level(tmp_path, *TRAP) as (_, nav):
        belief = Belief(nav)
        belief.observe_all()
        agent = RealTimeAgent(belief, (0, 2), (7, 2))
        trips = []
        for _ in range(30):
            agent.place = (0, 2)
            before = agent.walked
            walked(nav, agent)
            trips.append(agent.walked - before)
        assert trips[0] > trips[-1]
        assert math.isclose(trips[-1], nav.distance((0, 2), (7, 2)), abs_tol=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_a_level_that_changes(tmp_path: Path, method: str) -> None:
    """A door shuts on the way; what was learned of it is too much when it has opened again."""
    with drawn_level(tmp_path, ".....", "##.##", ".....") as (_, nav):
        belief = Belief(nav)
        belief.observe_all()
        agent = RealTimeAgent(belief, (0, 0), (0, 2), method)
        agent.step()
        nav.update(blocked=[(2, 1)])
        for _ in range(40):
            if agent.step() is None:
                break
        assert not agent.arrived
        nav.update(opened=[(2, 1)])
        belief.observe_all()
        walked(nav, agent)


@pytest.mark.parametrize("method", METHODS)
def test_another_goal(tmp_path: Path, method: str) -> None:
    with drawn_level(tmp_path, *TRAP) as (_, nav):
        agent = RealTimeAgent(Belief(nav), (4, 2), (7, 2), method)
        agent.step()
        agent.goal = (4, 2)
        walked(nav, agent)
        assert agent.place == (4, 2)


def test_mistakes(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "..#") as (_, nav):
        belief = Belief(nav)
        for lookahead in (0, MOST_LOOKAHEAD + 1, "2", 1.5):
            with pytest.raises(QueryError, match="expected 1 to 64"):
                RealTimeAgent(belief, (0, 0), (1, 0), lookahead=lookahead)  # type: ignore[arg-type]
        assert RealTimeAgent(belief, (0, 0), (1, 0), lookahead=MOST_LOOKAHEAD).step() == (1, 0)
        with pytest.raises(QueryError, match="no method 'astar'; expected lrta_star or rta_star"):
            RealTimeAgent(belief, (0, 0), (1, 0), "astar")
