"""Searches of state spaces: against networkx, against paths of so many states, and step by step."""

import math
from collections.abc import Hashable
from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bake.extras.school
import bake.search
from bake.extras.school import Status, search
from levelbake.errors import QueryError
from tests.support.problems import EDGES, TO_B, Network, Sliding, cost_of, finished, networks, truth

pytestmark = [
    pytest.mark.note(30, "networkx: the fewest steps"),
    pytest.mark.note(31, "networkx, limit by limit"),
    pytest.mark.note(34, "networkx"),
    pytest.mark.note(80, "the road map: 450, where 418 is best"),
]

EXACT = ("astar", "dijkstra", "ida")


def roads() -> Network:
    arcs: dict[Hashable, list[tuple[Hashable, float]]] = {town: [] for town in TO_B}
    for a, b, cost in EDGES:
        arcs[a].append((b, cost))
        arcs[b].append((a, cost))
    return Network(arcs, "A", "B", TO_B)


@given(networks())
def test_shortest_paths(space: Network) -> None:
    best = truth(space)
    for method in EXACT:
        found = finished(search(space, method))
        assert found.cost == best, method
        if best == math.inf:
            assert (found.status, found.path) == (Status.NO_PATH, None)
        else:
            assert found.status is Status.FOUND
            assert found.path is not None
            assert cost_of(space, found.path) == best
            assert len(set(found.path)) == len(found.path)


@given(networks())
def test_fewest_steps(space: Network) -> None:
    """Breadth-first search, and depth-first search by a rising limit, against networkx."""
    graph = nx.DiGraph((tail, head) for tail, out in space.arcs.items() for head, _ in out)
    graph.add_nodes_from((space.start, space.goal))
    for method in ("bfs", "iddfs"):
        found = finished(search(space, method))
        if found.path is None:
            assert found.status is Status.NO_PATH
            assert not nx.has_path(graph, space.start, space.goal)
            continue
        assert len(found.path) - 1 == nx.shortest_path_length(graph, space.start, space.goal)
        assert cost_of(space, found.path) == found.cost
        if method == "iddfs":
            assert found.most_held == len(found.path)


@given(networks())
def test_depth_first(space: Network) -> None:
    """It expands each state once, and finds a path wherever there is one."""
    under_way = search(space, "dfs")
    expanded = list[Hashable]()
    while (step := under_way.step()) is not None:
        expanded.append(step.state)
        assert set(expanded) == under_way.closed.keys()
        assert not under_way.open.keys() & under_way.closed.keys()
    assert len(set(expanded)) == len(expanded)
    assert (under_way.path is None) == (truth(space) == math.inf)
    if under_way.path is not None:
        assert len(set(under_way.path)) == len(under_way.path)
        assert cost_of(space, under_way.path) == under_way.cost


def test_orders_of_expansion() -> None:
    """By layers, and by branches; by a rising limit branches begin anew with each layer."""
    tree = {1: [(2, 1), (3, 1)], 2: [(4, 1), (5, 1)], 3: [(6, 1), (7, 1)]}
    orders = {}
    for method in ("bfs", "dfs", "iddfs"):
        under_way = search(Network(tree, 1, 7), method)  # type: ignore[arg-type]
        steps = list(iter(under_way.step, None))
        orders[method] = [step.state for step in steps]
        assert (under_way.path, under_way.cost) == ([1, 3, 7], 2)
    assert orders == {
        "bfs": [1, 2, 3, 4, 5, 6, 7],
        "dfs": [1, 2, 4, 5, 3, 6, 7],
        "iddfs": [1, 1, 2, 3, 1, 2, 4, 5, 3, 6, 7],
    }


@given(networks(), st.sampled_from(("weighted", "astar")), st.sampled_from((1.0, 1.5, 3.0)))
def test_weighted(space: Network, method: str, weight: float) -> None:
    found = finished(search(space, method, weight=weight))
    best = truth(space)
    if method == "astar":
        assert found.path == finished(search(space, "weighted", weight=weight)).path
    assert (found.cost == math.inf) == (best == math.inf)
    assert found.cost <= weight * best


@given(networks(), st.integers(1, 4))
def test_greedy_and_beams_find_paths(space: Network, width: int) -> None:
    best = truth(space)
    greedy = finished(search(space, "greedy"))
    beam = finished(search(space, "beam", width=width))
    assert (greedy.cost == math.inf) == (best == math.inf)
    for found in (greedy, beam):
        if found.path is not None:
            assert cost_of(space, found.path) == found.cost >= best
    if beam.status is Status.NO_PATH:
        assert best == math.inf
    if best == math.inf:
        assert beam.path is None


def test_a_wide_beam_is_a_star() -> None:
    beam, astar = search(roads(), "beam", width=1000), search(roads())
    while (step := astar.step()) is not None:
        assert beam.step() == step
    assert beam.status is astar.status is Status.FOUND
    assert beam.path == ["A", "S", "R", "P", "B"]


def test_a_narrow_beam_drops_the_worst() -> None:
    beam = search(roads(), "beam", width=1)
    beam.step()
    assert beam.open == {"S": 393}  # T at 447 and Z at 449 had no room.
    assert beam.run() is Status.FOUND
    assert (beam.path, beam.cost) == (["A", "S", "R", "P", "B"], 418)


def test_every_8_puzzle_of_few_moves() -> None:
    """All boards within ten moves of the goal: the moves counted by widening rings."""
    goal = (1, 2, 3, 8, 0, 4, 7, 6, 5)
    board = Sliding(goal, goal, 3)
    away, ring = {goal: 0}, [goal]
    for moves in range(1, 11):
        ring = [s for r in ring for s, _ in board.successors(r) if s not in away]
        away |= dict.fromkeys(ring, moves)
    for start in sorted(away)[::9]:
        space = Sliding(start, goal, 3)
        for method, options in (("astar", {}), ("ida", {}), ("sma", {"memory": 40})):
            found = search(space, method, h=space.manhattan, **options)
            assert found.run(steps=20_000) is Status.FOUND
            assert found.cost == away[start]
            assert len(found.path or ()) == away[start] + 1


def test_a_puzzle_without_a_solution() -> None:
    """Of the boards of two by two, those an odd permutation away can't be solved."""
    goal = (1, 2, 3, 0)
    solved = {
        start: search(Sliding(start, goal, 2), "astar").run() is Status.FOUND
        for start in permutations(range(4))
    }
    assert sum(solved.values()) == 12
    assert not solved[(2, 1, 3, 0)]


def test_budgets_and_cancelling() -> None:
    under_way = search(roads())
    assert under_way.run(steps=0) is Status.RUNNING
    assert under_way.expanded == 0
    assert under_way.run(steps=2) is Status.RUNNING
    assert under_way.closed == {"A": 0, "S": 140}
    assert under_way.run(budget_ms=0) is Status.RUNNING  # One step, however small the budget.
    assert list(under_way.closed) == ["A", "S", "R"]
    under_way.cancel()
    assert under_way.status is Status.CANCELLED
    assert under_way.step() is None
    assert under_way.run() is Status.CANCELLED
    assert (under_way.path, under_way.cost) == (None, math.inf)
    done = search(roads())
    assert done.run(budget_ms=10_000) is Status.FOUND
    done.cancel()
    assert done.status is Status.FOUND


def test_deepening_counts_its_limits() -> None:
    found = search(roads(), "ida")
    found.run()
    assert (found.cost, found.limit, found.limits) == (418, 418, 6)  # 366, 393, 413, 415, 417, 418
    assert found.most_held == 5


@pytest.mark.parametrize("method", ["astar", "dijkstra", "greedy"])
def test_early_goal_test(method: str) -> None:
    """B is first seen from F, at 450; the cheapest path, by P, costs 418."""
    early, late = (search(roads(), method, early_goal_test=early) for early in (True, False))
    assert early.run() is late.run() is Status.FOUND
    if method != "greedy":
        assert (early.path, early.cost) == (["A", "S", "F", "B"], 450)
        assert (late.path, late.cost) == (["A", "S", "R", "P", "B"], 418)
    assert early.expanded <= late.expanded
    start = search(Network({}, 0, 0), method, early_goal_test=True)
    assert (start.run(), start.path) == (Status.FOUND, [0])


@given(networks())
def test_an_early_goal_test_may_cost_more(space: Network) -> None:
    """It finds a path wherever there is one, costs no less than the best, and expands no more."""
    early, late = (finished(search(space, early_goal_test=each)) for each in (True, False))
    assert early.cost >= late.cost
    assert (early.path is None) == (late.path is None)
    assert early.expanded <= late.expanded
    if early.path is not None:  # Of parallel arcs it takes the first that leads to the goal.
        assert cost_of(space, early.path) <= early.cost


@pytest.mark.parametrize(
    ("method", "options"),
    [("astar", {}), ("bfs", {}), ("dfs", {}), ("iddfs", {}), ("ida", {}), ("sma", {"memory": 9})],
)
def test_numbers_of_numpy(method: str, options: dict[str, int]) -> None:
    """Sums of narrow numbers would wrap around."""
    arcs: dict[Hashable, list[tuple[Hashable, float]]] = {
        node: [(node + 1, np.uint8(200))] for node in range(4)
    }
    space = Network(arcs, 0, 4, {node: np.uint8(60 * (4 - node)) for node in range(4)})
    found = search(space, method, **options)  # type: ignore[arg-type]
    assert found.run() is Status.FOUND
    assert found.cost == 800
    wide = search(space, "beam", width=np.int8(100))  # type: ignore[arg-type]
    assert (wide.run(), wide.cost) == (Status.FOUND, 800)


def test_names_are_listed() -> None:
    for package in (bake.extras.school, bake.search):
        names = dir(package)
        assert {"search", "Status"} & set(names)
        assert all(hasattr(package, name) for name in names)
        assert not any(name.startswith("_") for name in names)
    assert {"search", "traced_search", "LookupTable"} <= set(dir(bake.extras.school))


def test_start_is_the_goal() -> None:
    for method, options in (("astar", {}), ("ida", {}), ("bfs", {}), ("dfs", {}), ("iddfs", {})):
        found = search(Network({}, 0, 0), method, **options)
        assert found.run() is Status.FOUND
        assert (found.path, found.cost, found.expanded) == ([0], 0, 0)


@pytest.mark.parametrize("cost", [-1, math.nan, math.inf, "2", True])
def test_costs_that_cannot_be_added(cost: object) -> None:
    space = Network({0: [(1, cost)]}, 0, 1)  # type: ignore[list-item]
    for method, options in (("astar", {}), ("ida", {}), ("sma", {"memory": 5})):
        under_way = search(space, method, **options)
        with pytest.raises(QueryError, match="step from 0 to 1"):
            under_way.run()
        assert under_way.status is Status.GAVE_UP
        assert under_way.run() is Status.GAVE_UP


@pytest.mark.parametrize("h", [-1, math.nan, "2", None, False])
def test_estimates_that_are_none(h: object) -> None:
    under_way = search(roads(), h=lambda state: h)  # type: ignore[arg-type, return-value]
    with pytest.raises(QueryError, match="the heuristic of 'A' is"):
        under_way.run()


@pytest.mark.parametrize(
    ("method", "options", "error"),
    [
        ("a*", {}, r"no method 'a\*'"),
        ("beam", {}, "needs a width"),
        ("sma", {"memory": 1}, "memory is 1"),
        ("sma", {"memory": 2.5}, "memory is 2.5"),
        ("weighted", {"weight": -0.5}, "weight is -0.5"),
        ("weighted", {"weight": math.nan}, "weight is nan"),
        ("weighted", {"weight": math.inf}, "weight is inf"),
        ("astar", {"width": 3}, "'astar' takes no width"),
        ("greedy", {"weight": 2}, "'greedy' takes no weight"),
        ("astar", {"weight": -1}, "weight is -1"),
        ("bfs", {"h": lambda state: 0}, "'bfs' takes no heuristic"),
        ("dfs", {"early_goal_test": True}, "'dfs' takes no early_goal_test"),
        ("beam", {"width": 3, "open_list": []}, "'beam' takes no open_list"),
        ("astar", {"early_goal_test": 1}, "early_goal_test is 1"),
        ("astar", {"open_list": []}, "open_list is .*; expected an OpenList"),
        ("dijkstra", {"h": lambda state: 0}, "'dijkstra' takes no heuristic"),
    ],
)
def test_options_that_do_not_fit(method: str, options: dict[str, object], error: str) -> None:
    with pytest.raises(QueryError, match=error):
        search(roads(), method, **options)  # type: ignore[arg-type]
