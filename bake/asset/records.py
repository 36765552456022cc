"""Pack links, regions, spots, doors and instances into columns, and unpack them again.

Each kind of record is described once: which attributes it has, and what each says. Columns hold
numbers in place of cells and of terrains; a :class:`Frame` says which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, compress, pairwise
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from bake.arrays import AnyArray, Int32Array
from bake.placement import TURNS

T = TypeVar("T")
Columns = dict[str, AnyArray]


class Frame(NamedTuple):
    """What is called by numbers in columns."""

    terrains: tuple[str, ...]  # names by code
    locations: int  # how many there are
    numbers: Callable[[npt.ArrayLike], AnyArray]  # (k, n) cells -> (k) their locations
    cells: Callable[[Int32Array], AnyArray]  # (k) locations -> (k, n) cells, or (k) names


def grid_frame(terrains: tuple[str, ...], width: int, height: int) -> Frame:
    """Return the frame of a grid whose cells are (x, y), whatever floors there are."""

    def numbers(cells: npt.ArrayLike) -> Int32Array:
        x, y = np.asarray(cells, dtype=np.int32).reshape(-1, 2).T
        return y * np.int32(width) + x

    def cells(location: Int32Array) -> Int32Array:
        return np.stack(np.divmod(location, np.int32(width))[::-1], axis=1)

    return Frame(terrains, width * height, numbers, cells)


class Source(Protocol):
    """What columns are read from."""

    def has(self, path: str, /) -> bool: ...
    def read(self, path: str, /) -> AnyArray: ...
    def damaged(self, found: str, /) -> Exception: ...


class Value(NamedTuple):
    """How one value lies in a column, as an element or a row."""

    encode: Callable[[list[Any], Frame], AnyArray]
    decode: Callable[[AnyArray, Frame], Sequence[Any] | AnyArray]
    sound: Callable[[AnyArray, Frame], Any] = lambda array, frame: True


class Property(NamedTuple):
    """One attribute of a record."""

    value: Value
    column: str = ""  # where it is not called as the attribute is
    many: bool = False  # any number of values; column first_COLUMN says where those of each begin
    optional: bool = False  # the column is left out where no record has a value
    or_none: bool = False  # the attribute is None where the record has no value


class Records:
    """The columns of one kind of record.

    Args:
        name: what one is called.
        properties: its attributes; the first one is always there.
    """

    def __init__(self, name: str, /, **properties: Property) -> None:
        self.name = name
        self.properties: Mapping[str, Property] = {
            attribute: each._replace(column=each.column or attribute)
            for attribute, each in properties.items()
        }
        self._first = next(iter(self.properties.values())).column

    def path(self, column: str) -> str:
        """Return where a column lies in an asset."""
        return f"/{self.name}_{column}"

    def count(self, source: Source) -> int:
        """Return how many records there are."""
        path = self.path(self._first)
        return len(source.read(path)) if source.has(path) else 0


def pack(records: Records, things: Sequence[object], frame: Frame) -> Columns:
    """Return the columns of some records by path; none where there are no records."""
    found: Columns = {}
    for attribute, each in records.properties.items() if things else ():
        said = [getattr(thing, attribute) for thing in things]
        first = None
        if each.many:
            several = [_listed(values) for values in said]
            first = np.cumsum([0, *map(len, several)], dtype=np.int32)
            said = list(chain.from_iterable(several))
        if each.optional and not any(said):
            continue
        if first is not None:
            found[records.path(f"first_{each.column}")] = first
        found[records.path(each.column)] = each.value.encode(said, frame)
    return found


def unpack(records: Records, source: Source, frame: Frame, make: Callable[..., T]) -> tuple[T, ...]:
    """Return the records that columns hold.

    Args:
        records: of which kind.
        source: an asset, or a flat file.
        frame: what its numbers stand for.
        make: makes a record of its attributes, given by their names.

    Raises:
        CorruptAssetError: a column is missing, holds what it cannot, or does not fit the others.
    """
    count = records.count(source)
    found = {}
    for attribute, each in records.properties.items() if count else ():
        found[attribute] = _values(records, each, source, frame, count)
    rows = zip(*found.values(), strict=True)
    return tuple(make(**dict(zip(found, row, strict=True))) for row in rows)


def _values(
    records: Records, each: Property, source: Source, frame: Frame, count: int
) -> Sequence[Any] | AnyArray:
    """Return what one attribute of each record is."""

    def wrong(column: str) -> Exception:
        return source.damaged(f"column {records.path(column)} contradicts the rest")

    path = records.path(each.column)
    if each.optional and not source.has(path):
        return [None if each.or_none else ()] * count
    stored = source.read(path)
    if not np.all(each.value.sound(stored, frame)):
        raise wrong(each.column)
    values = each.value.decode(stored, frame)
    if each.many:
        first = source.read(records.path(f"first_{each.column}"))
        if not _from_zero(first) or first[-1] != len(values):
            raise wrong(f"first_{each.column}")
        cut = [values[a:b] for a, b in pairwise(first.tolist())]
        values = [tuple(own) if isinstance(own, list) else own for own in cut]
    if len(values) != count:
        raise wrong(each.column)
    return [value or None for value in values] if each.or_none else values


def _listed(values: Any) -> Sequence[Any]:
    """Return the values that a record has several of; None is none of them."""
    found: Sequence[Any] = values.tolist() if isinstance(values, np.ndarray) else values or ()
    return found


# -- what there is ---------------------------------------------------------------------------------


def as_texts(names: Sequence[str]) -> npt.NDArray[np.bytes_]:
    """Return (k) names as UTF-8 text of one length."""
    encoded = [name.encode() for name in names]
    return np.array(encoded, dtype=f"S{max([1, *map(len, encoded)])}")


def as_names(stored: AnyArray) -> list[str]:
    """Return the names that a column of text holds."""
    return [bytes(name).decode() for name in stored.tolist()]


def _number(dtype: type[np.generic], sound: Callable[[AnyArray], Any]) -> Value:
    return Value(
        lambda said, frame: np.array(said, dtype=dtype),
        lambda stored, frame: stored.tolist(),
        lambda stored, frame: sound(stored),
    )


def _from_zero(first: AnyArray) -> bool:
    return len(first) > 0 and first[0] == 0 and bool((np.diff(first.astype(np.int64)) >= 0).all())


TEXT = Value(
    lambda said, frame: as_texts([text or "" for text in said]),
    lambda stored, frame: as_names(stored),
)
UNITS = _number(np.float64, lambda units: np.isfinite(units) & (units > 0))
FLAG = Value(
    lambda said, frame: np.array(said, dtype=np.uint8),
    lambda stored, frame: stored.astype(np.bool_).tolist(),
    lambda stored, frame: stored < 2,
)
CELL = Value(
    lambda said, frame: frame.numbers(said).astype(np.int32),
    lambda location, frame: [tuple(cell) for cell in frame.cells(location).tolist()],
    lambda location, frame: (location >= 0) & (location < frame.locations),
)
#: Cells as an array, not as tuples.
CELLS = CELL._replace(decode=lambda location, frame: frame.cells(location))
TERRAIN = Value(
    lambda said, frame: np.array([frame.terrains.index(name) for name in said], dtype=np.uint8),
    lambda code, frame: [frame.terrains[each] for each in code.tolist()],
    lambda code, frame: code < len(frame.terrains),
)
#: Names of terrains, as a row of flags.
TERRAINS = Value(
    lambda said, frame: np.array([[n in own for n in frame.terrains] for own in said], np.uint8),
    lambda rows, frame: [tuple(compress(frame.terrains, row)) for row in rows.tolist()],
    lambda rows, frame: rows.shape[1] == len(frame.terrains) and rows.max(initial=0) < 2,
)
#: How many of another kind of records belong to each, as a slice of these.
SPAN = Value(
    lambda said, frame: np.cumsum([0, *map(len, said)], dtype=np.int32),
    lambda first, frame: [slice(a, b) for a, b in pairwise(first.tolist())],
    lambda first, frame: _from_zero(first),
)

_NAME, _ID = Property(TEXT), Property(TEXT, optional=True, or_none=True)
_PROFILES = Property(TEXT, "profile", many=True, or_none=True)

LINKS = Records(
    "link",
    name=_NAME,
    id=_ID,
    kind=Property(TEXT),
    start=Property(CELL),
    goal=Property(CELL),
    cost=Property(UNITS),
    both_ways=Property(FLAG),
    profiles=_PROFILES,
    via=Property(CELL, many=True, optional=True),
    over=Property(TERRAINS, optional=True),
)
REGIONS = Records("region", name=_NAME, id=_ID, cells=Property(CELLS, "cell", many=True))
SPOTS = Records(
    "spot", name=_NAME, id=_ID, kind=Property(TEXT), cell=Property(CELL, "at"), profiles=_PROFILES
)
DOORS = Records(
    "door",
    name=_NAME,
    id=_ID,
    cells=Property(CELLS, "cell", many=True),
    states=Property(SPAN, "first_state"),
    state=Property(_number(np.int32, lambda state: state >= -1)),
)
#: The states of all doors, with the terrain of each of the door's cells.
DOOR_STATES = Records(
    "door", name=Property(TEXT, "state_name"), terrain=Property(TERRAIN, many=True)
)
PROTOTYPES = Records(
    "prototype",
    name=_NAME,
    width=Property(_number(np.int32, lambda cells: cells > 0)),
    height=Property(_number(np.int32, lambda cells: cells > 0)),
)
INSTANCES = Records(
    "instance",
    prototype=Property(_number(np.int32, lambda prototype: prototype >= 0)),
    at=Property(CELL),
    turn=Property(_number(np.uint8, lambda turn: turn < TURNS)),
)
