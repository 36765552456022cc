"""Compare stored distances: none, labels, and the size of a matrix of all pairs."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np

from bake.baking import Task, find_tasks
from bake.baking.level import bake_level
from bake.core.arrays import Int32Array
from bake.core.processors import processors
from bake.play import Navigator, open_asset
from bake.play.reader.engine import Baked
from bake.project.init.first_recipe import write_first_recipe
from bake.project.recipe import LevelRecipe, load_recipe
from bake.project.recipe.rules import DistanceStorage
from bake.show.report import inspect_asset
from benchmarks.bench import Bench, Skip
from benchmarks.clock import seconds
from benchmarks.levels import level_file
from benchmarks.section import Section
from levelbake.errors import BakeError
from tests.support.levels import FOLDER

ROOT = Path(__file__).resolve().parents[1]
MAPS = ("arena", "den312d", "lak303d", "den520d", "brc202d", "orz900d")
QUICK = ("arena", "den312d")
PAIRS = 2_000
ROUNDS = 5

#: The limit for levels of about 2,000 places.
SMALL, SMALL_PLACES = 100 * 2**10, range(1_900, 2_500)


def run(bench: Bench, section: Section) -> None:
    """Measure sizes for levels of the repository, editors and games, and time for games."""
    assert bench.jit_seconds >= 0
    section.text(
        "Whole files in bytes. *Default* is `bake build` without settings of tables; *labels* has "
        "`[distances]` besides, and *matrix* would have four bytes a pair in place of them. *A "
        "place* are bytes of the labels alone."
    )
    columns = ("level", "places", "default", "labels", "a place", "matrix", "matrix : default")
    own = [_weigh(bench, task) for task in _repository(bench)]
    section.table(columns, [each.line() for each in [*own, _total(own)]])
    drawn = [_weigh(bench, task) for task in _public_levels(bench)]
    if drawn:
        section.table(columns, [each.line() for each in drawn])
    try:
        names = bench.choose(section, MAPS, QUICK)
    except Skip as reason:
        section.text(f"Nothing was timed: {reason}.")
        return
    maps = [_weigh(bench, _task_of_map(bench, name)) for name in names]
    section.table(columns, [each.line() for each in maps])
    for each in [*own, *drawn, *maps]:
        if each.places in SMALL_PLACES and each.profiles == 1:
            section.at_most(f"{each.name}: default", each.default, SMALL, "bytes", digits=0)
    _time(bench, section, maps)


# -- bytes ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Weighed:
    """The bytes of one level's assets.

    Attributes:
        name: of the level.
        places: rows of all its profiles.
        profiles: how many it has.
        default, labels, matrix: bytes of the whole file, the last as it would be.
        parts: bytes of the labels alone.
        assets: the files without distances, and with labels.
    """

    name: str
    places: int
    profiles: int
    default: int
    labels: int
    matrix: int
    parts: int
    assets: tuple[Path, Path] | None

    def line(self) -> tuple[str, ...]:
        """Return the level's row of the table."""
        return (
            self.name,
            f"{self.places:,}",
            f"{self.default:,}",
            f"{self.labels:,}",
            f"{self.parts / max(1, self.places):.1f}",
            f"{self.matrix:,}",
            f"{self.matrix / self.default:,.0f}",
        )


def _weigh(bench: Bench, task: Task) -> Weighed:
    bench.tell(f"baking {task.name}")
    none, labels = (_baked(bench, task, storage) for storage in ("auto", "labels"))
    found = inspect_asset(labels, None)["profiles"].values()
    # A profile that shares the tables of another profile takes no bytes.
    alone = [each for each in found if not any("same_as" in table for table in each["tables"])]
    size = 4 * sum(each["nodes"] ** 2 for each in alone)
    return Weighed(
        name=task.name,
        places=sum(each["nodes"] for each in found),
        profiles=len(found),
        default=none.stat().st_size,
        labels=labels.stat().st_size,
        matrix=none.stat().st_size + size,
        parts=sum(
            table["bytes"]
            for each in alone
            for table in each["tables"]
            if table["table"] == "distances"
        ),
        assets=(none, labels),
    )


def _total(each: list[Weighed]) -> Weighed:
    return Weighed(
        name="*all of them*",
        places=sum(one.places for one in each),
        profiles=sum(one.profiles for one in each),
        default=sum(one.default for one in each),
        labels=sum(one.labels for one in each),
        matrix=sum(one.matrix for one in each),
        parts=sum(one.parts for one in each),
        assets=None,
    )


def _baked(bench: Bench, task: Task, storage: DistanceStorage) -> Path:
    asset = bench.scratch / "distances" / storage / f"{task.name}.h5"
    asset.parent.mkdir(parents=True, exist_ok=True)
    recipe = replace(task.recipe, tables=None, distance_storage=storage)
    bake_level(replace(task, asset=asset, recipe=recipe), processors(), lambda stage, done: None)
    return asset


def _repository(bench: Bench) -> Iterable[Task]:
    tasks = find_tasks(load_recipe(ROOT / "bake.toml"), [], bench.scratch)
    return tasks[:4] if bench.quick else tasks


def _public_levels(bench: Bench) -> Iterable[Task]:
    """Yield public levels made with Tiled and LDtk, with the recipes that `bake init` writes."""
    tasks: list[Task] = []
    for editor in ("tiled", "ldtk"):
        if (FOLDER / editor).is_dir() and not bench.quick:
            folder = bench.scratch / editor
            shutil.copytree(FOLDER / editor, folder)
            write_first_recipe(folder, force=True)
            recipe = load_recipe(folder / "bake.toml")
            for task in find_tasks(recipe, [], folder / "baked"):
                try:
                    _baked(bench, task, "auto")
                except BakeError as error:
                    bench.tell(f"left out: {error}")
                else:
                    tasks.append(task)
    return tasks


def _task_of_map(bench: Bench, name: str) -> Task:
    return Task(level_file(name), bench.scratch / f"{name}.h5", LevelRecipe())


# -- microseconds ---------------------------------------------------------------------------------


def _time(bench: Bench, section: Section, maps: list[Weighed]) -> None:
    section.text(
        f"Microseconds, {PAIRS:,} random pairs of the largest component, medians of {ROUNDS} "
        "rounds, compiled. *One* is a call of `nav.path` or `nav.distance` for each pair, *many* "
        "one call of `nav.paths` or `nav.distances` for all. *First* are the milliseconds of the "
        "first distance by labels: reading and adding up. *In memory* are bytes of the labels a "
        "place from then on. Distances by labels equal those along next hops."
    )
    rows = []
    for each in maps:
        bench.tell(f"timing {each.name}")
        assert each.assets is not None
        with open_asset(each.assets[0]) as level, open_asset(each.assets[1]) as other:
            nav, labelled = level.profile(), other.profile()
            starts, goals = _pairs(nav)
            begun = time.perf_counter()
            labelled.distance(tuple(starts[0].tolist()), tuple(goals[0].tolist()))
            first = time.perf_counter() - begun
            ways = nav.distances(starts, goals)
            assert (labelled.distances(starts, goals) == ways).all(), f"{each.name}: distances"
            path, distance = (_one(ask, starts, goals) for ask in (nav.path, nav.distance))
            paths, distances = (_many(ask, starts, goals) for ask in (nav.paths, nav.distances))
            label, labels = (
                _one(labelled.distance, starts, goals),
                _many(labelled.distances, starts, goals),
            )
            held = _bytes_held(labelled)
            steps = len(nav.paths(starts, goals)[1]) / PAIRS
        section.at_most(f"{each.name}: path", path, 40, "µs", digits=1)
        section.at_most(f"{each.name}: distance", distance, 30, "µs", digits=1)
        section.at_most(f"{each.name}: distances by hops", distances, paths, "µs")
        section.at_most(f"{each.name}: distance by labels", label, 3, "µs")
        section.at_most(f"{each.name}: distances by labels", labels, 1.5, "µs")
        rows.append(
            (
                each.name,
                f"{steps:.0f}",
                *(f"{spent:.1f}" for spent in (path, distance)),
                *(f"{spent:.2f}" for spent in (label, paths, distances, labels)),
                f"{first * 1e3:.0f}",
                f"{held / each.places:.0f}",
            )
        )
    section.table(
        (
            *("map", "steps", "one path", "one distance", "by labels", "many paths"),
            *("many distances", "by labels", "first ms", "in memory"),
        ),
        rows,
    )


def _bytes_held(nav: Navigator) -> int:
    """Return the bytes of labels in memory."""
    engine = nav._now.engine
    assert isinstance(engine, Baked)
    assert engine.columns.labels is not None
    each = {id(array): array for array in vars(engine.columns.labels).values()}
    return sum(array.nbytes for array in each.values() if isinstance(array, np.ndarray))


def _pairs(nav: Navigator) -> tuple[Int32Array, Int32Array]:
    """Return random cells of the largest component."""
    tables = nav._now.version
    component = tables.component_of_row
    rows = np.flatnonzero(component == np.bincount(component).argmax())
    drawn = np.random.default_rng(len(rows)).choice(rows, (2, PAIRS))
    return tables.cell_of_row[drawn[0]], tables.cell_of_row[drawn[1]]


def _one(ask: Callable[..., object], starts: Int32Array, goals: Int32Array) -> float:
    pairs = list(zip(map(tuple, starts.tolist()), map(tuple, goals.tolist()), strict=True))

    def call() -> None:
        for start, goal in pairs:
            ask(start, goal)

    call()
    return median(seconds(call) for _ in range(ROUNDS)) / PAIRS * 1e6


def _many(ask: Callable[..., object], starts: Int32Array, goals: Int32Array) -> float:
    ask(starts, goals)
    return median(seconds(lambda: ask(starts, goals)) for _ in range(ROUNDS)) / PAIRS * 1e6
