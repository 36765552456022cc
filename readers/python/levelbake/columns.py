"""Schemas of assets and flat files: the columns that this reader reads, and their constraints.

The lists below are generated from the declarations in `bake.store`, which describe each column.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np

from levelbake.steps import AnyArray

#: The placeholder for a profile's name in paths.
PROFILE = "{profile}"

#: The file that holds a column: an HDF5 asset, a flat file, or either.
Box = Literal["asset", "flat", "both"]
#: The levels that have a column.
World = Literal["grid", "graph", "lattice", "both"]

#: A function that returns the length of a dimension by its name.
Length = Callable[[str], int]
#: A function that yields the faults of a column; see :func:`faults`.
Faults = Callable[["Column", AnyArray, Length], Iterator[str]]


class Attribute(NamedTuple):
    """A scalar of the level or of a profile."""

    group: str  #: path of its group in HDF5
    name: str
    kind: Literal["text", "integer", "flag"]
    description: str = ""  #: meaning and unit
    optional: bool = False  #: whether it may be absent
    values: tuple[str | int, ...] = ()  #: allowed values; empty = any of its kind
    least: int = -(2**63)
    most: int = 2**63 - 1
    absent: int | None = None  #: number in flat files that represents an absent attribute
    counts: str = ""  #: dimension whose length this is

    def allows(self, value: str | int | None) -> bool:
        """Return whether a value is valid; None = absent."""
        if value is None or isinstance(value, str) != (self.kind == "text"):
            return value is None and self.optional
        within = isinstance(value, str) or self.least <= value <= self.most
        return within and (not self.values or value in self.values)

    def of_number(self, number: int) -> str | int | None:
        """Decode a number of a flat file; None = absent.

        Raises:
            IndexError: no text has this number.
        """
        if self.kind == "text":
            return [*[None] * self.optional, *self.values][number]
        return None if number == self.absent else number


class Column(NamedTuple):
    """An array of the level, or of each profile, and the constraints on its elements.

    Some constraints name a dimension, such as ``refers="node"``, and use its length.
    """

    name: str  #: at most 23 ASCII characters, unique per file format for the level or a profile
    dtypes: tuple[str, ...]  #: allowed element types, little-endian; "text" is UTF-8
    dims: tuple[str, ...]  #: name of each dimension; equal names have equal lengths
    unit: str = ""  #: unit of one element
    description: str = ""  #: meaning of the elements and of special values
    box: Box = "both"
    world: World = "both"
    own: bool = False  #: whether each profile has one; otherwise the level has one
    optional: bool = False  #: whether it may be absent in its world
    shuffle: bool = True  #: whether HDF5 applies the shuffle filter before deflate
    needs: str = ""  #: column of the same level or profile that must exist too
    given: bool = False  #: whether it is input, which no other column can verify
    encoding: str = ""  #: encoding of the elements in assets; empty = plain

    refers: str = ""  #: elements are indices along this dimension
    offsets: str = ""  #: elements ascend from 0 to the length of this dimension
    sums: str = ""  #: elements are nonnegative, and their sum is the length of this dimension
    bits: str = ""  #: the last dimension stores bits along this dimension, packed into bytes
    one_of: tuple[int, ...] = ()  #: allowed elements
    least: float | None = None  #: smallest element; with ``offsets``, the smallest difference
    above: float | None = None  #: elements are greater than this
    most: float | None = None
    none: float | None = None  #: an element that is always allowed; may be NaN
    finite: bool = False  #: no element is infinite or NaN
    #: nondecreasing; no duplicates; or the elements are exactly 0 to the largest
    order: Literal["", "ascending", "unique", "numbered"] = ""

    @property
    def path(self) -> str:
        """Return the path of the column in HDF5, with `{profile}` for a profile's name."""
        return profile_path(PROFILE, self.name) if self.own else f"/{self.name}"

    def fits(self, dtype: str, shape: tuple[int, ...] | None) -> bool:
        """Return whether an array's element type and number of dimensions match the column."""
        return dtype in self.dtypes and shape is not None and len(shape) == len(self.dims)


def profile_path(profile: str, name: str) -> str:
    """Return the path of one of a profile's columns."""
    return f"/profiles/{profile}/{name}"


def pattern_of(path: str) -> str:
    """Replace the profile's name in a path by the placeholder."""
    parts = path.split("/")
    if len(parts) == 4 and parts[1] == "profiles":
        parts[2] = PROFILE
    return "/".join(parts)


Attributes = tuple[Attribute, ...]
Columns = tuple[Column, ...]
Numbers = Sequence[Sequence[str]]


class Schema:
    """The attributes and columns of one file format."""

    def __init__(
        self, attributes: Attributes, columns: Columns, numbers: Numbers = ((), ())
    ) -> None:
        self.attributes = attributes
        #: in the order of the file
        self.columns = columns
        #: in flat files, the attributes that column ``numbers`` of the level encodes, in order, and
        #: those that column ``numbers`` of a profile encodes
        self.numbers = numbers
        #: by dimension, the attribute that stores its length
        self.stated = {declared.counts: declared for declared in attributes if declared.counts}
        #: by dimension, the columns with this dimension or one longer by one
        self.along: dict[str, list[Column]] = {}
        for column in columns:
            for dim in {name.removesuffix(" + 1") for name in column.dims}:
                self.along.setdefault(dim, []).append(column)
        self._column = {column.path: column for column in columns}
        self._attribute = {
            (declared.group != "/", declared.name): declared for declared in attributes
        }

    def column(self, path: str) -> Column:
        """Return the declaration of a column by path or pattern; raise a KeyError if absent."""
        return self._column[pattern_of(path)]

    def has_column(self, path: str) -> bool:
        """Return whether the schema declares a column with this path."""
        return pattern_of(path) in self._column

    def attribute(self, group: str, name: str) -> Attribute:
        """Return the declaration of an attribute by group and name; raise a KeyError if absent."""
        return self._attribute[group != "/", name]


def listed(kind: type[Any], lines: str) -> tuple[Any, ...]:
    """Parse declarations, one per line; a line with several names declares one for each.

    A line contains the fields without defaults in order, then other fields as ``name=value``.

    Args:
        kind: Attribute or Column.
        lines: the text.
    """
    required = [field for field in kind._fields if field not in kind._field_defaults]
    declarations = []
    for line in lines.strip().split("\n"):
        parts = line.split(";")
        fields = [*zip(required, parts, strict=False)]
        fields += [part.partition("=")[::2] for part in parts[len(required) :]]
        values = {field: _value(field, text) for field, text in fields}
        declarations += [kind(**{**values, "name": name}) for name in values["name"].split(" ")]
    return tuple(declarations)


@cache
def _value(field: str, text: str) -> Any:
    """Parse the value of a field."""
    if field in ("dims", "dtypes", "values", "one_of"):
        return tuple(_value("", word) for word in text.split(", " if field == "dims" else " "))
    if text.lstrip("-").isdecimal():
        return int(text)
    return {"": True, "nan": math.nan, "inf": math.inf}.get(text, text)


# -- the lists: written by `python -m bake.store.document`, not by hand ------------------------
# fmt: off
ATTRIBUTES = listed(Attribute, """
/;kind;text;values=graph square hex
/;width;integer;optional;absent=0;counts=x
/;height;integer;optional;absent=0;counts=y
/;hex_layout;text;optional;values=odd-r even-r odd-q even-q
/;connectivity;integer;optional;values=4 6 8;absent=0
/;corner_cutting;text;values=never one_free always
/;cost_rule;text;values=mean entered
/;ticks_per_unit;integer;least=1;most=2147483647
/;recipe;text
/profiles/{profile};component_count;integer;counts=component
/profiles/{profile};one_way;flag;values=0 1
/profiles/{profile};hierarchy_mode;text;optional;values=hpa
/profiles/{profile};two_way;flag;optional;values=0 1
/;floor_height;integer;optional;least=1
/;headings;integer;optional;values=4 6 8
/profiles/{profile};size;integer;optional;least=2;most=16;absent=1
/;block;integer;optional;least=1;most=32768
""")
COUNTS = listed(Attribute, """
/;floors;integer;least=1
/;locations;integer;least=0;counts=location
/;nodes;integer;least=0;counts=node
/;terrains;integer;least=1;most=256;counts=terrain
/;profiles;integer;least=1;counts=profile
/;usual_terrain;integer;least=0
/profiles/{profile};rows;integer;least=0;counts=row
/profiles/{profile};says_none;flag;values=0 1
/profiles/{profile};classes;integer;least=0;counts=class
""")
COLUMNS = listed(Column, """
numbers;int32;level number;box=flat;least=0
name recipe;text;one;box=flat
profile_name;text;profile;box=flat;order=ascending
terrain_name;text;terrain;order=unique
terrain;uint8;location;refers=terrain
barred;uint8;location;world=grid;optional;least=0;most=15
elevation;float64;location;optional;least=-100000000000000;most=100000000000000;finite
node_location;int32;node;box=asset;world=grid;optional;refers=location;order=unique
first_out;int32;node + 1;world=graph;offsets=arc
head;int32;arc;world=graph;refers=node
length;float64;arc;world=graph;above=0;most=1000000000;finite
cell;int32;location, cell number;box=flat;world=graph;optional;least=0
centre;float64;floor or one, xy;world=grid;optional;least=-4398046511104;most=4398046511104;finite
step;float64;2 or 3, xy;world=grid;optional;least=-2097152;most=2097152;finite
node_name;text;node;world=graph;optional;order=unique
node_number;int64;node;world=graph;optional;order=unique
position;float64;node, xy;world=graph;optional;finite
link_name;text;link;world=grid;optional;order=unique
link_id link_kind;text;link;world=grid;optional
link_start link_goal;int32;link;world=grid;optional;refers=location
link_cost;float64;link;world=grid;optional;above=0;most=1000000000;finite
link_both_ways;uint8;link;world=grid;optional;one_of=0 1
link_first_profile;int32;link + 1;world=grid;optional;offsets=link profile
link_profile;text;link profile;world=grid;optional
link_first_via;int32;link + 1;box=asset;world=grid;optional;offsets=link via
link_via;int32;link via;box=asset;world=grid;optional;refers=location
link_over;uint8;link, terrain;box=asset;world=grid;optional;one_of=0 1
link_from;int32;link arc;world=grid;optional;refers=location;order=ascending
link_to;int32;link arc;world=grid;optional;refers=location
link_number;int32;link arc;world=grid;optional;refers=link
price_from;int32;price;optional;refers=location;order=ascending
price_to;int32;price;optional;refers=location
price_units;float64;price;optional;above=0;most=1000000000;none=inf
region_name;text;region;optional;order=unique
region_id;text;region;optional
region_first_cell;int32;region + 1;optional;offsets=region cell
region_cell;int32;region cell;optional;refers=location
spot_name;text;spot;world=grid;optional;order=unique
spot_id spot_kind;text;spot;world=grid;optional
spot_at;int32;spot;world=grid;optional;refers=location
spot_first_profile;int32;spot + 1;world=grid;optional;offsets=spot profile
spot_profile;text;spot profile;world=grid;optional
door_name;text;door;world=grid;optional;order=unique
door_id;text;door;world=grid;optional
door_first_cell;int32;door + 1;world=grid;optional;offsets=door cell
door_cell;int32;door cell;world=grid;optional;refers=location
door_first_state;int32;door + 1;world=grid;optional;offsets=door state;least=1
door_state;int32;door;world=grid;optional;refers=door state;none=-1
door_state_name;text;door state;world=grid;optional
door_first_terrain;int32;door state + 1;world=grid;optional;offsets=door state terrain
door_terrain;uint8;door state terrain;world=grid;optional;refers=terrain
prototype_name;text;prototype;box=asset;world=grid;optional;order=unique
prototype_width prototype_height;int32;prototype;box=asset;world=grid;optional;least=1
instance_prototype;int32;instance;box=asset;world=grid;optional;refers=prototype
instance_at;int32;instance;box=asset;world=grid;optional;refers=location
instance_turn;uint8;instance;box=asset;world=grid;optional;least=0;most=7
wall_corner;int32;wall corner, xy;box=asset;optional;needs=position;least=-268435456;most=268435456
domain_weight;float64;node;box=asset;optional;needs=wall_corner;least=0;most=4398046511104;finite
domain_corner;int32;domain corner, xy;box=asset;optional;needs=domain_weight
domain_node;int32;domain corner;box=asset;optional;needs=domain_corner;refers=node
numbers;int32;profile number;box=flat;own;least=0
cost;float64;terrain;own;above=0;most=1000000000;none=nan;finite
weight;int32;arc;world=graph;own;least=1;most=536870912;none=2147483647
turn;float64;one;box=asset;own;optional;above=0;most=1000000000;finite
slope;float64;slope rule;own;optional;least=0;most=1000000000;none=inf
may_enter;uint8;terrain, terrain;own;optional;one_of=0 1
row_at;int32;location;box=flat;own;refers=row;none=-1
component;int32;row;own;optional;refers=component;order=numbered
reach;uint8;component, reach byte;own;optional;bits=component
run_length;uint8;length byte;box=asset;own;optional
first_run;uint32;row + 1;box=flat;own;optional;offsets=run;least=1
run_start;uint16 uint32;run;box=flat;own;optional;refers=row
run_move;uint8 uint16 uint32;run;own;optional
label_parent;int32;row;own;optional;refers=row;none=-1
label_difference;int32;label difference;box=asset;own;optional
label_away label_toward;uint8 uint16 uint32;label entry;box=asset;own;optional;refers=label difference
label_away label_toward;int32;label entry;box=flat;own;optional;least=0;most=1073741824
""")
NUMBERS = [names.split() for names in ("""
kind width height floors connectivity hex_layout corner_cutting cost_rule ticks_per_unit locations
nodes terrains profiles usual_terrain
""", """
rows component_count one_way says_none size classes two_way hierarchy_mode
""")]
# fmt: on
# -- end of the lists --------------------------------------------------------------------------


def schemas(
    attributes: Attributes, counts: Attributes, columns: Columns, numbers: Numbers
) -> tuple[Schema, Schema]:
    """Build the schemas of assets and of flat files from the declarations of both.

    Args:
        attributes: the attributes of both.
        counts: more attributes of flat files.
        columns: the columns of both.
        numbers: see :class:`Schema`.
    """
    assets = tuple(column for column in columns if column.box != "flat")
    flat = tuple(column for column in columns if column.box != "asset")
    return Schema(attributes, assets), Schema((*attributes, *counts), flat, numbers)


IN_ASSETS, IN_FLAT_FILES = schemas(ATTRIBUTES, COUNTS, COLUMNS, NUMBERS)

#: Dimensions of fixed length.
FIXED = {"one": 1, "xy": 2, "slant": 2, "bound": 2, "length": 2, "channel": 3, "cell number": 3}
FIXED |= {"slope rule": 4, "sector": 18}


# -- constraints ----------------------------------------------------------------------------------


def type_name(dtype: np.dtype[np.generic]) -> str:
    """Return the name of a numpy dtype in schemas."""
    return "text" if dtype.kind == "S" else dtype.name


def faults(column: Column, array: AnyArray, length: Length) -> Iterator[str]:
    """Yield the faults of a column, each a phrase that follows the column's name in an error.

    Args:
        column: the declaration.
        array: an array of the declared type and shape; text as bytes of one length.
        length: returns the length of a dimension.
    """
    if array.dtype.kind == "S":
        yield from _texts(column, array.tolist())
    else:
        yield from _order(column, array, length)
        if not column.offsets:
            yield from elements(column, array, length)


def _texts(column: Column, texts: list[bytes]) -> Iterator[str]:
    try:
        b"\0".join(texts).decode()
    except UnicodeDecodeError:
        yield "is not UTF-8"
    if column.order and len(set(texts)) < len(texts):
        yield "says the same twice"
    if column.order == "ascending" and texts != sorted(texts):
        yield "does not ascend"


def _order(column: Column, array: AnyArray, length: Length) -> Iterator[str]:
    """Yield the faults that concern all elements of a column together."""
    if column.offsets:
        end = length(column.offsets)
        steps = np.diff(array.astype(np.int64))
        if not len(array) or array[0] != 0 or array[-1] != end or steps.min(initial=0) < 0:
            yield f"does not ascend from 0 to {end}, as many as there are of {column.offsets}"
        elif steps.min(initial=2**31) < (column.least or 0):
            yield f"leaves a part with fewer than {column.least:.0f} of {column.offsets}"
    if column.sums and (total := int(array.sum(dtype=np.int64))) != (end := length(column.sums)):
        yield f"adds up to {total}, not to {end}, as many as there are of {column.sums}"
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
    """Return whether labels are 0, 1, 2, ... without gaps, each used at least once."""
    if not len(label):
        return True
    return 0 <= label.min() <= label.max() < len(label) and bool(np.bincount(label).all())


def elements(column: Column, array: AnyArray, length: Length) -> Iterator[str]:
    """Yield the faults of single elements of a column, or of a slice of one; see :func:`faults`.

    Columns of offsets are skipped: only all offsets together can be wrong.
    """
    if not array.size:
        return
    least, most = bounds(column, length)
    if array.dtype.kind != "f" and not column.one_of:
        # Fast path: nearly all columns are valid, and for unsigned ones the maximum often suffices.
        low = (array.dtype.kind == "u" and least <= 0) or array.min() >= least
        if low and (most >= np.iinfo(array.dtype).max or array.max() <= most):
            return
    wrong = (array < least) | (array > most)
    if column.one_of:
        wrong |= ~np.isin(array, column.one_of)
    if array.dtype.kind == "f":
        wrong |= ~np.isfinite(array) if column.finite else np.isnan(array)
    if column.above is not None:
        wrong |= array <= column.above
    if column.none is not None:
        wrong &= ~np.isnan(array) if math.isnan(column.none) else array != column.none
    if wrong.any():
        yield f"has {array[wrong][0]}, not {_allowed(column, least, most)}"


def bounds(column: Column, length: Length) -> tuple[float, float]:
    """Return the least and the greatest allowed element, apart from ``none``."""
    if column.refers:
        return 0, length(column.refers) - 1
    least = (0 if column.sums else -math.inf) if column.least is None else column.least
    return least, math.inf if column.most is None else column.most


def _allowed(column: Column, least: float, most: float) -> str:
    """Describe the allowed elements of a column, for errors."""
    if column.one_of:
        words = " or ".join(map(str, column.one_of))
    elif most < math.inf:
        words = f"{least:.0f} to {most:.0f}"
    else:
        low = f"{least:.0f} or more" if least > -math.inf else ""
        low = low if column.above is None else f"above {column.above:g}"
        words = ", ".join(filter(None, ("finite" * column.finite, low))) or "a number"
    return words if column.none is None else f"{words}, or {column.none:.0f}"
