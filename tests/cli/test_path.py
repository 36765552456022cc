"""`bake path`: shortest paths between cells and between nodes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import bake, mistake, misuse


def test_cells(project: Path) -> None:
    done = bake("path", "baked/yard.h5", "3,0", "2,3")
    assert (done.code, done.err) == (0, "")
    assert done.out == "3,0 3,1 3,2 2,3\n3 steps, cost 3.41421\n"


def test_cells_as_json(project: Path) -> None:
    data = bake("path", "baked/yard.h5", "3,0", "2,3", "--json").data
    assert data["path"] == [[3, 0], [3, 1], [3, 2], [2, 3]]
    assert (data["reachable"], data["steps"]) == (True, 3)
    assert data["cost"] == pytest.approx(2 + 2**0.5, abs=1e-8)


def test_names(project: Path) -> None:
    assert bake("path", "baked/five.h5", "A", "D").out == "A B C D\n3 steps, cost 3\n"
    assert bake("path", "baked/five.h5", "C", "C").out == "C\n0 steps, cost 0\n"


def test_names_that_are_numbers(project: Path) -> None:
    assert bake("path", "baked/ways.h5", "10", "40").out == "10 20 30 40\n3 steps, cost 6\n"
    assert bake("path", "baked/ways.h5", "10", "40", "--json").data["path"] == [10, 20, 30, 40]


@pytest.mark.parametrize(
    ("asset", "start", "goal"),
    [("yard", "0,0", "7,3"), ("yard", "7,3", "6,1"), ("ways", "40", "10"), ("ways", "50", "10")],
)
def test_unreachable_is_no_error(project: Path, asset: str, start: str, goal: str) -> None:
    done = bake("path", f"baked/{asset}.h5", start, goal)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{goal} cannot be reached from {start}\n"
    assert bake("path", f"baked/{asset}.h5", start, goal, "--json").data == {
        "reachable": False,
        "cost": None,
        "steps": None,
        "path": None,
    }


def test_profiles(project: Path) -> None:
    asset = "baked/fen.h5"
    assert bake("path", asset, "2,0", "3,2", "--profile", "boat").out.endswith("cost 2.41421\n")
    assert bake("path", asset, "2,0", "3,2", "--profile", "walker").code == 0
    mistake(bake("path", asset, "2,0", "3,2"), "several profiles", "'boat' or 'walker'")
    mistake(bake("path", asset, "2,0", "3,2", "--profile", "cart"), "no profile 'cart'")
    mistake(bake("path", asset, "0,0", "3,2", "--profile", "boat"), "profile 'boat' cannot stand")


def test_a_wall(project: Path) -> None:
    said = "yard.h5: 4,0 is out_of_bounds, on which profile 'default' cannot stand"
    near = "the nearest place where it can is "
    mistake(bake("path", "baked/yard.h5", "4,0", "0,0"), said, near)
    mistake(bake("path", "baked/yard.h5", "0,0", "4,0"), said, near)
    for option in (("--path", "0,0", "4,0"), ("--show", "hops", "--toward", "4,0")):
        mistake(bake("render", "baked/yard.h5", "-o", "a.png", *option), said, near)


def test_outside(project: Path) -> None:
    line = mistake(bake("path", "baked/yard.h5", "0,0", "8,0"), "(8, 0) lies outside")
    assert "x from 0 to 7, y from 0 to 4" in line
    mistake(bake("path", "baked/yard.h5", "--", "-1,0", "0,0"), "(-1, 0) lies outside")


@pytest.mark.parametrize("name", ["F", "1", "a", ""])
def test_no_such_node(project: Path, name: str) -> None:
    mistake(bake("path", "baked/five.h5", "A", name), f"no node is named {name!r}")


@pytest.mark.parametrize("place", ["1;2", "1", "1,2,3", "1.5,2", "a,b", ""])
def test_no_cell_is_wrong_usage(project: Path, place: str) -> None:
    done = bake("path", "baked/yard.h5", place, "0,0")
    assert (done.code, done.out) == (2, "")
    assert f"{place!r} is not a cell" in done.err


def test_an_asset_without_next_hops(project: Path) -> None:
    (project / "bake.toml").write_text('tables = ["components"]\n')
    with_them = bake("path", "baked/five.h5", "A", "D", "--json").data
    assert bake("build", "levels_src/five.json", "--jobs", "1").code == 0
    without = bake("path", "baked/five.h5", "A", "D", "--json").data
    assert (without["path"], without["cost"]) == (with_them["path"], with_them["cost"])


@pytest.mark.parametrize("method", ["table", "astar", "greedy", "bidirectional_astar"])
def test_methods(project: Path, method: str) -> None:
    done = bake("path", "baked/yard.h5", "0,0", "3,3", "--method", method, "--json")
    assert done.code == 0
    assert (done.data["path"][0], done.data["path"][-1]) == ([0, 0], [3, 3])
    assert done.data["cost"] >= 6


def test_smoothed(project: Path) -> None:
    done = bake("path", "baked/yard.h5", "0,0", "3,3", "--smooth", "--json")
    whole = bake("path", "baked/yard.h5", "0,0", "3,3", "--json")
    assert done.data["cost"] <= whole.data["cost"]
    assert all(cell in whole.data["path"] for cell in done.data["path"])
    mistake(
        bake("path", "baked/five.h5", "A", "D", "--smooth"),
        "no positions",
        "give its nodes x and y",
    )


def test_no_such_heuristic(project: Path) -> None:
    ask = ("--method", "astar", "--heuristic", "guess")
    misuse(bake("path", "baked/yard.h5", "0,0", "3,3", *ask), "no heuristic 'guess'", "octile")
    misuse(bake("path", "baked/yard.h5", "0,0", "3,3", *ask[2:]), "no heuristic 'guess'")


def test_places_that_begin_with_a_minus(project: Path) -> None:
    for ends in (("-1,4", "0,0"), ("0,0", "-1,4"), ("-1,-4", "--", "0,0")):
        line = mistake(bake("path", "baked/yard.h5", *ends), "lies outside")
        assert "x from 0 to 7, y from 0 to 4" in line
    mistake(bake("path", "baked/yard.h5", "0,0", "-1,4", "--weight", "2"), "(-1, 4) lies outside")
    mistake(bake("path", "baked/ways.h5", "-10", "40"), "no node is named '-10'")
    done = bake("path", "baked/yard.h5", "0,0", "3,3", "--metod", "hpa")
    assert (done.code, "--metod" in done.err) == (2, True)


def test_a_weight(project: Path) -> None:
    """Named alone, it asks for A*."""
    plain = bake("path", "baked/yard.h5", "0,0", "3,3", "--json").data
    for method in ((), ("--method", "astar"), ("--method", "weighted")):
        done = bake("path", "baked/yard.h5", "0,0", "3,3", "--weight", "3", *method, "--json")
        assert done.code == 0
        assert plain["cost"] <= done.data["cost"] <= 3 * plain["cost"]
    for weight in ("-0.5", "1001", "nan", "inf", "-2"):
        done = bake("path", "baked/yard.h5", "0,0", "3,3", "--weight", weight)
        misuse(done, "--weight")
    done = bake("path", "baked/yard.h5", "0,0", "3,3", "--weight", "2", "--method", "table")
    misuse(done, "'table' takes no weight", "astar or weighted")
    assert bake("path", "baked/yard.h5", "0,0", "3,3", "--weight", "much").code == 2


# -- traces ---------------------------------------------------------------------------------------


def traced(file: str, *ask: str) -> dict[str, Any]:
    done = bake("path", *ask, "--trace", file)
    assert (done.code, done.err) == (0, "")
    return json.loads(Path(file).read_text())


def test_a_trace(project: Path) -> None:
    """What docs/cli.md says a viewer does gives back the lists, and the path."""
    found = traced("yard.json", "baked/yard.h5", "0,0", "3,3", "--weight", "1.5")
    assert (found["format"], found["version"], found["bound"]) == ("bake-trace", 1, 1.5)
    assert (found["level"], found["profile"]) == ("yard", "default")
    assert (found["start"], found["goal"]) == ([0, 0], [3, 3])
    assert (found["method"], found["heuristic"], found["weight"]) == ("astar", "octile", 1.5)
    assert (found["reachable"], found["expanded"]) == (True, len(found["steps"]))
    waiting, closed, parents = {(0, 0): 0.0}, set(), {}
    for step in found["steps"]:
        place = tuple(step["place"])
        assert step["g"] == waiting.pop(place)
        assert step["f"] == pytest.approx(step["g"] + 1.5 * step["h"])
        closed.add(place)
        parents[place] = step["parent"]
        for one in step["opened"]:
            waiting[tuple(one["place"])] = one["g"]
            closed.discard(tuple(one["place"]))
    assert (place, step["g"], step["h"]) == ((3, 3), found["cost"], 0)
    assert not closed & waiting.keys()
    back = [[3, 3]]
    while parents[tuple(back[-1])] is not None:
        back.append(parents[tuple(back[-1])])
    assert back[::-1] == found["path"]


def test_traces_of_other_searches(project: Path) -> None:
    found = traced("five.json", "baked/five.h5", "A", "D", "--method", "dijkstra")
    assert (found["path"], found["heuristic"], found["cost"]) == (["A", "B", "C", "D"], None, 3)
    assert [step["g"] for step in found["steps"]] == sorted(step["g"] for step in found["steps"])
    found = traced("five.json", "baked/five.h5", "A", "D", "--method", "greedy")
    assert (found["method"], found["bound"]) == ("greedy", None)
    found = traced("none.json", "baked/ways.h5", "40", "10")
    assert (found["reachable"], found["cost"], found["path"]) == (False, None, None)
    assert [step["place"] for step in found["steps"]] == [40]


def test_traces_that_cannot_be_written(project: Path) -> None:
    ask = ("path", "baked/yard.h5", "0,0", "3,3", "--trace")
    before = (project / "levels_src" / "five.json").read_bytes()
    mistake(bake(*ask, "levels_src/five.json"), "five.json", "a file that is no trace", "another")
    assert (project / "levels_src" / "five.json").read_bytes() == before
    mistake(bake(*ask, "trace.txt"), "trace.txt", "ending in .json")
    mistake(bake(*ask, "nowhere/trace.json"), "the folder does not exist")
    (project / "folder.json").mkdir()
    mistake(bake(*ask, "folder.json"), "folder.json")
    misuse(bake(*ask, "new.json", "--method", "hpa"), "'hpa'", "trace", "astar or")
    misuse(bake(*ask, "new.json", "--method", "table"), "'table'", "trace")
    assert not (project / "new.json").exists()
    assert not list(project.glob(".*tmp"))


PLANE = {
    "format": "bake-geometry",
    "version": 1,
    "shapes": [
        {"terrain": "floor", "rect": [0, 0, 20, 10]},
        {"terrain": "wall", "rect": [8, 0, 4, 6]},
        {"terrain": "floor", "rect": [30, 0, 5, 5]},
    ],
}


@pytest.mark.parametrize("division", ["mesh", "visibility"])
def test_points_of_a_plane(project: Path, division: str) -> None:
    """By hand: below the wall, by both of its corners."""
    (project / "levels_src" / "plane.json").write_text(json.dumps(PLANE))
    (project / "plane.toml").write_text(f'division = "{division}"\n')
    built = bake("build", "levels_src/plane.json", "--recipe", "plane.toml", "--jobs", "1")
    assert built.code == 0, built
    cost = 2 * 52**0.5 + 4
    for method in ((), ("--method", "polyanya")):
        done = bake("path", "baked/plane.h5", "2,2", "18,2.0", *method)
        way, cost_line, *told = done.out.splitlines()
        assert (way, cost_line) == ("2,2 8,6 12,6 18,2", f"3 steps, cost {cost:.6g}"), done
        unproven = division == "mesh" and not method
        assert ["not proven to be a shortest path" in line for line in told] == [True] * unproven
    data = bake("path", "baked/plane.h5", "2.5,1", "2.5,9", "--smooth", "--json").data
    assert data == {"reachable": True, "cost": 8.0, "steps": 1, "path": [[2.5, 1.0], [2.5, 9.0]]}
    assert bake("path", "baked/plane.h5", "1,1", "31,1").out == "31,1 cannot be reached from 1,1\n"
    named = bake("path", "baked/plane.h5", "0", "1", "--json").data["path"]
    assert named[0] == 0
    mistake(bake("path", "baked/plane.h5", "0", "1,1"), "no node is named '1,1'")
    mistake(bake("path", "baked/plane.h5", "1,1", "nan,1"), "nan")
    mistake(bake("path", "baked/plane.h5", "1,1", "1,2,3,4"), "(1.0, 2.0, 3.0, 4.0)")
    done = bake("path", "baked/plane.h5", "1,1", "2,2", "--weight", "2")
    assert (done.code, "name nodes" in done.err) == (2, True)
    if division == "mesh":
        mistake(
            bake("path", "baked/plane.h5", "1,1", "2,2", "--method", "astar"),
            "'funnel' or 'polyanya'",
        )


def test_points_of_a_graph_are_no_places(project: Path) -> None:
    mistake(bake("path", "baked/five.h5", "1,1", "2,2"), "no node is named '1,1'")


def test_what_a_search_promises(project: Path) -> None:
    """Nothing is printed as if it were a shortest path that need not be one."""
    ask = ("path", "baked/yard.h5", "0,0", "3,3")
    assert "expanded" not in bake(*ask).out
    for settings, heuristic, said, bound in (
        (("astar",), "octile", "octile, admissible: no path costs less", 1),
        (("dijkstra",), None, "generated: no path costs less", 1),
        (("bidirectional",), None, "generated: no path costs less", 1),
        (("astar", "--weight", "2"), "octile", "at least 1/2", 2),
        (("astar", "--weight", "0.5"), "octile", "octile, admissible: no path costs less", 1),
        (("greedy",), "octile", "octile, admissible: not proven to be a shortest path", None),
        (("hpa",), None, "not proven to be a shortest path", None),
        (("astar", "--heuristic", "manhattan"), "manhattan", "not admissible: not proven", None),
    ):
        done = bake(*ask, "--method", *settings)
        line = done.out.splitlines()[2]
        assert re.match(r"\d+ expanded, \d+ generated", line), line
        assert said in line
        told = bake(*ask, "--method", *settings, "--json").data
        assert (told["method"], told["heuristic"], told["bound"]) == (settings[0], heuristic, bound)
        assert told["admissible"] is (heuristic != "manhattan")
        counts = [int(each) for each in re.findall(r"\d+", line)[:2]]
        assert [told["expanded"], told["generated"]] == counts
