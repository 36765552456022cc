"""Nothing that is read is ever run."""

import ast
from pathlib import Path

from tests.support.structure import PACKAGE, modules, naming, parsed

MODULES = frozenset(
    {"pickle", "cPickle", "marshal", "shelve", "dill", "joblib", "cloudpickle", "yaml", "code"}
)
CALLS = frozenset({"eval", "exec", "compile", "__import__"})


def test_no_pickle_and_no_eval() -> None:
    files = sorted(modules().values())
    assert files
    wrong = [
        f"{file.relative_to(PACKAGE.parent)}:{node.lineno}"
        for file in files
        for node in nodes_of(file)
        if runs_what_is_read(node)
    ]
    assert wrong == []


def nodes_of(file: Path) -> list[ast.AST]:
    """The syntax tree of a file that has one of the names in it; nothing of any other."""
    return [*ast.walk(parsed(file))] if naming(file, *MODULES, *CALLS, "allow_pickle") else []


def runs_what_is_read(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return any(name.name.split(".")[0] in MODULES for name in node.names)
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").split(".")[0] in MODULES
    return isinstance(node, ast.Call) and (
        (isinstance(node.func, ast.Name) and node.func.id in CALLS)
        or any(word.arg == "allow_pickle" for word in node.keywords)
    )


def test_code_that_runs_what_is_read_is_found() -> None:
    for text in ("import pickle", "from yaml import load", "eval(x)", "load(x, allow_pickle=1)"):
        assert any(map(runs_what_is_read, ast.walk(ast.parse(text)))), text
