"""What declarations of columns and attributes say, and what must hold of a column's elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bake.arrays import AnyArray

#: What stands for the profile's name in paths.
PROFILE = "{profile}"

#: The file that holds a column: an HDF5 asset, a flat file, or either.
Box = Literal["asset", "flat", "both"]
#: The levels that have a column.
World = Literal["grid", "graph", "lattice", "both"]

#: The length of a dimension of the level or profile whose column is checked, by its name.
Length = Callable[[str], int]


@dataclass(frozen=True)
class Attribute:
    """A scalar of the level or of a profile."""

    group: str  #: path of the group that it sits on
    name: str
    kind: Literal["text", "integer", "flag"]
    description: str = ""  #: what it says, with its unit
    optional: bool = False  #: whether it may be absent
    values: tuple[str | int, ...] = ()  #: the only values it may have; none = any of its kind
    least: int = -(2**63)
    most: int = 2**63 - 1

    def allows(self, value: str | int) -> bool:
        """Return whether it may have a value."""
        if isinstance(value, str) != (self.kind == "text"):
            return False
        within = isinstance(value, str) or self.least <= value <= self.most
        return within and (not self.values or value in self.values)


@dataclass(frozen=True)
class Column:
    """An array of the level, or of each profile, and the constraints that its elements meet.

    A constraint that names a dimension, such as ``refers="node"``, asks for its length.
    """

    name: str  #: at most 23 ASCII characters, unique in its box among the level's or a profile's
    dtypes: tuple[str, ...]  #: allowed element types, little-endian; "text" is UTF-8
    dims: tuple[str, ...]  #: name of each dimension; equal names have equal lengths
    unit: str = ""  #: unit of one element
    description: str = ""  #: what it says, with every value that has a meaning of its own
    box: Box = "both"
    world: World = "both"
    own: bool = False  #: whether each profile has one; otherwise the level has it
    optional: bool = False  #: whether it may be absent where its world is right
    shuffle: bool = True  #: whether HDF5 brings bytes of equal weight together before deflating
    needs: str = ""  #: of the same level or profile, a column without which it may not be there
    given: bool = False  #: whether the level alone says it, so that nothing else proves it

    refers: str = ""  #: elements are numbers along this dimension; "cell": (x, y) inside the grid
    offsets: str = ""  #: elements ascend from 0 to the length of this dimension
    sums: str = ""  #: elements are not negative, and their sum is the length of this dimension
    bits: str = ""  #: bytes along the last dimension hold bits along this one, and no others
    one_of: tuple[int, ...] = ()  #: the only elements there may be
    least: float | None = None  #: with ``offsets``: least difference between one and the next
    above: float | None = None  #: elements are greater than this
    most: float | None = None
    none: float | None = None  #: an element that is allowed whatever else is said; may be NaN
    finite: bool = False  #: no element is infinite or NaN
    #: not falling; no element twice; each number from 0 to the greatest is there
    order: Literal["", "ascending", "unique", "numbered"] = ""

    @property
    def path(self) -> str:
        """Return where it lies in HDF5; `{profile}` stands for a profile's name."""
        return profile_path(PROFILE, self.name) if self.own else f"/{self.name}"

    def fits(self, dtype: str, shape: tuple[int, ...] | None) -> bool:
        """Return whether an array of this element type and shape may be this column."""
        return dtype in self.dtypes and shape is not None and len(shape) == len(self.dims)


@dataclass(frozen=True)
class Number:
    """One of the numbers that describe the level or a profile: an element of column ``numbers``."""

    name: str
    description: str = ""  #: what it says; all its values
    least: int = 0
    most: int = 2**31 - 1
    attribute: str = ""  #: what assets call it, where that is another name
    values: tuple[str | None, ...] = ()  #: the attribute where the number is 0, 1, and so on
    absent: int | None = None  #: the number where there is no such attribute

    def decoded(self, number: int) -> str | int | None:
        """Return the attribute that a number stands for; None where there is none."""
        if self.values:
            return self.values[number]
        return None if number == self.absent else number


def profile_path(profile: str, name: str) -> str:
    """Return the path of one of a profile's columns."""
    return f"/profiles/{profile}/{name}"


def pattern_of(path: str) -> str:
    """Return the path pattern behind a concrete path."""
    parts = path.split("/")
    if len(parts) == 4 and parts[1] == "profiles":
        parts[2] = PROFILE
    return "/".join(parts)


class Schema:
    """The attributes and columns of one kind of file.

    Attributes:
        attributes: in no particular order.
        columns: in the order in which they are written into the file.
        stated: for each dimension whose length attributes state, whether they are a profile's, and
            their name.
        numbers: in flat files, those of the level and those of a profile.
    """

    def __init__(
        self,
        attributes: tuple[Attribute, ...],
        columns: tuple[Column, ...],
        stated: Mapping[str, tuple[bool, str]],
        numbers: tuple[tuple[Number, ...], tuple[Number, ...]] = ((), ()),
    ) -> None:
        self.attributes, self.columns = attributes, columns
        self.stated, self.numbers = stated, numbers
        self._column = {declared.path: declared for declared in columns}
        self._attribute = {(declared.group, declared.name): declared for declared in attributes}

    def column(self, path: str) -> Column:
        """Return the declaration of a column by its path or path pattern, or raise KeyError."""
        return self._column[pattern_of(path)]

    def has_column(self, path: str) -> bool:
        """Return whether there may be a column of this path."""
        return pattern_of(path) in self._column

    def columns_along(self, dim: str) -> list[Column]:
        """Return the declarations of the columns with a dimension, as long or longer by one."""
        return [each for each in self.columns if dim in each.dims or f"{dim} + 1" in each.dims]

    def attribute(self, group: str, name: str) -> Attribute:
        """Return the declaration of an attribute by its group and name, or raise KeyError."""
        pattern = pattern_of(f"{group}/x").rsplit("/", 1)[0] or "/"
        return self._attribute[pattern, name]


def column(
    name: str, dtypes: str, dims: str, unit: str = "", description: str = "", **rest: Any
) -> Column:
    """Declare a column in one entry of a table; types and dimensions are words of a line."""
    types, names = tuple(dtypes.split()), tuple(dims.split(", "))
    return Column(name, types, names, unit, description, **rest)


#: Dimensions whose lengths attributes state: whether these are a profile's, and their names.
_IN_ASSETS = {"x": (False, "width"), "y": (False, "height"), "component": (True, "component_count")}
_IN_FLAT_FILES = {
    **{"location": (False, "locations"), "node": (False, "nodes")},
    **{"terrain": (False, "terrains"), "profile": (False, "profiles")},
    **{"row": (True, "rows"), "class": (True, "classes")},
    "component": (True, "component_count"),
}


def schemas(
    attributes: tuple[Attribute, ...],
    columns: tuple[Column, ...],
    numbers: tuple[tuple[Number, ...], tuple[Number, ...]],
) -> tuple[Schema, Schema]:
    """Return the schemas of assets and of flat files, from the declarations of both.

    Numbers of flat files that assets do not have are attributes, too.
    """
    known = {each.name for each in attributes}
    more = [
        Attribute(group, one.name, "integer", one.description, least=one.least, most=one.most)
        for group, own in zip(("/", f"/profiles/{PROFILE}"), numbers, strict=True)
        for one in own
        if (one.attribute or one.name) not in known
    ]
    assets = tuple(each for each in columns if each.box != "flat")
    flat = tuple(each for each in columns if each.box != "asset")
    return (
        Schema(attributes, assets, _IN_ASSETS),
        Schema((*attributes, *more), flat, _IN_FLAT_FILES, numbers),
    )


#: Lengths of dimensions that the format fixes.
FIXED = {
    **{"xy": 2, "channel": 3, "slant": 2, "bound": 2, "one": 1, "length": 2, "sector": 18},
    **{"cell number": 3, "slope rule": 4},
}


# -- what must hold of a column --------------------------------------------------------------------


def type_name(dtype: np.dtype[np.generic]) -> str:
    """Return what an element type of numpy is called in the table of columns."""
    return "text" if dtype.kind == "S" else dtype.name


def faults(column: Column, array: AnyArray, length: Length, *, whole: bool = True) -> Iterator[str]:
    """Yield what is wrong with the elements of a column, in words that follow its name.

    Args:
        column: its declaration.
        array: of the type and shape that it declares; text as bytes of one length.
        length: gives the lengths of dimensions.
        whole: whether this is all of the column, or only a part of it.
    """
    if array.dtype.kind == "S":
        texts = array.tolist()
        try:
            b"\0".join(texts).decode()
        except UnicodeDecodeError:
            yield "is not UTF-8"
        if column.order and len(set(texts)) < len(texts):
            yield "says the same twice"
        if column.order == "ascending" and texts != sorted(texts):
            yield "does not ascend"
    elif array.size or column.offsets or column.bits:
        yield from _order(column, array, length) if whole else ()
        if array.dtype.kind == "f":
            yield from _floats(column, array)
        elif not column.offsets:
            yield from _integers(column, array, length)


def _order(column: Column, array: AnyArray, length: Length) -> Iterator[str]:
    """Yield what is wrong with the elements of a whole column together."""
    if column.offsets:
        end = length(column.offsets)
        steps = np.diff(array.astype(np.int64))
        if not len(array) or array[0] != 0 or array[-1] != end or steps.min(initial=0) < 0:
            yield f"does not ascend from 0 to {end}, as many as there are of {column.offsets}"
        elif steps.min(initial=2**31) < (column.least or 0):
            yield f"leaves a part with fewer than {column.least:.0f} of {column.offsets}"
    if column.sums and (found := int(array.sum(dtype=np.int64))) != (end := length(column.sums)):
        yield f"adds up to {found}, not to {end}, as many as there are of {column.sums}"
    if column.order == "ascending" and (array[1:] < array[:-1]).any():
        yield "does not ascend"
    if column.order == "numbered" and not is_numbered(array):
        yield "is not numbered without gaps"
    if column.order == "unique":
        ascending = np.sort(array if column.none is None else array[array != column.none])
        if (ascending[1:] == ascending[:-1]).any():
            yield "says the same twice"
    if column.bits:
        bits = length(column.bits)
        if array.shape[-1] != -(-bits // 8):
            yield f"has no bit for each {column.bits}"
        elif bits % 8 and (array[..., -1] & (0xFF >> bits % 8)).any():
            yield f"has bits beyond the last {column.bits}"


def is_numbered(label: AnyArray) -> bool:
    """Return whether parts are numbered from 0 without gaps, so that each has a member."""
    if not len(label):
        return True
    return 0 <= label.min() <= label.max() < len(label) and bool(np.bincount(label).all())


def _floats(column: Column, array: AnyArray) -> Iterator[str]:
    if column.none is not None and math.isnan(column.none):
        array = array[~np.isnan(array)]
    elif np.isnan(array).any():
        yield "has an element that is no number"
        return
    if column.finite and not np.isfinite(array).all():
        yield "has an element that is not finite"
    least = array.min(initial=math.inf)
    if column.above is not None and least <= column.above:
        yield f"has {least}, which is not above {column.above}"
    if column.least is not None and least < column.least:
        yield f"has {least}, which is below {column.least}"


def _integers(column: Column, array: AnyArray, length: Length) -> Iterator[str]:
    if column.refers == "cell":
        if (array < 0).any() or (array >= [length("x"), length("y")]).any():
            yield "has a cell outside the level"
        return
    least, most = bounds(column, length)
    if array.dtype.kind == "u":
        least = max(least, 0)
    # Unsigned elements need one pass, where only the largest matters.
    smallest = 0 if array.dtype.kind == "u" and least <= 0 else int(array.min())
    largest = int(array.max()) if most < np.iinfo(array.dtype).max else most
    if least <= smallest and largest <= most and not column.one_of:
        return
    wrong = (array < least) | (array > most)
    if column.one_of:
        wrong |= ~np.isin(array, column.one_of)
    if column.none is not None:
        wrong &= array != column.none
    if wrong.any():
        yield f"has {int(array[wrong][0])}, not {_allowed(column, least, most)}"


def bounds(column: Column, length: Length) -> tuple[float, float]:
    """Return the least and the most that an element of whole numbers may be, but for ``none``."""
    least = -math.inf if column.least is None else column.least
    most = math.inf if column.most is None else column.most
    if column.refers:
        least, most = 0, length(column.refers) - 1
    return max(least, 0) if column.sums else least, most


def _allowed(column: Column, least: float, most: float) -> str:
    """Return in words which elements a column may have."""
    if column.one_of:
        words = " or ".join(map(str, column.one_of))
    else:
        words = f"{least:.0f} or more" if most == math.inf else f"{least:.0f} to {most:.0f}"
    return words if column.none is None else f"{words}, or {column.none:.0f}"
