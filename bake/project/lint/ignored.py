"""This module tells what a level or a recipe says to no effect: drawings, and legend entries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bake.baking import Outcome, Task
from bake.core.level import Level, Remark
from bake.core.toml import toml, toml_key
from bake.levels import format_of
from bake.project.lint.findings import Finding, Rule, severity_of
from bake.project.recipe import LevelRecipe, Recipe, Severity

#: The tables of a recipe that have entries for the levels of a format.
_TABLES: Mapping[str, tuple[str, ...]] = {
    **{"tiled": ("tiled.legend",), "ldtk": ("ldtk.legend",)},
    **dict.fromkeys(("image", "svg"), ("legend",)),
    **dict.fromkeys(("rows", "values"), ("text.legend", "text.spots")),
}


@dataclass(frozen=True)
class LeftOver:
    """What reading one level left over."""

    task: Task
    remarks: Sequence[Remark]  #: what was drawn, but does not count
    #: entries of the legend for the level's format that it has nothing for
    unmatched: Sequence[str]

    @staticmethod
    def of(task: Task, level: Level) -> LeftOver:
        return LeftOver(task, level.remarks, level.unmatched)


def ignored(read: LeftOver) -> Iterator[Finding]:
    """Yield a finding for everything that was drawn in a level, but does not count."""
    task = read.task
    for each in read.remarks:
        yield remarked(each.rule, task.recipe.lint, str(task.source), task.name, each)


def idle_entries(
    recipe: Recipe, tasks: Sequence[Task], read: Sequence[LeftOver], *, whole: bool
) -> Iterator[Finding]:
    """Yield a finding for each entry of a legend that no level has anything for.

    Args:
        recipe: with the entries of the project.
        tasks: the levels of this run. Where one was not read, it may need any entry that it has.
        read: what those that were read left over.
        whole: whether these are all levels of the project; else only entries that the recipe has
            for single levels are looked at.
    """
    if recipe.file is None:
        return
    unmatched = {each.task.name: set(each.unmatched) for each in read}
    owners: dict[tuple[str, str, str, str], list[Task]] = defaultdict(list)
    for task in tasks:
        for table in _TABLES.get(format_of(task.source) or "", ()):
            for entry, said in _entries(task.recipe, table).items():
                owner = _owner(recipe, task, table, entry, said)
                owners[table, owner, entry, said].append(task)
    for (table, owner, entry, said), those in owners.items():
        if not (whole or owner) or any(entry not in unmatched.get(t.name, ()) for t in those):
            continue
        place = f"[{f'levels.{toml_key(owner)}.' if owner else ''}{table}] {toml(entry)}"
        level = those[0].name if len(those) == 1 else ""
        which = f"the level {level}" if level else f"any of {len(those):,} levels"
        found = Remark(place, f"nothing in {which} matches this entry, so it makes no {said}")
        lint = those[0].recipe.lint if owner else recipe.defaults.lint
        yield remarked("legend", lint, str(recipe.file), level if owner else "", found)


def ignored_by_build(recipe: Recipe, outcomes: Sequence[Outcome], *, whole: bool) -> list[Finding]:
    """Return the findings about entries of levels and the recipe that have no effect.

    Notices about classes are left to `bake lint`: most maps use classes that no project defines.
    """
    read = [
        LeftOver(each.task, each.baked.remarks, each.baked.unmatched)
        for each in outcomes
        if each.baked is not None
    ]
    found = [
        finding
        for each in read
        for finding in ignored(each)
        if (finding.rule, finding.severity) != ("classes", "notice")
    ]
    tasks = [each.task for each in outcomes]
    return without_off([*found, *idle_entries(recipe, tasks, read, whole=whole)])


def without_off(findings: Iterable[Finding]) -> list[Finding]:
    """Leave out the findings of rules that the recipe turns off."""
    return [each for each in findings if each.severity != "off"]


def _owner(recipe: Recipe, task: Task, table: str, entry: str, said: str) -> str:
    """Return whose table of levels says an entry, as `Recipe.for_level` finds it; "" = nobody's.

    A level of a file of several may have a table of its own, and its file another one.
    """
    if _entries(recipe.defaults, table).get(entry) == said:
        return ""
    own = recipe.levels.get(task.name)
    of_level = own is not None and _entries(own, table).get(entry) == said
    return task.name if of_level else task.source.stem


def _entries(rules: LevelRecipe, table: str) -> Mapping[str, str]:
    return {
        "tiled.legend": rules.tiled.legend,
        "ldtk.legend": rules.ldtk.legend,
        "legend": rules.legend,
        "text.legend": rules.text.legend,
        "text.spots": rules.text.spots,
    }[table]


def remarked(
    rule: Rule, chosen: Mapping[str, Severity], file: str, level: str, found: Remark
) -> Finding:
    """Return the finding of a remark on a whole level, or on a recipe."""
    severity = severity_of(rule, chosen)
    return Finding(rule, severity, file, level, found.place, None, None, 0, found.message)
