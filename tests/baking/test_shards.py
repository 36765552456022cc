"""Shares of a build, baked apart and joined: the bytes of a whole build, or one line of refusal."""

from __future__ import annotations

import json
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bake.baking import Outcome, Task, build, find_tasks, staleness
from bake.baking.shards import Shard, build_shard, join
from bake.project.recipe import load_recipe
from bake.search.all_pairs.batch import BatchSearch
from bake.store import header
from bake.tables import run_writer
from levelbake.errors import BakeError
from tests.support import forked
from tests.support.baked import rows, write_graph, write_grid
from tests.support.command import bake, mistake
from tests.support.projects import silent

NAMES = ("keep", "plain", "roads", "yard")

#: Rows for each range of targets: a quarter of the usual ones, for levels a quarter as large.
ROWS = run_writer.RANGE_ROWS // 4

#: The command line with such ranges, also in its workers.
COMMAND = f"from bake.tables import run_writer as r; r.RANGE_ROWS = {ROWS}; {forked.BAKE[2]}"


@pytest.fixture(scope="module", autouse=True)
def small_ranges() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_writer, "RANGE_ROWS", ROWS)
        yield


def write_levels(folder: Path) -> list[Task]:
    """Two levels of several ranges with two profiles each, and two small ones."""
    sources = folder / "levels_src"
    sources.mkdir(parents=True, exist_ok=True)
    rng = random.Random(9)
    kinds = ("floor",) * 7 + ("mud", "wall")
    for name, side in (("plain", 52), ("yard", 36)):
        drawn = [[rng.choice(kinds) for _ in range(side)] for _ in range(side)]
        write_grid(sources / f"{name}.json", drawn)
    write_grid(sources / "keep.json", rows("..#.", "..#.", "...."))
    write_graph(sources / "roads.json", ["a", "b", "c"], [("a", "b", 1.5), ("b", "c", 2)])
    (folder / "bake.toml").write_text(
        '[terrain]\nmud = 3\nwall = "blocked"\n'
        '[profiles.walker]\n[profiles.cart]\nterrain = { mud = "blocked" }\n'
        "[levels.roads.terrain]\nmud = 3\n"
    )
    return tasks_in(folder)


def tasks_in(folder: Path, output: str = "baked") -> list[Task]:
    return find_tasks(load_recipe(folder / "bake.toml"), [], folder / output)


def baked(outcomes: list[Outcome]) -> dict[str, bytes]:
    for each in outcomes:
        assert each.status == "baked", each.error
    return {each.task.name: each.task.asset.read_bytes() for each in outcomes}


def share(tasks: list[Task], number: int, count: int) -> list[Outcome]:
    found = build_shard(tasks, Shard(number, count), jobs=1, force=False, report=silent)
    return list(found)


def joined(tasks: list[Task], *folders: Path) -> list[Outcome]:
    return list(join(tasks, folders or (tasks[0].asset.parent,), force=False, report=silent))


@pytest.fixture(scope="module")
def whole(
    small_ranges: None, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, bytes]]:
    """Two shards of a build, and what a whole build bakes."""
    folder = tmp_path_factory.mktemp("shards")
    tasks = write_levels(folder)
    expected = baked(list(build(tasks, jobs=1, force=False, report=silent)))
    for task in tasks:
        task.asset.unlink()
    for number in (1, 2):
        assert all(each.status == "baked" for each in share(tasks, number, 2))
    return folder, expected


@pytest.fixture
def project(whole: tuple[Path, dict[str, bytes]], tmp_path: Path) -> Path:
    """A copy of the two shards that a test may spoil."""
    return shutil.copytree(whole[0], tmp_path / "project")


@pytest.mark.parametrize("count", [1, 3, 7])
def test_joined_shards_are_a_whole_build(
    count: int, whole: tuple[Path, dict[str, bytes]], tmp_path: Path
) -> None:
    """Also where the shards were baked in other places, and where there are more than levels."""
    folders = []
    for number in range(1, count + 1):
        tasks = write_levels(tmp_path / str(number))
        share(tasks, number, count)
        folders.append(tasks[0].asset.parent / f"shard-{number}-of-{count}")
        assert not tasks[0].asset.exists()
    tasks = write_levels(tmp_path / "all")
    assert baked(joined(tasks, *folders)) == whole[1]
    assert sorted(file.name for file in tasks[0].asset.parent.iterdir()) == [
        f"{name}.h5" for name in NAMES
    ]
    if count > 1:
        parts = [sorted(file.name for file in folder.rglob("*.range")) for folder in folders]
        # A profile of the yard stands on too few cells for ranges, and is made where all is joined.
        assert sum(map(len, parts)) == 2 * 4 + 2
        assert all(parts) or count > 3


def test_the_command_line(whole: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    write_levels(tmp_path)

    def command(*words: str) -> str:
        done = forked.run([sys.executable, "-c", COMMAND, *words], cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    for number in (1, 2):
        command("build", "--shard", f"{number}/2")
    levels = json.loads(command("join", "--json"))["levels"]
    assert [each["status"] for each in levels] == ["baked"] * 4
    command("check")
    for task in tasks_in(tmp_path):
        assert task.asset.read_bytes() == whole[1][task.name]


@pytest.mark.parametrize(
    "said", ["0/2", "3/2", "1", "1/0", "a/b", "-1/2", "1/2/3", "", "\uff11/\uff12"]
)
def test_what_is_no_shard(said: str, tmp_path: Path) -> None:
    write_levels(tmp_path)
    done = bake("build", "--recipe", tmp_path / "bake.toml", "--shard", said)
    assert done.code == 2
    assert "--shard" in done.err


def test_options_that_do_not_go_together(tmp_path: Path) -> None:
    write_levels(tmp_path)
    for option in (("--cluster", "local"), ("--depfile", "d")):
        done = bake("build", "--recipe", tmp_path / "bake.toml", "--shard", "1/2", *option)
        assert done.code == 2
        assert f"--shard and {option[0]}" in done.err


def test_ranges_that_are_there_are_not_searched_again(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = tasks_in(project)
    folder = tasks[0].asset.parent / "shard-1-of-2"
    states = sorted(folder.rglob("*.range"))
    states[0].unlink()
    searched: list[int] = []
    search = BatchSearch.distances_to

    def noted(self: BatchSearch, targets: Any, scratch: Any) -> Any:
        searched.append(int(targets[0]))
        return search(self, targets, scratch)

    monkeypatch.setattr(BatchSearch, "distances_to", noted)
    share(tasks, 1, 2)
    assert searched[0] == int(states[0].stem.partition("-")[2])
    assert len(searched) < 10
    assert sorted(folder.rglob("*.range")) == states


# -- refusals -------------------------------------------------------------------------------------


def refused(project: Path, *parts: str) -> None:
    """What joining says in one line for each level that is not whole, and has no asset."""
    done = bake("join", "--recipe", project / "bake.toml")
    assert done.code == 1
    for part in parts:
        assert part in done.err, done.err
    lines = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert len(lines) == len(NAMES) - len(list((project / "baked").glob("*.h5")))
    assert all("every shard" in line for line in lines)


def test_a_missing_shard(project: Path) -> None:
    shutil.rmtree(project / "baked" / "shard-2-of-2")
    refused(project, "the range at target", "is missing")


def test_a_shard_that_was_not_finished(project: Path) -> None:
    states(project, 1, "plain")[-1].unlink()
    refused(project, "plain.ranges: the range at target", "is missing")


def test_no_shard_at_all(project: Path) -> None:
    shutil.rmtree(project / "baked")
    (project / "baked").mkdir()
    for folder, said in (((), "there is no shard"), (("nowhere",), "there is no such folder")):
        named = [project / each for each in folder]
        assert said in mistake(bake("join", "--recipe", project / "bake.toml", *named))


def test_shards_that_overlap(project: Path, whole: tuple[Path, dict[str, bytes]]) -> None:
    """One is there twice, and another is of three shares; what fits is taken."""
    shutil.copytree(project / "baked" / "shard-2-of-2", project / "baked" / "again")
    share(tasks_in(project), 1, 3)
    assert baked(joined(tasks_in(project))) == whole[1]


def test_one_that_is_damaged_in_one_of_two_shards(
    project: Path, whole: tuple[Path, dict[str, bytes]]
) -> None:
    shutil.copytree(project / "baked" / "shard-2-of-2", project / "baked" / "again")
    flip(states(project, 2, "plain")[0], -40)
    assert baked(joined(tasks_in(project))) == whole[1]


@pytest.mark.parametrize("name", ["keep", "plain"])
def test_another_source(name: str, project: Path) -> None:
    source = project / "levels_src" / f"{name}.json"
    source.write_text(source.read_text() + "\n")
    why = {"keep": "keep.json changed", "plain": "another level"}
    refused(project, why[name])
    assert len(list((project / "baked").glob("*.h5"))) == len(NAMES) - 1


def test_another_recipe(project: Path) -> None:
    recipe = project / "bake.toml"
    recipe.write_text("ticks_per_unit = 100\n" + recipe.read_text())
    refused(project, "the recipe changed", "another level")
    assert not list((project / "baked").glob("*.h5"))


def test_another_rule_for_terrain_that_no_level_has(
    project: Path, whole: tuple[Path, dict[str, bytes]]
) -> None:
    """Shards are of the recipe in all that their levels look up in it."""
    recipe = project / "bake.toml"
    recipe.write_text(recipe.read_text() + "lava = 5\n")
    assert baked(joined(tasks_in(project))) == whole[1]


def test_another_revision(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (header, staleness):
        monkeypatch.setattr(module, "BAKE_REVISION", 10**6)
    refused(project, "baked by revision", "another level")


def test_other_levels(project: Path, whole: tuple[Path, dict[str, bytes]]) -> None:
    """One that is gone is not missed, and of a new one the shards have nothing."""
    (project / "levels_src" / "keep.json").unlink()
    found = baked(joined(tasks_in(project)))
    assert found == {name: data for name, data in whole[1].items() if name != "keep"}
    write_grid(project / "levels_src" / "new.json", rows("..."))
    error = outcomes_of(project)["new"].error
    assert "it is missing" in str(error)


def states(project: Path, number: int, level: str) -> list[Path]:
    return sorted((project / "baked" / f"shard-{number}-of-2" / f"{level}.ranges").glob("*.range"))


def outcomes_of(project: Path) -> dict[str, Outcome]:
    return {each.task.name: each for each in joined(tasks_in(project))}


def flip(file: Path, place: int) -> None:
    data = bytearray(file.read_bytes())
    data[place] ^= 4
    file.write_bytes(data)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda state: state.unlink(), "is missing"),
        (lambda state: flip(state, -40), "is damaged"),
        (lambda state: flip(state, 3), "is damaged"),
        (lambda state: state.write_bytes(b""), "is damaged"),
    ],
)
def test_a_damaged_range(spoil: Callable[[Path], object], why: str, project: Path) -> None:
    """The other levels are joined all the same."""
    spoil(states(project, 2, "plain")[0])
    found = outcomes_of(project)
    error = found["plain"].error
    assert isinstance(error, BakeError)
    assert why in str(error)
    assert "every shard" in str(error)
    assert not found["plain"].task.asset.exists()
    assert [found[name].status for name in ("keep", "roads", "yard")] == ["baked"] * 3


def test_a_range_of_another_level(project: Path) -> None:
    one, other = states(project, 1, "plain")[0], states(project, 1, "yard")[0]
    one.write_bytes(other.read_bytes())
    assert "another level" in str(outcomes_of(project)["plain"].error)


def test_a_damaged_or_missing_asset(project: Path) -> None:
    (part,) = (project / "baked").glob("*/keep.h5")
    flip(part, -20)
    assert "damaged" in str(outcomes_of(project)["keep"].error)
    part.unlink()
    assert "missing" in str(outcomes_of(project)["keep"].error)


def test_a_level_with_mistakes_is_in_every_shard(project: Path) -> None:
    (project / "levels_src" / "plain.json").write_text("no level")
    for number in (1, 2):
        found = {each.task.name: each for each in share(tasks_in(project), number, 2)}
        assert found["plain"].status == "failed"


def test_a_file_that_is_no_asset_is_kept(project: Path) -> None:
    for name in ("keep", "plain"):
        (project / "baked" / f"{name}.h5").write_text("mine")
    found = outcomes_of(project)
    for name in ("keep", "plain"):
        assert "not an asset" in str(found[name].error)
        assert (project / "baked" / f"{name}.h5").read_text() == "mine"
