"""Numbers of every type at every entry point of bake.play and bake.extras.crowds.

Answers are those for Python's own numbers, however narrow the type is: the cells, names and points
are chosen so that sums and products of them fit none of the narrow ones. What is no number is an
error in one line.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.core.level import TerrainRule
from bake.extras.crowds.agent import Agent, Route
from bake.extras.crowds.belief import Belief
from bake.extras.crowds.crowd import Crowd
from bake.play import LevelAsset, Navigator, QueryError, open_asset
from bake.project.recipe.rules import LevelRecipe
from tests.support.baked import bake, bake_grid, rows, write_graph
from tests.support.numbers import (
    BROKEN,
    LOOKUPS,
    NONE,
    POINT_LOOKUPS,
    WHOLE,
    WIDE,
    A,
    Ask,
    B,
    C,
    Form,
    array,
    check_refused,
    forms,
    plain,
    updated,
)

pytestmark = pytest.mark.filterwarnings("error")


def _followed(nav: Navigator, form: Form) -> Any:
    follower = nav.plane.follow(
        [form(each) for each in nav.path(A, B) or ()],
        reach=form(1),
        strayed=form(3),
        patience=form(2),
    )
    went = [follower.update(form(point), form(100)) for point in (A, (101, 4), (120, 100))]
    return [went, follower.reenter(form(A)), follower.path]


def _requested(nav: Navigator, form: Form) -> Any:
    queue = nav.search.requests(form(100), at_once=form(2))
    asked = [
        queue.add(form(A), form(goal), priority=form(weight)) for goal, weight in ((B, 100), (C, 1))
    ]
    first = asked[0].moves(form(127))
    while len(queue):
        queue.run(form(100))
    return [first, [each.path for each in asked], queue.budget_ms]


def _under_way(nav: Navigator, form: Form) -> Any:
    search = nav.search.begin(form(A), form(B))
    search.run(steps=form(100))
    expanded = search.expanded
    search.run(budget_ms=form(100), steps=form(0))
    return [expanded, search.expanded, search.so_far()]


def _crowded(level: LevelAsset, form: Form) -> Any:
    crowd = Crowd(
        level,
        window=form(16),
        replan_after=form(8),
        blocked_after=form(100),
        wait=form(1),
        crossing=form(100),
        capacity={C: form(2)},
    )
    for start, goal, priority in ((A, B, 100), (B, A, 3), (C, A, 0)):
        crowd.add(form(start), form(goal), priority=form(priority))
    ways = []
    for _ in range(12):
        crowd.plan(form(50))
        crowd.step()
        ways.append([agent.place for agent in crowd.agents])
    return ways


def _believed(nav: Navigator, form: Form) -> Any:
    belief = Belief(nav, form(2))
    agent, route = Agent(belief, form(A), form(B)), Route(belief, form(A), form(C))
    seen = belief.observe(belief.in_sight(form(A), form(5)))
    agent.step()
    agent.goal = form(C)
    near = belief.around(form((1, 18)), form(120))
    return [seen, near, agent.path(), agent.cost(), route.cost(), belief.seen(form(A))]


#: Questions of whole numbers: cells, indices, how many, how far.
GRID: dict[str, Ask] = {
    **LOOKUPS,
    "path, weighted": lambda level, nav, form: nav.path(form(A), form(B), "astar", weight=form(1)),
    "paths, hpa": lambda level, nav, form: nav.paths(form([A, C]), form([B, A]), "hpa"),
    "hop to nearest": lambda level, nav, form: nav.next_hop_to_nearest(form(A), form([B, A])),
    "path_to_nearest": lambda level, nav, form: nav.path_to_nearest(form(A), form([B, C])),
    "unfold": lambda level, nav, form: nav.unfold([form(A), form((101, 4))]),
    "still_valid, many": lambda level, nav, form: nav.still_valid(
        form([A, (101, 4), C]), form([0, 2, 3])
    ),
    "cost_at": lambda level, nav, form: nav.cost_at(form([A, (60, 5)])),
    "neighbors": lambda level, nav, form: nav.neighbors(form(B)),
    "neighbors, many": lambda level, nav, form: nav.neighbors(form([A, B])),
    "search": lambda level, nav, form: nav.search(form(A), form(B)).path,
    "search.path": lambda level, nav, form: nav.search.path(form(A), form(B)),
    "search.nearest": lambda level, nav, form: nav.search.nearest(form(A), form([B, C])).path,
    "search.begin": lambda level, nav, form: _under_way(nav, form),
    "search.requests": lambda level, nav, form: _requested(nav, form),
    "search.walk": lambda level, nav, form: list(nav.search.walk(form(A), form(B)) or ()),
    "own heuristic": lambda level, nav, form: (
        nav.search(
            form(A), form((103, 5)), heuristic=lambda place: form(max(0, 103 - place[0]))
        ).path
    ),
    "distances_from": lambda level, nav, form: nav.search.distances_from(form(A)),
    "within": lambda level, nav, form: nav.search.within(form(A), form(100)),
    "nearest_reachable": lambda level, nav, form: nav.search.nearest_reachable(
        form(A), form((60, 5))
    ),
    "estimate": lambda level, nav, form: nav.search.estimate(form(A), form(B), "octile"),
    "overestimate": lambda level, nav, form: nav.search.overestimate(form(B), "octile"),
    "cluster": lambda level, nav, form: nav.search.cluster(form(A)),
    "cluster_distance": lambda level, nav, form: nav.search.cluster_distance(form(0), form(3)),
    "clusters.of": lambda level, nav, form: nav.search.clusters.of(form(A), form(2)),
    "clusters.members": lambda level, nav, form: nav.search.clusters.members(form(1), form(1)),
    "clusters.above": lambda level, nav, form: nav.search.clusters.above(form(1)),
    "clusters.below": lambda level, nav, form: nav.search.clusters.below(form(0), form(2)),
    "clusters.neighbors": lambda level, nav, form: nav.search.clusters.neighbors(form(1)),
    "clusters.representative": lambda level, nav, form: nav.search.clusters.representative(form(1)),
    "smooth": lambda level, nav, form: nav.plane.smooth([form(each) for each in nav.path(A, B)]),
    "furthest_visible": lambda level, nav, form: nav.plane.furthest_visible(
        nav.path((0, 0), (125, 0)), form(120)
    ),
    "any_angle_length": lambda level, nav, form: nav.plane.any_angle_length([form(A), form(B)]),
    "update, links": lambda level, nav, form: updated(
        level,
        links={
            "tube": {"from": form(A), "to": form(B), "cost": form(100), "via": form([C, (91, 12)])}
        },
    ),
    "repair": lambda level, nav, form: level.repair(form(100)),
    "crowd": lambda level, nav, form: _crowded(level, form),
    "belief": lambda level, nav, form: _believed(nav, form),
}

#: Questions of points, costs and times, which may be broken numbers.
POINTS: dict[str, Ask] = {
    **POINT_LOOKUPS,
    "nearest, last": lambda level, nav, form: nav.nearest(form((60, 5)), last=C),
    "nearest, many": lambda level, nav, form: nav.nearest(form([A, (60, 5)])),
    "follow": lambda level, nav, form: _followed(nav, form),
}

#: Questions of costs and times alone.
UNITS: dict[str, Ask] = {
    "weight": lambda level, nav, form: nav.path(A, B, "weighted", weight=form(2)),
    "within": lambda level, nav, form: nav.search.within(A, form(100)),
    "prices": lambda level, nav, form: updated(level, arcs={(A, (101, 4)): form(100)}),
    "link": lambda level, nav, form: updated(
        level, links={"tube": {"from": A, "to": B, "cost": form(100)}}
    ),
    "repair": lambda level, nav, form: level.repair(form(100)),
    "unknown": lambda level, nav, form: Belief(nav, form(2)).arcs.weight,
    "wait": lambda level, nav, form: Crowd(level, wait=form(3), crossing=form(2)).window,
    "priority": lambda level, nav, form: Crowd(level).add(A, priority=form(5)).priority,
    "requests": lambda level, nav, form: nav.search.requests(form(3)).budget_ms,
    "elapsed": lambda level, nav, form: nav.plane.follow([A, (101, 4)]).update(A, form(3)),
}


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LevelAsset, Navigator]]:
    folder = tmp_path_factory.mktemp("wide")
    tables = ("components", "next_hops", "hierarchy", "cluster_distances")
    with open_asset(
        bake_grid(folder, rows(*WIDE), tables=tables, cluster_size=8, levels=3)
    ) as level:
        yield level, level.profile()


@pytest.fixture(scope="module")
def expected(wide: tuple[LevelAsset, Navigator]) -> dict[str, Any]:
    """What each question is answered for Python's own numbers."""
    level, nav = wide
    every = {**GRID, **POINTS, **{f"units: {name}": ask for name, ask in UNITS.items()}}
    return {name: plain(ask(level, nav, lambda given: given)) for name, ask in every.items()}


@pytest.mark.parametrize("form", forms(WHOLE).values(), ids=forms(WHOLE).keys())
def test_whole_numbers_on_a_grid(
    wide: tuple[LevelAsset, Navigator], expected: dict[str, Any], form: Form
) -> None:
    for name, ask in {**GRID, **POINTS}.items():
        assert plain(ask(*wide, form)) == expected[name], name


@pytest.mark.parametrize("form", forms(BROKEN).values(), ids=forms(BROKEN).keys())
def test_broken_numbers_on_a_grid(
    wide: tuple[LevelAsset, Navigator], expected: dict[str, Any], form: Form
) -> None:
    for name, ask in POINTS.items():
        if name != "follow":  # which takes places, too
            assert plain(ask(*wide, form)) == expected[name], name
    for name, ask in UNITS.items():
        assert plain(ask(*wide, form)) == expected[f"units: {name}"], name


@pytest.mark.parametrize("dtype", NONE)
def test_what_is_no_number_on_a_grid(wide: tuple[LevelAsset, Navigator], dtype: str) -> None:
    token = wide[0].changes_since().token
    check_refused(*wide, {**GRID, **POINTS, **UNITS}, array(dtype))
    assert wide[0].changes_since().token == token


@pytest.mark.parametrize("dtype", BROKEN)
def test_cells_are_no_broken_numbers(wide: tuple[LevelAsset, Navigator], dtype: str) -> None:
    taking_units = {"within", "update, prices", "repair", "search.requests", "own heuristic"}
    asks = {name: ask for name, ask in GRID.items() if name not in taking_units}
    check_refused(*wide, asks, array(dtype))


#: Rooms in a plane on two floors, with mud and a wall between them.
SHAPES = [
    {"terrain": "floor", "rect": [0, 0, 300, 250]},
    {"terrain": "mud", "rect": [200, 0, 100, 250]},
    {"terrain": "wall", "rect": [90, 0, 20, 200]},
    {"terrain": "floor", "rect": [0, 0, 120, 120], "floor": 1},
]
STAIRS = {"name": "up", "start": [1, 1], "goal": [1, 1], "goal_floor": 1, "both_ways": True}
P, Q, R, CRATE = (40, 35), (120, 100), (119, 101), [(40, 70), (60, 70), (60, 90), (40, 90)]

PLANE: dict[str, Ask] = {
    "place_at": lambda level, nav, form: nav.plane.place_at(form((*P, 0))),
    "place_at, above": lambda level, nav, form: nav.plane.place_at(form((*P, 1))),
    "straight_path": lambda level, nav, form: nav.plane.straight_path(form(P), form(Q)),
    "straight_path, above": lambda level, nav, form: nav.plane.straight_path(
        form((*P, 1)), form((100, 90, 1)), "polyanya"
    ),
    "smooth": lambda level, nav, form: nav.plane.smooth([form(P), form((60, 40))]),
    "furthest_visible": lambda level, nav, form: nav.plane.furthest_visible(
        [form(P), form((60, 40)), form((70, 80))], 1
    ),
    "any_angle_length": lambda level, nav, form: nav.plane.any_angle_length(
        [form(P), form((60, 40))]
    ),
    "length": lambda level, nav, form: nav.length([form(P), form((60, 40))]),
    "nearest": lambda level, nav, form: nav.nearest(form(P)),
    "nearest, many": lambda level, nav, form: nav.nearest(form([P, Q])),
    "follow": lambda level, nav, form: _along(nav, form),
}
#: The same on navigation meshes with nodes in the centres alone.
MESH: dict[str, Ask] = {
    "obstacles": lambda level, nav, form: _fenced(level, {"crate": form(CRATE)}),
    "obstacles, by corner": lambda level, nav, form: _fenced(
        level, {"crate": [form(corner) for corner in CRATE]}
    ),
    "nodes": lambda level, nav, form: _fenced(level, {}, {"flag": {"at": form(P)}}),
}


def _along(nav: Navigator, form: Form) -> Any:
    path = nav.plane.straight_path(P, Q)
    follower = nav.plane.follow([form(P), *path[1:]])
    return [follower.update(form(R)), follower.reenter(form(P)), follower.path]


def _fenced(level: LevelAsset, obstacles: dict, nodes: dict | None = None) -> Any:
    level.update(obstacles=obstacles, nodes=nodes or {})
    nav = level.profile()
    found = [nav.places(), nav.distances_to(nav.nearest(P)), nav.plane.straight_path(P, (110, 220))]
    level.update(obstacles=dict.fromkeys(obstacles), nodes=dict.fromkeys(nodes or {}))
    return found


@contextmanager
def _plane(folder: Path, *, floors: bool, mesh: bool) -> Iterator[tuple[LevelAsset, Navigator]]:
    document = {"format": "bake-geometry", "version": 1, "shapes": SHAPES if floors else SHAPES[:3]}
    (folder / "hall.json").write_text(json.dumps(document | {"links": [STAIRS] if floors else []}))
    recipe = LevelRecipe(terrain={"mud": TerrainRule(3.0)}, mesh_nodes="centre")
    if not mesh:
        recipe = LevelRecipe(terrain={"mud": TerrainRule(1.0)}, division="visibility")
    with open_asset(bake(folder / "hall.json", recipe)) as level:
        yield level, level.profile()


def _asks(*, floors: bool, mesh: bool) -> dict[str, Ask]:
    """Return what may be asked of a plane, with points of three numbers where it has floors."""
    found = {**PLANE, **(MESH if mesh and not floors else {})}
    if not mesh:
        found = {name: ask for name, ask in found.items() if not name.startswith("place_at")}
        found["path"] = lambda level, nav, form: nav.path(form(P), form(Q))
        found["distance"] = lambda level, nav, form: nav.distance(form(P), form(Q))
    if not floors:
        found = {name: ask for name, ask in found.items() if "above" not in name}
    return found


@pytest.mark.parametrize("floors", [False, True], ids=["one floor", "floors"])
@pytest.mark.parametrize("mesh", [False, True], ids=["walls", "mesh"])
def test_points_of_a_plane(tmp_path: Path, floors: bool, mesh: bool) -> None:
    with _plane(tmp_path, floors=floors, mesh=mesh) as opened:
        asks = _asks(floors=floors, mesh=mesh)
        expected = {name: plain(ask(*opened, lambda given: given)) for name, ask in asks.items()}
        assert None not in expected.values()
        for kind, form in forms((*WHOLE, *BROKEN)).items():
            for name, ask in asks.items():
                assert plain(ask(*opened, form)) == expected[name], (name, kind)
        for dtype in NONE:
            check_refused(*opened, asks, array(dtype))


#: Nodes of a graph in a row, by numbers.
NODES = tuple(range(3, 120, 4))
NAMES: dict[str, Ask] = {
    "next_hop": lambda level, nav, form: nav.next_hop(form(3), form(119)),
    "path": lambda level, nav, form: nav.path(form(3), form(119)),
    "next_hops": lambda level, nav, form: nav.next_hops(form([3, 7]), form([119, 3])),
    "not strict": lambda level, nav, form: nav.distances(
        form([3, 4]), form([119, 3]), strict=False
    ),
    "can_stand": lambda level, nav, form: nav.can_stand(form([3, 4, 119])),
    "can_stand, one": lambda level, nav, form: nav.can_stand(form(3)),
    "cost_at": lambda level, nav, form: nav.cost_at(form([3, 4, 119])),
    "cost_at, one": lambda level, nav, form: nav.cost_at(form(119)),
    "neighbors": lambda level, nav, form: nav.neighbors(form([3, 119])),
    "neighbors, one": lambda level, nav, form: nav.neighbors(form(7)),
    "terrain_at": lambda level, nav, form: level.terrain_at(form([3, 4, 119])),
    "terrain_at, one": lambda level, nav, form: level.terrain_at(form(7)),
    "elevation_at": lambda level, nav, form: level.elevation_at(form([3, 119])),
    "to_point": lambda level, nav, form: level.to_point(form([3, 119])),
    "nearest": lambda level, nav, form: nav.nearest((100, 0), last=form(115)),
    "nearest_of": lambda level, nav, form: nav.nearest_of(form(3), form([119, 115])),
    "still_valid": lambda level, nav, form: nav.still_valid(form([3, 7, 11])),
    "length": lambda level, nav, form: nav.length(form([3, 7, 11])),
    "within": lambda level, nav, form: nav.search.within(form(3), form(127)),
    "update": lambda level, nav, form: _renamed(level, form),
    "crowd": lambda level, nav, form: _crowd_of_nodes(level, form),
    "belief": lambda level, nav, form: Belief(nav).around(form(59), form(3)),
    "sight": lambda level, nav, form: Belief(nav).in_sight(form(59), form(13)),
}


def _renamed(level: LevelAsset, form: Form) -> Any:
    level.update(nodes={form(5): {"at": form((100, 100))}}, arcs={(3, form(5)): form(100)})
    level.update(blocked=form([7]), arcs={(form(5), form(7)): form(2)})
    nav = level.profile()
    found = [nav.places(), nav.distances_to(form(5)), nav.nearest(form((99, 99)))]
    level.update(nodes={form(5): None}, opened=form([7]))
    return found


def _crowd_of_nodes(level: LevelAsset, form: Form) -> Any:
    crowd = Crowd(level, capacity={form(59): form(3)})
    crowd.add(form(3), form(119))
    crowd.step()
    return [agent.place for agent in crowd.agents]


@contextmanager
def _street(folder: Path, names: tuple) -> Iterator[tuple[LevelAsset, Navigator]]:
    edges = [(a, b, 12.0) for a, b in pairwise(names)]
    at = {name: (float(number), 0.0) for number, name in zip(NODES, names, strict=True)}
    source = write_graph(folder / "street.json", names, edges, directed=False, positions=at)
    with open_asset(bake(source)) as level:
        yield level, level.profile()


def test_names_of_nodes_that_are_numbers(tmp_path: Path) -> None:
    with _street(tmp_path, NODES) as opened:
        expected = {name: plain(ask(*opened, lambda given: given)) for name, ask in NAMES.items()}
        for kind, form in forms(WHOLE).items():
            for name, ask in NAMES.items():
                assert plain(ask(*opened, form)) == expected[name], (name, kind)


def test_names_of_nodes_that_are_texts(tmp_path: Path) -> None:
    """Arrays of names, as numpy makes them of texts, are as many places as they hold."""
    names = tuple(f"n{number}" for number in NODES)
    with _street(tmp_path, names) as (level, nav):
        for many in (np.array(names[:3]), np.array(names[:3], dtype=object), list(names[:3])):
            assert nav.can_stand(many).tolist() == [True] * 3
            assert nav.cost_at(many).tolist() == [1.0] * 3
            assert level.terrain_at(many) == [level.terrain_at("n3")] * 3
            assert nav.neighbors(many)[0].tolist() == [0, 1, 3, 5]
            assert nav.next_hops(many, many[::-1]).tolist() == ["n7", "n7", "n7"]
        assert nav.can_stand(np.str_("n3")) is True
        assert nav.can_stand(np.array("n3")) is True
        assert nav.can_stand(np.array(["n3", "no"])).tolist() == [True, False]


@pytest.mark.parametrize("form", forms(WHOLE).values(), ids=forms(WHOLE).keys())
def test_cells_with_a_floor_or_a_heading(turning: tuple[LevelAsset, Navigator], form: Form) -> None:
    """A cell alone is the cell in any heading, whatever it is made of."""
    level, nav = turning
    start, goal, alone = (100, 1, 2), (120, 3, 0), (110, 2)
    assert nav.next_hop(form(start), form(goal)) == nav.next_hop(start, goal)
    assert nav.path(form(start), form(goal)) == nav.path(start, goal)
    assert nav.path(form(alone), form(goal)) == nav.path(alone, goal)
    assert nav.distance(form(start), form(alone)) == nav.distance(start, alone)
    assert nav.nearest(form(start)) == start
    assert nav.nearest(form([start])).tolist() == [[*start]]
    assert level.to_point(form(start)) == level.to_point(start)
    assert level.to_cell(form((100, 1, 2))) == level.to_cell((100, 1, 2))
    assert level.inside(form([start, (100, 1, 4)])).tolist() == [True, False]
    level.update(blocked=[form(alone)])
    assert not any(nav.can_stand([(*alone, heading) for heading in range(4)]))
    level.update(opened=[form(alone)])


@pytest.mark.parametrize("form", forms(BROKEN).values(), ids=forms(BROKEN).keys())
def test_points_on_a_floor(turning: tuple[LevelAsset, Navigator], form: Form) -> None:
    """Arrays of points hold the floor as a broken number, too."""
    level, nav = turning
    assert nav.nearest(form((100.25, 1, 2))) == (100, 1, 2)
    assert nav.nearest(form([(100.25, 1, 2)])).tolist() == [[100, 1, 2]]
    assert level.to_cell(form((100.25, 1, 2))) == (100, 1, 2)
    for floor in (0.5, 4, -1):
        with pytest.raises(QueryError):
            nav.nearest(form((100.25, 1, floor)))


@pytest.fixture(scope="module")
def turning(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LevelAsset, Navigator]]:
    folder = tmp_path_factory.mktemp("turning")
    drawn = rows(*["." * 125] * 5)
    with open_asset(bake_grid(folder, drawn, headings=4, tables=("components",))) as level:
        yield level, level.profile()
