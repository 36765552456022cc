"""Questions about one place and all others, and about places nobody may stand on, by hand."""

import math
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from bake.play import LevelAsset, open_asset
from levelbake.errors import BlockedCellError, OutsideMapError, QueryError, UnknownNodeError
from levelbake.places import NAMED
from tests.support.around import check_around
from tests.support.baked import GROUND, bake, bake_grid, profile_for, recipe_for, rows, write_graph
from tests.support.oracles import Ground, Lattice, square_arcs
from tests.support.strategies import random_grid
from tests.support.tower import baked_tower

#: Two rooms; the right one holds mud, and only the left one can be left through its top.
ROOMS = rows(
    "..#..",
    "..#.m",
    "..#..",
)


@pytest.fixture(scope="module")
def rooms_asset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bake_grid(tmp_path_factory.mktemp("rooms"), ROOMS, connectivity=4)


@pytest.fixture
def rooms(rooms_asset: Path) -> Iterator[LevelAsset]:
    with open_asset(rooms_asset) as level:
        yield level


def test_whoever_cannot_stand_has_no_way(rooms: LevelAsset) -> None:
    nav = rooms.profile()
    starts = [(0, 0), (2, 0), (0, 0), (9, 9), (3, 0), (-1, 0)]
    goals = [(1, 0), (0, 0), (3, 0), (0, 0), (3, 1), (0, 0)]
    hops = nav.next_hops(starts, goals, strict=False)
    assert hops.tolist() == [[1, 0], [-1, -1], [-1, -1], [-1, -1], [3, 1], [-1, -1]]
    assert nav.distances(starts, goals, strict=False).tolist() == [
        1,
        math.inf,
        math.inf,
        math.inf,
        1,
        math.inf,
    ]
    for method in ("table", "hpa"):
        first, cells = nav.paths(starts, goals, method, strict=False)
        assert first.tolist() == [0, 2, 2, 2, 2, 4, 4]
        assert cells.tolist() == [[0, 0], [1, 0], [3, 0], [3, 1]]
    nobody = nav.next_hops([(2, 0)], [(9, 9)], strict=False)
    assert nobody.tolist() == [[-1, -1]]
    assert nav.next_hops([], [], strict=False).shape == (0, 2)
    assert nav.distances([], [], strict=False).shape == (0,)


def test_strict_calls_name_the_wrong_places(rooms: LevelAsset) -> None:
    nav = rooms.profile()
    starts = [(0, 0)] + [(2, 1)] * (NAMED + 2)
    goals = [(0, 0)] * len(starts)
    with pytest.raises(BlockedCellError, match=r"starts\[1, 2, 3, 4, 5\] and 2 more"):
        nav.next_hops(starts, goals)
    with pytest.raises(OutsideMapError, match=r"goals\[2\]"):
        nav.distances(goals[:3], [(0, 0), (0, 1), (5, 0)])
    with pytest.raises(QueryError, match="3 starts for 2 goals"):
        nav.next_hops(goals[:3], goals[:2], strict=False)
    with pytest.raises(QueryError, match="integers"):
        nav.next_hops([(0.5, 0)], [(0, 0)], strict=False)


def test_where_the_profile_can_stand_and_what_it_pays(rooms: LevelAsset) -> None:
    nav = rooms.profile()
    assert nav.can_stand((0, 0)) is True
    assert nav.can_stand([2, 0]) is False
    assert nav.can_stand((9, 9)) is False
    assert nav.can_stand([(0, 0), (2, 0), (-1, 7)]).tolist() == [True, False, False]
    assert nav.can_stand(np.array([4, 1])) is True
    assert nav.can_stand([]).tolist() == []
    assert nav.cost_at((4, 1)) == 3
    assert nav.cost_at([(0, 0), (2, 0), (4, 1), (9, 9)]).tolist() == [1, math.inf, 3, math.inf]
    for wrong in ("ab", (0.5, 1), (1, 2, 3), 7, None, [(1, 2), (3,)]):
        with pytest.raises(QueryError):
            nav.can_stand(wrong)
    assert rooms.terrain_at((4, 1)) == "mud"
    assert rooms.terrain_at([(0, 0), (2, 2), (5, 0)]) == ["floor", "wall", None]


def test_going_as_near_as_one_can(rooms: LevelAsset) -> None:
    nav = rooms.profile()
    assert nav.search.nearest_reachable((0, 0), (1, 2)) == (1, 2)
    # A wall, and a room that no way leads to: the nearest cell of one's own room.
    assert nav.search.nearest_reachable((0, 0), (2, 1)) == (1, 1)
    assert nav.search.nearest_reachable((0, 0), (4, 2)) == (1, 2)
    assert nav.search.nearest_reachable((3, 0), (0, 1)) == (3, 1)
    with pytest.raises(OutsideMapError):
        nav.search.nearest_reachable((0, 0), (5, 0))
    with pytest.raises(BlockedCellError):
        nav.search.nearest_reachable((2, 0), (0, 0))


def test_of_cells_equally_near_the_one_soonest_there(tmp_path: Path) -> None:
    grid = rows(
        ".....",
        ".###.",
        "#.#.#",
    )
    # (1, 0) and (3, 0) are both two away from (2, 2); so is nothing else one can reach.
    with open_asset(bake_grid(tmp_path, grid, connectivity=4)) as level:
        nav = level.profile()
        assert nav.search.nearest_reachable((0, 0), (2, 2)) == (2, 0)
        assert nav.search.nearest_reachable((4, 0), (2, 1)) == (2, 0)
        level.update(blocked=[(2, 0)])
        assert nav.search.nearest_reachable((0, 0), (2, 2)) == (1, 0)
        assert nav.search.nearest_reachable((4, 0), (2, 2)) == (3, 0)


def test_a_budget_is_a_number_from_nought(rooms: LevelAsset) -> None:
    nav = rooms.profile()
    cells, units = nav.search.within((3, 0), 2)
    assert cells.tolist() == [[3, 0], [4, 0], [3, 1], [3, 2]]
    assert units.tolist() == [0, 1, 1, 2]
    assert len(nav.search.within((3, 0), 1e300)[0]) == 6
    assert nav.search.within((3, 0), 2.999999)[1].max() == 2
    for wrong in (-1, math.nan, "2", None, True):
        with pytest.raises(QueryError, match="budget"):
            nav.search.within((3, 0), wrong)


def test_a_goal_out_of_reach_is_not_the_nearest(rooms: LevelAsset) -> None:
    nav = rooms.profile()
    assert nav.nearest_of((0, 0), [(3, 0), (1, 2), (2, 2), (1, 1), (9, 9)]) == (1, 1)
    assert nav.nearest_of((0, 0), [(3, 0), (2, 2)]) is None
    assert nav.nearest_of((0, 0), []) is None
    assert nav.nearest_of((0, 0), [(0, 0)]) == (0, 0)


@pytest.mark.parametrize("tables", [("components",), ("components", "next_hops")])
@pytest.mark.parametrize("seed", range(3))
def test_assets_without_next_hops(tmp_path: Path, seed: int, tables: tuple[str, ...]) -> None:
    grid = random_grid(seed, 9, 7)
    lattice = Lattice(grid, GROUND)
    with open_asset(bake_grid(tmp_path, grid, tables=tables)) as level:
        nav = level.profile()
        rng = random.Random(seed)
        for _ in range(3):
            check_around(nav, list(lattice.cells()), square_arcs(lattice, 8), rng)


def test_without_a_place_to_stand(tmp_path: Path) -> None:
    nowhere = {name: Ground(None) for name in GROUND}
    profiles = (profile_for("walker", GROUND), profile_for("fish", nowhere))
    with open_asset(bake_grid(tmp_path, rows("..", ".."), profiles=profiles)) as level:
        nav = level.profile("fish")
        assert nav.next_hops([(0, 0)], [(1, 1)], strict=False).tolist() == [[-1, -1]]
        assert nav.paths([(0, 0)], [(1, 1)], strict=False)[0].tolist() == [0, 0]
        assert not nav.can_stand((0, 0))
        assert nav.cost_at((0, 0)) == math.inf
        assert level.profile("walker").can_stand((0, 0))


def test_several_floors(tmp_path: Path) -> None:
    with open_asset(baked_tower(tmp_path)) as level:
        nav = level.profile("walker")
        everywhere = nav.search.distances_from((0, 0, 0))
        assert everywhere.shape == (2, 5, 9)
        hops = nav.hops_to((0, 0, 0))
        assert hops.shape == (2, 5, 9, 3)
        assert hops[0, 0, 0].tolist() == [0, 0, 0]
        assert hops[0, 0, 1].tolist() == list(nav.next_hop((1, 0, 0), (0, 0, 0)))
        assert hops[0, 0, 6].tolist() == [-1, -1, -1]
        cells, units = nav.search.within((0, 0, 0), 1)
        assert [0, 0, 0] in cells.tolist()
        assert all(everywhere[floor, y, x] <= 1 for x, y, floor in cells.tolist())
        assert len(cells) == (everywhere <= 1).sum()
        assert units.tolist() == [everywhere[f, y, x] for x, y, f in cells.tolist()]
        assert nav.can_stand([(0, 0, 0), (6, 0, 0), (0, 0, 2), (0, 5, 0)]).tolist() == [
            True,
            False,
            False,
            False,
        ]
        wall = nav.search.nearest_reachable((0, 0, 0), (6, 0, 0))
        assert wall[2] == 0
        assert level.terrain_at((6, 0, 0)) == "wall"


def test_graphs(tmp_path: Path) -> None:
    edges = [("a", "b", 1), ("b", "a", 1), ("b", "c", 2), ("d", "c", 1)]
    spread = {"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (2.0, 0.0), "d": (2.0, 1.0)}
    source = write_graph(tmp_path / "roads.json", list("abcd"), edges, positions=spread)
    with open_asset(bake(source, recipe_for())) as level:
        nav = level.profile()
        assert nav.can_stand("a") is True
        assert nav.can_stand("z") is False
        assert nav.can_stand(["a", "z"]).tolist() == [True, False]
        assert nav.next_hops(["a", "c", "z"], ["c", "a", "a"], strict=False).tolist() == [
            "b",
            None,
            None,
        ]
        with pytest.raises(UnknownNodeError, match=r"starts\[1\]"):
            nav.next_hops(["a", "z"], ["a", "a"])
        assert nav.hops_to("c").tolist() == ["b", "c", "c", "c"]
        assert nav.search.distances_from("b").tolist() == [1, 0, 2, math.inf]
        assert nav.search.nearest_reachable("a", "d") == "c"
        assert nav.search.within("a", 1)[0].tolist() == ["a", "b"]
    plain = write_graph(tmp_path / "plain.json", ["a", "b"], [])
    with (
        open_asset(bake(plain, recipe_for())) as level,
        pytest.raises(QueryError, match="positions"),
    ):
        level.profile().search.nearest_reachable("a", "b")


def test_many_paths_are_checked_in_one_call(rooms: LevelAsset) -> None:
    nav = rooms.profile()
    starts, goals = [(0, 0), (3, 0), (0, 2), (3, 0)], [(1, 2), (0, 0), (0, 2), (4, 2)]
    first, cells = nav.paths(starts, goals)
    assert nav.still_valid(cells, first).tolist() == [True, True, True, True]
    on_the_first = tuple(cells[1].tolist())
    rooms.update(blocked=[on_the_first])
    assert nav.still_valid(cells, first).tolist() == [False, True, True, True]
    rooms.update(opened=[on_the_first], arcs={((3, 0), tuple(cells[-3].tolist())): math.inf})
    each = [nav.still_valid(cells[a:b]) for a, b in pairwise(first)]
    assert nav.still_valid(cells, first).tolist() == each
    assert nav.still_valid([]) is True
    # A jump over a cell is no step.
    assert nav.still_valid([(0, 0), (0, 2)]) is False
    for wrong in ([0, 3], [1, len(cells)], [0, 5, 3, len(cells)], [], 3, [0.0, len(cells)]):
        with pytest.raises(QueryError, match="first"):
            nav.still_valid(cells, wrong)
    with pytest.raises(OutsideMapError):
        nav.still_valid([(0, 0), (0, 9)])


def test_what_has_changed_since(rooms: LevelAsset) -> None:
    nothing = rooms.changes_since()
    assert not nothing
    assert (nothing.places.tolist(), nothing.links, nothing.rerouted) == ([], (), ())
    rooms.update(terrain={(0, 0): "mud"})
    one = rooms.changes_since(nothing.token)
    assert one.places.tolist() == [[0, 0]]
    assert one.rerouted == ()
    rooms.update(opened=[(2, 1)])
    rooms.update(terrain={(4, 2): "mud"})
    two = rooms.changes_since(one.token)
    assert two
    assert two.places.tolist() == [[2, 1], [4, 2]]
    assert two.rerouted == ("default",)
    assert rooms.changes_since().places.tolist() == [[0, 0], [2, 1], [4, 2]]
    assert not rooms.changes_since(two.token)
    assert rooms.terrain_at((2, 1)) == "floor"
    for wrong in (-1, two.token + 1, "1", True, None):
        with pytest.raises(QueryError, match="token"):
            rooms.changes_since(wrong)


def test_links_that_changed(tmp_path: Path) -> None:
    with open_asset(baked_tower(tmp_path)) as level:
        level.update(blocked=[(7, 0, 1)])
        assert level.changes_since().links == ("stairs",)
        assert level.changes_since().places.tolist() == [[7, 0, 1]]


def test_a_unit_is_not_lost_to_rounding(tmp_path: Path) -> None:
    with open_asset(bake_grid(tmp_path, rows("...=m.."), connectivity=4)) as level:
        nav = level.profile()
        for budget in nav.search.distances_from((0, 0)).ravel().tolist():
            assert nav.search.within((0, 0), budget)[1].max() == budget
            below = math.nextafter(budget, -1)
            if below >= 0:
                assert nav.search.within((0, 0), below)[1].max() < budget
