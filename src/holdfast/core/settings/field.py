"""How a group declares a setting, and how a text or a TOML value becomes one.

Kinds: `str`, `int`, `float`, `bool`, `list` (of texts), `choice` (one of a closed set), `path`, `seconds` (a
duration; a plain number is seconds), `duration` (a number is refused: its unit is not known), and `optional`
forms of these, whose default is None.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeGuard, TypeVar, cast

from holdfast.core.base.figures import parse_duration
from holdfast.core.settings.reach import Reach

G = TypeVar("G")

LARGEST: Final = 1 << 53
"""The largest number that a setting may be: one that any machine has."""
_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}


def setting(  # noqa: PLR0913 - what a row of the table says
    *,
    reach: Reach,
    default: Any,
    help: str,  # noqa: A002 - it is the help text, and says so
    kind: str | None = None,
    choices: tuple[str, ...] = (),
    least: float | None = None,
    identity: bool = False,
    called: str = "",
) -> Any:
    """A field of a settings group. `reach` is what it can reach outside the folder of its file (SEC-9);
    `identity` marks what is part of the settings digest (VER-2). `called` is its name where the field has
    another: `mirror.robots` stands in the tables of mirrors, and checks have their own.
    """
    if kind is None:
        kind = "choice" if choices else type(default).__name__
    if kind == "tuple":
        kind = "list"
    meta = {
        "help": help, "kind": kind, "choices": choices, "least": least, "identity": identity, "reach": reach,
        "called": called,
    }  # fmt: skip
    return dataclasses.field(default=default, metadata=meta)


def rows_of(group: type[Any]) -> Iterator[dataclasses.Field[Any]]:
    """The settings of a group, those of its parts included; their names are unique."""
    for field in dataclasses.fields(group):
        if field.metadata:
            yield field
        else:
            yield from rows_of(_part(field))


def name_of(field: dataclasses.Field[Any]) -> str:
    """A setting's name: `layout`, or `mirror.robots` where mirrors and checks have one each."""
    return str(field.metadata["called"] or field.name)


def group_from(group: type[G], values: Mapping[str, Any]) -> G:
    """A group of these settings by their names, in whichever part they are; others have their defaults."""
    given: dict[str, Any] = {}
    for field in dataclasses.fields(cast("Any", group)):
        if not field.metadata:
            given[field.name] = group_from(_part(field), values)
        elif name_of(field) in values:
            given[field.name] = values[name_of(field)]
    return group(**given)


def group_with(group: G, values: Mapping[str, Any]) -> G:
    """A group with some of its settings as given, by their names; other names are passed over."""
    changed: dict[str, Any] = {}
    for field in dataclasses.fields(cast("Any", group)):
        if not field.metadata:
            changed[field.name] = group_with(getattr(group, field.name), values)
        elif name_of(field) in values:
            changed[field.name] = values[name_of(field)]
    return cast("G", dataclasses.replace(cast("Any", group), **changed))


def _part(field: dataclasses.Field[Any]) -> type[Any]:
    """The class of a part: what makes its default."""
    return cast("type[Any]", field.default_factory)


def coerce(value: Any, kind: str, choices: tuple[str, ...], least: float | None) -> Any:
    """A flag's text, an environment variable's text or a TOML value as the setting's own type.

    Raises ValueError with what was expected.
    """
    match kind:
        case "bool":
            return _to_bool(value)
        case "int" | "float":
            return _to_number(value, kind, least)
        case "list":
            return _to_list(value)
        case "seconds":
            return _to_seconds(value, least)
        case "duration":
            return _to_duration(value)
        case "choice":
            if value not in choices:
                raise ValueError(f"expected one of {', '.join(choices)}")
            return value
        case _:
            if not isinstance(value, str):
                raise ValueError("expected a text")
            return value


def _to_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in _TRUE | _FALSE:
        return value.lower() in _TRUE
    raise ValueError("expected true or false")


def _to_number(value: Any, kind: str, least: float | None) -> int | float:
    wanted = "a whole number" if kind == "int" else "a number"
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(f"expected {wanted}")
    try:
        number = int(value) if kind == "int" and not isinstance(value, float) else float(value)
    except (ValueError, OverflowError):
        raise ValueError(f"expected {wanted}") from None
    if (isinstance(number, float) and (kind == "int" or not math.isfinite(number))) or abs(number) > LARGEST:
        raise ValueError(f"expected {wanted}")
    if least is not None and number < least:
        raise ValueError(f"expected {wanted} of at least {least:g}")
    return number


def _to_seconds(value: Any, least: float | None) -> float:
    """A plain number is seconds, as it always was; a text with a unit is a duration."""
    length = parse_duration(value) if _has_unit(value) else None
    try:
        return float(_to_number(length.total_seconds() if length is not None else value, "float", least))
    except ValueError as error:
        raise ValueError(f"{error}: a duration such as 30s, or seconds") from None


def _has_unit(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and value.strip()[-1:].isalpha()


def _to_duration(value: Any) -> str:
    """What counted in hours or in days once cannot be guessed of a plain number."""
    if _has_unit(value) and parse_duration(value) is not None:
        return str(value)
    if value in (0, "0") and not isinstance(value, bool):
        return "0s"
    unit = isinstance(value, (int, float)) or (isinstance(value, str) and value.replace(".", "", 1).isdigit())
    raise ValueError(f"expected a duration{' with its unit' if unit else ''}, such as 12h (hours), 7d or 30m")


def _to_list(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part for part in (piece.strip() for piece in value.split(",")) if part)
    if isinstance(value, (list, tuple)) and all(isinstance(part, str) for part in value):
        return tuple(value)
    raise ValueError("expected a list of texts")
