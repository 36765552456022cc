"""Checkpoints of long bakes: wherever one is cut, the asset is the same to the byte."""

import errno
import hashlib
import json
import os
import random
import sys
import threading
import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from bake.baking import Task, build
from bake.baking.checkpoint import SECONDS_VARIABLE, seconds_before
from bake.baking.checkpoint_folder import CheckpointFolder
from bake.baking.level import BakedLevel, bake_level
from bake.project.recipe import LevelRecipe, ProfileRecipe
from bake.search.all_pairs.batch import LANES, BatchScratch, BatchSearch
from bake.store import partial
from bake.tables import run_writer
from tests.support.baked import recipe_for, write_graph, write_grid
from tests.support.projects import silent

SIDE = 28

#: Ranges of each of the levels below.
RANGES = 4
HOPS = ("components", "next_hops")
RECIPE = recipe_for(tables=HOPS)


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small levels have several ranges, and each that is finished is kept."""
    monkeypatch.setenv(SECONDS_VARIABLE, "0")
    monkeypatch.setattr(run_writer, "RANGE_ROWS", LANES)


def yard(folder: Path) -> Path:
    """A grid of four ranges of about two batches."""
    folder.mkdir(exist_ok=True)
    rng = random.Random(5)
    kinds = ("floor",) * 5 + ("mud", "wall")
    drawn = [[rng.choice(kinds) for _ in range(SIDE)] for _ in range(SIDE)]
    return write_grid(folder / "yard.json", drawn)


def star(folder: Path) -> Path:
    """A hub with more arcs than a set has bits, and long chains behind them."""
    folder.mkdir(exist_ok=True)
    edges: list[tuple[str | int, str | int, float]] = []
    for arm in range(70):
        chain = [0, *range(1 + 8 * arm, 9 + 8 * arm)]
        edges += [(a, b, 1.0 + arm % 3) for a, b in pairwise(chain)]
    edges += [(b, a, cost) for a, b, cost in edges]
    return write_graph(folder / "star.json", list(range(561)), edges)


class Bake:
    """One bake after another of a level, and what they said."""

    def __init__(self, source: Path, recipe: LevelRecipe = RECIPE, threads: int = 1) -> None:
        self.task = Task(source, source.with_suffix(".h5"), recipe)
        self.folder = CheckpointFolder(self.task.asset).path
        self.threads = threads
        self.said: list[str] = []

    def whole(self) -> BakedLevel:
        self.said.clear()
        return bake_level(self.task, self.threads, lambda stage, done: self.said.append(stage))

    def cut(self, after: float, ranges: int = 1) -> None:
        """Interrupt it when so much is done, and so many ranges are finished or taken up."""
        finished = 0

        def report(stage: str, done: float) -> None:
            nonlocal finished
            self.said.append(stage)
            # As an interrupt does, this reaches the main thread alone.
            in_main = threading.current_thread() is threading.main_thread()
            if stage == "next hops" and in_main and done:
                finished += 1
                if done >= after and finished >= ranges:
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
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_bake_cut_anywhere_is_taken_up(
    source: Callable[[Path], Path], threads: int, tmp_path: Path
) -> None:
    expected = undisturbed(source, tmp_path)
    bake = Bake(source(tmp_path), threads=threads)
    for after in (0.3, 0.5, 0.8, 1.0):
        bake.cut(after)
        kept = bake.files()
        baked = bake.whole()
        assert baked.taken_up == pytest.approx(len(kept) / RANGES, abs=0.15)
        assert bake.task.asset.read_bytes() == expected
        assert any("taken up from a checkpoint" in note for note in baked.notes)
        assert not bake.folder.exists()
        bake.task.asset.unlink()


def test_what_is_kept_is_not_searched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bake = Bake(yard(tmp_path))
    bake.cut(1.0)
    kept = bake.files()
    searched: list[int] = []
    search = BatchSearch.distances_to

    def noted(self: BatchSearch, targets: np.ndarray, scratch: BatchScratch) -> np.ndarray:
        searched.append(int(targets[0]))
        return search(self, targets, scratch)

    monkeypatch.setattr(BatchSearch, "distances_to", noted)
    bake.whole()
    begun = {int(name.partition("-")[2].partition(".")[0]) for name in kept}
    assert not begun & set(searched)


def test_a_bake_cut_again_and_again_ends(tmp_path: Path) -> None:
    expected = undisturbed(yard, tmp_path)
    bake = Bake(yard(tmp_path))
    kept = []
    while len(kept) < RANGES:
        bake.cut(0.0, len(kept) + 1)
        assert len(bake.files()) > len(kept)
        kept = bake.files()
    assert bake.whole().taken_up == 1
    assert bake.task.asset.read_bytes() == expected


def test_each_profile_is_kept(tmp_path: Path) -> None:
    profiles = (
        ProfileRecipe("a", RECIPE.terrain),
        ProfileRecipe("b", {**RECIPE.terrain, "mud": RECIPE.terrain["wall"]}),
    )
    recipe = recipe_for(tables=HOPS, profiles=profiles)
    expected = undisturbed(yard, tmp_path, recipe)
    bake = Bake(yard(tmp_path), recipe)
    bake.cut(0.8)
    assert {name[:2] for name in bake.files()} == {"0-", "1-"}
    baked = bake.whole()
    assert 0.5 < baked.taken_up < 1
    assert baked.notes == (f"{baked.taken_up:.0%} of the next hops taken up from a checkpoint",)
    assert bake.task.asset.read_bytes() == expected


def flipped(file: Path, place: int) -> None:
    data = bytearray(file.read_bytes())
    data[place] ^= 4
    file.write_bytes(data)


EMPTY = b"{}\n" + hashlib.sha256(b"{}\n").digest()


def shortened(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def turned_into_a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: flipped(file, 30),
        lambda file: flipped(file, -40),
        lambda file: flipped(file, -1),
        shortened,
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(EMPTY),
        pytest.param(
            turned_into_a_pipe,
            marks=pytest.mark.skipif(sys.platform == "win32", reason="pipes are POSIX's"),
        ),
    ],
)
def test_a_damaged_range_is_searched_again(
    damage: Callable[[Path], object], tmp_path: Path
) -> None:
    """The others are taken up all the same."""
    expected = undisturbed(yard, tmp_path)
    bake = Bake(yard(tmp_path))
    bake.cut(0.9)
    whole = len(bake.files())
    damage(bake.folder / "0-0.range")
    assert bake.whole().taken_up == pytest.approx((whole - 1) / RANGES, abs=0.15)
    assert bake.said.count("a range of the checkpoint is damaged; it is searched again") == 1
    assert bake.task.asset.read_bytes() == expected
    assert not bake.folder.exists()


def test_a_file_that_was_never_finished_counts_for_nothing(tmp_path: Path) -> None:
    """A bake killed while it wrote a range."""
    expected = undisturbed(yard, tmp_path)
    bake = Bake(yard(tmp_path))
    bake.cut(0.0, 2)
    (bake.folder / "0-0.range").unlink()
    (bake.folder / ".0-0.range.99999.tmp").write_bytes(b"half")
    assert bake.whole().taken_up > 0
    assert bake.task.asset.read_bytes() == expected
    assert not bake.folder.exists()


def resealed(file: Path, change: Callable[[dict[str, object], np.ndarray], None]) -> None:
    """Change what a range says, with a digest that fits."""
    line, rest = file.read_bytes().split(b"\n", 1)
    said, rows = json.loads(line), np.frombuffer(zlib.decompress(rest[:-32]), np.uint8).copy()
    change(said, rows)
    data = json.dumps(said).encode() + b"\n" + zlib.compress(rows.tobytes())
    file.write_bytes(data + hashlib.sha256(data).digest())


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda said, rows: said.update(version=2), "is of another level, recipe or version"),
        (lambda said, rows: said.update({"bound to": "x"}), "is of another level, recipe or"),
        (lambda said, rows: said.update(runs=10**9), "does not fit"),
        (lambda said, rows: said.update(runs=0), "does not fit"),
        (lambda said, rows: said.update(runs="many"), "is damaged"),
        (lambda said, rows: said.pop("runs"), "is damaged"),
        (lambda said, rows: rows.__setitem__(slice(-4, None), 255), "is damaged"),
        # The hub comes first: the slot it keeps is past its arcs.
        (lambda said, rows: rows.__setitem__(slice(0, 8), [99, *[0] * 7]), "is damaged"),
    ],
)
def test_a_range_that_cannot_be_is_searched_again(
    change: Callable[[dict[str, object], np.ndarray], None], why: str, tmp_path: Path
) -> None:
    expected = undisturbed(star, tmp_path)
    bake = Bake(star(tmp_path))
    bake.cut(0.9)
    resealed(bake.folder / "0-0.range", change)
    bake.whole()
    assert any(why in word for word in bake.said)
    assert bake.task.asset.read_bytes() == expected


def test_one_of_another_recipe_is_set_aside(tmp_path: Path) -> None:
    source = yard(tmp_path)
    Bake(source).cut(0.9)
    recipe = recipe_for(tables=HOPS, connectivity=4)
    bake = Bake(source, recipe)
    assert bake.whole().taken_up == 0
    assert any("is of another level, recipe or version" in word for word in bake.said)
    assert bake.task.asset.read_bytes() == undisturbed(yard, tmp_path, recipe)
    assert not bake.folder.exists()


def test_one_of_another_level_is_set_aside(tmp_path: Path) -> None:
    source = yard(tmp_path)
    Bake(source).cut(0.9)
    write_grid(source, [["floor"] * SIDE] * SIDE)
    bake = Bake(source)
    assert bake.whole().taken_up == 0
    assert any("is of another level, recipe or version" in word for word in bake.said)


@pytest.mark.parametrize("why", ["short", "one range"])
def test_short_bakes_write_none(why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that take less than five seconds, and those of one range."""
    if why == "short":
        monkeypatch.delenv(SECONDS_VARIABLE)
    else:
        monkeypatch.setattr(run_writer, "RANGE_ROWS", 10**6)

    def refuse(self: CheckpointFolder) -> None:
        raise AssertionError("a checkpoint was begun")

    monkeypatch.setattr(CheckpointFolder, "claim", refuse)
    bake = Bake(yard(tmp_path))
    bake.cut(0.9)
    assert not bake.folder.exists()
    bake.whole()


def test_how_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, seconds in (("", 5), ("soon", 5), ("7.5", 7.5), ("-1", 0), ("inf", np.inf)):
        monkeypatch.setenv(SECONDS_VARIABLE, text)
        assert seconds_before() == seconds


def test_a_full_disk_ends_checkpoints_but_not_the_bake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, calls = os.fsync, 0

    def fill(handle: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        written(handle)

    expected = undisturbed(yard, tmp_path)
    monkeypatch.setattr(partial.os, "fsync", fill)
    bake = Bake(yard(tmp_path))
    bake.whole()
    assert "no checkpoints: the folder cannot be written: No space left on device" in bake.said
    assert bake.task.asset.read_bytes() == expected
    assert not bake.folder.exists()


def test_a_file_where_the_folder_goes(tmp_path: Path) -> None:
    bake = Bake(yard(tmp_path))
    bake.folder.write_text("mine")
    bake.whole()
    assert "no checkpoints: the folder cannot be created: File exists" in bake.said
    assert bake.folder.read_text() == "mine"


def test_one_that_another_build_is_at_is_left_alone(tmp_path: Path) -> None:
    expected = undisturbed(yard, tmp_path)
    bake = Bake(yard(tmp_path))
    bake.cut(0.3)
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
    bake.cut(0.3)
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
    bake.whole()
    assert not bake.folder.exists()
