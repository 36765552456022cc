"""Bake shares of a build on several machines, and join the shares.

A shard is a folder with the results of one share: assets of whole levels, and folders with ranges
of targets of larger levels, as in a checkpoint. The share of each level and range follows from the
order of the levels and ranges alone. Every asset and range stores what it was made from, so joining
is a bake that reads matching results from any shard.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bake.baking.checkpoint import Checkpoint
from bake.baking.contents import first_alike
from bake.baking.flat import write_flat_file
from bake.baking.level import BakedLevel, Prepared, baked_of, errors_name, prepare, world_contents
from bake.baking.profile import Report, in_ranges, range_job
from bake.baking.ranges import RangeFolder, UnusableError
from bake.baking.run import Outcome, attempt, build, check_place, threads_for
from bake.baking.run import Report as LevelReport
from bake.baking.sources import Task
from bake.baking.staleness import reasons_to_bake
from bake.core.extras import load_kind
from bake.levels import is_puzzle
from bake.project.recipe import LevelRecipe
from bake.store import Asset
from bake.store.partial import (
    check_writable,
    created_folder,
    make_folder,
    make_own_folder,
    written_whole,
)
from bake.store.write import Contents
from bake.tables.compressed import run_budget
from bake.tables.range_search import OfRange, Range, RangeSearch
from bake.tables.run_writer import RangeRuns, target_ranges
from bake.worlds import LatticeWorld, World, usable
from levelbake.errors import BakeError

_REMEDY = "bake every shard to its end, and join them, from the same files and version"


@dataclass(frozen=True)
class Shard:
    """One of several shares of a build."""

    number: int  #: the number of the share, from 1
    count: int  #: the number of shares

    @property
    def name(self) -> str:
        return f"shard-{self.number}-of-{self.count}"

    def has(self, unit: int) -> bool:
        """Return whether a unit of work, given by its number, is in this share."""
        return unit % self.count == self.number - 1


# -- baking a share -------------------------------------------------------------------------------


def build_shard(
    tasks: Sequence[Task], shard: Shard, *, jobs: int | None, force: bool, report: LevelReport
) -> Iterator[Outcome]:
    """Bake one share of the levels into a folder of its own in the output folder.

    Args:
        tasks: all levels of the build, in order.
        shard: the share.
        jobs, force, report: as for :func:`bake.baking.build`.

    Yields:
        One outcome for each level of which the share has a part. Every share includes the levels
        that cannot be read.

    Raises:
        OutputError: the folder cannot be created or written.
    """
    folder = tasks[0].asset.parent / shard.name
    with created_folder(folder.parent, "the output folder"):
        make_own_folder(folder, "the shard's folder")
        check_writable(folder)
        failed = False
        for outcome in _bake_shard(tasks, shard, folder, jobs=jobs, force=force, report=report):
            failed |= outcome.status == "failed"
            yield outcome
        if failed:
            with suppress(OSError):  # The folder may contain other baked levels.
                folder.rmdir()


def _bake_shard(
    tasks: Sequence[Task],
    shard: Shard,
    folder: Path,
    *,
    jobs: int | None,
    force: bool,
    report: LevelReport,
) -> Iterator[Outcome]:
    """Bake one share of the levels into the shard's folder."""
    whole: list[Task] = []
    for place, task in enumerate(tasks):
        try:
            with ExitStack() as stack:
                prepared = None if is_puzzle(task.source) else prepare(task, _silent, stack)
                if prepared is None or not _is_shared(prepared.world, task.recipe):
                    if shard.has(place):
                        whole.append(replace(task, asset=folder / task.asset.name))
                    continue
                ranges_task = replace(task, asset=_ranges_folder(folder, task))
                outcome = _bake_ranges(
                    ranges_task, prepared, place, shard, threads_for(1, jobs), report
                )
        except BakeError as error:
            outcome = Outcome(task, "failed", error=error)
        yield outcome
    if whole:
        yield from build(whole, jobs=jobs, force=force, report=report)


def _silent(stage: str, done: float) -> None:
    """Report nothing, because most levels are prepared without being in the share."""


def _ranges_folder(shard: Path, task: Task) -> Path:
    return shard / f"{task.asset.stem}.ranges"


def _is_shared(world: World | LatticeWorld, recipe: LevelRecipe) -> bool:
    """Return whether a level is divided into ranges; otherwise it is one unit of work."""
    if isinstance(world, LatticeWorld):
        return False
    subs = (usable(world, profile) for profile in world.metrics)
    return any(in_ranges(sub, recipe) for sub in subs)


def _bake_ranges(
    task: Task, prepared: Prepared, place: int, shard: Shard, threads: int, report: LevelReport
) -> Outcome:
    """Search the ranges of a level that belong to a shard, and store them in the task's folder."""
    begun = time.perf_counter()
    assert isinstance(prepared.world, World)
    world, alike = prepared.world, first_alike(prepared.world)
    make_own_folder(task.asset, "the folder of the level's ranges")
    with errors_name(task.source):
        for number, profile in enumerate(world.metrics):
            sub = usable(world, profile)
            if alike[profile] != profile or not in_ranges(sub, task.recipe):
                continue
            ranges = target_ranges(sub.graph.node_count)
            own_ranges = [
                targets for k, targets in enumerate(ranges) if shard.has(place + number + k)
            ]
            kept = RangeFolder(task.asset, number, f"{prepared.header.fingerprint()} {profile}")
            threads, budget = run_budget(sub, task.recipe.memory_budget, threads, "dijkstra")

            def report_fraction(done: float, number: int = number) -> None:
                report(task.name, "next hops", (number + done) / len(world.metrics))

            search = RangeSearch(range_job(world, sub), own_ranges, budget, report_fraction)
            search.run_in_threads(threads, lambda runs: None, kept)
    size = sum(file.stat().st_size for file in task.asset.iterdir())
    seconds = time.perf_counter() - begun
    return Outcome(task, "baked", baked=baked_of(prepared, task.recipe, size, seconds))


# -- joining shares -------------------------------------------------------------------------------


def join(
    tasks: Sequence[Task], folders: Sequence[Path], *, force: bool, report: LevelReport
) -> Iterator[Outcome]:
    """Join all shares of a build into assets, byte for byte equal to an ordinary build.

    Args:
        tasks: all levels of the build, in order.
        folders: shards, or folders of shards.
        force, report: as for :func:`bake.baking.build`; levels are joined one by one.

    Yields:
        One outcome for each level; a level with a part in no shard has failed.

    Raises:
        BakeError: there is no shard.
        OutputError: the output folder cannot be created or written.
    """
    shards = _find_shards(tasks, folders)
    output = tasks[0].asset.parent
    with created_folder(output, "the output folder"):
        check_writable(output)
        for task in tasks:
            parts = [shard / task.asset.name for shard in shards]
            parts = [part for part in parts if part.exists()]
            kept = [_ranges_folder(shard, task) for shard in shards]
            kept = [folder for folder in kept if folder.is_dir()]
            if parts or not kept:
                yield _copy_asset(task, parts, force)
            else:
                yield attempt(task, threads_for(1, None), force, report, partial(_join_level, kept))


def _find_shards(tasks: Sequence[Task], folders: Sequence[Path]) -> list[Path]:
    """Return the folders that contain a part of a level, except the output folder.

    Raises:
        BakeError: no folder contains a part, or a folder does not exist.
    """
    names = [name for task in tasks for name in (task.asset.name, f"{task.asset.stem}.ranges")]
    shards = []
    for folder in folders:
        if not folder.is_dir():
            raise BakeError("there is no such folder", file=folder, expected="a folder of shards")
        within = [
            folder,
            *sorted(candidate for candidate in folder.iterdir() if candidate.is_dir()),
        ]
        within = [
            candidate
            for candidate in within
            if candidate.resolve() != tasks[0].asset.parent.resolve()
        ]
        shards += [
            candidate for candidate in within if any((candidate / name).exists() for name in names)
        ]
    if not shards:
        raise BakeError(
            "there is no shard in this folder",
            file=folders[0],
            remedy="bake shards: `bake build --shard 1/2`, `bake build --shard 2/2`",
        )
    return shards


def _copy_asset(task: Task, parts: Sequence[Path], force: bool) -> Outcome:
    """Copy the asset of a whole level from a shard to the output folder."""
    begun = time.perf_counter()
    try:
        check_place(task, force)
        wrong = {part: reasons_to_bake(replace(task, asset=part)) for part in parts}
        part = next((part for part, reasons in wrong.items() if not reasons), None)
        if part is None:
            why = [f"{part}: {'; '.join(reasons)}" for part, reasons in wrong.items()]
            raise BakeError(
                f"none of the shards has this level ({' / '.join(why) or 'it is missing'})",
                file=task.source,
                remedy=_REMEDY,
            )
        of_puzzle = is_puzzle(task.source)
        size_of = load_kind("puzzle", task.source).size if of_puzzle else _size_of_level
        nodes, arcs, profiles = size_of(part)
        make_folder(task.asset.parent, "the output folder")
        with written_whole(task.asset) as temporary:
            shutil.copyfile(part, temporary)
        exports = task.recipe.export_flat and not of_puzzle
        flat = write_flat_file(task, force=force) if exports else None
    except BakeError as error:
        return Outcome(task, "failed", error=error)
    size = task.asset.stat().st_size
    seconds = time.perf_counter() - begun
    baked = BakedLevel(nodes, arcs, profiles, size, seconds, 0.0, ())
    return Outcome(task, "baked", baked=baked, flat=flat)


def _size_of_level(part: Path) -> tuple[int, int, tuple[str, ...]]:
    """Return the number of nodes, the number of arcs, and the profiles of an asset."""
    with Asset(part) as asset:
        nodes, arcs = len(asset.graph.place), asset.graph.taken(asset.profiles)
        return nodes, arcs, tuple(asset.profiles)


def _join_level(
    folders: Sequence[Path],
    world: World,
    recipe: LevelRecipe,
    stated: str,
    threads: int,
    report: Report,
    checkpoint: Checkpoint,
) -> list[Contents]:
    """Compute the contents of a level's asset, with ranges of next hops read from shards."""

    def kept_of(number: int, profile: str) -> _JoinedRanges:
        bound_to = f"{checkpoint.bound_to} {profile}"
        return _JoinedRanges([RangeFolder(folder, number, bound_to) for folder in folders])

    return world_contents(world, recipe, stated, threads, report, kept_of)


class _JoinedRanges:
    """The ranges of a table in all shards, see :class:`bake.tables.range_search.KeptRanges`."""

    def __init__(self, folders: Sequence[RangeFolder]) -> None:
        self._folders = folders

    def load(self, targets: Range, rows: int, check: OfRange, most_runs: int) -> RangeRuns:
        """Return a range from a shard that has it.

        Raises:
            BakeError: it is missing or damaged in all of them.
        """
        wrong = set[str]()
        for kept in self._folders:
            try:
                return kept.read(targets, rows, check, most_runs)
            except UnusableError as error:
                wrong.add(str(error))
        wrong -= {"is missing"} if len(wrong) > 1 else set()
        raise BakeError(
            f"the range at target {targets[0]:,} {' / '.join(sorted(wrong))}",
            file=self._folders[0].folder,
            remedy=_REMEDY,
        )

    def save(self, runs: RangeRuns) -> None:
        """Store nothing, because every range is in a shard."""
