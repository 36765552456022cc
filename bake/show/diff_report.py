"""Report a difference between two bakes as text, as data or as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bake.core.arrays import Int32Array
from bake.core.errors import counted, in_units
from bake.play.reader.columns import ProfileColumns
from bake.show.colours import (
    CHEAPER,
    CLOSED,
    CUT_OFF,
    CUT_OFF_STRIPE,
    DEARER,
    JOINED,
    JOINED_STRIPE,
    LARGEST,
    OPENED,
    Colour,
)
from bake.show.diff import (
    PERCENTILES,
    Difference,
    Distances,
    LevelPairs,
    Matched,
    ProfileDifference,
)
from bake.show.grid_map import faded_ground, fitting_cells, map_of
from bake.show.page import Swatch, check_output, lay_out, number, write_png
from bake.show.paint import CellPaint, paint_cells
from bake.show.report import place_of
from bake.show.scene import Scene, place_data, place_text, read_scene
from bake.store import Asset
from levelbake.errors import QueryError

#: The most places that are listed by name.
_LISTED = 8

# -- plain data -----------------------------------------------------------------------------------


def as_data(difference: Difference, broken: Sequence[str]) -> dict[str, Any]:
    """Return the data that `bake diff --json` prints.

    Args:
        difference: the difference between two bakes.
        broken: lines about limits that were exceeded.
    """
    old, new = difference.sizes
    return {
        "old": str(difference.old),
        "new": str(difference.new),
        "levels": list(difference.levels),
        "size": {
            name: [getattr(old, name), getattr(new, name)]
            for name in ("bytes", "nodes", "arcs", "pairs")
        },
        "coordinates": None
        if difference.coordinates is None
        else [each._asdict() for each in difference.coordinates],
        "profiles_gone": list(difference.profiles_gone),
        "profiles_come": list(difference.profiles_come),
        "profiles": {profile.name: _data(profile) for profile in difference.profiles},
        "broken": list(broken),
    }


def _data(profile: ProfileDifference) -> dict[str, Any]:
    matched = profile.matched
    arcs = matched.arcs
    data: dict[str, Any] = {
        "places": len(matched),
        **{kind: _places(columns, rows) for kind, columns, rows in _changed(matched)},
        "arcs": {"come": arcs.come, "gone": arcs.gone, "repriced": arcs.repriced},
        "reachability": None,
        "distances": None,
        "clusters": None,
    }
    reach, distances = profile.reachability, profile.distances
    if reach is not None:
        data["reachability"] = {
            "pairs_lost": reach.lost,
            "pairs_gained": reach.gained,
            "lost_example": _example(profile, reach.lost_example),
            "gained_example": _example(profile, reach.gained_example),
            "cut_off": int(reach.cut_off.sum()),
            "joined": int(reach.joined.sum()),
        }
    if distances is not None:
        data["distances"] = {
            "goals": distances.goals,
            "of_places": distances.places,
            "pairs": distances.pairs,
            "longer": distances.longer,
            "shorter": distances.shorter,
            "percent": {
                f"p{at}": share for at, share in zip(PERCENTILES, distances.percent, strict=True)
            },
            "most": [
                {
                    "start": place_data(profile.place(pair.start)),
                    "goal": place_data(profile.place(pair.goal)),
                    "before": pair.before,
                    "after": pair.after,
                }
                for pair in distances.most
            ],
        }
    if profile.clusters is not None:
        data["clusters"] = {"touched": profile.clusters.tolist(), "of": profile.cluster_count}
    return data


def _changed(matched: Matched) -> list[tuple[str, ProfileColumns, Int32Array]]:
    """Return each kind of change with the columns of a bake and the changed rows in them."""
    return [
        ("opened", matched.new, matched.opened),
        ("closed", matched.old, matched.closed),
        ("dearer", matched.new, matched.new_row[matched.dearer]),
        ("cheaper", matched.new, matched.new_row[matched.cheaper]),
    ]


def _example(profile: ProfileDifference, pair: tuple[int, int] | None) -> list[Any] | None:
    return None if pair is None else [place_data(profile.place(one)) for one in pair]


def _places(columns: ProfileColumns, rows: Int32Array) -> list[Any]:
    nodes = _in_reading_order(columns, rows).tolist()
    return [place_data(columns.places.place(node)) for node in nodes]


def _in_reading_order(columns: ProfileColumns, rows: Int32Array) -> Int32Array:
    """Return the distinct nodes of rows as int32, on grids sorted in reading order."""
    node = columns.node[np.unique(rows)]
    if not columns.places.is_grid:
        return node
    ordered: Int32Array = node[np.argsort(columns.places.flat[node], kind="stable")]
    return ordered


# -- text -----------------------------------------------------------------------------------------


def lines_of(difference: Difference) -> list[str]:
    """Return the lines that `bake diff` prints."""
    old, new = difference.sizes
    lines = [
        f"{difference.old} -> {difference.new}",
        f"  file         {in_units(old.bytes)} -> {in_units(new.bytes)}"
        f"{_grown(old.bytes, new.bytes)}",
        f"  nodes, arcs  {old.nodes:,}, {old.arcs:,} -> {new.nodes:,}, {new.arcs:,}",
        f"  bake         {old.pairs:,} -> {new.pairs:,} pairs{_grown(old.pairs, new.pairs)}",
    ]
    if difference.coordinates is not None:
        before, after = difference.coordinates
        lines.append(f"  coordinates  {place_of(before)} -> {place_of(after)}")
    for names, what in ((difference.profiles_gone, "gone"), (difference.profiles_come, "new")):
        lines += [f"  profile      {name} is {what}" for name in names]
    for profile in difference.profiles:
        lines += [f" {profile.name}", *(f"  {line}" for line in _lines(profile))]
    return lines


def _lines(profile: ProfileDifference) -> list[str]:
    matched, arcs = profile.matched, profile.matched.arcs
    lines = [
        f"{kind:<12} {_list_places(columns, rows)}"
        for kind, columns, rows in _changed(matched)
        if len(rows)
    ]
    if arcs.come or arcs.gone or arcs.repriced:
        lines.append(
            f"arcs         {arcs.come:,} new, {arcs.gone:,} gone, {arcs.repriced:,} with another "
            "weight, between places of both"
        )
    if not lines:
        lines.append("no place and no arc changed")
    lines += _reach_lines(profile)
    if profile.distances is not None:
        lines += _distance_lines(profile, profile.distances)
    elif len(matched):
        lines.append("distances    not compared: one asset has neither next hops nor distances")
    if profile.clusters is not None:
        touched = len(profile.clusters)
        lines.append(f"clusters     {touched:,} of {profile.cluster_count:,} touched")
    return lines


def _reach_lines(profile: ProfileDifference) -> list[str]:
    reach = profile.reachability
    if reach is None:
        return ["reachability not compared: no closure of the one-way components was baked"]
    lines = []
    for many, example, marked, words in (
        (reach.lost, reach.lost_example, reach.cut_off, ("lost", "cut off from")),
        (reach.gained, reach.gained_example, reach.joined, ("gained", "joined with")),
    ):
        if many and example is not None:
            start, goal = (place_text(profile.place(one)) for one in example)
            lines.append(
                f"reachability {many:,} pairs {words[0]}, such as {start} to {goal}; "
                f"{int(marked.sum()):,} places {words[1]} the largest part"
            )
    return lines or ["reachability the same"]


def _distance_lines(profile: ProfileDifference, distances: Distances) -> list[str]:
    every = distances.goals == distances.places
    over = "every goal" if every else f"{distances.goals:,} of {distances.places:,} goals"
    changed = distances.longer + distances.shorter
    if not changed:
        return [f"distances    the same, toward {over}"]
    share = 100 * changed / max(1, distances.pairs)
    largest = ", ".join(
        f"{'largest' if at == 100 else f'p{at}'} {number(percent)} %"
        for at, percent in zip(PERCENTILES, distances.percent, strict=True)
    )
    lines = [
        f"distances    {distances.longer:,} pairs longer, {distances.shorter:,} shorter "
        f"({number(share)} % of those looked at, toward {over}); by {largest}"
    ]
    for pair in distances.most:
        start, goal = (place_text(profile.place(one)) for one in (pair.start, pair.goal))
        lines.append(
            f"             {start} to {goal}: {number(pair.before)} -> {number(pair.after)}"
        )
    return lines


def _grown(old: int, new: int) -> str:
    if old == new or not old:
        return ""
    return f" ({100 * (new / old - 1):+.1f} %)"


def _list_places(columns: ProfileColumns, rows: Int32Array) -> str:
    node = _in_reading_order(columns, rows)
    named = " ".join(place_text(columns.places.place(number)) for number in node[:_LISTED].tolist())
    return f"{len(node):,}: {named}{' ...' if len(node) > _LISTED else ''}"


# -- many levels ----------------------------------------------------------------------------------


def lines_of_pairs(pairs: LevelPairs) -> list[str]:
    """Return the lines that `bake diff` prints after the differences of many levels."""
    lines = [
        f"{pair.name}: renamed from {pair.renamed_from}"
        for pair in pairs.changed
        if pair.renamed_from is not None
    ]
    lines += [f"{name}: new, nothing to compare" for name in pairs.added]
    lines += [f"{name}: cannot be compared with {pairs.base}" for name in pairs.skipped]
    lines += [f"{name}: gone, only in {pairs.base}" for name in pairs.removed]
    lines.append(
        f"{counted(len(pairs.changed), 'level')} changed since {pairs.base}, "
        f"{len(pairs.unchanged):,} unchanged"
    )
    return lines


def pairs_as_data(
    pairs: LevelPairs, levels: Sequence[dict[str, Any]], broken: Sequence[str]
) -> dict[str, Any]:
    """Return the document that `bake diff --json` prints for many levels.

    Args:
        pairs: the levels of both bakes.
        levels: the documents of :func:`as_data` for the levels that changed.
        broken: lines about limits that were exceeded.
    """
    return {
        "base": pairs.base,
        "changed": list(levels),
        "unchanged": list(pairs.unchanged),
        "added": list(pairs.added),
        "removed": list(pairs.removed),
        "renamed": {
            pair.name: pair.renamed_from for pair in pairs.changed if pair.renamed_from is not None
        },
        "skipped": list(pairs.skipped),
        "warnings": list(pairs.warnings),
        "broken": list(broken),
    }


# -- a picture ------------------------------------------------------------------------------------


def draw_difference(difference: Difference, new: Asset, output: Path, scale: int | None) -> None:
    """Draw the difference between two bakes of a grid level over the newer one.

    Args:
        difference: the difference of one profile.
        new: the newer asset, open.
        output: the .png file to write.
        scale: pixels per cell; None = what fits.

    Raises:
        QueryError: the level is a graph, or there is not exactly one profile.
        OutputError: the picture cannot be written.
    """
    check_output(output)
    if len(difference.profiles) != 1:
        raise QueryError(
            f"a picture shows one profile, and these assets share {len(difference.profiles)}",
            expected=" or ".join(repr(one.name) for one in difference.profiles) or "one",
            remedy="choose one: --profile NAME",
        )
    profile = difference.profiles[0]
    scene = read_scene(new, profile.name)
    if not scene.places.is_grid:
        raise QueryError(
            "differences of graphs cannot be drawn",
            place=f"level {scene.name!r}",
            remedy="leave -o out",
        )
    cells = fitting_cells(scene, scale)
    paint, ground = faded_ground(scene, cells.scale)
    swatches = _mark(paint, scene, profile)
    drawn = map_of(paint_cells(cells, paint), cells, [*swatches, *ground])
    facts = f"profile {profile.name} · since {difference.old.name}"
    write_png(lay_out(drawn, scene.name, facts, _note(profile)), output)


def _mark(paint: CellPaint, scene: Scene, profile: ProfileDifference) -> list[Swatch]:
    """Paint the changed cells, later kinds over earlier ones, and return the legend."""
    matched, reach = profile.matched, profile.reachability
    shared = scene.flat[matched.new_row]
    kinds: list[tuple[Int32Array, str, Colour, Colour | None]] = []
    if reach is not None:
        cut_off, joined = shared[reach.cut_off], shared[reach.joined]
        kinds += [
            (cut_off, "lost its path to or from the rest", CUT_OFF, CUT_OFF_STRIPE),
            (joined, "has a path to and from the rest now", JOINED, JOINED_STRIPE),
        ]
    kinds += [
        (shared[matched.dearer], "costs more", DEARER, None),
        (shared[matched.cheaper], "costs less", CHEAPER, None),
        (scene.flat[matched.opened], "opened", OPENED, None),
        (_closed(scene, profile), "closed", CLOSED, None),
    ]
    swatches = []
    for cells, text, colour, stripe in kinds:
        if len(cells):
            paint.mark(cells, colour, stripe)
            swatches.append(Swatch(colour, f"{len(cells):,} {text}", stripe))
    return swatches or [Swatch(LARGEST, "nothing changed")]


def _closed(scene: Scene, profile: ProfileDifference) -> Int32Array:
    """Return closed places as cells of the new map, except places outside it."""
    old = profile.matched.old
    y, x = np.divmod(old.places.flat[old.node[profile.matched.closed]], np.int32(old.places.width))
    inside = (x < scene.places.width) & (y < scene.places.height)
    cells: Int32Array = (y * np.int32(scene.places.width) + x)[inside]
    return cells


def _note(profile: ProfileDifference) -> str:
    notes = [f"{profile.cells_changed:,} places opened, closed or repriced"]
    reach = profile.reachability
    if reach is not None and (reach.lost or reach.gained):
        notes.append(f"{reach.lost:,} pairs lost their path, {reach.gained:,} gained one")
    return " · ".join(notes)
