"""Layers numbered through, by hand; climbing between them, and taking plans apart again."""

import numpy as np
import pytest

from bake.search.hierarchy import stack as layers
from bake.search.hierarchy.bundles import ASTRAY, NO_GRAPH, LayerStack, QueryMemory
from bake.search.hierarchy.layer import Layer
from bake.search.hierarchy.stack import layer_stack, turn_round
from tests.support.clustered import divided, graph_in_rows, int32, memory
from tests.support.inner import as_kernels_call
from tests.support.strategies import Arc

climb, descend = as_kernels_call(layers.climb), as_kernels_call(layers.descend)

#: A corridor of eight rows: four clusters of two, joined two by two on the second layer.
THERE = [(row, row + 1, 10) for row in range(7)]
BACK = [(row + 1, row, 10) for row in range(7)]


def corridor(back: list[Arc] = BACK, ticks_back: int = 10) -> LayerStack:
    """Every row is a transition but the ends; 3 and 4 are those of the second layer.

    Transitions of the first layer are rows 1 to 6, numbered from 0. Arcs of it lead to both
    neighbours.
    """
    graph, _ = divided([0, 0, 1, 1, 2, 2, 3, 3], THERE + back)
    label = np.arange(8, dtype=np.int32) // 2
    first_out, arcs = graph_in_rows(
        6,
        [
            (node, other, 10 if other > node else ticks_back)
            for node in range(6)
            for other in (node - 1, node + 1)
            if 0 <= other < 6
        ],
    )
    node = np.arange(1, 7, dtype=np.int32)
    flow = np.zeros(99, dtype=np.uint8)
    first = Layer.stored(
        label, np.array([1, 2, 2, 1]), np.full(4, 2), node, node, np.diff(first_out), arcs, 4, flow
    )
    above = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)
    tops = np.array([2, 3], dtype=np.int32)
    top_arcs = int32([(1, 10), (0, ticks_back)], 2)
    one = np.array([1, 1])
    second = Layer.stored(above, one, 3 * one, tops, node[tops], one, top_arcs, 0, flow)
    two_way = ticks_back == 10
    landmark = np.arange(6, dtype=np.int32).reshape(6, 1)
    return layer_stack([first, second], landmark, graph, graph, two_way=two_way)


def test_layers_are_numbered_through() -> None:
    stack = corridor()
    assert stack.below.tolist() == [1, 2, 3, 4, 5, 6, 2, 3]
    assert (stack.bits, stack.layers) == (4, 2)
    # First transition, rows or transitions below, first byte of flow fields and bytes of each.
    assert stack.cluster.tolist() == [
        [0, 2, 0, 1], [1, 2, 1, 1], [3, 2, 3, 1], [5, 2, 5, 1], [6, 3, 6, 0], [7, 3, 6, 0],
        [8, 0, 6, 0],
    ]  # fmt: skip
    assert stack.end_transition.tolist() == [1, 3, 5, 6, 7, 8]
    assert stack.parent.tolist() == [4, 4, 5, 5, -1, -1]
    assert stack.first_out.tolist() == [0, 1, 3, 5, 7, 9, 10, 11]
    assert stack.end_out.tolist() == [1, 3, 5, 7, 9, 10, 11, 12]
    assert stack.arc[-2:].tolist() == [[7, 10], [6, 10]]
    assert stack.landmark.reshape(-1).tolist() == [0, 1, 2, 3, 4, 5, 2, 3]
    # Cluster of the next layer, rank in there, and arcs.
    assert stack.joined.node.tolist() == [
        [4, 0, 0, 1], [4, 1, 1, 3], [4, 2, 3, 5], [5, 0, 5, 7], [5, 1, 7, 9], [5, 2, 9, 10],
        [-1, 0, 10, 11], [-1, 0, 11, 12],
    ]  # fmt: skip
    assert stack.joined_back is stack.joined


def test_one_layer_is_not_copied() -> None:
    two = corridor()
    label = np.zeros(2, dtype=np.int32)
    arcs, none = int32([(1, 3), (0, 3)], 2), np.zeros(1, dtype=np.uint8)
    one, node = np.array([1, 1]), np.arange(2, dtype=np.int32)
    layer = Layer.stored(label, one + 1, one + 1, node, node, one, arcs, 4, none)
    landmark = np.zeros((2, 1), dtype=np.int32)
    stack = layer_stack([layer], landmark, two.graph, two.back, two_way=True)
    assert np.shares_memory(stack.arc, arcs)
    assert np.shares_memory(stack.landmark, landmark)
    assert stack.joined is NO_GRAPH


def test_arcs_are_turned_round_where_they_do_not_lead_back() -> None:
    stack = corridor(ticks_back=30)
    back = stack.joined_back
    first, end = back.node[0, 2:]
    assert back.arc[first:end].tolist() == [[1, 30]]
    assert back.node[:, :2].tolist() == stack.joined.node[:, :2].tolist()


def climbed(stack: LayerStack, ends: list[tuple[int, int]], side: int, used: QueryMemory) -> int:
    used.ends[side, : len(ends)] = int32(ends, 2)
    graph = stack.joined_back if side else stack.joined
    return climb(used.ends[side], len(ends), 1, graph, stack, used)


@pytest.mark.parametrize("ticks_back", [10, 30])
def test_climbing_and_taking_a_plan_apart(ticks_back: int) -> None:
    stack, used = corridor(ticks_back=ticks_back), memory(8, 8)
    assert climbed(stack, [(0, 7), (1, 18)], 0, used) == 1
    assert climbed(stack, [(5, 1)], 1, used) == 1
    assert used.ends[:, 0].tolist() == [[6, 27], [7, 21]]
    used.plan[0, :2] = [6, 7]
    assert descend(2, 1, stack, used) == 6
    assert used.plan[0, :6].tolist() == [0, 1, 2, 3, 4, 5]
    assert climbed(stack, [], 0, used) == 0


def test_a_way_inside_a_cluster_is_searched_for() -> None:
    """Rows 1 and 6 as transitions of a second layer of one cluster, with an arc between them."""
    stack, used = corridor(), memory(8, 8)
    node = stack.joined.node.copy()
    node[:6, 0], node[:6, 1] = 4, range(6)
    joined = stack.joined._replace(node=node)
    below = np.array([1, 2, 3, 4, 5, 6, 0, 5], dtype=np.int32)
    stack = stack._replace(below=below, joined=joined, joined_back=joined)
    used.state[:, :] = -1
    used.plan[0, :2] = [6, 7]
    assert descend(2, 1, stack, used) == 6
    assert used.plan[0, :6].tolist() == [0, 1, 2, 3, 4, 5]


def test_damage_is_told() -> None:
    stack, used = corridor(), memory(8, 8)
    climbed(stack, [(0, 7)], 0, used)
    climbed(stack, [(5, 1)], 1, used)
    for room in (1, 3, 5):
        short = used._replace(plan=used.plan[:, :room].copy())
        short.plan[0, :2] = [6, 7][:room]
        assert descend(min(2, room), 1, stack, short) in (ASTRAY, 3)
    assert climb(used.ends[0], ASTRAY, 1, stack.joined, stack, used) == ASTRAY
    # Nodes that belong to no cluster of the next layer.
    nowhere = stack.joined._replace(node=np.full_like(stack.joined.node, -1))
    assert climb(used.ends[0], 1, 1, nowhere, stack, used) == ASTRAY
    # Arcs that lead nowhere, where a way inside a cluster is looked for.
    lost = stack.joined.node.copy()
    lost[:, 0], lost[:, 3] = 4, lost[:, 2]
    shut = stack._replace(joined=stack.joined._replace(node=lost))
    used.plan[0, :2] = [6, 7]
    assert descend(2, 1, shut, used) == ASTRAY


def test_turn_round() -> None:
    path = np.arange(6, dtype=np.int32)
    turn_round(path, 1, 5)
    assert path.tolist() == [0, 4, 3, 2, 1, 5]
