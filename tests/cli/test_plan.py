"""`bake plan`: a line for each level, its tables where wanted, and the total."""

from __future__ import annotations

from pathlib import Path

import pytest

from bake.baking.plan import Plan, Total, total_of
from tests.support.command import bake
from tests.support.projects import LEVELS


def first_words(out: str) -> list[str]:
    return [line.split()[0] for line in out.splitlines()]


@pytest.mark.usefixtures("project")
def test_a_line_for_each_level_and_a_total() -> None:
    done = bake("plan")
    assert (done.code, done.err) == (0, "")
    assert first_words(done.out) == ["level", *LEVELS, "total"]
    headings = "level nodes algorithm in the file time peak memory"
    assert " ".join(done.out.splitlines()[0].split()) == headings
    nodes = [line.split()[1] for line in done.out.splitlines()[1:]]
    assert sum(map(int, nodes[:-1])) == int(nodes[-1])


@pytest.mark.usefixtures("project")
def test_tables_below_their_levels() -> None:
    done = bake("plan", "levels_src/fen.png", "--tables")
    assert set(first_words(done.out)) == {"level", "fen", "boat", "walker", "total"}
    assert "next_hops" in done.out
    assert "next_hops" not in bake("plan", "levels_src/fen.png").out


@pytest.mark.usefixtures("project")
def test_a_line_for_a_cluster() -> None:
    lines = bake("plan", "levels_src/five.json", "--workers", "3").out.splitlines()
    assert [line.split()[:2] for line in lines[1:3]] == [["five", "5"], ["3", "workers"]]


@pytest.mark.usefixtures("project")
def test_json_has_the_total() -> None:
    data = bake("plan", "--json", "--jobs", "2").data
    levels, total = data["levels"], data["total"]
    for name in ("nodes", "bytes"):
        assert total[name] == sum(level[name] for level in levels)
    assert total["memory"] == sum(sorted(level["memory"] for level in levels)[-2:])


@pytest.mark.parametrize(
    ("jobs", "seconds", "memory"), [(1, 9.0, 70), (2, 6.0, 110), (3, 6.0, 130)]
)
def test_levels_at_once_share_the_time_and_add_up_their_memory(
    jobs: int, seconds: float, memory: int
) -> None:
    costs = [(1.0, 40), (6.0, 70), (2.0, 20)]
    plans = [Plan("a", 10, 20, (), 100, each, size) for each, size in costs]
    assert total_of(plans, jobs) == Total(30, 300, seconds, memory)


def test_a_plan_of_one_level_costs_what_the_level_does(project: Path) -> None:
    data = bake("plan", "levels_src/yard.map", "--json").data
    (level,) = data["levels"]
    assert data["total"] == {name: level[name] for name in ("nodes", "bytes", "seconds", "memory")}
