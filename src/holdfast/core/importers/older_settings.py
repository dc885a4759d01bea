"""A `holdfast.toml` of an older Holdfast under the names of today, its comments with it.

1. A file is read statement by statement; what a person wrote beside and above one stays with it.
2. A key has its new name. One that differs for mirrors and checks goes to `[mirror]` or `[check]`; a
   `[track.NAME]` is a `[check.NAME]`. Hours as a number become a duration.
3. A key that says nothing where it stands is kept as a comment, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from holdfast.core.base.errors import ConfigError
from holdfast.core.base.plain_data import read_toml
from holdfast.core.settings.resolve import setting_named

Anew = Callable[[str], tuple[str, ...]]
"""The new names of a setting; none where it is called what it was called."""

_TABLE: Final = re.compile(r"\s*\[([^\[\]]+)\]\s*(#.*)?")
_KEY: Final = re.compile(r"\s*([A-Za-z0-9_-]+)\s*=\s*")
_HOURS: Final = re.compile(r"([0-9.]+)(.*)", re.DOTALL)
_OWN: Final = frozenset({"mirror", "check"})


class _Statement(NamedTuple):
    """A key with its value, a table's head, or neither; `above` has its comments and blank lines."""

    above: str
    key: str
    text: str


def settings_anew(text: str, place: str, anew: Anew) -> str:
    """The file's text under the names of today."""
    try:
        read_toml(text)
    except ValueError as error:
        raise ConfigError(f"{place}: {error}") from None
    first: list[str] = []
    moved: dict[str, list[str]] = {}
    rest: list[str] = []
    kind, out = "", first
    for above, key, said in _statements(text):
        if head := _TABLE.fullmatch(said.rstrip("\n")) if not key else None:
            kind, out = head[1].strip().partition(".")[0].replace("track", "check"), rest
            out.append(above + re.sub(r"\[\s*track(?=[.\]])", "[check", said))
            continue
        is_of_today = setting_named(f"{kind}.{key}") is not None
        names = anew(key) if key and kind in ("", *_OWN) and not is_of_today else ()
        if not names:
            out.append(above + said)
            continue
        table, _, new = names[0].rpartition(".")
        told = _renamed(key, new, said)
        if not table or table == kind:
            out.append(above + told)
        elif kind:
            out.append(f"{above}# {key} says nothing of a {kind}: {said.strip()}\n")
        else:
            moved.setdefault(table, []).append(above + told)
    return "".join([*first, *_moved_into(rest, moved)])


def _renamed(key: str, new: str, said: str) -> str:
    value = said[_end_of_key(said) :]
    if key == "link_ttl" and (hours := _HOURS.match(value)):
        value = f'"{float(hours[1]):g}h"{hours[2]}'
    return f"{new} = {value}"


def _end_of_key(said: str) -> int:
    found = _KEY.match(said)
    return found.end() if found else 0


def _moved_into(rest: list[str], moved: dict[str, list[str]]) -> Iterator[str]:
    """`[mirror]` and `[check]` before all other tables, or where the file has them."""
    lines = {table: [line.lstrip("\n") for line in told] for table, told in moved.items()}
    heads = {head[1].strip() for each in rest for head in _TABLE.finditer(each)}
    for table in sorted(lines.keys() - heads):
        yield f"\n[{table}]\n"
        yield from lines.pop(table)
    for each in rest:
        yield each
        head = _TABLE.fullmatch(each.strip().rpartition("\n")[2])
        yield from lines.pop(head[1].strip(), ()) if head else ()


def _statements(text: str) -> Iterator[_Statement]:
    """The file in pieces: a value may go over several lines."""
    above, said = "", ""
    for line in text.splitlines(keepends=True):
        if not said and (not line.strip() or line.lstrip().startswith("#")):
            above += line
            continue
        said += line
        key = _KEY.match(said)
        if key is None or _is_whole(said):
            yield _Statement(above, key[1] if key else "", said if said.endswith("\n") else f"{said}\n")
            above, said = "", ""
    if above or said:
        yield _Statement(above, "", said)


def _is_whole(said: str) -> bool:
    try:
        read_toml(said)
    except ValueError:
        return False
    return True
