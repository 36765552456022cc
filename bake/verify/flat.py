"""Prove what a flat file holds beside what an asset has: columns that spare small readers work.

The rest of a flat file is proved as an asset is. Prices are worked out here with whole fractions,
one by one, and greedy moves from the arcs.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from bake.arrays import AnyArray, Int64Array
from bake.flat.asset import FlatAsset
from bake.flat.schema import BORDER, LEVEL
from bake.graph import BLOCKED
from bake.verify.level import Level
from bake.verify.profile import Profile

NO_CLASS = 65535
MOST_TICKS = 2**29

#: sqrt(2) as float64 has it, which steps are priced with.
ROOT_TWO = Fraction(math.sqrt(2))


def prove_flat(asset: FlatAsset, level: Level) -> None:
    """Prove what all profiles of a flat file share.

    Raises:
        CorruptAssetError: something is wrong; the first thing found is named.
    """
    _prove_padding(asset)
    flat, scale = asset.flat, asset.flat.numbers["ticks_per_unit"]
    if flat.has(LEVEL, "link_from"):
        _prove_links(asset, level)
    if flat.has(LEVEL, "price_ticks"):
        units = flat.read(LEVEL, "price_units").tolist()
        right = [BLOCKED if each == math.inf else _ticks(Fraction(each), scale) for each in units]
        _require(asset, right == flat.read(LEVEL, "price_ticks").tolist(), "price_ticks is wrong")
    costs = np.array([flat.read(number, "cost") for number in range(len(asset.profiles))])
    passable = ~np.isnan(costs).all(axis=0)
    terrain = flat.read(LEVEL, "terrain")
    count = np.where(passable, np.bincount(terrain, minlength=len(passable)), -1)
    usual = flat.numbers["usual_terrain"]
    _require(asset, usual == int(count.argmax()), f"usual_terrain is {usual}")


def prove_flat_profile(asset: FlatAsset, profile: Profile) -> None:
    """Prove what one profile of a flat file has.

    Raises:
        CorruptAssetError: something is wrong; the first thing found is named.
    """
    flat, number = asset.flat, asset.profiles.index(profile.name)
    own = flat.profiles[number]
    costs = _prove_classes(asset, profile, number)
    if flat.has(number, "step_ticks"):
        rule, scale = flat.numbers["cost_rule"], flat.numbers["ticks_per_unit"]
        right = [
            [[_step_ticks(a, b, length, rule, scale) for b in costs] for a in costs]
            for length in (Fraction(1), ROOT_TWO)
        ]
        same = flat.read(number, "step_ticks").tolist() == right
        profile.require(same, "step_ticks is wrong")
    says = own["one_way"] == 1 and not flat.has(number, "reach")
    profile.require(own["says_none"] == says, f"says_none is {own['says_none']}")
    arcs = profile.arcs
    there = set(zip(arcs.tail.tolist(), arcs.head.tolist(), arcs.weight.tolist(), strict=True))
    two_way = all((head, tail, weight) in there for tail, head, weight in there)
    profile.require(own["two_way"] == two_way, f"two_way is {own['two_way']}")
    if flat.has(number, "greedy_kind"):
        _prove_greedy(asset, profile, number)
    if flat.has(number, "label_top"):
        top, parent = flat.read(number, "label_top"), flat.read(number, "label_parent")
        row = np.arange(len(top))
        chained = (top == row) | ((parent >= 0) & (top == top[np.maximum(parent, 0)]))
        profile.require(chained.all(), "label_top is not the top of a chain")
        first = flat.read(number, "first_label").astype(np.int64)
        deep = np.diff(first)
        above = np.where(parent < 0, 0, deep[np.maximum(parent, 0)])
        profile.require(np.array_equal(deep, above + 1), "first_label does not fit label_parent")


def prove_cells(level: Level) -> None:
    """Prove what a flat file says of the cells that its nodes are.

    What their steps cost follows from slopes and turns, which the file does not hold: only a
    comparison with the asset proves that.

    Raises:
        CorruptAssetError: something is wrong; the first thing found is named.
    """
    asset = level.asset
    assert isinstance(asset, FlatAsset)
    cell = asset.flat.read(LEVEL, "cell")
    several = bool((cell[:, 2] > 0).any())
    named = [name.decode().split(",") for name in asset.read("/node_name").tolist()]
    level.require((cell >= 0).all(), "a cell lies outside the level")
    right = [[str(x), str(y), str(floor)] for x, y, floor in cell.tolist()]
    fits = named == right or (not several and named == [each[:2] for each in right])
    level.require(fits, "a node is not named after its cell")
    for name in asset.profiles:
        weight = asset.graph.weight(name).astype(np.int64)
        component = asset.graph.component(name)
        usable = weight != BLOCKED
        stands = (component[level.tail] >= 0) & (component[level.head] >= 0)
        level.require(stands[usable].all(), f"profile {name!r}: an arc leads where nobody stands")


def _require(asset: FlatAsset, holds: bool, otherwise: str) -> None:
    if not holds:
        raise asset.damaged(otherwise, verdict="wrong")


def _prove_padding(asset: FlatAsset) -> None:
    """Prove that what lies between columns is zero."""
    data = np.memmap(asset.path, dtype=np.uint8, mode="r")
    for entry in asset.flat.entries.values():
        end = entry.offset + entry.size
        _require(asset, not data[end : -(-end // BORDER) * BORDER].any(), "padding is not zero")


def _prove_links(asset: FlatAsset, level: Level) -> None:
    """Prove that arcs of links cost what the links say."""
    flat, scale = asset.flat, asset.flat.numbers["ticks_per_unit"]
    number, ticks = (flat.read(LEVEL, f"link_{name}").tolist() for name in ("number", "ticks"))
    cost = [_ticks(Fraction(each.cost), scale) for each in level.links]
    _require(asset, ticks == [cost[each] for each in number], "link_ticks is wrong")


def _prove_classes(asset: FlatAsset, profile: Profile, number: int) -> list[float]:
    """Prove which class terrain has, and return what each class costs."""
    flat = asset.flat
    cost = flat.read(number, "cost").tolist()
    costs = sorted({each for each in cost if not math.isnan(each)})
    right = [NO_CLASS if math.isnan(each) else costs.index(each) for each in cost]
    profile.require(flat.read(number, "class").tolist() == right, "class is wrong")
    profile.require(flat.profiles[number]["classes"] == len(costs), "classes is wrong")
    return costs


def _step_ticks(before: float, after: float, length: Fraction, rule: int, scale: int) -> int:
    """Return what a step costs, each product rounded as float64 rounds it."""
    unit = after if rule else float(Fraction(before + after) / 2)
    return _ticks(Fraction(float(Fraction(unit) * length)), scale)


def _ticks(units: Fraction, scale: int) -> int:
    """Return whole ticks, halves to even; BLOCKED where no arc may cost so much or little."""
    ticks = round(Fraction(float(units * scale)))
    return ticks if 1 <= ticks <= MOST_TICKS else int(BLOCKED)


def _prove_greedy(asset: FlatAsset, profile: Profile, number: int) -> None:
    """Prove the greedy moves of all rows in all sectors."""
    at, arcs = profile.chart, profile.arcs
    assert at is not None
    toward = np.full((profile.rows, 3, 3), -1, dtype=np.int64)
    step = at[arcs.head] - at[arcs.tail]
    # Of several arcs the last one written stays: that of the lowest slot.
    near = np.flatnonzero((np.abs(step) <= 1).all(axis=1))[::-1]
    x, y = step[near].T + 1
    toward[arcs.tail[near], x, y] = arcs.slot[near]
    table, kind = (asset.flat.read(number, f"greedy_{name}") for name in ("move", "kind"))
    profile.require(
        int(kind.max(initial=0)) < max(1, len(table)), "a greedy_kind names no greedy_move"
    )
    stored = table[kind].astype(np.int64)
    stored[stored == np.iinfo(table.dtype).max] = -1
    for sector in range(18):
        x, y, upright = sector // 6, sector // 2 % 3, sector % 2
        if (x, y) == (1, 1):
            continue
        right = _first(toward, x, y, upright)
        profile.require(np.array_equal(right, stored[:, sector]), "greedy_move is wrong")


def _first(toward: Int64Array, x: int, y: int, upright: int) -> AnyArray:
    """Return (r) the first arc there is of the diagonal one, and those along both axes."""
    choices = [toward[:, x, y]]
    if x != 1 and y != 1:
        along = [toward[:, x, 1], toward[:, 1, y]]
        choices += along[::-1] if upright else along
    found = choices[0].copy()
    for other in choices[1:]:
        found = np.where(found < 0, other, found)
    return found
