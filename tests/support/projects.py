"""Projects of small levels in a folder of the test's own, and their builds."""

from pathlib import Path

from bake.baking import Outcome, Task, build
from bake.core.level import TerrainRule
from bake.project.recipe import LevelRecipe, Recipe
from tests.support.baked import rows, write_graph, write_grid

#: The levels of the project that tests of the command line share.
LEVELS = ("fen", "five", "ways", "yard")


def write_project(folder: Path) -> Path:
    """Three levels and a recipe; the recipe's path."""
    sources = folder / "levels_src"
    sources.mkdir(parents=True)
    write_grid(sources / "keep.json", rows("..#.", "..#.", "...."))
    write_grid(sources / "hive.json", rows("....", ".#..", "...."), "odd-r")
    write_graph(sources / "roads.json", ["a", "b", "c"], [("a", "b", 1.5), ("b", "c", 2)])
    recipe = folder / "bake.toml"
    recipe.write_text('[terrain]\nmud = 3\nwall = "blocked"\n', encoding="utf-8")
    return recipe


def silent(level: str, stage: str, done: float) -> None:
    """A report that goes nowhere. At module level, so that it could be sent to another process."""


def run(tasks: list[Task], *, jobs: int | None = 1, force: bool = False) -> dict[str, Outcome]:
    return {each.task.name: each for each in build(tasks, jobs=jobs, force=force, report=silent)}


def statuses(outcomes: dict[str, Outcome]) -> dict[str, str]:
    return {name: outcome.status for name, outcome in sorted(outcomes.items())}


def task_for(source: Path, **settings: object) -> Task:
    rules = {"wall": TerrainRule(None)}
    recipe = LevelRecipe(terrain=rules, **settings)
    return Task(source, source.with_suffix(".h5"), recipe)


def recipe_in(folder: Path, *globs: str, levels: tuple[str, ...] = ()) -> Recipe:
    return Recipe(
        file=folder / "bake.toml",
        sources=globs or ("levels_src/*",),
        levels={name: LevelRecipe(connectivity=4) for name in levels},
    )
