"""The columns of levels' files that this reader reads, and what must hold of their elements.

The lists below are made from those of `bake`, which also say in words what each column means.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np

from levelbake.steps import AnyArray

#: What stands for the profile's name in paths.
PROFILE = "{profile}"

#: The file that holds a column: an HDF5 asset, a flat file, or either.
Box = Literal["asset", "flat", "both"]
#: The levels that have a column.
World = Literal["grid", "graph", "lattice", "both"]

#: The length of a dimension of the level or profile whose column is checked, by its name.
Length = Callable[[str], int]
#: What finds faults of a column: see :func:`faults`.
Faults = Callable[["Column", AnyArray, Length], Iterator[str]]


class Attribute(NamedTuple):
    """A scalar of the level or of a profile."""

    group: str  #: path of the group that it sits on
    name: str
    kind: Literal["text", "integer", "flag"]
    description: str = ""  #: what it says, with its unit
    optional: bool = False  #: whether it may be absent
    values: tuple[str | int, ...] = ()  #: the only values it may have; none = any of its kind
    least: int = -(2**63)
    most: int = 2**63 - 1
    absent: int | None = None  #: the number of flat files where there is no such attribute
    counts: str = ""  #: the dimension whose length it states

    def allows(self, value: str | int | None) -> bool:
        """Return whether it may have a value; None = be absent."""
        if value is None or isinstance(value, str) != (self.kind == "text"):
            return value is None and self.optional
        within = isinstance(value, str) or self.least <= value <= self.most
        return within and (not self.values or value in self.values)

    def of_number(self, number: int) -> str | int | None:
        """Return the value that a number of a flat file stands for; None where it is absent.

        Raises:
            IndexError: no text has this number.
        """
        if self.kind == "text":
            return [*[None] * self.optional, *self.values][number]
        return None if number == self.absent else number


class Column(NamedTuple):
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
    encoding: str = ""  #: how assets encode the elements; empty where they are plain

    refers: str = ""  #: elements are numbers along this dimension
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


def profile_path(profile: str, name: str) -> str:
    """Return the path of one of a profile's columns."""
    return f"/profiles/{profile}/{name}"


def pattern_of(path: str) -> str:
    """Return the path pattern behind a concrete path."""
    parts = path.split("/")
    if len(parts) == 4 and parts[1] == "profiles":
        parts[2] = PROFILE
    return "/".join(parts)


Attributes = tuple[Attribute, ...]
Columns = tuple[Column, ...]
Numbers = Sequence[Sequence[str]]


class Schema:
    """The attributes and columns of one kind of file.

    Attributes:
        attributes: in no particular order.
        columns: in the order in which they are written into the file.
        stated: the attributes that state the length of a dimension, by this.
        along: the columns with each dimension, as long or longer by one.
        numbers: in flat files, the attributes that the numbers of the level stand for, in their
            order, and those of a profile.
    """

    def __init__(
        self, attributes: Attributes, columns: Columns, numbers: Numbers = ((), ())
    ) -> None:
        self.attributes, self.columns, self.numbers = attributes, columns, numbers
        self.stated = {each.counts: each for each in attributes if each.counts}
        self.along: dict[str, list[Column]] = {}
        for each in columns:
            for dim in {name.removesuffix(" + 1") for name in each.dims}:
                self.along.setdefault(dim, []).append(each)
        self._column = {declared.path: declared for declared in columns}
        self._attribute = {(each.group != "/", each.name): each for each in attributes}

    def column(self, path: str) -> Column:
        """Return the declaration of a column by its path or path pattern, or raise KeyError."""
        return self._column[pattern_of(path)]

    def has_column(self, path: str) -> bool:
        """Return whether there may be a column of this path."""
        return pattern_of(path) in self._column

    def attribute(self, group: str, name: str) -> Attribute:
        """Return the declaration of an attribute by its group and name, or raise KeyError."""
        return self._attribute[group != "/", name]


def listed(kind: type[Any], lines: str) -> tuple[Any, ...]:
    """Return what the lines of a text declare, one a line; names apart by spaces are as many.

    A line has what must be said, in its order, and then what is not as usual, by name.

    Args:
        kind: Attribute or Column.
    """
    first = [field for field in kind._fields if field not in kind._field_defaults]
    found = []
    for line in lines.strip().split("\n"):
        parts = line.split(";")
        said = [*zip(first, parts, strict=False)]
        said += [part.partition("=")[::2] for part in parts[len(first) :]]
        values = {field: _value(field, text) for field, text in said}
        found += [kind(**{**values, "name": name}) for name in values["name"].split(" ")]
    return tuple(found)


@cache
def _value(field: str, text: str) -> Any:
    """Return what stands behind a name in a line."""
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
    """Return the schemas of assets and of flat files, from the declarations of both.

    Args:
        counts: attributes of flat files alone.
        numbers: see :class:`Schema`.
    """
    assets, flat = (tuple(each for each in columns if each.box != box) for box in ("flat", "asset"))
    return Schema(attributes, assets), Schema((*attributes, *counts), flat, numbers)


IN_ASSETS, IN_FLAT_FILES = schemas(ATTRIBUTES, COUNTS, COLUMNS, NUMBERS)

#: Lengths of dimensions that the format fixes.
FIXED = {"one": 1, "xy": 2, "slant": 2, "bound": 2, "length": 2, "channel": 3, "cell number": 3}
FIXED |= {"slope rule": 4, "sector": 18}


# -- what must hold of a column --------------------------------------------------------------------


def type_name(dtype: np.dtype[np.generic]) -> str:
    """Return what an element type of numpy is called in the table of columns."""
    return "text" if dtype.kind == "S" else dtype.name


def faults(column: Column, array: AnyArray, length: Length) -> Iterator[str]:
    """Yield what is wrong with a whole column, in words that follow its name.

    Args:
        column: its declaration.
        array: of the type and shape that it declares; text as bytes of one length.
        length: gives the lengths of dimensions.
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


def elements(column: Column, array: AnyArray, length: Length) -> Iterator[str]:
    """Yield what is wrong with single elements of a column, or of a part of one, as `faults` does.

    Offsets are not looked at: only all of them together can be wrong.
    """
    if not array.size:
        return
    least, most = bounds(column, length)
    if array.dtype.kind != "f" and not column.one_of:
        # Nearly all columns are right, and unsigned ones often show it by their largest alone.
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
    """Return the least and the most that an element may be, but for ``none``."""
    if column.refers:
        return 0, length(column.refers) - 1
    least = (0 if column.sums else -math.inf) if column.least is None else column.least
    return least, math.inf if column.most is None else column.most


def _allowed(column: Column, least: float, most: float) -> str:
    """Return in words which elements a column may have."""
    if column.one_of:
        words = " or ".join(map(str, column.one_of))
    elif most < math.inf:
        words = f"{least:.0f} to {most:.0f}"
    else:
        low = f"{least:.0f} or more" if least > -math.inf else ""
        low = low if column.above is None else f"above {column.above:g}"
        words = ", ".join(filter(None, ("finite" * column.finite, low))) or "a number"
    return words if column.none is None else f"{words}, or {column.none:.0f}"
