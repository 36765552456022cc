"""Find parts of levels and entries of legends that have no effect."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bake.baking import Outcome, Task
from bake.core.level import Level, Remark
from bake.core.toml import toml, toml_key
from bake.levels import format_of
from bake.project.lint.findings import Finding, Rule, find_severity
from bake.project.recipe import LevelRecipe, Recipe, Severity

#: The tables of a recipe with entries for levels of a format.
_TABLES: Mapping[str, tuple[str, ...]] = {
    **{"tiled": ("tiled.legend",), "ldtk": ("ldtk.legend",)},
    **dict.fromkeys(("image", "svg"), ("legend",)),
    **dict.fromkeys(("rows", "values"), ("text.legend", "text.spots")),
}


@dataclass(frozen=True)
class LeftOver:
    """Parts of a level and of its recipe that had no effect when the level was read."""

    task: Task
    remarks: Sequence[Remark]  #: remarks on ignored parts of the level
    #: entries of the legend that match nothing in the level
    unmatched: Sequence[str]

    @staticmethod
    def from_level(task: Task, level: Level) -> LeftOver:
        return LeftOver(task, level.remarks, level.unmatched)


def ignored_parts(read: LeftOver) -> Iterator[Finding]:
    """Yield a finding for each ignored part of a level."""
    task = read.task
    for remark in read.remarks:
        yield remark_finding(remark.rule, task.recipe.lint, str(task.source), task.name, remark)


def idle_entries(
    recipe: Recipe, tasks: Sequence[Task], read: Sequence[LeftOver], *, whole: bool
) -> Iterator[Finding]:
    """Yield a finding for each entry of a legend that matches nothing in any level.

    Args:
        recipe: the recipe of the project.
        tasks: the levels of this run; a level that was not read may need all of its entries.
        read: the ignored parts of the levels that were read.
        whole: whether the tasks are all levels of the project; otherwise only entries for single
            levels are checked.
    """
    if recipe.file is None:
        return
    unmatched = {left_over.task.name: set(left_over.unmatched) for left_over in read}
    owners: dict[tuple[str, str, str, str], list[Task]] = defaultdict(list)
    for task in tasks:
        for table in _TABLES.get(format_of(task.source) or "", ()):
            for entry, value in _entries(task.recipe, table).items():
                owner = _find_owner(recipe, task, table, entry, value)
                owners[table, owner, entry, value].append(task)
    for (table, owner, entry, value), owner_tasks in owners.items():
        if not (whole or owner) or any(entry not in unmatched.get(t.name, ()) for t in owner_tasks):
            continue
        place = f"[{f'levels.{toml_key(owner)}.' if owner else ''}{table}] {toml(entry)}"
        level = owner_tasks[0].name if len(owner_tasks) == 1 else ""
        which = f"the level {level}" if level else f"any of {len(owner_tasks):,} levels"
        remark = Remark(place, f"nothing in {which} matches this entry, so it makes no {value}")
        lint = owner_tasks[0].recipe.lint if owner else recipe.defaults.lint
        yield remark_finding("legend", lint, str(recipe.file), level if owner else "", remark)


def ignored_by_build(recipe: Recipe, outcomes: Sequence[Outcome], *, whole: bool) -> list[Finding]:
    """Return the findings about ignored parts of levels and unused entries of the recipe.

    Notices about classes are excluded, as most maps use classes that no project defines.
    """
    read = [
        LeftOver(outcome.task, outcome.baked.remarks, outcome.baked.unmatched)
        for outcome in outcomes
        if outcome.baked is not None
    ]
    findings = [
        finding
        for left_over in read
        for finding in ignored_parts(left_over)
        if (finding.rule, finding.severity) != ("classes", "notice")
    ]
    tasks = [outcome.task for outcome in outcomes]
    return remove_disabled([*findings, *idle_entries(recipe, tasks, read, whole=whole)])


def remove_disabled(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings of rules that are not turned off."""
    return [finding for finding in findings if finding.severity != "off"]


def _find_owner(recipe: Recipe, task: Task, table: str, entry: str, value: str) -> str:
    """Return the name of the level table that sets an entry, or "" for the whole recipe.

    Like `Recipe.for_level`, this considers the tables of a level and of its file.
    """
    if _entries(recipe.defaults, table).get(entry) == value:
        return ""
    level_table = recipe.levels.get(task.name)
    of_level = level_table is not None and _entries(level_table, table).get(entry) == value
    return task.name if of_level else task.source.stem


def _entries(rules: LevelRecipe, table: str) -> Mapping[str, str]:
    return {
        "tiled.legend": rules.tiled.legend,
        "ldtk.legend": rules.ldtk.legend,
        "legend": rules.legend,
        "text.legend": rules.text.legend,
        "text.spots": rules.text.spots,
    }[table]


def remark_finding(
    rule: Rule, chosen: Mapping[str, Severity], file: str, level: str, remark: Remark
) -> Finding:
    """Convert a remark on a level or a recipe to a finding."""
    severity = find_severity(rule, chosen)
    return Finding(rule, severity, file, level, remark.place, None, None, 0, remark.message)
