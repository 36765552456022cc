"""Many agents: corridors by hand, small levels by brute force, real maps without a conflict."""

import random
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bake.extras.crowds.crowd import Agent, Crowd
from bake.extras.crowds.movers import Field, Mover
from bake.play import open_asset
from bake.project.recipe import ProfileRecipe
from levelbake.errors import OutsideMapError, QueryError
from tests.support.baked import (
    GROUND,
    bake,
    bake_grid,
    recipe_for,
    rows,
    rules_of,
    write_graph,
    write_grid,
)
from tests.support.levels import shared_level
from tests.support.stored import stored_asset
from tests.support.strategies import random_grid
from tests.support.walking import (
    Cell,
    conflicts_along,
    crossings_along,
    fewest_steps,
    hindered_along,
    steps_of,
)

pytestmark = [
    pytest.mark.note(53, "small levels by brute force"),
    pytest.mark.note(58, "later agents divert"),
    pytest.mark.note(59, "dead ends and bays by hand"),
    pytest.mark.note(60, "crossings counted move by move"),
]


def lead(crowd: Crowd, steps: int) -> list[list[Cell]]:
    """Let a crowd make some steps; return the places of each agent."""
    ways = [[agent.place] for agent in crowd.agents]
    for _ in range(steps):
        crowd.step()
        for way, agent in zip(ways, crowd.agents, strict=True):
            way.append(agent.place)
    return [[place for place in way if isinstance(place, tuple)] for way in ways]


def test_a_bay_to_pass_in(tmp_path: Path) -> None:
    """Two meet in a corridor: the second one yields into the bay, and goes on behind the first."""
    grid = rows(".........", "#####.###")
    with open_asset(bake_grid(tmp_path, grid, connectivity=4)) as level:
        crowd = Crowd(level)
        east, west = crowd.add((0, 0), (8, 0)), crowd.add((8, 0), (0, 0))
        ways = lead(crowd, 10)
        assert ways[0][:9] == [(x, 0) for x in range(9)]
        assert ways[1][5] == (5, 1)
        assert ways[1][6:] == [(x, 0) for x in (5, 4, 3, 2, 1)]
        lead(crowd, 1)
        assert (east.place, west.place) == ((8, 0), (0, 0))
        assert east.arrived
        assert crowd.conflicts.total == 0


def test_one_without_a_goal_steps_aside_and_comes_back(tmp_path: Path) -> None:
    grid = rows(".......", "###.###")
    with open_asset(bake_grid(tmp_path, grid, connectivity=4)) as level:
        crowd = Crowd(level)
        idle = crowd.add((3, 0))
        walker = crowd.add((0, 0), (6, 0))
        ways = lead(crowd, 8)
        assert ways[1] == [*((x, 0) for x in range(7)), (6, 0), (6, 0)]
        assert (3, 1) in ways[0]
        assert ways[0][-1] == (3, 0)
        assert walker.arrived
        assert idle.arrived


def test_no_next_hops_are_needed(tmp_path: Path) -> None:
    """Where an asset has none, the way to each goal is searched for."""
    source, walked = write_grid(tmp_path / "bay.json", rows("......", "###.##")), []
    for tables in (("components", "next_hops"), ("components",)):
        with open_asset(bake(source, recipe_for(tables=tables, connectivity=4))) as level:
            crowd = Crowd(level)
            crowd.add((0, 0), (5, 0))
            crowd.add((5, 0), (0, 0))
            walked.append(lead(crowd, 9))
    assert walked[0] == walked[1]
    assert [way[-1] for way in walked[0]] == [(5, 0), (0, 0)]


def test_the_dead_end_lets_the_inner_one_out(tmp_path: Path) -> None:
    """The one asked first would go in, and must back out: it alone can make room."""
    grid = rows(".......", ".######")
    with open_asset(bake_grid(tmp_path, grid, connectivity=4)) as level:
        crowd = Crowd(level)
        entering = crowd.add((4, 0), (6, 0))
        leaving = crowd.add((6, 0), (0, 1))
        ways = lead(crowd, 40)
        assert conflicts_along(ways, (1, 1)) == 0 == crowd.conflicts.total
        # They can't pass each other anywhere: whoever is behind stays behind.
        assert not (entering.arrived and leaving.arrived)
    with open_asset(bake_grid(tmp_path, rows("...####", "......."), connectivity=4)) as level:
        crowd = Crowd(level)
        entering, leaving = crowd.add((4, 1), (6, 1)), crowd.add((6, 1), (0, 0))
        ways = lead(crowd, 40)
        assert conflicts_along(ways, (1, 1)) == 0
        assert entering.arrived
        assert leaving.arrived


def test_no_two_cross_diagonally(tmp_path: Path) -> None:
    with open_asset(bake_grid(tmp_path, rows("..", ".."), corner_cutting="always")) as level:
        crowd = Crowd(level)
        crowd.add((0, 0), (1, 1))
        crowd.add((1, 0), (0, 1))
        ways = lead(crowd, 6)
        assert conflicts_along(ways, (1, 1)) == 0
        assert [way[-1] for way in ways] == [(1, 1), (0, 1)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_two_agents_against_all_they_could_do(small: dict, data: st.DataObject) -> None:
    """No two conflict, none is faster than is possible, and where there is room both arrive."""
    level, steps, name = data.draw(st.sampled_from(sorted(small.values(), key=lambda s: s[2])))
    cells = sorted(steps)
    starts = data.draw(st.permutations(cells).map(lambda some: some[:2]))
    goals = data.draw(st.permutations(cells).map(lambda some: some[:2]))
    best = fewest_steps(steps, starts, goals)
    crowd = Crowd(level, window=data.draw(st.integers(4, 16)))
    agents = [crowd.add(start, goal) for start, goal in zip(starts, goals, strict=True)]
    ways = lead(crowd, 40)
    assert conflicts_along(ways, (1, 1)) == 0 == crowd.conflicts.total
    for way in ways:
        assert all(b == a or b in steps[a] for a, b in pairwise(way))
    there = [list(pair) == list(goals) for pair in zip(*ways, strict=True)]
    if best is None:
        assert True not in there
    elif True in there:
        assert there.index(True) >= best
    if name == "open":
        assert best is not None
        assert all(agent.arrived for agent in agents)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory):
    """Levels of a dozen cells, with the steps of each."""
    drawn = {
        "open": ("...", "...", "..."),
        "bay": (".....", "##.##"),
        "ring": ("....", ".##.", "...."),
        "rooms": ("..#..", ".....", "..#.."),
    }
    folder, found = tmp_path_factory.mktemp("small"), {}
    for name, lines in drawn.items():
        asset = bake_grid(folder, rows(*lines), name=name, connectivity=4)
        level = open_asset(asset)
        found[name] = (level, steps_of(level.profile()), name)
    yield found
    for level, _, _ in found.values():
        level.close()


# -- goals that are taken -------------------------------------------------------------------------


def test_who_comes_later_diverts(tmp_path: Path) -> None:
    with open_asset(bake_grid(tmp_path, rows(*["......"] * 4), connectivity=4)) as level:
        crowd = Crowd(level)
        agents = [crowd.add((0, y), (4, 2)) for y in range(4)]
        lead(crowd, 12)
        assert agents[0].place == (4, 2)
        assert [agent.diverted for agent in agents] == [False, True, True, True]
        nav = level.profile()
        assert [nav.distance(agent.place, (4, 2)) for agent in agents] == [0, 1, 1, 1]
        assert len({agent.place for agent in agents}) == 4
        assert all(agent.arrived and agent.goal == (4, 2) for agent in agents)


def test_two_may_change_places(tmp_path: Path) -> None:
    with open_asset(bake_grid(tmp_path, rows("...", "..."), connectivity=4)) as level:
        crowd = Crowd(level)
        one, other = crowd.add((0, 0)), crowd.add((2, 0))
        one.go((2, 0))
        other.go((0, 0))
        lead(crowd, 6)
        assert (one.place, other.place) == ((2, 0), (0, 0))
        assert not one.diverted


def test_whoever_stands_becomes_a_wall(tmp_path: Path) -> None:
    """The short corridor is held by one who does not move; after four steps all go the long way."""
    grid = rows("...........", ".#########.", ".#########.", ".#########.", "...........")
    with open_asset(bake_grid(tmp_path, grid, connectivity=4)) as level:
        crowd = Crowd(level, window=6, blocked_after=4)
        guard, walker = crowd.add((5, 0)), crowd.add((0, 0), (10, 0))
        guard.stand()
        way = lead(crowd, 60)[1]
        assert way.index((10, 0)) <= 4 + 6 + 4 + 18 + 2 * 4
        assert (5, 4) in way
        assert guard.place == (5, 0)
        assert walker.arrived
        walker.go((5, 0))
        lead(crowd, 40)
        assert walker.diverted
        assert walker.place in {(4, 0), (6, 0)}
        patient = Crowd(level, window=6, blocked_after=1000)
        patient.add((5, 0)).stand()
        waiting = patient.add((0, 0), (10, 0))
        lead(patient, 60)
        assert waiting.place == (4, 0)
        assert waiting.hindered >= 50


# -- places with room for several -----------------------------------------------------------------

#: A hall, a corridor of two places, and another hall.
HALLS = ("hall", "east", "west", "court")


@pytest.fixture
def halls(tmp_path: Path):
    edges = [edge for a, b in pairwise(HALLS) for edge in ((a, b, 1), (b, a, 1))]
    with open_asset(bake(write_graph(tmp_path / "halls.json", list(HALLS), edges))) as level:
        yield level


def test_a_hall_of_eight_and_a_corridor_of_one(halls) -> None:
    crowd = Crowd(halls, window=24, capacity={"hall": 8, "court": 8})
    agents = [crowd.add("hall", "court") for _ in range(8)]
    with pytest.raises(QueryError, match="agent 0 is on 'hall' already"):
        crowd.add("hall")
    ways = [["hall"] for _ in agents]
    for _ in range(12):
        crowd.step()
        for way, agent in zip(ways, agents, strict=True):
            way.append(agent.place)
        there = Counter(agent.place for agent in agents)
        assert there["east"] <= 1
        assert there["west"] <= 1
    # Through the corridor they follow one another without a gap: three steps, and seven more.
    assert [way.index("court") for way in ways] == list(range(3, 11))
    assert all(agent.arrived and not agent.diverted for agent in agents)
    assert crowd.conflicts.total == 0
    ninth = crowd.add("hall", "court")
    for _ in range(12):
        crowd.step()
    assert (ninth.place, ninth.diverted) == ("west", True)


def test_those_who_come_the_other_way(halls) -> None:
    """Through a corridor only one side goes at a time; where there is room for two, both do."""
    for wide in (1, 2):
        room = {"hall": 2, "east": wide, "west": wide, "court": 2}
        crowd = Crowd(halls, capacity=room)
        ends = [("hall", "court"), ("court", "hall")] * 2
        agents = [crowd.add(*each) for each in ends]
        while not all(agent.arrived for agent in agents):
            before = [agent.place for agent in agents]
            crowd.step()
            moves = list(zip(before, [agent.place for agent in agents], strict=True))
            there = Counter(after for _, after in moves)
            assert all(there[place] <= room[place] for place in there)
            swaps = [move for move in moves if move[0] != move[1] and move[::-1] in moves]
            assert all(room[place] > 1 for move in swaps for place in move)
            if crowd.steps == 40:
                break
        # Two on either side of a corridor for one leave no hall to yield into.
        assert all(agent.arrived for agent in agents) == (wide == 2)
        assert crowd.conflicts.total == 0
        if wide == 2:
            assert crowd.steps == 3


@pytest.mark.parametrize("seed", range(8))
def test_crowded_cells(tmp_path: Path, seed: int) -> None:
    """Twenty agents on cells with room for one to three, who stand about and change their minds."""
    rng = random.Random(seed)
    grid = random_grid(seed, 5, 4)
    asset = bake_grid(tmp_path, grid, corner_cutting=("never", "always")[seed % 2])
    with open_asset(asset) as level:
        cells = level.profile().places()
        room = {cell: rng.choice((1, 1, 2, 3)) for cell in cells}
        crowd = Crowd(level, window=6, blocked_after=3, capacity=room)
        places = [cell for cell in cells for _ in range(room[cell])]
        for start in rng.sample(places, len(places) // 2):
            crowd.add(start, rng.choice(cells))
        ways = [[agent.place] for agent in crowd.agents]
        for step in range(30):
            if step % 6 == 5:
                agent = rng.choice(crowd.agents)
                agent.go(rng.choice(cells))
                rng.choice(crowd.agents).stand(rng.random() < 0.5)
            crowd.step()
            for way, agent in zip(ways, crowd.agents, strict=True):
                way.append(agent.place)
        assert hindered_along(ways, room) == 0 == crowd.conflicts.total
        assert any(len(set(way)) > 2 for way in ways)


# -- ways that cross ------------------------------------------------------------------------------


def test_lanes_form_where_crossing_has_a_price(tmp_path: Path) -> None:
    """Two groups who meet in a hall keep to one side each, where ways that cross cost more."""
    with open_asset(bake_grid(tmp_path, rows(*["." * 24] * 6), connectivity=4)) as level:
        crossings, steps = [], []
        for crossing in (0, 2):
            crowd = Crowd(level, window=24, crossing=crossing)
            for y in range(6):
                for x in range(2):
                    crowd.add((x, y), (23 - x, y))
                    crowd.add((23 - x, y), (x, y))
            ways = [[agent.place] for agent in crowd.agents]
            while not all(agent.arrived for agent in crowd.agents):
                crowd.step()
                for way, agent in zip(ways, crowd.agents, strict=True):
                    way.append(agent.place)
                assert crowd.steps < 200
            crossings.append(crossings_along(ways))
            steps.append(crowd.steps)
        assert crossings[1] < crossings[0] / 2, (crossings, steps)


# -- sizes, floors, changes -----------------------------------------------------------------------


def test_agents_of_size(tmp_path: Path) -> None:
    """A golem of two by two cells and guards share a hall; the golem's cells are its own."""
    golem = ProfileRecipe("golem", rules_of(GROUND), size=2)
    guard = ProfileRecipe("guard", rules_of(GROUND))
    asset = bake_grid(tmp_path, rows(*["........"] * 5), profiles=(golem, guard))
    with open_asset(asset) as level:
        crowd = Crowd(level)
        crowd.add((0, 1), (6, 1), profile="golem")
        crowd.add((6, 1), (0, 1), profile="golem")
        for y in range(5):
            crowd.add((3, y), (4 - y, 4 - y), profile="guard")
        with pytest.raises(QueryError, match=r"agent 0 is on \(0, 1\) already"):
            crowd.add((1, 2), profile="guard")
        ways = lead(crowd, 40)
        assert conflicts_along(ways, (2, 2, 1, 1, 1, 1, 1)) == 0 == crowd.conflicts.total
        assert all(agent.arrived for agent in crowd.agents)


def test_the_level_changes_under_them(tmp_path: Path) -> None:
    grid = rows("...........", ".####.####.", "...........")
    with open_asset(bake_grid(tmp_path, grid, connectivity=4)) as level:
        crowd = Crowd(level)
        walker = crowd.add((0, 0), (10, 0))
        lead(crowd, 3)
        assert walker.place == (3, 0)
        level.update(blocked=[(7, 0)])
        way = lead(crowd, 14)[0]
        assert (5, 1) in way
        assert walker.place == (10, 0)
        level.update(blocked=[(9, 0), (9, 2)])
        walker.go((0, 0))
        lead(crowd, 3)
        assert walker.cut_off
        level.update(opened=[(9, 0)], blocked=[])
        lead(crowd, 1)
        assert walker.cut_off  # (7, 0) and (9, 2) are still shut.
        level.update(opened=[(9, 2)])
        lead(crowd, 20)
        assert walker.place == (0, 0)
        level.update(blocked=[(0, 0)])
        with pytest.raises(QueryError, match=r"agent 0 cannot stand on \(0, 0\)"):
            crowd.step()
        crowd.remove(walker)
        crowd.step()


def test_floors_and_links() -> None:
    with open_asset(stored_asset("bastion.json")) as level:
        crowd = Crowd(level)
        nav = level.profile("guard")
        cells = [cell for cell in nav.places() if nav.reachable(cell, (15, 4, 1))][:12]
        agents = [crowd.add(cell, (15, 4, 1), profile="guard") for cell in cells]
        for _ in range(120):
            crowd.step()
        assert crowd.conflicts.total == 0
        assert all(agent.arrived for agent in agents)
        assert agents[0].place == (15, 4, 1)


def test_planning_ahead_changes_nothing_of_what_is_promised(tmp_path: Path) -> None:
    """Windows planned between steps, in parts, and those planned at once: never a conflict."""
    with open_asset(bake_grid(tmp_path, rows(*["........"] * 4), connectivity=4)) as level:
        crowd = Crowd(level, window=6)
        for y in range(4):
            crowd.add((0, y), (7, 3 - y))
            crowd.add((7, y), (0, 3 - y))
        ways = [[agent.place] for agent in crowd.agents]
        for _ in range(40):
            crowd.plan(0)
            assert all(len(agent.ahead()) <= 6 for agent in crowd.agents)
            crowd.step()
            for way, agent in zip(ways, crowd.agents, strict=True):
                way.append(agent.place)
        assert conflicts_along(ways, [1] * 8) == 0
        assert all(agent.arrived for agent in crowd.agents)


def test_mistakes(tmp_path: Path) -> None:
    with open_asset(bake_grid(tmp_path, rows("..#"), connectivity=4)) as level:
        for wrong in ({"window": 1}, {"window": 300}, {"replan_after": 17}, {"blocked_after": 0}):
            with pytest.raises(QueryError, match=f"{next(iter(wrong))} is "):
                Crowd(level, **wrong)
        for capacity in (0, 1.5, 10**6):
            with pytest.raises(QueryError, match=r"capacity of \(0, 0\).*1 to 1000"):
                Crowd(level, capacity={(0, 0): capacity})
        with pytest.raises(OutsideMapError, match=r"cell \(9, 9\) lies outside"):
            Crowd(level, capacity={(9, 9): 2})
        for name in ("wait", "crossing"):
            with pytest.raises(QueryError, match=f"{name} is -1; expected units from 0"):
                Crowd(level, **{name: -1})
        crowd = Crowd(level)
        agent = crowd.add((0, 0))
        with pytest.raises(QueryError, match=r"agent 0.*\(0, 0\) already"):
            crowd.add((0, 0))
        with pytest.raises(QueryError, match="cannot stand on"):
            crowd.add((1, 0), (2, 0))
        assert crowd.agents == (agent,)
        with pytest.raises(QueryError, match="cannot stand on"):
            agent.go((2, 0))
        assert agent.goal is None
        crowd.remove(agent)
        with pytest.raises(QueryError, match="not in this crowd"):
            crowd.remove(agent)


# -- real maps ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "count"), [("arena", 50), ("den312d", 50)])
def test_fifty_on_a_real_map(tmp_path: Path, name: str, count: int) -> None:
    source = shared_level(f"movingai/{name}.map")
    copy = tmp_path / source.name
    copy.write_bytes(source.read_bytes())
    asset = bake(copy, recipe_for(tables=("components", "next_hops")))
    with open_asset(asset) as level:
        nav = level.profile()
        home = max(nav.places(), key=lambda cell: len(nav.search.within(cell, 3)[0]))
        cells = [cell for cell in nav.places() if nav.reachable(cell, home)]
        rng = random.Random(7)
        starts, goals = rng.sample(cells, count), rng.sample(cells, count)
        ways = [_led(level, starts, goals) for _ in range(2)]
        assert ways[0] == ways[1]  # The same again, step by step.
        longest = max(len(way) for way in ways[0])
        assert conflicts_along(ways[0], [1] * count) == 0
        assert longest < 3 * nav.distances(np.array(starts), np.array(goals)).max()


def _led(level, starts: list[Cell], goals: list[Cell]) -> list[list[Cell]]:
    crowd = Crowd(level)
    agents: list[Agent] = [crowd.add(a, b) for a, b in zip(starts, goals, strict=True)]
    ways: list[list[Cell]] = [[agent.place] for agent in agents]
    while not all(agent.arrived for agent in agents):
        crowd.step()
        for way, agent in zip(ways, agents, strict=True):
            way.append(agent.place)
        assert crowd.steps < 2000
    assert crowd.conflicts.total == 0
    assert [agent.place for agent in agents] == goals
    return ways


@pytest.mark.parametrize("goes_elsewhere", [False, True])
def test_a_budget_counts_from_the_first_plan_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, goes_elsewhere: bool
) -> None:
    """A field takes a millisecond here; no call computes more of them than its budget allows."""
    clock, fields = [0.0], [0]
    compute = Mover.field

    def field(mover: Mover, target: int) -> Field:
        known = len(mover._fields)
        found = compute(mover, target)
        if len(mover._fields) > known:
            clock[0] += 0.001
            fields[0] += 1
        return found

    monkeypatch.setattr(Mover, "field", field)
    monkeypatch.setattr("bake.extras.crowds.crowd.time.perf_counter", lambda: clock[0])
    grid = rows(*["." * 9] * 9)
    with open_asset(bake_grid(tmp_path, grid)) as level:
        crowd, whole = Crowd(level), Crowd(level)
        for each in (crowd, whole):
            for x in range(9):
                # All have one goal, so nearly all of them get another place near it.
                each.add((x, 0), (4, 8))
        fields[0], spent = 0, []
        while crowd.plan(budget_ms=2):
            spent.append(fields[0])
            if goes_elsewhere and len(spent) == 2:
                for each in (crowd, whole):
                    each.agents[0].go((8, 4))
        assert max(np.diff([0, *spent])) <= 2 + goes_elsewhere
        assert len(spent) > 3
        assert fields[0] >= 9
        lead(crowd, 12)
        lead(whole, 12)
        assert all(agent.arrived for agent in crowd.agents)
        assert crowd.agents[0].place == whole.agents[0].place
        if not goes_elsewhere:
            assert [a.place for a in crowd.agents] == [a.place for a in whole.agents]
        assert crowd.conflicts.total == 0
