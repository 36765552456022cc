"""Give a flat file the face of an asset, so that one reader answers from both.

Next hops, and whatever else the file has as an asset does, are handed out where they lie. The rest
is made of the file's columns when it is asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from bake.arrays import AnyArray, Int32Array, Int64Array, UInt8Array
from bake.asset import Asset, Header
from bake.asset.column import PROFILE, profile_path
from bake.asset.runs import run_lengths
from bake.asset.schema import COLUMNS, FORMAT_NAME, column
from bake.errors import AssetError, CorruptAssetError
from bake.flat.graph import FlatGraph
from bake.flat.read import FlatFile, is_flat
from bake.flat.schema import LEVEL
from bake.flat.schema import column as flat_column
from bake.hexagons import HEX_LAYOUTS
from bake.movement.rules import CORNER_CUTTING, COST_RULES

_KINDS = ("graph", "square", "hex")
_MODES = (None, "hpa")
#: Columns that are of another shape than those of assets with the same name.
_RESHAPED = ("terrain", "barred", "elevation", "cell")


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
    #: All columns are there.
    implied = None

    def __init__(self, path: str | Path, *, check: bool = True, exact: bool = False) -> None:
        """Open a flat file.

        Args:
            path, check: see :class:`bake.flat.read.FlatFile`.
            exact: see :class:`bake.flat.graph.FlatGraph`.
        """
        self.path = Path(path)
        self.flat = FlatFile(self.path, check=check)
        self._made: dict[str, AnyArray | None] = {}
        self._is_open = True
        flat = self.flat
        names = flat.texts(LEVEL, "profile_name")
        if names != sorted(names, key=str.encode):
            raise self.damaged("profile_name is not in order")
        self.profiles = tuple(names)
        self._level_name = flat.texts(LEVEL, "name")[0]
        head = flat.header
        self.header = _Stated(
            head.format_version,
            head.bake_revision,
            self._level_name,
            (),
            hashlib.sha256(flat.texts(LEVEL, "recipe")[0].encode()).hexdigest(),
            "",
            0,
            head.size,
            head.fingerprint,
        )
        self.cells_are_nodes = flat.has(LEVEL, "cell")
        self._check_shape()
        self._graph = FlatGraph(self.flat, exact=exact)

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
        names = "str" if self.flat.has(LEVEL, "node_name") else "int"
        return {
            "format": FORMAT_NAME,
            "name": self._level_name,
            "kind": _KINDS[numbers["kind"]],
            "hex_layout": HEX_LAYOUTS[layout - 1] if layout else None,
            "corner_cutting": CORNER_CUTTING[numbers["corner_cutting"]],
            "cost_rule": COST_RULES[numbers["cost_rule"]],
            "node_name_type": None if self._is_grid else names,
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
            "format_version": self.header.format_version,
            "bake_revision": self.header.bake_revision,
            "width": numbers["width"] if self._is_grid else None,
            "height": numbers["height"] if self._is_grid else None,
            "connectivity": numbers["directions"] if self._is_grid else None,
            "ticks_per_unit": numbers["ticks_per_unit"],
            "floor_height": numbers["height"] // floors if floors > 1 else None,
        }.get(name)

    # -- columns ----------------------------------------------------------------------------------

    def has(self, path: str) -> bool:
        """Tell whether there is a column."""
        self.check_open()
        return self._find(path) is not None

    def read(self, path: str) -> AnyArray:
        """Return a column of an asset, where it lies or made of others.

        Raises:
            CorruptAssetError: it is missing, or is made of columns that contradict each other.
        """
        self.check_open()
        if path not in self._made:
            find = self._find(path)
            if find is None:
                raise self.damaged(f"column {path} is missing")
            self._made[path] = find()
        found = self._made[path]
        assert found is not None
        return found

    def run_starts(self, profile: str, rows: int, runs: int) -> tuple[Int64Array, AnyArray]:
        """Return where runs begin, see :class:`bake.asset.Asset`; the starts are where they lie."""
        self.check_open()
        number = self.profiles.index(profile)
        count = self._graph.run_count(number)
        start = self.flat.read(number, "run_start")
        begins = np.zeros(runs, dtype=np.bool_)
        begins[np.cumsum(count) - count] = True
        rises = begins.copy()
        rises[1:] |= start[1:] > start[:-1]
        if start[begins].any() or not rises.all():
            raise self.damaged(f"run_start of profile {number} is not in order")
        return count, start

    def shape(self, path: str) -> tuple[int, ...]:
        """Return the shape of a column."""
        if path == "/terrain":
            return self.flat.numbers["height"], self.flat.numbers["width"]
        return self.read(path).shape

    def dtype(self, path: str) -> str:
        """Return the element type of a column."""
        dtype = self.read(path).dtype
        return "text" if dtype.kind == "S" else str(dtype)

    def stored_bytes(self, path: str) -> int:
        """Return the bytes that a column takes in the file; 0 where it is made of others."""
        key = self._lying(path)
        return 0 if key is None else self.flat.entries[key].size

    def is_same(self, path: str, other: str) -> bool:
        """Tell whether two columns are stored once."""
        one, two = self._lying(path), self._lying(other)
        return one is not None and two is not None and self.flat.is_same(one, two)

    def columns(self) -> list[str]:
        """Return the paths of all columns, in the order of the asset's schema."""
        shared = [c.path for c in COLUMNS if PROFILE not in c.path]
        own = [c.path.rsplit("/", 1)[1] for c in COLUMNS if PROFILE in c.path]
        paths = shared + [profile_path(p, name) for p in self.profiles for name in own]
        return [path for path in paths if self.has(path)]

    def _lying(self, path: str) -> tuple[int, str] | None:
        """Return the key of a column that the file holds as an asset does; None = it does not."""
        parts = path.split("/")
        if parts[1] == "profiles":
            key = self._profile(path), _SAME_OWN.get(parts[3], parts[3])
            taken = parts[3] in _MADE_OWN
        else:
            key = LEVEL, parts[1]
            taken = key[1] in _RESHAPED
        if taken or flat_column(*key) is None or not self.flat.has(*key):
            return None
        return key

    def _find(self, path: str) -> Callable[[], AnyArray] | None:
        """Return what gives a column; None where the file does not have it."""
        column(path)  # raises a KeyError for a path that no asset has
        key = self._lying(path)
        made = self._graph.exact and path.endswith("/run_slot")
        made |= path.endswith("/run_length")
        if key is not None and not made:
            found = key
            if self.flat.entries[found].dtype == "text":
                return lambda: self._text(*found)
            return lambda: self.flat.read(*found)
        parts = path.split("/")
        graph = self._graph
        if parts[1] == "profiles":
            number, name = self._profile(path), parts[3]
            of_profile: dict[str, tuple[str, Callable[[int], AnyArray]]] = {
                "component": ("row_at", graph.component),
                "weight": ("row_at", graph.weight),
                "run_length": ("run_start", self._run_length),
                "run_slot": ("run_move", graph.run_slot),
            }
            needed, make = of_profile.get(name, ("", None))
            there = make is not None and self.flat.has(number, needed)
            return partial(make, number) if make is not None and there else None
        needed, make_it = self._made_of_level().get(path, ("", None))
        return make_it if self.flat.has(LEVEL, needed) else None

    def _made_of_level(self) -> dict[str, tuple[str, Callable[[], AnyArray]]]:
        """Return what gives columns of the level, each after a column that it needs."""
        graph = self._graph
        found: dict[str, tuple[str, Callable[[], AnyArray]]] = {
            "/node_terrain": ("terrain", lambda: graph.terrain[graph.place]),
            "/own_price": ("price_from", graph.own_price),
        }
        if not self._is_grid:
            names = "node_number", lambda: self.flat.read(LEVEL, "node_number")
            height = "elevation", lambda: self.flat.read(LEVEL, "elevation")
            return found | {
                "/node_name": names,
                "/node_elevation": height,
            }
        return found | {
            "/terrain": ("terrain", partial(self._grid, "terrain")),
            "/barred": ("barred", partial(self._grid, "barred")),
            "/elevation": ("elevation", partial(self._grid, "elevation")),
            "/cell": ("node_at", lambda: self._cells_of(graph.place)),
            "/first_out": ("node_at", lambda: graph.arcs.first_out),
            "/head": ("node_at", lambda: graph.arcs.head),
            "/length": ("node_at", lambda: graph.arcs.length),
            "/arc_link": ("link_from", lambda: graph.arcs.link),
        }

    def greedy_slots(self, profile: int) -> AnyArray:
        """Return (r, 18) int64, the slot of each row's greedy move in each sector; -1 = none."""
        return self._graph.greedy_slots(profile)

    # -- what is made of other columns ------------------------------------------------------------

    def _text(self, profile: int, name: str) -> AnyArray:
        """Return a column of text as (k) bytes."""
        stored = self.flat.read(profile, name)
        return np.ascontiguousarray(stored).reshape(-1).view(f"S{stored.shape[1]}")

    def _run_length(self, profile: int) -> UInt8Array:
        rows, runs = (len(self.flat.read(profile, name)) for name in ("first_run", "run_start"))
        _, start = self.run_starts(self.profiles[profile], rows - 1, runs)
        return run_lengths(start.astype(np.int32))

    def _grid(self, name: str) -> AnyArray:
        return self.flat.read(LEVEL, name).reshape(self.shape("/terrain"))

    def _cells_of(self, location: AnyArray) -> Int32Array:
        """Return (k, 2) int32, the cells (x, y) of the whole grid at some locations."""
        y, x = np.divmod(location, np.int32(max(1, self.flat.numbers["width"])))
        return np.stack([x, y], axis=1).astype(np.int32)


def open_either(path: Path, *, check: bool = True, exact: bool = False) -> Asset:
    """Open an asset, or a flat file with the face of one.

    Args:
        path: either.
        check: compare all bytes with what the header says of them.
        exact: of a flat file, see :class:`bake.flat.graph.FlatGraph`.

    Raises:
        AssetError: the file is missing, neither of the two, or damaged.
    """
    return FlatAsset(path, check=check, exact=exact) if is_flat(path) else Asset(path, check=check)


_SAME_OWN = {"run_slot": "run_move", "run_length": "run_start"}
#: Columns of a profile whose names are in the file, too, where they say something else.
_MADE_OWN = ("component", "step_ticks")
