"""Numbers that modules name, and which of them are no limits: found in the sources themselves."""

from __future__ import annotations

import ast
import importlib
import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

BAKE = Path(__file__).parents[3] / "bake"
READERS = BAKE.parent / "readers" / "python"

#: Where kernels and what a game imports lie.
ROOMS = (
    "agents",
    "geometry",
    "graph",
    "kernels",
    "movement",
    "play",
    "school",
    "search",
    "tables",
    "worlds",
)

#: Names that say by themselves that something is bounded; no rule below takes them out.
BOUNDING = re.compile(r"_?(MOST|MAX|LAST|LONGEST|FEWEST|ROOM|ENTRIES|SLOTS)(_|$)")


@dataclass(frozen=True)
class Constant:
    """A name for a number.

    Attributes:
        line: where it is.
        group: all that one comment is about, or one assignment of several, in order.
        text: the expression as it is written.
        node: the same, parsed.
        value: what it comes to.
    """

    line: int
    group: tuple[str, ...]
    text: str
    node: ast.expr
    value: object


def qualified(module: str) -> str:
    """The dotted name of a module as the table calls it: those of bake without ``bake.``."""
    return module if module.startswith("levelbake.") else f"bake.{module}"


def _text(module: str) -> str:
    place = READERS if module.startswith("levelbake.") else BAKE.parent
    path = place.joinpath(*module.split(".")).with_suffix(".py")
    if not path.exists():
        path = path.with_suffix("") / "__init__.py"
    return path.read_text("utf-8") if path.exists() else ""


@cache
def constants_of(module: str) -> dict[str, Constant]:
    """The module-level constants of a module, by name."""
    text = _text(module)
    if not text:
        return {}
    lines, found, group = text.splitlines(), dict[str, Constant](), list[str]()
    home = importlib.import_module(module)
    for node in ast.parse(text).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.AnnAssign):
            target = node.target
        if target is None:
            continue
        each = target.elts if isinstance(target, ast.Tuple) else [target]
        names = [one.id for one in each if isinstance(one, ast.Name) and one.id.isupper()]
        if not names or node.value is None:
            continue
        before = lines[node.lineno - 2]
        if not before.strip() or before.startswith("#") or len(each) > 1:
            group = []
        group += names
        written = ast.get_source_segment(text, node.value) or ""
        for name in names:
            found[name] = Constant(node.lineno, (), written, node.value, getattr(home, name))
        for name in group:
            found[name] = replace(found[name], group=tuple(group))
        if len(each) > 1:
            group = []
    return found


@cache
def read_by_kernels(module: str) -> frozenset[str]:
    """The names that kernels of a module read, and have built in once they are compiled."""
    kinds = {"kernel", "allocating", "inlined", "accessor", "separate"}
    return frozenset(
        each.id
        for node in ast.parse(_text(module)).body
        if isinstance(node, ast.FunctionDef)
        and kinds & {ast.unparse(one) for one in node.decorator_list}
        for each in ast.walk(node)
        if isinstance(each, ast.Name)
    )


def modules() -> list[str]:
    """The modules of the rooms."""
    files = [file for room in ROOMS for file in sorted((BAKE / room).rglob("*.py"))]
    files += [BAKE / f"{room}.py" for room in ROOMS if (BAKE / f"{room}.py").exists()]
    ours = [".".join(file.relative_to(BAKE.parent).with_suffix("").parts) for file in files]
    # Tests of the reader lower the limits of its other modules.
    return [*ours, "levelbake.steps"]


def is_whole(value: object) -> bool:
    """Whether a constant is a whole number, or made of some."""
    if isinstance(value, tuple) and value:
        return all(is_whole(each) for each in value)
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_no_limit(name: str, constants: dict[str, Constant]) -> bool:
    """Whether a rule says that a number bounds nothing."""
    constant = constants[name]
    if BOUNDING.match(name):
        return False
    return (
        _is_listed(constant, constants)
        or _stands_for_something(constant)
        or _follows_from_others(constant.node)
        or _says_how_many_bytes(name)
    )


def _is_listed(constant: Constant, constants: dict[str, Constant]) -> bool:
    """Kinds, columns and answers: numbers in a row from 0, 1 or 2 on, bits, or nested tuples."""
    if isinstance(constant.value, tuple):
        return True
    values = [constants[name].value for name in constant.group]
    numbers = sorted(int(value) for value in values if is_whole(value))
    in_a_row = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    bits = numbers == [1 << place for place in range(len(numbers))]
    return len(numbers) > 1 and numbers[0] <= 2 and (in_a_row or bits)


def _stands_for_something(constant: Constant) -> bool:
    """Answers that are no number (-1), sets of bits, and ends of number types."""
    value = constant.value
    if isinstance(value, int | np.integer) and (value <= 0 or value >= 2**31 - 1):
        return True
    return " << " in constant.text or constant.text.startswith(("0b", "0x"))


def _follows_from_others(node: ast.expr) -> bool:
    names = [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]
    return any(name.isupper() for name in names)


def _says_how_many_bytes(name: str) -> bool:
    """What things take, by which memory is planned; whoever plans too little is told by tests."""
    return bool(re.search(r"_BYTES(_|$)|^_BYTES_", name))
