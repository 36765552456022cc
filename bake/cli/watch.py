"""The command that bakes levels while you edit them: watch."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bake.cli import mistakes
from bake.cli.options import (
    Jobs,
    Json,
    Output,
    Profile,
    Quiet,
    RecipeFile,
    Sources,
    print_json,
    progress_for,
    recipe_file,
    report_recipe,
    say,
    tasks_of,
    tell,
)
from bake.cli.view import Browser, Port, serve
from bake.core.interrupts import interrupts_stop

if TYPE_CHECKING:
    from bake.baking import Outcome, Task
    from bake.project.watch.levels import News
    from bake.show.viewer.server import ViewerServer


def watch(
    sources: Sources = None,
    output: Output = None,
    recipe: RecipeFile = None,
    jobs: Jobs = None,
    view: Annotated[
        bool, typer.Option("--view", help="Show the levels in a browser, updated after each bake.")
    ] = False,
    port: Port = None,
    browser: Browser = True,
    profile: Profile = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Bake levels again whenever their files change.

    Levels that are not up to date are baked first. Press Ctrl-C to stop.
    """
    from bake.project.watch.levels import Watch, warm_up

    if port is not None and not view:
        raise typer.BadParameter("--port goes with --view")
    report_recipe(recipe, silent=quiet or as_json)
    levels = _Levels(sources, output, recipe, profile)
    tasks = levels.find()
    printer = _Printer(quiet=quiet, as_json=as_json)
    outcomes = printer.build(tasks, jobs)
    following = Watch(levels.find, levels.folders, jobs)
    with interrupts_stop(following.stop_if_idle), ExitStack() as ending:
        following.begin(outcomes)
        threading.Thread(target=warm_up, args=(tasks,), daemon=True).start()
        server = None
        if view:
            server = _served(tasks[0].asset.parent, port, outcomes)
            serve(server, open_browser=browser, as_json=as_json)
            ending.callback(server.close)
        if not (quiet or as_json):
            say(f"watching {mistakes.counted(len(tasks), 'level')}; Ctrl-C ends it")
        sys.stdout.flush()
        for news in following.follow():
            printer.print(news)
            if server is not None:
                server.levels.tell(news.level, None if news.error is None else str(news.error))


class _Levels:
    """The levels to watch; each call reads the recipe again."""

    def __init__(
        self,
        sources: list[Path] | None,
        output: Path | None,
        recipe: Path | None,
        profile: str | None,
    ) -> None:
        self._sources, self._output = sources, output
        self._recipe, self._profile = recipe, profile

    def find(self) -> list[Task]:
        return tasks_of(self._sources, self._output, self._recipe, self._profile)

    def folders(self) -> Sequence[Path]:
        """Return the folders in which level files or a recipe may appear."""
        from bake.baking.sources import source_folders
        from bake.project.recipe import load_recipe

        file = recipe_file(self._recipe)
        folders = source_folders(load_recipe(file), self._sources or [])
        recipes = [Path()] if file is None else [file.parent]
        if self._recipe is None:  # A recipe created in this folder would take precedence.
            recipes.append(Path())
        return list(dict.fromkeys([*folders, *recipes]))


class _Printer:
    """Prints each event on one line, as text or as JSON."""

    def __init__(self, *, quiet: bool, as_json: bool) -> None:
        self._quiet, self._as_json = quiet, as_json

    def build(self, tasks: Sequence[Task], jobs: int | None) -> list[Outcome]:
        """Bake the stale levels and print the results."""
        from bake import baking as pipeline
        from bake.project.watch.levels import news_of

        outcomes = []
        with progress_for(silent=self._quiet or self._as_json, lines=False) as progress:
            for outcome in pipeline.build(tasks, jobs=jobs, force=False, report=progress):
                progress.finished(outcome.task.name)
                outcomes.append(outcome)
                if outcome.status != "fresh" or outcome.flat is not None:
                    self.print(news_of(outcome))
        return outcomes

    def print(self, news: News) -> None:
        if self._as_json:
            print_json(_data(news), indent=None)
            sys.stdout.flush()
        elif not self._quiet and (text := _describe(news)):
            say(f"{time.strftime('%H:%M:%S')} {news.level or 'recipe'}: {text}")
            sys.stdout.flush()
        if news.error is not None:
            tell(news.error)


def _describe(news: News) -> str:
    """Return the text of an event's line; "" if an error is printed instead."""
    from bake.show.report import line_of

    outcome = news.outcome
    if news.happened == "fresh":
        return "as it was baked again" if news.level else "right again"
    if news.happened == "gone":
        is_left = news.asset is not None and news.asset.exists()
        return "its level file is gone" + (f"; {news.asset} is left" if is_left else "")
    if outcome is None or outcome.error is not None:
        return ""
    if outcome.baked is None:
        return f"its flat file is written, {mistakes.in_units(outcome.flat or 0)}"
    return line_of(outcome)


def _data(news: News) -> dict[str, Any]:
    from bake.show.report import data_of

    data: dict[str, Any] = {"level": news.level, "status": news.happened}
    if news.asset is not None:
        data["asset"] = news.asset
    if news.error is not None:
        data["error"] = news.error
    if news.outcome is not None:
        data |= data_of(news.outcome) | {"status": news.happened}
    return data


def _served(folder: Path, port: int | None, outcomes: Sequence[Outcome]) -> ViewerServer:
    from bake.show.viewer.served import ServedLevels
    from bake.show.viewer.server import ViewerServer
    from bake.store.partial import make_folder

    make_folder(folder, "the output folder")  # A failed build removes it.
    levels = ServedLevels(folder)
    for outcome in outcomes:
        if outcome.error is not None:
            levels.tell(outcome.task.name, str(outcome.error))
    return ViewerServer(levels, port or 0)
