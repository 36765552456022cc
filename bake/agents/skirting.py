"""Moved to :mod:`bake.school.skirting`."""

from typing import NoReturn


def __getattr__(name: str) -> NoReturn:
    if name.startswith("__"):
        raise AttributeError(name)
    raise ImportError("bake.agents.skirting has moved: `from bake.school import trace_obstacles`")
