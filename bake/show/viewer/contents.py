"""Collect the data that the page shows of an asset: its flat file, and contents beyond it.

The page queries the flat file through the reader that games use. The contents add what only people
need: clusters and transitions of hierarchies, findings of lint, sizes of the asset's columns, and
the colors of :mod:`bake.show.colours`.
"""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bake.core.arrays import AnyArray, Int32Array
from bake.export.export import export_asset
from bake.play.hierarchy.layers import HierarchyTables
from bake.show import colours
from bake.show.canvas import ARROW_HEAD, ARROW_OUTLINE
from bake.show.colours import cluster_colours, ramp, vivid
from bake.show.marks import MARKED, findings_of
from bake.show.paint import STRIPES
from bake.show.plane_map import has_domains, plane_colours, plane_outlines, sample_domains
from bake.show.scene import Scene, read_layer, read_scene
from bake.show.trace_file import TraceFile
from bake.show.viewer.difference import difference_data
from bake.store import Asset
from levelbake.errors import MissingTableError

#: The most places of a finding that the page receives.
_MOST_PLACES = 5_000

#: The number of colors of components, besides the largest.
_COMPONENT_HUES = 24

#: Points along the longer side of a plane at which the colors of domains are sampled.
_DOMAIN_SAMPLES = 320


@dataclass(frozen=True)
class ShownLevel:
    """The data of one level for the page."""

    id: str  #: its name in addresses, unique in a page
    name: str  #: the level's name
    flat: bytes  #: its flat file
    contents: bytes  #: the additional contents, JSON in UTF-8


def shown_level(
    path: Path,
    id: str | None = None,
    traces: Sequence[Path] = (),
    against: Path | None = None,
) -> ShownLevel:
    """Read the data that the page shows of an asset.

    Args:
        path: the asset.
        id: the name of the level in addresses; None = the name of the file.
        traces: traces of searches and agents that the page can play back; see docs/traces.md.
        against: an older bake of the level. The contents then have the key ``difference`` with the
            result of :func:`bake.show.viewer.difference.difference_data`, and the older flat file
            as ``flat`` in it.

    Raises:
        AssetError: an asset cannot be read or is damaged, or the levels are of different kinds.
        TraceError: a trace cannot be read, is damaged, or belongs to another level.
    """
    with Asset(path) as asset:
        data = _flat_bytes(asset)
        contents: dict[str, Any] = {
            "format": "bake-contents",
            "version": 1,
            "asset": path.name,
            "size": path.stat().st_size,
            "sources": [name for name, _ in asset.header.sources],
            "bytes": [
                [name, asset.stored_bytes(name), asset.dtype(name), list(asset.shape(name))]
                for name in asset.columns()
            ],
            "profiles": {name: _profile(asset, name) for name in asset.profiles},
            "plane": _plane(asset),
            "traces": [_trace(asset, trace) for trace in traces],
        }
        name = asset.name or path.stem
        if against is not None:
            with Asset(against) as old:
                contents["difference"] = difference_data(old, asset) | {
                    "flat": _packed(np.frombuffer(_flat_bytes(old), dtype=np.uint8))
                }
    return ShownLevel(id or path.stem, name, data, _json(contents))


def _trace(asset: Asset, path: Path) -> dict[str, Any]:
    """Return a decoded trace, after checking all of its steps."""
    file = TraceFile(path)
    file.moments(read_scene(asset, file.profile), [file.count])
    return file.data


def _flat_bytes(asset: Asset) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        flat = Path(folder) / "level.bake"
        export_asset(asset, flat)
        return flat.read_bytes()


def palette() -> dict[str, Any]:
    """Return the colors and shapes of pictures, so that the page draws with the same."""
    named = {
        name: list(value)
        for name, value in vars(colours).items()
        if name.isupper() and isinstance(value, tuple) and isinstance(value[0], int)
    }
    return {
        "colours": named,
        "ways": [list(each) for each in colours.WAYS],
        "stripes": [list(each) for each in STRIPES],
        "ramp": ramp().tolist(),
        "vivid": vivid(_COMPONENT_HUES).tolist(),
        "arrow": ARROW_OUTLINE.tolist(),
        "arrowHead": ARROW_HEAD.tolist(),
        "marked": {rule: [list(colour), text] for rule, (colour, text) in MARKED.items()},
    }


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _packed(array: AnyArray) -> dict[str, str]:
    """Return an array in a JSON form: its dtype and its little-endian bytes in base64."""
    little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
    return {"dtype": str(array.dtype), "base64": base64.b64encode(little.tobytes()).decode()}


def _narrow(array: AnyArray) -> AnyArray:
    """Convert an array of nonnegative numbers to the smallest sufficient type."""
    most = int(array.max(initial=0))
    return array.astype(np.uint8 if most < 2**8 else np.uint16 if most < 2**16 else np.int32)


def _profile(asset: Asset, name: str) -> dict[str, Any]:
    scene = read_scene(asset, name)
    # If cells are nodes in the flat file, its locations are nodes.
    location = scene.columns.node if asset.graph.pays_for_more else scene.columns.location
    return {
        **_hierarchy(scene, location),
        "findings": _findings(scene, location),
        "plane": _outlines(scene),
    }


def _plane(asset: Asset) -> dict[str, Any] | None:
    """Return the corners and colors of a divided plane; None for other levels."""
    scene = read_scene(asset, asset.profiles[0])
    outlines = plane_outlines(scene)
    if outlines is None:
        return None
    return {
        "point": _packed(outlines.point.reshape(-1)),
        "colour": _packed(plane_colours(scene).reshape(-1)),
        "isMesh": not has_domains(scene),
    }


def _outlines(scene: Scene) -> dict[str, Any] | None:
    """Return the outlines of a profile's part of the plane, as numbers of corners."""
    outlines = plane_outlines(scene)
    if outlines is None:
        return None
    lengths = [0, *map(len, outlines.rings)]
    flat = {
        "ring": [corner for ring in outlines.rings for corner in ring],
        "first": np.cumsum(lengths).tolist(),
        "terrain": outlines.terrain,
        "walls": [corner for wall in outlines.walls for corner in wall],
        "portals": [corner for portal in outlines.portals for corner in portal],
    }
    packed: dict[str, Any] = {
        name: _packed(np.array(values, dtype=np.int32)) for name, values in flat.items()
    }
    domains = sample_domains(scene, _DOMAIN_SAMPLES)
    if domains is not None:
        height, width, _ = domains.colour.shape
        packed["domains"] = {
            "low": domains.low.tolist(),
            "step": domains.step,
            "width": width,
            "height": height,
            "colour": _packed(domains.colour.reshape(-1)),
        }
    return packed


def _hierarchy(scene: Scene, location: Int32Array) -> dict[str, Any]:
    """Return the clusters and layers of a hierarchy, with places as locations of the flat file.

    Args:
        scene: the level and profile.
        location: (r) int32, the location of each row.
    """
    try:
        lowest = read_layer(scene, 1)
    except MissingTableError:
        return {}
    shades = cluster_colours(scene.columns.usable.graph, lowest.cluster, lowest.clusters)
    data: dict[str, Any] = {
        "clusters": {
            "count": lowest.clusters,
            "of": _packed(_narrow(lowest.cluster)),
            "colour": _packed(shades.reshape(-1)),
        },
        "layers": [],
    }
    if not lowest.layers:
        return data
    graph = scene.columns.usable.graph
    parent = scene.columns.column("layer_parent", np.int32)
    for number, layer in enumerate(HierarchyTables(scene.columns).layers, start=1):
        shades = cluster_colours(graph, read_layer(scene, number).cluster, layer.cluster_count)
        up, parent = parent[: layer.cluster_count], parent[layer.cluster_count :]
        data["layers"].append(
            {
                "number": number,
                "colour": _packed(shades.reshape(-1)),
                "parent": _packed(_narrow(up)),
                "clusters": layer.cluster_count,
                "at": _packed(location[layer.row]),
                "cluster": _packed(_narrow(layer.cluster)),
                "first_out": _packed(layer.first_out.astype(np.int32)),
                "head": _packed(_narrow(layer.arcs[:, 0])),
                "ticks": _packed(np.ascontiguousarray(layer.arcs[:, 1]).astype(np.int32)),
            }
        )
    return data


def _findings(scene: Scene, location: Int32Array) -> list[dict[str, Any]]:
    """Return the findings about islands, traps and spawns without an exit."""
    return [
        {
            "rule": finding.rule,
            "message": finding.message,
            "count": len(finding.rows),
            "places": _packed(location[finding.rows[:_MOST_PLACES]]),
        }
        for finding in findings_of(scene)
    ]
