"""Pack records into columns, and unpack them again, each kind as it is described once.

:mod:`bake.asset.columns.things` describes links, regions, spots, doors and instances: which
attributes they have, and how each lies in a column. Columns hold numbers in place of cells and of
terrains; a :class:`Frame` says which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, pairwise, repeat
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from bake.arrays import AnyArray, Int32Array
from bake.asset.columns.declared import column
from levelbake.columns import Box, Column, World

T = TypeVar("T")
Columns = dict[str, AnyArray]


class Frame(NamedTuple):
    """What is called by numbers in columns."""

    terrains: tuple[str, ...]  # names by code
    numbers: Callable[[npt.ArrayLike], AnyArray]  # (k, n) cells -> (k) their locations
    cells: Callable[[Int32Array], AnyArray]  # (k) locations -> (k, n) cells, or (k) names


def grid_frame(terrains: tuple[str, ...], width: int) -> Frame:
    """Return the frame of a grid whose cells are (x, y), whatever floors there are."""

    def numbers(cells: npt.ArrayLike) -> Int32Array:
        x, y = np.asarray(cells, dtype=np.int32).reshape(-1, 2).T
        return y * np.int32(width) + x

    def cells(location: Int32Array) -> Int32Array:
        return np.stack(np.divmod(location, np.int32(width))[::-1], axis=1)

    return Frame(terrains, numbers, cells)


class Source(Protocol):
    """What columns are read from."""

    def has(self, path: str, /) -> bool: ...
    def read(self, path: str, /) -> AnyArray: ...


class Packed(NamedTuple):
    """Columns in memory, as a source."""

    columns: Columns

    def has(self, path: str) -> bool:
        """Tell whether there is a column."""
        return path in self.columns

    def read(self, path: str) -> AnyArray:
        """Return a column."""
        return self.columns[path]


class Value(NamedTuple):
    """How one value lies in a column, as an element or a row."""

    encode: Callable[[Any, Frame], AnyArray]
    decode: Callable[[AnyArray, Frame], Sequence[Any] | AnyArray]
    dtype: str
    unit: str
    across: str = ""  # what follows the dimension along which records lie
    holds: Mapping[str, Any] = {}  # constraints of the column


class Property(NamedTuple):
    """One attribute of a record."""

    value: Value
    says: str  # what the column says
    column: str = ""  # where it is not called as the attribute is
    many: bool = False  # any number of values; column first_COLUMN says where those of each begin
    optional: bool = False  # the column is left out where no record has a value
    or_none: bool = False  # the attribute is None where the record has no value
    given: bool = True  # whether the level alone says it, so that nothing else proves it
    box: Box | None = None  # where it is not that of all others


class Records:
    """The columns of one kind of record.

    Args:
        name: how the names of its columns begin.
        dim: what its dimension is called; empty = as the records are.
        box, world: see :class:`levelbake.columns.Column`.
        properties: its attributes; the first one is always there.
    """

    def __init__(
        self,
        name: str,
        dim: str = "",
        /,
        *,
        box: Box = "both",
        world: World = "grid",
        **properties: Property,
    ) -> None:
        self.name, self.dim = name, dim or name
        self._box, self._world = box, world
        self.properties: Mapping[str, Property] = {
            attribute: each._replace(column=each.column or attribute)
            for attribute, each in properties.items()
        }
        self._first = next(iter(self.properties.values())).column

    def columns(self) -> Iterator[Column]:
        """Yield the declarations of the columns."""
        for each in self.properties.values():
            value, name, dim = each.value, each.column, self.dim
            place: dict[str, Any] = {"box": each.box or self._box, "world": self._world}
            place |= {"optional": True, "given": each.given}
            if each.many:
                dim += f" {name}"
                says = f"{name} of {self.dim} i is first_{name}[i] to first_{name}[i + 1] - 1"
                column_name, along = f"{self.name}_first_{name}", f"{self.dim} + 1"
                yield column(column_name, "int32", along, dim, says, offsets=dim, **place)
            dims = dim + value.across
            full = f"{self.name}_{name}"
            yield column(full, value.dtype, dims, value.unit, each.says, **place, **value.holds)

    def path(self, column: str) -> str:
        """Return where a column lies in an asset."""
        return f"/{self.name}_{column}"

    def are_in(self, source: Source) -> bool:
        """Tell whether there are any."""
        return source.has(self.path(self._first))


def pack(records: Records, things: Sequence[object], frame: Frame) -> Columns:
    """Return the columns of some records by path; none where there are no records."""
    found: Columns = {}
    for attribute, each in records.properties.items() if things else ():
        said: Any = [getattr(thing, attribute) for thing in things]
        first = None
        if each.many:
            several = [() if values is None else values for values in said]
            first = np.cumsum([0, *map(len, several)], dtype=np.int32)
            arrays = isinstance(several[0], np.ndarray)
            said = np.concatenate(several) if arrays else list(chain.from_iterable(several))
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
        CorruptAssetError: a column is missing, or holds what the table of columns does not allow.
    """
    if not records.are_in(source):
        return ()
    found = {
        attribute: _values(records, each, source, frame)
        for attribute, each in records.properties.items()
    }
    # All are as long: reading compares the lengths of columns.
    rows = zip(*found.values(), strict=False)
    return tuple(make(**dict(zip(found, row, strict=True))) for row in rows)


def _values(records: Records, each: Property, source: Source, frame: Frame) -> Iterable[Any]:
    """Return what one attribute of each record is."""
    path = records.path(each.column)
    if each.optional and not source.has(path):
        return repeat(None if each.or_none else ())
    values: Any = each.value.decode(source.read(path), frame)
    if each.many:
        first = source.read(records.path(f"first_{each.column}")).tolist()
        values = [values[a:b] for a, b in pairwise(first)]
        values = [tuple(own) if isinstance(own, list) else own for own in values]
    return [value or None for value in values] if each.or_none else values


# -- values ----------------------------------------------------------------------------------------


def as_texts(names: Sequence[str]) -> npt.NDArray[np.bytes_]:
    """Return (k) names as UTF-8 text of one length."""
    encoded = [name.encode() for name in names]
    return np.array(encoded, dtype=f"S{max([1, *map(len, encoded)])}")


def as_names(stored: AnyArray) -> list[str]:
    """Return the names that a column of text holds."""
    return [bytes(name).decode() for name in stored.tolist()]


def number(dtype: str, unit: str, **holds: Any) -> Value:
    """Return how numbers lie in a column as they are."""
    return Value(
        lambda said, frame: np.array(said, dtype=dtype),
        lambda stored, frame: stored.tolist(),
        dtype,
        unit,
        "",
        holds,
    )


TEXT = Value(
    lambda said, frame: as_texts([text or "" for text in said]),
    lambda stored, frame: as_names(stored),
    "text",
    "text",
)
FLAG = Value(
    lambda said, frame: np.array(said, dtype=np.uint8),
    lambda stored, frame: stored.astype(np.bool_).tolist(),
    "uint8",
    "0 or 1",
    holds={"one_of": (0, 1)},
)
CELL = Value(
    lambda said, frame: frame.numbers(said).astype(np.int32),
    lambda location, frame: [tuple(cell) for cell in frame.cells(location).tolist()],
    "int32",
    "location",
    holds={"refers": "location"},
)
#: Cells as an array, not as tuples.
CELLS = CELL._replace(decode=lambda location, frame: frame.cells(location))
TERRAIN = Value(
    lambda said, frame: np.array([frame.terrains.index(name) for name in said], dtype=np.uint8),
    lambda code, frame: [frame.terrains[each] for each in code.tolist()],
    "uint8",
    "terrain",
    holds={"refers": "terrain"},
)
#: Names of terrains, as a row of flags.
TERRAINS = Value(
    lambda said, frame: np.array(
        [[name in (own or ()) for name in frame.terrains] for own in said], dtype=np.uint8
    ),
    lambda rows, frame: [tuple(compress(frame.terrains, row)) for row in rows.tolist()],
    "uint8",
    "0 or 1",
    ", terrain",
    {"one_of": (0, 1)},
)


def span(dim: str) -> Value:
    """Return how a column says how many records of another kind belong to each, as a slice."""
    return Value(
        lambda said, frame: np.cumsum([0, *map(len, said)], dtype=np.int32),
        lambda first, frame: [slice(a, b) for a, b in pairwise(first.tolist())],
        "int32",
        dim,
        " + 1",
        {"offsets": dim, "least": 1},
    )
