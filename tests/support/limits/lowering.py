"""Set a constant to another value, in every module that imported it, while an exercise runs."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from types import ModuleType
from unittest.mock import patch

from bake.core.kernels.jit import Kernel
from bake.search.all_pairs.follow import look_up_rows
from tests.support.limits.markers import constants_of, read_by_kernels, room_modules


@contextmanager
def lowered(module: str, names: Sequence[str], values: Sequence[int]) -> Iterator[None]:
    """Set constants of a module to other values.

    A constant of two numbers takes two values.
    """
    assert not (isinstance(look_up_rows, Kernel) and is_built_in(module, names)), names
    home = importlib.import_module(module)
    with ExitStack() as stack:
        for name, value in zip(names, _by_name(home, names, values), strict=True):
            for holder in _holders(home, name):
                stack.enter_context(patch.object(holder, name, value))
        yield


def is_built_in(module: str, names: Sequence[str]) -> bool:
    """Whether a kernel reads one of some constants, so that compiled code does not follow it."""
    home = importlib.import_module(module)
    return any(
        name in read_by_kernels(each.__name__) for name in names for each in _holders(home, name)
    )


def _by_name(home: ModuleType, names: Sequence[str], values: Sequence[int]) -> Sequence[object]:
    if len(names) == 1 and isinstance(getattr(home, names[0]), tuple):
        return (tuple(values),)
    return values


@cache
def _holders(home: ModuleType, name: str) -> list[ModuleType]:
    """Return the module, and all that took the name from there."""
    _load_all()
    real = getattr(home, name)
    others = [
        module
        for key, module in sys.modules.items()
        if key.startswith(("bake.", "levelbake."))
        and vars(module).get(name) is real
        and module is not home
    ]
    # Small numbers are one object wherever they are written, so the name's origin has to tell.
    return [home, *(each for each in others if not _defines(each, name))]


@cache
def _load_all() -> None:
    """Load what is imported late, too, as it would take a lowered value and keep it."""
    for module in room_modules():
        importlib.import_module(module)


def _defines(module: ModuleType, name: str) -> bool:
    return name in constants_of(module.__name__)
