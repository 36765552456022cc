"""RTA* and LRTA*: what Korf proved of them, tried out on random graphs."""

import random
from itertools import pairwise

import numpy as np
import pytest

from bake.extras.school.real_time import RealTime
from bake.search.incremental.twins import TwinArcs
from bake.search.point.estimates import ROWS, Estimate
from tests.support.oracles import arcs_of, distances_from
from tests.support.twin_lattices import SIDE, lattice, usable, walked, with_weights

pytestmark = [
    pytest.mark.note(126, "Korf's theorems, and all paths in plain Python"),
    pytest.mark.note(127, "the same steps without pruning, by more expansions"),
]


def connected_lattice(seed: int) -> tuple[TwinArcs, Estimate, int, int]:
    """A grid in which every step leads both ways at one price, and two of its cells."""
    rng = random.Random(seed)
    arcs, norm = lattice(rng, 0.35)
    dearer = np.maximum(arcs.weight, arcs.weight[arcs.twin])
    arcs.weight[:] = dearer
    start = rng.randrange(SIDE * SIDE)
    reached = sorted(distances(arcs, start))
    return arcs, norm, start, rng.choice(reached)


def distances(arcs: TwinArcs, goal: int) -> dict[int, int]:
    """Ticks from the goal, which are those toward it where steps lead both ways."""
    return distances_from(arcs_of(range(arcs.node_count), usable(arcs)), goal)


def trip(search: RealTime, start: int, goal: int, most: int = 20_000) -> list[int]:
    path = [start]
    while path[-1] != goal:
        following = search.next_node(path[-1])
        assert following >= 0
        path.append(following)
        assert len(path) < most
    return path


@pytest.mark.parametrize("learn", [True, False])
@pytest.mark.parametrize("lookahead", [1, 2, 5])
def test_it_arrives(learn: bool, lookahead: int) -> None:
    for seed in range(8):
        arcs, norm, start, goal = connected_lattice(seed)
        search = RealTime(arcs, norm, goal, lookahead, learn=learn)
        path = trip(search, start, goal)
        assert walked(arcs, np.array(path)) >= distances(arcs, goal)[start]


@pytest.mark.parametrize("lookahead", [1, 3])
def test_lrta_star_learns_and_never_too_much(lookahead: int) -> None:
    """What it learns is a lower bound, and the trips end up on a shortest path."""
    for seed in range(6):
        arcs, norm, start, goal = connected_lattice(seed)
        exact = distances(arcs, goal)
        search = RealTime(arcs, norm, goal, lookahead, learn=True)
        costs = []
        for _ in range(200):
            before = search.h.copy()
            costs.append(walked(arcs, np.array(trip(search, start, goal))))
            assert (search.h >= before).all()
            assert all(search.h[node] <= ticks for node, ticks in exact.items())
            if (search.h == before).all():
                break
        else:
            raise AssertionError("it learned for 200 trips")
        assert costs[-1] == exact[start]


def test_rta_star_is_optimal_on_a_tree_once_it_is_back() -> None:
    """It makes for the best way by what it knows: in a dead end it turns round at once."""
    #   0 - 1 - 2 (dead end), 1 - 3 - 4 (goal); h misleads into 2.
    edges = [(0, 1, 1), (1, 2, 1), (1, 3, 1), (3, 4, 1)]
    tail, head, weight = np.array(edges + [(b, a, c) for a, b, c in edges]).T
    arcs = with_weights(5, tail, head, weight)
    table = np.array([[0], [0], [0], [1], [0]], dtype=np.int32)
    estimate = Estimate("given", ROWS, table=table)
    search = RealTime(arcs, estimate, 4, learn=False)
    assert trip(search, 0, 4) == [0, 1, 2, 1, 3, 4]
    assert search.h[2] > 10**6  # Nothing else leads out of there, so never again.


@pytest.mark.parametrize("lookahead", [1, 2, 4])
def test_minimin_is_a_search_of_all_ways(lookahead: int) -> None:
    def least(node: int, steps: int) -> float:
        if node == goal:
            return 0
        if steps == 0:
            return int(search.h[node])
        ways = (ticks + least(head, steps - 1) for head, ticks in out[node])
        return max(int(search.h[node]), min(ways, default=10**12))

    for seed in range(4):
        arcs, norm, here, goal = connected_lattice(seed)
        if here == goal:
            continue
        out = arcs_of(range(arcs.node_count), usable(arcs))
        search = RealTime(arcs, norm, goal, lookahead, learn=True, prune=False)
        values = {head: value for value, head in search._minimin(here)}
        assert values == {head: ticks + least(head, lookahead - 1) for head, ticks in out[here]}
        assert search.next_node(here) == min((value, head) for head, value in values.items())[1]


@pytest.mark.parametrize("learn", [True, False])
def test_alpha_pruning_changes_no_step(learn: bool) -> None:
    """The same steps, and the same is learned, by fewer expansions; also by what was learned."""
    for seed in range(10):
        arcs, norm, start, goal = connected_lattice(seed)
        for lookahead in (1, 2, 3, 4, 7, 12):
            pruned, whole = (
                RealTime(arcs, norm, goal, lookahead, learn=learn, prune=prune)
                for prune in (True, False)
            )
            for _ in range(3):
                node = start
                for _ in range(300):
                    following = pruned.next_node(node)
                    assert following == whole.next_node(node)
                    assert (pruned.h == whole.h).all()
                    assert pruned.expanded <= whole.expanded
                    if following == goal:
                        break
                    node = following
            if lookahead > 2 and start != goal:
                assert pruned.expanded < whole.expanded


def test_alpha_pruning_by_hand() -> None:
    """From 0 by 1 the goal is 4 away; 2 promises 6 at least, so nothing behind it is looked at."""
    edges = [(0, 1, 1), (1, 3, 3), (0, 2, 1), (2, 4, 1), (4, 5, 1), (5, 3, 1)]
    tail, head, weight = np.array(edges).T
    arcs = with_weights(6, tail, head, weight)
    table = np.array([[0], [0], [5], [0], [0], [0]], dtype=np.int32)
    counts = []
    for prune in (True, False):
        search = RealTime(arcs, Estimate("given", ROWS, table=table), 3, 4, learn=True, prune=prune)
        assert search.next_node(0) == 1
        assert search.h[0] == 4
        counts.append(search.expanded)
    assert counts == [2, 5]  # 0 and 1; 0, 1, 2, 4 and 5


def test_nowhere_to_go() -> None:
    arcs, norm, start, goal = connected_lattice(5)
    assert start != goal
    arcs.weight[arcs.out_of(np.array([start]))] = 2**31 - 1
    search = RealTime(arcs, norm, goal, learn=True)
    assert search.next_node(start) == -1
    assert search.next_node(goal) == goal


def test_a_new_goal_forgets() -> None:
    arcs, norm, start, goal = connected_lattice(7)
    search = RealTime(arcs, norm, goal, learn=True)
    fresh = search.h.copy()
    path = trip(search, start, goal)
    assert len(list(pairwise(path))) > 0
    search.forget()
    assert (search.h == fresh).all()
    search.aim(start)
    assert search.h[start] == 0
    assert trip(search, goal, start)[-1] == start
