"""How layers are stacked: which clusters join, where that ends, and which arcs there are."""

import numpy as np
import pytest

from bake.core.errors import BudgetError
from bake.tables import hierarchy as stacking
from bake.tables.clusters import Clusters, clusters
from bake.tables.hierarchy import Hierarchy, hierarchy
from tests.support.baked import GROUND, rows
from tests.support.compare import subgraph
from tests.support.oracles import Lattice
from tests.support.strategies import Arc
from tests.support.worlds import part_of, world_of


def stacked(found: Clusters, *, levels: int = 1, budget: int = 2**30) -> Hierarchy:
    return hierarchy(
        found, None, square=True, spacing=1, levels=levels, keep_paths=True,
        budget=budget,
    )  # fmt: skip


def field(width: int, height: int, size: int) -> Clusters:
    """Clusters of open ground."""
    sub, cell = part_of(world_of(Lattice(rows(*["." * width] * height), GROUND), 4))
    return clusters(sub, size=size, cell=cell)


def arcs_in(layer: stacking.Layer) -> list[Arc]:
    tail = np.repeat(np.arange(len(layer.node)), np.diff(layer.first_out))
    return list(zip(tail.tolist(), *layer.arcs.T.tolist(), strict=True))


def test_clusters_join_two_by_two_in_either_direction() -> None:
    found = stacked(field(12, 8, 2), levels=9)
    assert found.clusters == (24, 6, 2)
    first = np.arange(24)
    assert found.parents[0].tolist() == (first % 6 // 2 + first // 6 // 2 * 3).tolist()
    assert found.parents[1].tolist() == [0, 0, 1, 0, 0, 1]


@pytest.mark.parametrize("levels", [1, 2, 9])
def test_no_layer_without_transitions(levels: int) -> None:
    assert stacked(field(4, 2, 2), levels=levels).clusters == (2,)


def test_as_many_layers_as_asked_for() -> None:
    ground = field(12, 8, 2)
    assert [len(stacked(ground, levels=count).layers) for count in (1, 2, 3)] == [1, 2, 3]


def test_of_parallel_arcs_the_cheapest_is_kept_once() -> None:
    arcs = [(0, 1, 1), (1, 0, 1), (1, 2, 9), (1, 2, 4), (1, 2, 7), (2, 3, 1), (3, 2, 1)]
    label = np.array([0, 0, 1, 1], dtype=np.int32)
    tile = np.array([[0, 0], [1, 0]], dtype=np.int32)
    layer = stacked(Clusters(subgraph(4, arcs), label, 2, tile)).layers[0]
    assert layer.node.tolist() == [1, 2]
    assert arcs_in(layer) == [(0, 1, 4)]


def test_the_first_layer_alone_has_flow_fields() -> None:
    first, *above = stacked(field(12, 8, 2), levels=3).layers
    assert first.bits == 4
    assert first.flow_size == len(first.flow) > 0
    assert [(layer.bits, layer.flow_size) for layer in above] == [(0, 0), (0, 0)]


def test_distances_inside_clusters_are_refused_beyond_the_budget() -> None:
    ground = field(8, 8, 4)
    each = np.bincount(ground.label[stacked(ground).layers[0].node]).astype(int)
    needed = 5 * int((each**2).sum())
    with pytest.raises(BudgetError, match="transitions of clusters"):
        stacked(ground, budget=needed - 1)
    assert len(stacked(ground, budget=needed, levels=1).layers) == 1
