"""The proof of compressed next hops: it decodes them as they are meant, and finds what is wrong."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bake.project.recipe import LevelRecipe
from bake.store import Asset
from bake.verify import verify_asset
from levelbake.errors import CorruptAssetError
from levelbake.steps import HexLayout
from tests.support.baked import bake, cells_of_nodes, recipe_for, rows, write_graph, write_grid
from tests.support.levels import shared_level
from tests.support.oracles import offset_to_cube
from tests.support.runs import from_bytes, in_bytes, runs_in
from tests.support.strategies import FAMILIES, seeded
from tests.support.tampering import (
    MORE,
    accepted,
    accepted_with,
    optimal,
    proved,
    store,
    table,
)

HOPS = ("components", "next_hops")
GREEDY, NONE = 254, 255

#: Open ground, so that runs are long and the greedy move is among their symbols.
OPEN = rows("......", ".#....", "....#.", "......")
#: A ledge is stepped onto from floor alone, so there is no way back from the road behind it.
ONE_WAY = rows("..v==~", ".#v==~", "..v==#")

Columns = tuple[list[int], list[int], list[int]]
Pair = tuple[int, int]


class Table:
    """What runs must say, worked out without any of the package's tables."""

    def __init__(self, path: Path, *, fits: bool = True) -> None:
        """Search the graph of an asset.

        Args:
            fits: whether anything may stand for a target that cannot be reached.
        """
        self.right = optimal(path)
        self.rows = int((table(path, "component") >= 0).sum())
        self.fits = fits
        node = np.flatnonzero(table(path, "component") >= 0)
        weight = table(path, "weight")
        with Asset(path) as asset:
            first, head = asset.graph.first_out, asset.graph.head
            self.cells = None
            if asset.graph.is_grid:
                self.cells = [(int(x), int(y)) for x, y in cells_of_nodes(asset)[node]]
                layout = asset.text("hex_layout")
                if layout is not None:
                    self.cells = [offset_to_cube(layout, cell)[:2] for cell in self.cells]
        row_of = {int(each): row for row, each in enumerate(node)}
        self.arcs = [
            [
                (int(arc - first[each]), row_of[int(head[arc])])
                for arc in range(first[each], first[each + 1])
                if weight[arc] != 2**31 - 1
            ]
            for each in node
        ]

    def greedy(self, row: int, target: int) -> int | None:
        """Diagonally, else along the longer difference, else along the shorter one."""
        if self.cells is None:
            return None
        (x, y), (to_x, to_y) = self.cells[row], self.cells[target]
        across, down = int(np.sign(to_x - x)), int(np.sign(to_y - y))
        straight = [(across, 0), (0, down)]
        if abs(to_y - y) > abs(to_x - x):
            straight.reverse()
        diagonal = [(across, down)] if across and down else []
        for step in [*diagonal, *straight]:
            for slot, ahead in self.arcs[row]:
                if step != (0, 0) and self.cells[ahead] == (x + step[0], y + step[1]):
                    return slot
        return None

    def holds(self, columns: Columns) -> bool:
        """Whether every pair of rows decodes to a move that begins a shortest path."""
        counts, lengths, symbols = columns
        _, starts = runs_in(with_ends(counts, lengths))
        end = 0
        for row, count in enumerate(counts):
            begin, end = end, end + count
            stops = [*starts[begin + 1 : end], self.rows]
            for run, stop in zip(range(begin, end), stops, strict=True):
                for target in range(starts[run], stop):
                    if not self.begins_shortest_path(row, target, symbols[run]):
                        return False
        return True

    def begins_shortest_path(self, row: int, target: int, symbol: int) -> bool:
        best = self.right[row, target]
        if row == target:
            return True
        slot = self.greedy(row, target) if symbol == GREEDY else symbol
        if not best:
            # A greedy move that there is no arc for says that there is no path, too.
            return self.fits or slot in (None, NONE)
        return slot in best


def columns_of(path: Path) -> Columns:
    lengths = from_bytes(table(path, "run_length").tolist())
    return runs_in(lengths)[0], [each for each in lengths if each], table(path, "run_move").tolist()


def stored(columns: Columns) -> dict[str, np.ndarray]:
    """What the file has of runs."""
    counts, lengths, symbols = columns
    written = np.array(in_bytes(with_ends(counts, lengths)), dtype=np.uint8)
    return {"run_length": written, "run_move": np.array(symbols, dtype=np.uint8)}


def with_ends(counts: list[int], lengths: list[int]) -> list[int]:
    """Lengths of all runs but the last ones of rows, with the 0 that each of these has."""
    return joined([[*row, 0] for row in of_rows(counts, lengths, 1)])


def another_symbol(rng: random.Random, columns: Columns) -> Columns:
    counts, lengths, symbols = columns
    place = rng.randrange(len(symbols))
    others = [*range(9), GREEDY, NONE, 100]
    changed = [*symbols]
    changed[place] = rng.choice([each for each in others if each != symbols[place]])
    return counts, lengths, changed


def of_rows(counts: list[int], numbers: list[int], less: int = 0) -> list[list[int]]:
    """What each row has of numbers of which rows have as many as runs, or so many less."""
    ends = np.cumsum([count - less for count in counts]).tolist()
    return [numbers[end - count + less : end] for count, end in zip(counts, ends, strict=True)]


def joined(rows: list[list[int]]) -> list[int]:
    return [number for row in rows for number in row]


def another_start(rng: random.Random, columns: Columns) -> Columns:
    """Some later run of a row begins earlier or later, and those behind it where they did."""
    counts, lengths, symbols = columns
    changed = of_rows(counts, lengths, 1)
    while joined(changed) == lengths:
        row = rng.choice([each for each in changed if each])
        place = rng.randrange(len(row))
        both = row[place] + (row[place + 1] if place + 1 < len(row) else len(counts) - sum(row))
        if both > 1:
            first = rng.randrange(1, both)
            if place + 1 < len(row):
                row[place + 1] = both - first
            row[place] = first
    return counts, joined(changed), symbols


def swapped_rows(rng: random.Random, columns: Columns) -> Columns:
    """All runs of two rows, exchanged."""
    counts, lengths, symbols = columns
    runs = list(zip(of_rows(counts, lengths, 1), of_rows(counts, symbols), strict=True))
    a, b = rng.sample(range(len(runs)), 2)
    runs[a], runs[b] = runs[b], runs[a]
    changed, said = zip(*runs, strict=True)
    return [len(row) for row in said], joined(changed), joined(said)


def joined_runs(rng: random.Random, columns: Columns) -> Columns:
    """The first run of a row is given to the row before, count for count."""
    counts, lengths, symbols = columns
    rich = [row for row in range(1, len(counts)) if counts[row] > 1]
    row = rng.choice(rich)
    changed = [*counts]
    changed[row] -= 1
    changed[row - 1] += 1
    return changed, lengths, symbols


def baked_in_runs(folder: Path, kind: str) -> Path:
    recipe = recipe_for(tables=HOPS)
    if kind == "graph":
        n, arcs = seeded(FAMILIES[0], 62, 22)
        source = write_graph(folder / "graph.json", range(n), arcs)
        return bake(source, LevelRecipe(tables=HOPS))
    if kind == "one way":
        return bake(write_grid(folder / "grid.json", ONE_WAY), recipe)
    layout: HexLayout | None = "even-q" if kind == "hex" else None
    return bake(write_grid(folder / "grid.json", OPEN, layout), recipe)


@pytest.mark.parametrize("kind", ["square", "hex", "one way", "graph"])
@pytest.mark.parametrize("tamper", [another_symbol, another_start, swapped_rows, joined_runs])
def test_what_is_wrong_is_found_and_what_is_right_is_accepted(
    kind: str, tamper: Callable[[random.Random, Columns], Columns], tmp_path: Path
) -> None:
    path = baked_in_runs(tmp_path, kind)
    whole, right = columns_of(path), Table(path)
    assert right.holds(whole)
    assert accepted(path)
    rng = random.Random(f"{kind} {tamper.__name__}")
    found = 0
    with Asset(path) as asset:
        for _ in range(12 * MORE):
            changed = tamper(rng, whole)
            fits = all(sum(row) < right.rows for row in of_rows(*changed[:2], 1))
            expected = fits and right.holds(changed)
            assert accepted_with(asset, stored(changed)) == expected, changed
            found += not expected
    assert found


@pytest.mark.parametrize("kind", ["square", "one way"])
def test_greedy_moves_and_others_are_among_the_symbols(kind: str, tmp_path: Path) -> None:
    """Else the tests above would prove less than they seem to."""
    symbols = columns_of(baked_in_runs(tmp_path, kind))[2]
    assert GREEDY in symbols
    assert min(symbols) < 8


def test_no_path_is_stored_where_no_other_table_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bake.tables.components.MAX_CLOSURE", 0)
    path = baked_in_runs(tmp_path, "one way")
    whole, right = columns_of(path), Table(path, fits=False)
    assert NONE in whole[2]
    assert right.holds(whole)
    assert accepted(path)
    rng = random.Random(3)
    found = 0
    with Asset(path) as asset:
        for tamper in (another_symbol, another_start):
            for _ in range(30 * MORE):
                changed = tamper(rng, whole)
                holds = right.holds(changed)
                assert accepted_with(asset, stored(changed)) == holds, changed
                found += NONE in set(changed[2]) ^ set(whole[2]) or not holds
    assert found


def long_length(old: np.ndarray) -> np.ndarray:
    first = np.flatnonzero(old)[0]
    return np.concatenate([old[:first], [129] * 5 + [1], old[first + 1 :]])


@pytest.mark.parametrize(
    ("name", "make", "told"),
    [
        (
            "run_length",
            lambda old: old + 21 * (old > 0),
            "a run of 42",
        ),
        ("run_length", lambda old: old * 0, "ends 58 of 22 rows"),
        ("run_length", lambda old: old + (old == 0), "ends 0 of 22 rows"),
        ("run_length", np.sort, "inside a length"),
        ("run_length", lambda old: old | 128, "has 0 lengths for 58 runs"),
        ("run_length", lambda old: old[:-1], "has 57 lengths for 58 runs"),
        ("run_length", lambda old: np.append(old, 129), "inside a length"),
        ("run_length", lambda old: np.append(old[:-1], [128, 0]), "inside a length"),
        ("run_length", long_length, "length of 6 bytes"),
        ("run_move", lambda old: old[1:], "has 58 lengths for 57 runs"),
        ("run_move", lambda old: old * 0 + 77, "hop is no arc"),
        ("run_move", lambda old: old * 0 + 255, "a shorter path"),
    ],
)
def test_columns_that_make_no_table(
    name: str, make: Callable[[np.ndarray], np.ndarray], told: str, tmp_path: Path
) -> None:
    path = baked_in_runs(tmp_path, "square")
    old = table(path, name)
    store(path, name, make(old.astype(np.int64)).astype(old.dtype))
    with pytest.raises(CorruptAssetError, match=told):
        proved(path)


def test_distances_beside_runs(tmp_path: Path) -> None:
    for place, family in enumerate(FAMILIES):
        n, arcs = seeded(family, 63, 70)
        source = write_graph(
            tmp_path / f"g{place}.json", range(n), [(a, b, w % 90 + 1) for a, b, w in arcs]
        )
        recipe = LevelRecipe(tables=("next_hops", "distances"))
        proof = proved(bake(source, recipe))
        assert (proof.pairs, proof.distances) == (n * n, n * n)


@pytest.mark.parametrize("name", ["den312d"])
def test_every_pair_of_a_real_map(name: str, tmp_path: Path) -> None:
    source = tmp_path / f"{name}.map"
    source.write_bytes(shared_level(f"movingai/{name}.map").read_bytes())
    path = bake(source, threads=2)
    rows_ = int((table(path, "component") >= 0).sum())
    told: list[float] = []
    proof = verify_asset(path, None, told.append)
    assert proof.pairs == rows_**2
    assert told == sorted(told)
    assert told[-1] == 1
    slots = table(path, "run_move")
    places = np.flatnonzero(slots < 8)
    slots[places[len(places) // 2]] ^= 7
    store(path, "run_move", slots)
    with pytest.raises(CorruptAssetError, match="profile 'default': from"):
        proved(path)
