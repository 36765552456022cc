"""Open a flat file as an asset, so that one reader answers from both.

Columns are handed out where they lie.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bake.arrays import AnyArray, Int64Array
from bake.asset import Asset, Header
from bake.asset.column import profile_path, type_name
from bake.asset.schema import Schema
from bake.errors import AssetError, CorruptAssetError
from bake.flat.read import FlatFile, is_flat
from bake.flat.schema import COLUMNS, LEVEL
from bake.hexagons import HEX_LAYOUTS
from bake.movement.rules import CORNER_CUTTING, COST_RULES

_KINDS = ("graph", "square", "hex")
_MODES = (None, "hpa")


@dataclass(frozen=True)
class _Stated(Header):
    """A header of which only the fingerprint is known."""

    stated: str = ""

    def fingerprint(self) -> str:
        return self.stated


class FlatAsset(Asset):
    """An open flat file, with the attributes and columns of an asset.

    Attributes:
        flat: the file.
    """

    is_flat = True
    #: Labels hold distances, not what they are to be added up from.
    labels_are_sums = True
    schema = Schema((), COLUMNS)

    def __init__(self, path: str | Path, *, check: bool = True) -> None:
        """Open a flat file.

        Args:
            path, check: see :class:`bake.flat.read.FlatFile`.
        """
        self.path = Path(path)
        self.flat = FlatFile(self.path, check=check)
        self._checked: dict[str, AnyArray] = {}
        self._is_open = True
        flat = self.flat
        names = flat.texts(LEVEL, "profile_name")
        if names != sorted(names, key=str.encode):
            raise self.damaged("profile_name is not in order")
        self.profiles = tuple(names)
        head = flat.header
        self.header = _Stated(
            head.format_version,
            head.bake_revision,
            flat.texts(LEVEL, "name")[0],
            (),
            hashlib.sha256(flat.texts(LEVEL, "recipe")[0].encode()).hexdigest(),
            "",
            0,
            head.size,
            head.fingerprint,
        )
        self.cells_are_nodes = flat.has(LEVEL, "cell")
        self._check_shape()

    def _check_shape(self) -> None:
        numbers = self.flat.numbers
        width, height, floors = (numbers[name] for name in ("width", "height", "floors"))
        wanted = {0: (0,), 1: (4, 8), 2: (6,)}[numbers["kind"]]
        fits = numbers["directions"] in wanted and (numbers["hex_layout"] > 0) == (6 in wanted)
        if self._is_grid:
            fits = fits and width * height == numbers["locations"] and height % floors == 0
        if not fits:
            raise self.damaged("the numbers of the level contradict each other")

    def damaged(self, found: str, *, verdict: str = "damaged") -> CorruptAssetError:
        """Return the error for what is found in this file."""
        return self.flat.damaged(found, verdict)

    def close(self) -> None:
        """Let nothing more be read; arrays already handed out stay valid."""
        self._is_open = False

    def check_open(self) -> None:
        """Refuse to go on after :meth:`close`."""
        if not self._is_open:
            raise AssetError(
                "the asset is closed", file=self.path, remedy="look things up inside `with`"
            )

    # -- attributes -------------------------------------------------------------------------------

    @property
    def _is_grid(self) -> bool:
        return self.flat.numbers["kind"] != 0

    def _profile(self, path: str) -> int:
        """Return the number of the profile in a path."""
        return self.profiles.index(path.split("/")[2])

    def text(self, name: str, group: str = "/") -> str | None:
        """Return a text attribute; None where it is absent."""
        self.check_open()
        numbers = self.flat.numbers
        if name == "hierarchy_mode":
            return _MODES[self.flat.profiles[self._profile(group)]["hierarchy_mode"]]
        if name == "recipe":
            return self.flat.texts(LEVEL, "recipe")[0]
        layout = numbers["hex_layout"]
        return {
            "kind": _KINDS[numbers["kind"]],
            "hex_layout": HEX_LAYOUTS[layout - 1] if layout else None,
            "corner_cutting": CORNER_CUTTING[numbers["corner_cutting"]],
            "cost_rule": COST_RULES[numbers["cost_rule"]],
        }.get(name)

    def number(self, name: str, group: str = "/") -> int | None:
        """Return an integer attribute; None where it is absent."""
        self.check_open()
        if group != "/":
            own = self.flat.profiles[self._profile(group)]
            return {
                "component_count": own["components"],
                "one_way": own["one_way"],
                "two_way": own["two_way"],
                "size": own["size"] if own["size"] != 1 else None,
            }.get(name)
        numbers = self.flat.numbers
        floors = numbers["floors"]
        return {
            "width": numbers["width"] if self._is_grid else None,
            "height": numbers["height"] if self._is_grid else None,
            "connectivity": numbers["directions"] if self._is_grid else None,
            "ticks_per_unit": numbers["ticks_per_unit"],
            "floor_height": numbers["height"] // floors if floors > 1 else None,
        }.get(name)

    # -- columns ----------------------------------------------------------------------------------

    def _key(self, path: str) -> tuple[int, str]:
        """Return the profile's number and the name of a column."""
        parts = path.split("/")
        return (LEVEL, parts[1]) if len(parts) == 2 else (self._profile(path), parts[3])

    def has(self, path: str) -> bool:
        """Tell whether there is a column."""
        self.check_open()
        return self.flat.has(*self._key(path))

    def read(self, path: str) -> AnyArray:
        """Return a column where it lies; texts as (k) bytes.

        Raises:
            CorruptAssetError: it is missing, or not what the schema says.
        """
        self.check_open()
        if path not in self._checked:
            key = self._key(path)
            array = self.flat.read(*key)
            if self.flat.entries[key].dtype == "text":
                array = np.ascontiguousarray(array).reshape(-1).view(f"S{array.shape[1]}")
            self._checked[path] = array
        return self._checked[path]

    def run_starts(self, profile: str, rows: int, runs: int) -> tuple[Int64Array, AnyArray]:
        """Return where runs begin, see :class:`bake.asset.Asset`; the starts are where they lie."""
        first, start = (
            self.read(profile_path(profile, name)) for name in ("first_run", "run_start")
        )
        begins_at: Int64Array = first.astype(np.int64)
        count = begins_at[1:] - begins_at[:-1]
        begins = np.zeros(runs, dtype=np.bool_)
        begins[first[:-1]] = True
        rises = begins.copy()
        rises[1:] |= start[1:] > start[:-1]
        if start[begins].any() or not rises.all():
            raise self.damaged(f"run_start of profile {profile!r} is not in order")
        return count, start

    def rows(self, profile: str) -> int:
        """Return how many rows a profile has."""
        return self.flat.profiles[self.profiles.index(profile)]["rows"]

    def shape(self, path: str) -> tuple[int, ...]:
        """Return the shape of a column."""
        return self.read(path).shape

    def dtype(self, path: str) -> str:
        """Return the element type of a column."""
        return type_name(self.read(path).dtype)

    def stored_bytes(self, path: str) -> int:
        """Return the bytes that a column takes in the file."""
        return self.flat.entries[self._key(path)].size

    def is_same(self, path: str, other: str) -> bool:
        """Tell whether two columns are stored once."""
        return self.flat.is_same(self._key(path), self._key(other))

    def columns(self) -> list[str]:
        """Return the paths of all columns, in the order of the file."""
        return [
            f"/{name}" if number == LEVEL else profile_path(self.profiles[number], name)
            for number, name in self.flat.entries
        ]


def open_either(path: Path, *, check: bool = True) -> Asset:
    """Open an asset, or a flat file with the face of one.

    Args:
        path: either.
        check: compare all bytes with what the header says of them.

    Raises:
        AssetError: the file is missing, neither of the two, or damaged.
    """
    return FlatAsset(path, check=check) if is_flat(path) else Asset(path, check=check)
