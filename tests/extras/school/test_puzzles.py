"""Puzzles through the command line: baked, checked, planned, shared out, told and refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bake.extras.school import Status, open_patterns, search, tile_search
from bake.play import open_asset
from levelbake.errors import NotAnAssetError
from tests.support.command import bake, mistake
from tests.support.puzzles import EIGHT, PORTER, write_puzzle

HALL = {
    "format": "bake-tiles",
    "version": 1,
    "legend": {".": "floor"},
    "rows": ["....", "...."],
}


@pytest.fixture
def puzzles(bare: Path) -> Path:
    """Two puzzles and a level."""
    folder = bare / "levels_src"
    folder.mkdir()
    write_puzzle(folder / "eight.json", EIGHT)
    write_puzzle(folder / "porter.json", PORTER)
    (folder / "hall.json").write_text(json.dumps(HALL))
    return bare


def test_a_build_bakes_puzzles_beside_levels(puzzles: Path) -> None:
    done = bake("build", "--jobs", "1", "--json")
    assert (done.code, done.errors) == (0, [])
    told = {each["level"]: each for each in done.data["levels"]}
    assert [told[name]["status"] for name in ("eight", "hall", "porter")] == ["baked"] * 3
    assert (told["eight"]["nodes"], told["eight"]["profiles"]) == (6048, [])
    assert bake("check").out == "3 of 3 assets are up to date\n"
    first = (puzzles / "baked" / "eight.h5").read_bytes()
    assert {each["status"] for each in bake("build", "--json").data["levels"]} == {"fresh"}
    assert bake("build", "--force", "--jobs", "1").code == 0
    assert (puzzles / "baked" / "eight.h5").read_bytes() == first
    write_puzzle(puzzles / "levels_src" / "eight.json", EIGHT, patterns=[[1, 2], [3]])
    stale = bake("check")
    assert stale.code == 1
    assert "eight.json changed" in stale.out


def test_puzzles_are_solved_with_what_was_baked(puzzles: Path) -> None:
    assert bake("build", "--jobs", "1").code == 0
    eight = open_patterns("baked/eight.h5")
    fast = tile_search(eight.space((5, 6, 7, 4, 0, 8, 3, 2, 1)), eight)
    assert (fast.run(), fast.cost) == (Status.FOUND, 30)
    porter = open_patterns("baked/porter.h5")
    assert porter.puzzle.moves == porter.space().planning
    found = search(porter.space(), h=porter.h)
    assert (found.run(), found.cost) == (Status.FOUND, 12)


def test_commands_about_assets(puzzles: Path) -> None:
    assert bake("build", "--jobs", "1").code == 0
    assert bake("verify", "baked").out.splitlines() == [
        "baked/eight.h5: 6,048 entries verified",
        "baked/hall.h5: 64 pairs proved optimal, 1 bounds verified",
        "baked/porter.h5: 24 entries verified",
    ]
    told = bake("info", "baked/eight.h5").out
    for part in ("eight: 3 x 3 sliding tiles", "2, of whose values the sum is taken", "1 2 3 4"):
        assert part in told
    told = bake("info", "baked/porter.h5").out
    for part in ("3 variables, 16 actions", "porter crate", "the max is taken"):
        assert part in told
    data = bake("info", "baked/porter.h5", "--json").data
    assert [each["members"] for each in data["patterns"]] == [
        ["porter", "crate"],
        ["porter", "vase"],
    ]
    assert [each["entries"] for each in data["patterns"]] == [12, 12]


def test_a_pattern_database_is_no_level(puzzles: Path) -> None:
    assert bake("build", "--jobs", "1").code == 0
    for command in (
        ("path", "baked/eight.h5", "0,0", "1,1"),
        ("render", "baked/eight.h5", "-o", "eight.png"),
        ("export", "baked/eight.h5"),
        ("info", "baked/eight.h5", "--profile", "walker"),
        ("diff", "baked/eight.h5", "baked/hall.h5"),
    ):
        mistake(bake(*command), "baked/eight.h5: this is a pattern database, not a level; expected")
    with pytest.raises(NotAnAssetError, match=r"open it with `bake.extras.school.open_patterns`"):
        open_asset("baked/eight.h5")
    with pytest.raises(NotAnAssetError, match=r"open levels with `bake.play.open_asset`"):
        open_patterns("baked/hall.h5")


def test_plans_and_lint_know_puzzles(puzzles: Path) -> None:
    planned = {each["level"]: each for each in bake("plan", "--json").data["levels"]}
    assert planned["eight"]["nodes"] == 6048
    assert [table["kind"] for table in planned["eight"]["tables"]] == [
        "tiles 1 2 3 4",
        "tiles 5 6 7 8",
    ]
    assert [table["kind"] for table in planned["porter"]["tables"]] == [
        "porter crate",
        "porter vase",
    ]
    assert bake("lint").code == 0
    write_puzzle(puzzles / "levels_src" / "eight.json", EIGHT, patterns=[])
    found = bake("lint")
    assert found.code == 1
    assert "there are no patterns" in found.out


def test_mistakes_and_too_little_memory(puzzles: Path) -> None:
    wide = [[5 * y + x for x in range(5)] for y in range(5)]
    source = write_puzzle(puzzles / "wide.json", EIGHT, goal=wide, patterns=[[1, 2, 3, 4, 5, 6, 7]])
    told = mistake(bake("build", source), "wide.json: patterns: the patterns have 2,422,728,000")
    assert "expected at most 2.0 GiB (memory_budget); divide the largest pattern" in told
    assert not (puzzles / "baked" / "wide.h5").exists()
    write_puzzle(source, EIGHT, patterns=[[9]])
    mistake(bake("build", source), "patterns[0][0]: there is no tile 9; expected 1 to 8")
    assert not list((puzzles / "baked").glob("*wide*"))


def test_shards_hold_puzzles_whole(puzzles: Path) -> None:
    for share in ("1/2", "2/2"):
        assert bake("build", "--shard", share, "-o", "shared").code == 0
    joined = bake("join", "-o", "shared")
    assert (joined.code, joined.errors) == (0, [])
    assert bake("build", "--jobs", "1").code == 0
    for name in ("eight", "porter"):
        apart = (puzzles / "shared" / f"{name}.h5").read_bytes()
        assert apart == (puzzles / "baked" / f"{name}.h5").read_bytes()


def test_flat_files_are_written_of_levels_alone(puzzles: Path) -> None:
    assert bake("build", "--export", "--jobs", "1").code == 0
    assert [path.name for path in sorted((puzzles / "baked").glob("*.bake"))] == ["hall.bake"]
    assert bake("build", "--export", "--json").data["levels"][0]["status"] == "fresh"
