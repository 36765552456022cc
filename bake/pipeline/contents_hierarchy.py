"""Clusters and hierarchies as the columns an asset has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bake.arrays import Int32Array
from bake.asset.schema import profile_path
from bake.asset.write import Contents
from bake.tables.clusters import Clusters
from bake.tables.hierarchy import Hierarchy


def clusters_contents(profile: str, found: Clusters) -> Contents:
    """What an asset says of one profile's clusters."""
    return Contents({}, {profile_path(profile, "cluster"): narrow(found.label)})


def hierarchy_contents(profile: str, found: Hierarchy) -> Contents:
    """What an asset says of one profile's layers."""
    layers = found.layers
    columns: dict[str, npt.NDArray[np.generic]] = {
        "layer_nodes": np.array([len(layer.node) for layer in layers], dtype=np.int32),
        "layer_clusters": np.array(found.clusters, dtype=np.int32),
        "layer_bits": np.array([layer.bits for layer in layers], dtype=np.uint8),
        "layer_parent": narrow(_joined(found.parents)),
        "layer_node": narrow(_joined([layer.node for layer in layers])),
        "layer_degree": narrow(_joined([layer.graph.out_degree() for layer in layers])),
        "layer_head": narrow(_joined([layer.graph.head for layer in layers])),
        "layer_weight": _joined([layer.weight for layer in layers]),
        "layer_field": np.concatenate([layer.field for layer in layers]),
        "layer_landmark": found.landmark,
    }
    if found.top_hop is not None and found.top_distance is not None:
        columns["layer_hop"] = found.top_hop
        columns["layer_distance"] = found.top_distance
    else:
        columns["layer_hop"] = np.zeros((0, 0), dtype=np.uint8)
        columns["layer_distance"] = np.zeros((0, 0), dtype=np.int32)
    group = f"/profiles/{profile}"
    return Contents(
        {(group, "hierarchy_mode"): found.mode, (group, "two_way"): int(found.two_way)},
        {profile_path(profile, name): array for name, array in columns.items()},
    )


def _joined(parts: Sequence[Int32Array]) -> Int32Array:
    return np.concatenate([np.zeros(0, dtype=np.int32), *parts])


def narrow(numbers: Int32Array) -> npt.NDArray[np.generic]:
    """The same numbers, none negative, in 16 bits where they fit."""
    return numbers.astype(np.uint16) if numbers.max(initial=0) < 2**16 else numbers
