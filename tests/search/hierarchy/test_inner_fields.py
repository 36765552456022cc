"""Searches inside clusters: distances, fields, and which inner edges are kept."""

import random

import numpy as np
import pytest

from bake.graph import INFINITY, Graph
from bake.search.graph.partition import members
from bake.search.hierarchy.inner_fields import NO_SLOT, inner_fields, keep_undominated
from tests.support.oracles import arcs_of, distances_from

Arcs = list[tuple[int, int, int]]


def random_clusters(seed: int, heaviest: int) -> tuple[list[int], Arcs]:
    """Three clusters, the nodes of each scattered, with plenty of arcs inside and some between."""
    rng = random.Random(seed)
    label = [rng.randrange(3) for _ in range(60)]
    arcs = [
        (tail, head, rng.randint(1, heaviest))
        for tail in range(60)
        for head in rng.sample(range(60), 9)
        if tail != head and (label[tail] == label[head] or rng.random() < 0.2)
    ]
    return label, arcs


@pytest.mark.parametrize("bits", [4, 8, 16])
@pytest.mark.parametrize("heaviest", [1, 12, 3000])
@pytest.mark.parametrize("seed", [1, 2])
def test_distances_and_fields(seed: int, heaviest: int, bits: int) -> None:
    label, arcs = random_clusters(seed, heaviest)
    ends = np.array(arcs, dtype=np.int64)
    graph, order = Graph.from_arcs(60, ends[:, 0], ends[:, 1])
    weight = ends[order, 2].astype(np.int32)
    slot = np.concatenate([np.arange(each) for each in np.diff(graph.first_out)]).astype(np.int32)
    labels = np.array(label, dtype=np.int32)
    first_member, member, place = members(labels, 3)
    # Cluster 1 has no transition.
    chosen = [node for node in range(60) if node % 3 == 0 and label[node] != 1]
    chosen.sort(key=lambda node: (label[node], node))
    count = [sum(label[node] == part for node in chosen) for part in range(3)]
    first_transition = np.cumsum([0, *count]).astype(np.int32)
    first_distance = np.cumsum([0, *(each * each for each in count)])
    distance = np.empty(first_distance[-1], dtype=np.int32)
    size = [(np.diff(first_member)[label[node]] * bits + 7) // 8 for node in chosen]
    first_field = np.cumsum([0, *size])
    field = np.zeros(first_field[-1], dtype=np.uint8)
    longest = inner_fields(
        graph.first_out, graph.head, weight, slot, labels, first_member, member, place,
        first_transition, np.array(chosen, dtype=np.int32), max(0, heaviest.bit_length() - 3),
        first_distance, distance, bits, first_field, field,
    )  # fmt: skip

    inside = [(a, b, units) for a, b, units in arcs if label[a] == label[b]]
    back = arcs_of(range(60), [(b, a, units) for a, b, units in inside])
    out = arcs_of(range(60), inside)
    farthest = 0
    for at, goal in enumerate(chosen):
        far = distances_from(back, goal)
        farthest = max(farthest, *far.values())
        part = label[goal]
        mine = [node for node in chosen if label[node] == part]
        square = distance[first_distance[part] : first_distance[part + 1]]
        told = square.reshape(len(mine), len(mine))[:, mine.index(goal)].tolist()
        assert told == [far.get(node, INFINITY) for node in mine]
        for node in member[first_member[part] : first_member[part + 1]].tolist():
            bit = int(place[node]) * bits
            begin = first_field[at] + bit // 8
            raw = int.from_bytes(field[begin : begin + max(1, bits // 8)].tobytes(), "little")
            step = raw >> bit % 8 & ((1 << bits) - 1)
            if node == goal or node not in far:
                assert step == NO_SLOT[bits]
                continue
            taken = graph.first_out[node] + step
            head, units = int(graph.head[taken]), int(weight[taken])
            assert (head, units) in out[node]
            assert far[head] + units == far[node]
    assert longest >= farthest  # of those met, some are mended later


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
    first_transition = np.cumsum([0, *counts]).astype(np.int32)
    first_distance = np.cumsum([0, *(count * count for count in counts)])
    distance = np.concatenate([square.reshape(-1) for square in squares]).astype(np.int32)
    keep = np.empty(len(distance), dtype=np.bool_)
    keep_undominated(first_transition, first_distance, distance, keep)
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
