"""What an importer found, and the `holdfast.toml` made of it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from holdfast.core.base.errors import ConfigError
from holdfast.core.base.values import dataclass
from holdfast.core.settings.patterns import LinearPattern

_UNITS = {
    **dict.fromkeys(("ms", "msec", "millis"), 0.001),
    **dict.fromkeys(("", "s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3_600.0),
    **dict.fromkeys(("d", "day", "days"), 86_400.0),
    **dict.fromkeys(("w", "week", "weeks"), 604_800.0),
}
_DURATION = re.compile(r"\s*([0-9.]+)\s*([a-z]*)\s*")


@dataclass(frozen=True, slots=True)
class Imported:
    """Settings of ours, lines for `.holdfastignore`, what to know of the rest, what is sent to origins, and
    what is so anyway.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    ignored_paths: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    origins: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    anyway: tuple[str, ...] = ()

    def __add__(self, other: Imported) -> Imported:
        settings = dict(self.settings)
        for name, value in other.settings.items():
            both = isinstance(value, tuple) and isinstance(settings.get(name), tuple)
            settings[name] = tuple(dict.fromkeys((*settings[name], *value))) if both else value
        return Imported(
            settings,
            self.ignored_paths + other.ignored_paths,
            self.notes + other.notes,
            {**self.origins, **other.origins},
            self.anyway + other.anyway,
        )


def as_seconds(value: object) -> float | None:
    """A duration as these tools write it: a number of seconds, or `1d`, `500ms`, `1h 30m`."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return finite(value)
    if not isinstance(value, str) or not value.strip():
        return None
    total, at = 0.0, 0
    while at < len(value):
        match = _DURATION.match(value, at)
        if match is None or match[2] not in _UNITS or match[1].count(".") > 1 or match[1] == ".":
            return None
        total += float(match[1]) * _UNITS[match[2]]
        at = match.end()
    return finite(total)


def finite(number: float) -> float | None:
    """A number as other people's files have it; None for what is not a number, or is infinite."""
    try:
        return float(number) if math.isfinite(number) else None
    except OverflowError:
        return None


def skip_pattern(pattern: str, source: str) -> tuple[str | None, str | None]:
    """A regular expression of another tool as one of ours, or the reason why it is none."""
    try:
        LinearPattern(pattern, source)
    except ConfigError as error:
        return None, f"{error.message}; write it by hand"
    return pattern, None


def write_settings(imported: Imported, source: str) -> str:
    """A `holdfast.toml`."""
    lines = [f"# Made by `holdfast config import` from {source}. `holdfast config` shows what is in force."]
    if imported.notes:
        lines += ["#", "# Not taken over as it was:"]
        lines += [f"#   {_one_line(text)}" for text in imported.notes]
    if imported.anyway:
        lines += ["#", "# So without a setting:"]
        lines += [f"#   {_one_line(text)}" for text in imported.anyway]
    if imported.ignored_paths:
        lines += ["#", "# For a file .holdfastignore beside this one:"]
        lines += [f"#   {_one_line(path)}" for path in imported.ignored_paths]
    lines.append("")
    for table in ("", "mirror", "check"):
        own = {k: v for k, v in imported.settings.items() if k.rpartition(".")[0] == table}
        lines += ["", f"[{table}]"] if table and own else []
        lines += [f"{name.rpartition('.')[2]} = {_value(value)}" for name, value in sorted(own.items())]
    for origin, sent in sorted(imported.origins.items()):
        lines += ["", f"[origin.{json.dumps(origin, ensure_ascii=False)}]"]
        lines += [f"{name} = {_value(value)}" for name, value in sorted(sent.items())]
    return "\n".join(lines) + "\n"


def _one_line(text: str) -> str:
    """A text for a comment, in which TOML allows no control characters."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"{value:g}" if isinstance(value, float) and value != int(value) else str(int(value))
        case str():
            return _text(value)
        case Mapping():
            pairs = (f"{json.dumps(key, ensure_ascii=False)} = {_text(text)}" for key, text in value.items())
            return "{ " + ", ".join(pairs) + " }"
        case _:
            return _list(value)


def _list(values: Sequence[str]) -> str:
    return "[\n" + "".join(f"    {_text(value)},\n" for value in values) + "]"


def _text(text: str) -> str:
    """A literal string where that is possible: a regular expression stays readable."""
    if "'" not in text and text.isprintable():
        return f"'{text}'"
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
