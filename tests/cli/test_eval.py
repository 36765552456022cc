"""`bake eval`: every problem of a scenario against its optimal length."""

import re
from pathlib import Path

import pytest

from bake.play import open_asset
from bake.show import evaluate
from tests.support.command import bake, mistake, misuse
from tests.support.levels import shared_level

PROBLEMS = [
    ((0, 0), (3, 3), 6.0),
    ((3, 0), (2, 3), 3.41421356),
    ((5, 0), (7, 3), 5.0),
    ((6, 1), (7, 2), 1.41421356),
    ((1, 0), (1, 0), 0.0),
]


def scenario(
    path: Path,
    problems: list[tuple[tuple[int, int], tuple[int, int], float]],
    size: tuple[int, int] = (8, 5),
) -> Path:
    lines = ["version 1"]
    for (x, y), (goal_x, goal_y), length in problems:
        lines.append(f"0\tyard.map\t{size[0]}\t{size[1]}\t{x}\t{y}\t{goal_x}\t{goal_y}\t{length}")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_all_solved(project: Path) -> None:
    scen = scenario(project / "yard.scen", PROBLEMS)
    done = bake("eval", "baked/yard.h5", scen)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("5 of 5 problems solved at their optimal length, ")
    assert re.search(r", [\d.]+ ns a step, [\d.]+ us a path\n$", done.out)


def test_json(project: Path) -> None:
    done = bake("eval", "baked/yard.h5", scenario(project / "yard.scen", PROBLEMS), "--json")
    assert (done.code, done.err) == (0, "")
    data = done.data
    assert set(data) == {
        *("problems", "solved", "wrong", "max_error", "first_wrong"),
        *("steps", "ns_per_step", "us_per_path"),
        *(
            "method",
            "heuristic",
            "suboptimality",
            "median_us",
            "expanded_mean",
            "generated_mean",
            "first_move_us",
            "seed",
            "overestimate",
        ),
    }
    assert data["overestimate"] is None
    assert (data["method"], data["heuristic"], data["expanded_mean"]) == ("table", None, 0)
    assert data["suboptimality"] == {"mean": 0, "p99": 0, "max": 0}
    assert data["median_us"] > 0 < data["first_move_us"]
    assert (data["problems"], data["solved"], data["wrong"]) == (5, 5, 0)
    assert 0 <= data["max_error"] <= 1e-8
    assert data["ns_per_step"] > 0
    in_all = data["ns_per_step"] * data["steps"]
    assert in_all == pytest.approx(1000 * data["us_per_path"] * data["problems"])
    assert data["first_wrong"] is None


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (((0, 0), (3, 3), 5.5), "(0, 0) to (3, 3): length 6.000000, optimal is 5.500000"),
        (((0, 0), (3, 3), 6.0002), "(0, 0) to (3, 3): length 6.000000, optimal is 6.000200"),
        (((0, 0), (7, 3), 9.0), "(0, 0) to (7, 3): unreachable"),
        (((0, 0), (4, 0), 4.0), "(0, 0) to (4, 0): level 'yard': profile 'default' cannot stand"),
    ],
)
def test_a_problem_not_solved(
    project: Path, problem: tuple[tuple[int, int], tuple[int, int], float], told: str
) -> None:
    scen = scenario(project / "yard.scen", [*PROBLEMS, problem])
    done = bake("eval", "baked/yard.h5", scen)
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("5 of 6 problems")
    assert f"first wrong: {told}" in done.out
    data = bake("eval", "baked/yard.h5", scen, "--json").data
    assert (data["solved"], data["wrong"]) == (5, 1)
    assert data["first_wrong"].startswith(told)


@pytest.mark.parametrize("method", ["astar", "dijkstra", "bidirectional"])
def test_exact_methods(project: Path, method: str) -> None:
    scen = scenario(project / "yard.scen", PROBLEMS)
    done = bake("eval", "baked/yard.h5", scen, "--method", method)
    assert done.code == 0
    assert done.out.splitlines()[0].startswith("5 of 5 problems solved")
    assert "0.000% too long on average" in done.out
    wrong = scenario(project / "wrong.scen", [((0, 0), (3, 3), 5.5)])
    assert bake("eval", "baked/yard.h5", wrong, "--method", method).code == 1


def test_an_inexact_method_reports(project: Path) -> None:
    """Longer paths are told and no mistake; a missing one is."""
    scen = scenario(project / "yard.scen", [*PROBLEMS, ((0, 0), (3, 3), 4.0)])
    ask = ("--method", "astar", "--heuristic", "manhattan", "--json")
    data = bake("eval", "baked/yard.h5", scen, "--method", "greedy", "--json")
    assert data.code == 0
    assert data.data["suboptimality"]["max"] >= 0.5
    assert data.data["generated_mean"] > data.data["expanded_mean"] > 1
    assert bake("eval", "baked/yard.h5", scen, *ask).data["heuristic"] == "manhattan"
    lost = scenario(project / "lost.scen", [((0, 0), (7, 3), 9.0)])
    done = bake("eval", "baked/yard.h5", lost, "--method", "greedy")
    assert (done.code, "unreachable" in done.out) == (1, True)


def test_no_such_method(project: Path) -> None:
    scen = scenario(project / "yard.scen", PROBLEMS)
    misuse(bake("eval", "baked/yard.h5", scen, "--method", "magic"), "no method 'magic'", "astar")
    ask = ("--method", "astar", "--heuristic", "guess")
    misuse(bake("eval", "baked/yard.h5", scen, *ask), "no heuristic 'guess'", "octile")


def test_differences_within_the_printed_digits_are_none(project: Path) -> None:
    scen = scenario(project / "yard.scen", [((3, 0), (2, 3), 3.41422)])
    done = bake("eval", "baked/yard.h5", scen, "--json")
    assert done.code == 0
    assert done.data["max_error"] == pytest.approx(3.41422 - 2 - 2**0.5 - 5e-6)


def test_a_scenario_of_another_map(project: Path) -> None:
    scen = scenario(project / "yard.scen", PROBLEMS, size=(9, 5))
    mistake(bake("eval", "baked/yard.h5", scen), "yard.scen", "line 2", "9 x 5", "8 x 5")


def test_no_scenario(project: Path) -> None:
    mistake(bake("eval", "baked/yard.h5", "none.scen"), "none.scen")
    mistake(bake("eval", "baked/yard.h5", "levels_src/yard.map"), "yard.map", "line 1")
    mistake(bake("eval", "baked/yard.h5", "levels_src/fen.png"), "fen.png")


def test_a_graph_has_no_scenarios(project: Path) -> None:
    scen = scenario(project / "yard.scen", PROBLEMS)
    mistake(bake("eval", "baked/five.h5", scen), "level 'five' is a graph", "a level of cells")


def test_no_problems(project: Path) -> None:
    scen = scenario(project / "none.scen", [])
    mistake(bake("eval", "baked/yard.h5", scen), "none.scen", "no problems")


def test_a_shared_scenario(bare: Path) -> None:
    level, scen = shared_level("movingai/arena.map"), shared_level("movingai/arena.map.scen")
    assert bake("build", level, "-o", "out", "--jobs", "1").code == 0
    done = bake("eval", "out/arena.h5", scen, "--json")
    assert done.code == 0
    assert done.data["problems"] == done.data["solved"] > 100
    assert done.data["max_error"] < 1e-4


# -- pairs drawn at random ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["yard", "five", "ways"])
@pytest.mark.parametrize("method", ["table", "hpa", "bidirectional"])
def test_pairs_drawn(project: Path, name: str, method: str) -> None:
    """On cells and on graphs, whose names are text or numbers."""
    done = bake("eval", f"baked/{name}.h5", "--pairs", "40", "--method", method, "--seed", "7")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("40 of 40 random pairs (seed 7) solved at their optimal length, ")


def test_a_seed_draws_the_same_pairs(project: Path) -> None:
    def told(*ask: str) -> dict[str, object]:
        data = bake("eval", "baked/yard.h5", *ask, "--json").data
        return {key: data[key] for key in ("problems", "solved", "steps", "seed", "wrong")}

    first = told("--pairs", "60", "--seed", "5")
    assert first == told("--pairs", "60", "--seed", "5")
    assert (first["problems"], first["solved"], first["wrong"], first["seed"]) == (60, 60, 0, 5)
    assert told("--pairs", "60", "--seed", "6")["steps"] != first["steps"]
    assert (told()["problems"], told()["seed"]) == (1000, 0)
    assert told("--pairs", "60")["steps"] == told("--pairs", "60", "--seed", "0")["steps"]


def test_pairs_by_methods_that_promise_less(project: Path) -> None:
    ask = ("eval", "baked/yard.h5", "--pairs", "50", "--json", "--method")
    weighted = bake(*ask, "astar", "--weight", "4").data
    assert (weighted["wrong"], weighted["method"]) == (0, "astar")
    assert 0 <= weighted["suboptimality"]["max"] <= 3
    greedy = bake(*ask, "greedy")
    assert (greedy.code, greedy.data["wrong"]) == (0, 0)
    misuse(bake(*ask, "table", "--weight", "4"), "'table' takes no weight")


def test_pairs_that_cannot_be_drawn(project: Path) -> None:
    scen = scenario(project / "yard.scen", PROBLEMS)
    for more in (("--pairs", "5"), ("--seed", "5")):
        done = bake("eval", "baked/yard.h5", scen, *more)
        assert (done.code, "FILE.scen" in done.err) == (2, True)
    for wrong in (("--pairs", "0"), ("--pairs", "many"), ("--seed", "-1"), ("--pairs", "1000001")):
        assert bake("eval", "baked/yard.h5", *wrong).code == 2
    (project / "levels_src" / "alone.map").write_text("type octile\nheight 1\nwidth 3\nmap\n.@.\n")
    assert bake("build", "levels_src/alone.map", "--jobs", "1").code == 0
    line = mistake(bake("eval", "baked/alone.h5", "--pairs", "2"), "level 'alone'", "2 places")
    assert "of 100 pairs of places drawn, 0 have a path" in line


def test_the_greatest_overestimate(project: Path) -> None:
    """Beside all pairs, one by one: the norm that fits never says more, Manhattan's does."""
    asset = "baked/yard.h5"
    ask = ("eval", asset, "--pairs", "40", "--method", "astar")
    with open_asset(project / asset) as level:
        nav = level.profile()
        places = nav.places()
        above = {
            (start, goal): nav.search.estimate(start, goal, "manhattan") - nav.distance(start, goal)
            for start in places
            for goal in places
            if nav.reachable(start, goal)
        }
    data = bake(*ask, "--heuristic", "manhattan", "--json").data["overestimate"]
    assert data["units"] == pytest.approx(max(above.values()))
    assert above[tuple(data["start"]), tuple(data["goal"])] == pytest.approx(data["units"])
    assert (data["pairs"], data["every"]) == (len(above), True)
    out = bake(*ask, "--heuristic", "manhattan").out
    assert f"says up to {data['units']:.6g} more than the distance, from " in out
    assert f"(of {len(above):,} pairs, all there are)" in out
    assert "A*, if it opens closed places again, finds paths at most " in out
    assert out.endswith(f"{data['units']:.6g} above the shortest\n")
    data = bake(*ask, "--heuristic", "octile", "--json").data["overestimate"]
    assert data == {"units": 0, "start": None, "goal": None, "pairs": len(above), "every": True}
    assert "never says more than the distance" in bake(*ask).out


def test_a_larger_level_is_sampled(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "ALL_GOALS", 5)
    monkeypatch.setattr(evaluate, "MOST_GOALS", 2)
    ask = ("eval", "baked/yard.h5", "--pairs", "9", "--method", "astar")
    data = bake(*ask, "--heuristic", "manhattan", "--json").data["overestimate"]
    assert data["every"] is False
    assert 0 < data["pairs"] < 2 * 40
    assert "pairs, a sample)" in bake(*ask).out
