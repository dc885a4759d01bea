"""Flags that are settings: made from the table, read back from the parsed arguments.

1. A flag that was not given is None, so that environment, file and default can speak (STA-5).
2. A store is asked as the flags name it; what is odd about the overrides file is said.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus, UsageError
from holdfast.core.settings.identity import Identity
from holdfast.core.settings.reach import in_state, lacks_trusted_consent
from holdfast.core.settings.resolve import Origin, Setting, Settings, all_settings
from holdfast.core.settings.settings_file import SettingsFile
from holdfast.core.url.policy import JOIN
from holdfast.faces.cli.console import note, say_life_sign

if TYPE_CHECKING:
    from holdfast.questions.reader import Reader


def add_settings(parser: argparse._ActionsContainer, *names: str) -> None:
    """Give a command the flags of these settings."""
    table = all_settings()
    for name in names:
        if name != "store":
            _add(parser, table[name])
            continue
        for part in ("ledger", "archive"):  # who says where the store is may say where its parts are
            if part not in names:
                _add(parser, table[part])


def add_shared(parser: argparse._ActionsContainer, *flags: str) -> None:
    """Give a command flags that several have, and that mean the same in each."""
    for flag in flags:
        parser.add_argument(*_SHARED[flag][0], **_SHARED[flag][1])


_SHARED: Final[dict[str, tuple[tuple[str, ...], dict[str, Any]]]] = {
    "--dry-run": (
        ("-n", "--dry-run"),
        {
            "action": "store_true",
            "help": "show what would be asked, written or deleted, and do nothing of it",
        },
    ),
    "--yes": (("-y", "--yes"), {"action": "store_true", "help": "do it without asking"}),
    "--output": (("-o", "--output"), {"metavar": "PATH", "help": "the file or the folder to write"}),
}


def add_state(parser: argparse.ArgumentParser) -> None:
    """Let a command about a whole store be told which: by a folder, or by the flag (STA-6)."""
    words = "a mirror, or a folder of checked documents (default: the one you work in)"
    parser.add_argument("about", metavar="DIR", nargs="?", help=words)
    add_settings(parser, "store")


def served_folders(args: argparse.Namespace) -> list[Path]:
    """The folders that are named, or the store, or this one."""
    if args.folder and args.store:
        raise UsageError(f"{args.folder[0]} and --store {args.store}: name one of them")
    return [Path(name) for name in args.folder or [args.store or "."]]


def add_grouped_settings(parser: argparse.ArgumentParser, groups: Mapping[str, Sequence[str]]) -> None:
    """Give a command the flags of these settings, under the headings that help shows."""
    for heading, names in groups.items():
        add_settings(parser.add_argument_group(heading), *names)


def settings_from(args: argparse.Namespace, *, start: Path | None = None, job: str | None = None) -> Settings:
    """All settings as this command sees them: its flags, the environment, the file nearest to `start`."""
    table, environment = all_settings(), environment_of(args)
    flags = {name: value for name, value in vars(args).items() if name in table}
    about = getattr(args, "about", None)
    if about is not None and flags["store"]:
        raise UsageError(f"{about} and --store {flags['store']}: name one of them")
    start = start or Path(about or Path.cwd())
    settings = jobs.load_settings.load_settings(start, flags=flags, environment=environment, job=job)
    if args.verbose:
        _say_who_set(settings)
    if about is None:
        return settings
    return in_state(settings, str(jobs.places.state_near(start, settings)))


def _say_who_set(settings: Settings) -> None:
    for row in settings.resolved:
        if row.origin is not Origin.DEFAULT:
            value = ", ".join(row.value) if isinstance(row.value, tuple) else row.value
            note(f"setting: {row.setting.name} = {value} ({row.place})")


def environment_of(args: argparse.Namespace) -> Mapping[str, str]:
    """The environment; `--trust` is its `HOLDFAST_TRUST=all` for this one call."""
    return {**os.environ, **jobs.trust.TRUST_ALL} if args.trust else os.environ


def settings_file_of(args: argparse.Namespace) -> SettingsFile:
    """The settings file that is in force here, as far as it is trusted."""
    return jobs.load_settings.load_settings_file(Path.cwd(), environment_of(args))


def after_local_answer(status: ExitStatus, settings: Settings) -> ExitStatus:
    """How a command ends that answered without asking: refused, where consent to ask stands only in settings
    that are not trusted.
    """
    return ExitStatus.REFUSED if lacks_trusted_consent(settings) else status


def identity_from(settings: Settings, *, default_policy: str) -> Identity:
    """The identity these settings make; warnings of the overrides file go to the person."""
    identity, warnings = jobs.load_settings.load_identity(settings, default_policy)
    for warning in warnings:
        note(f"warning: {warning}")
    return identity


def say_what_is_odd(settings: Settings) -> None:
    """Tell the person what is odd about the overrides by which URLs are found (ID-12)."""
    identity_from(replace(settings, identity=replace(settings.identity, policy=JOIN)), default_policy=JOIN)


def _add(parser: argparse._ActionsContainer, setting: Setting) -> None:
    options: dict[str, Any] = {"dest": setting.name, "default": None, "help": setting.help.replace("%", "%%")}
    match setting.kind:
        case "bool" if setting.name == "ignore":  # as ripgrep has it: nobody says the default
            parser.add_argument("--no-ignore", action="store_const", const=False, **options)
            return
        case "bool":
            options["action"] = argparse.BooleanOptionalAction
        case "list":
            options |= {"action": "append", "metavar": "TEXT"}
        case "choice":
            options["choices"] = setting.choices
        case "path":
            options["metavar"] = "PATH"
        case _:
            options["metavar"] = {"int": "N", "float": "X", "seconds": "TIME", "duration": "TIME"}.get(
                setting.kind, "TEXT"
            )
    parser.add_argument(setting.flag, **options)


@contextmanager
def reader_from(args: argparse.Namespace) -> Iterator[Reader]:
    """Who answers for the store that the flags name; a search index says how far its building is."""
    settings = settings_from(args)
    say_what_is_odd(settings)
    with jobs.read_store.open_reader(settings, tell=_tell) as reader:
        yield reader


def _tell(done: int, total: int) -> None:
    say_life_sign(f"building the search index: {done:,} of {total:,}" if done < total else "searching")
