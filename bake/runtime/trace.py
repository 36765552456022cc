"""Moved to :mod:`bake.school.trace_file`."""

from typing import NoReturn


def __getattr__(name: str) -> NoReturn:
    if name.startswith("__"):
        raise AttributeError(name)
    raise ImportError("bake.runtime.trace has moved: `from bake.school import trace_search`")
