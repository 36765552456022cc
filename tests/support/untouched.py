"""Tells whether a bake runs the code that was written, or what a test has put in its place.

All that a bake may run is remembered before any test begins: what its modules and their classes
hold, and what the modules and classes from elsewhere do that they name.
"""

from __future__ import annotations

import builtins
import importlib
import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from copy import copy
from operator import is_
from pathlib import Path
from types import ModuleType
from typing import Any

import bake
from bake.kernels import jit

#: Rooms that no bake enters.
ASIDE = {"agents", "apply", "cli", "diff", "export", "interop", "lint", "runtime", "start"}
ASIDE |= {"verify", "view", "viewer", "watch"}

#: Variables that say where something lies, which no bake goes by.
_PLACES = frozenset(["BAKE_CACHE_DIR", "BAKE_SHARED_LEVELS", "NUMBA_CACHE_DIR"])


def watched() -> Iterator[str]:
    """The names of modules that a bake may run; none is to be first seen when it was changed."""
    package = Path(bake.__file__).parent
    for file in package.rglob("*.py"):
        parts = file.relative_to(package.parent).with_suffix("").parts
        if parts[1] not in ASIDE | {"__main__", "__init__"}:
            yield ".".join(parts).removesuffix(".__init__")


def _found() -> tuple[list[Any], list[Any]]:
    """Return what is to hold the same, and what is to call the same as far as it does."""
    modules = [importlib.import_module(name) for name in sorted(watched())]
    whole: dict[int, Any] = {id(each): vars(each) for each in modules}
    parts: dict[int, Any] = {id(each): each for each in (vars(builtins), sys.modules)}
    for value in [value for module in modules for value in vars(module).values()]:
        if isinstance(value, type | ModuleType):
            name = value.__module__ if isinstance(value, type) else value.__name__
            (whole if name.startswith("bake.") else parts).setdefault(id(value), vars(value))
        elif isinstance(value, dict | list | set) and id(value) not in parts:
            whole[id(value)] = value
    for each in (sys, warnings):  # Who reports what is of no concern.
        parts.pop(id(each), None)
    return [*whole.values()], [*parts.values()]


def _asked(environment: Mapping[str, str]) -> dict[str, str]:
    """What an environment asks of a bake."""
    asked = [name for name in environment if name.startswith(("BAKE_", "NUMBA_"))]
    return {name: environment[name] for name in asked if name not in _PLACES}


def is_usual(environment: Mapping[str, str], compiled: bool) -> bool:
    """Whether a process that begins so bakes as most do, and no test has begun in it."""
    asked = _asked(environment)
    return (
        compiled and asked == {"BAKE_COMPILE": "wait"} and "PYTEST_CURRENT_TEST" not in environment
    )


def _called(space: Mapping[str, object]) -> dict[str, object]:
    return {k: v for k, v in space.items() if callable(v) or isinstance(v, ModuleType)}


_WHOLE, _PARTS = _found()
_BEFORE = [copy(dict(each) if isinstance(each, Mapping) else each) for each in _WHOLE]
_CALLED = [_called(each) for each in _PARTS]
_ASKED = _asked(os.environ)
USUAL = is_usual(os.environ, jit.COMPILED)


def untouched() -> bool:
    """Whether a bake runs what was remembered."""
    try:
        return (
            _asked(os.environ) == _ASKED
            and None not in sys.modules.values()
            and _WHOLE == _BEFORE
            and all(
                all(map(is_, map(now.get, then), then.values()))
                for now, then in zip(_PARTS, _CALLED, strict=True)
            )
        )
    except ValueError:  # Arrays differ.
        return False
