"""What is made of the rows: the table of rows and of schemas, the typed stub of their functions, their names.

A row is a function under `@question(…)` in a file of `questions` or `jobs`; a schema is a constant made by
`Schema(…)` anywhere in the package. Both are found in the text of the sources: nothing is listed by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

from holdfast.questions.rows.parameters import python_signature
from holdfast.questions.rows.question import QuestionRow

__all__ = ["coroutines", "public_names", "row_stub", "row_table"]

_ROOT = Path(__file__).parents[1] / "src" / "holdfast"
_ROW = re.compile(r"^@question\((?:[^()]|\([^()]*\))*\)\ndef (\w+)\(", re.MULTILINE)
_SCHEMA = re.compile(r'^([A-Z_]+): Final = Schema\(\s*"([a-z_-]+)"', re.MULTILINE)
_JOB = re.compile(r"^@(\w+)\.job\n(?:async )?def (\w+)", re.MULTILINE)
_LIST = re.compile(r"( +# Rows, made by `make docs`\.\n).*?( +# End of the rows\.\n)", re.DOTALL)
_HEAD = '''"""Every row and every published JSON, by name. Made by `make docs` from the sources: do not edit.

A module is imported when its row or its schema is asked for: a command pays for its own alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from holdfast.core.base.json_shape import Schema
    from holdfast.questions.rows.question import QuestionRow

'''
_TAIL = '''"""Which module defines which schemas, besides those of rows."""

_MODULES: Final = {name: module for module, names in HOMES.items() for name in names}


def question_named(name: str) -> QuestionRow[..., Any]:
    """A row by its name."""
    module = import_module(f"holdfast.{ROWS[name]}")
    found: QuestionRow[..., Any] = getattr(module, name.replace("-", "_"))
    return found


def schema_of(name: str) -> Schema:
    """A schema by its name."""
    if name in ROWS:
        return question_named(name).schema()
    module = import_module(f"holdfast.{_MODULES[name]}")
    schema: Schema = getattr(module, name.upper().replace("-", "_"))
    return schema


def all_schemas() -> Iterator[Schema]:
    """All of them, by name."""
    return map(schema_of, sorted([*ROWS, *_MODULES]))
'''
_STUB = '''"""The rows as functions, for type checkers. Made by `make docs` from the rows: do not edit."""

from datetime import date, datetime
from os import PathLike
from typing import Unpack

'''
_GIVEN = "faces.library.given_settings import GivenSettings"
_ANSWER = "questions.rows.question import StoreAnswers"


def _found(pattern: re.Pattern[str]) -> Iterator[tuple[str, re.Match[str]]]:
    for path in sorted(_ROOT.rglob("*.py")):
        module = ".".join(path.relative_to(_ROOT).with_suffix("").parts)
        for match in pattern.finditer(path.read_text(encoding="utf-8")):
            yield module, match


def _rows() -> dict[str, str]:
    return dict(sorted((match[1].replace("_", "-"), module) for module, match in _found(_ROW)))


def _row(name: str, module: str) -> QuestionRow[..., Any]:
    found: QuestionRow[..., Any] = getattr(import_module(f"holdfast.{module}"), name.replace("-", "_"))
    return found


def row_table() -> str:
    """The text of `questions/rows/table.py`."""
    rows = _rows()
    homes: dict[str, list[str]] = {}
    for module, match in _found(_SCHEMA):
        homes.setdefault(module, []).append(match[2])
    lines = ["ROWS: Final = {\n", *(f'    "{name}": "{module}",\n' for name, module in rows.items()), "}\n"]
    tools = [f'"{name}"' for name, module in rows.items() if _row(name, module).agents]
    lines += ['"""Which module defines which row."""\n\n', f"TOOLS: Final = ({_tuple(tools)})\n"]
    does = sorted((match[1].replace("_", "-"), f"{module}:{match[2]}") for module, match in _found(_JOB))
    lines += ['"""The rows that agents have."""\n\n', "JOBS: Final[dict[str, str]] = {\n"]
    lines += [*(f'    "{name}": "{job}",\n' for name, job in does if name in rows), "}\n"]
    lines += ['"""The rows that do something, and what does it."""\n\n', "HOMES: Final = {\n"]
    for module, names in sorted(homes.items()):
        listed = [f'"{name}"' for name in sorted(names)]
        short = f'    "{module}": ({_tuple(listed)}),\n'
        whole = "".join(f"        {name},\n" for name in listed)
        lines.append(short if len(listed) == 1 else f'    "{module}": (\n{whole}    ),\n')
    return _HEAD + "".join([*lines, "}\n"]) + _TAIL


def _tuple(listed: list[str]) -> str:
    """What stands between the brackets, as the formatter has it."""
    return ", ".join(listed) + ("," if len(listed) == 1 else "")


def row_stub() -> str:
    """The text of `faces/library/rows.pyi`."""
    rows = {name: (module, _row(name, module)) for name, module in _rows().items()}
    settings = Parameter("settings", Parameter.VAR_KEYWORD, annotation="Unpack[GivenSettings]")
    homes = {f"from holdfast.{module} import {row.value}\n" for module, row in rows.values()}
    functions = [
        _function(name.replace("-", "_"), python_signature(row.parameters, row.value, settings))
        for name, (_, row) in rows.items()
    ]
    if any("Recipe" in function for function in functions):
        homes |= {"from holdfast.core.url.policy import Recipe\n"}
    homes |= {f"from holdfast.{_GIVEN}\n", f"from holdfast.{_ANSWER}\n"}
    return "".join([_STUB, *sorted(homes), "\ndef __dir__() -> list[str]: ...\n", *functions])


def _function(name: str, signature: Signature) -> str:
    """A function of the stub, a parameter a line, as the formatter has it."""
    lines = []
    for one in signature.parameters.values():
        if one.kind is Parameter.KEYWORD_ONLY and "    *,\n" not in lines:
            lines.append("    *,\n")
        usual = "" if one.default is Parameter.empty else f" = {one.default!r}"
        stars = "**" if one.kind is Parameter.VAR_KEYWORD else ""
        lines.append(f"    {stars}{one.name}: {one.annotation}{usual},\n".replace("'", '"'))
    return f"def {name}(\n{''.join(lines)}) -> {signature.return_annotation}: ...\n"


def public_names() -> str:
    """The text of `holdfast/__init__.py`, with the functions of the rows and the classes of their answers."""
    rows = _rows()
    homes = {"faces.library.rows": {name.replace("-", "_") for name in rows}}
    for name, module in rows.items():
        row = _row(name, module)
        value = getattr(import_module(f"holdfast.{module}"), row.value)
        homes.setdefault(module, set()).update(_classes(value))
    lines = (f'    "{home}": "{" ".join(sorted(names))}",\n' for home, names in sorted(homes.items()))
    text = (_ROOT / "__init__.py").read_text(encoding="utf-8")
    return _LIST.sub(lambda found: found[1] + "".join(lines) + found[2], text)


def coroutines() -> str:
    """The text of `holdfast/aio.py`, with the coroutine forms of the rows."""
    names = [name.replace("-", "_") for name in _rows()]
    lines = "".join(f"    {name} = _in_thread(rows.{name})\n" for name in names)
    text = (_ROOT / "aio.py").read_text(encoding="utf-8")
    return _LIST.sub(lambda found: found[1] + lines + found[2], text)


def _classes(value: type) -> set[str]:
    """A value's class, and those of its own file that its fields name."""
    found, rest = {value.__name__}, [value]
    known = vars(import_module(value.__module__))
    while rest:
        one = rest.pop()
        words = re.findall(r"\w+", " ".join(str(each.type) for each in fields(one)))
        inner = [
            kind
            for word in words
            if is_dataclass(kind := known.get(word)) and kind.__module__ == one.__module__
        ]
        rest += [kind for kind in inner if isinstance(kind, type) and kind.__name__ not in found]
        found |= {kind.__name__ for kind in inner if isinstance(kind, type)}
    return found
