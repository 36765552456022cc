"""Linting the levels a build would bake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bake.errors import BakeError, BakeErrors
from bake.level import GridLevel, Level
from bake.lint.findings import RULES, Finding, severity_of
from bake.lint.level_checks import LevelLinter
from bake.pipeline.level import read_level, read_world
from bake.pipeline.sources import Task
from bake.recipe import SETTING_NAMES, Recipe

_IMAGES = {".png", ".bmp", ".gif", ".tga", ".tif", ".tiff", ".webp"}


def lint(tasks: Sequence[Task], recipe: Recipe, *, every_profile: bool = True) -> list[Finding]:
    """Find what is likely wrong.

    Args:
        tasks: the levels.
        recipe: whose keys are looked at, too.
        every_profile: whether the tasks have all of their recipes' profiles.

    Returns:
        The findings, level by level, by rule, then by profile. A level that cannot be baked at all
        has a finding for every mistake, and no other.
    """
    found: list[Finding] = []
    drawn: dict[str, Level] = {}
    for task in tasks:
        try:
            level = read_level(task)
            drawn[task.name] = level
            world, _, profiles = read_world(level, task.recipe, strict_links=False)
        except BakeError as error:
            found += _mistakes(task, error)
            continue
        linter = LevelLinter(world, profiles, task.recipe.lint)
        if not every_profile:
            linter.unknown_profiles_are_fine = True
        mine = list(linter.findings())
        found += sorted(mine, key=lambda each: (RULES.index(each.rule), each.profile or ""))
    found += [each for each in _recipe(tasks, recipe, drawn) if each.severity != "off"]
    return found


def _mistakes(task: Task, error: BakeError) -> Iterator[Finding]:
    problems = error.problems if isinstance(error, BakeErrors) else (error,)
    for problem in problems:
        told = "; ".join(
            part
            for part in (
                problem.found,
                problem.expected and f"expected {problem.expected}",
                problem.remedy,
            )
            if part
        )
        file = str(problem.file or task.source)
        yield Finding("level", "error", file, task.name, problem.place, None, None, 0, told)


def _recipe(tasks: Sequence[Task], recipe: Recipe, levels: dict[str, Level]) -> Iterator[Finding]:
    """Keys that became terrain by accident, and colours nothing is drawn in."""
    if recipe.file is None:
        return
    chosen, file = recipe.defaults.lint, str(recipe.file)
    terrains = {name for level in levels.values() for name in level.terrains}
    for name in sorted(set(recipe.defaults.terrain) & SETTING_NAMES - terrains):
        yield Finding(
            "recipe",
            severity_of("recipe", chosen),
            file,
            "",
            f"[terrain] {name}",
            None,
            None,
            0,
            f"{name} is taken for the name of a terrain; write it above the first [table]",
        )
    images = [task for task in tasks if task.source.suffix.lower() in _IMAGES]
    if len(images) != len(tasks) and not images:
        return
    used = {
        level.terrains[code]
        for task in images
        if isinstance(level := levels.get(task.name), GridLevel)
        for code in set(level.terrain.ravel().tolist())
    }
    for colour, name in recipe.defaults.legend.items():
        if name not in used:
            yield Finding(
                "legend",
                severity_of("legend", chosen),
                file,
                "",
                f"[legend] {colour}",
                None,
                None,
                0,
                f"no image of these levels has a pixel that is {name!r}",
            )
