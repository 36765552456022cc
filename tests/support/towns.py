"""Levels built of prototypes."""

import random
from collections.abc import Sequence
from typing import Any

Rows = list[str]


def house(rng: random.Random, width: int, height: int, exits: int, *, floor: str = ".") -> Rows:
    """Draw a house of rooms in a wall: each room has a door to the one it was cut from."""
    cells = [["#"] * width for _ in range(height)]
    for row in cells[1:-1]:
        row[1:-1] = [floor] * (width - 2)
    _divide(rng, cells, 1, 1, width - 1, height - 1)
    around = [(x, y) for x in range(1, width - 1) for y in (0, height - 1)]
    around += [(x, y) for x in (0, width - 1) for y in range(1, height - 1)]
    free = [(x, y) for x, y in around if _open_beside(cells, x, y)]
    for x, y in rng.sample(free, min(exits, len(free))):
        cells[y][x] = floor
    return ["".join(row) for row in cells]


def _divide(rng: random.Random, cells: list[list[str]], x0: int, y0: int, x1: int, y1: int) -> None:
    """Cut a room in two by a wall with a door, until rooms are small."""
    wide, high = x1 - x0, y1 - y0
    if max(wide, high) < 6:
        return
    if wide >= high:
        at = rng.randrange(x0 + 2, x1 - 2)
        for y in range(y0, y1):
            cells[y][at] = "#"
        # A door where a later wall may not end.
        cells[rng.choice((y0, y1 - 1))][at] = "."
        _divide(rng, cells, x0, y0, at, y1)
        _divide(rng, cells, at + 1, y0, x1, y1)
    else:
        at = rng.randrange(y0 + 2, y1 - 2)
        cells[at][x0:x1] = "#" * wide
        cells[at][rng.choice((x0, x1 - 1))] = "."
        _divide(rng, cells, x0, y0, x1, at)
        _divide(rng, cells, x0, at + 1, x1, y1)


def _open_beside(cells: list[list[str]], x: int, y: int) -> bool:
    height, width = len(cells), len(cells[0])
    inside = [(x + dx, y + dy) for dx, dy in ((0, 1), (0, -1), (1, 0), (-1, 0))]
    return any(0 < a < width - 1 and 0 < b < height - 1 and cells[b][a] != "#" for a, b in inside)


def town(
    rng: random.Random, kinds: Sequence[Rows], across: int, down: int, street: int
) -> dict[str, Any]:
    """Lay houses out in blocks, of which each is one kind in some turn, with streets between.

    Args:
        kinds: prototypes; none is longer along one side than the next one is wide apart.
        across, down: houses in a row, and rows.
        street: cells between two plots.
    """
    side = max(max(len(rows), len(rows[0])) for rows in kinds)
    step = side + street
    instances = []
    for number in range(across * down):
        kind = number % len(kinds)
        rows = kinds[kind]
        turned, mirrored = rng.choice((0, 90, 180, 270)), rng.random() < 0.5
        wide, high = len(rows[0]), len(rows)
        if turned in (90, 270):
            wide, high = high, wide
        x, y = number % across * step + street, number // across * step + street
        place = [x + rng.randint(0, side - wide), y + rng.randint(0, side - high)]
        instances.append({"of": str(kind), "at": place, "turned": turned, "mirrored": mirrored})
    return {
        "format": "bake-tiles",
        "version": 1,
        "terrains": {"floor": 1, "wall": "blocked"},
        "legend": {".": "floor", "#": "wall"},
        "rows": ["." * (across * step + street)] * (down * step + street),
        "prototypes": {str(kind): {"rows": rows} for kind, rows in enumerate(kinds)},
        "instances": instances,
    }
