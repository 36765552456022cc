"""Agents that do not know their level: every plan against a search of what they believe."""

import math
import random
from pathlib import Path

import numpy as np
import pytest

from bake.core.graph import BLOCKED
from bake.extras.crowds.agent import Agent, Route
from bake.extras.crowds.belief import Belief
from bake.extras.crowds.plans import METHODS
from bake.play import Navigator, open_asset
from bake.project.recipe import LevelRecipe
from levelbake.errors import BlockedCellError, OutsideMapError, QueryError
from tests.support.baked import bake
from tests.support.levels import shared_level
from tests.support.open_levels import drawn_level
from tests.support.oracles import TICKS, Cell, arcs_of, distances_from

pytestmark = pytest.mark.note(56, "Dijkstra's algorithm after each look")

SPIRAL = (
    "..........",
    ".########.",
    ".#......#.",
    ".#.####.#.",
    ".#.#....#.",
    ".#.######.",
    ".#........",
)


def drawing(seed: int, width: int = 11, height: int = 8) -> tuple[str, ...]:
    rng = random.Random(seed)
    return tuple(
        "".join(rng.choices(".m#", (60, 12, 28))[0] for _ in range(width)) for _ in range(height)
    )


def two_cells(nav: Navigator, rng: random.Random, *, joined: bool = True) -> tuple[Cell, Cell]:
    places = nav.places()
    while True:
        start, goal = rng.sample(places, 2)
        if nav.reachable(start, goal) == joined:
            return start, goal  # type: ignore[return-value]


def believed_distance(belief: Belief, start: object, goal: object) -> float:
    """Units by Dijkstra's algorithm over what is believed."""
    arcs, location = belief.arcs, belief.places.location
    each = zip(arcs.tails().tolist(), arcs.head.tolist(), arcs.weight.tolist(), strict=True)
    by_tail = arcs_of(range(arcs.node_count), [arc for arc in each if arc[2] != BLOCKED])
    ticks = distances_from(by_tail, location(start)).get(location(goal))  # type: ignore[arg-type]
    return math.inf if ticks is None else ticks / TICKS


@pytest.mark.parametrize("unknown", ["optimistic", 2.0])
@pytest.mark.parametrize("method", ["dstar_lite", "moving_target", "astar"])
def test_plans_are_as_good_as_fresh_ones(tmp_path: Path, method: str, unknown: str | float) -> None:
    for seed in range(3):
        rng = random.Random(seed)
        with drawn_level(tmp_path, *drawing(seed)) as (_, nav):
            start, goal = two_cells(nav, rng)
            agent = Agent(Belief(nav, unknown), start, goal, method)
            way = [start]
            while not agent.arrived:
                agent.observe(agent.belief.around(agent.place, 1))
                expected = believed_distance(agent.belief, agent.place, goal)
                assert agent.cost() == expected
                path = agent.path()
                assert path is not None
                assert (path[0], path[-1]) == (agent.place, goal)
                way.append(agent.step())  # type: ignore[arg-type]
                assert way[-1] == agent.place
                assert len(way) < 500
            assert agent.steps == len(way) - 1
            assert math.isclose(agent.walked, nav.length(way), abs_tol=1e-3)
            assert agent.walked > nav.distance(start, goal) - 1e-9
            assert agent.step() == goal
            assert agent.expanded > 0


@pytest.mark.parametrize("method", METHODS)
def test_every_method_arrives(tmp_path: Path, method: str) -> None:
    """Without looking ahead, too: a step that is blocked is noticed when it is tried."""
    for seed in range(2):
        rng = random.Random(seed)
        with drawn_level(tmp_path, *drawing(seed)) as (_, nav):
            start, goal = two_cells(nav, rng)
            agent = Agent(Belief(nav), start, goal, method)
            way = [start]
            while not agent.arrived:
                assert agent.step() is not None
                way.append(agent.place)  # type: ignore[arg-type]
                assert len(way) < 5000
            assert nav.still_valid(way)


@pytest.mark.parametrize("unknown", ["optimistic", 2.0])
@pytest.mark.parametrize("method", METHODS)
def test_a_goal_on_another_floor(tmp_path: Path, method: str, unknown: str | float) -> None:
    """Nobody has told of the stairs: the agent looks for some, and takes those it comes by."""
    from tests.support.tower import baked_tower

    with open_asset(baked_tower(tmp_path)) as level:
        nav = level.profile("walker")
        for start, goal in (((5, 4, 0), (3, 4, 1)), ((8, 3, 1), (0, 0, 0))):
            agent = Agent(Belief(nav, unknown), start, goal, method)
            way = [start]
            while not agent.arrived:
                agent.observe(agent.belief.in_sight(agent.place, 2))
                if method != "trailing":
                    expected = believed_distance(agent.belief, agent.place, goal)
                    assert agent.cost() == expected
                assert agent.step() is not None
                way.append(agent.place)  # type: ignore[arg-type]
                assert len(way) < 300
            assert nav.still_valid(way)
        # The goal lies on a floor that no stairs lead to once the only ones are shut.
        nav.update(blocked=[(7, 0, 0), (0, 0, 0)])
        agent = Agent(Belief(nav, unknown), (5, 4, 0), (3, 4, 1), method)
        for _ in range(300):
            agent.observe(agent.belief.in_sight(agent.place, 2))
            if agent.step() is None:
                break
        assert (agent.path(), agent.cost()) == (None, math.inf)
        assert agent.steps > 5


@pytest.mark.parametrize("method", ["dstar_lite", "moving_target", "astar"])
def test_a_goal_that_cannot_be_reached(tmp_path: Path, method: str) -> None:
    with drawn_level(tmp_path, "....#.", "....##", "......") as (_, nav):
        agent = Agent(Belief(nav), (0, 0), (5, 0), method)
        for _ in range(60):
            agent.observe(agent.belief.around(agent.place, 1))
            if agent.step() is None:
                break
        else:
            raise AssertionError("it never noticed")
        assert (agent.path(), agent.cost()) == (None, math.inf)
        assert not agent.arrived


def test_a_map_is_worth_having(tmp_path: Path) -> None:
    """Who has seen the level walks a shortest path; who has not walks into the spiral first."""
    with drawn_level(tmp_path, *SPIRAL) as (_, nav):
        ends = (0, 6), (7, 4)
        walked = {}
        for knows in (True, False):
            belief = Belief(nav)
            if knows:
                belief.observe_all()
            agent = Agent(belief, *ends)
            while not agent.arrived:
                agent.observe(belief.around(agent.place, 1))
                assert agent.step() is not None
            walked[knows] = agent.walked
        assert math.isclose(walked[True], nav.distance(*ends), abs_tol=1e-4)
        assert walked[False] >= walked[True]


def test_allies_share_what_they_see(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "......", "####.#", "......") as (_, nav):
        belief = Belief(nav)
        scout, other = Agent(belief, (0, 0), (0, 2)), Agent(belief, (0, 0), (0, 2))
        assert scout.cost() == other.cost() == 2
        alone = Agent(Belief(nav), (0, 0), (0, 2))
        scout.observe([(x, 1) for x in range(6)])
        assert other.cost() == believed_distance(belief, (0, 0), (0, 2)) > 2
        assert alone.cost() == 2
        while not other.arrived:
            other.step()
        assert math.isclose(other.walked, nav.distance((0, 0), (0, 2)), abs_tol=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_a_level_that_changes(tmp_path: Path, method: str) -> None:
    """A door shuts on the way, opens again later, and the agent finds out when it gets there."""
    with drawn_level(tmp_path, ".....", "##.##", ".....") as (_, nav):
        belief = Belief(nav)
        belief.observe_all()
        agent = Agent(belief, (0, 0), (0, 2), method)
        agent.step()
        nav.update(blocked=[(2, 1)])
        for _ in range(40):
            if agent.step() is None:
                break
        belief.observe(belief.around(agent.place, 2))
        assert believed_distance(belief, agent.place, (0, 2)) == math.inf
        nav.update(opened=[(2, 1)])
        belief.observe_all()
        assert math.isclose(
            believed_distance(belief, agent.place, (0, 2)),
            nav.distance(agent.place, (0, 2)),
            abs_tol=1e-4,
        )
        for _ in range(60):
            agent.step()
        assert agent.arrived


def test_cheaper_ground_begins_plans_anew(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "....", "....") as (_, nav):
        belief = Belief(nav)
        agent, route = Agent(belief, (0, 0), (3, 1)), Route(belief, (0, 0), (3, 1))
        agent.cost()
        before = agent.expanded, route.cost()
        nav.update(terrain={(x, 0): "road" for x in range(4)})
        belief.observe_all()
        assert agent.cost() == route.cost() == believed_distance(belief, (0, 0), (3, 1))
        assert agent.cost() < before[1]
        assert agent.expanded > before[0]
        assert route.expanded > 0


@pytest.mark.parametrize("method", METHODS)
def test_another_goal(tmp_path: Path, method: str) -> None:
    with drawn_level(tmp_path, *drawing(2)) as (_, nav):
        rng = random.Random(1)
        start, goal = two_cells(nav, rng)
        agent = Agent(Belief(nav), start, goal, method)
        agent.step()
        agent.goal = start
        assert agent.goal == start
        for _ in range(500):
            if agent.arrived:
                break
            agent.step()
        assert agent.place == start


def neighbour(nav: Navigator, cell: Cell, rng: random.Random) -> Cell:
    """A cell that one step leads to."""
    x, y = cell
    beside = [(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
    places = set(nav.places())
    return rng.choice([c for c in beside if c in places and nav.still_valid([cell, c])])


def test_a_hunt(tmp_path: Path) -> None:
    """The target walks about, and each plan is as good as a fresh one until it is caught."""
    rng = random.Random(9)
    with drawn_level(tmp_path, *drawing(3, 16, 12)) as (_, nav):
        start, target = two_cells(nav, rng)
        agent = Agent(Belief(nav), start, target, "moving_target")
        for turn in range(400):
            agent.observe(agent.belief.around(agent.place, 2))
            assert agent.cost() == believed_distance(agent.belief, agent.place, target)
            agent.step()
            if agent.place == target:
                break
            if turn % 2:
                target = neighbour(nav, target, rng)
                agent.goal = target
        assert agent.arrived


@pytest.mark.parametrize("seed", range(4))
def test_trailing(tmp_path: Path, seed: int) -> None:
    """It makes the steps of its first plan and those of the goal at most, and never searches."""
    rng = random.Random(seed)
    with drawn_level(tmp_path, *drawing(3, 16, 12)) as (_, nav):
        start, target = two_cells(nav, rng)
        belief = Belief(nav)
        belief.observe_all()
        agent = Agent(belief, start, target, "trailing")
        plan = agent.path()
        assert plan is not None
        searched, most = agent.expanded, len(plan) - 1
        for turn in range(400):
            ahead = agent.path()
            assert ahead is not None
            assert (ahead[0], ahead[-1]) == (agent.place, target)
            assert nav.still_valid(ahead)
            assert agent.steps + len(ahead) - 1 <= most
            agent.step()
            if agent.place == target:
                break
            if turn % 2:
                target = neighbour(nav, target, rng)
                agent.goal = target
                most += 1
        assert agent.arrived
        assert agent.expanded == searched


def test_trails_that_break_are_planned_anew(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "......", ".####.", "......") as (_, nav):
        belief = Belief(nav)
        belief.observe_all()
        agent = Agent(belief, (0, 0), (5, 0), "trailing")
        assert len(agent.path() or []) == 6
        agent.goal = (5, 1)
        assert (agent.path() or [])[-2:] == [(5, 0), (5, 1)]
        agent.goal = (5, 0)
        assert len(agent.path() or []) == 6
        searched = agent.expanded
        agent.goal = (3, 2)  # It jumped.
        assert len(agent.path() or []) == 6
        assert agent.expanded > searched
        nav.update(blocked=[(1, 2)])
        belief.observe([(1, 2)])
        assert len(agent.path() or []) == 10
        agent.step()
        searched = agent.expanded
        nav.update(blocked=[(0, 0)])
        belief.observe([(0, 0)])
        assert len(agent.path() or []) == 9
        assert agent.expanded == searched  # What lies behind does not matter.


def test_routes(tmp_path: Path) -> None:
    """The way between two places that stay, as the map becomes known."""
    rng = random.Random(6)
    with drawn_level(tmp_path, *drawing(5, 14, 10)) as (_, nav):
        start, goal = two_cells(nav, rng)
        belief = Belief(nav)
        route = Route(belief, start, goal)
        cells = [(x, y) for y in range(10) for x in range(14)]
        rng.shuffle(cells)
        for first in range(0, len(cells), 10):
            assert route.cost() == believed_distance(belief, start, goal)
            path = route.path()
            assert path is not None
            assert (path[0], path[-1]) == (start, goal)
            locations = np.array([belief.places.location(each) for each in path], dtype=np.int32)
            assert belief.length(locations) == route.cost()
            belief.observe(cells[first : first + 10])
        assert math.isclose(route.cost(), nav.distance(start, goal), abs_tol=1e-4)
        assert route.expanded > 0
        nav.update(blocked=[each for each in cells if each != start and nav.can_stand(each)])
        belief.observe_all()
        assert (route.path(), route.cost()) == (None, math.inf)


def test_agents_that_are_moved(tmp_path: Path) -> None:
    with drawn_level(tmp_path, *drawing(2)) as (_, nav):
        start, goal = two_cells(nav, random.Random(2))
        agent = Agent(Belief(nav), start, goal)
        agent.step()
        agent.place = start
        assert agent.place == start
        assert agent.cost() == believed_distance(agent.belief, start, goal)


def test_pessimists_stay_until_they_see_a_way(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "....") as (_, nav):
        agent = Agent(Belief(nav, "pessimistic"), (0, 0), (3, 0))
        assert (agent.step(), agent.place) == (None, (0, 0))
        agent.observe([(0, 0), (1, 0), (2, 0), (3, 0)])
        assert agent.step() == (1, 0)


def test_mistakes(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "..#") as (_, nav):
        belief = Belief(nav)
        with pytest.raises(
            QueryError, match="no method 'guess'; expected dstar_lite or moving_tar"
        ):
            Agent(belief, (0, 0), (1, 0), "guess")
        with pytest.raises(BlockedCellError):
            Agent(belief, (2, 0), (1, 0))
        with pytest.raises(OutsideMapError):
            Agent(belief, (0, 0), (3, 0))


def test_a_real_map(tmp_path: Path) -> None:
    source = tmp_path / "arena.map"
    source.write_bytes(shared_level("movingai/arena.map").read_bytes())
    with open_asset(bake(source, LevelRecipe(tables=("components", "next_hops")))) as level:
        nav = level.profile()
        belief = Belief(nav)
        start, goal = nav.places()[0], nav.places()[-1]
        agent = Agent(belief, start, goal)
        way = [start]
        while not agent.arrived:
            agent.observe(belief.around(agent.place, 4))
            assert agent.cost() == Agent(belief, agent.place, goal, "astar").cost()
            way.append(agent.step() or agent.place)
            assert len(way) < 1000
        assert math.isclose(nav.length(way), agent.walked, abs_tol=1e-3)
        belief.observe_all()
        known = Agent(belief, start, goal, "moving_target")
        assert math.isclose(known.cost(), nav.distance(start, goal), abs_tol=1e-9)
