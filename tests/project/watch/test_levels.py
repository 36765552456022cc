"""Bakes that follow an editor: what is baked and told, and what is not."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bake.baking import Task, build, find_tasks
from bake.baking.sources import source_folders
from bake.core.errors import LevelError
from bake.project.recipe import load_recipe
from bake.project.watch import levels
from bake.project.watch.levels import News, Watch

HALL = {
    "format": "bake-tiles",
    "version": 1,
    "terrains": {"floor": 1, "wall": "blocked"},
    "legend": {".": "floor", "#": "wall"},
}


def text_of(*rows: str) -> str:
    return json.dumps({**HALL, "rows": rows})


class Following:
    """A project that is watched, change by change."""

    def __init__(self, folder: Path, jobs: int | None = None) -> None:
        self.folder = folder
        self.watch = Watch(self.tasks, self.folders, jobs)
        done = build(self.tasks(), jobs=1, force=False, report=lambda *news: None)
        self.watch.begin(list(done))
        self._news = self.watch.follow()

    def tasks(self) -> list[Task]:
        return find_tasks(load_recipe(self.folder / "bake.toml"), [], None)

    def folders(self) -> list[Path]:
        return source_folders(load_recipe(self.folder / "bake.toml"), [])

    def next(self) -> News:
        return next(self._news)

    def told(self) -> tuple[str, str]:
        news = self.next()
        return news.happened, news.level

    def rest(self) -> list[tuple[str, str]]:
        """What is told until nothing changes any more."""
        threading.Timer(0.8, self.watch.stop).start()
        return [(news.happened, news.level) for news in self._news]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "levels_src").mkdir()
    (tmp_path / "bake.toml").write_text("")
    for name in ("hall", "cave"):
        (tmp_path / "levels_src" / f"{name}.json").write_text(text_of("...", ".#."))
    return tmp_path


@pytest.fixture
def following(project: Path) -> Iterator[Following]:
    found = Following(project)
    yield found
    found.watch.stop()


def test_a_saved_level_is_baked(following: Following) -> None:
    source = following.folder / "levels_src" / "hall.json"
    source.write_text(text_of("...", "..."))
    news = following.next()
    assert (news.happened, news.level, news.error) == ("baked", "hall", None)
    assert news.outcome is not None
    assert news.outcome.baked is not None
    assert news.outcome.baked.nodes == 6
    # By renaming a new file over the old one, as many editors save.
    partial = source.with_suffix(".tmp")
    partial.write_text(text_of(".#.", "..."))
    partial.replace(source)
    assert following.told() == ("baked", "hall")


def test_what_holds_the_same_is_not_baked(following: Following) -> None:
    source = following.folder / "levels_src" / "hall.json"
    source.write_text(source.read_text())
    (following.folder / "levels_src" / "notes.txt").write_text("no level")
    assert following.rest() == []


def test_what_changed_before_it_was_watched(following: Following) -> None:
    """Between the build and the first notice."""
    (following.folder / "levels_src" / "cave.json").write_text(text_of("....."))
    assert following.told() == ("baked", "cave")


def test_a_mistake_is_told_once_for_each_save(following: Following) -> None:
    source = following.folder / "levels_src" / "hall.json"
    right = source.read_text()
    source.write_text(right[:40])
    news = following.next()
    assert (news.happened, news.level) == ("failed", "hall")
    assert isinstance(news.error, LevelError)
    asset = (following.folder / "baked" / "hall.h5").read_bytes()
    # Another level's change does not bring it up again; another save does.
    (following.folder / "levels_src" / "cave.json").write_text(text_of("..."))
    assert following.told() == ("baked", "cave")
    source.write_text(right[:41])
    assert following.told() == ("failed", "hall")
    assert (following.folder / "baked" / "hall.h5").read_bytes() == asset
    source.write_text(right)
    assert following.told() == ("fresh", "hall")
    source.write_text(right[:40])
    assert following.told() == ("failed", "hall")
    source.write_text(text_of("."))
    assert following.told() == ("baked", "hall")


def test_half_a_file_gets_a_second_look(
    following: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the file is written while the mistake waits for its second look."""
    source = following.folder / "levels_src" / "hall.json"
    whole = text_of("....", "####", "....")
    wait = following.watch._stop.wait

    def write_the_rest(seconds: float | None = None) -> bool:
        if seconds == levels.SECOND_SCAN_DELAY:
            source.write_text(whole)
        return wait(seconds)

    monkeypatch.setattr(following.watch._stop, "wait", write_the_rest)
    source.write_text(whole[:50])
    assert following.told() == ("baked", "hall")
    assert following.rest() == []


def test_a_file_that_never_rests_is_told_of_at_last(
    following: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = following.folder / "levels_src" / "hall.json"
    looks = 0

    def write_more(seconds: float | None = None) -> bool:
        nonlocal looks
        if seconds == levels.SECOND_SCAN_DELAY:
            looks += 1
            source.write_text("{" * (looks + 1))
        return False

    monkeypatch.setattr(following.watch._stop, "wait", write_more)
    source.write_text("{")
    assert following.told() == ("failed", "hall")
    assert looks == levels.MAX_SCANS - 1


def test_levels_come_and_go(following: Following) -> None:
    folder = following.folder / "levels_src"
    (folder / "attic.json").write_text(text_of("..."))
    assert following.told() == ("baked", "attic")
    (folder / "attic.json").rename(folder / "loft.json")
    assert {following.told(), following.told()} == {("baked", "loft"), ("gone", "attic")}
    assert (following.folder / "baked" / "attic.h5").exists()
    (folder / "attic.json").write_text(text_of("..", ".."))
    assert following.told() == ("baked", "attic")


def test_several_at_once(project: Path) -> None:
    following = Following(project, jobs=2)
    for name in ("hall", "cave"):
        (project / "levels_src" / f"{name}.json").write_text(text_of("..", "##", ".."))
    told = {following.told(), following.told()}
    assert told == {("baked", "hall"), ("baked", "cave")}
    following.watch.stop()


def test_the_recipe(following: Following) -> None:
    recipe = following.folder / "bake.toml"
    recipe.write_text("[levels.hall]\nconnectivity = 4\n")
    assert following.told() == ("baked", "hall")
    recipe.write_text("[levels.hall]\nconnectivity = 5\n")
    news = following.next()
    assert (news.happened, news.level) == ("failed", "")
    assert "connectivity" in str(news.error)
    recipe.write_text("[levels.hall]\nconnectivity = 4\n")
    assert following.told() == ("fresh", "")
    recipe.write_text("")
    assert following.told() == ("baked", "hall")


def test_files_that_a_level_refers_to(project: Path) -> None:
    """The tileset of a map lies in a folder where no level is."""
    (project / "tiles").mkdir()
    tileset = project / "tiles" / "set.tsx"
    tile = '<tile id="0"><properties><property name="terrain" value="{}"/></properties></tile>'
    outer = (
        '<tileset name="set" tilewidth="16" tileheight="16" tilecount="1" columns="1">{}</tileset>'
    )
    tileset.write_text(outer.format(tile.format("floor")))
    (project / "levels_src" / "yard.tmx").write_text(
        '<map version="1.10" orientation="orthogonal" width="2" height="1" tilewidth="16" '
        'tileheight="16" infinite="0"><tileset firstgid="1" source="../tiles/set.tsx"/>'
        '<layer id="1" name="Ground" width="2" height="1"><data encoding="csv">1,1</data></layer>'
        "</map>"
    )
    following = Following(project)
    tileset.write_text(outer.format(tile.format("wall")))
    assert following.told()[1] == "yard"
    following.watch.stop()


def test_a_flat_file_that_is_gone(project: Path) -> None:
    (project / "bake.toml").write_text("[export]\nflat = true\n")
    following = Following(project)
    (project / "baked" / "hall.bake").unlink()
    (project / "levels_src" / "cave.json").write_text(text_of("."))
    assert {following.told(), following.told()} == {("baked", "cave"), ("baked", "hall")}
    assert (project / "baked" / "hall.bake").exists()
    following.watch.stop()


def test_folders_where_levels_may_come(project: Path) -> None:
    (project / "worlds" / "one" / "maps").mkdir(parents=True)
    (project / "bake.toml").write_text('sources = ["worlds/*/maps/*.json", "absent/*.png"]')
    found = source_folders(load_recipe(project / "bake.toml"), [])
    wanted = ["", "worlds", "worlds/one", "worlds/one/maps", "absent"]
    assert set(found) == {project / each for each in wanted}
    named = [project / "levels_src" / "hall.json", project / "worlds"]
    assert source_folders(load_recipe(None), named) == [project / "levels_src", project / "worlds"]


def test_warming_up_leaves_nothing_behind(project: Path) -> None:
    following = Following(project)
    before = sorted(project.rglob("*"))
    levels.warm_up(following.tasks())
    assert sorted(project.rglob("*")) == before
    levels.warm_up([])


def test_it_is_idle_as_soon_as_the_last_level_is_baked(project: Path) -> None:
    """Between two levels of a bake it is not, as stopping there would cut the bake short."""
    following = Following(project, jobs=1)
    for name in ("hall", "cave"):
        whole = project / f"{name}.tmp"
        whole.write_text(text_of("..", "##", ".."))
        whole.replace(project / "levels_src" / f"{name}.json")
    idle = []
    for _ in range(2):
        following.next()
        idle.append(following.watch.stop_if_idle())
    assert idle == [False, True]
    assert following.rest() == []


def test_nothing_is_baked_after_it_was_stopped(
    following: Following, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Ctrl-C that comes while levels are judged stale."""

    def judge_and_stop(task: Task, digest: object) -> list[str]:
        assert following.watch.stop_if_idle()
        return ["changed"]

    monkeypatch.setattr(levels, "reasons_to_bake", judge_and_stop)
    (following.folder / "levels_src" / "hall.json").write_text(text_of("..."))
    assert list(following.watch.follow()) == []
    assert following.watch.stop_if_idle()
