"""Draw marks over maps: layers, searches, ends of paths, links, spots, floors and findings."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from bake.core.arrays import Float64Array, Int32Array
from bake.core.graph import Graph, Metric
from bake.core.movement import under_footprint
from bake.project.lint.ways import Problem, SpawnOrExit, Ways, check_profile, opened_graph
from bake.show.canvas import Canvas, width_of
from bake.show.cells import DrawnCells
from bake.show.colours import (
    ACROSS,
    CASING,
    GOAL,
    INK,
    INSIDE,
    ISLAND,
    NO_EXIT,
    PATH,
    START,
    TRANSITION,
    TRAP,
    Colour,
    as_colour,
    component_colours,
    shades,
    vivid,
)
from bake.show.page import Swatch
from bake.show.request import Request, Route, Searched, Walked
from bake.show.scene import LayerScene, Scene
from bake.show.views import MOST_INSIDE, route_colour
from levelbake.places import Cell
from levelbake.steps import in_rows
from levelbake.things import Link

#: At most this many rings are drawn around small components.
_MOST_RINGS = 80

#: The sideways bend of a curve as a fraction of its length, which separates opposite links.
_BEND = 0.14
_CURVE_POINTS = 24

#: Color and meaning of the findings of lint that can be marked, by rule.
MARKED: dict[str, tuple[Colour, str]] = {
    "islands": (ISLAND, "cannot be reached"),
    "traps": (TRAP, "no path back"),
    "exits": (NO_EXIT, "no path to an exit"),
}


def draw_layer(ink: Canvas, layer: LayerScene, point: Float64Array, room: float) -> None:
    """Draw transitions and the arcs between them.

    Args:
        ink: the canvas.
        layer: the layer of a hierarchy.
        point: (r, 2) pixels of every row.
        room: pixels between neighboring places.
    """
    thin = min(1.6, max(0.6, 0.08 * room))
    if len(layer.inside) <= MOST_INSIDE:
        ink.lines(_ends(point, layer.inside), thin, INSIDE)
    ink.lines(_ends(point, layer.across), min(5.0, max(1.5, 0.3 * room)), ACROSS)
    size = min(6.0, max(1.4, 0.3 * room))
    ink.discs(point[layer.transition], size, TRANSITION, rim=0.8)


def _ends(point: Float64Array, pairs: Int32Array) -> Float64Array:
    return np.hstack([point[pairs[:, 0]], point[pairs[:, 1]]])


def draw_searched(ink: Canvas, searched: Searched, point: Float64Array, room: float) -> None:
    """Draw the transitions that an HPA* search expanded, and its route over each layer.

    Routes over higher layers are wider.
    """
    expanded = searched.transition
    size = min(7.0, max(2.0, 0.42 * room))
    ink.discs(point[expanded], size, shades(np.linspace(0, 1, len(expanded))), rim=1.0)
    for number in range(len(searched.plan), 0, -1):
        points, colour = point[searched.plan[number - 1]], route_colour(number)
        width = 2.0 + 2.2 * number
        ink.polyline(points, width, colour, casing=2.0)
        ink.discs(points, width * 0.9, colour)


def draw_walked(
    ink: Canvas, walked: Walked, point_of: Callable[[Int32Array], Float64Array], room: float
) -> None:
    """Draw agents and their planned paths; for a single agent also its trail and goal.

    Args:
        ink: the canvas.
        walked: the agents.
        point_of: returns (k, 2) pixels of a line through locations.
        room: pixels between neighboring places.
    """
    alone = len(walked.walkers) == 1
    colours = [PATH] if alone else [as_colour(each) for each in vivid(len(walked.walkers))]
    width = min(7.0 if alone else 4.0, max(1.5, (0.26 if alone else 0.14) * room))
    for walker, colour in zip(walked.walkers, colours, strict=True):
        location = walker.trail[-1:]
        if alone and len(walker.trail) > 1:
            ink.polyline(point_of(walker.trail), max(1.5, 0.5 * width), START)
        if len(walker.ahead):
            points = point_of(np.concatenate([location, walker.ahead]))
            ink.polyline(points, width, colour, casing=max(1.5, 0.6 * width))
    for walker, colour in zip(walked.walkers, colours, strict=True):
        if alone:
            if walker.goal >= 0:
                ink.goal(point_of(np.array([walker.goal], dtype=np.int32))[0], room)
            ink.start(point_of(walker.trail[-1:])[0], room)
        else:
            ink.discs(point_of(walker.trail[-1:]), max(2.0, 0.36 * room), colour, rim=1.0)


def draw_ends(ink: Canvas, request: Request, point: Float64Array, room: float) -> None:
    """Mark the goal of distances and the ends of the path.

    Args:
        ink: the canvas.
        request: the request with the goal or path.
        point: (r, 2) pixels of every row.
        room: pixels between neighboring places.
    """
    if request.toward is not None:
        ink.goal(point[request.toward.goal], room)
    path = request.path
    if path is not None:
        ink.goal(point[path.goal], room)
        ink.start(point[path.start], room)


def _split_by_heading(scene: Scene, rows: Int32Array) -> list[Int32Array]:
    """Split a path at changes of heading, as each heading has its own copy of the map."""
    if scene.places.headings is None:
        return [rows]
    heading = scene.flat[rows] // (scene.places.width * (scene.places.floor_height or 1))
    pieces = np.split(rows, np.flatnonzero(np.diff(heading)) + 1)
    return [piece for piece in pieces if len(piece) > 1]


def ring_small_components(
    ink: Canvas, scene: Scene, point: Float64Array, size: float, noticed: float
) -> None:
    """Draw rings around components that are too small to be noticed, except the largest.

    Args:
        ink: the canvas.
        scene: level and profile.
        point: (r, 2) float64 pixels of every row.
        size: pixels of a place.
        noticed: a component whose longer side has fewer pixels gets a ring.
    """
    rank, count = scene.components.rank, len(scene.components.size)
    if count < 2:
        return
    low = np.full((count, 2), np.inf)
    high = np.full((count, 2), -np.inf)
    np.minimum.at(low, rank, point)
    np.maximum.at(high, rank, point)
    extent = (high - low).max(axis=1) + size
    small = np.flatnonzero(extent < noticed)
    small = small[small > 0][:_MOST_RINGS]
    middle = (low[small] + high[small]) / 2
    ink.rings(middle, extent[small] / 2 * 1.25 + 6, component_colours(count)[small])


# -- on grids alone -------------------------------------------------------------------------------


class GridRoutes:
    """The lines of paths over cells; between the ends of a link, they follow the link."""

    def __init__(self, scene: Scene, cells: DrawnCells) -> None:
        """Compute the lines of links.

        Raises:
            CorruptAssetError: columns of things contradict each other.
        """
        self._scene, self._cells = scene, cells
        #: The links that the profile may take, each with (k, 2) pixels along its line.
        self.links: list[tuple[Link, Float64Array]] = []
        self._line: dict[tuple[int, int], Float64Array] = {}
        reversed_lines: dict[tuple[int, int], Float64Array] = {}
        for link in scene.level.links.values():
            if link.profiles is None or scene.profile in link.profiles:
                locations = _flat(scene, [link.start, *link.via, link.goal])
                line = _line_of_link(cells.centre(locations))
                self.links.append((link, line))
                start, goal = int(locations[0]), int(locations[-1])
                self._line.setdefault((start, goal), line)
                if link.both_ways:
                    reversed_lines.setdefault((goal, start), line[::-1])
        self._line = reversed_lines | self._line

    def points(self, locations: Int32Array) -> Float64Array:
        """Return (k, 2) pixels of a line through cells one step or one link apart."""
        centre = self._cells.centre(locations)
        begin, lines = 0, []
        for step, ends in enumerate(pairwise(locations.tolist()), 1):
            line = self._line.get(ends)
            if line is not None:
                lines += [centre[begin:step], line[1:-1]]
                begin = step
        return np.concatenate([*lines, centre[begin:]])

    def draw_path(self, ink: Canvas, path: Route) -> None:
        """Draw a path, if there is one."""
        if path.rows is not None:
            for piece in _split_by_heading(self._scene, path.rows):
                ink.path(self.points(self._scene.flat[piece]), self._cells.scale)


def draw_things(ink: Canvas, scene: Scene, cells: DrawnCells, routes: GridRoutes) -> None:
    """Draw links the profile may take as curves with arrowheads, and its spots as dots."""
    for link, line in routes.links:
        _draw_link(ink, line, cells.scale, both_ways=link.both_ways)
    size = min(7.0, max(2.5, 0.24 * cells.scale))
    for spot in scene.level.spots(profile=scene.profile):
        centre = cells.centre(_flat(scene, [spot.place]))
        ink.discs(centre, size, GOAL if spot.kind == "exit" else START, rim=1)


def _flat(scene: Scene, cells: list[Cell]) -> Int32Array:
    """Return (k) int32, the locations of cells."""
    return np.array([scene.places.location(cell) for cell in cells], dtype=np.int32)


def _line_of_link(through: Float64Array) -> Float64Array:
    """Return (k, 2), the line through the centers of a link's cells; a curve if there are two."""
    if len(through) > 2:
        return through
    start, goal = through
    along = goal - start
    middle = (start + goal) / 2 + _BEND * np.array([-along[1], along[0]])
    t = np.linspace(0, 1, _CURVE_POINTS)[:, None]
    curve: Float64Array = (1 - t) ** 2 * start + 2 * t * (1 - t) * middle + t**2 * goal
    return curve


def _draw_link(ink: Canvas, line: Float64Array, scale: int, *, both_ways: bool) -> None:
    """Draw the line of a link, with arrowheads."""
    along = line[-1] - line[0]
    width = min(3.0, max(1.4, 0.1 * scale))
    ink.polyline(line, width, INK, casing=1.6)
    head = min(0.45 * float(np.hypot(*along)), max(5.0, 0.4 * scale))
    back = 3 if len(line) == _CURVE_POINTS else 1
    for tip, behind in [(-1, -1 - back), (0, back)] if both_ways else [(-1, -1 - back)]:
        _draw_head(ink, line[tip], line[tip] - line[behind], head)
    ink.discs(line[:1], width * 1.2, INK)


def _draw_head(ink: Canvas, tip: Float64Array, along: Float64Array, size: float) -> None:
    ahead = along / max(1e-9, float(np.hypot(*along)))
    aside = np.array([-ahead[1], ahead[0]])
    back = tip - size * ahead
    corners = np.stack([tip, back + 0.45 * size * aside, back - 0.45 * size * aside])
    ink.polygons(corners[None], INK)


def _compass_direction(scene: Scene, heading: int) -> str:
    """Return the compass direction of a heading."""
    clockwise = ("east", "south-east", "south", "south-west", "west", "north-west", "north")
    every = (*clockwise, "north-east")
    headings, layout = scene.places.headings or 8, scene.places.hex_layout
    if layout is None:
        return every[heading * (8 // headings)]
    in_columns = ("south", "south-west", "north-west", "north", "north-east", "south-east")
    in_lines = ("east", "south-east", "south-west", "west", "north-west", "north-east")
    return (in_lines if in_rows(layout) else in_columns)[heading]


def label_floors(ink: Canvas, scene: Scene, cells: DrawnCells) -> None:
    """Draw a light bar between floors, and the number of each floor."""
    rows, floors = scene.places.floor_height, scene.places.floors
    if rows is None:
        return
    width = float(ink.size[0])
    size = min(22, max(10, cells.scale))
    bar = max(2, cells.scale // 6)
    for floor in range(floors):
        first = np.array([floor * rows * scene.places.width], dtype=np.int32)
        # A floor begins half a cell above the center of its first cell. Rows of hexagons overlap.
        top = int(cells.centre(first)[0, 1] - cells.scale / 2)
        if floor:
            ink.rectangle((0, top - bar, width, top + bar), CASING)
            ink.lines(np.array([[0, top, width, top]]), 1, INK)
        text = f"floor {floor}"
        if scene.places.headings is not None:
            text = f"{floor}: facing {_compass_direction(scene, floor)}"
        box = (2, top + bar + 2, 10 + width_of(text, size), top + bar + 6 + size)
        ink.rectangle(box, CASING, outline=INK)
        ink.text((6, (box[1] + box[3]) / 2), text, size)


def findings_of(scene: Scene) -> list[Problem]:
    """Find islands, traps and spawns without an exit, using only the asset."""
    places, columns = scene.places, scene.columns
    opened = columns.usable.graph
    if places.is_grid and scene.level.doors:
        door = np.zeros((places.height, places.width), dtype=np.bool_)
        for opened_door in scene.level.doors.values():
            door.reshape(-1)[places.locations(opened_door.cells, "a door")] = True
        rows = places.floor_height
        at_door = under_footprint(door, columns.size, np.logical_or, False, rows).reshape(-1)
        graph = Graph(places.first_out, places.head)
        metric = Metric(columns.weight, columns.component >= 0, places.ticks_per_unit)
        opened = opened_graph(graph, metric, columns.usable, at_door[places.flat])

    def spots(kind: str) -> list[SpawnOrExit]:
        profile_spots = scene.level.spots(kind, profile=scene.profile)
        rows = columns.row_at[_flat(scene, [spot.place for spot in profile_spots])].tolist()
        return [
            SpawnOrExit(spot.name, row, False)
            for spot, row in zip(profile_spots, rows, strict=True)
        ]

    return list(check_profile(Ways(columns.usable.graph, opened, spots("spawn"), spots("exit"))))


def draw_findings(
    ink: Canvas, scene: Scene, cells: DrawnCells, findings: list[Problem]
) -> list[Swatch]:
    """Mark the places of findings, and return the legend of the marks."""
    swatches = []
    for rule, (colour, text) in MARKED.items():
        parts = [finding.rows for finding in findings if finding.rule == rule and len(finding.rows)]
        if not parts:
            continue
        rows = np.concatenate(parts)
        radius = max(1.0, 0.26 * cells.scale)
        centre, rim = cells.centre(scene.flat[rows]), min(1.5, 0.1 * cells.scale)
        ink.discs(centre, radius, colour, rim=rim, rim_colour=CASING)
        swatches.append(Swatch(colour, f"{text} ({len(rows):,})"))
    return swatches
