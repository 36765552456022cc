"""The build: find levels, bake stale ones, and write their assets."""

from bake.baking.flat import reasons_to_export
from bake.baking.run import Outcome, build
from bake.baking.sources import Task, find_tasks
from bake.baking.staleness import judge, reasons_to_bake

__all__ = [
    "Outcome",
    "Task",
    "build",
    "find_tasks",
    "judge",
    "reasons_to_bake",
    "reasons_to_export",
]
