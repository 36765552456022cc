"""A whole build: what is baked, what is left alone, what goes wrong."""

import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bake.baking import Task, build, find_tasks
from bake.core.errors import BudgetError, CostError, LevelError
from bake.play import open_asset
from bake.project.recipe import load_recipe
from bake.store.partial import beside
from levelbake.errors import OutputError
from tests.support import forked
from tests.support.baked import rows, write_graph, write_grid
from tests.support.projects import run, silent, statuses, task_for, write_project


@pytest.fixture
def tasks(tmp_path: Path) -> list[Task]:
    return find_tasks(load_recipe(write_project(tmp_path)), [], None)


def contents(tasks: list[Task]) -> dict[str, bytes]:
    return {task.name: task.asset.read_bytes() for task in tasks}


def test_a_build_and_the_next_one(tasks: list[Task]) -> None:
    outcomes = run(tasks)
    assert statuses(outcomes) == {"hive": "baked", "keep": "baked", "roads": "baked"}
    before = contents(tasks)
    for outcome in outcomes.values():
        assert outcome.error is None
        assert outcome.baked is not None
        assert outcome.baked.bytes == len(before[outcome.task.name])
        assert outcome.baked.profiles == ("default",)
    keep = outcomes["keep"].baked
    assert keep is not None
    assert (keep.nodes, keep.arcs) == (10, 30)
    times = [task.asset.stat().st_mtime_ns for task in tasks]
    assert set(statuses(run(tasks)).values()) == {"fresh"}
    assert [task.asset.stat().st_mtime_ns for task in tasks] == times


def test_only_what_changed_is_baked(tasks: list[Task]) -> None:
    run(tasks)
    write_graph(tasks[2].source, ["a", "b"], [("a", "b", 3)])
    assert statuses(run(tasks)) == {"hive": "fresh", "keep": "fresh", "roads": "baked"}


def test_fresh_levels_are_told_first(tasks: list[Task]) -> None:
    run(tasks[1:])
    order = [outcome.status for outcome in build(tasks, jobs=1, force=False, report=silent)]
    assert order == ["fresh", "fresh", "baked"]


def test_force_bakes_everything_to_the_same_bytes(tasks: list[Task]) -> None:
    run(tasks)
    before = contents(tasks)
    assert set(statuses(run(tasks, force=True)).values()) == {"baked"}
    assert contents(tasks) == before


def test_several_at_once_change_no_byte(tasks: list[Task]) -> None:
    run(tasks)
    before = contents(tasks)
    told = []
    outcomes = list(build(tasks, jobs=2, force=True, report=lambda *news: told.append(news)))
    assert {outcome.status for outcome in outcomes} == {"baked"}
    assert contents(tasks) == before
    assert {name for name, _, _ in told} == {"hive", "keep", "roads"}
    assert {stage for _, stage, _ in told} >= {"read", "graph", "next hops", "write"}
    assert all(0 <= done <= 1 for _, _, done in told)


def test_where_the_project_lies_changes_no_byte(tasks: list[Task], tmp_path: Path) -> None:
    run(tasks)
    other = tmp_path / "a" / "longer path" / "with Ünicode"
    copies = find_tasks(load_recipe(write_project(other)), [], other / "somewhere")
    run(copies)
    assert contents(copies) == contents(tasks)


def test_progress_of_one_level(tasks: list[Task]) -> None:
    told: list[tuple[str, str, float]] = []
    list(build(tasks[:1], jobs=1, force=True, report=lambda *news: told.append(news)))
    assert {name for name, _, _ in told} == {"hive"}
    stages = list(dict.fromkeys(stage for _, stage, _ in told))
    tables = ["next hops", "clusters", "hierarchy", "cluster distances"]
    assert stages == ["read", "graph", *tables, "write"]
    hops = [done for _, stage, done in told if stage == "next hops"]
    assert hops == sorted(hops)
    assert hops[-1] == 1


# -- what goes wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_level_that_fails_stops_no_other_and_keeps_its_old_asset(
    tasks: list[Task], jobs: int
) -> None:
    run(tasks)
    before = contents(tasks)
    tasks[0].source.write_text('{"format": "bake-tiles"')
    write_grid(tasks[1].source, rows("....", "...."))
    outcomes = run(tasks, jobs=jobs)
    assert statuses(outcomes) == {"hive": "failed", "keep": "baked", "roads": "fresh"}
    error = outcomes["hive"].error
    assert isinstance(error, LevelError)
    assert str(error).startswith(f"{tasks[0].source}: ")
    assert "\n" not in str(error)
    assert contents(tasks)["hive"] == before["hive"]
    assert contents(tasks)["keep"] != before["keep"]
    assert sorted(file.name for file in tasks[0].asset.parent.iterdir()) == [
        "hive.h5",
        "keep.h5",
        "roads.h5",
    ]


def test_a_missing_source(tmp_path: Path) -> None:
    outcome = run([task_for(tmp_path / "absent.png")])["absent"]
    assert outcome.status == "failed"
    assert isinstance(outcome.error, LevelError)
    assert str(outcome.error).startswith(f"{tmp_path / 'absent.png'}: cannot be read: ")


@pytest.mark.parametrize("jobs", [1, 2])
def test_costs_and_budgets_name_the_level(tmp_path: Path, jobs: int) -> None:
    large = write_grid(tmp_path / "large.json", [["floor"] * 60] * 60)
    far = write_graph(tmp_path / "far.json", ["a", "b"], [("a", "b", 50_000.0)])
    tiny = write_graph(tmp_path / "tiny.json", ["a", "b"], [("a", "b", 0.001)])
    nodes = [f"n{node}" for node in range(9)]
    chain = [(a, b, 15_000.0) for a, b in pairwise(nodes)]
    long = write_graph(tmp_path / "long.json", nodes, chain)
    outcomes = run(
        [
            task_for(large, memory_budget=2**20),
            task_for(far),
            task_for(tiny, ticks_per_unit=10),
            task_for(long),
        ],
        jobs=jobs,
    )
    kinds = {"large": BudgetError, "far": CostError, "tiny": CostError, "long": CostError}
    for name, kind in kinds.items():
        outcome = outcomes[name]
        assert outcome.status == "failed"
        assert type(outcome.error) is kind
        assert str(outcome.error).startswith(f"{tmp_path / f'{name}.json'}: ")
        assert "\n" not in str(outcome.error)
    assert "memory_budget" in str(outcomes["large"].error)
    assert "3,600 nodes" in str(outcomes["large"].error)
    assert "lower ticks_per_unit" in str(outcomes["far"].error)
    assert "raise ticks_per_unit" in str(outcomes["tiny"].error)
    assert "lower ticks_per_unit" in str(outcomes["long"].error)
    assert not list(tmp_path.glob("*.h5"))


def test_every_algorithm_notices_distances_off_the_scale(tmp_path: Path) -> None:
    nodes = [f"n{node}" for node in range(9)]
    chain = [(a, b, 15_000.0) for a, b in pairwise(nodes)]
    source = write_graph(tmp_path / "long.json", nodes, chain)
    lines = set()
    for algorithm in ("dijkstra", "floyd_warshall", "auto"):
        outcome = run([task_for(source, algorithm=algorithm)])["long"]
        assert isinstance(outcome.error, CostError)
        lines.add(str(outcome.error).split(";")[-1])
    assert lines == {" lower ticks_per_unit"}


def test_out_of_memory_is_told_as_a_budget(
    tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    def starve(*arguments: object, **settings: object) -> None:
        raise MemoryError

    monkeypatch.setattr("bake.baking.profile.compressed_next_hops", starve)
    outcome = run(tasks[:1])["hive"]
    assert isinstance(outcome.error, BudgetError)
    assert str(outcome.error).startswith(f"{tasks[0].source}: ran out of memory")


def test_another_file_of_a_level_that_changes_while_it_is_read(
    tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which files those are is known only afterwards, so they are read twice."""
    import bake.baking.level as steps

    load = steps.load
    other = tasks[0].source.with_name("tiles.png")
    other.write_bytes(b"old")
    changes = [b"new"]

    def slow(path: Path, *arguments: object, **settings: object) -> object:
        level = load(path, *arguments, **settings)
        if seen := other.read_bytes():
            found.append(seen)
        if len(found) == when:
            other.write_bytes(changes[0])
        return replace(level, depends_on=(other,))

    monkeypatch.setattr(steps, "load", slow)
    for when, status in ((1, "baked"), (2, "failed")):
        found: list[bytes] = []
        other.write_bytes(b"old")
        outcome = run(tasks[:1], force=True)["hive"]
        assert outcome.status == status
        assert found == ([b"old", b"new"] if when == 1 else [b"old", b"old"])
        assert (outcome.error is None) == (status == "baked")
    assert "while it was being" in str(outcome.error)


def test_a_source_that_changes_while_it_is_read(
    tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    import bake.baking.level as steps

    load = steps.load

    def slow(path: Path, legend: dict[str, str], **more: Any) -> object:
        level = load(path, legend, **more)
        path.write_bytes(path.read_bytes() + b"\n")
        return level

    monkeypatch.setattr(steps, "load", slow)
    outcome = run(tasks[:1])["hive"]
    assert "while it was being" in str(outcome.error)
    assert not tasks[0].asset.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="file names are text here")
def test_a_file_name_that_is_no_text(tmp_path: Path) -> None:
    """An asset says its name in UTF-8; a name of other bytes is a mistake the user can mend."""
    source = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.json"))
    outcome = run([task_for(write_grid(source, rows("..")))])[source.stem]
    assert outcome.status == "failed"
    assert "\n" not in str(outcome.error)


@pytest.mark.parametrize("name", ["two words", "Straße", "a{b}c", "#1", "100%", "it's", "-x"])
def test_names_of_levels(tmp_path: Path, name: str) -> None:
    task = task_for(write_grid(tmp_path / f"{name}.json", rows("..")))
    assert statuses(run([task])) == {name: "baked"}
    assert statuses(run([task])) == {name: "fresh"}
    with open_asset(task.asset) as level:
        assert level.name == name
        assert level.profile().next_hop((0, 0), (1, 0)) == (1, 0)


# -- the output folder ----------------------------------------------------------------------------


def test_the_output_folder_is_made(tmp_path: Path) -> None:
    recipe = load_recipe(write_project(tmp_path))
    deep = tmp_path / "a" / "b" / "c"
    assert set(statuses(run(find_tasks(recipe, [], deep))).values()) == {"baked"}
    assert len(list(deep.iterdir())) == 3


def test_no_folder_is_made_where_nothing_is_baked(tmp_path: Path) -> None:
    list(build([], jobs=None, force=True, report=silent))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("below", ["", "deeper"])
def test_a_file_where_the_output_folder_should_be(tmp_path: Path, below: str) -> None:
    recipe = load_recipe(write_project(tmp_path))
    (tmp_path / "out").write_text("mine")
    folder = tmp_path / "out" / below if below else tmp_path / "out"
    with pytest.raises(OutputError) as caught:
        run(find_tasks(recipe, [], folder))
    assert str(caught.value).startswith(f"{folder}: the output folder cannot be created: ")
    assert (tmp_path / "out").read_text() == "mine"


def test_a_folder_where_the_asset_should_be(tasks: list[Task]) -> None:
    tasks[0].asset.mkdir(parents=True)
    outcomes = run(tasks)
    assert statuses(outcomes) == {"hive": "failed", "keep": "baked", "roads": "baked"}
    assert isinstance(outcomes["hive"].error, OutputError)
    told = str(outcomes["hive"].error)
    assert told.startswith(f"{tasks[0].asset}: a folder is in the place of the asset; ")
    assert not list(tasks[0].asset.parent.glob(".*"))


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)
def test_an_output_folder_that_may_not_be_written(tasks: list[Task]) -> None:
    folder = tasks[0].asset.parent
    folder.mkdir(mode=0o500)
    try:
        outcome = run(tasks[:1])["hive"]
    finally:
        folder.chmod(0o700)
    assert isinstance(outcome.error, OutputError)
    assert "Permission denied" in str(outcome.error)


# -- what killed builds leave ---------------------------------------------------------------------


def dead_process() -> int:
    """The id of a process that has ended."""
    with subprocess.Popen([sys.executable, "-S", "-E", "-c", ""]) as process:
        process.wait()
    return process.pid


def test_leftovers_of_dead_processes_are_removed(tasks: list[Task]) -> None:
    folder = tasks[0].asset.parent
    folder.mkdir()
    """Even if another process has the number by now: what counts is who holds the lock."""
    dead = [f".hive.h5.{dead_process()}.tmp", f".gone.h5.{os.getppid()}.tmp"]
    kept = [
        "mine.tmp",
        ".hive.h5.tmp",
        ".hive.h5.x.tmp",
        "hive.h5.12.tmp",
        "README.md",
    ]
    for name in dead + kept:
        (folder / name).write_bytes(b"")
    with beside(folder / "other.h5") as partial:
        run(tasks[:1])
        names = sorted(file.name for file in folder.iterdir())
    assert names == sorted([*kept, partial.name, "hive.h5"])
    (folder / dead[0]).write_bytes(b"")
    assert set(statuses(run(tasks[:1])).values()) == {"fresh"}
    assert sorted(file.name for file in folder.iterdir()) == sorted([*kept, "hive.h5"])


def test_a_killed_process_leaves_the_old_asset_and_the_next_build_its_folder_clean(
    tasks: list[Task], tmp_path: Path
) -> None:
    run(tasks[:1])
    before = contents(tasks[:1])
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "from bake.baking import build, find_tasks\nfrom bake.project.recipe import load_recipe\n"
        "os.fsync = lambda handle: os._exit(9)\n"
        "list(build(find_tasks(load_recipe(Path(sys.argv[1])), [], None)[:1],"
        " jobs=1, force=True, report=lambda *news: None))\n"
    )
    arguments = [sys.executable, "-c", code, str(tmp_path / "bake.toml")]
    assert forked.run(arguments).returncode == 9
    assert contents(tasks[:1]) == before
    assert len(list(tasks[0].asset.parent.iterdir())) == 2
    assert set(statuses(run(tasks[:1], force=True)).values()) == {"baked"}
    assert [file.name for file in tasks[0].asset.parent.iterdir()] == ["hive.h5"]
    assert contents(tasks[:1]) == before


def test_a_worker_that_dies_is_told_and_names_its_level(tasks: list[Task], tmp_path: Path) -> None:
    """In a process of its own: the workers die before they know what they are for."""
    code = (
        "import os, sys\nfrom multiprocessing import spawn\nfrom pathlib import Path\n"
        "from bake.baking import build, find_tasks\nfrom bake.project.recipe import load_recipe\n"
        "spawn.spawn_main = lambda **rest: os._exit(9)\n"
        "for o in build(find_tasks(load_recipe(Path(sys.argv[1])), [], None),"
        " jobs=2, force=True, report=lambda *news: None):\n"
        "    print(o.status, o.error)\n"
    )
    done = forked.run([sys.executable, "-c", code, str(tmp_path / "bake.toml")])
    assert done.returncode == 0, done.stderr[-2000:]
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    for task, line in zip(tasks, sorted(lines), strict=True):
        assert line.startswith(f"failed {task.source}: the process baking this level")
        assert "status 9 while it started" in line
