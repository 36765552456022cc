"""Measure the structure of the package: its modules, their imports and their size.

``python -m tests.support.structure`` prints the figures.
"""

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parents[2] / "bake"
#: The reader, on which the package stands.
LEVELBAKE = PACKAGE.parent / "readers" / "python" / "levelbake"
#: Rooms of the package that are no part of the core.
EXTRAS = frozenset({"extras"})

_NO_CODE = frozenset(
    (
        *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
        *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
    )
)
_FSTRING_START = getattr(tokenize, "FSTRING_START", None)
_FSTRING_END = getattr(tokenize, "FSTRING_END", None)


def modules() -> dict[str, Path]:
    """Every module by its dotted name, as ``levelbake.errors``, but without ``bake.``."""
    found = {}
    for top in (PACKAGE, LEVELBAKE):
        for path in sorted(top.rglob("*.py")):
            parts = path.relative_to(top.parent).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name.removeprefix("bake.")] = path
    del found["bake"]
    return found


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file; many tests look at all of them."""
    return ast.parse(path.read_text("utf-8"))


def naming(path: Path, *names: str) -> bool:
    """Whether one of some names is anywhere in a file: a tree takes longer to look through."""
    return not set(names).isdisjoint(re.findall(r"\w+", path.read_text("utf-8")))


def _statements_in(node: ast.AST) -> Iterator[ast.AST]:
    """The statements right below one; what is inside expressions is a hundred times as much."""
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        yield from getattr(node, name, ())


def names_imported(tree: ast.AST, *, outermost: bool) -> Iterator[str]:
    """Dotted names a module imports, with what is imported from a module behind it.

    Args:
        outermost: leave out imports inside functions and those for type checkers alone: what is
            left is loaded at once.
    """
    for node in _statements_in(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
            continue
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            # `from bake.project.recipe import values` imports a module, too.
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
            continue
        if not outermost or not (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
        ):
            yield from names_imported(node, outermost=outermost)


def imports(path: Path, known: Iterable[str], *, outermost: bool = False) -> set[str]:
    """Modules of ours that a file imports: each name's own module, not its package."""
    known = known if isinstance(known, Mapping) else set(known)
    found = set()
    for name in names_imported(parsed(path), outermost=outermost):
        if name.partition(".")[0] not in {"bake", "levelbake"}:
            continue
        own = name.removeprefix("bake").removeprefix(".")
        while own and own not in known:
            own = own.rpartition(".")[0]
        if own:
            found.add(own)
    return found


def circles(below: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Sets of more than one that reach each other (R. Tarjan's strong components)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(one: str) -> None:
        number[one] = low[one] = len(number)
        stack.append(one)
        for other in below.get(one, ()):
            if other not in number:
                visit(other)
                low[one] = min(low[one], low[other])
            elif other in stack:
                low[one] = min(low[one], number[other])
        if low[one] == number[one]:
            at = stack.index(one)
            found.append(sorted(stack[at:]))
            del stack[at:]

    for one in below:
        if one not in number:
            visit(one)
    return [circle for circle in found if len(circle) > 1]


class Weight(NamedTuple):
    """How large a file or a room is."""

    code_lines: int  # lines that hold code: neither blank, nor a comment, nor a docstring
    tokens: int  # tokens of that code, which do not change with its layout
    kernels: int  # functions that numba compiles


NOTHING = Weight(0, 0, 0)

#: What marks a function as compiled.
KERNELS = frozenset({"kernel", "allocating", "inlined", "accessor", "separate"})


@cache
def weight(path: Path) -> Weight:
    """How large a file is."""
    tree = parsed(path)
    prose: set[int] = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and ast.get_docstring(node, clean=False) is not None
        ):
            first = node.body[0]
            prose.update(range(first.lineno, (first.end_lineno or 0) + 1))
    lines: set[int] = set()
    tokens = depth = 0
    for token in tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline):
        if token.type in _NO_CODE or token.start[0] in prose:
            continue
        lines.update(range(token.start[0], token.end[0] + 1))
        # An f-string is one token, as it is to the tokenizer of Python 3.11.
        tokens += depth == 0
        depth += (token.type == _FSTRING_START) - (token.type == _FSTRING_END)
    marks = [
        mark.id
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        for mark in node.decorator_list
        if isinstance(mark, ast.Name)
    ]
    return Weight(len(lines), tokens, sum(mark in KERNELS for mark in marks))


def room_weights(package: Path = PACKAGE) -> dict[str, Weight]:
    """Return the weight of each room: a folder of the package, or all modules beside them."""
    rooms: dict[str, Weight] = {}
    for path in sorted(package.rglob("*.py")):
        room, *inside = path.relative_to(package).parts
        name = room if inside else "loose modules"
        rooms[name] = total_weight((rooms.get(name, NOTHING), weight(path)))
    return rooms


def total_weight(weights: Iterable[Weight]) -> Weight:
    """Return the sum of some weights."""
    return Weight(*map(sum, zip(NOTHING, *weights, strict=True)))


def core_weight(package: Path = PACKAGE, reader: Path = LEVELBAKE) -> Weight:
    """Return the weight of the core: the package without its extras, and the reader."""
    rooms = room_weights(package)
    inside = [weight for name, weight in rooms.items() if name not in EXTRAS]
    return total_weight([*inside, *map(weight, reader.rglob("*.py"))])


def signatures(path: Path) -> dict[str, tuple[int, bool]]:
    """Return the parameter count of each function, and whether it is a kernel, by qualified name.

    Qualified names are those of ``__qualname__``: ``NextHops.paths`` is another function than
    ``paths``. A function defined more than once, as overloads are, counts with its most parameters.
    """
    found: dict[str, tuple[int, bool]] = {}

    def visit(node: ast.AST, scope: str) -> None:
        for child in _statements_in(node):
            inner = scope
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                arguments = child.args
                count = sum(
                    map(len, (arguments.posonlyargs, arguments.args, arguments.kwonlyargs))
                ) + sum(each is not None for each in (arguments.vararg, arguments.kwarg))
                marks = {_decorator(each) for each in child.decorator_list}
                name = scope + child.name
                before = found.get(name, (0, False))
                found[name] = max(before[0], count), before[1] or bool(marks & KERNELS)
                inner = f"{name}.<locals>."
            elif isinstance(child, ast.ClassDef):
                inner = f"{scope}{child.name}."
            visit(child, inner)

    visit(parsed(path), "")
    return found


def _decorator(node: ast.expr) -> str:
    """Return the last name of a decorator, whether it is called or not."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def folder_sizes(known: Mapping[str, Path]) -> Counter[str]:
    """Modules by folder; a folder's own face is not counted."""
    return Counter(
        path.parent.relative_to(PACKAGE.parent).as_posix()
        for path in known.values()
        if path.name != "__init__.py"
    )


def main() -> None:
    """Print the size of each room and of the core, cycles, full folders and long signatures."""
    known = modules()
    rooms = room_weights() | {"levelbake": total_weight(map(weight, LEVELBAKE.rglob("*.py")))}
    by_size = sorted(rooms.items(), key=lambda room: -room[1].code_lines)
    for name, (lines, tokens, kernels) in [*by_size, ("core", core_weight())]:
        print(f"{name:14} {lines:7,} lines {tokens:9,} tokens {kernels:4} kernels")
    found = circles({name: imports(path, known) - {name} for name, path in known.items()})
    print(f"{len(found)} circles of modules, typing imports counted", *found, sep="\n  ")
    print("fullest folders:", folder_sizes(known).most_common(6))
    counts = [
        (count, f"{name}.{function}", is_kernel)
        for name, path in known.items()
        for function, (count, is_kernel) in signatures(path).items()
    ]
    print("longest signatures:")
    for count, function, is_kernel in sorted(counts, reverse=True)[:12]:
        print(f"  {count:3} {function}{' (kernel)' if is_kernel else ''}")


if __name__ == "__main__":
    main()
