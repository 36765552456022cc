"""The same numbers in every type that a game may pass, and answers to compare."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from levelbake import QueryError

WHOLE = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
BROKEN = ("float16", "float32", "float64", "longdouble")
#: What is no number, one that holds objects, and texts.
NONE = ("bool", "complex128", "str", "bytes", "datetime64[s]")

#: How a place, a point or a number is passed.
Form = Callable[[Any], Any]


def array(dtype: str) -> Form:
    """Arrays of a type; single numbers are its scalars."""

    def convert(given: Any) -> Any:
        found = np.array(given).astype(dtype)
        return found[()] if found.ndim == 0 else found

    return convert


def in_sequences(dtype: str, kind: Callable[[Sequence[Any]], Any]) -> Form:
    """Tuples or lists of scalars."""

    def convert(given: Any) -> Any:
        if isinstance(given, tuple | list):
            return kind([convert(each) for each in given])
        return array(dtype)(given)

    return convert


def objects(given: Any) -> Any:
    """Arrays of Python's own numbers."""
    return np.array(given, dtype=object) if isinstance(given, tuple | list) else given


def forms(dtypes: Sequence[str]) -> dict[str, Form]:
    """All forms of numbers of some types."""
    found: dict[str, Form] = {}
    for dtype in dtypes:
        found[f"array of {dtype}"] = array(dtype)
        found[f"tuple of {dtype}"] = in_sequences(dtype, tuple)
        found[f"list of {dtype}"] = in_sequences(dtype, list)
    return found | {"array of objects": objects}


def plain(answer: Any) -> Any:
    """An answer without arrays, so that two can be compared."""
    if isinstance(answer, np.ndarray):
        return answer.tolist()
    if isinstance(answer, np.generic):
        return answer.item()
    if isinstance(answer, dict):
        return {plain(key): plain(value) for key, value in answer.items()}
    if isinstance(answer, tuple | list):
        return [plain(each) for each in answer]
    return answer


#: Cells of it have numbers up to 2,519, and both 100 + 100 and 125 + 15 are beyond int8.
WIDE = ("." * 126, *["." * 60 + "#" + "." * 65] * 18, "." * 126)
A, B, C = (100, 3), (120, 19), (90, 12)

#: A question to a level, one of its profiles, and how numbers are passed.
Ask = Callable[[Any, Any, Form], Any]


def updated(level: Any, **batch: Any) -> Any:
    """What an update reports, and distances after it; the level is as before afterwards."""
    report = level.update(**batch)[level.profiles[0]]
    nav = level.profile()
    far = nav.distances_to(nav.places()[-1])
    level.update(opened=[A], arcs=dict.fromkeys(batch.get("arcs", ())))
    if links := batch.get("links"):
        level.update(links=dict.fromkeys(links))
    return [report.arcs, report.closed, far]


def check_refused(level: Any, nav: Any, asks: dict[str, Ask], form: Form) -> None:
    """Check that each question is refused in one line.

    Older versions of numpy take its bool as an index, and warn of it.
    """
    for name, ask in asks.items():
        with pytest.raises((QueryError, DeprecationWarning)) as error:
            raise AssertionError(name, ask(level, nav, form))
        assert "\n" not in str(error.value), name


#: What both readers answer, of cells.
LOOKUPS: dict[str, Ask] = {
    "next_hop": lambda level, nav, form: nav.next_hop(form(A), form(B)),
    "path": lambda level, nav, form: nav.path(form(A), form(B)),
    "distance": lambda level, nav, form: nav.distance(form(A), form(B)),
    "reachable": lambda level, nav, form: nav.reachable(form(A), form(B)),
    "next_hops": lambda level, nav, form: nav.next_hops(form([A, C]), form([B, A])),
    "not strict": lambda level, nav, form: nav.distances(form([A, C]), form([B, A]), strict=False),
    "paths": lambda level, nav, form: nav.paths(form([A, C]), form([B, A])),
    "distances": lambda level, nav, form: nav.distances(form([A, C]), form([B, A])),
    "hops_to": lambda level, nav, form: nav.hops_to(form(B)),
    "distances_to": lambda level, nav, form: nav.distances_to(form(B)),
    "nearest_of": lambda level, nav, form: nav.nearest_of(form(A), form([B, C])),
    "length": lambda level, nav, form: nav.length([form(A), form((101, 4))]),
    "still_valid": lambda level, nav, form: nav.still_valid(form([A, (101, 4)])),
    "can_stand": lambda level, nav, form: nav.can_stand(form(A)),
    "can_stand, many": lambda level, nav, form: nav.can_stand(form([A, (60, 5), (126, 19)])),
    "terrain_at": lambda level, nav, form: level.terrain_at(form([A, (60, 5)])),
    "terrain_at, one": lambda level, nav, form: level.terrain_at(form(A)),
    "elevation_at": lambda level, nav, form: level.elevation_at(form(A)),
    "to_point": lambda level, nav, form: level.to_point(form(A)),
    "to_point, many": lambda level, nav, form: level.to_point(form([A, B])),
    "inside": lambda level, nav, form: level.inside(form([A, (126, 3), (3, 100)])),
    "update": lambda level, nav, form: updated(level, blocked=form([A])),
    "update, in turn": lambda level, nav, form: updated(level, blocked=[form(A)], opened=[form(B)]),
    "update, prices": lambda level, nav, form: updated(level, arcs={(A, (101, 4)): form(100)}),
    "changes_since": lambda level, nav, form: level.changes_since(form(0)).token >= 0,
}

#: What both readers answer, of points.
POINT_LOOKUPS: dict[str, Ask] = {
    "to_cell": lambda level, nav, form: level.to_cell(form(A)),
    "to_cell, many": lambda level, nav, form: level.to_cell(form([A, B])),
    "nearest": lambda level, nav, form: nav.nearest(form(A)),
}
