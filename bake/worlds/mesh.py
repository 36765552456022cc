"""A graph of convex polygons, with nodes at centers, on shared edges, or at the ends of these.

With nodes at the centers an arc leads from a polygon to its neighbor through the middle of their
shared edge, as the straight line between two centers may leave both. With nodes on shared edges an
arc crosses one polygon, which is convex, so it is a straight line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bake.core.arrays import AnyArray, Float64Array, Int32Array, Int64Array, UInt8Array
from bake.core.level import Mesh, MeshNodes, Remark
from bake.geometry import GRID, Geometry
from bake.geometry.convex import Convex, convex_polygons
from bake.geometry.given import given_polygons
from bake.worlds.mesh_islands import mesh_remarks
from bake.worlds.mesh_links import LinkNodes, link_nodes
from bake.worlds.pieces import GrownGeometry, PlaneDivision, check_taken, no_room

#: Length of a step between two terrains at one point, in units; arcs need a positive length.
BORDER = 1 / GRID


class PlaneGraph(NamedTuple):
    """Nodes and arcs in the plane."""

    position: Float64Array  #: (n, 2) float64 units
    terrain: UInt8Array  #: (n) uint8
    #: (m) int32
    tail: Int32Array
    head: Int32Array
    length: Float64Array  #: (m) float64 units, positive


def divide_into_mesh(
    geometry: Geometry, parts: Sequence[GrownGeometry], nodes: MeshNodes
) -> PlaneDivision:
    """Divide the geometry of every kind of agent into convex polygons, and build their graph.

    Raises:
        LevelError: no agent fits, a given mesh is invalid, or no agent can take a link.
    """
    polygons: list[Convex] = []
    floors: list[int] = []
    terrains: list[list[int]] = []
    owners: list[int] = []
    for at, part in enumerate(parts):
        for place, floor in enumerate(part.geometry.floors):
            if geometry.polygons is not None and part.kind.radius == 0:
                polygons.append(given_polygons(geometry, geometry.polygons, place))
                terrains.append([part.code[name] for name in geometry.terrains])
            else:
                polygons.append(convex_polygons(geometry, floor))
                terrains.append([part.code[area.terrain] for area in floor.areas])
            floors.append(place)
            owners.append(at)
    mesh = join_meshes(polygons, floors, terrains)
    owner = np.repeat(np.array(owners), [len(part.area) for part in polygons])
    for at, part in enumerate(parts):
        if not (owner == at).any():
            raise no_room(geometry, part.kind)
    graph, first_node, node = mesh_graph(mesh, nodes)
    taken = set[int]()
    remarks: tuple[Remark, ...] = ()
    for at, part in enumerate(parts):
        polygons_of_kind = np.flatnonzero(owner == at)
        links, took = link_nodes(geometry, mesh, polygons_of_kind, part.kind)
        taken |= took
        if geometry.polygons is not None and part.kind.radius == 0:
            codes = [part.code[name] for name in part.kind.terrains]
            stands = np.isin(mesh.terrain[polygons_of_kind], codes)
            remarks += mesh_remarks(mesh, polygons_of_kind, stands, links, geometry.polygons)
        graph, first_node, node = add_links(mesh, graph, first_node, node, links)
    check_taken(geometry, taken)
    return PlaneDivision(*graph, replace(mesh, first_node=first_node, node=node), remarks=remarks)


def add_links(
    mesh: Mesh, graph: PlaneGraph, first_node: Int32Array, node: Int32Array, links: LinkNodes
) -> tuple[PlaneGraph, Int32Array, Int32Array]:
    """Add nodes at the ends of links, joined to all other nodes of their polygons."""
    if not len(links.polygon):
        return graph, first_node, node
    count = len(graph.position)
    new = count + np.arange(len(links.polygon))
    position = np.concatenate([graph.position, links.position])
    polygon = np.repeat(np.arange(len(mesh.terrain)), np.diff(first_node))
    polygon = np.concatenate([polygon, links.polygon])
    order = np.argsort(polygon, kind="stable")
    node = np.concatenate([node, new])[order].astype(np.int32)
    first_node = np.searchsorted(polygon[order], np.arange(len(mesh.terrain) + 1)).astype(np.int32)
    tails: list[AnyArray] = [graph.tail, count + links.tail]
    heads: list[AnyArray] = [graph.head, count + links.head]
    lengths: list[AnyArray] = [graph.length, links.length]
    for at, where in zip(new.tolist(), links.polygon.tolist(), strict=True):
        earlier = node[first_node[where] : first_node[where + 1]]
        # Each pair of new nodes is joined once, by the later one.
        earlier = earlier[earlier < at]
        far = np.maximum(_distance(position[earlier], position[at]), BORDER)
        new_node = np.full(len(earlier), at)
        tails += [new_node, earlier]
        heads += [earlier, new_node]
        lengths += [far, far]
    terrain = np.concatenate([graph.terrain, mesh.terrain[links.polygon]])
    tail, head = np.concatenate(tails), np.concatenate(heads)
    grown = PlaneGraph(
        position,
        terrain,
        tail.astype(np.int32),
        head.astype(np.int32),
        np.concatenate(lengths).astype(np.float64),
    )
    return grown, first_node, node


def join_meshes(
    parts: Sequence[Convex], floors: Sequence[int], terrains: Sequence[Sequence[int]]
) -> Mesh:
    """Return one mesh of several parts, without nodes yet.

    Args:
        parts: polygons of each floor and kind of agent.
        floors: the floor of each part.
        terrains: for each part, the terrain of each area.
    """
    vertices = np.cumsum([0, *(len(part.vertex) for part in parts)])
    polygons = np.cumsum([0, *(len(part.area) for part in parts)])
    corners = np.cumsum([0, *(len(part.corner) for part in parts)])
    first = [part.first_corner[:-1] + at for part, at in zip(parts, corners, strict=False)]
    behind = [
        np.where(part.neighbour >= 0, part.neighbour + at, -1)
        for part, at in zip(parts, polygons, strict=False)
    ]
    terrain = [
        np.array(codes, dtype=np.uint8)[part.area] if len(part.area) else part.area
        for part, codes in zip(parts, terrains, strict=True)
    ]
    floor = [np.full(len(part.area), at) for part, at in zip(parts, floors, strict=True)]
    none = np.zeros(0, dtype=np.int32)
    return Mesh(
        np.concatenate([part.vertex for part in parts]).astype(np.int32),
        np.append(np.concatenate(first), corners[-1]).astype(np.int32),
        np.concatenate(
            [part.corner + at for part, at in zip(parts, vertices, strict=False)]
        ).astype(np.int32),
        np.concatenate(behind).astype(np.int32),
        np.concatenate(terrain).astype(np.uint8),
        np.concatenate(floor).astype(np.uint8),
        none,
        none,
    )


def mesh_graph(mesh: Mesh, nodes: MeshNodes) -> tuple[PlaneGraph, Int32Array, Int32Array]:
    """Return the graph of a mesh, and the nodes of each polygon: ``first_node`` and ``node``."""
    if nodes == "centre":
        return _by_centre(mesh)
    return _by_portal(mesh, ends=nodes == "portal")


def centres(mesh: Mesh) -> Float64Array:
    """Return (p, 2) float64 units, the center of mass of each polygon."""
    corner = mesh.vertex[mesh.corner].astype(np.float64)
    # Relative to a corner of the polygon, no precision is lost far from the origin.
    origin = corner[mesh.first_corner[:-1]]
    owner, after = _owner(mesh), _after(mesh)
    offset = corner - origin[owner]
    next_offset = offset[after]
    cross = offset[:, 0] * next_offset[:, 1] - offset[:, 1] * next_offset[:, 0]
    first = mesh.first_corner[:-1]
    area = np.add.reduceat(cross, first)[:, None]
    moment = np.add.reduceat((offset + next_offset) * cross[:, None], first, axis=0) / (3 * area)
    centre: Float64Array = (moment + origin) / GRID
    return centre


def _owner(mesh: Mesh) -> Int64Array:
    """Return the polygon of each corner."""
    return np.repeat(np.arange(len(mesh.terrain)), np.diff(mesh.first_corner))


def _after(mesh: Mesh) -> Int64Array:
    """Return the corner after each corner."""
    after = np.arange(1, len(mesh.corner) + 1)
    after[mesh.first_corner[1:] - 1] = mesh.first_corner[:-1]
    return after


def _by_centre(mesh: Mesh) -> tuple[PlaneGraph, Int32Array, Int32Array]:
    centre, owner, after = centres(mesh), _owner(mesh), _after(mesh)
    edge = np.flatnonzero(mesh.neighbour >= 0)
    middle = (
        mesh.vertex[mesh.corner[edge]].astype(np.float64) + mesh.vertex[mesh.corner[after[edge]]]
    ) / (2 * GRID)
    tail, head = owner[edge], mesh.neighbour[edge].astype(np.int64)
    length = _distance(centre[tail], middle) + _distance(middle, centre[head])
    count = len(mesh.terrain)
    graph = PlaneGraph(centre, mesh.terrain, tail.astype(np.int32), head.astype(np.int32), length)
    return graph, np.arange(count + 1, dtype=np.int32), np.arange(count, dtype=np.int32)


def _distance(one: Float64Array, other: Float64Array) -> Float64Array:
    length: Float64Array = np.hypot(*(one - other).T)
    return length


def _by_portal(mesh: Mesh, *, ends: bool) -> tuple[PlaneGraph, Int32Array, Int32Array]:
    """Place nodes in the middle of each shared edge and, if requested, at its ends.

    A point on the border between terrains has a node in each of them. At a corner where polygons
    share no edge and only the point joins them, each fan of polygons has a node of its own.
    """
    owner, after = _owner(mesh), _after(mesh)
    edge = np.flatnonzero(mesh.neighbour >= 0)
    begin, end = mesh.corner[edge].astype(np.int64), mesh.corner[after[edge]].astype(np.int64)
    # Twice the steps of the grid, so that middles are whole numbers.
    vertex = mesh.vertex.astype(np.int64)
    place = [vertex[begin] + vertex[end]]
    # The key that distinguishes points at one location: the edge, or the fan.
    low, high = np.minimum(begin, end), np.maximum(begin, end)
    mark = [low * len(vertex) + high]
    polygon = [owner[edge]]
    if ends:
        fan = len(vertex) ** 2 + _fans(mesh, after)
        for corner in (edge, after[edge]):
            place.append(2 * vertex[mesh.corner[corner]])
            mark.append(fan[corner])
            polygon.append(owner[edge])
    isolated = np.setdiff1d(np.arange(len(mesh.terrain)), owner[edge])
    points, marks = np.concatenate(place), np.concatenate(mark)
    owners = np.concatenate(polygon)
    key = np.stack([marks, mesh.terrain[owners].astype(np.int64)], axis=1)
    unique, first_point, number = np.unique(key, axis=0, return_index=True, return_inverse=True)
    position = np.concatenate([points[first_point] / (2 * GRID), centres(mesh)[isolated]])
    terrain = np.concatenate([unique[:, 1].astype(np.uint8), mesh.terrain[isolated]])
    # The distinct nodes of each polygon.
    pair = np.unique(
        np.stack(
            [
                np.concatenate([owners, isolated]),
                np.concatenate([number.reshape(-1), len(unique) + np.arange(len(isolated))]),
            ],
            axis=1,
        ),
        axis=0,
    )
    first_node = np.searchsorted(pair[:, 0], np.arange(len(mesh.terrain) + 1))
    tail, head = _across(first_node, pair[:, 1])
    length = _distance(position[tail], position[head])
    # Between terrains a step leads from a node to the other one at the same point.
    first = np.flatnonzero(np.diff(unique[:, 0], prepend=-1))
    one, other = _across(np.append(first, len(unique)), np.arange(len(unique)))
    tail, head = np.concatenate([tail, one]), np.concatenate([head, other])
    length = np.concatenate([length, np.full(len(one), BORDER)])
    graph = PlaneGraph(position, terrain, tail.astype(np.int32), head.astype(np.int32), length)
    return graph, first_node.astype(np.int32), pair[:, 1].astype(np.int32)


def _across(first_node: Int64Array, node: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return arcs between any two nodes of a polygon, without duplicates, in order."""
    count = np.diff(first_node)
    size = np.repeat(count, count)
    tail = np.repeat(np.arange(len(node)), size)
    begin = np.repeat(np.repeat(first_node[:-1], count), size)
    within = np.arange(len(tail)) - np.repeat(np.cumsum(size) - size, size)
    arc = np.stack([node[tail], node[begin + within]], axis=1)
    # Two polygons may share several nodes, such as both ends of an edge.
    arc = np.unique(arc[arc[:, 0] != arc[:, 1]], axis=0)
    return arc[:, 0], arc[:, 1]


def _fans(mesh: Mesh, after: Int64Array) -> Int64Array:
    """Return, for each corner, the lowest corner of the fan of polygons around its vertex."""
    edge = np.flatnonzero(mesh.neighbour >= 0)
    count = len(mesh.vertex)
    forth = mesh.corner[edge].astype(np.int64) * count + mesh.corner[after[edge]]
    back = mesh.corner[after[edge]].astype(np.int64) * count + mesh.corner[edge]
    # Meshes of different kinds of agents have separate vertices, so an edge has one twin.
    order = np.argsort(forth)
    twin = edge[order[np.searchsorted(forth, back, sorter=order)]]
    fan = np.arange(len(mesh.corner))
    # The edge's end is a corner of its own polygon, and its twin begins there in the other one.
    one, other = after[edge], twin
    while True:
        least = np.minimum(fan[one], fan[other])
        changed = (fan[one] != least) | (fan[other] != least)
        if not changed.any():
            return fan
        np.minimum.at(fan, one, least)
        np.minimum.at(fan, other, least)
