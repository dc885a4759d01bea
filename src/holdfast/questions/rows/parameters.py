"""Kinds of parameter: how a text is read for each, what stands for it in help, its JSON Schema, what Python
takes.

1. Most types say it all: bool, int, float, str, a StrEnum, whose words are the choices, `Recipe`.
2. What a type does not say stands in `Annotated` as a `Kind`: `TARGET`, the moments by their use, `ROWS`,
   `FROM`. A text that stands there too is the sentence of the parameter.
3. A parameter has one name on all faces. A `_` behind a name that Python has taken is left out: `in_` is
   `--in`. `but="agents"` hides it there.
4. A target and a moment are read by the runner, who knows the stores and the time; a kind gives him the text.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from enum import StrEnum
from inspect import Parameter as Signed
from inspect import Signature, signature
from types import NoneType, UnionType
from typing import Annotated, Any, Final, NamedTuple, Union, get_args, get_origin

from holdfast.core.base.errors import UsageError
from holdfast.core.base.values import dataclass
from holdfast.core.targets.moment import Instant
from holdfast.core.targets.moment_bounds import MomentUse
from holdfast.core.url.policy import Recipe

MOST_ROWS: Final = 500
"""Rows that one answer of the API has at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """How a value is read from a text and taken from Python. Compared by identity: what stands inside of
    `X | None` must have a hash.
    """

    metavar: str
    read: Callable[[str], Any]
    schema: Mapping[str, Any]
    given: str
    take: Callable[[Any], Any]
    choices: tuple[str, ...] = ()
    use: MomentUse | None = None


class Hidden(NamedTuple):
    """A face that does not have a parameter."""

    but: str


class Parameter(NamedTuple):
    """A parameter as the faces see it."""

    name: str
    words: str
    kind: Kind
    default: Any
    is_flag: bool
    may_be_none: bool
    hidden: frozenset[str]

    @property
    def called(self) -> str:
        """Its name outside of Python."""
        return self.name.rstrip("_")

    @property
    def is_required(self) -> bool:
        """Whether it must be given. What a missing target means the table of commands says."""
        return self.default is Signed.empty and self.kind is not TARGET


def _itself(value: Any) -> Any:
    return value


def _path_text(given: Any) -> Any:
    return given.__fspath__() if hasattr(given, "__fspath__") else given


def _moment(given: Any) -> Any:
    if isinstance(given, datetime):
        return Instant(given if given.tzinfo else given.replace(tzinfo=UTC))
    return given.isoformat() if isinstance(given, date) else given


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise UsageError(f"{text[:40]!r} is not a whole number")
    return int(text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{text[:40]!r} is not a number") from None


_TRUE: Final = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


def _truth(text: str) -> bool:
    if text.lower() not in _TRUE:
        raise UsageError(f"{text[:40]!r} is neither 1 nor 0")
    return _TRUE[text.lower()]


def _recipe(given: Any) -> Any:
    return Recipe.parse(given) if isinstance(given, str) else given


_TEXT: Final = {"type": "string"}
TARGET: Final = Kind("TARGET", str, _TEXT, "str | PathLike[str]", _path_text)
"""What the question is about (`core/targets/target`)."""
ROWS: Final = Kind("N", _whole, {"type": "integer", "minimum": 1, "maximum": MOST_ROWS}, "int", _itself)
"""How many rows, over all parts; 0 is all of them on the command line."""
FROM: Final = Kind("PLACE", str, _TEXT, "str", _itself)
"""Where the rows begin: `next` of the answer before."""
STORE: Final = Kind("STORE", str, _TEXT, "str", _itself)
"""One of the stores that are asked."""
AT, SINCE, AFTER, UNTIL = (
    Kind("MOMENT", str, _TEXT, "datetime | date | str", _moment, use=MomentUse(use))
    for use in ("at", "since", "after", "until")
)
"""Moments; a row gets each as the `Bound` that it is in the store (`core/targets/moment_bounds`)."""
LEFT, RIGHT = (
    Kind(side, str, _TEXT, "datetime | date | str", _moment, use=use)
    for side, use in (("A", MomentUse.LEFT), ("B", MomentUse.RIGHT))
)
"""Both sides of a difference. A row that has them gets its bounds there, however the moments were given."""
_KINDS: Final[Mapping[Any, Kind]] = {
    bool: Kind("", _truth, {"type": "boolean"}, "bool", _itself),
    int: Kind("N", _whole, {"type": "integer", "minimum": 0}, "int", _itself),
    float: Kind("X", _number, {"type": "number"}, "float", _itself),
    str: Kind("TEXT", str, _TEXT, "str", _itself),
    Recipe: Kind("V", Recipe.parse, _TEXT, "str | Recipe", _recipe),
}


def _kind_of(kind: Any) -> Kind:
    if not (isinstance(kind, type) and issubclass(kind, StrEnum)):
        return _KINDS[kind]
    words = tuple(map(str, kind))
    noun = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in kind.__name__).strip()

    def read(text: str) -> Any:
        if text not in words:
            raise UsageError(f"{text[:40]!r} is no {noun}", hint=f"there are: {', '.join(words)}")
        return kind(text)

    return Kind("", read, {"enum": list(words)}, "str", lambda given: given and read(given), words)


def parameters_of(ask: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The parameters of a row's function that are not an open store's."""
    known = vars(sys.modules[ask.__module__])
    return tuple(
        _parameter(
            name, eval(str(one.annotation), known), one
        )  # our own annotation, as `typing` would read it
        for name, one in signature(ask).parameters.items()
        if one.kind is not Signed.POSITIONAL_ONLY
    )


def _parameter(name: str, told: Any, one: Signed) -> Parameter:
    kind: Kind | None = None
    words, may_be_none, hidden, rest = "", False, set[str](), [told]
    while rest:  # what stands outside goes before what stands inside
        told = rest.pop()
        if get_origin(told) is Annotated:
            inner, *notes = get_args(told)
            rest.append(inner)
            kind = kind or next((note for note in notes if isinstance(note, Kind)), None)
            words = words or next((note for note in notes if isinstance(note, str)), "")
            hidden |= {note.but for note in notes if isinstance(note, Hidden)}
        elif get_origin(told) in (Union, UnionType):
            parts = [part for part in get_args(told) if part is not NoneType]
            may_be_none = may_be_none or len(parts) < len(get_args(told))
            rest += parts
        elif kind is None:
            kind = _kind_of(told)
    if kind is None:
        raise TypeError(f"{name} has no kind")
    is_flag = one.kind is Signed.KEYWORD_ONLY
    return Parameter(name, words, kind, one.default, is_flag, may_be_none, frozenset(hidden))


def python_signature(parameters: tuple[Parameter, ...], value: str, *more: Signed) -> Signature:
    """How a row is called in Python: what the runner reads is None where it was not given."""
    made = []
    for one in parameters:
        if "library" in one.hidden:
            continue
        is_read_later = one.kind.use is not None or one.kind is TARGET
        default = None if is_read_later and one.default is not Signed.empty else one.default
        kind = f"{one.kind.given} | None" if default is None or one.may_be_none else one.kind.given
        how = Signed.KEYWORD_ONLY if one.is_flag else Signed.POSITIONAL_OR_KEYWORD
        made.append(Signed(one.name, how, default=default, annotation=kind))
    return Signature([*made, *more], return_annotation=f"StoreAnswers[{value}]")
