"""Checkpoints of long bakes: wherever one is cut, the asset is the same to the byte."""

import errno
import hashlib
import json
import random
import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from bake.pipeline import Task, build
from bake.pipeline.checkpoint import SECONDS_VARIABLE, CheckpointFolder, RangeFile, seconds_between
from bake.pipeline.level import Baked, bake_level
from bake.recipe import LevelRecipe, ProfileRecipe
from bake.search.all_pairs.batch import LANES
from bake.tables import run_writer
from tests.support.baked import recipe_for, write_graph, write_grid
from tests.support.projects import silent

SIDE = 22
HOPS = ("components", "next_hops")
RECIPE = recipe_for(tables=HOPS)


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint after every batch."""
    monkeypatch.setenv(SECONDS_VARIABLE, "0")


def yard(folder: Path) -> Path:
    """A grid of about seven batches."""
    folder.mkdir(exist_ok=True)
    rng = random.Random(5)
    kinds = ("floor",) * 5 + ("mud", "wall")
    drawn = [[rng.choice(kinds) for _ in range(SIDE)] for _ in range(SIDE)]
    return write_grid(folder / "yard.json", drawn)


def large_yard(folder: Path) -> Path:
    """A grid of four ranges of two or three batches, if ranges are short."""
    folder.mkdir(exist_ok=True)
    rng = random.Random(6)
    kinds = ("floor",) * 5 + ("mud", "wall")
    drawn = [[rng.choice(kinds) for _ in range(40)] for _ in range(30)]
    return write_grid(folder / "large.json", drawn)


def star(folder: Path) -> Path:
    """A hub with more arcs than a set has bits, and long chains behind them."""
    folder.mkdir(exist_ok=True)
    edges: list[tuple[str | int, str | int, float]] = []
    for arm in range(70):
        chain = [0, *range(1 + 4 * arm, 5 + 4 * arm)]
        edges += [(a, b, 1.0 + arm % 3) for a, b in pairwise(chain)]
    edges += [(b, a, cost) for a, b, cost in edges]
    return write_graph(folder / "star.json", list(range(281)), edges)


class Bake:
    """One bake after another of a level, and what they said."""

    def __init__(self, source: Path, recipe: LevelRecipe = RECIPE, threads: int = 1) -> None:
        self.task = Task(source, source.with_suffix(".h5"), recipe)
        self.folder = CheckpointFolder(self.task.asset).path
        self.threads = threads
        self.said: list[str] = []

    def whole(self) -> Baked:
        self.said.clear()
        return bake_level(self.task, self.threads, lambda stage, done: self.said.append(stage))

    def cut(self, after: float) -> None:
        """Interrupt it when so much is done."""

        def report(stage: str, done: float) -> None:
            self.said.append(stage)
            if stage == "next hops" and done >= after:
                raise KeyboardInterrupt

        self.said.clear()
        with pytest.raises(KeyboardInterrupt):
            bake_level(self.task, self.threads, report)
        assert not self.task.asset.exists()

    def files(self) -> list[str]:
        return sorted(file.name for file in self.folder.iterdir())


def undisturbed(
    source: Callable[[Path], Path], folder: Path, recipe: LevelRecipe = RECIPE
) -> bytes:
    bake = Bake(source(folder / "undisturbed"), recipe)
    assert bake.whole().taken_up == 0
    return bake.task.asset.read_bytes()


@pytest.mark.parametrize("source", [yard, star])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_bake_cut_anywhere_is_taken_up(
    source: Callable[[Path], Path], threads: int, tmp_path: Path
) -> None:
    expected = undisturbed(source, tmp_path)
    bake = Bake(source(tmp_path), threads=threads)
    for after in (0.01, 0.3, 0.5, 0.8, 1.0):
        bake.cut(after)
        assert bake.files() == ["0-0.runs", "0-0.state"]
        assert after <= bake.whole().taken_up <= 1
        assert bake.task.asset.read_bytes() == expected
        assert any("taken up from a checkpoint" in word for word in bake.said)
        assert not bake.folder.exists()
        bake.task.asset.unlink()


@pytest.fixture
def short_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_writer, "RANGE_ROWS", LANES)


@pytest.mark.usefixtures("short_ranges")
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_ranges_are_taken_up_as_far_as_each_had_come(threads: int, tmp_path: Path) -> None:
    expected = undisturbed(large_yard, tmp_path)
    bake = Bake(large_yard(tmp_path), threads=threads)
    for after in (0.01, 0.3, 0.5, 0.8, 1.0):
        bake.cut(after)
        begun = [name for name in bake.files() if name.endswith(".state")]
        assert len(begun) >= min(threads, 4) if after > 0.3 else begun
        assert after - 0.01 <= bake.whole().taken_up <= 1
        assert sum("taken up from a checkpoint" in word for word in bake.said) == 1
        assert bake.task.asset.read_bytes() == expected
        assert not bake.folder.exists()
        bake.task.asset.unlink()


@pytest.mark.usefixtures("short_ranges")
def test_a_damaged_range_sets_all_aside(tmp_path: Path) -> None:
    bake = Bake(large_yard(tmp_path))
    bake.cut(0.8)
    assert len(bake.files()) > 4
    flipped(bake.folder / bake.files()[-1], 40)
    assert bake.whole().taken_up == 0
    assert "the checkpoint is damaged; baking from the beginning" in bake.said
    assert bake.task.asset.read_bytes() == undisturbed(large_yard, tmp_path)
    assert not bake.folder.exists()


def test_a_bake_cut_again_and_again_ends(tmp_path: Path) -> None:
    expected = undisturbed(yard, tmp_path)
    bake = Bake(yard(tmp_path))
    for _ in range(20):
        try:
            # At the second news at the latest: the first batch after the one taken up.
            bake.cut(0.0)
        except pytest.fail.Exception:
            break
    else:
        raise AssertionError("no batch is ever done")
    assert bake.task.asset.read_bytes() == expected


def test_each_profile_is_kept(tmp_path: Path) -> None:
    profiles = (
        ProfileRecipe("a", RECIPE.terrain),
        ProfileRecipe("b", {**RECIPE.terrain, "mud": RECIPE.terrain["wall"]}),
    )
    recipe = recipe_for(tables=HOPS, profiles=profiles)
    expected = undisturbed(yard, tmp_path, recipe)
    bake = Bake(yard(tmp_path), recipe)
    bake.cut(0.75)
    assert bake.files() == ["0-0.runs", "0-0.state", "1-0.runs", "1-0.state"]
    baked = bake.whole()
    assert sum("taken up" in word for word in bake.said) == 2
    assert "100% of the next hops taken up from a checkpoint" in bake.said
    assert 0.6 < baked.taken_up < 1
    assert bake.task.asset.read_bytes() == expected


def flipped(file: Path, place: int) -> None:
    data = bytearray(file.read_bytes())
    data[place] ^= 4
    file.write_bytes(data)


EMPTY = b"{}\n" + hashlib.sha256(b"{}\n").digest()


def shortened(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: flipped(folder / "0-0.state", 30),
        lambda folder: flipped(folder / "0-0.state", -40),
        lambda folder: flipped(folder / "0-0.state", -1),
        lambda folder: shortened(folder / "0-0.state"),
        lambda folder: (folder / "0-0.state").write_bytes(b""),
        lambda folder: (folder / "0-0.state").write_bytes(
            b"{}\n" + hashlib.sha256(b"{}\n").digest()
        ),
        lambda folder: flipped(folder / "0-0.runs", 0),
        lambda folder: flipped(folder / "0-0.runs", -1),
        lambda folder: shortened(folder / "0-0.runs"),
        lambda folder: (folder / "0-0.runs").unlink(),
    ],
)
def test_a_damaged_one_is_set_aside(damage: Callable[[Path], object], tmp_path: Path) -> None:
    expected = undisturbed(yard, tmp_path)
    bake = Bake(yard(tmp_path))
    bake.cut(0.5)
    damage(bake.folder)
    assert bake.whole().taken_up == 0
    assert "the checkpoint is damaged; baking from the beginning" in bake.said
    assert bake.task.asset.read_bytes() == expected
    assert not bake.folder.exists()


def test_what_stands_behind_the_runs_was_never_finished(tmp_path: Path) -> None:
    """A bake killed between writing runs and the state that counts them."""
    expected = undisturbed(yard, tmp_path)
    bake = Bake(yard(tmp_path))
    bake.cut(0.5)
    with (bake.folder / "0-0.runs").open("ab") as file:
        file.write(b"\x01" * 29)
    (bake.folder / "0-0.tmp").write_bytes(b"half")
    bake.cut(0.7)
    assert any("taken up" in word for word in bake.said)
    assert bake.whole().taken_up > 0.5
    assert bake.task.asset.read_bytes() == expected
    assert not bake.folder.exists()


def resealed(state: Path, change: Callable[[dict[str, object], np.ndarray], None]) -> None:
    """Change what a state says, with a digest that fits."""
    line, rest = state.read_bytes().split(b"\n", 1)
    said, rows = json.loads(line), np.frombuffer(zlib.decompress(rest[:-32]), np.uint8).copy()
    change(said, rows)
    data = json.dumps(said).encode() + b"\n" + zlib.compress(rows.tobytes())
    state.write_bytes(data + hashlib.sha256(data).digest())


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda said, rows: said.update(version=1), "is of another level, recipe or version"),
        (lambda said, rows: said.update({"bound to": "x"}), "is of another level, recipe or"),
        (lambda said, rows: said.update(runs=10**9), "does not fit"),
        (lambda said, rows: said.update(runs="many"), "is damaged"),
        (lambda said, rows: said.update(targets=10**6), "is damaged"),
        (lambda said, rows: said.update(targets=0), "is damaged"),
        (lambda said, rows: said.pop("targets"), "is damaged"),
        (lambda said, rows: rows.__setitem__(slice(-4, None), 255), "is damaged"),
        # The hub comes first: the slot it keeps is past its arcs.
        (lambda said, rows: rows.__setitem__(slice(0, 8), [99, *[0] * 7]), "is damaged"),
    ],
)
def test_a_state_that_cannot_be_is_set_aside(
    change: Callable[[dict[str, object], np.ndarray], None], why: str, tmp_path: Path
) -> None:
    expected = undisturbed(star, tmp_path)
    bake = Bake(star(tmp_path))
    bake.cut(0.5)
    resealed(bake.folder / "0-0.state", change)
    assert bake.whole().taken_up == 0
    assert any(why in word for word in bake.said)
    assert bake.task.asset.read_bytes() == expected


def test_one_of_another_recipe_is_set_aside(tmp_path: Path) -> None:
    source = yard(tmp_path)
    Bake(source).cut(0.5)
    recipe = recipe_for(tables=HOPS, connectivity=4)
    bake = Bake(source, recipe)
    assert bake.whole().taken_up == 0
    assert any("is of another level, recipe or version" in word for word in bake.said)
    assert bake.task.asset.read_bytes() == undisturbed(yard, tmp_path, recipe)
    assert not bake.folder.exists()


def test_one_of_another_level_is_set_aside(tmp_path: Path) -> None:
    source = yard(tmp_path)
    Bake(source).cut(0.5)
    write_grid(source, [["floor"] * SIDE] * SIDE)
    bake = Bake(source)
    assert bake.whole().taken_up == 0
    assert any("is of another level, recipe or version" in word for word in bake.said)


def test_short_bakes_write_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SECONDS_VARIABLE)

    def refuse(self: CheckpointFolder) -> None:
        raise AssertionError("a checkpoint was begun")

    monkeypatch.setattr(CheckpointFolder, "claim", refuse)
    bake = Bake(yard(tmp_path))
    bake.cut(0.5)
    assert not bake.folder.exists()
    bake.whole()


def test_how_often(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, seconds in (("", 30), ("soon", 30), ("7.5", 7.5), ("-1", 0), ("inf", np.inf)):
        monkeypatch.setenv(SECONDS_VARIABLE, text)
        assert seconds_between() == seconds


def test_a_full_disk_ends_checkpoints_but_not_the_bake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save, calls = RangeFile.save, 0

    def fill(self: RangeFile, *arguments: object, **options: object) -> None:
        nonlocal calls
        calls += 1
        save(self, *arguments, **options)
        if calls == 3:
            raise OSError(errno.ENOSPC, "No space left on device")

    expected = undisturbed(yard, tmp_path)
    monkeypatch.setattr(RangeFile, "save", fill)
    bake = Bake(yard(tmp_path))
    bake.whole()
    assert calls == 3
    assert "no checkpoints: No space left on device" in bake.said
    assert bake.task.asset.read_bytes() == expected
    assert not bake.folder.exists()


def test_a_file_where_the_folder_goes(tmp_path: Path) -> None:
    bake = Bake(yard(tmp_path))
    bake.folder.write_text("mine")
    bake.whole()
    assert "no checkpoints: File exists" in bake.said
    assert bake.folder.read_text() == "mine"


def test_one_that_another_build_is_at_is_left_alone(tmp_path: Path) -> None:
    expected = undisturbed(yard, tmp_path)
    bake = Bake(yard(tmp_path))
    bake.cut(0.5)
    before = {name: (bake.folder / name).read_bytes() for name in bake.files()}
    other = CheckpointFolder(bake.task.asset)
    other.claim()
    assert bake.whole().taken_up == 0
    assert bake.task.asset.read_bytes() == expected
    assert {name: (bake.folder / name).read_bytes() for name in bake.files()} == before
    other.clear()
    assert not bake.folder.exists()


def test_a_build_removes_what_is_left_of_a_finished_bake(tmp_path: Path) -> None:
    """Killed when the asset was in its place, but the checkpoint was still there."""
    bake = Bake(yard(tmp_path))
    bake.cut(0.5)
    kept = {name: (bake.folder / name).read_bytes() for name in bake.files()}
    bake.whole()
    bake.folder.mkdir()
    for name, data in kept.items():
        (bake.folder / name).write_bytes(data)
    (outcome,) = build([bake.task], jobs=1, force=False, report=silent)
    assert outcome.status == "fresh"
    assert not bake.folder.exists()


def test_one_batch_and_a_profile_that_stands_nowhere(tmp_path: Path) -> None:
    nowhere = dict.fromkeys(RECIPE.terrain, RECIPE.terrain["wall"])
    profiles = (ProfileRecipe("a", RECIPE.terrain), ProfileRecipe("b", nowhere))
    bake = Bake(
        write_grid(tmp_path / "tiny.json", [["floor"] * (LANES // 2)]),
        recipe_for(tables=HOPS, profiles=profiles, algorithm="dijkstra"),
    )
    bake.cut(0.5)
    assert bake.whole().taken_up == 1
    assert not bake.folder.exists()
