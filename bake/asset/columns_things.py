"""Columns of what a level holds besides terrain: links, regions, spots, doors.

Cells are those of the whole grid, in which floors lie below one another.
"""

from __future__ import annotations

from bake.asset.columns import PROFILE, Attribute, Column

THING_ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute(
        "/",
        "floor_height",
        "integer",
        "rows of one floor, where several lie below one another in the grid, the lowest first",
        optional=True,
    ),
    Attribute(
        f"/profiles/{PROFILE}",
        "size",
        "integer",
        "cells along one side of the square footprint, whose north-west cell is where the agent "
        "is; absent where it is 1",
        optional=True,
    ),
)


def _column(path: str, dtype: str, dims: tuple[str, ...], unit: str, description: str) -> Column:
    return Column(path, (dtype,), dims, unit, description, optional=True)


def _name(group: str, dim: str) -> Column:
    return _column(f"/{group}/name", "S", (dim,), "text", f"name of the {dim}, unique among them")


def _kind(group: str, dim: str) -> Column:
    return _column(f"/{group}/kind", "S", (dim,), "text", f"what the level calls the {dim}")


def _cells(group: str, dim: str) -> tuple[Column, Column]:
    cell = f"{dim} cell"
    return (
        _column(
            f"/{group}/first_cell",
            "int32",
            (f"{dim} + 1",),
            cell,
            f"cells of {dim} i are first_cell[i] to first_cell[i + 1] - 1",
        ),
        _column(f"/{group}/cell", "int32", (cell, "xy"), "cells", f"x and y of the {dim}'s cells"),
    )


def _profiles(group: str, dim: str) -> tuple[Column, Column]:
    one = f"{dim} profile"
    return (
        _column(
            f"/{group}/first_profile",
            "int32",
            (f"{dim} + 1",),
            one,
            f"profiles of {dim} i are first_profile[i] to first_profile[i + 1] - 1; none: all",
        ),
        _column(f"/{group}/profile", "S", (one,), "text", f"name of a profile the {dim} is for"),
    )


THING_COLUMNS: tuple[Column, ...] = (
    _column(
        "/world/link",
        "int32",
        ("arc",),
        "link",
        "link the arc is, -1 for a step; of a link, length is its whole cost",
    ),
    _name("links", "link"),
    _kind("links", "link"),
    _column("/links/start", "int32", ("link", "xy"), "cells", "x and y of where it begins"),
    _column("/links/goal", "int32", ("link", "xy"), "cells", "x and y of where it leads"),
    _column("/links/cost", "float64", ("link",), "units", "cost of taking it"),
    _column("/links/both_ways", "uint8", ("link",), "0 or 1", "1 where it leads back, too"),
    *_profiles("links", "link"),
    _name("regions", "region"),
    *_cells("regions", "region"),
    _name("spots", "spot"),
    _kind("spots", "spot"),
    _column("/spots/cell", "int32", ("spot", "xy"), "cells", "x and y of where it is"),
    *_profiles("spots", "spot"),
    _name("doors", "door"),
    *_cells("doors", "door"),
    _column(
        "/doors/first_state",
        "int32",
        ("door + 1",),
        "door state",
        "states of door i are first_state[i] to first_state[i + 1] - 1",
    ),
    _column("/doors/state_name", "S", ("door state",), "text", "name of the state"),
    _column("/doors/state", "int32", ("door",), "door state", "the state the level is baked in"),
    _column(
        "/doors/terrain",
        "uint8",
        ("door state cell",),
        "terrain",
        "state after state, terrain of each of its door's cells",
    ),
)
