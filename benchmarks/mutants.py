"""Generate mutants of a program, small changes that its tests should notice.

Operators after DeMillo, Lipton and Sayward, "Hints on Test Data Selection" (1978), and the
sufficient set of Offutt and others (1996), as far as they suit code over integer arrays.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
#: Nodes whose types have no effect on a program.
_UNREAD = frozenset({"annotation", "returns", "decorator_list", "type_params"})


@dataclass(frozen=True)
class Mutant:
    """One change of a program: its line and its description."""

    line: int
    change: str
    source: str
    place: int
    variant: int

    def tree(self) -> ast.Module:
        """Return the changed program."""
        tree = ast.parse(self.source)
        _apply(tree, _nodes(tree)[self.place], self.variant)
        return ast.fix_missing_locations(tree)


def mutants(source: str) -> Iterator[Mutant]:
    """Return every mutant of a module's source, in the order of lines."""
    for place, node in enumerate(_nodes(ast.parse(source))):
        for variant, change in enumerate(_changes(node)):
            yield Mutant(getattr(node, "lineno", 0), change, source, place, variant)


def _nodes(tree: ast.AST) -> list[ast.AST]:
    """Yield all nodes whose change could have an effect, depth first."""
    found: list[ast.AST] = []

    def visit(node: ast.AST) -> None:
        found.append(node)
        for name, value in ast.iter_fields(node):
            if name in _UNREAD or (name == "test" and isinstance(node, ast.Assert)):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not _inert(child):
                    visit(child)

    visit(tree)
    return found


def _inert(node: ast.AST) -> bool:
    """Return whether a node has no effect: imports, docstrings, error texts, type names."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.Import | ast.ImportFrom | ast.JoinedStr | ast.Raise)


def _changes(node: ast.AST) -> list[str]:
    """Yield the changes of a single node."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _COMPARED:
            return [f"{_name(operator)} -> {_COMPARED[type(operator)].__name__}"]
        case ast.BinOp(op=operator) | ast.AugAssign(op=operator) if type(operator) in _COMPUTED:
            return [f"{_name(operator)} -> {_COMPUTED[type(operator)].__name__}"]
        case ast.BoolOp(op=operator):
            return ["and -> or" if isinstance(operator, ast.And) else "or -> and"]
        case ast.UnaryOp(op=ast.Not()):
            return ["not removed"]
        case ast.Constant(value=bool() as value):
            return [f"{value} -> {not value}"]
        case ast.Constant(value=int() as value):
            return [f"{value} -> {value + 1}", f"{value} -> {value - 1}"]
        case ast.Break():
            return ["break -> continue"]
        case ast.Continue():
            return ["continue -> break"]
        case ast.Expr() | ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
            return ["statement removed"]
        case ast.If():
            return ["if True", "if False"]
    return []


def _name(node: ast.AST) -> str:
    return type(node).__name__


def _apply(tree: ast.Module, node: ast.AST, variant: int) -> None:
    match node:
        case ast.Compare(ops=[operator]):
            node.ops = [_COMPARED[type(operator)]()]
        case ast.BinOp() | ast.AugAssign():
            node.op = _COMPUTED[type(node.op)]()
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.UnaryOp():
            _replace(tree, node, node.operand)
        case ast.Constant(value=bool() as value):
            node.value = not value
        case ast.Constant(value=int() as value):
            node.value = value + (1, -1)[variant]
        case ast.Break():
            _replace(tree, node, ast.Continue())
        case ast.Continue():
            _replace(tree, node, ast.Break())
        case ast.If():
            node.test = ast.Constant(variant == 0)
        case _:
            _replace(tree, node, ast.Pass())


def _replace(tree: ast.Module, old: ast.AST, new: ast.AST) -> None:
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, name, new)
            elif isinstance(value, list) and any(each is old for each in value):
                value[next(place for place, each in enumerate(value) if each is old)] = new
