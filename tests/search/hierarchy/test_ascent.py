"""Plans from the table on the last layer: a stack laid out by hand, and ascents beside networkx."""

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.search.hierarchy import ascent as planning
from bake.search.hierarchy.ascent import (
    ascend,
    descend,
    fill_ascents,
    first_alone,
    join,
    layer_stack,
    turn_round,
    with_ends,
)
from bake.search.hierarchy.bundles import ASTRAY, LayerStack
from bake.search.hierarchy.layer import Layer
from tests.support.clustered import divided, graph_in_rows, int32, memory, networkx_graph
from tests.support.strategies import ArcList, arc_lists

FAR = 2**31 - 1

#: A corridor of eight rows: four clusters of two, joined two by two on the second layer.
ROWS = [(row, row + 1, 10) for row in range(7)] + [(row + 1, row, 10) for row in range(7)]


def corridor() -> LayerStack:
    """Every row is a transition but the ends; 3 and 4 are those of the second layer.

    Transitions of the first layer are rows 1 to 6, numbered from 0. Arcs of it lead to both
    neighbours. In flow fields slot 0 leads back and slot 1 on, but for the first of all.
    """
    graph, _ = divided([0, 0, 1, 1, 2, 2, 3, 3], ROWS)
    label = np.arange(8, dtype=np.int32) // 2
    first_out, arcs = graph_in_rows(
        6,
        [
            (node, other, 10)
            for node in range(6)
            for other in (node - 1, node + 1)
            if 0 <= other < 6
        ],
    )
    node = np.arange(1, 7, dtype=np.int32)
    # Two transitions a cluster but the outer ones; only distances between them matter here.
    flow = np.zeros(99, dtype=np.uint8)
    first = Layer.stored(label, 4, node, node, np.diff(first_out), arcs, 4, flow)
    above = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)
    # Toward transition 2 (row 3) from 0, 1 and 2; toward 3 (row 4) from 3, 4 and 5.
    fields = np.array([0 | 1 << 4, 15 | 15 << 4, 15 | 0 << 4, 0 | 15 << 4], dtype=np.uint8)
    tops = np.array([2, 3], dtype=np.int32)
    top_arcs = int32([(1, 10), (0, 10)], 2)
    second = Layer.stored(above, 2, tops, node[tops], np.array([1, 1]), top_arcs, 4, fields)
    hop = np.array([[255, 0], [0, 255]], dtype=np.uint8)
    distance = np.array([[0, 10], [10, 0]], dtype=np.int32)
    return layer_stack(
        [first, second],
        (hop, distance),
        np.concatenate([first.flow, second.flow]),
        np.zeros((6, 0), dtype=np.int32),
        graph,
        graph,
        two_way=True,
    )


@pytest.fixture(autouse=True)
def by_table_however_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "LEAST_NODES", 0)


def test_layers_are_numbered_through() -> None:
    stack = corridor()
    assert stack.node.tolist() == [
        [1, 0, 4, 0], [2, 1, 4, 1], [3, 1, 4, 2], [4, 2, 5, 0], [5, 2, 5, 1], [6, 3, 5, 2],
        [2, 4, -1, -1], [3, 5, -1, -1],
    ]  # fmt: skip
    assert stack.layer.tolist() == [[0, 4], [6, 4]]
    # First transition, rows or transitions below, first byte of flow fields and bytes of each.
    assert stack.cluster.tolist() == [
        [0, 2, 0, 1], [1, 2, 1, 1], [3, 2, 3, 1], [5, 2, 5, 1], [6, 3, 6, 2], [7, 3, 8, 2],
        [8, 0, 10, 0],
    ]  # fmt: skip
    assert stack.last_cluster.tolist() == [0, 0, 1, 1]
    assert stack.first_top.tolist() == [0, 1, 2]
    assert stack.first_out.tolist() == [0, 1, 3, 5, 7, 9, 10, 11]
    assert stack.end_out.tolist() == [1, 3, 5, 7, 9, 10, 11, 12]
    assert stack.arc[-2:].tolist() == [[7, 10], [6, 10]]
    assert stack.top_hop.tolist() == [[-1, 0], [0, -1]]


def test_ascents_of_the_corridor() -> None:
    stack = corridor()
    assert stack.first_ascent.tolist() == list(range(7))
    assert stack.up.tolist() == [[20, 1], [10, 2], [0, -1], [0, -1], [10, 3], [20, 4]]
    assert stack.down is stack.up


def test_a_plan_is_taken_apart_layer_by_layer() -> None:
    stack, used = corridor(), memory(9, 8)
    used.ends[0, 0], used.ends[1, 0] = (0, 7), (5, 1)
    up = ascend(used.ends[0], 1, stack.first_ascent, stack.up, used.raised[0])
    down = ascend(used.ends[1], 1, stack.first_ascent, stack.down, used.raised[1])
    assert (used.raised[0, :up].tolist(), used.raised[1, :down].tolist()) == ([[27, 0]], [[21, 5]])
    found = join(0, used.raised[0], up, 1, used.raised[1], down, stack.top_distance, 2**62)
    assert found == (27 + 10 + 21, 0, 1)
    assert join(0, used.raised[0], up, 1, used.raised[1], down, stack.top_distance, 58)[1:] == (
        -1,
        -1,
    )
    count = descend(0, 1, False, stack, used)
    assert used.plan[0, :count].tolist() == [2, 3]
    count = with_ends(0, 0, 5, 0, stack, count, used)
    assert used.plan[0, :count].tolist() == [0, 1, 2, 3, 4, 5]


def one_cluster(slots: list[int], apart: int | None = None) -> LayerStack:
    """The corridor as one cluster of the second layer, whose outer transitions are its nodes.

    Args:
        slots: of the flow field toward the last transition.
        apart: a transition that belongs to another cluster.
    """
    stack = corridor()
    node = stack.node.copy()
    node[:6, 2], node[:6, 3] = 4, range(6)
    if apart is not None:
        node[apart, 2] = 5
    node[6:, 0], node[6:, 1] = (0, 5), 4
    cluster = stack.cluster.copy()
    cluster[4] = 6, 6, 0, 3
    packed = [slots[at] | slots[at + 1] << 4 for at in (0, 2, 4)]
    flow = np.array([0, 0, 0, *packed], dtype=np.uint8)
    return stack._replace(node=node, cluster=cluster, flow=flow)


def test_inside_a_cluster_flow_fields_are_followed() -> None:
    used = memory(9, 8)
    count = descend(0, 1, False, one_cluster([0, 1, 1, 1, 1, 15]), used)
    assert used.plan[0, :count].tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("slots", "apart"),
    [
        ([0, 1, 1, 1, 1, 15], 3),  # out of the cluster
        ([0, 1, 15, 1, 1, 15], None),  # to where there is no way
        ([0, 0, 1, 1, 1, 15], None),  # round in circles
        ([1, 1, 1, 1, 1, 15], None),  # along an arc of the next node
    ],
)
def test_damaged_flow_fields_are_told(slots: list[int], apart: int | None) -> None:
    assert descend(0, 1, False, one_cluster(slots, apart), memory(9, 8)) == ASTRAY


@pytest.mark.parametrize(
    "change",
    [
        {"top_hop": np.array([[-1, -1], [0, -1]], dtype=np.int32)},  # no way
        {"top_hop": np.array([[-1, 1], [0, -1]], dtype=np.int32)},  # a slot nobody has
        {"arc": np.full((12, 2), 6, dtype=np.int32)},  # round in circles
    ],
)
def test_damage_on_the_way_down_is_told(change: dict[str, np.ndarray]) -> None:
    assert descend(0, 1, False, corridor()._replace(**change), memory(9, 8)) == ASTRAY


def test_damaged_ascents_are_told() -> None:
    stack, used = corridor(), memory(9, 8)
    for up in ([[20, 1], [10, 0], [0, -1]], [[20, -1]] * 3):
        count = descend(0, 1, False, stack, used)
        broken = stack._replace(up=int32([*up, *stack.up[3:].tolist()], 2))
        assert with_ends(0, 0, 5, 0, broken, count, used) == ASTRAY
    count = descend(0, 1, False, stack, used)
    broken = stack._replace(down=int32([[0, 4]] * 6, 2))
    assert with_ends(0, 0, 5, 0, broken, count, used) == ASTRAY


def test_nothing_to_ascend_from() -> None:
    stack, used = corridor(), memory(9, 8)
    assert ascend(used.ends[0], 0, stack.first_ascent, stack.up, used.raised[0]) == 0


def test_the_first_layer_alone_has_no_table() -> None:
    layers = corridor()
    first = Layer.stored(
        np.zeros(8, dtype=np.int32), 1, layers.node[:6, 0], layers.node[:6, 0],
        np.diff(layers.first_out[:7]), layers.arc[:10], 0, layers.flow,
    )  # fmt: skip
    landmark = np.zeros((6, 0), dtype=np.int32)
    stack = first_alone(first, landmark, layers.graph, layers.back, two_way=True)
    assert len(stack.top_distance) == 0
    assert stack.layer.tolist() == [[0, 0]]
    assert stack.node[:, 0].tolist() == [1, 2, 3, 4, 5, 6]


@given(graph=arc_lists(largest=12, heaviest=60), data=st.data())
def test_ascents_are_shortest_ways_inside_a_cluster(graph: ArcList, data: st.DataObject) -> None:
    n, arcs = graph
    last = data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n))
    tops = [sorted(data.draw(st.sets(st.sampled_from(range(n))))) for _ in range(3)]
    tops = [[node for node in each if last[node] == part] for part, each in enumerate(tops)]
    lowest = [node for each in tops for node in each]
    first_top = np.cumsum([0, *(len(each) for each in tops)]).astype(np.int32)
    each = [len(tops[part]) if part >= 0 else 0 for part in last]
    first_ascent = np.cumsum([0, *each])
    found = np.empty((first_ascent[-1], 2), dtype=np.int32)
    turned = [(head, tail, ticks) for tail, head, ticks in arcs]
    fill_ascents(
        *graph_in_rows(n, turned),
        np.array(last, dtype=np.int32),
        np.array(lowest, dtype=np.int32),
        first_top,
        first_ascent,
        np.empty((len(arcs) + 1, 2), dtype=np.int64),
        found,
    )
    inner = networkx_graph(n, [arc for arc in arcs if last[arc[0]] == last[arc[1]]])
    far = dict(networkx.all_pairs_dijkstra_path_length(inner))
    for node in range(n):
        mine = found[first_ascent[node] : first_ascent[node + 1]].tolist()
        goals = tops[last[node]] if last[node] >= 0 else []
        for goal, (ticks, ahead) in zip(goals, mine, strict=True):
            assert ticks == far[node].get(goal, FAR)
            if node == goal or ticks == FAR:
                assert ahead == -1
            else:
                assert inner.edges[node, ahead]["weight"] + far[ahead][goal] == ticks


@given(
    starts=st.lists(st.integers(0, 50) | st.just(FAR), max_size=4),
    goals=st.lists(st.integers(0, 50) | st.just(FAR), max_size=4),
    best=st.sampled_from([2**62, 60]),
    rng=st.randoms(use_true_random=False),
)
def test_the_cheapest_pair_is_joined(starts, goals, best, rng) -> None:
    count = len(starts) + len(goals)
    table = [[rng.choice([rng.randrange(50), FAR]) for _ in range(count)] for _ in range(count)]
    distance = np.array(table, dtype=np.int32).reshape(count, count)
    ends = [
        np.array([[t, 0] for t in each] or [[0, 0]], dtype=np.int64) for each in (starts, goals)
    ]
    sums = {
        (a, len(starts) + b): starts[a] + table[a][len(starts) + b] + goals[b]
        for a in range(len(starts))
        for b in range(len(goals))
        if FAR not in (starts[a], goals[b], table[a][len(starts) + b])
    }
    cost, near, far = join(
        0, ends[0], len(starts), len(starts), ends[1], len(goals), distance, best
    )
    least = min(sums.values(), default=best)
    if least < best:
        assert sums[near, far] == cost == least
    else:
        assert (cost, near, far) == (best, -1, -1)


@pytest.mark.parametrize(("begin", "end"), [(0, 0), (0, 1), (1, 4), (0, 5), (2, 4)])
def test_a_part_of_a_path_is_turned_round(begin: int, end: int) -> None:
    path = np.arange(5, dtype=np.int32)
    turn_round(path, begin, end)
    listed = list(range(5))
    listed[begin:end] = listed[begin:end][::-1]
    assert path.tolist() == listed
