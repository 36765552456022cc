"""Columns of the baked heuristic."""

from __future__ import annotations

from bake.asset.columns import PROFILE, Attribute, Column

ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute(
        f"/profiles/{PROFILE}",
        "pivot_two_way",
        "flag",
        "1 where every arc can be taken back at the same cost: then pivot and basin columns hold "
        "for both directions",
        optional=True,
    ),
    Attribute(
        f"/profiles/{PROFILE}",
        "field_shift",
        "integer",
        "slopes of fields are in 1 / 2**field_shift ticks",
        optional=True,
    ),
)

COLUMNS: tuple[Column, ...] = (
    Column(
        f"/profiles/{PROFILE}/pivot_distance",
        ("int32",),
        ("row", "pivot column"),
        "ticks",
        "distance between the row and a pivot; where pivot_two_way is 0 the first half of the "
        "columns are distances to pivots, the second half distances from the same pivots. Where "
        "there is no path stands the largest distance of the column",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/basin",
        ("uint8", "uint16", "int32"),
        ("row",),
        "basin",
        "basin the row belongs to",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/basin_anchor",
        ("int32",),
        ("basin",),
        "row",
        "row of the basin where its fields are zero",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/basin_distance",
        ("int32",),
        ("basin pair",),
        "ticks",
        "smallest distance less both fields from a row of one basin to a row of another; "
        "2147483647 where there is no path. Where pivot_two_way is 1 the pair a <= b stands at "
        "b * (b + 1) / 2 + a, else from a to b at a * basins + b",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/basin_fields",
        ("uint8",),
        ("basin pair",),
        "field",
        "16 times the field of basin a plus that of basin b",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/field",
        ("int32",),
        ("field", "part"),
        "ticks a step; sign",
        "slope along x and along y of the row's coordinates, then the sign with which each pivot "
        "column counts",
        optional=True,
    ),
)

TABLES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "heuristic",
        "distances to pivots, and between basins corrected by fields",
        ("basin", "pivot_distance", "basin_anchor", "field", "basin_fields", "basin_distance"),
    ),
    ("heuristic", "distances to pivots", ("pivot_distance",)),
)
