"""docs/school.md: its examples run, and give what their comments say."""

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.extras.crowds.belief import Belief
from bake.extras.school import (
    OPEN_LISTS,
    RealTimeAgent,
    SlidingTiles,
    Status,
    Tiles,
    crash_and_turn,
    pattern_document,
    search,
    trace_obstacles,
    traced_search,
)
from bake.extras.school.link_costs import priced_pairs
from bake.extras.school.puzzle_json import read_puzzle
from bake.extras.school.spaces.methods import METHODS
from bake.play import Navigator, open_asset
from bake.play.searching.heuristics import heuristic_for
from bake.play.searching.methods import RowSpace
from bake.store.document import section_of, with_section
from levelbake.places import Place
from tests.support.baked import bake as baked
from tests.support.baked import recipe_for, rows, write_graph, write_grid
from tests.support.command import bake
from tests.support.compare import subgraph
from tests.support.pages import ROOT, blocks, examples, page
from tests.support.problems import EDGES, TO_B
from tests.support.puzzles import baked as pattern_database
from tests.support.stored import stored_asset

pytestmark = pytest.mark.note(38, "the page's own problem")

PAGE = page("school.md")


def test_the_examples(bare: Path) -> None:
    (bare / "baked").mkdir()
    shutil.copy(stored_asset("keep.png"), "baked")
    assert bake("build", ROOT / "levels_src" / "eight.json", "-o", "baked").code == 0
    shown = examples(PAGE, "school.md")
    for value, expected in shown:
        assert value == expected
    assert len(shown) == 40


def test_every_method_is_told() -> None:
    for name in METHODS:
        assert f'| `"{name}"' in PAGE


def test_the_tables_are_those_of_the_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = "run `python -m bake.extras.school.pattern_document`"
    assert section_of(PAGE, pattern_document.MAKER) == pattern_document.format_tables(), made
    copy = tmp_path / "school.md"
    copy.write_text(with_section(PAGE, "outdated\n", pattern_document.MAKER), "utf-8")
    monkeypatch.setattr(pattern_document, "PAGE", copy)
    pattern_document.main()
    assert copy.read_text("utf-8") == PAGE


def pictures() -> list[list[str]]:
    """The drawings of the page, line by line."""
    return [code.splitlines() for code in blocks(PAGE, "")]


def test_the_lists_of_the_textbook(tmp_path: Path) -> None:
    source = write_graph(tmp_path / "roads.json", sorted(TO_B), EDGES, directed=False)
    with open_asset(baked(source)) as level:
        found = traced_search(level.profile(), "A", "B", heuristic=TO_B)
    right = [
        f"{step.place} {step.f:g} {', '.join(f'{place} {f:g}' for place, f in step.open)}"
        for step in found.trace
    ]
    (drawn,) = (lines[1:] for lines in pictures() if "open afterwards" in lines[0])
    for line, wanted in zip(drawn, right, strict=True):
        assert " ".join(line.split()).startswith(wanted)


def test_the_prices_of_the_drawing() -> None:
    """The roads are drawn as "A1 --1-- C1", and the prices stand below them."""
    (drawn,) = ("\n".join(lines) for lines in pictures() if "maximin" in "".join(lines))
    roads = [(a, b, int(w)) for a, w, b in re.findall(r"(\w\d) --(\d)-- (?=(\w\d))", drawn)]
    roads += [("C1", "C7", 9), ("C6", "C5", 9)]
    assert len(roads) == 11
    names = sorted({name for road in roads for name in road[:2]})
    arcs = [
        (names.index(a), names.index(b), w)
        for one, other, w in roads
        for a, b in ((one, other), (other, one))
    ]
    sub = subgraph(len(names), arcs)
    label = np.array(["ABCD".index(name[0]) for name in names], dtype=np.int32)
    first = np.searchsorted(label, np.arange(5)).astype(np.int32)
    member = np.arange(len(names), dtype=np.int32)
    pair, cost = priced_pairs(sub.graph, sub.weight, label, first, member)
    told = [int(price) for _, price in re.findall(r"(minimum|maximin|average) +(\d)", drawn)]
    assert cost[pair.tolist().index([2, 3])].tolist() == told


def drawn_with(word: str) -> list[str]:
    """The lines of the drawing in which a word stands."""
    (found,) = (lines for lines in pictures() if word in "\n".join(lines))
    return found


def columns(lines: list[str]) -> list[list[str]]:
    """Drawings of five lines that stand side by side, less the blanks between cells."""
    side_by_side = [re.split(r" {2,}", line.strip()) for line in lines]
    return [
        ["".join(line.split()) for line in column] for column in zip(*side_by_side, strict=True)
    ]


def manhattan(state: tuple[int, ...]) -> int:
    goal = (1, 2, 3, 8, 0, 4, 7, 6, 5)
    there = {tile: divmod(cell, 3) for cell, tile in enumerate(goal)}
    here = {tile: divmod(cell, 3) for cell, tile in enumerate(state)}
    return sum(
        abs(here[tile][0] - there[tile][0]) + abs(here[tile][1] - there[tile][1])
        for tile in range(1, 9)
    )


def test_the_table_of_searches() -> None:
    puzzle = read_puzzle(ROOT / "levels_src" / "eight.json")
    lines = drawn_with("states expanded")
    asked = 0
    for line in lines[1:]:
        row = re.match(r" *(\w+)(?:, (\w+)=(\d+))? +([\d,]+) +([\d,]+) +([\d,]+)$", line)
        if row is None:
            continue
        method, option, value = row[1], row[2], row[3]
        found: Any = search(
            SlidingTiles(puzzle.moves, puzzle.start),  # type: ignore[arg-type]
            method,
            h=manhattan if METHODS[method].heuristic else None,
            **({option: int(value)} if option else {}),
        )
        limits = dict[int, int]()
        while found.step() is not None:
            if method == "ida":
                limits[int(found.limit)] = limits.get(int(found.limit), 0) + 1
        told = [f"{count:,}" for count in (found.expanded, found.most_held, int(found.cost))]
        assert told == [row[4], row[5], row[6]], method
        if method == "ida":
            assert " ".join(f"{limit}: {count}" for limit, count in limits.items()) == " ".join(
                lines[-1].split("limit:")[1].split()
            )
        asked += 1
    assert asked == len(METHODS.keys() - {"iddfs"})


def test_what_is_said_of_iterative_deepening() -> None:
    goal = (1, 2, 3, 8, 0, 4, 7, 6, 5)
    counts = []
    for method in ("iddfs", "bfs"):
        found = search(SlidingTiles(Tiles(3, 3, goal), (0, 1, 2, 3, 6, 4, 8, 7, 5)), method)
        found.run()
        assert found.cost == 14
        counts += [f"{found.expanded:,}", f"{found.most_held:,}"]
    words = " ".join(PAGE.split())
    assert (
        "of 14 moves takes it {} expansions and {} states, where `bfs` expands {}".format(*counts)
        + f" and holds {counts[3]}"
        in words
    )


def guided(nav: Navigator, start: Place, goal: Place) -> tuple[RowSpace, Callable[[int], float]]:
    """Rows as states, and the heuristic that fits the level."""
    now = nav._now
    row, goal_row = now.ends(start, goal)
    estimate = heuristic_for(now.searches, None, goal_row)
    h = now.searches.space.estimates(estimate, goal_row).tolist()
    return RowSpace(now.searches, row, goal_row), h.__getitem__


def test_the_table_of_memory() -> None:
    with open_asset(stored_asset("keep.png")) as level:
        space, h = guided(level.profile(), (3, 4), (20, 20))
        astar = search(space, h=h)
        astar.run()
        assert f"A\\* holds {astar.most_held} places" in PAGE
        assert astar.path is not None
        lines = drawn_with("memory     places expanded")[2:]
        for line in lines:
            memory, expanded, gave_up = re.match(r" *([\d,]+) +([\d,]+)(.*)", line).groups()  # type: ignore[union-attr]
            found = search(space, "sma", h=h, memory=int(memory.replace(",", "")))
            assert found.run() is (Status.GAVE_UP if gave_up else Status.FOUND)
            assert f"{found.expanded:,}" == expanded
            if not gave_up:
                assert found.cost == astar.cost
        assert f"the shortest has {len(astar.path)}" in lines[-1]


def test_what_is_learned(tmp_path: Path) -> None:
    lines = drawn_with("3 trips")
    boards, start, goal = columns(lines[2:7]), (0, 2), (4, 2)
    ground = rows(*(re.sub("[^#]", ".", line) for line in boards[0]))
    source = write_grid(tmp_path / "trap.json", ground)
    with open_asset(baked(source, recipe_for(connectivity=4))) as level:
        belief = Belief(level.profile())
        belief.observe_all()
        agent = RealTimeAgent(belief, start, goal)
        for number, board in enumerate(boards):
            agent.place = start
            before = agent.steps
            while number and not agent.arrived:
                agent.step()
            if number:
                assert str(agent.steps - before) == lines[-1].split()[number]
            left = agent._plan.labels
            assert left is not None
            for y, line in enumerate(board):
                for x, each in enumerate(line):
                    ticks = left[belief.places.location((x, y))]
                    assert each == "#" or int(each) * belief.places.ticks_per_unit == ticks


def test_the_table_of_open_lists() -> None:
    lines = drawn_with("comparisons      moves")[1:]
    assert len(lines) == len(OPEN_LISTS)
    with open_asset(stored_asset("keep.png")) as level:
        space, h = guided(level.profile(), (3, 4), (50, 41))
        for line in lines:
            name, comparisons, moves = re.split(r" {2,}", line.strip())[:3]
            waiting: Any = OPEN_LISTS[name]()
            search(space, h=h, open_list=waiting).run()
            assert (f"{waiting.comparisons:,}", f"{waiting.moves:,}") == (comparisons, moves)
            assert f"up to {waiting.longest} places wait" in PAGE


def test_the_table_of_pruning() -> None:
    with open_asset(stored_asset("keep.png")) as level:
        belief = Belief(level.profile())
        belief.observe_all()
        for line in drawn_with("without pruning")[3:]:
            lookahead, steps, *expanded = (int(each.replace(",", "")) for each in line.split())
            counts = []
            for method, prune in (("lrta_star", False), ("lrta_star", True), ("rta_star", True)):
                agent = RealTimeAgent(
                    belief, (3, 4), (20, 20), method, lookahead=lookahead, prune=prune
                )
                while not agent.arrived:
                    agent.step()
                assert agent.steps == steps
                counts.append(agent.expanded)
            assert counts == expanded


def test_the_walks(tmp_path: Path) -> None:
    boards = columns(drawn_with("crash_and_turn")[2:7])
    ground = rows(*(re.sub("[^#]", ".", line) for line in boards[0]))
    source = write_grid(tmp_path / "wall.json", ground)
    with open_asset(baked(source, recipe_for())) as level:
        nav = level.profile()
        for board, walk in zip(boards, (trace_obstacles, crash_and_turn), strict=True):
            steps = walk(nav, (0, 2), (6, 2))
            assert steps.arrived
            cells = ((x, y) for y, line in enumerate(board) for x in range(len(line)))
            assert {(x, y) for x, y in cells if board[y][x] in "SoG"} == set(steps.path)


def test_the_patterns_of_the_drawing() -> None:
    patterns = pattern_database(read_puzzle(ROOT / "levels_src" / "eight.json"))
    lines = drawn_with("moves at least")
    goal, start, *parts = columns(lines[2:5])
    puzzle = patterns.puzzle
    assert "".join(goal).replace(".", "0") == "".join(map(str, puzzle.moves.goal))  # type: ignore[union-attr]
    assert "".join(start).replace(".", "0") == "".join(map(str, puzzle.start or ()))
    first, second, both = map(int, re.findall(r"\d+", lines[6])[:3])
    state = puzzle.start or ()
    for part, own, moves in zip(parts, puzzle.patterns, (first, second), strict=True):
        seen = [str(tile) if tile in own else "." for tile in state]
        assert "".join(part) == "".join(seen)
        alone = replace(puzzle, patterns=(own,))
        assert pattern_database(alone).h(state) == moves
    assert patterns.h(state) == both == 28
    assert manhattan(tuple(state)) == 24
