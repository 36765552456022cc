"""The example under make and Ninja: what each bakes, and what it leaves alone."""

from __future__ import annotations

import hashlib
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import forked
from tests.support.pull_request import EXAMPLE, Run
from tests.support.readers import tool

LEVELS = ["cellar", "coast", "harbour"]


@dataclass(frozen=True)
class Game:
    """A copy of the example and the tool that builds it."""

    tool: str
    folder: Path
    run: Run

    def build(self, *targets: str) -> tuple[list[str], list[str]]:
        """Levels that bake was started for, and those of them it baked."""
        return states(self.printed(*targets))

    def printed(self, *targets: str) -> str:
        done = self.run(self.folder, self.tool, *targets)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def digests(self) -> dict[str, str]:
        return {
            asset.stem: hashlib.sha256(asset.read_bytes()).hexdigest()
            for asset in sorted((self.folder / "baked").glob("*.h5"))
        }

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.folder / file
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), "utf-8")


def states(printed: str) -> tuple[list[str], list[str]]:
    words = [line.split() for line in printed.splitlines()]
    rows = [row for row in words if len(row) > 2 and row[0] in LEVELS]
    return sorted(row[0] for row in rows), sorted(row[0] for row in rows if row[1] == "baked")


@pytest.fixture(scope="session", params=["make", "ninja"])
def _built(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    run: Run,
    cloned: Path,
) -> Game:
    """Built for the first time: every level is baked."""
    name = str(request.param)
    tool(name)
    folder = tmp_path_factory.mktemp(name) / "game"
    shutil.copytree(cloned, folder)
    # Under make, with an interpreter for each command, as a developer has it.
    more = {"BAKE": shlex.join(forked.BAKE)} if name == "make" else {}
    done = run(folder, name, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    assert states(done.stdout) == (LEVELS, LEVELS)
    return Game(name, folder, run)


@pytest.fixture
def game(_built: Game, tmp_path: Path) -> Game:
    """The example, built, times of files and all; for a test to change."""
    folder = tmp_path / "game"
    shutil.copytree(_built.folder, folder)
    return Game(_built.tool, folder, _built.run)


def test_nothing_to_do(game: Game) -> None:
    assert sorted(game.digests()) == LEVELS
    assert game.build() == ([], [])


def test_a_file_of_another_time_is_looked_at_once(game: Game) -> None:
    (game.folder / "levels/cellar.png").touch()
    assert game.build() == (["cellar"], [])
    assert game.build() == ([], [])


@pytest.mark.parametrize(
    ("file", "old", "new", "level"),
    [
        ("levels/coast.json", '"cost": 3,', '"cost": 4,', "coast"),
        ("levels/tiles/town.tsx", 'value="planks"', 'value="cobbles"', "harbour"),
    ],
)
def test_an_edit_bakes_the_level_it_is_of(
    game: Game, file: str, old: str, new: str, level: str
) -> None:
    before = game.digests()
    game.edit(file, old, new)
    assert game.build() == ([level], [level])
    after = game.digests()
    assert [name for name in LEVELS if before[name] != after[name]] == [level]
    assert game.build() == ([], [])


def test_an_edit_of_the_recipe_bakes_the_levels_it_reaches(game: Game) -> None:
    game.edit("bake.toml", "rubble = 2", "rubble = 2.5")
    assert game.build() == (LEVELS, ["cellar"])
    assert game.build() == ([], [])


def test_a_mistake_ends_the_build_and_keeps_the_asset(game: Game) -> None:
    before = game.digests()
    game.edit("levels/coast.json", '"grid": "hex"', '"grid": "hexagonal"')
    done = game.run(game.folder, game.tool)
    assert done.returncode != 0
    assert "error: levels/coast.json: grid: " in done.stdout + done.stderr
    assert game.digests() == before


def test_a_release_is_linted_checked_and_proved(game: Game) -> None:
    printed = game.printed("release")
    assert "0 findings in 3 levels" in printed
    assert "3 of 3 assets are up to date" in printed
    assert printed.count("pairs proved optimal") == len(LEVELS)


def test_play_prints_what_the_page_says(game: Game) -> None:
    page = (EXAMPLE / "README.md").read_text("utf-8").split("$ make play\n")[1].split("```")[0]
    told = page.strip().splitlines()
    assert told == game.printed("play").strip().splitlines()[-len(told) :]
