"""Maps of graph levels: nodes where they lie, arcs as straight roads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bake.arrays import Float64Array, Int32Array, UInt8Array
from bake.errors import QueryError
from bake.runtime.reader.places import Place
from bake.view.cell_views import terrain_swatches
from bake.view.cluster_colours import cluster_colours
from bake.view.colourmap import shades
from bake.view.component_colours import colours_by_rank, component_swatches, rank_of_row
from bake.view.contours import contour_step
from bake.view.flow import arrow_heads
from bake.view.ink import Ink
from bake.view.layer_marks import draw_layer, draw_searched, layer_swatches, search_swatches
from bake.view.legend import ColourBar, Legend, Swatch
from bake.view.marks import draw_goal, draw_path, draw_start
from bake.view.node_names import write_names
from bake.view.page import Map, page_pixels
from bake.view.palette import (
    ARROW,
    INK,
    LARGEST_ON_PAPER,
    PAPER,
    ROAD,
    ROAD_CASING,
    ROAD_CLOSED,
    UNREACHABLE,
    UNREACHABLE_STRIPE,
)
from bake.view.request import MAX_PIXELS, Request
from bake.view.roads import Roads, roads_of
from bake.view.scene import Scene
from bake.view.small_components import ring_small_components
from bake.view.toward import Toward

#: Free pixels around the outermost nodes, for names and marks.
_BORDER = 48

#: Pixels of the longer side of a map with no scale given: more for more nodes.
_SHORTEST_SIDE, _LONGEST_SIDE, _SIDE_PER_ROOT = 560.0, 1500.0, 160.0

#: Parts a road is cut into where its colour changes along it.
_SHADES_A_ROAD = 8

#: Components whose longer side has fewer pixels get a ring.
_NOTICED = 9

#: Maps of more nodes are drawn without casings.
_PLAIN_FROM = 20_000


@dataclass(frozen=True)
class _Plan:
    """Where nodes lie in pixels, and how large things are.

    Attributes:
        width, height: pixels of the map.
        point: (n, 2) float64 pixels.
        per_unit: pixels a unit of position.
        road: width of a road in pixels.
        node: radius of a node in pixels.
    """

    width: int
    height: int
    point: Float64Array
    per_unit: float
    road: float
    node: float


def draw_roads(request: Request) -> Map:
    """Draw a graph level.

    Raises:
        QueryError: its nodes have no positions, or the scale does not suit it.
    """
    scene = request.scene
    plan = _plan(scene, request.scale)
    roads = roads_of(scene)
    pixels = np.empty((plan.height, plan.width, 3), dtype=np.uint8)
    pixels[...] = PAPER
    ink = Ink()
    colours, swatches, bar = _node_colours(request)
    _draw_lines(ink, request, plan, roads, colours)
    _draw_way(ink, request, plan)
    _draw_arrows(ink, request, plan, roads)
    if request.layer is not None:
        draw_layer(ink, request.layer, plan.point[scene.tables.node], plan.node * 4)
    _draw_nodes(ink, scene, plan, colours)
    if request.searched is not None:
        draw_searched(ink, request.searched, plan.point[scene.tables.node], plan.node * 2)
    if request.show == "components":
        point = plan.point[scene.tables.node]
        ring_small_components(ink, scene, point, 2 * plan.node, noticed=_NOTICED)
    marked = _draw_marks(ink, request, plan)
    ink.draw_on(pixels)
    pixels = write_names(pixels, scene.places, plan.point, plan.node, marked)
    shown_bar = bar if bar and bar.greatest > 0 else None
    legend = Legend(tuple(swatches), plan.per_unit, "unit", shown_bar)
    return Map(pixels, legend, framed=True)


def _plan(scene: Scene, scale: int | None) -> _Plan:
    where = f"level {scene.name!r}"
    position = scene.places.position
    if position is None:
        raise QueryError(
            "a graph without positions cannot be drawn",
            place=where,
            remedy="give its nodes x and y",
        )
    if position.shape != (scene.places.node_count, 2) or not np.isfinite(position).all():
        raise scene.asset.damaged("positions do not fit the graph")
    low = position.min(axis=0)
    with np.errstate(over="ignore"):
        extent = position.max(axis=0) - low
    if not np.isfinite(extent).all():
        raise QueryError("its nodes lie too far apart to be drawn", place=where)
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
        per_unit,
        min(6.0, max(1.0, apart * 0.085)),
        min(8.0, max(1.2, apart * 0.085)),
    )


def _node_colours(request: Request) -> tuple[UInt8Array, list[Swatch], ColourBar | None]:
    """(n, 3) uint8 colour of every node, what they mean, and the bar of distances."""
    scene, toward = request.scene, request.toward
    terrain = scene.node_terrain()
    colours: UInt8Array = scene.colours[terrain]
    node = scene.tables.node
    if request.show == "components":
        rank, places, first = rank_of_row(scene)
        by_rank = colours_by_rank(len(places), LARGEST_ON_PAPER)
        colours[node] = by_rank[rank]
        return colours, component_swatches(scene, places, first, "nodes", by_rank), None
    layer, searched = request.layer, request.searched
    if layer is not None:
        of_cluster = cluster_colours(scene, layer.cluster, layer.clusters)
        colours[node] = of_cluster[layer.cluster]
        return colours, layer_swatches(layer, of_cluster), None
    if request.show == "search" and searched is not None:
        colours[node] = LARGEST_ON_PAPER
        latest = max(searched.known.max(initial=0), 1e-9)
        colours[node[searched.row]] = shades(searched.known / latest)
        return colours, search_swatches(searched), None
    if request.show == "terrain" or toward is None:
        return colours, terrain_swatches(scene, terrain), None
    reached = np.isfinite(toward.distance)
    fraction = toward.distance / max(toward.greatest, 1e-9)
    colours[node[reached]] = shades(fraction[reached])
    colours[node[~reached]] = UNREACHABLE
    swatches = []
    if not reached.all():
        swatches.append(Swatch(UNREACHABLE, "no way to the goal"))
    return colours, swatches, ColourBar(toward.greatest, contour_step(toward.greatest, 12), False)


def _draw_lines(ink: Ink, request: Request, plan: _Plan, roads: Roads, colours: UInt8Array) -> None:
    ends = np.hstack([plan.point[roads.a], plan.point[roads.b]])
    closed = ~(roads.there | roads.back)
    ink.lines(ends[closed], max(1.0, plan.road * 0.5), ROAD_CLOSED)
    ends, a, b = ends[~closed], roads.a[~closed], roads.b[~closed]
    cased = request.scene.places.node_count <= _PLAIN_FROM and plan.road >= 1.5
    if cased:
        ink.lines(ends, plan.road + 2.2, ROAD_CASING)
    if request.show == "components":
        same = request.scene.tables.component[a] == request.scene.tables.component[b]
        ink.lines(ends[~same], plan.road, ROAD if cased else ROAD_CASING)
        ink.lines(ends[same], plan.road, colours[a[same]])
    elif request.show == "distances" and request.toward is not None:
        _draw_shaded(ink, request.scene, request.toward, plan, (ends, a, b))
    else:
        ink.lines(ends, plan.road, ROAD if cased else ROAD_CASING)


def _draw_shaded(
    ink: Ink,
    scene: Scene,
    toward: Toward,
    plan: _Plan,
    lines: tuple[Float64Array, Int32Array, Int32Array],
) -> None:
    """Roads whose colour goes from one end's distance to the other's."""
    ends, a, b = lines
    distance = np.full(scene.places.node_count, np.inf)
    distance[scene.tables.node] = toward.distance
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


def _draw_arrows(ink: Ink, request: Request, plan: _Plan, roads: Roads) -> None:
    """Along next hops where those are shown, else along roads that go one way only."""
    toward = request.toward
    if request.show == "hops" and toward is not None and toward.next_row is not None:
        node = request.scene.tables.node
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
        ink.polygons(arrow_heads((start + gap * 0.5)[roomy], gap[roomy], size), ARROW)


def _draw_nodes(ink: Ink, scene: Scene, plan: _Plan, colours: UInt8Array) -> None:
    stands = scene.tables.component >= 0
    ink.discs(plan.point[~stands], plan.node * 0.7, ROAD_CLOSED)
    if plan.node >= 2:
        ink.discs(plan.point[stands], plan.node + 1.1, INK)
    ink.discs(plan.point[stands], plan.node, colours[stands])


def _nodes(request: Request, names: Sequence[Place]) -> npt.NDArray[np.intp]:
    places = request.scene.places
    return np.array([places.node_named(name) for name in names], dtype=np.intp)


def _draw_way(ink: Ink, request: Request, plan: _Plan) -> None:
    if request.way is not None and request.way.places is not None:
        points = plan.point[_nodes(request, request.way.places)]
        draw_path(ink, points, max(plan.node, plan.road) * 3.6)


def _draw_marks(ink: Ink, request: Request, plan: _Plan) -> npt.NDArray[np.intp]:
    """Mark start and goals; the nodes that must have their names written."""
    room = plan.node * 3.2
    marked: list[Place] = []
    if request.toward is not None:
        marked.append(request.toward.goal)
        draw_goal(ink, plan.point[_nodes(request, marked)][0], room)
    way = request.way
    if way is not None:
        ends = plan.point[_nodes(request, [way.start, way.goal])]
        draw_goal(ink, ends[1], room)
        draw_start(ink, ends[0], room)
        marked += [way.goal, way.start]
    return _nodes(request, marked)
