"""Draw maps of graph levels: nodes at their positions, and arcs as straight roads."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bake.core.arrays import Float64Array, Int32Array, UInt8Array
from bake.play.mesh.polygons import GRID
from bake.show import Show
from bake.show.canvas import ARROW_HEAD, Canvas, plain, width_of
from bake.show.colours import (
    ARROW,
    LARGEST_ON_PAPER,
    PAPER,
    ROAD,
    ROAD_CASING,
    ROAD_CLOSED,
    UNREACHABLE_STRIPE,
    shades,
)
from bake.show.marks import draw_ends, draw_layer, draw_searched, draw_walked, ring_small_components
from bake.show.page import Map, number, page_pixels, ramp_swatches
from bake.show.plane_map import draw_areas, draw_polygons, has_domains
from bake.show.request import MAX_PIXELS, Request, Toward
from bake.show.scene import Roads, Scene, roads_of
from bake.show.views import row_colours
from levelbake.errors import QueryError

#: The margin around the outermost nodes in pixels, for names and marks.
_BORDER = 48

#: Limits of the longer side of a map in pixels, if no scale is given. Between them, the side grows
#: with the square root of the number of nodes.
_SHORTEST_SIDE, _LONGEST_SIDE, _SIDE_PER_ROOT = 560.0, 1500.0, 160.0

#: The number of segments of a road whose color changes along it.
_SHADES_A_ROAD = 8

#: A component whose longer side has fewer pixels gets a ring.
_NOTICED = 9

#: Maps of more nodes than this are drawn without casings.
_PLAIN_FROM = 20_000


#: The height of names, the most unmarked nodes that may get a name, and their least radius.
_NAME_SIZE, _TRIED, _SMALLEST_NAMED = 13, 3000, 2.0
#: The cost of covering a pixel of a node or name: more than the pixels of any name.
_TAKEN = 2**24

#: Width of roads and radius of nodes over a divided plane, in pixels.
_MESH_ROAD, _MESH_NODE = 1.0, 2.6


@dataclass(frozen=True)
class _Plan:
    """The layout of a map in pixels."""

    #: width, height: pixels of the map
    width: int
    height: int
    point: Float64Array  #: (n, 2) float64 pixels, the positions of the nodes
    #: (2) float64 units, the least x and y that are drawn
    low: Float64Array
    per_unit: float  #: pixels of a unit of position
    road: float  #: width of a road in pixels
    node: float  #: radius of a node in pixels


def draw_roads(request: Request) -> Map:
    """Draw a graph level.

    Raises:
        QueryError: its nodes have no positions, or the scale does not suit it.
    """
    scene, toward = request.scene, request.toward
    plan = _plan(scene, request.scale)
    point = plan.point[scene.columns.node]
    roads = roads_of(scene)
    ink = Canvas(plan.width, plan.height)
    if (plane := _plane(scene)) is not None:
        draw_plane, _ = plane
        draw_plane(ink, scene, plan.low, plan.per_unit, _BORDER)
        if not has_domains(scene):
            plan = replace(plan, road=_MESH_ROAD, node=min(plan.node, _MESH_NODE))
    muted = np.full((len(point), 3), LARGEST_ON_PAPER, dtype=np.uint8)
    colours, swatches = row_colours(request, muted, LARGEST_ON_PAPER)
    # Other profiles divide the same plane into other nodes.
    stands = scene.columns.component >= 0
    shown = stands | (plane is None)
    _draw_lines(ink, request, plan, roads.among(shown), colours)
    if request.path is not None and request.path.rows is not None:
        ink.path(point[request.path.rows], max(plan.node, plan.road) * 3.6)
    _draw_arrows(ink, request, plan, roads)
    if request.layer is not None:
        draw_layer(ink, request.layer, point, plan.node * 4)
    ink.discs(plan.point[shown & ~stands], plan.node * 0.7, ROAD_CLOSED)
    ink.discs(point, plan.node, colours, rim=1.1 if plan.node >= 2 else 0.0)
    if request.searched is not None:
        draw_searched(ink, request.searched, point, plan.node * 2)
    if request.walked is not None:
        draw_walked(ink, request.walked, lambda node: plan.point[node], plan.node * 3.2)
    if request.show is Show.components:
        ring_small_components(ink, scene, point, 2 * plan.node, noticed=_NOTICED)
    draw_ends(ink, request, point, plan.node * 3.2)
    marked = [] if toward is None else [toward.goal]
    if request.path is not None:
        marked += [request.path.goal, request.path.start]
    if plane is None or has_domains(scene):  # Other names are meaningless numbers.
        _write_names(ink, scene, plan, scene.columns.node[marked].tolist())
    if toward is not None and request.show in (Show.distances, Show.hops):
        swatches += ramp_swatches(toward.greatest)
    return Map(ink.picture(), swatches, f"{number(plan.per_unit)} pixels a unit", framed=True)


def _write_names(ink: Canvas, scene: Scene, plan: _Plan, marked: list[int]) -> None:
    """Write names beside as many nodes as have room for one, marked nodes first.

    Nodes with the most arcs follow, unless they are too small. Names do not overlap nodes or each
    other, and cover as little of the roads as possible.
    """
    hidden = (np.asarray(ink.picture()) != np.array(PAPER, dtype=np.uint8)).any(axis=2)
    cost = hidden.astype(np.int32)
    degree = np.diff(scene.places.first_out)
    order: list[int] = []
    if plan.node >= _SMALLEST_NAMED:
        order = np.lexsort((np.arange(len(degree)), -degree))[:_TRIED].tolist()
        for x, y in plan.point.tolist():
            cost[_box(x - plan.node, y - plan.node, 2 * plan.node, 2 * plan.node)] = _TAKEN
    for node in dict.fromkeys([*marked[::-1], *order]):
        text = plain(str(scene.places.names[node]))
        gap = (11.0 if node in marked else plan.node) + 5
        x, y = plan.point[node].tolist()
        width, height = width_of(text, _NAME_SIZE), float(_NAME_SIZE)
        near = gap * 0.7
        # Right, left, above and below of the node, then at its corners.
        corners = [(x + gap, y - height / 2), (x - gap - width, y - height / 2)]
        corners += [(x - width / 2, y - gap - height), (x - width / 2, y + gap)]
        corners += [
            (left, top)
            for left in (x + near, x - near - width)
            for top in (y - near - height, y + near)
        ]
        boxes = [_box(left - 2, top - 1, width + 4, height + 2) for left, top in corners]
        costs = [int(cost[box].sum()) if _lies_in(box, ink.size) else _TAKEN for box in boxes]
        best = costs.index(min(costs))
        if costs[best] < _TAKEN:
            left, top = corners[best]
            ink.text((left, top + height / 2), text, _NAME_SIZE, halo=2)
            cost[boxes[best]] = _TAKEN


def _box(left: float, top: float, width: float, height: float) -> tuple[slice, slice]:
    """Return the slices of the rows and columns of a rectangle."""
    return (
        slice(math.floor(top), math.ceil(top + height)),
        slice(math.floor(left), math.ceil(left + width)),
    )


def _lies_in(box: tuple[slice, slice], size: tuple[int, int]) -> bool:
    rows, columns = box
    return bool(
        min(rows.start, columns.start) >= 0 and columns.stop <= size[0] and rows.stop <= size[1]
    )


def _plane(scene: Scene) -> tuple[Callable[..., None], Float64Array] | None:
    """Return the drawing function for a divided plane, and its corners, (k, 2) float64 units."""
    for column, draw in (("/mesh_vertex", draw_polygons), ("/wall_corner", draw_areas)):
        if scene.places.asset.has(column):
            return draw, scene.places.asset.read(column) / GRID
    return None


def _plan(scene: Scene, scale: int | None) -> _Plan:
    where = f"level {scene.name!r}"
    position = scene.places.position
    if position is None:
        raise QueryError(
            "a graph without positions cannot be drawn",
            place=where,
            remedy="give its nodes x and y",
        )
    plane = _plane(scene)
    drawn = position if plane is None else np.concatenate([position, plane[1]])
    low = drawn.min(axis=0)
    with np.errstate(over="ignore"):
        extent = drawn.max(axis=0) - low
    if not np.isfinite(extent).all():
        raise QueryError("the nodes lie too far apart to be drawn", place=where)
    longer = float(extent.max()) or 1.0
    count = len(position)
    if scale is None:
        side = min(_LONGEST_SIDE, max(_SHORTEST_SIDE, _SIDE_PER_ROOT * math.sqrt(count)))
        per_unit = (side - 2 * _BORDER) / longer
    else:
        per_unit = float(scale)
    width, height = (float(edge) * per_unit + 2 * _BORDER for edge in extent)
    if scale is not None and (scale < 1 or page_pixels(width, height) > MAX_PIXELS):
        raise QueryError(
            f"--scale {scale} is too {'small' if scale < 1 else 'large'}",
            place=f"{where}, {extent[0]:,.6g} x {extent[1]:,.6g} units",
            expected=f"pixels a unit, for at most {MAX_PIXELS:,} pixels",
            remedy="leave it out for a picture that fits",
        )
    width_px, height_px = math.ceil(width), math.ceil(height)
    inner = max(1.0, (width - 2 * _BORDER) * (height - 2 * _BORDER))
    apart = min(math.sqrt(inner / count), longer * per_unit / 4)
    return _Plan(
        width_px,
        height_px,
        (position - low) * per_unit + _BORDER,
        low,
        per_unit,
        min(6.0, max(1.0, apart * 0.085)),
        min(8.0, max(1.2, apart * 0.085)),
    )


def _draw_lines(
    ink: Canvas, request: Request, plan: _Plan, roads: Roads, colours: UInt8Array
) -> None:
    """Draw all roads.

    In the view of components, a road within a component has its color from ``colours``, (r, 3).
    """
    scene = request.scene
    ends = np.hstack([plan.point[roads.a], plan.point[roads.b]])
    closed = ~(roads.there | roads.back)
    ink.lines(ends[closed], max(1.0, plan.road * 0.5), ROAD_CLOSED)
    ends, a, b = ends[~closed], roads.a[~closed], roads.b[~closed]
    cased = scene.places.node_count <= _PLAIN_FROM and plan.road >= 1.5
    if cased:
        ink.lines(ends, plan.road + 2.2, ROAD_CASING)
    plain = ROAD if cased else ROAD_CASING
    if request.show is Show.components:
        same = scene.columns.component[a] == scene.columns.component[b]
        ink.lines(ends[~same], plan.road, plain)
        ink.lines(ends[same], plan.road, colours[scene.columns.row_at_node[a[same]]])
    elif request.show is Show.distances and request.toward is not None:
        _draw_shaded(ink, scene, request.toward, plan, (ends, a, b))
    else:
        ink.lines(ends, plan.road, plain)


def _draw_shaded(
    ink: Canvas,
    scene: Scene,
    toward: Toward,
    plan: _Plan,
    lines: tuple[Float64Array, Int32Array, Int32Array],
) -> None:
    """Draw roads in the shades of the distances along them."""
    ends, a, b = lines
    distance = np.full(scene.places.node_count, np.inf)
    distance[scene.columns.node] = toward.distance
    reached = np.isfinite(distance[a]) & np.isfinite(distance[b])
    ink.lines(ends[~reached], plan.road, UNREACHABLE_STRIPE)
    ends, near, far = ends[reached], distance[a[reached]], distance[b[reached]]
    start, step = ends[:, :2], (ends[:, 2:] - ends[:, :2]) / _SHADES_A_ROAD
    for part in range(_SHADES_A_ROAD):
        fraction = (near + (far - near) * (part + 0.5) / _SHADES_A_ROAD) / max(
            toward.greatest, 1e-9
        )
        piece = np.hstack([start + step * part, start + step * (part + 1)])
        ink.lines(piece, plan.road, shades(fraction))


def _draw_arrows(ink: Canvas, request: Request, plan: _Plan, roads: Roads) -> None:
    """Draw arrows along next hops in the view of hops, and otherwise along one-way roads."""
    toward = request.toward
    if request.show is Show.hops and toward is not None and toward.next_row is not None:
        node = request.scene.columns.node
        moves = np.flatnonzero(toward.next_row != np.arange(len(node)))
        tail, head = node[moves], node[toward.next_row[moves]]
        width = max(1.2, plan.road * 0.45)
        ink.lines(np.hstack([plan.point[tail], plan.point[head]]), width, ARROW)
    else:
        forward, backward = roads.there & ~roads.back, roads.back & ~roads.there
        tail = np.concatenate([roads.a[forward], roads.b[backward]])
        head = np.concatenate([roads.b[forward], roads.a[backward]])
    start = plan.point[tail]
    gap = plan.point[head] - start
    length = np.hypot(gap[:, 0], gap[:, 1])
    size = plan.road * 2 + 6
    roomy = length > 2 * plan.node + size
    if plan.road >= 1.5 and roomy.any():
        ink.arrows(ARROW_HEAD, (start + gap * 0.5)[roomy], gap[roomy], size, ARROW)
