"""How a column or attribute of an asset is declared."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Layout = Literal["compressed", "contiguous"]

#: Stands for the profile's name in paths.
PROFILE = "{profile}"


@dataclass(frozen=True)
class Attribute:
    """A scalar on a group.

    Attributes:
        group: path of the group it sits on.
        name: its name.
        kind: "text", "integer" or "flag".
        description: what it says, with its unit.
        optional: whether it may be absent.
    """

    group: str
    name: str
    kind: Literal["text", "integer", "flag"]
    description: str
    optional: bool = False


@dataclass(frozen=True)
class Column:
    """An array.

    Attributes:
        path: where it lies; `{profile}` stands for a profile's name.
        dtypes: allowed element types, little-endian; "S" is fixed-length UTF-8 text.
        dims: name of each dimension; equal names have equal lengths within an asset (or profile).
        unit: of one element.
        description: what it says.
        optional: whether it may be absent.
        layout: "compressed" (chunked, deflated) or "contiguous" (may be memory-mapped).
        shuffle: whether bytes of equal weight are brought together before deflating; worse where
            whole elements repeat.
    """

    path: str
    dtypes: tuple[str, ...]
    dims: tuple[str, ...]
    unit: str
    description: str
    optional: bool = False
    layout: Layout = "compressed"
    shuffle: bool = True


def digest_of(array: npt.NDArray[np.generic]) -> str:
    """sha256 of a column: its elements in C order, little-endian."""
    little = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
    return hashlib.sha256(np.ascontiguousarray(little).data).hexdigest()
