"""Split the columns of a hierarchy into its layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from bake.core.arrays import AnyArray
from levelbake.columns import is_numbered, profile_path
from levelbake.file import File


class StoredLayer(NamedTuple):
    """The columns of one layer; see the table of columns."""

    clusters: int
    bits: int
    node: AnyArray  # (t) numbers in the layer below
    degree: AnyArray  # (t)
    head: AnyArray  # (a) transitions of the layer
    weight: AnyArray  # (a) ticks
    parent: AnyArray  # (clusters) the cluster of the next layer; empty in the last


def stored_layers(
    asset: File, profile: str, read_column: Callable[[str], AnyArray], rows: int, clusters: int
) -> Iterator[StoredLayer]:
    """Yield the layers of a profile, lowest first.

    Args:
        asset: the file with the columns.
        profile: the profile's name.
        read_column: reads one of its columns.
        rows, clusters: their numbers.

    Raises:
        CorruptAssetError: columns contradict each other.
    """
    nodes, counts, field_bits = (
        asset.read(profile_path(profile, f"layer_{name}")).tolist()
        for name in ("nodes", "clusters", "bits")
    )
    node, degree, head, weight, parent = (
        read_column(f"layer_{name}") for name in ("node", "degree", "head", "weight", "parent")
    )
    (landmarks, _) = asset.shape(profile_path(profile, "layer_landmark"))
    fits = [*counts[:1], *nodes[:1]] == [clusters, landmarks] and not any(field_bits[1:])
    if not fits or sum(counts[:-1]) != len(parent):
        raise asset.damaged(f"layers of profile {profile!r} do not fit its clusters")
    below, used = rows, [0, 0, 0]
    # There is no layer above the last one.
    for count, size, bits, after in zip(
        nodes, counts, field_bits, [*counts[1:], None], strict=True
    ):
        transitions = slice(used[0], used[0] + count)
        arcs = slice(used[1], used[1] + int(degree[transitions].sum(dtype=np.int64)))
        up = parent[used[2] : used[2] + (0 if after is None else size)]
        used = [transitions.stop, arcs.stop, used[2] + len(up)]
        layer = StoredLayer(
            size, bits, node[transitions], degree[transitions], head[arcs], weight[arcs], up
        )
        named = is_numbered(up) and int(up.max(initial=-1)) + 1 == (after or 0)
        if layer.node.max(initial=-1) >= below or layer.head.max(initial=-1) >= count or not named:
            raise asset.damaged(
                f"a layer of profile {profile!r} refers to nodes that the layer below lacks"
            )
        below = count
        yield layer
