"""A difference between two bakes as text and as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bake.arrays import Int32Array
from bake.diff import Difference, ProfileDifference
from bake.diff.distances import PERCENTILES, Distances
from bake.errors import in_units
from bake.runtime.reader.places import Place
from bake.runtime.reader.tables import Tables
from bake.view.component_colours import place_text
from bake.view.legend import number

#: Places listed by name; more are only counted.
_LISTED = 8


def as_data(difference: Difference, broken: Sequence[str]) -> dict[str, Any]:
    """Everything `bake diff --json` prints."""
    old, new = difference.sizes
    return {
        "old": str(difference.old),
        "new": str(difference.new),
        "size": {
            name: [getattr(old, name), getattr(new, name)]
            for name in ("bytes", "nodes", "arcs", "pairs")
        },
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
        "opened": _places(matched.new, matched.opened),
        "closed": _places(matched.old, matched.closed),
        "dearer": _places(matched.new, matched.new_row[matched.dearer]),
        "cheaper": _places(matched.new, matched.new_row[matched.cheaper]),
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
            "lost_example": _pair(profile, reach.lost_example),
            "gained_example": _pair(profile, reach.gained_example),
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
            "percent": dict(
                zip((f"p{share}" for share in PERCENTILES), distances.percent, strict=True)
            ),
            "most": [
                {
                    "start": _plain(_place(profile, pair.start)),
                    "goal": _plain(_place(profile, pair.goal)),
                    "before": pair.before,
                    "after": pair.after,
                }
                for pair in distances.most
            ],
        }
    if profile.clusters is not None:
        data["clusters"] = {
            "touched": profile.clusters.tolist(),
            "of": profile.cluster_count,
        }
    return data


def lines_of(difference: Difference) -> list[str]:
    """The same for reading."""
    old, new = difference.sizes
    lines = [
        f"{difference.old} -> {difference.new}",
        f"  file         {in_units(old.bytes)} -> {in_units(new.bytes)}"
        f"{_grown(old.bytes, new.bytes)}",
        f"  nodes, arcs  {old.nodes:,}, {old.arcs:,} -> {new.nodes:,}, {new.arcs:,}",
        f"  bake         {old.pairs:,} -> {new.pairs:,} pairs{_grown(old.pairs, new.pairs)}",
    ]
    for names, what in ((difference.profiles_gone, "gone"), (difference.profiles_come, "new")):
        lines += [f"  profile      {name} is {what}" for name in names]
    for profile in difference.profiles:
        lines += [f" {profile.name}", *(f"  {line}" for line in _lines(profile))]
    return lines


def _lines(profile: ProfileDifference) -> list[str]:
    matched, arcs = profile.matched, profile.matched.arcs
    lines = [
        f"{what:<12} {_listed(tables, rows)}"
        for what, tables, rows in (
            ("opened", matched.new, matched.opened),
            ("closed", matched.old, matched.closed),
            ("dearer", matched.new, matched.new_row[matched.dearer]),
            ("cheaper", matched.new, matched.new_row[matched.cheaper]),
        )
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
        lines.append("distances    not compared: next hops were not baked in both")
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
            start, goal = (place_text(_place(profile, one)) for one in example)
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
    told = ", ".join(
        f"{'largest' if at == 100 else f'p{at}'} {number(percent)} %"
        for at, percent in zip(PERCENTILES, distances.percent, strict=True)
    )
    lines = [
        f"distances    {distances.longer:,} pairs longer, {distances.shorter:,} shorter "
        f"({number(share)} % of those looked at, toward {over}); by {told}"
    ]
    for pair in distances.most:
        start, goal = (place_text(_place(profile, one)) for one in (pair.start, pair.goal))
        lines.append(
            f"             {start} to {goal}: {number(pair.before)} -> {number(pair.after)}"
        )
    return lines


def _grown(old: int, new: int) -> str:
    if old == new or not old:
        return ""
    return f" ({100 * (new / old - 1):+.1f} %)"


def _place(profile: ProfileDifference, place: int) -> Place:
    tables = profile.matched.new
    return tables.places.place(int(tables.node[profile.matched.new_row[place]]))


def _pair(profile: ProfileDifference, pair: tuple[int, int] | None) -> list[object] | None:
    return None if pair is None else [_plain(_place(profile, one)) for one in pair]


def _in_reading_order(tables: Tables, rows: Int32Array) -> Int32Array:
    node = tables.node[rows]
    if not tables.places.is_grid:
        return node
    ordered: Int32Array = node[np.argsort(tables.places.flat[node], kind="stable")]
    return ordered


def _places(tables: Tables, rows: Int32Array) -> list[object]:
    return [_plain(tables.places.place(node)) for node in _in_reading_order(tables, rows).tolist()]


def _listed(tables: Tables, rows: Int32Array) -> str:
    node = _in_reading_order(tables, rows)
    named = " ".join(place_text(tables.places.place(one)) for one in node[:_LISTED].tolist())
    return f"{len(node):,}: {named}{' ...' if len(node) > _LISTED else ''}"


def _plain(place: Place) -> object:
    return list(place) if isinstance(place, tuple) else place
