"""Bake the levels of a git revision, and match them with the levels of the working tree."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bake.baking import Task, build, find_tasks, judge
from bake.core.errors import one_error
from bake.levels import is_puzzle
from bake.project.recipe import RECIPE_NAME, Recipe, find_recipe, load_recipe
from bake.show.diff.pairs import LevelPair, LevelPairs, split_pairs
from levelbake.errors import AssetError, BakeError, OutputError, QueryError

#: Called with the name of a level, a stage and the fraction of the stage that is done.
Report = Callable[[str, str, float], None]
#: Called with the name of a level and a line about its bake.
Finish = Callable[[str, str], None]

#: Variables that git sets for hooks, which would redirect git from the recipe's repository.
_GIT_LOCAL = frozenset({"GIT_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_WORK_TREE"})


@dataclass(frozen=True)
class _Revision:
    """A commit, and the folder of the recipe in its repository."""

    name: str  #: the name that the user gave
    commit: str  #: its full hash
    folder: Path  #: folder of the recipe in the working tree
    prefix: str  #: the same folder relative to the repository's root: "" or "game/nav/"


@dataclass(frozen=True)
class _Base:
    """The levels of a revision."""

    assets: Mapping[
        str, Path
    ]  #: assets by level name, for levels of both states that could be baked
    tasks: Mapping[str, Task]  #: all levels by name
    folder: Path  #: folder of the recipe in the checkout
    #: level names of the revision by level names of the working tree, for levels in both
    old_names: Mapping[str, str]
    warnings: tuple[str, ...] = ()


@contextmanager
def pair_with_revision(
    revision: str, recipe: Path | None, report: Report, finish: Finish
) -> Iterator[LevelPairs]:
    """Match the levels of the working tree with the levels of a git revision.

    Levels of the revision without an asset in the working tree or in the revision are baked into a
    temporary folder, which is removed when the context ends.

    Args:
        revision: any name of a commit.
        recipe: the recipe of the working tree; None = no recipe.
        report: called with the progress of each level that is baked.
        finish: called with the name of each level whose bake has ended, and a line about it.

    Raises:
        QueryError: git, the repository or the commit does not exist.
        AssetError: an asset of the working tree is missing or stale.
        OutputError: the temporary folder cannot be written.
    """
    folder = recipe.parent if recipe is not None else Path()
    tasks = _find_levels(load_recipe(recipe), None)
    _check_fresh(tasks)
    commit = _resolve(revision, folder)
    try:
        scratch = tempfile.TemporaryDirectory(prefix="bake-base-", ignore_cleanup_errors=True)
    except OSError as error:
        raise OutputError(
            f"no temporary folder can be created: {error.strerror or error}"
        ) from None
    with scratch as name:
        base = _bake_base(commit, recipe, tasks, Path(name).resolve(), report, finish)
        yield _pair_levels(commit, tasks, base)


def _find_levels(recipe: Recipe, output: Path | None) -> dict[str, Task]:
    """Return the levels of a recipe by name, without puzzles."""
    tasks = find_tasks(recipe, [], output)
    return {task.name: task for task in tasks if not is_puzzle(task.source)}


def _check_fresh(tasks: Mapping[str, Task]) -> None:
    """Raise if an asset of the working tree is missing or stale."""
    problems: list[BakeError] = [
        AssetError(
            "; ".join(reasons),
            file=task.asset,
            expected="an asset that is up to date",
            remedy="run `bake build` first",
        )
        for task, reasons in judge(tasks.values())
        if reasons
    ]
    if problems:
        raise one_error(problems)


def _bake_base(
    revision: _Revision,
    recipe: Path | None,
    tasks: Mapping[str, Task],
    scratch: Path,
    report: Report,
    finish: Finish,
) -> _Base:
    """Check out a revision, and bake its levels that have no asset yet.

    Args:
        revision: the commit.
        recipe: the recipe of the working tree.
        tasks: levels of the working tree, whose assets are reused for unchanged levels.
        scratch: an empty folder.
        report, finish: called with the progress and the end of each bake.
    """
    tree, output = scratch / "tree", scratch / "baked"
    folder = tree / revision.prefix
    _check_out(revision, scratch, whole=False)
    base = _Base({}, {}, folder, {})
    shown = f"{revision.name}:"
    name = RECIPE_NAME if recipe is None else recipe.name
    if not folder.is_dir() or (recipe is not None and not (folder / name).is_file()):
        return replace(base, warnings=(f"{shown}{revision.prefix}{name} does not exist",))
    try:
        rules = load_recipe(folder / name if recipe is not None else find_recipe(folder))
        levels = _find_levels_in(folder, rules, output)
        if any(_reads_outside(task) for task in levels.values()):
            _check_out(revision, scratch, whole=True)
            levels = _find_levels_in(folder, rules, output)
    except BakeError as error:
        return replace(base, warnings=_lines_of(error, tree, shown))
    # A level that did not change has its asset in the working tree or in the revision.
    assets: dict[str, Path] = {}
    for candidates in (
        {name: task.asset for name, task in tasks.items()},
        {name: folder / rules.output / task.asset.name for name, task in levels.items()},
    ):
        known = [
            replace(levels[name], asset=asset)
            for name, asset in candidates.items()
            if name in levels and name not in assets
        ]
        assets |= {task.name: task.asset for task, reasons in judge(known) if not reasons}
    warnings: list[str] = []
    old_names = _match_names(revision, tasks, levels, folder)
    stale = [levels[name] for name in sorted(old_names.values()) if name not in assets]
    for outcome in build(stale, jobs=None, force=False, report=report):
        finish(outcome.task.name, f"{outcome.status} from {revision.name}")
        if isinstance(outcome.error, OutputError):
            raise outcome.error
        if outcome.error is not None:
            warnings += _lines_of(outcome.error, tree, shown)
        else:
            assets[outcome.task.name] = outcome.task.asset
    return _Base(assets, levels, folder, old_names, tuple(warnings))


def _find_levels_in(folder: Path, recipe: Recipe, output: Path) -> dict[str, Task]:
    """Return the levels of a recipe, or the levels that a folder has without a recipe."""
    if recipe.file is not None:
        return _find_levels(recipe, output)
    with chdir(folder):  # Without a recipe, sources are relative to the working directory.
        tasks = _find_levels(recipe, output)
    return {name: replace(task, source=folder / task.source) for name, task in tasks.items()}


def _reads_outside(task: Task) -> bool:
    return task.recipe.tiled.allow_outside or task.recipe.ldtk.allow_outside


def _lines_of(error: BakeError, tree: Path, shown: str) -> tuple[str, ...]:
    """Return an error's lines, with paths as in git instead of temporary ones."""
    return tuple(str(error).replace(f"{tree}{os.sep}", shown).splitlines())


def _match_names(
    revision: _Revision, tasks: Mapping[str, Task], levels: Mapping[str, Task], folder: Path
) -> dict[str, str]:
    """Return the old name of each level in both states, by its name in the working tree.

    A level has the same name in both states, or git detects that its file was renamed.

    Args:
        revision: the commit.
        tasks: levels of the working tree by name.
        levels: levels of the revision by name.
        folder: folder of the recipe in the checkout.
    """
    old_names = {name: name for name in tasks if name in levels}
    by_source = {
        (_relative(task.source, folder), task.part): name
        for name, task in levels.items()
        if name not in tasks
    }
    renames = _find_renames(revision) if by_source else {}
    for name, task in tasks.items():
        source = renames.get(_relative(task.source, revision.folder))
        old_name = by_source.get((source, task.part)) if source is not None else None
        if name not in old_names and old_name is not None:
            old_names[name] = old_name
    return old_names


def _pair_levels(revision: _Revision, tasks: Mapping[str, Task], base: _Base) -> LevelPairs:
    """Return the pairs of levels in both states, and the names of all other levels."""
    old_names = base.old_names
    pairs = []
    for name, old_name in old_names.items():
        if old_name in base.assets:
            source = _relative(base.tasks[old_name].source, base.folder)
            origin = f"{revision.name}:{revision.prefix}{source}"
            renamed_from = old_name if old_name != name else None
            old, new = base.assets[old_name], tasks[name].asset
            pairs.append(LevelPair(name, old, new, origin, renamed_from))
    changed, unchanged = split_pairs(sorted(pairs, key=lambda pair: pair.name))
    matched = set(old_names.values())
    return LevelPairs(
        revision.name,
        changed,
        unchanged,
        added=tuple(name for name in tasks if name not in old_names),
        removed=tuple(name for name in base.tasks if name not in matched),
        skipped=tuple(name for name in old_names if old_names[name] not in base.assets),
        assets=tuple(task.asset for task in tasks.values()),
        warnings=base.warnings,
    )


def _relative(file: Path, folder: Path) -> str:
    return Path(os.path.relpath(file, folder)).as_posix()


# -- git ------------------------------------------------------------------------------------------


def _resolve(name: str, folder: Path) -> _Revision:
    """Find a commit by any of its names.

    Raises:
        QueryError: git, the repository or the commit does not exist.
    """
    prefix = _git(folder, "rev-parse", "--show-prefix").removesuffix("\n")
    try:
        if name.startswith("-"):
            raise QueryError("an option is not a name")
        commit = _git(folder, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").strip()
    except QueryError:
        raise QueryError(
            f"--base {name!r} is not a commit that git knows",
            expected="a branch, a tag or a hash",
            remedy="fetch it first; in a shallow clone: git fetch --depth 1 origin REVISION",
        ) from None
    return _Revision(name, commit, folder, prefix)


def _check_out(revision: _Revision, scratch: Path, *, whole: bool) -> None:
    """Write the files of a revision to ``scratch / "tree"``, using a separate index.

    `git archive` would omit files with the attribute export-ignore.

    Args:
        revision: the commit.
        scratch: a temporary folder.
        whole: whether to write all files of the repository instead of the recipe's folder.
    """
    folder = revision.folder
    if whole:
        folder = Path(_git(folder, "rev-parse", "--show-toplevel").removesuffix("\n"))
    index = {"GIT_INDEX_FILE": str(scratch / "index")}
    _git(folder, "-c", "core.sparseCheckout=false", "read-tree", revision.commit, **index)
    target = f"--prefix={(scratch / 'tree').as_posix()}/"
    _git(folder, "checkout-index", "--all", "--force", "--quiet", target, **index)


def _find_renames(revision: _Revision) -> dict[str, str]:
    """Return the old path of each renamed file by its new path, relative to the recipe's folder."""
    command = ("diff", "--name-status", "-z", "--find-renames", "--diff-filter=R", "--relative")
    fields = _git(revision.folder, *command, revision.commit, "--", ".").split("\0")[:-1]
    return dict(zip(fields[2::3], fields[1::3], strict=True))


def _git(folder: Path, *arguments: str, **environment: str) -> str:
    """Run git in a folder, and return its standard output.

    Raises:
        QueryError: git is not installed, or fails.
    """
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env={name: value for name, value in os.environ.items() if name not in _GIT_LOCAL}
            | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise QueryError(
            f"git cannot be started: {error.strerror or error}", remedy="install git for --base"
        ) from None
    if done.returncode:
        reasons = os.fsdecode(done.stderr).strip().splitlines() or [f"exit {done.returncode}"]
        raise QueryError(f"git {arguments[0]} failed: {reasons[-1]}", file=folder)
    return os.fsdecode(done.stdout)
