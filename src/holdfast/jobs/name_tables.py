"""What a word means that this program does not have: by the table of names and the table of suggestions.

The tables are data of the package; they are read when an unknown word is met, not before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from holdfast.adapters.system import read_text
from holdfast.core import names
from holdfast.core.names.renaming import NameTable, Suggestions, read_names, read_suggestions
from holdfast.core.names.suggesting import call_hint, closest, meant_flag, second_word_hint
from holdfast.core.settings.resolve import setting_named


@cache
def _tables() -> tuple[NameTable, Suggestions]:
    folder = Path(names.__file__).parent
    return (
        read_names(read_text(folder / "names.toml", "table of names")),
        read_suggestions(read_text(folder / "suggestions.toml", "table of suggestions")),
    )


def command_meant(words: Sequence[str], commands: Iterable[str]) -> str | None:
    """The hint for a call of a command that there is not."""
    return call_hint(words, tuple(commands), *_tables())


def call_of_today(call: str) -> str:
    """What is typed in the place of a call whose row is not there yet; the call itself where it is."""
    return _tables()[0].until.get(call, call)


def second_meant(noun: str, word: str, seconds: Iterable[str]) -> str | None:
    """The second word that was meant, unless that deletes."""
    deletes = _tables()[1].deletes
    return closest(word, [each for each in seconds if f"{noun} {each}" not in deletes])


def second_word_meant(words: Sequence[str]) -> str | None:
    """The hint for a second word that a command had once."""
    return second_word_hint(words, _tables()[0])


def flag_meant(flag: str, command: str, flags: Iterable[str]) -> str | None:
    """What a flag means that the command does not have."""
    return meant_flag(flag, command, tuple(flags), *_tables())


def settings_anew(given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by the names that they have now, as a queue of an older program holds them (hours as a
    number)."""
    anew: dict[str, Any] = {}
    for name, value in given.items():
        told = named_anew("settings", name) if setting_named(name) is None else ()
        is_hours = name == "link_ttl" and isinstance(value, (int, float))
        anew[told[0] if told else name] = f"{value:g}h" if is_hours else value
    return anew


def named_anew(kind: str, old: str) -> tuple[str, ...]:
    """The new names of an older one, where it has any and they are in force."""
    table = _tables()[0]
    row = table.row(kind, old)
    return row.names if row is not None and not row.stays and not table.waits(row) else ()
