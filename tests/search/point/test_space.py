"""Point-to-point searches against the oracle's Dijkstra, on any graph and with any heuristic."""

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.graph import UNREACHABLE, Graph
from bake.search.point.estimates import (
    LANDMARKS,
    LANDMARKS_DIRECTED,
    ROWS,
    Estimate,
)
from bake.search.point.space import Found, SearchSpace
from tests.support.oracles import Arcs, arcs_of, distances_from
from tests.support.strategies import FAMILIES, ArcList, arc_lists, seeded

pytestmark = [
    pytest.mark.note(8, "Dijkstra's algorithm in plain Python, by any heuristic"),
    pytest.mark.note(21, "Dijkstra's algorithm, by heuristics that are not consistent"),
    pytest.mark.note(27, "the same costs by either"),
    pytest.mark.note(79, "heuristics that are not consistent"),
    pytest.mark.note(82, "the same costs by either"),
    pytest.mark.note(88, "Dijkstra's algorithm in plain Python"),
]

NULL = Estimate("null")


def space_of(arc_list: ArcList) -> tuple[SearchSpace, Arcs[int]]:
    n, arcs = arc_list
    ends = np.array(arcs, dtype=np.int64).reshape(-1, 3)
    graph, order = Graph.from_arcs(n, ends[:, 0], ends[:, 1])
    space = SearchSpace(graph, ends[order, 2].astype(np.int32))
    return space, arcs_of(range(n), arcs)


def check_path(found: Found, arcs: Arcs[int], start: int, goal: int) -> None:
    """The rows are a path from start to goal, and its cheapest arcs cost what is told."""
    assert found.rows is not None
    rows = found.rows.tolist()
    assert (rows[0], rows[-1]) == (start, goal)
    assert len(set(rows)) == len(rows)
    assert found.ticks == sum(
        min(weight for head, weight in arcs[a] if head == b) for a, b in pairwise(rows)
    )


def landmarks(arcs: Arcs[int], marks: list[int], *, directed: bool) -> Estimate:
    """Distances to (and from) some nodes; the symmetric kind where costs are."""
    n = len(arcs)
    back = arcs_of(range(n), [(head, tail, w) for tail in arcs for head, w in arcs[tail]])
    columns = [distances_from(back, mark) for mark in marks]
    if directed:
        columns += [distances_from(arcs, mark) for mark in marks]
    none = int(UNREACHABLE)
    table = np.array([[far.get(node, none) for far in columns] for node in range(n)], np.int32)
    return Estimate("landmark", LANDMARKS_DIRECTED if directed else LANDMARKS, table=table)


def admissible_rows(arcs: Arcs[int], goal: int, seed: int) -> Estimate:
    """A random part of the true distance: admissible, hardly ever consistent."""
    n = len(arcs)
    back = arcs_of(range(n), [(head, tail, w) for tail in arcs for head, w in arcs[tail]])
    far = distances_from(back, goal)
    rng = random.Random(seed)
    values = [[int(far.get(node, 10**6) * rng.random())] for node in range(n)]
    return Estimate("part", ROWS, table=np.array(values, np.int32), consistent=False)


def check_every_method(arc_list: ArcList, seed: int) -> None:
    space, arcs = space_of(arc_list)
    n = arc_list[0]
    rng = random.Random(seed)
    marks = rng.sample(range(n), min(n, 3))
    marked = landmarks(arcs, marks, directed=True)
    for start in rng.sample(range(n), min(n, 4)):
        exact = distances_from(arcs, start)
        for goal in range(n):
            part = admissible_rows(arcs, goal, seed)
            best = exact.get(goal)
            greedy = space.greedy(part, start, goal)
            weighted = [
                space.astar(estimate, start, goal, weight=weight, queue=queue)
                for estimate in (marked, part)
                for weight in (1.004, 1.7, 30)
                for queue in ("bucket", "heap")
            ]
            exactly = [
                space.astar(estimate, start, goal, queue=queue)
                for estimate in (NULL, marked, part)
                for queue in ("bucket", "heap")
            ]
            exactly += [space.bidirectional(one, start, goal) for one in (NULL, marked)]
            for one in [*exactly, *weighted, greedy]:
                if best is None:
                    assert one.rows is None
                else:
                    check_path(one, arcs, start, goal)
                    assert one.expanded >= 1
            if best is not None:
                assert [one.ticks for one in exactly] == [best] * len(exactly)
                bounds = [1.004, 1.004, 1.7, 1.7, 30, 30]
                assert all(
                    one.ticks <= bound * best
                    for one, bound in zip(weighted, 2 * bounds, strict=True)
                )
                assert max(one.expanded for one in weighted[:6]) <= n


@given(arc_lists(), st.integers(0, 2**16))
def test_any_graph(arc_list: ArcList, seed: int) -> None:
    check_every_method(arc_list, seed)


@pytest.mark.parametrize("family", FAMILIES)
def test_families(family: object) -> None:
    check_every_method(seeded(family, 3, 60), 5)


def test_queues_that_grow() -> None:
    """A star of more leaves than a queue begins with, and weights that outrun its buckets."""
    n = 10_001
    arcs = [(0, leaf, 1 + leaf * 7919 % n) for leaf in range(1, n - 1)]
    arcs += [(leaf, n - 1, 40_000_000) for leaf in range(1, n - 1)]
    space, _ = space_of((n, arcs))
    expected = 40_000_000 + min(weight for _, head, weight in arcs if head != n - 1)
    for queue in ("bucket", "heap"):
        for _ in range(2):
            found = space.astar(NULL, 0, n - 1, queue=queue)
            assert found.rows is not None
            assert (found.ticks, len(found.rows)) == (expected, 3)
    assert space.greedy(NULL, 0, n - 1).rows is not None
    assert space.bidirectional(NULL, 0, n - 1).ticks == expected


def test_scratch_outlives_its_stamps() -> None:
    space, arcs = space_of((3, [(0, 1, 5), (1, 2, 5), (0, 2, 11)]))
    assert space.astar(NULL, 0, 2).ticks == 10
    (scratch,) = space._scratch
    for last in range(2**31 - 5, 2**31 - 2):
        scratch.epoch = last
        assert space.astar(NULL, 0, 2).ticks == 10
        assert space.astar(NULL, 2, 0).rows is None
        assert space.bidirectional(NULL, 0, 2).ticks == 10
    assert distances_from(arcs, 0)[2] == 10


def test_symmetric_landmarks_are_the_directed_ones_where_costs_are_symmetric() -> None:
    space, arcs = space_of(seeded(FAMILIES[2], 1, 40))
    one_way = landmarks(arcs, [0, 1], directed=True)
    both = landmarks(arcs, [0, 1], directed=False)
    for goal in range(space.graph.node_count):
        assert space.estimates(both, goal).tolist() == space.estimates(one_way, goal).tolist()


def test_ties_go_to_the_larger_g() -> None:
    """On open ground with a perfect heuristic nothing beside the path is expanded."""
    size = 24
    cells = [(x, y) for y in range(size) for x in range(size)]
    row = {cell: number for number, cell in enumerate(cells)}
    arcs = [
        (row[x, y], row[x + dx, y + dy], 1)
        for x, y in cells
        for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))
        if (x + dx, y + dy) in row
    ]
    space, _ = space_of((size * size, arcs))
    table = [[abs(x - 20) + abs(y - 20)] for x, y in cells]
    perfect = Estimate("perfect", ROWS, table=np.array(table, np.int32))
    for queue in ("bucket", "heap"):
        found = space.astar(perfect, row[2, 3], row[20, 20], queue=queue)
        assert (found.ticks, found.expanded) == (35, 36)


@pytest.mark.parametrize("spread", [0, 2, 40])
@pytest.mark.parametrize("seed", range(4))
def test_a_perfect_heuristic_leads_along_the_path_alone(seed: int, spread: int) -> None:
    """On either queue, also where steps cost nearly the same and estimates share a bucket."""
    rng = random.Random(seed)
    size = 20
    cells = [(x, y) for y in range(size) for x in range(size)]
    steps = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
    arcs = [
        (
            y * size + x,
            (y + dy) * size + x + dx,
            (1414 if dx and dy else 1000) + rng.randint(0, spread),
        )
        for x, y in cells
        for dx, dy in steps
        if 0 <= x + dx < size and 0 <= y + dy < size
    ]
    space, out = space_of((size * size, arcs))
    back = arcs_of(range(size * size), [(head, tail, ticks) for tail, head, ticks in arcs])
    goal = size * size - 1
    far = distances_from(back, goal)
    table = np.array([[far[row]] for row in range(size * size)], np.int32)
    perfect = Estimate("perfect", ROWS, table=table)
    for start in rng.sample(range(size * size - 1), 8):
        for queue in ("bucket", "heap"):
            found = space.astar(perfect, start, goal, queue=queue)
            check_path(found, out, start, goal)
            assert found.ticks == far[start]
            assert found.rows is not None
            assert found.expanded == len(found.rows), queue
