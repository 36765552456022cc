"""Imports go down the layers, never up, and heavy packages stay where they belong."""

import ast
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "bake"

#: What each part may import of the package, whether at once or inside a function.
MAY_IMPORT: dict[str, frozenset[str]] = {
    name: frozenset(allowed.split())
    for name, allowed in {
        "arrays": "",
        "errors": "",
        "processors": "",
        "graph": "",
        "movement": "errors graph",
        "level": "movement",
        "greedy": "graph",
        "kernels": "graph",
        "search": "errors graph greedy kernels",
        "levels": "errors graph level movement",
        "worlds": "errors graph level movement search",
        "tables": "errors graph greedy search",
        "asset": "errors graph processors",
        "verify": "asset errors graph kernels processors",
        "runtime": "asset errors graph greedy kernels movement search",
        "recipe": "errors graph level levels movement",
        "pipeline": "asset errors graph greedy level levels movement "
        "processors recipe search tables worlds",
        "diff": "asset errors graph runtime",
        "view": "asset diff errors graph level levels lint movement pipeline recipe runtime",
        "lint": "errors graph level movement pipeline recipe search worlds",
        "interop": "asset errors graph runtime",
        "apply": "asset errors graph level movement pipeline recipe runtime worlds",
        "__main__": "cli",
        "cli": "*",
    }.items()
}

#: The only files a package may be imported in.
CONFINED: dict[str, tuple[str, ...]] = {
    "typer": ("cli*",),
    "rich": ("cli*", "view/*"),
    "PIL": ("levels/image*", "view/*"),
    "networkx": ("interop.py",),
    # Verifying must share no code with baking, so it asks scipy.
    "scipy": ("interop.py", "verify/*"),
    "h5py": ("asset/*",),
    "pydantic": ("levels/*", "recipe*"),
    "pydantic_core": ("levels/*", "recipe*"),
    "numba": ("kernels/jit.py",),
}

#: Parts that are imported only inside functions, so that a game's start does not pay for them.
LAZY = {"runtime": {"kernels", "search"}}


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def imports(tree: ast.AST, *, outermost: bool) -> Iterator[str]:
    """Dotted names a module imports; those for type checkers alone are left out.

    Args:
        outermost: leave out imports inside functions, too.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
            continue
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            module = node.module or ""
            # `from bake.recipe import values` imports a module, too.
            yield from (f"{module}.{alias.name}" for alias in node.names)
            continue
        for_checkers = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if not (for_checkers or (outermost and inside)):
            yield from imports(node, outermost=outermost)


def part_of(module: str) -> str:
    """The part of the package a file or dotted name belongs to."""
    return module.removesuffix(".py").split(".")[0]


def parts_imported(path: Path, *, outermost: bool) -> set[str]:
    found = imports(ast.parse(path.read_text("utf-8")), outermost=outermost)
    return {part_of(name.removeprefix("bake.")) for name in found if name.startswith("bake.")}


def place(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def test_the_package_is_found() -> None:
    assert "search/all_pairs/batch.py" in {place(path) for path in sources()}


@pytest.mark.parametrize("path", sources(), ids=place)
def test_layers(path: Path) -> None:
    own = part_of(place(path).split("/")[0])
    if own == "__init__":
        assert not parts_imported(path, outermost=False)
        return
    assert own in MAY_IMPORT, f"{own} has no place among the layers: give it one here"
    allowed = MAY_IMPORT[own] | {own, "arrays"}
    if "*" in allowed:
        return
    wrong = parts_imported(path, outermost=False) - allowed
    assert not wrong, f"{place(path)} may not import {', '.join(sorted(wrong))}"


@pytest.mark.parametrize("path", sources(), ids=place)
def test_packages_stay_where_they_belong(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    for name in {name.split(".")[0] for name in imports(tree, outermost=False)}:
        homes = CONFINED.get(name)
        if homes is not None:
            assert any(fnmatch(place(path), home) for home in homes), f"{name} in {place(path)}"


@pytest.mark.parametrize("path", sources(), ids=place)
def test_lazy_parts(path: Path) -> None:
    own = part_of(place(path).split("/")[0])
    assert not parts_imported(path, outermost=True) & LAZY.get(own, set())


@pytest.mark.parametrize("path", sources(), ids=place)
def test_a_game_needs_numpy_and_h5py_alone(path: Path) -> None:
    """What the reader consists of imports nothing else at once; functions may."""
    if part_of(place(path).split("/")[0]) not in (
        "arrays",
        "errors",
        "graph",
        "greedy",
        "movement",
        "asset",
        "runtime",
    ):
        return
    names = imports(ast.parse(path.read_text("utf-8")), outermost=True)
    allowed = {*sys.stdlib_module_names, "bake", "numpy", "h5py"}
    assert {name.split(".")[0] for name in names} <= allowed


@pytest.mark.parametrize("name", ["networkx", "scipy"])
def test_interop_imports_inside_functions(name: str) -> None:
    tree = ast.parse((PACKAGE / "interop.py").read_text("utf-8"))
    assert name not in {each.split(".")[0] for each in imports(tree, outermost=True)}
    assert name in {each.split(".")[0] for each in imports(tree, outermost=False)}


def test_the_layers_have_no_cycle() -> None:
    below: dict[str, set[str]] = {}

    def reach(part: str, above: tuple[str, ...]) -> set[str]:
        assert part not in above, f"{part} stands above itself"
        if part not in below:
            allowed = MAY_IMPORT[part] - {"*"}
            below[part] = allowed.union(*(reach(other, (*above, part)) for other in allowed))
        return below[part]

    for part in MAY_IMPORT:
        reach(part, ())
    for sibling in ("levels", "worlds", "tables"):
        assert not below[sibling] & {"levels", "worlds", "tables"}
    assert below["runtime"] == {
        *("asset", "errors", "graph", "greedy", "kernels", "movement", "processors", "search")
    }
    # What verifies tables must not share what they were made with.
    assert below["asset"] == {"errors", "graph", "processors"}


def test_the_reader_of_imports_reads_them() -> None:
    """Else the tests above would prove nothing."""
    tree = ast.parse(
        "import numpy as np\n"
        "from bake.graph import Graph\n"
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from bake.cli import main\n"
        "class A:\n    def f(self):\n        import numba\n        from bake import recipe\n"
    )
    assert set(imports(tree, outermost=False)) == {
        "numpy",
        "bake.graph.Graph",
        "typing.TYPE_CHECKING",
        "numba",
        "bake.recipe",
    }
    assert "numba" not in set(imports(tree, outermost=True))
