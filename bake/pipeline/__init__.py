"""This package bakes sources into assets."""

from bake.pipeline.flat import reasons_to_export
from bake.pipeline.run import Outcome, build
from bake.pipeline.sources import Task, find_tasks
from bake.pipeline.staleness import judge, reasons_to_bake

__all__ = [
    "Outcome",
    "Task",
    "build",
    "find_tasks",
    "judge",
    "reasons_to_bake",
    "reasons_to_export",
]
