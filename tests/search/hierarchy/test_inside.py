"""Ways inside clusters: distances, flow fields, searches, and which inner edges are kept."""

import random
from itertools import pairwise

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.errors import CostError
from bake.core.graph import INFINITY
from bake.search.hierarchy import inside as inside_clusters
from bake.search.hierarchy.bundles import ASTRAY, FIRST, FLOW, FLOW_BYTES, NO_WAY, Transitions
from bake.search.hierarchy.inside import (
    NO_SLOT,
    ClusterRoom,
    flow_distance,
    flow_path,
    search_from_transitions,
    slot_bits,
    undominated,
)
from bake.search.hierarchy.layer import cluster_columns
from tests.support.clustered import SHUT, divided, memory
from tests.support.inner import as_kernels_call
from tests.support.oracles import arcs_of, distances_from
from tests.support.strategies import Arc, ArcList, arc_lists

search_inside = as_kernels_call(inside_clusters.search_inside)


def random_clusters(seed: int, heaviest: int) -> tuple[list[int], list[Arc]]:
    """Three clusters, the nodes of each scattered, with plenty of arcs inside and some between."""
    rng = random.Random(seed)
    label = [rng.randrange(3) for _ in range(60)]
    arcs = [
        (tail, head, rng.choice([rng.randint(1, heaviest)] * 9 + [SHUT]))
        for tail in range(60)
        for head in rng.sample(range(60), 9)
        if tail != head and (label[tail] == label[head] or rng.random() < 0.2)
    ]
    return label, arcs


def inside(label: list[int], arcs: list[Arc]) -> list[Arc]:
    return [arc for arc in arcs if label[arc[0]] == label[arc[1]] and arc[2] != SHUT]


@pytest.mark.parametrize("bits", [4, 8, 16])
@pytest.mark.parametrize("heaviest", [1, 12, 3000])
@pytest.mark.parametrize("seed", [1, 2])
def test_distances_and_flow_fields(seed: int, heaviest: int, bits: int) -> None:
    label, arcs = random_clusters(seed, heaviest)
    graph, members = divided(label, arcs)
    # Cluster 1 has no transition.
    chosen = [node for node in range(60) if node % 3 == 0 and label[node] != 1]
    chosen.sort(key=lambda node: (label[node], node))
    count = [sum(label[node] == part for node in chosen) for part in range(3)]
    number = np.full(60, -1, dtype=np.int32)
    number[chosen] = np.arange(len(chosen))
    first = np.cumsum([0, *count]).astype(np.int32)
    transitions = Transitions(first, np.array(chosen, dtype=np.int32), number)
    data = cluster_columns(first, np.diff(members.first), bits)
    # In an order of their own: squares of distances are in this order, flow fields are not.
    fresh = np.array([2, 0, 1], dtype=np.int32)
    first_distance = np.cumsum([0, *(count[part] ** 2 for part in fresh)])
    distance = np.empty(first_distance[-1], dtype=np.int32)
    flow = np.zeros(data[-1, FLOW], dtype=np.uint8)
    room = ClusterRoom.of(graph, members, fresh)
    longest = search_from_transitions(
        graph, members, transitions, fresh, first_distance, distance, bits, data, flow, room
    )

    back = arcs_of(range(60), [(b, a, units) for a, b, units in inside(label, arcs)])
    out = arcs_of(range(60), arcs)
    farthest = 0
    for goal in chosen:
        far = distances_from(back, goal)
        farthest = max(farthest, *far.values())
        part = label[goal]
        mine = [node for node in chosen if label[node] == part]
        place = fresh.tolist().index(part)
        square = distance[first_distance[place] : first_distance[place + 1]]
        told = square.reshape(len(mine), len(mine))[:, mine.index(goal)].tolist()
        assert told == [far.get(node, INFINITY) for node in mine]
        for rank, node in enumerate(node for node in range(60) if label[node] == part):
            bit = rank * bits
            begin = data[part, FLOW] + mine.index(goal) * data[part, FLOW_BYTES] + bit // 8
            raw = int.from_bytes(flow[begin : begin + max(1, bits // 8)].tobytes(), "little")
            slot = raw >> bit % 8 & ((1 << bits) - 1)
            best = [
                slot
                for slot, (head, units) in enumerate(out[node])
                if units != SHUT and label[head] == part and head in far
                if far[head] + units == far.get(node)
            ]
            assert slot == (min(best) if best and node != goal else NO_SLOT[bits])
        if bits == 4 and label.count(part) % 2:
            assert raw >> 4 == NO_SLOT[4]  # there is no node for the other half of the last byte
    assert longest >= farthest  # of those met, some are mended later


def test_a_slot_is_the_number_of_an_arc_among_all_of_its_node() -> None:
    # 0 and 1 are a cluster, 2 another one; the arc in slot 1 may not be taken.
    arcs = [(0, 2, 1), (0, 1, SHUT), (0, 1, 5), (0, 1, 3), (0, 1, 3)]
    graph, members = divided([0, 0, 1], arcs)
    number = np.array([-1, 0, -1], dtype=np.int32)
    first = np.array([0, 1, 1], dtype=np.int32)
    transitions = Transitions(first, np.array([1], dtype=np.int32), number)
    data = cluster_columns(first, np.diff(members.first), 4)
    flow = np.zeros(data[-1, FLOW], dtype=np.uint8)
    distance = np.empty(1, dtype=np.int32)
    both = np.array([0, 1], dtype=np.int32)
    room, squares = ClusterRoom.of(graph, members, both), np.array([0, 1, 1])
    search_from_transitions(
        graph, members, transitions, both, squares, distance, 4, data, flow, room
    )
    assert flow.tolist() == [3 | NO_SLOT[4] << 4]
    assert flow_distance(graph, flow, 0, 4, 0, 1) == 3
    assert flow_distance(graph, flow, 0, 4, 1, 1) == 0


def test_bits_of_a_slot() -> None:
    assert [slot_bits(largest) for largest in (0, 14, 15, 254, 255, 65534)] == [4, 4, 8, 8, 16, 16]
    with pytest.raises(CostError, match="a node has 65,536 arcs"):
        slot_bits(65535)


@pytest.mark.parametrize("seed", range(4))
def test_edges_are_kept_that_no_two_others_make_up_for(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = (1, 9, 0, 6)
    squares = []
    for count in counts:
        square = rng.integers(1, 12, (count, count))
        square[rng.random((count, count)) < 0.3] = INFINITY
        for via in range(count):  # so that these are distances
            square = np.minimum(square, square[:, [via]] + square[[via], :])
        squares.append(np.minimum(square, INFINITY))
    # Clusters 1, 3, 5 and 7 of eight; those between have two transitions and are not looked at.
    fresh = np.array([1, 3, 5, 7], dtype=np.int32)
    first = np.cumsum([0, *(each for count in counts for each in (2, count))]).astype(np.int32)
    first_distance = np.cumsum([0, *(count * count for count in counts)])
    distance = np.concatenate([square.reshape(-1) for square in squares]).astype(np.int32)
    keep = undominated(11, first, fresh, first_distance, distance)
    expected = [
        a != b
        and square[a, b] < INFINITY
        and not any(
            square[a, via] + square[via, b] <= square[a, b]
            for via in range(len(square))
            if via not in (a, b)
        )
        for square in squares
        for a in range(len(square))
        for b in range(len(square))
    ]
    assert keep.tolist() == expected


def test_distances_beyond_the_scale_are_refused() -> None:
    none = np.zeros(1, dtype=np.int32)
    empty = np.zeros(0, dtype=np.int32)
    assert len(undominated(INFINITY - 2, none, empty, none.astype(np.int64), empty)) == 0
    with pytest.raises(CostError, match=f"reach {INFINITY - 1} ticks"):
        undominated(INFINITY - 1, none, empty, none.astype(np.int64), empty)


def longest_inside(arcs: list[Arc], transitions: list[int]) -> tuple[int, list[int]]:
    """What is told of one cluster of five nodes, and the distances between its transitions."""
    both = arcs + [(head, tail, ticks) for tail, head, ticks in arcs]
    graph, members = divided([0] * 5, both)
    count = len(transitions)
    number = np.full(5, -1, dtype=np.int32)
    number[transitions] = np.arange(count)
    first, square = np.array([0, count], dtype=np.int32), np.array([0, count * count])
    chosen = Transitions(first, np.array(transitions, dtype=np.int32), number)
    data = cluster_columns(first, np.diff(members.first), 4)
    flow = np.zeros(data[-1, FLOW], dtype=np.uint8)
    distance = np.empty(count * count, dtype=np.int32)
    fresh = np.zeros(1, dtype=np.int32)
    room = ClusterRoom.of(graph, members, fresh)
    longest = search_from_transitions(
        graph, members, chosen, fresh, square, distance, 4, data, flow, room
    )
    return longest, distance.tolist()


@pytest.mark.parametrize("last", [2, 3, 2**29 - 1])
def test_a_way_of_infinity_and_more_is_too_long(last: int) -> None:
    """2**30 ticks are INFINITY itself; what lies beyond must not pass for no way."""
    long = 2**29 - 1
    arcs = [(0, 1, long), (1, 2, long), (2, 3, last)]
    assert longest_inside(arcs[:2], [0, 2]) == (2 * long, [0, 2 * long, 2 * long, 0])
    longest, _ = longest_inside(arcs, [0, 3])
    assert longest == 2 * long + last
    # So it is for a node that is no transition: a way from it could not be told either.
    assert longest_inside(arcs, [0])[0] == 2 * long + last


def test_a_long_way_beside_a_shorter_one_is_no_matter() -> None:
    long = 2**29 - 1
    arcs = [(0, 1, long), (1, 2, long), (2, 3, long), (0, 4, long), (4, 3, long // 2)]
    longest, distance = longest_inside(arcs, [0, 3])
    assert distance == [0, long + long // 2, long + long // 2, 0]
    assert longest == 2 * long


@given(graph=arc_lists(largest=9), data=st.data())
def test_a_search_stays_inside_the_cluster(graph: ArcList, data: st.DataObject) -> None:
    n, arcs = graph
    label = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    shut = data.draw(st.sets(st.integers(0, max(0, len(arcs) - 1))))
    arcs = [(a, b, SHUT if i in shut else w) for i, (a, b, w) in enumerate(arcs)]
    inner = networkx.DiGraph()
    inner.add_nodes_from(range(n))
    for a, b, w in inside(label, arcs):
        inner.add_edge(a, b, weight=min(w, inner.get_edge_data(a, b, {"weight": w})["weight"]))
    far = dict(networkx.all_pairs_dijkstra_path_length(inner))
    laid_out, _ = divided(label, arcs)
    used = memory(n)
    for origin in range(n):
        for goal in range(n):
            found = search_inside(laid_out, origin, goal, used)
            assert found == far[origin].get(goal, NO_WAY)
            if found < 0:
                continue
            way = [goal]
            while way[-1] != origin:
                way.append(int(used.local[laid_out.node[way[-1], 1], 2]))
            steps = pairwise(reversed(way))
            assert sum(inner.edges[step]["weight"] for step in steps) == found
        # The whole cluster: what is not of this turn cannot be reached.
        assert search_inside(laid_out, origin, -1, used) == NO_WAY
        told = {
            node: int(used.local[laid_out.node[node, 1], 1])
            for node in range(n)
            if label[node] == label[origin]
            and used.local[laid_out.node[node, 1], 0] == used.turn[0]
        }
        assert told == far[origin]


# -- following flow fields ------------------------------------------------------------------------

#: A line of four rows and one of another cluster beside its end.
LINE = [(0, 1, 2), (1, 0, 2), (1, 2, 3), (2, 1, 3), (2, 3, 4), (3, 4, 1), (3, 0, SHUT)]
LABEL = [0, 0, 0, 0, 1]


def flow_of(slots: list[int], bits: int) -> np.ndarray:
    """A flow field behind three bytes of another."""
    step = {4: 2, 8: 1, 16: 1}[bits]
    slots = slots + [0] * (-len(slots) % step)
    packed = [
        sum(slot << bits * at for at, slot in enumerate(slots[i : i + step]))
        for i in range(0, len(slots), step)
    ]
    raw = b"\xff\xff\xff" + b"".join(each.to_bytes(max(1, bits // 8), "little") for each in packed)
    return np.frombuffer(raw, dtype=np.uint8).copy()


@pytest.mark.parametrize("bits", [4, 8, 16])
def test_following_a_flow_field(bits: int) -> None:
    graph, _ = divided(LABEL, LINE)
    none = NO_SLOT[bits]
    flow = flow_of([0, 1, 1, none], bits)
    path = np.full(9, -7, dtype=np.int32)
    assert flow_distance(graph, flow, 3, bits, 0, 3) == 2 + 3 + 4
    assert flow_path(graph, flow, 3, bits, 0, 3, path, 2) == 5
    assert path.tolist() == [-7, -7, 1, 2, 3, -7, -7, -7, -7]
    assert flow_path(graph, flow, 3, bits, 3, 3, path, 2) == 2
    # From row 2 there is no way to row 0 by this flow field.
    assert flow_distance(graph, flow_of([none, 0, none, none], bits), 3, bits, 2, 0) == NO_WAY


@pytest.mark.parametrize(
    "slots",
    [
        [0, 0, 1, 15],  # round in circles
        [0, 2, 1, 15],  # a slot that the row has not
        [0, 1, 1, 0],  # into another cluster, before row 0 is reached
    ],
)
def test_damaged_flow_fields_are_told(slots: list[int]) -> None:
    graph, _ = divided(LABEL, LINE)
    flow = flow_of(slots, 4)
    goal = 0 if slots[3] == 0 else 3
    begin = 2 if goal == 0 else 0
    assert flow_distance(graph, flow, 3, 4, begin, goal) == ASTRAY
    path = np.zeros(4, dtype=np.int32)
    assert flow_path(graph, flow, 3, 4, begin, goal, path, 0) == ASTRAY


def test_a_slot_that_a_row_has_not_is_no_arc_of_the_next_row() -> None:
    graph, _ = divided([0, 0, 0], [(0, 1, 1), (1, 2, 1)])
    assert flow_distance(graph, flow_of([1, 0, 15], 4), 3, 4, 0, 2) == ASTRAY
    path = np.zeros(9, dtype=np.int32)
    assert flow_path(graph, flow_of([1, 0, 15], 4), 3, 4, 0, 2, path, 0) == ASTRAY


def test_a_flow_field_that_leads_along_a_shut_arc_or_nowhere_is_told() -> None:
    graph, _ = divided(LABEL, LINE)
    assert graph.node[3, FIRST] == 5
    path = np.zeros(9, dtype=np.int32)
    for slot in (1, 15):
        flow = flow_of([15, 15, 15, slot], 4)
        assert flow_path(graph, flow, 3, 4, 3, 0, path, 0) == ASTRAY
    assert flow_distance(graph, flow_of([15, 15, 15, 1], 4), 3, 4, 3, 0) == ASTRAY
