"""What `bake lint` finds in the ways of a profile, marked cell by cell on a map."""

from __future__ import annotations

import numpy as np

from bake.errors import QueryError
from bake.graph import Graph, Metric
from bake.lint.ways import Problem, SpawnOrExit, Ways, check_profile, opened_graph
from bake.runtime.reader.floors import grid_cell
from bake.runtime.reader.things import ThingTables
from bake.view.cell_paint import Cells
from bake.view.ink import Ink
from bake.view.legend import Swatch
from bake.view.palette import CASING, Colour
from bake.view.scene import Scene

#: Colour and meaning of what can be marked, by rule.
MARKED: dict[str, tuple[Colour, str]] = {
    "islands": ((232, 126, 22), "cannot be reached"),
    "traps": ((168, 36, 148), "no way back"),
    "exits": ((196, 20, 40), "no way to an exit"),
}


def find(scene: Scene) -> list[Problem]:
    """Islands, traps and spawns without an exit, from the asset alone.

    Raises:
        QueryError: a graph level, which has no cells to mark.
    """
    places, tables = scene.places, scene.tables
    if not places.is_grid:
        raise QueryError(
            "findings are marked on cells, and this level is a graph",
            place=f"level {scene.name!r}",
            remedy="bake lint lists them",
        )
    things = ThingTables(places)
    at_door = np.zeros(places.width * places.height, dtype=np.bool_)
    size = tables.size
    for door in things.doors.values():
        for cell in door.cells.tolist():
            x, y = grid_cell(places, tuple(cell), repr(cell))
            # Anchors of footprints that cover the door lie north and west of it.
            for up in range(min(size, y + 1)):
                for left in range(min(size, x + 1)):
                    at_door[(y - up) * places.width + x - left] = True
    graph = Graph(places.first_out, places.head)
    metric = Metric(tables.weight, tables.component >= 0, places.ticks_per_unit)
    opened = opened_graph(graph, metric, tables.usable, at_door[places.flat])

    def spots(kind: str) -> list[SpawnOrExit]:
        mine = [
            spot
            for spot in things.spots.values()
            if spot.kind == kind and (spot.profiles is None or scene.profile in spot.profiles)
        ]
        cells = [grid_cell(places, spot.place, repr(spot.place)) for spot in mine]
        rows = [int(tables.row_at_cell[y * places.width + x]) for x, y in cells]
        return [SpawnOrExit(spot.name, row, False) for spot, row in zip(mine, rows, strict=True)]

    return list(check_profile(Ways(tables.usable.graph, opened, spots("spawn"), spots("exit"))))


def draw_findings(ink: Ink, scene: Scene, cells: Cells, found: list[Problem]) -> list[Swatch]:
    """Mark every place concerned; the swatches that say what marks mean."""
    swatches = []
    for rule, (colour, text) in MARKED.items():
        parts = [each.rows for each in found if each.rule == rule and len(each.rows)]
        if not parts:
            continue
        rows = np.concatenate(parts)
        at = cells.centre(scene.places.flat[scene.tables.node[rows]])
        radius = max(1.0, 0.26 * cells.scale)
        ink.discs(at, radius + min(1.5, 0.1 * cells.scale), CASING)
        ink.discs(at, radius, colour)
        swatches.append(Swatch(colour, f"{text} ({len(rows):,})", round=True))
    return swatches
