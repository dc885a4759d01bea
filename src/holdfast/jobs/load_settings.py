"""Settings from files, flags and environment; what they say of identity and paths; those of queued work.

Settings that go with a job in the queue are those of the work, not those of a machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from holdfast.adapters.system import read_bytes as read_bytes  # noqa: PLC0414 - faces reach the outside through jobs
from holdfast.adapters.system import read_text as read_text  # noqa: PLC0414 - faces reach the outside through jobs
from holdfast.adapters.system import write_text as write_text  # noqa: PLC0414 - faces reach the outside through jobs
from holdfast.core.base.errors import ConfigError, UsageError
from holdfast.core.settings.identity import Identity, identity_in_force
from holdfast.core.settings.origins import read_origin_rules
from holdfast.core.settings.overrides_file import read_overrides
from holdfast.core.settings.reach import Reaching, untrusted_words
from holdfast.core.settings.resolve import Origin, Settings, UnknownNameError, resolve, setting_named
from holdfast.core.settings.settings_file import SettingsFile, read_settings_file
from holdfast.core.url.policy import JOIN, Overrides, Policy
from holdfast.jobs import name_tables
from holdfast.jobs.places import notice_once
from holdfast.jobs.trust import judged, user_word
from holdfast.storage.state_folder import find_config


def load_settings_file(start: Path, environment: Mapping[str, str]) -> SettingsFile:
    """The nearest `holdfast.toml`, without what reaches out of its folder and is not trusted (SEC-9); an
    empty one where there is none. Nobody reads one elsewhere.
    """
    config = find_config(start)
    if config is None:
        return SettingsFile(folder=user_word(environment))
    try:
        file = read_settings_file(read_text(config, "settings file"), str(config))
    except UnknownNameError as error:
        raise _renamed(error) from None
    return judged(file, config, environment)


def _renamed(error: UnknownNameError) -> ConfigError:
    """An older name is answered by the new one."""
    news = name_tables.named_anew(error.kind, error.name)
    if not news:
        return error
    if error.kind == "environment":
        return ConfigError(error.message, hint=f"{error.name} is called {' or '.join(news)} now")
    told = " and ".join(
        f"{key} in [{table}]" if table else key for table, _, key in (n.rpartition(".") for n in news)
    )
    return ConfigError(
        error.message,
        hint=f"{error.name} is {told} now; `holdfast config import holdfast.toml` writes a file anew",
    )


def load_settings(
    start: Path,
    *,
    flags: Mapping[str, Any],
    environment: Mapping[str, str],
    job: str | None = None,
) -> Settings:
    """Every setting, settled; `job` is `mirror.NAME` or `check.NAME`. What is not obeyed is said once."""
    file = load_settings_file(start, environment)
    named = _job_of(file, job) if job else {}
    try:
        settings = resolve(flags=flags, environment=environment, job=named, file=file.settings)
    except UnknownNameError as error:
        raise _renamed(error) from None
    told = file.targets if settings.store.notifications else ()
    missed = tuple(each for each in file.folder.withheld if _is_missed(each, settings, job))
    folder = replace(file.folder, withheld=missed)
    settings = replace(settings, origins=read_origin_rules(file.origins), notify=told, folder=folder)
    if missed:
        notice_once(untrusted_words(folder))
    store = setting_path(settings, "store")
    return replace(settings, store=replace(settings.store, folder=str(store))) if store else settings


def _is_missed(each: Reaching, settings: Settings, job: str | None) -> bool:
    """Whether a setting that is not trusted would have counted: no flag or variable stands in its place."""
    if each.table == job and job and setting_named(each.key) is None:
        return True
    if each.table and each.table != job:
        is_told = each.table.startswith("notify.") and settings.store.notifications
        return is_told or each.table.startswith("origin.")
    origin = next(row.origin for row in settings.resolved if row.setting.name == each.key)
    return origin is Origin.DEFAULT or origin is Origin.FILE


def _job_of(file: SettingsFile, job: str) -> Mapping[str, Any]:
    kind, dot, name = job.partition(".")
    if not dot or not name:
        known = [f"{kind}.{name}" for kind, jobs in file.jobs.items() for name in jobs]
        raise UsageError(
            f"a job is named by its kind and its name, not {job!r}",
            hint=f"jobs here: {', '.join(sorted(known))}" if known else "as in --job mirror.handbook",
        )
    return file.job(kind, name)


def config_file(start: Path) -> Path | None:
    """The settings file in force in a folder."""
    return find_config(start)


def setting_path(settings: Settings, name: str) -> Path | None:
    """A path among the settings: relative to the settings file if it came from there, else to the folder."""
    resolved = next(row for row in settings.resolved if row.setting.name == name)
    if resolved.value is None:
        return None
    folder = settings.folder.place if resolved.origin in (Origin.FILE, Origin.JOB) else ""
    return Path(folder, resolved.value)


def baseline_path(settings: Settings) -> Path | None:
    """The baseline file that the settings name."""
    return setting_path(settings, "baseline")


def load_identity(settings: Settings, default_policy: str) -> tuple[Identity, tuple[str, ...]]:
    """The identity in force, and what was odd about the overrides file."""
    path = setting_path(settings, "overrides")
    overrides = read_overrides(read_text(path, "overrides file"), str(path)) if path else Overrides()
    content = {
        row.setting.name: row.value
        for row in settings.resolved
        if row.setting.identity and row.setting.group == "distill" and row.value != row.setting.default
    }
    return identity_in_force(default_policy, settings.identity, overrides, content), overrides.warnings


def web_identity(settings: Settings, version: str = JOIN) -> Identity:
    """A version of `web` with the user's own overrides: the one that cited URLs are written by, if none is
    named.
    """
    return load_identity(replace(settings, identity=replace(settings.identity, policy=version)), version)[0]


def join_policy(settings: Settings, version: str) -> Policy:
    """The policy by which every table of a ledger finds a URL: the version that the ledger has recorded, with
    the user's own overrides (ID-12).
    """
    return web_identity(settings, version).policy


_HERE: Final = frozenset(
    {"store", "ledger", "archive", "archive_file_mb", "processes", "scheduler", "min_free_mb"}
)
"""Settings of a machine, not of the work."""


def settings_of_work(settings: Settings) -> dict[str, Any]:
    """What somebody has set, wherever the work is done."""
    return {
        row.setting.name: row.value
        for row in settings.resolved
        if row.origin is not Origin.DEFAULT and row.setting.name not in _HERE
    }


def settings_for_work(given: Mapping[str, Any], here: Settings) -> Settings:
    """The settings of a job, with this machine's ledger and archive, and what its file says besides."""
    own = {row.setting.name: row.value for row in here.resolved if row.setting.name in _HERE}
    file = {row.setting.name: row.value for row in here.resolved if row.origin in (Origin.FILE, Origin.JOB)}
    merged = resolve(flags={**name_tables.settings_anew(given), **own}, file=file)
    notify = here.notify if merged.store.notifications else ()
    return replace(merged, origins=here.origins, notify=notify, folder=here.folder)
