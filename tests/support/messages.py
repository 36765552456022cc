"""Find tests that compare a whole sentence of an error, where a key word would do.

``python -m tests.support.messages`` lists them. Sentences are reworded; the type of an error, its
place and what was found are what callers rely on.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]

#: Words of a message that a test may expect, not counting names, numbers and places.
MOST_WORDS = 4

#: Quoted names, and what stands in brackets or parentheses.
_NAMES = re.compile(r"""(?<!\w)'[^']*'|"[^"]*"|\[[^\]]*\]|\([^)]*\)""")
#: A plain word; not a part of an option, a path, a key or a regular expression.
_WORD = re.compile(r"(?<![\w./\\-])[A-Za-z]+(?![\w/(=]|\.\w)")


def long_patterns(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each sentence that a module expects of an error.

    These are patterns of ``match=`` and what is looked for in ``str(error)``. A name stands for the
    values that ``pytest.mark.parametrize`` gives it.
    """
    tree = ast.parse(text)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            patterns = [text for node in ast.walk(function) for text in _expected(node)]
            names = {node.id for one in patterns for node in ast.walk(one) if _is_name(node)}
            for value in (*patterns, *_parameters(function, names)):
                pattern = _text(value)
                if max(map(_words, pattern.split("|"))) > MOST_WORDS:
                    yield value.lineno, pattern


def _expected(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Call(keywords=keywords):
            return [keyword.value for keyword in keywords if keyword.arg == "match"]
        case ast.Compare(
            left=text,
            ops=[ast.In()],
            comparators=[ast.Call(func=ast.Name(id="str"))],
        ):
            return [text]
    return []


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name)


def _words(pattern: str) -> int:
    return len(_WORD.findall(_NAMES.sub("", pattern)))


def _text(node: ast.expr) -> str:
    """Return the text of a literal, with ``{}`` for each value in it; empty for anything else."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_text(part) or "{}" for part in parts)
        case ast.BinOp(left=left, right=right):
            return _text(left) + _text(right)
        case ast.Call(args=[first, *_]):  # re.escape
            return _text(first)
    return ""


def _parameters(function: ast.FunctionDef, names: set[str]) -> Iterator[ast.expr]:
    """Yield the values that parametrize gives some arguments of a test."""
    for decorator in function.decorator_list:
        match decorator:
            case ast.Call(func=ast.Attribute(attr="parametrize"), args=[given, values, *_]):
                arguments = _arguments(given)
                rows = getattr(values, "elts", [])
                for row in rows:
                    cells = row.elts if len(arguments) > 1 and isinstance(row, ast.Tuple) else [row]
                    for argument, cell in zip(arguments, cells, strict=False):
                        if argument in names:
                            yield cell


def _arguments(given: ast.expr) -> list[str]:
    if isinstance(given, ast.Constant):
        return [name.strip() for name in str(given.value).split(",")]
    return [_text(name) for name in getattr(given, "elts", [])]


def main() -> None:
    """Print each long pattern with its file and line."""
    for path in sorted(TESTS.rglob("*.py")):
        for line, pattern in long_patterns(path.read_text("utf-8")):
            print(f"{path.relative_to(TESTS.parent)}:{line}: {pattern}")


if __name__ == "__main__":
    main()
