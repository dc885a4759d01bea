"""The table of names and the table of suggestions, as values.

Whoever asks hands in the texts of the two files beside this module. They are data of the package, and are
read when an unknown word is met, not before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from holdfast.core.base.plain_data import read_toml
from holdfast.core.base.values import dataclass

EVERY: Final = "every"
"""The place of what holds wherever nothing else is said."""
_WITH_PLACES: Final = frozenset({"flags", "parameters", "arguments"})
_BESIDE: Final = frozenset({"rules", "new", "joins", "reused", "short", "surface", "waits", "until"})
_PREFIX: Final = "HOLDFAST_"


@dataclass(frozen=True, slots=True)
class Renaming:
    """What became of one name. `place` is the command, path or tool that a flag, parameter or argument
    belongs to; `calls` is what takes its place, one of several or none; `on` is the one new command that
    still takes the flag, where the old command became several.
    """

    kind: str
    place: str
    old: str
    calls: tuple[str, ...]
    why: str
    on: str = ""

    @property
    def stays(self) -> bool:
        """Whether it is called what it was called."""
        return self.calls == (self.old,)

    @property
    def names(self) -> tuple[str, ...]:
        """The new names alone, without what a call gives them."""
        return tuple(leading_name(self.kind, call) for call in self.calls)


@dataclass(frozen=True, slots=True)
class NameTable:
    """Every name. By kind: `added` has those without an older one, `joins` why several old ones became one,
    `reused` what becomes of old calls with a name that means another thing now. `short` has the letters of
    flags, `surface` the flags of each command of 0.1.0, and under `every` those of all. `waiting` has the old
    names that are in force still, `until` what is called in place of a new call whose row is not there yet.
    """

    rows: tuple[Renaming, ...]
    added: Mapping[str, Mapping[str, str]]
    joins: Mapping[str, Mapping[str, str]]
    reused: Mapping[str, Mapping[str, str]]
    short: Mapping[str, str]
    surface: Mapping[str, tuple[str, ...]]
    waiting: Mapping[str, Mapping[str, str]]
    until: Mapping[str, str]

    def row(self, kind: str, old: str, place: str = EVERY) -> Renaming | None:
        """What became of a name: what its place says of it, of all its names, and what holds everywhere."""
        found = {(row.place, row.old): row for row in self.rows if row.kind == kind}
        wanted = ((place, old), (place, EVERY), (EVERY, old))
        return next((found[key] for key in wanted if key in found and key != (EVERY, EVERY)), None)

    def waits(self, row: Renaming) -> bool:
        """Whether a row's old name is in force still: by itself, or at its place alone."""
        waiting = self.waiting.get(row.kind, {}).keys()
        return not waiting.isdisjoint({EVERY, row.old, f"{row.place} {row.old}"})

    def olds_of(self, command: str) -> tuple[str, ...]:
        """The commands that became this one: in whose rows its older flags stand."""
        rows = (row for row in self.rows if row.kind == "commands" and command in row.names)
        return tuple(dict.fromkeys(word for row in rows for word in (row.old, row.old.split()[0])))

    def new_names(self, kind: str) -> frozenset[str]:
        """What there is of a kind from 0.1.0 on."""
        renamed = (name for row in self.rows if row.kind == kind for name in row.names)
        return frozenset({*renamed, *self.added.get(kind, {})})

    def accepts(self, command: str) -> frozenset[str]:
        """The flags of a command of 0.1.0, short forms included."""
        long = {*self.surface[EVERY], *self.surface[command]}
        return frozenset({*long, *(letter for letter, flag in self.short.items() if flag in long)})


@dataclass(frozen=True, slots=True)
class Suggestions:
    """What unknown words mean: calls for commands, sentences where no call does it, flags by command. What is
    in `deletes` is named with -n alone.
    """

    commands: Mapping[str, tuple[str, ...]]
    sayings: Mapping[str, str]
    flags: Mapping[str, Mapping[str, str]]
    deletes: tuple[str, ...]

    def flag(self, flag: str, command: str) -> str | None:
        """What a flag of that command means that it does not have."""
        return self.flags.get(command, {}).get(flag) or self.flags[EVERY].get(flag)


def read_names(text: str) -> NameTable:
    """The table of names, of the text of `names.toml`."""
    document = read_toml(text)
    rules: Mapping[str, str] = document["rules"]
    rows = [
        _row(kind, place, old, entry, rules)
        for kind in document.keys() - _BESIDE
        for place, entries in (document[kind] if kind in _WITH_PLACES else {EVERY: document[kind]}).items()
        for old, entry in entries.items()
    ]
    added = dict(_sentences(document["new"], rules))
    variables = [_variable(row) for row in rows if row.kind == "settings"]
    settings = added.get("settings", {})
    added["environment"] = {_variable_of(name): why for name, why in settings.items()}
    return NameTable(
        rows=tuple(sorted([*rows, *variables], key=lambda row: (row.kind, row.place, row.old))),
        added=added,
        joins=_sentences(document["joins"], rules),
        reused=_sentences(document["reused"], rules),
        short=document["short"],
        surface={command: tuple(flags.split()) for command, flags in document["surface"].items()},
        waiting=_with_variables(_sentences(document["waits"], rules)),
        until=document["until"],
    )


def read_suggestions(text: str) -> Suggestions:
    """The table of suggestions, of the text of `suggestions.toml`."""
    document = read_toml(text)
    return Suggestions(
        commands={word: tuple(_each(calls)) for word, calls in document["commands"].items()},
        sayings=document["sayings"],
        flags=document["flags"],
        deletes=tuple(document["deletes"]),
    )


def leading_name(kind: str, call: str) -> str:
    """The name in a call: of a command the words before its arguments and flags, of a flag itself."""
    words = call.split()
    if kind == "flags":
        return words[0]
    if kind != "commands":
        return call
    ends = (number for number, word in enumerate(words) if word.startswith("-") or word.isupper())
    return " ".join(words[: next(ends, len(words))])


def _row(kind: str, place: str, old: str, entry: Mapping[str, Any], rules: Mapping[str, str]) -> Renaming:
    """A row says one of three things of its name; more or fewer are a fault of the table."""
    said = sorted(entry.keys() - {"why", "on"})
    calls: tuple[str, ...]
    match said:
        case ["stays"]:
            calls, why = (old,), entry["stays"]
        case ["to"]:
            calls, why = tuple(_each(entry["to"])), entry["why"]
        case ["gone"]:
            calls, why = (), entry["gone"]
        case _:
            raise ValueError(f"{kind} {old}: a row stays, has a new name or is gone, and not {said}")
    return Renaming(kind, place, old, calls, rules.get(why, why), entry.get("on", ""))


def _sentences(
    kinds: Mapping[str, Mapping[str, str]], rules: Mapping[str, str]
) -> dict[str, Mapping[str, str]]:
    return {kind: {name: rules.get(why, why) for name, why in names.items()} for kind, names in kinds.items()}


def _with_variables(waiting: Mapping[str, Mapping[str, str]]) -> Mapping[str, Mapping[str, str]]:
    """A setting waits with its variable."""
    settings = {_variable_of(name): why for name, why in waiting.get("settings", {}).items()}
    return {**waiting, "environment": {**waiting.get("environment", {}), **settings}}


def _each(calls: str | list[str]) -> Iterator[str]:
    yield from [calls] if isinstance(calls, str) else calls


def _variable(setting: Renaming) -> Renaming:
    """A setting's environment variable follows its name."""
    calls = tuple(map(_variable_of, setting.calls))
    return Renaming("environment", EVERY, _variable_of(setting.old), calls, setting.why)


def _variable_of(setting: str) -> str:
    return _PREFIX + setting.replace(".", "_").upper()
