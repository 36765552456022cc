"""Nothing that is read is ever run."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "bake"
MODULES = frozenset(
    {"pickle", "cPickle", "marshal", "shelve", "dill", "joblib", "cloudpickle", "yaml", "code"}
)
CALLS = frozenset({"eval", "exec", "compile", "__import__"})


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: file.stem)
def test_no_pickle_and_no_eval(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            assert not {name.name.split(".")[0] for name in node.names} & MODULES
        elif isinstance(node, ast.ImportFrom):
            assert (node.module or "").split(".")[0] not in MODULES
        elif isinstance(node, ast.Call):
            assert not (isinstance(node.func, ast.Name) and node.func.id in CALLS)
            assert all(word.arg != "allow_pickle" for word in node.keywords)
