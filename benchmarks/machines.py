"""Compare a bake on one thread, on two, and on clusters of one and two workers."""

from __future__ import annotations

import filecmp
import importlib
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bake.baking import Task, build
from bake.core.processors import processors
from bake.project.recipe import load_recipe
from benchmarks.baking import BakedMap, bake_map, write_recipe
from benchmarks.bench import Bench
from benchmarks.clock import in_turns, seconds
from benchmarks.ground import Ground, ground_of
from benchmarks.levels import level_file
from benchmarks.proof import prove
from benchmarks.section import Section

FULL = ("lak303d", "den520d", "brc202d", "orz900d")
QUICK = ("lak303d",)
ROUNDS = 3
#: Maps with more nodes are baked only once, as a run of minutes needs no median.
REPEATED = 50_000
AIM = 1.8


def run(bench: Bench, section: Section) -> None:
    """Compare two threads with two processes, and clusters with one process."""
    names = bench.choose(section, FULL, QUICK)
    section.text(
        "The whole bake (reading, graph, next hops, writing the file), in turns, "
        f"nanoseconds per (source, target) pair, medians of {bench.either(ROUNDS, 1)}, maps over "
        f"{REPEATED:,} nodes once. Hops toward sampled targets were checked first, and every file "
        "was the same to the byte."
    )
    grounds = [ground_of(name) for name in names]
    for ground in grounds:
        prove(bench.baked(ground.name).asset, ground, bench.either(32, 8))
    if processors() < 2:
        section.text("Nothing else was measured: there is one processor.")
        return
    _threads(bench, section, grounds)
    if find_spec("distributed") is None:
        section.text("Clusters were not measured: Dask is not installed.")
        return
    _clusters(bench, section, grounds)


def _rounds(bench: Bench, ground: Ground) -> int:
    return 1 if ground.nodes > REPEATED else bench.either(ROUNDS, 1)


def _checked(bench: Bench, asset: Path, ground: Ground) -> None:
    checked = bench.baked(ground.name).asset
    assert filecmp.cmp(asset, checked, shallow=False), f"{ground.name}: two bakes differ"


def _threads(bench: Bench, section: Section, grounds: list[Ground]) -> None:
    context = multiprocessing.get_context("spawn")
    rows = []
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        for ground in grounds:
            bench.tell(f"{ground.name} on one thread, on two, and in two processes")

            def measure_threads(threads: int, ground: Ground = ground) -> float:
                baked = bake_map(ground.name, bench.scratch / "again", threads)
                _checked(bench, baked.asset, ground)
                return baked.ns_per_pair

            def apart(ground: Ground = ground) -> float:
                both: list[BakedMap] = list(
                    pool.map(
                        bake_map,
                        [ground.name] * 2,
                        [bench.scratch / "apart-0", bench.scratch / "apart-1"],
                        ["compressed"] * 2,
                    )
                )
                for baked in both:
                    _checked(bench, baked.asset, ground)
                return max(baked.ns_per_pair for baked in both)

            apart()  # Kernels are loaded in both processes.
            turns: dict[str, Callable[[], float]] = {
                "one": lambda: measure_threads(1),
                "two": lambda: measure_threads(2),
                "apart": apart,
            }
            ns = in_turns(turns, _rounds(bench, ground))
            ratio, most = ns["one"] / ns["two"], 2 * ns["one"] / ns["apart"]
            row = (*(f"{ns[name]:.2f}" for name in turns), f"{ratio:.2f}", f"{most:.2f}")
            rows.append((ground.name, *row))
            if ground.name in FULL:
                section.at_least(
                    f"{ground.name}: two threads, times faster than one", ratio, AIM, "x"
                )
    section.text(
        "One thread, two threads, and two processes that bake the same level at the same time, "
        "each on one: they share the machine's caches and memory and nothing else, so what they "
        "do together is the most that two threads could do."
    )
    section.table(
        (
            "map",
            "one thread",
            "two threads",
            "one of two processes",
            "ratio",
            "at most",
        ),
        rows,
    )


def _clusters(bench: Bench, section: Section, grounds: list[Ground]) -> None:
    distributed: Any = importlib.import_module("distributed")
    folder = bench.scratch / "cluster"
    recipe = load_recipe(write_recipe(folder))

    def on(address: str | None, ground: Ground) -> float:
        source = level_file(ground.name)
        task = Task(source, folder / f"{source.stem}.h5", recipe.for_level(source.stem))
        found: list[object] = []

        def bake() -> None:
            outcomes = build([task], jobs=1, force=True, report=lambda *news: None, cluster=address)
            found.extend(outcome.error for outcome in outcomes)

        spent = seconds(bake)
        assert found == [None], f"{ground.name}: {found}"
        _checked(bench, task.asset, ground)
        return spent

    took: dict[tuple[str, int], float] = {}
    for workers in (1, 2):
        bench.tell(f"a cluster of {workers}")
        with distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            dashboard_address=None,
            local_directory=str(bench.scratch / "workers"),
        ) as cluster:
            for ground in grounds:
                on(cluster.scheduler_address, ground)  # Kernels are loaded, and pages are there.
                turn = {workers: partial(on, cluster.scheduler_address, ground)}
                took[ground.name, workers] = in_turns(turn, _rounds(bench, ground))[workers]
    rows = []
    for ground in grounds:
        bench.tell(f"{ground.name} in one process")
        alone = in_turns({0: partial(_alone, bench, ground)}, _rounds(bench, ground))[0]
        one, two = took[ground.name, 1], took[ground.name, 2]
        rows.append((ground.name, *(f"{s:.2f}" for s in (alone, one, two)), f"{alone / two:.2f}"))
    section.text(
        "Clusters that are there already, each worker with one thread, beside one process on one "
        "thread; seconds of the whole build, connecting included:"
    )
    section.table(("map", "one process", "one worker", "two workers", "ratio"), rows)


def _alone(bench: Bench, ground: Ground) -> float:
    return bake_map(ground.name, bench.scratch / "again", 1).seconds
