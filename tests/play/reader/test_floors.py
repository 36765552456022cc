"""Levels of several floors with links, doors, ledges and large agents, as a game asks for them."""

import math
from pathlib import Path

import numpy as np
import pytest

from bake.play import LevelAsset, open_asset
from bake.verify import verify_asset
from levelbake.errors import BlockedCellError, OutsideMapError, QueryError
from tests.support.agents_oracle import Agents, agent_arcs, link_ticks
from tests.support.baked import write_grid
from tests.support.oracles import Cell, Ground, Lattice, arcs_of, distances_from
from tests.support.tower import TOWER, baked_tower

FLOOR = 5
SIZES = {"cat": 1, "ogre": 2, "walker": 1}


@pytest.fixture(scope="module")
def tower(tmp_path_factory: pytest.TempPathFactory) -> LevelAsset:
    path = baked_tower(tmp_path_factory.mktemp("tower"))
    verify_asset(path, None, lambda _: None)
    return open_asset(path)


def agents_of(profile: str) -> Agents:
    """The tower as its file says, its doors in their states."""
    names = {".": "floor", "#": "wall", "m": "mud"}
    grid = [[names[letter] for letter in row] for row in TOWER["rows"]]
    for x in (5, 6):
        grid[FLOOR][x] = "wall"  # the hatch is shut
    mud = Ground(5 if profile == "ogre" else 3)
    ground = {"floor": Ground(1), "mud": mud, "wall": Ground(None)}
    return Agents(Lattice(grid, ground), SIZES[profile], {(7, 2): "n", (8, 2): "n"}, FLOOR)


def flat(place: tuple[int, ...]) -> Cell:
    return place[0], place[1] + FLOOR * place[2]


def spoken(cell: Cell) -> tuple[int, int, int]:
    return cell[0], cell[1] % FLOOR, cell[1] // FLOOR


def oracle(profile: str) -> dict[Cell, list[tuple[Cell, int]]]:
    agents = agents_of(profile)
    links = [
        (flat(link["from"]), flat(link["to"]), link.get("cost"), link.get("both_ways", False))
        for link in TOWER["links"]
        if profile in link.get("profiles", [profile])
    ]
    arcs = [(a, b, ticks) for (a, b), ticks in agent_arcs(agents, 8).items()]
    return arcs_of(agents.anchors(), arcs + link_ticks(links, agents))


@pytest.mark.parametrize("profile", SIZES)
def test_every_pair(tower: LevelAsset, profile: str) -> None:
    nav = tower.profile(profile)
    arcs = oracle(profile)
    cells = list(arcs)
    away = {cell: distances_from(arcs, cell) for cell in cells}
    starts, goals = [], []
    for start in cells:
        expected = away[start]
        spread = nav.distances_to(spoken(start))
        assert spread.shape == (2, FLOOR, 9)
        for goal in cells:
            ticks = expected.get(goal)
            units = math.inf if ticks is None else ticks / 27720
            a, b = spoken(start), spoken(goal)
            assert nav.distance(a, b) == units
            assert nav.reachable(a, b) == (ticks is not None)
            hop = nav.next_hop(a, b)
            if start == goal:
                assert hop == a
            elif ticks is None:
                assert hop is None
            else:
                assert isinstance(hop, tuple)
                steps = [w for head, w in arcs[start] if head == flat(hop)]
                assert min(steps) + away[flat(hop)][goal] == ticks
            starts.append(a)
            goals.append(b)
    hops = nav.next_hops(starts, goals)
    assert hops.shape == (len(starts), 3)
    singles = [nav.next_hop(a, b) or (-1, -1, -1) for a, b in zip(starts, goals, strict=True)]
    assert hops.tolist() == [list(hop) for hop in singles]
    first, places = nav.paths(starts, goals)
    assert places.shape[1] == 3
    distances = nav.distances(starts, goals)
    for pair, (a, b) in enumerate(zip(starts, goals, strict=True)):
        way = [tuple(place) for place in places[first[pair] : first[pair + 1]].tolist()]
        assert way == (nav.path(a, b) or [])
        if way:
            assert (way[0], way[-1]) == (a, b)
            assert abs(nav.length(way) - distances[pair]) < 1e-3
        if way and pair % 5 == 0:
            found = nav.search(a, b)
            assert found.path is not None
            assert found.cost == distances[pair]
            assert all(len(place) == 3 for place in found.path)


def test_sizes_of_the_level(tower: LevelAsset) -> None:
    assert (tower.width, tower.height, tower.floors) == (9, 5, 2)


def test_things(tower: LevelAsset) -> None:
    assert list(tower.links) == ["stairs", "jump", "rift"]
    rift = tower.links["rift"]
    assert (rift.kind, rift.start, rift.goal, rift.cost) == (
        "teleporter",
        (0, 0, 0),
        (8, 4, 1),
        2.25,
    )
    assert tower.links["stairs"].cost == 1.0
    assert tower.links["stairs"].both_ways
    assert tower.links["jump"].profiles == ("cat",)
    assert tower.regions["loft"].cells.tolist() == [[7, 2, 1], [8, 2, 1]]
    assert [spot.name for spot in tower.spots("spawn")] == ["start", "lair"]
    assert [spot.name for spot in tower.spots("spawn", profile="cat")] == ["start"]
    assert [spot.place for spot in tower.spots("exit")] == [(8, 4, 0)]
    gate, hatch = tower.doors.values()
    assert (gate.state, dict(gate.states)) == ("open", {"open": ("floor",), "shut": ("bars",)})
    assert hatch.cells.tolist() == [[5, 0, 1], [6, 0, 1]]
    assert dict(hatch.states) == {"shut": ("bars", "bars"), "open": ("floor", "floor")}


def test_nearest_stays_on_its_floor(tower: LevelAsset) -> None:
    nav = tower.profile("walker")
    assert nav.nearest((6, 0, 0)) == (5, 0, 0)
    assert nav.nearest((6.2, 0, 1)) == (7, 0, 1)
    assert nav.nearest((0, 99, 0)) == (0, 4, 0)
    assert nav.nearest((0, -99, 1)) == (0, 0, 1)
    for point in ((1, 1), (1, 1, 0.5), (1, 1, 1, 1), "abc"):
        with pytest.raises(QueryError, match=r"expected \(x, y, floor\)"):
            nav.nearest(point)
    with pytest.raises(OutsideMapError, match="there is no floor 2"):
        nav.nearest((1, 1, 2))


def test_wrong_places(tower: LevelAsset) -> None:
    nav = tower.profile("walker")
    for wrong in ((1, 1), (1, 1, 1, 1), (1, 1.5, 0), (1, 1, 0.0), "abc", None):
        with pytest.raises(QueryError, match=r"cell.*\(x, y, floor\)"):
            nav.next_hop(wrong, (0, 0, 0))
    for outside in ((0, 5, 0), (0, 0, 2), (9, 0, 0), (0, 0, -1), (-1, 0, 0), (0, -1, 1)):
        for ask in (lambda p: nav.next_hop((0, 0, 0), p), lambda p: nav.next_hops([p], [p])):
            with pytest.raises(OutsideMapError, match="floor from 0 to 1") as caught:
                ask(outside)
            assert str(outside) in str(caught.value)
    for ask in (lambda p: nav.next_hop((0, 0, 0), p), lambda p: nav.next_hops([p], [p])):
        with pytest.raises(BlockedCellError, match=r"cannot stand on \(5, 0, 1\)"):
            ask((5, 0, 1))
    with pytest.raises(QueryError, match=r"int64\[1, 2\]; expected integers \[m, 3\]"):
        nav.next_hops([(0, 0)], [(0, 0)])
    assert nav.next_hops(np.empty((0, 3), int), []).shape == (0, 3)


def test_small_numpy_integers(tower: LevelAsset) -> None:
    nav = tower.profile("walker")
    a, b = (0, 4, 1), (8, 3, 1)
    small = tuple(np.int8(number) for number in a), tuple(np.uint8(number) for number in b)
    assert nav.next_hop(*small) == nav.next_hop(a, b)
    assert nav.next_hops(np.array([a], np.int8), np.array([b], np.uint8)).tolist() == [
        list(nav.next_hop(a, b) or ())
    ]


def test_one_floor_speaks_of_no_floors(tmp_path: Path) -> None:
    from tests.support.baked import bake, recipe_for, rows

    path = write_grid(tmp_path / "plain.json", rows("...", "..."))
    with open_asset(bake(path, recipe_for())) as level:
        assert (level.floors, level.height) == (1, 2)
        assert level.profile().next_hop((0, 0), (2, 0)) == (1, 0)
        assert (dict(level.links), level.spots(), dict(level.doors)) == ({}, (), {})


def test_lookups_on_a_level_that_has_changed(tmp_path: Path) -> None:
    with open_asset(baked_tower(tmp_path)) as tower:
        nav = tower.profile("walker")
        nav.update(blocked=[(3, 0, 0)])
        start, goal = (1, 0, 0), (8, 4, 0)
        nav.distances_to(goal)  # a flow field answers from here on
        place: object = start
        walked = [start]
        while place != goal:
            place = nav.next_hop(place, goal)
            assert place == tuple(nav.next_hops([walked[-1]], [goal])[0].tolist())
            walked.append(place)
        assert (3, 0, 0) not in walked
        assert nav.still_valid(walked)
        assert nav.length(walked) == pytest.approx(nav.distance(start, goal), abs=1e-3)
        for wrong in ((1, 0), (1, 0, 2), (1, 0, 0, 0)):
            with pytest.raises(QueryError):
                nav.next_hop(wrong, (8, 4))
            with pytest.raises(QueryError):
                nav.next_hop(wrong, goal)
