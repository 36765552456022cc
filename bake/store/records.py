"""Pack records into columns, and unpack them again, from one description of each kind.

:mod:`bake.store.columns.things` describes links, regions, spots, doors and instances: their
attributes, and the column of each. Columns contain numbers in place of cells and terrains; a
:class:`Frame` defines their meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, pairwise, repeat
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from bake.core.arrays import AnyArray, Int32Array
from bake.store.columns.declared import column
from levelbake.columns import Box, Column, World

T = TypeVar("T")
Columns = dict[str, AnyArray]


class Frame(NamedTuple):
    """The meaning of the numbers in columns."""

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
    """A file or mapping from which columns are read."""

    def has(self, path: str, /) -> bool: ...
    def read(self, path: str, /) -> AnyArray: ...


class Packed(NamedTuple):
    """Columns in memory, as a source."""

    columns: Columns

    def has(self, path: str) -> bool:
        """Return whether there is a column."""
        return path in self.columns

    def read(self, path: str) -> AnyArray:
        """Return a column."""
        return self.columns[path]


class Value(NamedTuple):
    """The encoding of one value in a column, as an element or a row."""

    encode: Callable[[Any, Frame], AnyArray]
    decode: Callable[[AnyArray, Frame], Sequence[Any] | AnyArray]
    dtype: str
    unit: str
    across: str = ""  # further dimensions, after the dimension of the records
    holds: Mapping[str, Any] = {}  # constraints of the column


class Property(NamedTuple):
    """One attribute of a record."""

    value: Value
    says: str  # the description of the column
    column: str = ""  # the name of the column, if it differs from the attribute
    many: bool = False  # any number of values; column first_COLUMN has the offset of each
    optional: bool = False  # the column is omitted if no record has a value
    or_none: bool = False  # the attribute may be None
    given: bool = True  # whether only the level states it, so that nothing else verifies it
    box: Box | None = None  # if it differs from the other columns


class Records:
    """The columns of one kind of record.

    Args:
        name: the prefix of the names of its columns.
        dim: the name of its dimension; empty = ``name``.
        box, world: see :class:`levelbake.columns.Column`.
        properties: its attributes; the first one is always present.
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
            attribute: declared._replace(column=declared.column or attribute)
            for attribute, declared in properties.items()
        }
        self._first = next(iter(self.properties.values())).column

    def columns(self) -> Iterator[Column]:
        """Yield the declarations of the columns."""
        for declared in self.properties.values():
            value, name, dim = declared.value, declared.column, self.dim
            place: dict[str, Any] = {"box": declared.box or self._box, "world": self._world}
            place |= {"optional": True, "given": declared.given}
            if declared.many:
                dim += f" {name}"
                says = f"{name} of {self.dim} i is first_{name}[i] to first_{name}[i + 1] - 1"
                column_name, along = f"{self.name}_first_{name}", f"{self.dim} + 1"
                yield column(column_name, "int32", along, dim, says, offsets=dim, **place)
            dims = dim + value.across
            full = f"{self.name}_{name}"
            yield column(full, value.dtype, dims, value.unit, declared.says, **place, **value.holds)

    def path(self, column: str) -> str:
        """Return the path of a column in an asset."""
        return f"/{self.name}_{column}"

    def exist_in(self, source: Source) -> bool:
        """Return whether a source has any such records."""
        return source.has(self.path(self._first))


def pack(records: Records, things: Sequence[object], frame: Frame) -> Columns:
    """Return the columns of some records by path; none where there are no records."""
    columns: Columns = {}
    for attribute, declared in records.properties.items() if things else ():
        values: Any = [getattr(thing, attribute) for thing in things]
        first = None
        if declared.many:
            several = [() if value is None else value for value in values]
            first = np.cumsum([0, *map(len, several)], dtype=np.int32)
            arrays = isinstance(several[0], np.ndarray)
            values = np.concatenate(several) if arrays else list(chain.from_iterable(several))
        if declared.optional and not any(values):
            continue
        if first is not None:
            columns[records.path(f"first_{declared.column}")] = first
        columns[records.path(declared.column)] = declared.value.encode(values, frame)
    return columns


def unpack(records: Records, source: Source, frame: Frame, make: Callable[..., T]) -> tuple[T, ...]:
    """Return the records in columns.

    Args:
        records: the kind of record.
        source: an asset, or a flat file.
        frame: the meaning of its numbers.
        make: builds a record from its attributes, passed by name.

    Raises:
        CorruptAssetError: a column is missing, or violates the table of columns.
    """
    if not records.exist_in(source):
        return ()
    values = {
        attribute: _values(records, declared, source, frame)
        for attribute, declared in records.properties.items()
    }
    # All have the same length: reading compares the lengths of columns.
    rows = zip(*values.values(), strict=False)
    return tuple(make(**dict(zip(values, row, strict=True))) for row in rows)


def _values(records: Records, property: Property, source: Source, frame: Frame) -> Iterable[Any]:
    """Return the values of one attribute, for each record."""
    path = records.path(property.column)
    if property.optional and not source.has(path):
        return repeat(None if property.or_none else ())
    values: Any = property.value.decode(source.read(path), frame)
    if property.many:
        first = source.read(records.path(f"first_{property.column}")).tolist()
        values = [values[a:b] for a, b in pairwise(first)]
        values = [
            tuple(value_list) if isinstance(value_list, list) else value_list
            for value_list in values
        ]
    return [value or None for value in values] if property.or_none else values


# -- values ----------------------------------------------------------------------------------------


def as_texts(names: Sequence[str]) -> npt.NDArray[np.bytes_]:
    """Return (k) names as UTF-8 text of one length.

    >>> as_names(as_texts(["a", "door"]))
    ['a', 'door']
    """
    encoded = [name.encode() for name in names]
    return np.array(encoded, dtype=f"S{max([1, *map(len, encoded)])}")


def as_names(stored: AnyArray) -> list[str]:
    """Return the names in a column of text."""
    return [bytes(name).decode() for name in stored.tolist()]


def number(dtype: str, unit: str, **holds: Any) -> Value:
    """Return the encoding of numbers that are stored unchanged."""
    return Value(
        lambda values, frame: np.array(values, dtype=dtype),
        lambda stored, frame: stored.tolist(),
        dtype,
        unit,
        "",
        holds,
    )


TEXT = Value(
    lambda values, frame: as_texts([text or "" for text in values]),
    lambda stored, frame: as_names(stored),
    "text",
    "text",
)
FLAG = Value(
    lambda values, frame: np.array(values, dtype=np.uint8),
    lambda stored, frame: stored.astype(np.bool_).tolist(),
    "uint8",
    "0 or 1",
    holds={"one_of": (0, 1)},
)
CELL = Value(
    lambda values, frame: frame.numbers(values).astype(np.int32),
    lambda location, frame: [tuple(cell) for cell in frame.cells(location).tolist()],
    "int32",
    "location",
    holds={"refers": "location"},
)
#: Cells as an array, not as tuples.
CELLS = CELL._replace(decode=lambda location, frame: frame.cells(location))
TERRAIN = Value(
    lambda values, frame: np.array([frame.terrains.index(name) for name in values], dtype=np.uint8),
    lambda code, frame: [frame.terrains[each] for each in code.tolist()],
    "uint8",
    "terrain",
    holds={"refers": "terrain"},
)
#: Names of terrains, as a row of flags.
TERRAINS = Value(
    lambda values, frame: np.array(
        [[name in (own or ()) for name in frame.terrains] for own in values], dtype=np.uint8
    ),
    lambda rows, frame: [tuple(compress(frame.terrains, row)) for row in rows.tolist()],
    "uint8",
    "0 or 1",
    ", terrain",
    {"one_of": (0, 1)},
)


def span(dim: str) -> Value:
    """Return the encoding of a slice of records of another kind, as offsets."""
    return Value(
        lambda values, frame: np.cumsum([0, *map(len, values)], dtype=np.int32),
        lambda first, frame: [slice(a, b) for a, b in pairwise(first.tolist())],
        "int32",
        dim,
        " + 1",
        {"offsets": dim, "least": 1},
    )
