"""Contraction: orders, elimination trees, weights of shortcuts and distance labels."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.arrays import Int32Array
from bake.core.graph import INFINITY, Graph
from bake.search.contraction.labels import distance_labels, label_distances, meeting_depth
from bake.search.contraction.metric import arc_between, customize, price_arcs
from bake.search.contraction.order import dissection_order
from bake.search.contraction.tree import both_ways, elimination_tree
from tests.support.contraction import contracted, graph_of, tree_of
from tests.support.oracles import arcs_of, distances_from
from tests.support.strategies import FAMILIES, ArcList, arc_lists, seeded

PATH = (5, [(a, a + 1, 1) for a in range(4)] + [(a + 1, a, 1) for a in range(4)])


def joined_by_contraction(n: int, arcs: list[tuple[int, int, int]], order: list[int]) -> set:
    """Pairs of ranks that are joined once every node has been contracted, one by one."""
    rank = {node: place for place, node in enumerate(order)}
    near: dict[int, set[int]] = {place: set() for place in range(n)}
    for a, b, _ in arcs:
        near[rank[a]].add(rank[b])
        near[rank[b]].add(rank[a])
    for low in range(n):
        higher = [other for other in near[low] if other > low]
        for one in higher:
            near[one] |= set(higher) - {one}
    return {(low, high) for low in range(n) for high in near[low] if high > low}


# -- order ----------------------------------------------------------------------------------------


def grid_graph(width: int, height: int) -> tuple[Graph, Int32Array]:
    y, x = np.divmod(np.arange(width * height, dtype=np.int32), np.int32(width))
    arcs = []
    for node in range(width * height):
        for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
            to_x, to_y = int(x[node]) + dx, int(y[node]) + dy
            if 0 <= to_x < width and to_y < height:
                arcs += [(node, to_y * width + to_x, 1), (to_y * width + to_x, node, 1)]
    return graph_of((width * height, arcs))[0], np.stack([x, y], axis=1).astype(np.int32)


def test_a_long_room_is_cut_across_first() -> None:
    graph, at = grid_graph(21, 5)
    top = dissection_order(graph, at)[-5:]
    assert len({int(at[node, 0]) for node in top}) == 1
    assert 4 <= at[top[0], 0] <= 16


def test_links_across_a_cut_do_not_make_it_useless() -> None:
    """Two floors, one below the other, with stairs: no line alone parts them."""
    ground, at = grid_graph(16, 32)
    arcs = [(int(a), int(b), 1) for a, b in zip(ground.tail(), ground.head, strict=True)]
    for x, y in ((1, 3), (8, 8), (14, 13)):
        low, high = y * 16 + x, (y + 16) * 16 + 15 - x
        arcs += [(low, high, 1), (high, low, 1)]
    graph = both_ways(graph_of((512, arcs))[0])
    order = dissection_order(graph, at)
    assert sorted(order.tolist()) == list(range(512))
    tree = elimination_tree(graph, order, most_arcs=10**6)
    assert tree is not None
    assert tree.depth.max() < 128  # Peeled line by line it would be 511.
    beside = elimination_tree(graph, dissection_order(graph, None), most_arcs=10**6)
    assert beside is not None
    assert tree.arc_count <= 1.1 * beside.arc_count


@given(arc_lists(largest=40), st.integers(1, 12))
def test_any_coordinates_will_do(arcs: ArcList, width: int) -> None:
    """Every arc may be a leap; an order names every node once all the same."""
    y, x = np.divmod(np.arange(arcs[0], dtype=np.int32), np.int32(width))
    at = np.stack([x, y], axis=1).astype(np.int32)
    order = dissection_order(both_ways(graph_of(arcs)[0]), at)
    assert sorted(order.tolist()) == list(range(arcs[0]))


def test_the_narrowest_place_is_cut_without_coordinates() -> None:
    # Two rings of ten joined by one node.
    rings = [(a, (a + 1) % 10, 1) for a in range(10)]
    rings += [(10 + a, 10 + (a + 1) % 10, 1) for a in range(10)]
    graph = both_ways(graph_of((21, [*rings, (0, 20, 1), (20, 10, 1)]))[0])
    assert dissection_order(graph, None)[-1] in (20, 0, 10)


@given(arc_lists(largest=40))
def test_an_order_names_every_node_once(arcs: ArcList) -> None:
    order = dissection_order(both_ways(graph_of(arcs)[0]), None)
    assert sorted(order.tolist()) == list(range(arcs[0]))


def test_a_clique_and_a_star_end() -> None:
    clique = [(a, b, 1) for a in range(60) for b in range(60) if a != b]
    star = [arc for a in range(1, 400) for arc in ((0, a, 1), (a, 0, 1))]
    assert sorted(tree_of((60, clique)).order.tolist()) == list(range(60))
    assert tree_of((400, star)).order[-1] == 0


def test_an_order_is_the_same_every_time() -> None:
    graph, at = grid_graph(30, 20)
    assert (dissection_order(graph, at) == dissection_order(graph, at)).all()


# -- the tree -------------------------------------------------------------------------------------


def test_a_path_contracted_from_its_end_is_a_path() -> None:
    tree = tree_of(PATH, [0, 1, 2, 3, 4])
    assert tree.parent.tolist() == [1, 2, 3, 4, -1]
    assert tree.up.tolist() == [1, 2, 3, 4]


def test_contracting_the_middle_first_joins_its_neighbours() -> None:
    tree = tree_of(PATH, [2, 1, 3, 0, 4])
    # Rank 0 is node 2, between nodes 1 and 3, ranks 1 and 2.
    assert tree.up[tree.first_up[0] : tree.first_up[1]].tolist() == [1, 2]
    assert tree.up[tree.first_up[1] : tree.first_up[2]].tolist() == [2, 3]
    assert tree.parent.tolist() == [1, 2, 3, 4, -1]


@given(arc_lists(largest=14), st.randoms(use_true_random=False))
def test_the_tree_holds_what_contraction_joins(arcs: ArcList, rng: random.Random) -> None:
    n, each = arcs
    order = rng.sample(range(n), n)
    tree = tree_of(arcs, order)
    found = {
        (low, int(high))
        for low in range(n)
        for high in tree.up[tree.first_up[low] : tree.first_up[low + 1]]
    }
    assert found == joined_by_contraction(n, each, order)
    for low in range(n):
        own = tree.up[tree.first_up[low] : tree.first_up[low + 1]].tolist()
        assert own == sorted(own)
        assert tree.parent[low] == (own[0] if own else -1)


def test_too_many_arcs_are_refused() -> None:
    graph = both_ways(graph_of((30, [(a, b, 1) for a in range(30) for b in range(a)]))[0])
    order = np.arange(30, dtype=np.int32)
    assert elimination_tree(graph, order, most_arcs=30 * 29 // 2) is not None
    assert elimination_tree(graph, order, most_arcs=30 * 29 // 2 - 1) is None


# -- weights --------------------------------------------------------------------------------------


def test_a_shortcut_costs_what_it_replaces() -> None:
    tree = tree_of(PATH, [2, 1, 3, 0, 4])
    prices = price_arcs(tree, *graph_of(PATH), two_way=True)
    assert prices.up[arc_between(tree, 1, 2)] == INFINITY
    weights = customize(tree, prices)
    assert weights.up[arc_between(tree, 1, 2)] == 2
    assert arc_between(tree, 0, 4) == -1


def test_one_way_arcs_lead_one_way() -> None:
    arcs: ArcList = (3, [(0, 1, 5), (1, 2, 7)])
    tree = tree_of(arcs, [1, 0, 2])
    weights = customize(tree, price_arcs(tree, *graph_of(arcs), two_way=False))
    shortcut = arc_between(tree, 1, 2)
    assert (weights.up[shortcut], weights.down[shortcut]) == (12, INFINITY)


# -- labels ---------------------------------------------------------------------------------------


def check_every_pair(arcs: ArcList, *, two_way: bool) -> None:
    n, each = arcs
    tree, weights = contracted(arcs, two_way=two_way)
    labels = distance_labels(tree, weights)
    assert (labels.toward is labels.away) == two_way
    starts, goals = np.divmod(np.arange(n * n, dtype=np.int32), np.int32(n))
    ticks = np.empty(n * n, dtype=np.int64)
    label_distances(labels, tree.rank[starts], tree.rank[goals], ticks)
    known = arcs_of(range(n), each)
    for start in range(n):
        away = distances_from(known, start)
        told = ticks[start * n : (start + 1) * n].tolist()
        assert told == [away.get(goal, INFINITY) for goal in range(n)]


@given(arc_lists(largest=16, heaviest=2**24))
def test_labels_tell_every_distance(arcs: ArcList) -> None:
    check_every_pair(arcs, two_way=False)


@given(arc_lists(largest=16))
def test_labels_of_two_way_graphs(arcs: ArcList) -> None:
    n, each = arcs
    check_every_pair((n, [arc for a, b, w in each for arc in ((a, b, w), (b, a, w))]), two_way=True)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("seed", range(3))
def test_labels_of_families(family, seed: int) -> None:
    check_every_pair(seeded(family, seed, 60), two_way=False)


@given(arc_lists(largest=14))
def test_ways_to_the_root_meet_at_the_lowest_common_ancestor(arcs: ArcList) -> None:
    tree, weights = contracted(arcs)
    labels = distance_labels(tree, weights)

    def way(rank: int) -> list[int]:
        return [rank, *(way(int(tree.parent[rank])) if tree.parent[rank] >= 0 else [])][:]

    for one in range(arcs[0]):
        for other in range(arcs[0]):
            common = set(way(one)) & set(way(other))
            expected = max((len(way(rank)) - 1 for rank in common), default=-1)
            assert meeting_depth(labels, one, other) == expected
