"""What lint finds, against walks cell by cell; how findings are told."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.level import GridLevel, Spot, Things
from bake.project.lint.findings import Finding, as_annotation, as_data, as_text, summed_up
from bake.project.lint.levels import LevelLinter
from bake.worlds import AgentProfile, build_world
from levelbake.steps import MovementRules
from tests.support.baked import GROUND, rows, rules_of
from tests.support.command import bake
from tests.support.oracles import Lattice, square_arcs
from tests.support.strategies import grids
from tests.support.worlds import door, level_of, link

RULES = MovementRules("never", "mean", 100)


def linted(level: GridLevel, profiles: dict[str, int] | None = None) -> list[Finding]:
    agents = tuple(
        AgentProfile(name, rules_of(GROUND), size) for name, size in (profiles or {"p": 1}).items()
    )
    world = build_world(level, agents, RULES, 8, strict_links=False)
    return [f for f in LevelLinter(world, {}).findings() if f.rule != "terrain"]


def spot(name: str, kind: str, x: int, y: int, *profiles: str) -> Spot:
    return Spot(name, kind, (x, y), profiles or None, f"object {name}")


def told(findings: list[Finding]) -> list[tuple[str, str | None, object, int]]:
    return [(f.rule, f.profile, f.cell, f.cells) for f in findings]


def test_islands_by_the_largest_part() -> None:
    level = level_of(rows("..#...", "###...", ".#####"))
    assert told(linted(level)) == [("islands", "p", (0, 0), 2), ("islands", "p", (0, 2), 1)]


def test_islands_by_spawns() -> None:
    level = replace(
        level_of(rows("..#...", "###...")), things=Things(spots=(spot("a", "spawn", 0, 0),))
    )
    (found,) = linted(level)
    assert (found.rule, found.cell, found.cells) == ("islands", (3, 0), 6)
    assert found.message == "6 places cannot be reached from any spawn"


def test_many_islands_are_summed_up() -> None:
    level = level_of(rows(*[".#" * 20 + "...", "#" * 43] * 2))
    found = linted(level)
    assert len(found) == 13
    assert found[-1].message == (
        "29 places in 29 other parts cannot be reached from the largest part of the level"
    )


def test_exits_and_traps() -> None:
    # One-way: a ledge tile is entered from floor, and what lies behind it is left by nothing.
    level = level_of(rows("..v==", "#####", "....."))
    things = Things(spots=(spot("in", "spawn", 0, 0), spot("out", "exit", 0, 2)))
    assert told(linted(replace(level, things=things))) == [
        ("islands", "p", (0, 2), 5),
        ("exits", "p", (0, 0), 1),
        ("traps", "p", (3, 0), 2),
    ]
    open_end = Things(spots=(spot("in", "spawn", 0, 0), spot("out", "exit", 4, 0)))
    assert told(linted(replace(level, things=open_end))) == [("islands", "p", (0, 2), 5)]


def test_spots_in_walls() -> None:
    spots = (spot("a", "spawn", 1, 0), spot("b", "exit", 1, 0, "p"), spot("c", "spawn", 0, 0))
    level = replace(level_of(rows(".#.")), things=Things(spots=spots))
    found = [f for f in linted(level) if f.rule in ("spawns", "exits")]
    assert [f.message for f in found] == [
        "spawn 'a' lies where it cannot stand",
        "exit 'b' lies where it cannot stand",
    ]


def test_doors_count_as_open() -> None:
    gate = door("gate", [(2, 0)], "shut", open="floor", shut="wall")
    level = level_of(rows("..#.."))
    assert told(linted(level)) == [("islands", "p", (3, 0), 2)]
    assert told(linted(replace(level, things=Things(doors=(gate,))))) == []


def test_links() -> None:
    links = (
        link((0, 0), (2, 0)),
        link((0, 0), (4, 0), profiles=("p", "nobody")),
        link((0, 0), (5, 0), profiles=("large",)),
    )
    level = replace(level_of(rows("..#...")), things=Things(links=links))
    found = [f for f in linted(level, {"p": 1, "large": 2}) if f.rule == "links"]
    assert [(f.place, f.message) for f in found] == [
        (
            "links (0, 0) (2, 0)",
            "link '(0, 0)-(2, 0)' leads from (0, 0) to (2, 0), but none of its profiles can stand "
            "at both",
        ),
        (
            "links (0, 0) (4, 0)",
            "link '(0, 0)-(4, 0)' is for 'nobody', which is not a profile of this level",
        ),
        (
            "links (0, 0) (5, 0)",
            "link '(0, 0)-(5, 0)' leads from (0, 0) to (5, 0), but none of its profiles can stand "
            "at both",
        ),
    ]


def test_narrow_cells() -> None:
    level = level_of(rows("...#..", "...#.#", "##..##"))
    (found,) = [f for f in linted(level, {"p": 1, "large": 2}) if f.rule == "narrow"]
    assert (found.profile, found.cell, found.cells) == ("large", (4, 0), 5)
    assert found.message == "5 cells are too narrow for 2 x 2 cells"


@given(grid=grids(("floor", "ledge", "road", "wall"), largest=6), draw=st.data())
def test_islands_and_traps_against_walks(grid: list[list[str]], draw: st.DataObject) -> None:
    lattice = Lattice(grid, GROUND)
    cells = lattice.cells()
    spawns = draw.draw(st.lists(st.sampled_from(cells), min_size=1, max_size=2, unique=True))
    exits = draw.draw(st.lists(st.sampled_from(cells), max_size=2, unique=True))
    steps = set(square_arcs(lattice, 8))

    def walked(start: tuple[int, int]) -> set[tuple[int, int]]:
        seen, todo = {start}, [start]
        while todo:
            here = todo.pop()
            new = {b for a, b in steps if a == here} - seen
            seen |= new
            todo += new
        return seen

    reached = {cell: walked(cell) for cell in cells}
    islands = set(cells).difference(*(reached[spawn] for spawn in spawns))
    homes = {*spawns, *exits}
    traps = {
        cell
        for cell in cells
        if cell not in islands and cell not in spawns and not reached[cell] & homes
    }
    lost = [spawn for spawn in spawns if exits and not reached[spawn] & set(exits)]
    spots = [spot(f"s{n}", "spawn", *cell) for n, cell in enumerate(spawns)]
    spots += [spot(f"e{n}", "exit", *cell) for n, cell in enumerate(exits)]
    found = linted(replace(level_of(grid), things=Things(spots=tuple(spots))))
    assert sum(f.cells for f in found if f.rule == "islands") == len(islands)
    assert sum(f.cells for f in found if f.rule == "traps") == len(traps)
    assert sorted(f.cell for f in found if f.rule == "exits") == sorted(lost)
    for rule, expected in (("islands", islands), ("traps", traps)):
        first = {f.cell for f in found if f.rule == rule}
        assert first <= expected
        assert bool(first) == bool(expected)


# -- how they are told ----------------------------------------------------------------------------

FOUND = Finding(
    "traps", "warning", "levels/a,b.json", "a", "layer: x", "p", (1, 2, 0), 3, "50% of it\nis"
)


def test_reports() -> None:
    assert as_text(FOUND) == (
        "levels/a,b.json: level a: layer: x: warning [traps] profile p: 50% of it\nis, "
        "first at (1, 2, 0)"
    )
    assert as_text(replace(FOUND, level="a,b", place=None)).startswith("levels/a,b.json: warning")
    assert as_annotation(FOUND) == (
        "::warning file=levels/a%2Cb.json,title=bake lint%3A traps in a::layer: x: profile p: "
        "50%25 of it%0Ais, first at (1, 2, 0)"
    )
    data = json.loads(
        json.dumps(as_data([FOUND, replace(FOUND, cell=7, severity="error")]), default=vars)
    )
    assert (data["errors"], data["warnings"], data["notices"]) == (1, 1, 0)
    assert [one["cell"] for one in data["findings"]] == [[1, 2, 0], 7]


def test_what_is_said_again_and_again_is_summed_up() -> None:
    told = "places cannot be reached from any spawn"
    islands = [
        replace(FOUND, cell=(number, 0), cells=number, message=f"{number:,} {told}")
        for number in (2000, 9, 8, 7, 6, 1)
    ]
    islands[-1] = replace(islands[-1], message=f"1 {told.replace('places', 'place')}")
    other = replace(FOUND, profile="q", message=f"5 {told}")
    unused = [
        replace(FOUND, level=name, cell=None, cells=0, message=f"terrain {terrain!r} is unused")
        for name in ("cave", "hall", "yard")
        for terrain in ("lava", "mud")
    ]
    found = summed_up([*islands, other, *unused])
    assert [each for each, _ in found] == [*islands[:3], other, *unused[:2]]
    lines = [as_text(*each) for each in found]
    assert lines[2].endswith("8 places cannot be reached from any spawn, first at (8, 0); "
                             "and 3 more like it (14 more places)")  # fmt: skip
    assert lines[4].endswith("level cave: layer: x: warning [traps] profile p: "
                             "terrain 'lava' is unused; and in 2 more levels")  # fmt: skip
    assert as_annotation(*found[5]).endswith("terrain 'mud' is unused; and in 2 more levels")
    assert all(not others for _, others in summed_up(islands[:4]))
    assert len(summed_up(islands[:5])) == 3
    assert summed_up([]) == []


# -- the command ----------------------------------------------------------------------------------

LEVEL: dict[str, Any] = {
    "format": "bake-tiles",
    "version": 1,
    "legend": {".": "floor", "#": "wall"},
    "rows": ["..#..", "..#.."],
}
COSTS = "[terrain]\nfloor = 1\nwall = 'blocked'\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "levels_src").mkdir()
    (tmp_path / "levels_src" / "a.json").write_text(json.dumps(LEVEL))
    (tmp_path / "bake.toml").write_text(COSTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_warnings_do_not_fail(project: Path) -> None:
    done = bake("lint")
    assert done.code == 0
    assert done.out.splitlines() == [
        "levels_src/a.json: warning [islands] profile default: 4 places cannot be reached from the "
        "largest part of the level, first at (3, 0)",
        "1 finding in 1 level",
    ]


def test_severities_are_the_recipes(project: Path) -> None:
    (project / "bake.toml").write_text(COSTS + "[lint]\nislands = 'error'\n")
    done = bake("lint", "--format", "github")
    assert done.code == 1
    assert done.out.startswith("::error file=levels_src/a.json,title=bake lint%3A islands in")
    (project / "bake.toml").write_text(
        COSTS + "[lint]\nislands = 'error'\n[levels.a.lint]\nislands = 'off'\n"
    )
    done = bake("lint", "--json")
    assert done.code == 0
    assert done.data == {
        **{"errors": 0, "warnings": 0, "notices": 0},
        **{"findings": [], "left_out": []},
    }


def test_a_broken_level_is_a_finding(project: Path) -> None:
    links = [{"name": "l", "from": [0, 0], "to": [9, 9]}]
    (project / "levels_src" / "b.json").write_text(json.dumps({**LEVEL, "links": links}))
    done = bake("lint", "--format", "json")
    assert done.code == 1
    (found,) = [one for one in done.data["findings"] if one["level"] == "b"]
    assert found == {
        "rule": "level",
        "severity": "error",
        "file": "levels_src/b.json",
        "level": "b",
        "place": "links[0].to",
        "profile": None,
        "cell": None,
        "cells": 0,
        "message": "[9, 9] lies outside the level; expected x from 0 to 4, y from 0 to 1",
    }


def test_a_key_that_became_a_terrain(project: Path) -> None:
    (project / "bake.toml").write_text(COSTS + "connectivity = 4\n")
    done = bake("lint")
    assert (
        "bake.toml: [terrain] connectivity: warning [recipe] connectivity is read as the name of "
        "a terrain; write it above the first [table]" in done.out
    )


def test_only_one_profile(project: Path) -> None:
    """Links for others are not looked at, and build with one profile as well."""
    links = [{"name": "l", "from": [0, 0], "to": [2, 0], "profiles": ["ghost"]}]
    (project / "levels_src" / "a.json").write_text(json.dumps({**LEVEL, "links": links}))
    (project / "bake.toml").write_text(
        COSTS + "[profiles.ghost]\nterrain = { wall = 1 }\n[profiles.p]\n"
    )
    assert "[links]" not in bake("lint", "--profile", "p").out
    assert "[links]" not in bake("lint").out
    assert bake("build", "--profile", "p", "--jobs", "1").code == 0
