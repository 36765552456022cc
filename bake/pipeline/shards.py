"""Bake a share of a build on each of several machines, and join the shares.

A shard is a folder. It holds the assets of the levels that are its as a whole; for each other level
a folder with the ranges of targets that are its, in the files of checkpoints; and `shard.json`,
which is written last and says what everything was made from. Which level and range is whose follows
from the order of the levels and the cuts of each alone.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bake.asset import Asset
from bake.asset.header import Header, header_for, sha256_of
from bake.asset.partial import check_writable, written_whole
from bake.asset.write import Contents
from bake.errors import BakeError, OutputError, counted
from bake.kernels.jit import waiting
from bake.kinds import kind_of
from bake.levels import is_puzzle
from bake.pipeline.checkpoint import Checkpoint, RangeFile, UnusableError
from bake.pipeline.contents import first_alike
from bake.pipeline.flat import write_flat_file
from bake.pipeline.level import (
    Baked,
    Prepared,
    Report,
    baked_of,
    errors_name,
    prepare,
    world_contents,
)
from bake.pipeline.profile import in_ranges, range_job
from bake.pipeline.run import Outcome, attempt, build, check_place, threads_for
from bake.pipeline.run import Report as LevelReport
from bake.pipeline.sources import Task
from bake.pipeline.staleness import changes_since, reasons_to_bake
from bake.recipe import LevelRecipe
from bake.tables.all_pairs import slot_dtype
from bake.tables.compressed import run_budget
from bake.tables.range_search import Crew, Range, RangeJob, RangeSearch, RunBudget
from bake.tables.run_writer import RangeRuns, check_runs, target_ranges
from bake.worlds import LatticeWorld, World, usable

MANIFEST = "shard.json"
FORMAT = "levelbake shard"
VERSION = 1


@dataclass(frozen=True)
class Shard:
    """One of several shares of a build.

    Attributes:
        number: which one, from 1.
        count: how many there are.
    """

    number: int
    count: int

    @property
    def name(self) -> str:
        return f"shard-{self.number}-of-{self.count}"

    def has(self, unit: int) -> bool:
        """Tell whether a unit of work, by its number, is in this share."""
        return unit % self.count == self.number - 1

    def __str__(self) -> str:
        return f"shard {self.number} of {self.count}"


# -- baking a share -------------------------------------------------------------------------------


def build_shard(
    tasks: Sequence[Task], shard: Shard, *, jobs: int | None, force: bool, report: LevelReport
) -> Iterator[Outcome]:
    """Bake one share of the levels into a folder of its own beside where assets go.

    Args:
        tasks: all levels of the build, in order.
        shard: which share.
        jobs, force, report: as for :func:`bake.pipeline.build`.

    Yields:
        One outcome for each level of which the share has a part. A level that cannot be read is in
        every share.

    Raises:
        OutputError: the folder cannot be made or written.
    """
    folder = tasks[0].asset.parent / shard.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MANIFEST).unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"cannot be made: {error.strerror or error}", file=folder) from None
    check_writable(folder)
    headers: dict[str, Header] = {}
    whole: list[Task] = []
    shared: set[str] = set()
    good = True
    for place, task in enumerate(tasks):
        try:
            if is_puzzle(task.source):
                headers[task.name] = kind_of("puzzle", task.source).header(task)
                if shard.has(place):
                    whole.append(replace(task, asset=folder / task.asset.name))
                continue
            found = prepare(task, lambda *news: None)
            headers[task.name] = found.header
            if not _is_shared(found.world, task.recipe):
                if shard.has(place):
                    whole.append(replace(task, asset=folder / task.asset.name))
                continue
            shared.add(task.name)
            mine = replace(task, asset=_ranges_folder(folder, task))
            outcome = _bake_ranges(mine, found, place, shard, threads_for(1, jobs), report)
        except BakeError as error:
            outcome = Outcome(task, "failed", error=error)
        good = good and outcome.status != "failed"
        yield outcome
    for outcome in build(whole, jobs=jobs, force=force, report=report) if whole else ():
        good = good and outcome.status != "failed"
        yield outcome
    if good:
        _write_manifest(folder, shard, headers, shared)


def _ranges_folder(shard: Path, task: Task) -> Path:
    return shard / f"{task.asset.stem}.ranges"


def _is_shared(world: World | LatticeWorld, recipe: LevelRecipe) -> bool:
    """Tell whether a level is shared out in ranges; else it is one unit."""
    if isinstance(world, LatticeWorld):
        return False
    subs = (usable(world, profile) for profile in world.metrics)
    return any(in_ranges(sub, recipe) for sub in subs)


@waiting()
def _bake_ranges(
    task: Task, found: Prepared, place: int, shard: Shard, threads: int, report: LevelReport
) -> Outcome:
    """Search the ranges of a level that are a shard's, into the folder where its asset would go."""
    begun = time.perf_counter()
    assert isinstance(found.world, World)
    world, alike = found.world, first_alike(found.world)
    task.asset.mkdir(exist_ok=True)
    with errors_name(task.source):
        for number, profile in enumerate(world.metrics):
            sub = usable(world, profile)
            if alike[profile] != profile or not in_ranges(sub, task.recipe):
                continue
            ranges = target_ranges(sub.graph.node_count)
            mine = [each for k, each in enumerate(ranges) if shard.has(place + number + k)]
            bound_to = f"{found.header.fingerprint()} {profile}"
            files = {each[0]: RangeFile(task.asset, number, each, bound_to) for each in mine}
            job = range_job(world, sub)
            threads, budget = run_budget(sub, task.recipe.memory_budget, threads, "dijkstra")
            left = [each for each in mine if _load(files[each[0]], job, budget) is None]

            def save(runs: RangeRuns, files: Mapping[int, RangeFile] = files) -> None:
                try:
                    files[runs.begin].save(runs, to_disk=True)
                except OSError as error:
                    raise OutputError(
                        f"cannot be written: {error.strerror or error}", file=task.asset
                    ) from None

            def tell(done: float, number: int = number) -> None:
                report(task.name, "next hops", (number + done) / len(world.metrics))

            for each in left:
                files[each[0]].remove()
            if left:
                RangeSearch(job, left, budget, tell).by_threads(threads, save, None)
    size = sum(file.stat().st_size for file in task.asset.iterdir())
    seconds = time.perf_counter() - begun
    return Outcome(task, "baked", baked=baked_of(found, size, seconds))


def _load(file: RangeFile, job: RangeJob, budget: RunBudget) -> RangeRuns | None:
    """Return what an earlier build of the shard has found of a range; None without all of it."""
    try:
        runs = _read(file, job, budget.runs)
    except (UnusableError, OSError):
        return None
    return runs if runs is not None and runs.taken == runs.stop else None


def _read(file: RangeFile, job: RangeJob, most_runs: int) -> RangeRuns | None:
    none = int(np.iinfo(slot_dtype(job.sub)).max)
    return file.load(
        job.sub.graph.node_count, lambda runs: check_runs(runs, job.sub, none), most_runs
    )


def _write_manifest(
    folder: Path, shard: Shard, headers: Mapping[str, Header], shared: Set[str]
) -> None:
    said = {
        "format": FORMAT,
        "version": VERSION,
        "shard": shard.number,
        "of": shard.count,
        "levels": {
            name: {"whole": name not in shared, **_made_from(header)}
            for name, header in headers.items()
        },
    }
    with written_whole(folder / MANIFEST) as partial:
        partial.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


def _made_from(header: Header) -> dict[str, object]:
    """Return what decides an asset's content, as JSON has it."""
    return {
        "format_version": header.format_version,
        "bake_revision": header.bake_revision,
        "recipe": header.recipe,
        "sources": [list(each) for each in header.sources],
    }


def _header_of(name: str, made: Mapping[str, Any]) -> Header:
    """Return the header of which :func:`_made_from` returned this."""
    sources = tuple((str(file), str(digest)) for file, digest in made["sources"])
    return replace(
        header_for(name, sources, str(made["recipe"])),
        format_version=int(made["format_version"]),
        bake_revision=int(made["bake_revision"]),
    )


# -- joining shares -------------------------------------------------------------------------------


def join(
    tasks: Sequence[Task], folders: Sequence[Path], *, force: bool, report: LevelReport
) -> Iterator[Outcome]:
    """Join all shares of a build to assets, the same to the byte as those of a whole build.

    Args:
        tasks: all levels of the build, in order.
        folders: shards, or folders of shards.
        force, report: as for :func:`bake.pipeline.build`; levels are joined one by one.

    Yields:
        One outcome for each level.

    Raises:
        BakeError: a shard is missing, or there twice, or they are not of one build.
        OutputError: the output folder cannot be made or written.
    """
    manifests = _found_shards(folders)
    _check_levels(tasks, manifests)
    shards = {each.shard: each.folder for each in manifests}
    whole = manifests[0].whole
    output = tasks[0].asset.parent
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"the output folder cannot be made: {error.strerror or error}", file=output
        ) from None
    check_writable(output)
    threads = threads_for(1, None)
    for place, task in enumerate(tasks):
        if task.name in whole:
            owner = next(shard for shard in shards if shard.has(place))
            yield _put(owner, shards[owner] / task.asset.name, task, force)
        else:
            yield attempt(task, threads, force, report, _Joining(task, place, shards))


def _put(shard: Shard, part: Path, task: Task, force: bool) -> Outcome:
    """Put the asset of a whole level into place."""
    begun = time.perf_counter()
    try:
        check_place(task, force)
        if reasons := reasons_to_bake(replace(task, asset=part)):
            raise BakeError("; ".join(reasons), file=part, remedy=f"bake {shard} again")
        of_puzzle = is_puzzle(task.source)
        size_of = kind_of("puzzle", task.source).size if of_puzzle else _size_of_level
        nodes, arcs, profiles = size_of(part)
        with written_whole(task.asset) as partial:
            shutil.copyfile(part, partial)
        wanted = task.recipe.export_flat and not of_puzzle
        flat = write_flat_file(task, force=force) if wanted else None
    except BakeError as error:
        return Outcome(task, "failed", error=error)
    size = task.asset.stat().st_size
    seconds = time.perf_counter() - begun
    baked = Baked(nodes, arcs, profiles, size, seconds, 0.0, ())
    return Outcome(task, "baked", baked=baked, flat=flat)


def _size_of_level(part: Path) -> tuple[int, int, tuple[str, ...]]:
    """Return the nodes, arcs and profiles of an asset."""
    with Asset(part) as asset:
        nodes, arcs = len(asset.graph.place), asset.graph.taken(asset.profiles)
        return nodes, arcs, tuple(asset.profiles)


class _Joining:
    """Makes the tables of a level, with ranges from shards, in place of `world_contents`."""

    def __init__(self, task: Task, place: int, shards: Mapping[Shard, Path]) -> None:
        self._task, self._place, self._shards = task, place, shards

    def __call__(
        self,
        world: World,
        recipe: LevelRecipe,
        stated: str,
        threads: int,
        report: Report,
        checkpoint: Checkpoint | None,
    ) -> list[Contents]:
        """Make everything an asset holds."""
        assert checkpoint is not None
        bound_to, names = checkpoint.bound_to, list(world.metrics)

        def crew_of(profile: str) -> Crew:
            return _Shelf(
                self._task, self._place, names.index(profile), f"{bound_to} {profile}", self._shards
            )

        return world_contents(world, recipe, stated, threads, report, None, crew_of)


class _Shelf:
    """Reads ranges from shards, see :class:`bake.tables.range_search.Crew`."""

    def __init__(
        self, task: Task, place: int, number: int, bound_to: str, shards: Mapping[Shard, Path]
    ) -> None:
        self._task, self._place, self._number = task, place, number
        self._bound_to, self._shards = bound_to, shards

    def search(
        self,
        job: RangeJob,
        ranges: Sequence[Range],
        earlier: Mapping[int, RangeRuns],
        budget: RunBudget,
        taken: Callable[[int, int], None],
    ) -> Iterator[RangeRuns]:
        """Yield the runs of all ranges, in order.

        Raises:
            BakeError: a range is missing or damaged.
        """
        for k, targets in enumerate(ranges):
            unit = self._place + self._number + k
            shard, folder = next(each for each in self._shards.items() if each[0].has(unit))
            kept = _ranges_folder(folder, self._task)
            file = RangeFile(kept, self._number, targets, self._bound_to)
            try:
                runs = _read(file, job, budget.runs)
            except UnusableError as error:
                raise BakeError(
                    f"the range at target {targets[0]:,} {error}",
                    file=kept,
                    remedy=f"bake {shard} again",
                ) from None
            except OSError as error:
                raise BakeError(f"cannot be read: {error.strerror or error}", file=kept) from None
            if runs is None or runs.taken != runs.stop:
                raise BakeError(
                    f"the range at target {targets[0]:,} is missing",
                    file=kept,
                    remedy=f"bake {shard} again",
                )
            yield runs


@dataclass(frozen=True)
class _Manifest:
    """What a shard says of itself.

    Attributes:
        shard: which one it is.
        folder: where it lies.
        headers: what each level of the build was read from, by its name.
        whole: names of the levels that are not shared out.
    """

    shard: Shard
    folder: Path
    headers: Mapping[str, Header]
    whole: Set[str]


def _found_shards(folders: Sequence[Path]) -> list[_Manifest]:
    """Find all shards of a build in some folders.

    Raises:
        BakeError: there is none, one is missing, or there twice, or they are of several builds.
    """
    found: dict[Shard, _Manifest] = {}
    for folder in folders:
        if not folder.is_dir():
            raise BakeError("there is no such folder", file=folder, expected="a folder of shards")
        files = [folder / MANIFEST, *sorted(folder.glob(f"*/{MANIFEST}"))]
        for file in filter(Path.exists, files):
            manifest = _read_manifest(file)
            shard = manifest.shard
            other = next(iter(found), shard)
            if other.count != shard.count:
                raise BakeError(
                    f"is {shard}, and another one is {other}",
                    file=file.parent,
                    expected="shards of one build",
                    remedy="remove those of the other build",
                )
            if shard in found and not file.parent.samefile(found[shard].folder):
                raise BakeError(
                    f"is {shard}, and so is {found[shard].folder}",
                    file=file.parent,
                    expected="each shard once",
                    remedy="remove one of them",
                )
            found[shard] = manifest
    if not found:
        raise BakeError(
            "there is no finished shard here",
            file=folders[0],
            remedy="bake some: `bake build --shard 1/2`, `bake build --shard 2/2`",
        )
    count = next(iter(found)).count
    missing = sorted(set(range(1, count + 1)) - {shard.number for shard in found})
    if missing:
        raise BakeError(
            f"{counted(len(missing), 'shard')} of {count} missing: {', '.join(map(str, missing))}",
            file=folders[0],
            expected="every shard, baked to its end",
            remedy=f"bake them: `bake build --shard {missing[0]}/{count}`",
        )
    return sorted(found.values(), key=lambda each: each.shard.number)


def _read_manifest(file: Path) -> _Manifest:
    try:
        said = json.loads(file.read_bytes())
        if said["format"] != FORMAT or said["version"] != VERSION:
            raise BakeError(
                "is of another version of bake",
                file=file,
                remedy="bake and join shards with the same version",
            )
        shard = Shard(int(said["shard"]), int(said["of"]))
        headers = {name: _header_of(name, made) for name, made in said["levels"].items()}
        whole = {name for name, made in said["levels"].items() if made["whole"]}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise BakeError("is damaged", file=file, remedy="bake the shard again") from None
    if not 1 <= shard.number <= shard.count:
        raise BakeError("is damaged", file=file, remedy="bake the shard again")
    return _Manifest(shard, file.parent, headers, whole)


def _check_levels(tasks: Sequence[Task], manifests: Sequence[_Manifest]) -> None:
    """Refuse shards that were made from anything else than what is here.

    Raises:
        BakeError: levels, sources, recipe or revision differ.
    """
    digest = cache(sha256_of)
    names = {task.name for task in tasks}
    for manifest in manifests:
        shard, folder, headers = manifest.shard, manifest.folder, manifest.headers
        if headers.keys() != names:
            odd = sorted(headers.keys() ^ names)
            raise BakeError(
                f"{shard} was baked from other levels: {', '.join(map(repr, odd))} "
                f"{'is' if len(odd) == 1 else 'are'} only in one of them and here",
                file=folder,
                expected="the same levels, recipe and sources as for `bake build --shard`",
                remedy="bake all shards, and join them, from the same files",
            )
        for task in tasks:
            if reasons := changes_since(task, headers[task.name], digest):
                raise BakeError(
                    f"{shard} was not baked from the level {task.name!r} that is here: "
                    f"{'; '.join(reasons)}",
                    file=folder,
                    remedy="bake all shards, and join them, from the same files and version",
                )
