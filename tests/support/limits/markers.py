"""Read the limits that the sources mark, each beside its constant.

A marker is a comment above a constant, or behind it::

    # limit: the buffer grows; lowered by searches
    # limit: a one-line error; tests/play/live/test_links.py
    # no limit: the largest int32

The first part is what happens beyond the limit. The second one is an exercise in
:mod:`tests.support.limits.exercises`, or a file of tests that names the constant.
"""

from __future__ import annotations

import ast
import importlib
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from tests.support.structure import KERNELS, modules, parsed

#: Rooms of kernels and of what a game imports: limits are marked in all of their modules.
ROOMS = (
    *("agents", "geometry", "graph", "kernels", "levelbake", "movement"),
    *("play", "school", "search", "tables", "worlds"),
)

#: Words in a constant's name by which it bounds something.
BOUNDING = re.compile(r"(^|_)(MOST|MAX|LAST|LONGEST|LARGEST|FARTHEST|HIGHEST|MANY|ROOM|LIMIT)(_|$)")

MARKER = re.compile(r"#:? *((?:no )?limit): *(.*)", re.IGNORECASE)


@dataclass(frozen=True)
class Constant:
    """A constant of a module, and its marker."""

    module: str  #: as ``bake.core.graph``
    name: str
    line: int
    kind: str = ""  #: ``limit``, ``no limit``, or empty if it has no marker
    effect: str = ""  #: what happens beyond the limit, or why it is none
    exercise: str = ""  #: the exercise that lowers the limit
    file: str = ""  #: the file of tests that crosses the limit

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {self.name}"


def all_modules() -> dict[str, Path]:
    """Return the files of the package and of the reader by the name they are imported under."""
    return {
        name if name.partition(".")[0] == "levelbake" else f"bake.{name}": path
        for name, path in modules().items()
    }


@cache
def room_modules() -> tuple[str, ...]:
    """Return the modules of the rooms whose limits are marked."""
    return tuple(
        name for name in all_modules() if name.removeprefix("bake.").partition(".")[0] in ROOMS
    )


@cache
def constants_of(module: str) -> dict[str, Constant]:
    """Return the constants of a module by name; none if there is no such module."""
    path = all_modules().get(module)
    text = path.read_text("utf-8") if path else ""
    return {constant.name: constant for constant in read_constants(module, text)}


def read_constants(module: str, text: str) -> Iterator[Constant]:
    """Yield the constants that the text of a module assigns, in order."""
    comments = comments_of(text)
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets = [node.target]
        else:
            continue
        first, last = node.lineno, node.end_lineno or node.lineno
        while first > 1 and lines[first - 2].startswith("#"):
            first -= 1
        marker = _marker(comments[line] for line in range(first, last + 1) if line in comments)
        for name in _names(targets):
            if name.isupper():
                yield Constant(module, name, node.lineno, *marker)


def comments_of(text: str) -> dict[int, str]:
    """Return the comments of a module by line."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}


def _names(targets: Iterable[ast.expr]) -> Iterator[str]:
    for target in targets:
        if isinstance(target, ast.Tuple):
            yield from _names(target.elts)
        elif isinstance(target, ast.Name):
            yield target.id


def _marker(comments: Iterable[str]) -> tuple[str, ...]:
    """Return kind, effect, exercise and file of the first marker among some comments."""
    for comment in comments:
        if match := MARKER.fullmatch(comment):
            kind, text = match.groups()
            effect, _, test = text.rpartition("; ") if kind == "limit" else (text, "", "")
            if test.startswith("lowered by "):
                return kind, effect, test.removeprefix("lowered by "), ""
            return kind, effect, "", test
    return ()


def must_be_marked(constant: Constant) -> bool:
    """Return whether a constant is a whole number, or some, whose name says that it bounds."""
    if not BOUNDING.search(constant.name):
        return False
    return _is_whole(getattr(importlib.import_module(constant.module), constant.name))


def _is_whole(value: object) -> bool:
    if isinstance(value, tuple) and value:
        return all(_is_whole(part) for part in value)
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


@cache
def limits() -> tuple[Constant, ...]:
    """Return every constant that is marked as a limit."""
    return tuple(
        constant
        for module in all_modules()
        for constant in constants_of(module).values()
        if constant.kind == "limit"
    )


@cache
def read_by_kernels(module: str) -> frozenset[str]:
    """Return the names that kernels of a module read; compiled code has their values built in."""
    path = all_modules().get(module)
    return frozenset(
        name.id
        for node in (parsed(path).body if path else ())
        if isinstance(node, ast.FunctionDef)
        and KERNELS & {ast.unparse(decorator) for decorator in node.decorator_list}
        for name in ast.walk(node)
        if isinstance(name, ast.Name)
    )
