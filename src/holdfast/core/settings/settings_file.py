"""`holdfast.toml`: settings, and named jobs.

    content_rate_limit = 0.5            any setting, for every job

    [mirror]                            what differs for mirrors and checks: for all mirrors
    exclude = ["*/print/*"]

    [mirror.handbook]                   a mirror job called `handbook`
    source = "https://example.com/"     one or a list
    output = "handbook"
    layout = "hash"                     any setting, for this job alone
    every = "6h"                        `holdfast sync --watch` runs it that often; also: jitter = "10m",
                                        quiet = "22:00-06:00"

    [check]                             the same for all checks
    max_age = "7d"

    [check.papers]                      a check called `papers`
    paths = ["papers", "notes"]

    [origin."https://example.com"]      what is sent to one origin; secrets by the name of a variable
    headers = { "X-Team" = "docs" }
    bearer_env = "EXAMPLE_TOKEN"

    [notify.team]                       whom to tell what happened (`core.settings.receivers`)
    webhook = "https://hooks.example.com/holdfast"

An unknown key is an error that names the place and the nearest known key. Nothing is half-loaded. In what is
read, a setting has its whole name everywhere: `mirror.exclude`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from holdfast.core.base.errors import ConfigError, nearest
from holdfast.core.base.plain_data import read_toml
from holdfast.core.base.values import dataclass
from holdfast.core.settings.field import coerce
from holdfast.core.settings.origins import ORIGIN_KEYS
from holdfast.core.settings.reach import FolderWord, Reach, refuse
from holdfast.core.settings.receivers import Target, read_target
from holdfast.core.settings.resolve import UnknownNameError, all_settings
from holdfast.core.settings.schedule import Schedule, parse_schedule

SCHEDULE_KEYS: Final = ("every", "jitter", "quiet")
_SCHEDULE: Final = dict.fromkeys(SCHEDULE_KEYS, Reach.NOTHING)
JOB_KEYS: Final[Mapping[str, Mapping[str, Reach]]] = {
    "mirror": {"source": Reach.NETWORK, "output": Reach.PATH, **_SCHEDULE},
    "check": {"paths": Reach.PATH, **_SCHEDULE},
}
"""What a job's table says besides settings, and what that reaches."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """What a `holdfast.toml` says; `folder` is where it lies, and what was taken out as not trusted."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    jobs: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    origins: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    targets: tuple[Target, ...] = ()
    folder: FolderWord = FolderWord()

    @property
    def schedules(self) -> dict[str, Schedule]:
        """The jobs that have a schedule, as `mirror.NAME` and `check.NAME`."""
        return {
            f"{kind}.{name}": parse_schedule(table["every"], table.get("jitter"), table.get("quiet"))
            for kind, jobs in self.jobs.items()
            for name, table in jobs.items()
            if "every" in table
        }

    def job(self, kind: str, name: str) -> Mapping[str, Any]:
        """A named job's keys and settings."""
        jobs = self.jobs.get(kind, {})
        if name not in jobs:
            guess = nearest(name, jobs)
            known = ", ".join(sorted(jobs)) or "none"
            raise ConfigError(
                f"holdfast.toml has no [{kind}.{name}]",
                hint=f"did you mean {guess}?" if guess else f"{kind} jobs there: {known}",
            )
        return jobs[name]

    def work(self, kind: str, name: str) -> Mapping[str, Any]:
        """The same, for whoever does the job: refused where what it is about is not trusted."""
        table = self.job(kind, name)
        for each in self.folder.withheld:
            if each.table == f"{kind}.{name}" and each.key in JOB_KEYS[kind]:
                refuse(each, self.folder.place)
        return table


def read_settings_file(text: str, place: str) -> SettingsFile:
    """Read and check a whole file; `place` is how messages name it."""
    try:
        document = read_toml(text)
    except ValueError as error:
        raise ConfigError(f"{place}: {error}") from None
    settings: dict[str, Any] = {}
    jobs: dict[str, dict[str, Mapping[str, Any]]] = {}
    origins: Mapping[str, Any] = {}
    targets: tuple[Target, ...] = ()
    for key, value in document.items():
        if key in JOB_KEYS:
            own, tables = _split(value, key, f"{place}: [{key}]")
            settings |= own
            jobs[key] = {
                name: _checked_job(table, key, f"{place}: [{key}.{name}]") for name, table in tables.items()
            }
        elif key == "origin":
            origins = _tables(value, f"{place}: [origin]")
            for name, table in origins.items():
                _refuse_unknown(table, tuple(ORIGIN_KEYS), f'{place}: [origin."{name}"]')
        elif key == "notify":
            targets = _targets(_tables(value, f"{place}: [notify]"), place)
        else:
            _check_settings({key: value}, f"{place}:", (*JOB_KEYS, "origin", "notify"), "")
            settings[key] = value
    return SettingsFile(settings, jobs, origins, targets)


def _split(value: Any, kind: str, place: str) -> tuple[dict[str, Any], Mapping[str, Mapping[str, Any]]]:
    """What `[mirror]` says for all mirrors, by whole names, and its named tables."""
    if not isinstance(value, dict):
        return {}, _tables(value, place)
    own = {key: each for key, each in value.items() if not isinstance(each, dict)}
    keys = {setting.key for setting in all_settings().values()}
    _check_settings(own, place, (), kind, only=True)
    tables = {key: each for key, each in value.items() if key not in own}
    for name in tables:
        if name in keys:
            raise ConfigError(f"{place} a table cannot be called {name!r}: that is a setting")
    return {f"{kind}.{key}": each for key, each in own.items()}, tables


def _targets(tables: Mapping[str, Mapping[str, Any]], place: str) -> tuple[Target, ...]:
    try:
        return tuple(read_target(name, table) for name, table in tables.items())
    except ConfigError as error:
        raise ConfigError(f"{place}: {error.message}", hint=error.hint) from None


def _checked_job(table: Mapping[str, Any], kind: str, place: str) -> Mapping[str, Any]:
    own = {key: value for key, value in table.items() if key in JOB_KEYS[kind]}
    for key, value in own.items():
        is_one = key == "output" or key in SCHEDULE_KEYS
        wanted = "a text" if is_one else "a text or a list of texts"
        if not (isinstance(value, str) or (not is_one and _is_texts(value))):
            raise ConfigError(f"{place} {key} = {value!r}: expected {wanted}")
    _checked_schedule(own, place)
    given = {key: value for key, value in table.items() if key not in own}
    _check_settings(given, place, tuple(JOB_KEYS[kind]), kind)
    return {**own, **{_whole(key, kind): value for key, value in given.items()}}


def _checked_schedule(own: Mapping[str, Any], place: str) -> Schedule | None:
    if "every" not in own:
        if "jitter" in own or "quiet" in own:
            raise ConfigError(f"{place} has jitter or quiet hours and no every", hint='add every = "6h"')
        return None
    try:
        return parse_schedule(own["every"], own.get("jitter"), own.get("quiet"))
    except ValueError as error:
        raise ConfigError(f"{place} {_schedule_words(own)}: {error}") from None


def _schedule_words(own: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} = {own[key]!r}" for key in SCHEDULE_KEYS if key in own)


def _check_settings(
    values: Mapping[str, Any], place: str, others: tuple[str, ...], kind: str, *, only: bool = False
) -> None:
    """Settings of a table: of a kind of job, or of the file (kind ""); `only` what differs for both kinds."""
    table = all_settings()
    known = [each.key for each in table.values() if each.of == kind or not (each.of or only)]
    _refuse_unknown(values, (*known, *others), place)
    for name, value in values.items():
        setting = table[_whole(name, kind)]
        try:
            coerce(value, setting.kind, setting.choices, setting.least)
        except ValueError as error:
            raise ConfigError(f"{place} {name} = {value!r}: {error}") from None


def _whole(key: str, kind: str) -> str:
    """A setting's whole name, by its key in a table of that kind."""
    return f"{kind}.{key}" if f"{kind}.{key}" in all_settings() else key


def _refuse_unknown(values: Mapping[str, Any], known: tuple[str, ...], place: str) -> None:
    for key in values:
        if key not in known:
            guess = nearest(key, known)
            hint = f"did you mean {guess!r}?" if guess else "`holdfast config` lists all settings"
            if tables := [each for each in all_settings().values() if each.key == key]:
                places = " or ".join(f"[{each.of}]" for each in tables)
                stands = places if tables[0].of else "the first lines of the file, or in a named table"
                hint = f"it stands in {stands}"
            kind = place.rpartition("[")[2].rstrip("]")
            if key in JOB_KEYS.get(kind, {}):
                hint = f"it stands in [{kind}.NAME]"
            raise UnknownNameError("settings", key, f"{place} there is no setting {key!r}", hint)


def _tables(value: Any, place: str) -> Mapping[str, Mapping[str, Any]]:
    if not isinstance(value, dict) or not all(isinstance(table, dict) for table in value.values()):
        raise ConfigError(f"{place} expected named tables, such as {place.rsplit(maxsplit=1)[-1][:-1]}.NAME]")
    return value


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)
