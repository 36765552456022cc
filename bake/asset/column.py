"""Declare a column: what it is called, where it lies, what it holds, and what must hold of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from bake.arrays import AnyArray
from levelbake.errors import CorruptAssetError

#: What stands for the profile's name in paths.
PROFILE = "{profile}"

#: The file that holds a column: an HDF5 asset, a flat file, or either.
Box = Literal["asset", "flat", "both"]
#: The levels that have a column.
World = Literal["grid", "graph", "lattice", "both"]


class Form(NamedTuple):
    """The element type of an array, as the table calls it, and its shape, if it has one."""

    dtype: str
    shape: tuple[int, ...] | None


class Stored(Protocol):
    """What a file holds: see :class:`bake.asset.read.Asset`."""

    def read(self, path: str) -> AnyArray: ...
    def has(self, path: str) -> bool: ...
    def shape(self, path: str) -> tuple[int, ...]: ...
    def rows(self, profile: str) -> int | None: ...
    def text(self, name: str, group: str = "/") -> str | None: ...
    def number(self, name: str, group: str = "/") -> int | None: ...
    def damaged(self, found: str) -> CorruptAssetError: ...


@dataclass(frozen=True)
class Attribute:
    """A scalar on a group.

    Attributes:
        group: path of the group it sits on.
        name: its name.
        kind: "text", "integer" or "flag".
        description: what it says, with its unit.
        optional: whether it may be absent.
        values: the only values it may have; none = any of its kind.
        least, most: bounds of a number.
    """

    group: str
    name: str
    kind: Literal["text", "integer", "flag"]
    description: str
    optional: bool = False
    values: tuple[str | int, ...] = ()
    least: int = -(2**63)
    most: int = 2**63 - 1

    def allows(self, value: str | int) -> bool:
        """Tell whether it may have a value."""
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
    unit: str  #: unit of one element
    description: str  #: what it says, with every value that has a meaning of its own
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
        """Tell whether an array of this element type and shape may be this column."""
        return dtype in self.dtypes and shape is not None and len(shape) == len(self.dims)


def type_name(dtype: np.dtype[np.generic]) -> str:
    """Return what an element type of numpy is called in the table."""
    return "text" if dtype.kind == "S" else dtype.name


def column(name: str, dtypes: str, dims: str, unit: str, description: str, **rest: Any) -> Column:
    """Declare a column in one entry of a table; types and dimensions are words of a line."""
    types, names = tuple(dtypes.split()), tuple(dims.split(", "))
    return Column(name, types, names, unit, description, **rest)


def profile_path(profile: str, name: str) -> str:
    """Return the path of one of a profile's columns."""
    return f"/profiles/{profile}/{name}"


def pattern_of(path: str) -> str:
    """Return the path pattern behind a concrete path."""
    parts = path.split("/")
    if len(parts) == 4 and parts[1] == "profiles":
        parts[2] = PROFILE
    return "/".join(parts)
