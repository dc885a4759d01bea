"""docs/reference/library.md: every public name with its signature, its attributes and an example."""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Iterator
from enum import Enum

import holdfast
from reference_pages import MADE

__all__ = ["example_of", "library_page"]

_NAMES: list[str] = vars(holdfast)["__all__"]

_INTRODUCTION = """\
Everything below is imported from `holdfast`; names not listed are not public. The tool and the library are
twins: a function has its command's name where Python allows it, its defaults, and returns the value that the
command prints.

- **Settings** are keyword arguments under the names they have in `holdfast.toml` ([Settings](settings.md));
  type checkers know them (`GivenSettings`). The library reads no settings file, no environment and no home
  folder, and prints nothing.
- **State**: `state=` names a store; without it the nearest `.holdfast` is used, from the current
  folder upward.
- **Async**: each function that fetches, reads or writes has a coroutine of the same name in `holdfast.aio`.
  Where an event loop runs already, the plain form of what fetches raises a `UsageError` that names the
  coroutine: `await holdfast.aio.mirror("https://example.com/", output="mirror")`.
- **Errors** are `HoldfastError`s with `message`, `hint` and `exit_status` ([Errors](errors.md)). What can be
  expected of the web is a value: `Refused`, or one of the outcomes.
- **JSON**: `holdfast.to_json(value)` is what the command prints with `--json` ([JSON schemas](schemas.md)).

The examples run as tests.
"""


def library_page() -> str:
    """The whole page."""
    functions: list[str] = []
    values: list[str] = []
    errors: list[str] = []
    others: list[str] = []
    for name in _NAMES:
        value = getattr(holdfast, name)
        if inspect.isfunction(value):
            functions += _function(name, value)
        elif isinstance(value, type) and issubclass(value, Exception):
            errors.append(f"- `{name}`: {_sentence(value)}")
        elif isinstance(value, type):
            values += _value(name, value)
        else:
            others.append(_other(name, value))
    parts = [
        [MADE, "# The library\n", _INTRODUCTION, "## Functions\n"],
        functions,
        ["## Values\n"],
        values,
        ["## Errors\n"],
        errors,
        ["\n## Constants and types\n"],
        others,
    ]
    return "\n".join(line for part in parts for line in part) + "\n"


def example_of(value: object) -> str | None:
    """The code after `Example:` in a docstring."""
    _, mark, code = (inspect.getdoc(value) or "").partition("Example:\n")
    return textwrap.dedent(code) if mark else None


def _function(name: str, value: object) -> Iterator[str]:
    assert callable(value)
    signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(value)))
    about = (inspect.getdoc(value) or "").partition("Example:\n")[0].strip()
    yield f"### `{name}`\n"
    yield f"```text\n{name}{signature}\n```\n"
    yield about + "\n"
    if example := example_of(value):
        yield f"```python\n{example}\n```\n"


def _value(name: str, value: type) -> Iterator[str]:
    yield f"### `{name}`\n"
    yield ((inspect.getdoc(value) or "").partition("Example:\n")[0]).strip() + "\n"
    if example := example_of(value):
        yield f"```python\n{example}\n```\n"
    rows = list(_attributes(value))
    if rows:
        yield "| attribute | type | |\n|---|---|---|"
        yield from rows
        yield ""
    if makers := _makers(name):
        yield f"Comes from {', '.join(makers)}.\n"


def _attributes(value: type) -> Iterator[str]:
    if issubclass(value, Enum):
        yield from (f"| `{each.name}` | `{each.value!r}` | |" for each in value)
        return
    hints = inspect.get_annotations(value)
    names = [field.name for field in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else []
    for name in names or list(getattr(value, "_fields", ())):
        yield f"| `{name}` | `{_type(hints.get(name, ''))}` | |"
    for name, member in vars(value).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property) and member.fget is not None:
            kind = inspect.get_annotations(member.fget).get("return", "")
            yield f"| `{name}` | `{_type(kind)}` | {_sentence(member)} |"
        elif inspect.isfunction(member):
            kind = inspect.get_annotations(member).get("return", "")
            yield f"| `{name}(…)` | `{_type(kind)}` | {_sentence(member)} |"


def _makers(name: str) -> list[str]:
    found = []
    for other in _NAMES:
        value = getattr(holdfast, other)
        if inspect.isfunction(value):
            words = (
                str(inspect.signature(value).return_annotation).replace("[", " ").replace("]", " ").split()
            )
            found += [f"`{other}`"] if name in words else []
    return found


def _type(kind: object) -> str:
    return (kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))).replace("|", "\\|")


def _sentence(value: object) -> str:
    return (inspect.getdoc(value) or "").partition("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def _other(name: str, value: object) -> str:
    if inspect.ismodule(value):
        return f"- `{name}`: {_sentence(value)}"
    if hasattr(value, "__supertype__"):
        return f"- `{name}`: a text of a type of its own."
    if name == "Outcome":
        kinds = [kind.__name__ for kind in value.__args__]  # type: ignore[attr-defined] # a union
        return f"- `{name}`: how a fetch ended, one of {', '.join(f'`{kind}`' for kind in kinds)}."
    return f"- `{name}`: a `{type(value).__name__}`."
