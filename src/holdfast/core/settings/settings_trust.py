"""Which settings of a `holdfast.toml` reach out of its folder, and the file without them (SEC-9)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from typing import Any

from holdfast.core.settings.field import coerce
from holdfast.core.settings.origins import ORIGIN_KEYS
from holdfast.core.settings.reach import Reach, Reaching
from holdfast.core.settings.receivers import TARGET_REACH
from holdfast.core.settings.resolve import all_settings
from holdfast.core.settings.settings_file import JOB_KEYS, SettingsFile

Outside = Callable[[str], str]
"""Where a path of the file ends up, if that is outside the file's folder; else an empty text."""


def reaching(file: SettingsFile, outside: Outside) -> tuple[Reaching, ...]:
    """Everything in the file that reaches out of its folder, in the file's order of tables."""
    found = [*_settings(file.settings, "", outside)]
    for kind, jobs in file.jobs.items():
        for name, table in jobs.items():
            found += _keys(table, f"{kind}.{name}", JOB_KEYS[kind], outside)
            found += _settings(table, f"{kind}.{name}", outside)
    for origin, table in file.origins.items():
        found += _keys(table, f'origin."{origin}"', ORIGIN_KEYS, outside)
    for target in file.targets:
        found += _keys(target.options, f"notify.{target.name}", TARGET_REACH, outside)
    return tuple(found)


def without_untrusted(file: SettingsFile, found: Sequence[Reaching]) -> SettingsFile:
    """The file as if these were not in it; a target that is not trusted is none at all."""
    taken = {(each.table, each.key) for each in found}
    return replace(
        file,
        settings=_without(file.settings, "", taken),
        jobs={
            kind: {name: _without(table, f"{kind}.{name}", taken) for name, table in jobs.items()}
            for kind, jobs in file.jobs.items()
        },
        origins={name: _without(table, f'origin."{name}"', taken) for name, table in file.origins.items()},
        targets=tuple(
            target for target in file.targets if not any(t == f"notify.{target.name}" for t, _ in taken)
        ),
        folder=replace(file.folder, withheld=tuple(found)),
    )


def digest_of(found: Sequence[Reaching]) -> str:
    """What stands for exactly these settings: their places, values, and where their paths lead."""
    rows = sorted(json.dumps(asdict(each), sort_keys=True, default=str) for each in found)
    return sha256("\n".join(rows).encode()).hexdigest()


def _without(table: Mapping[str, Any], name: str, taken: set[tuple[str, str]]) -> Mapping[str, Any]:
    return {key: value for key, value in table.items() if (name, key) not in taken}


def _settings(values: Mapping[str, Any], table: str, outside: Outside) -> Iterator[Reaching]:
    """Settings that say something else than nobody would have said reach what they declare."""
    known = all_settings()
    for key, value in values.items():
        setting = known.get(key)
        if setting is None or coerce(value, setting.kind, setting.choices, setting.least) in (
            setting.default, None, False, "", (),
        ):  # fmt: skip
            continue
        yield from _keys({key: value}, table, {key: setting.reach}, outside)


def _keys(
    values: Mapping[str, Any], table: str, reaches: Mapping[str, Reach], outside: Outside
) -> Iterator[Reaching]:
    for key, value in values.items():
        reach = reaches.get(key, Reach.NOTHING)
        if reach is Reach.PATH:
            paths = [value] if isinstance(value, str) else value
            leads = [place for place in map(outside, paths) if place]
            if leads:
                yield Reaching(table, key, value, reach, ", ".join(leads))
        elif reach is not Reach.NOTHING:
            yield Reaching(table, key, value, reach)
