"""What agents write down of their walks, against the walks themselves."""

from pathlib import Path

import numpy as np
import pytest

from bake.extras.crowds.agent import Agent, Route
from bake.extras.crowds.belief import Belief
from bake.extras.crowds.crowd import Crowd
from bake.extras.crowds.plans import METHODS
from bake.extras.school import RealTimeAgent, trace_walk
from bake.extras.school.walk_trace import WalkTrace
from bake.play import open_asset
from levelbake.errors import OutputError
from levelbake.places import Place
from tests.support.baked import bake_grid, rows
from tests.support.open_levels import drawn_level

ROOM = (
    "..........",
    ".########.",
    ".#......#.",
    ".#.####.#.",
    ".#......#.",
    ".####.###.",
    "..........",
)


def plans_of(trace: WalkTrace) -> list[list[tuple[Place, list[Place] | None]]]:
    """Where agents are and what they plan, by the rule of docs/traces.md."""
    found: list[list[tuple[Place, list[Place] | None]]] = []
    for step in trace.steps:
        now: list[tuple[Place, list[Place] | None]] = []
        for number, told in enumerate(step["agents"]):
            plan = told["plan"] if "plan" in told else (found[-1][number][1] or [])[1:]
            if "plan" not in told:
                assert told["place"] == (found[-1][number][1] or [])[0]
            now.append((told["place"], plan))
        found.append(now)
    return found


@pytest.mark.parametrize("method", [*METHODS, "lrta_star", "rta_star"])
def test_an_agent_is_followed(tmp_path: Path, method: str) -> None:
    with drawn_level(tmp_path, *ROOM) as (_, nav):
        belief = Belief(nav)
        made = RealTimeAgent if method.endswith("rta_star") else Agent
        agent = made(belief, (3, 2), (9, 6), method)
        trace = trace_walk(agent)
        walked, planned, seen = [agent.place], [], []
        while not agent.arrived:
            agent.observe(belief.around(agent.place, 1))
            seen.append(belief.seen_everywhere())
            planned.append(agent.path())
            trace.note()
            agent.step()
            walked.append(agent.place)
        trace.note()
        told = plans_of(trace)
        assert [place for ((place, _),) in told] == walked
        for ((place, plan),), right in zip(told, planned, strict=False):
            assert right == [place, *(plan or [])]
        known = np.zeros_like(seen[0])
        for step, right_seen in zip(trace.steps, seen, strict=False):
            for x, y in step["seen"]:
                assert not known[y, x]
                known[y, x] = True
            assert (known == right_seen).all()
        assert trace.steps[0]["agents"][0]["goal"] == (9, 6)
        assert all("goal" not in step["agents"][0] for step in trace.steps[1:])
        searched = sum(len(step["searched"]) for step in trace.steps)
        # Moving Target D* Lite also forgets labels, each at most once for what gave it.
        assert 0 < searched <= agent.expanded * (2 if method == "moving_target" else 1)


def test_the_first_search_names_what_it_expanded(tmp_path: Path) -> None:
    with drawn_level(tmp_path, *ROOM) as (_, nav):
        agent = Agent(Belief(nav), (3, 2), (9, 6))
        trace = trace_walk(agent)
        trace.note()
        assert len(trace.steps[0]["searched"]) == agent.expanded > 0
        trace.note()
        assert len(trace.steps) == 1


def test_a_route_is_followed(tmp_path: Path) -> None:
    with drawn_level(tmp_path, *ROOM) as (_, nav):
        belief = Belief(nav)
        route = Route(belief, (0, 0), (9, 6))
        trace = trace_walk(route)
        ways = []
        for x in range(0, 10, 3):
            belief.observe([(x, y) for y in range(7)])
            trace.note()
            ways.append(route.path())
        told = plans_of(trace)
        assert [[place, *(plan or [])] for ((place, plan),) in told] == ways
        assert ways[0] != ways[-1]


def test_no_way_is_null(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "..#..") as (_, nav):
        belief = Belief(nav)
        agent = Agent(belief, (0, 0), (4, 0))
        trace = trace_walk(agent)
        belief.observe_all()
        trace.note()
        assert agent.step() is None
        assert trace.steps[-1]["agents"][0]["plan"] is None


def test_a_crowd_is_followed(tmp_path: Path) -> None:
    with open_asset(bake_grid(tmp_path, rows(*["......"] * 4))) as level:
        crowd = Crowd(level)
        agents = [crowd.add((0, y), (5, y)) for y in range(3)]
        trace = trace_walk(crowd)
        walked = []
        for _ in range(8):
            walked.append([agent.place for agent in agents])
            trace.note()
            crowd.step()
        walked.append([agent.place for agent in agents])
        trace.note()
        told = plans_of(trace)
        places = [[place for place, _ in step] for step in told]
        assert places == walked[: len(places)]
        assert walked[len(places) :] == [walked[-1]] * (len(walked) - len(places))
        for now, after in zip(told, places[1:], strict=False):
            assert [(plan or [place])[0] for place, plan in now] == after
        # One plan lasts for half a window.
        assert [len([1 for a in step["agents"] if "plan" in a]) for step in trace.steps[:3]] == [
            3,
            0,
            0,
        ]
        crowd.add((0, 3))
        trace.note()
        assert all("plan" in told for told in trace.steps[-1]["agents"])
        with pytest.raises(OutputError, match="one ending in"):
            trace.write(tmp_path / "crowd.txt")
