"""The mutants of a module: each is its syntax tree with one small fault.

    a < b → a <= b      a == b → a != b      a and b → a or b      not a → a      if a → if not a
    a + b → a - b       7 → 8                True → False          call() → pass  raise … → pass
    continue → break    for x in y if z → for x in y

Left out is what no test should look at: docstrings, annotations, decorators, `__all__`, words of errors.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

__all__ = ["Mutant", "mutants_of"]

_COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_COMPUTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
_LEFT_OUT = ("annotation", "returns", "decorator_list", "type_params")
_OWN_TEST = (ast.Compare, ast.BoolOp)


@dataclass(frozen=True)
class Mutant:
    """One fault: `apply` puts it into the tree that it was found in."""

    line: int
    where: str
    before: str
    after: str
    apply: Callable[[], None]

    @property
    def name(self) -> str:
        """The same as long as the code around it is."""
        return f"{self.where}: {self.before} → {self.after}"


def mutants_of(tree: ast.Module) -> list[Mutant]:
    """All of them, in the order of the text."""
    return list(_inside(tree, ""))


def _inside(node: ast.AST, where: str) -> Iterator[Mutant]:
    if isinstance(node, ast.Raise) or _is_left_out(node):
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        where = f"{where}.{node.name}" if where else node.name
    for field, value in ast.iter_fields(node):
        if field in _LEFT_OUT:
            continue
        values = value if isinstance(value, list) else [value]
        for number, inner in enumerate(values):
            if not isinstance(inner, ast.AST):
                continue
            for other in _others(inner, field):
                change = _setter(node, field, number if isinstance(value, list) else None, other)
                yield Mutant(_line(inner, node), where, _words(inner), _words(other), change)
            yield from _inside(inner, where)
    if isinstance(node, ast.comprehension) and node.ifs:
        dropped = f"if {_words(node.ifs[0])}"
        yield Mutant(_line(node.ifs[0], node), where, dropped, "(nothing)", lambda: node.ifs.pop(0))


def _is_left_out(node: ast.AST) -> bool:
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Import() | ast.ImportFrom() | ast.JoinedStr():
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]) | ast.Expr(value=ast.Constant()):
            return True
    return False


def _others(node: ast.AST, field: str) -> Iterator[ast.AST]:
    """What may stand in the place of a node."""
    yield from _other_operators(node)
    yield from _other_values(node)
    if field == "test" and not isinstance(node, _OWN_TEST) and not _is_not(node):
        yield ast.UnaryOp(ast.Not(), node)


def _other_operators(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(ops=[op]) if type(op) in _COMPARED:
            yield ast.Compare(node.left, [_COMPARED[type(op)]()], node.comparators)
        case ast.BoolOp():
            yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.BinOp() if type(node.op) in _COMPUTED and not (_is_text(node.left) or _is_text(node.right)):
            yield ast.BinOp(node.left, _COMPUTED[type(node.op)](), node.right)
        case ast.AugAssign() if type(node.op) in _COMPUTED:
            yield ast.AugAssign(node.target, _COMPUTED[type(node.op)](), node.value)


def _other_values(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int()):
            yield ast.Constant(node.value + 1)
        case ast.Expr(value=ast.Call() | ast.Await()) | ast.Raise():
            yield ast.Pass()
        case ast.Continue():
            yield ast.Break()
        case ast.Break():
            yield ast.Continue()


def _is_not(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _setter(owner: ast.AST, field: str, number: int | None, value: ast.AST) -> Callable[[], None]:
    def change() -> None:
        if number is None:
            setattr(owner, field, value)
        else:
            getattr(owner, field)[number] = value

    return change


def _line(node: ast.AST, owner: ast.AST) -> int:
    return getattr(node, "lineno", None) or getattr(owner, "lineno", 0)


def _words(node: ast.AST) -> str:
    text = " ".join(ast.unparse(ast.fix_missing_locations(node)).split())
    return text if len(text) <= 100 else f"{text[:97]}…"
