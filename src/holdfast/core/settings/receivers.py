"""Who is told of what: one `[notify.NAME]` of `holdfast.toml`, checked.

    [notify.team]
    webhook = "https://hooks.example.com/holdfast"   or webhook_env: the variable that holds the address
    secret_env = "HOOK_SECRET"                       what it is signed with, by the name of a variable
    events = ["changed", "gone", "died", "failed"]   default: whatever is new or worse
    urls = ["https://docs.example.com/api/*", "https://docs.example.com/limits#rate-limits"]
    skip = ["*/changelog*"]
    drift = 0.1
    digest = "day"                                   or "run", the default
    at = "08:00"

    [notify.me]
    mail = "ann@example.com"                         one or a list
    smtp = "smtp://mail.example.com:587"             or smtps://
    from = "holdfast@example.com"
    user = "holdfast"
    password_env = "MAIL_PASSWORD"

    [notify.desk]
    command = "notify-send Holdfast"                 or apprise_env: the variable that holds the address

1. A target names exactly one way: a command, a webhook, mail, or an address for `apprise`.
2. Secrets are named by their variable. A target holds none, so nothing that shows one shows a secret.
3. A pattern is a glob as elsewhere (`*`); with `#NAME` it means one section of the pages that it matches.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field
from datetime import time
from enum import StrEnum
from typing import Any, Final

from holdfast.core.base.errors import ConfigError, UsageError, nearest
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.settings.reach import Reach
from holdfast.core.url.scope import check_pattern


class Channel(StrEnum):
    """A way to tell somebody."""

    COMMAND = "command"
    WEBHOOK = "webhook"
    MAIL = "mail"
    APPRISE = "apprise"


class Digest(StrEnum):
    """How much one message gathers."""

    RUN = "run"
    DAY = "day"


_WAYS: Final = {
    "command": Channel.COMMAND,
    "webhook": Channel.WEBHOOK,
    "webhook_env": Channel.WEBHOOK,
    "mail": Channel.MAIL,
    "apprise_env": Channel.APPRISE,
}
_OWN: Final[Mapping[Channel, tuple[str, ...]]] = {
    Channel.COMMAND: (),
    Channel.WEBHOOK: ("secret_env", "allow_private"),
    Channel.MAIL: ("smtp", "from", "user", "password_env"),
    Channel.APPRISE: (),
}
TARGET_REACH: Final[Mapping[str, Reach]] = {
    "command": Reach.PROGRAM,
    "webhook": Reach.NETWORK,
    "webhook_env": Reach.CREDENTIAL,
    "secret_env": Reach.CREDENTIAL,
    "allow_private": Reach.NETWORK,
    "mail": Reach.NETWORK,
    "smtp": Reach.SERVER,
    "from": Reach.NETWORK,
    "user": Reach.CREDENTIAL,
    "password_env": Reach.CREDENTIAL,
    "apprise_env": Reach.CREDENTIAL,
}
"""What each key of a way to tell somebody reaches; what is told, and when, reaches nothing."""
_SHARED: Final = ("events", "urls", "skip", "drift", "digest", "at")
_LISTS: Final = ("mail", "events", "urls", "skip")
_TOLD: Final = frozenset(kind for kind in EventKind if kind.is_told)


@dataclass(frozen=True, slots=True)
class UrlPattern:
    """Which pages, and which section of them; an empty section is the whole page."""

    glob: str
    section: str = ""


@dataclass(frozen=True, slots=True)
class EventFilter:
    """What somebody wants to be told: of these kinds, these pages and not those, from this drift on.

    `tells_of_runs` says that runs that failed belong to it, which have no URL.
    """

    kinds: frozenset[EventKind] = _TOLD
    urls: tuple[UrlPattern, ...] = ()
    skip: tuple[UrlPattern, ...] = ()
    drift: float = 0.0
    tells_of_runs: bool = True


@dataclass(frozen=True, slots=True)
class Target:
    """Somebody to be told. `options` are what the channel needs to know, as the file has them."""

    name: str
    channel: Channel
    options: Mapping[str, Any] = field(default_factory=dict)
    wanted: EventFilter = EventFilter()
    digest: Digest = Digest.RUN
    at: time = time(8)

    def text(self, key: str) -> str:
        """An option of the channel; empty where it is not there."""
        return str(self.options.get(key, ""))


def read_target(name: str, table: Mapping[str, Any]) -> Target:
    """A target, checked whole; a `ConfigError` names what is wrong."""
    place = f"[notify.{name}]"
    ways = [key for key in _WAYS if key in table]
    if len({_WAYS[key] for key in ways}) != 1 or len(ways) != 1:
        raise ConfigError(f"{place} needs exactly one of {', '.join(_WAYS)}")
    channel = _WAYS[ways[0]]
    _check_keys(place, table, (*ways, *_OWN[channel], *_SHARED))
    options = {key: table[key] for key in (*ways, *_OWN[channel]) if key in table}
    if channel is Channel.MAIL and not ("smtp" in options and "from" in options):
        raise ConfigError(f"{place} needs smtp and from", hint='smtp = "smtp://mail.example.com:587"')
    return Target(
        name, channel, options, _filter(place, table), _digest(place, table), _time(place, table.get("at"))
    )


def _check_keys(place: str, table: Mapping[str, Any], known: Collection[str]) -> None:
    for key, value in table.items():
        if key not in known:
            guess = nearest(key, known)
            raise ConfigError(
                f"{place} there is no key {key!r}",
                hint=f"did you mean {guess!r}?" if guess else f"known here: {', '.join(known)}",
            )
        if key == "allow_private":
            wanted, is_right = "true or false", isinstance(value, bool)
        elif key == "drift":
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            wanted, is_right = "a number from 0 to 1", is_number and 0 <= value <= 1
        elif key in _LISTS:
            wanted, is_right = "a text or a list of texts", bool(_texts(value))
        else:
            wanted, is_right = "a text", isinstance(value, str) and bool(value)
        if not is_right:
            raise ConfigError(f"{place} {key} = {value!r}: expected {wanted}")


def _filter(place: str, table: Mapping[str, Any]) -> EventFilter:
    kinds = _TOLD
    if "events" in table:
        words = _texts(table["events"])
        for word in words:
            if word not in set(EventKind):
                guess = nearest(word, list(EventKind))
                hint = f"did you mean {guess!r}?" if guess else f"there are: {', '.join(EventKind)}"
                raise ConfigError(f"{place} there is no event {word!r}", hint=hint)
        kinds = frozenset(map(EventKind, words))
    urls = _patterns(place, table.get("urls", ()))
    return EventFilter(
        kinds,
        urls,
        _patterns(place, table.get("skip", ())),
        float(table.get("drift", 0.0)),
        not urls or "events" in table,
    )


def _patterns(place: str, value: Any) -> tuple[UrlPattern, ...]:
    found = []
    for text in _texts(value):
        glob, _, section = text.partition("#")
        try:
            found.append(UrlPattern(check_pattern(glob), section))
        except UsageError as error:
            raise ConfigError(f"{place} {error.message}", hint=error.hint) from None
    return tuple(found)


def _digest(place: str, table: Mapping[str, Any]) -> Digest:
    word = table.get("digest", Digest.RUN)
    if word not in set(Digest):
        raise ConfigError(f"{place} digest = {word!r}: expected run or day")
    if "at" in table and word != Digest.DAY:
        raise ConfigError(f"{place} has at and no day to gather", hint='add digest = "day"')
    return Digest(word)


def _time(place: str, text: str | None) -> time:
    if text is None:
        return time(8)
    try:
        return time.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"{place} at = {text!r}: expected a time of day, such as 08:00") from None


def _texts(value: Any) -> tuple[str, ...]:
    """One text or several; none where it is something else."""
    if isinstance(value, str):
        return (value,) if value else ()
    is_list = isinstance(value, list | tuple)
    return tuple(value) if is_list and all(isinstance(part, str) and part for part in value) else ()
