"""Moments: what the text of `--at`, `--since`, `--after`, `--until` and of a side of `diff` means (CLI-3).

1. A moment is one of six things: a stretch of time (`2026-05-04`, `2026-05-04T12:00Z`, `yesterday`,
   `today`), an instant (`7d` ago, a time with a fraction), the last finished run (`last`), a run (8 or more
   hex digits, or `run:` and fewer), a version of a page (`v2`), a git revision (`git:REV`).
2. A stretch lasts as long as its last written unit. Without a zone it is UTC.
3. Eight digits that are a date are that date, whatever runs there are; `run:` forces the run.
4. Nothing is guessed: what is nearly a moment is refused, and the hint says how it is written.
5. Nothing is asked here. What needs a store or a repository stays a value that names what is wanted:
   `LastRun`, `RunNamed`, `VersionNumber`, `GitRevision`. `moment_bounds` says what they mean in stores.
6. Total, and linear in the length of the text. `shown_moment` writes a moment so that reading gives it again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Final, assert_never

from holdfast.core.base.figures import EVER, parse_duration
from holdfast.core.base.shown_text import harmless, shown_typed
from holdfast.core.base.values import dataclass

_DAY: Final = timedelta(days=1)
_WORDS: Final = {"yesterday": -1, "today": 0}
_FIRST_MINUTE: Final = datetime.min.replace(tzinfo=UTC)
_LAST_MINUTE: Final = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
_EXAMPLE: Final = "2026-05-04"
_FORMS: Final = f"{_EXAMPLE}, {_EXAMPLE}T12:00Z, {_EXAMPLE}T12:00+02:00"
_ALL_FORMS: Final = (
    f"moments are written {_EXAMPLE}, {_EXAMPLE}T12:00Z, 7d, yesterday, last, v2, git:REV, run:ID"
)
_UNITS: Final = "wdhms"

_ZONE: Final = r"([Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
_WRITTEN_DAY: Final = r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
_day = re.compile(_WRITTEN_DAY).fullmatch
_eight = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})").fullmatch
_time = re.compile(
    rf"{_WRITTEN_DAY}[Tt ]([0-9]{{2}}:[0-9]{{2}})(?:(:[0-9]{{2}})(\.[0-9]{{1,9}})?)?{_ZONE}?"
).fullmatch
_ago = re.compile(rf"[0-9]+(?:\.[0-9]+)?[{_UNITS}]").fullmatch
_version = re.compile(r"v(0|[1-9][0-9]{0,17})").fullmatch
_is_id = re.compile(r"[0-9a-fA-F]{8,}").fullmatch
_like_a_date = re.compile(r"[0-9]{4}-[0-9]").match
_no_revision = re.compile(r"-|.*?(?:[\x00-\x20\x7f]|\.\.)", re.DOTALL).match


class MomentFault(StrEnum):
    """Why a text is no moment, or none that can be found."""

    EMPTY = "empty"
    NOT_A_MOMENT = "not_a_moment"
    NOT_A_DATE = "not_a_date"
    BAD_REVISION = "bad_revision"
    NO_RUN_FINISHED = "no_run_finished"
    UNFINISHED_RUN = "unfinished_run"
    MISSING_RUN = "missing_run"
    SEVERAL_IDS = "several_ids"
    NO_VERSIONS = "no_versions"
    MISSING_VERSION = "missing_version"
    NO_GIT = "no_git"
    MISSING_REVISION = "missing_revision"
    TOO_MANY = "too_many"


@dataclass(frozen=True, slots=True)
class MomentRefusal:
    """No moment came out of a text. `readings` has each thing that it could be, spelt so that it is clear."""

    fault: MomentFault
    message: str
    hint: str | None = None
    readings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """From `start` until just before `end`; an end of None is after all dates. `written`: the word for it."""

    start: datetime
    end: datetime | None
    written: str


@dataclass(frozen=True, slots=True)
class Instant:
    """A point in time; None is before all dates."""

    at: datetime | None


@dataclass(frozen=True, slots=True)
class LastRun:
    """The target's last finished run."""


@dataclass(frozen=True, slots=True)
class RunNamed:
    """The run whose id begins with these hex digits."""

    prefix: str


@dataclass(frozen=True, slots=True)
class VersionNumber:
    """A page's version, counted from 1."""

    number: int


@dataclass(frozen=True, slots=True)
class GitRevision:
    """What git calls a commit; its time is meant."""

    name: str


Moment = TimeSpan | Instant | LastRun | RunNamed | VersionNumber | GitRevision


def read_moment(text: str, now: datetime) -> Moment | MomentRefusal:
    """The moment that a text means; `now` is what durations and days are counted from."""
    text = text.strip()
    if not text:
        return MomentRefusal(MomentFault.EMPTY, "the moment is empty", _ALL_FORMS)
    for prefix, read in (("git:", _revision), ("run:", _forced_run)):
        if text.startswith(prefix):
            return read(text.removeprefix(prefix))
    if found := _unforced(text, now):
        return found
    if _like_a_date(text):
        return MomentRefusal(MomentFault.NOT_A_DATE, f"{_named(text)} is no date", _date_hint(text))
    return MomentRefusal(MomentFault.NOT_A_MOMENT, f"{_named(text)} is no moment", _hint(text))


def shown_moment(moment: Moment) -> str:
    """The moment as it is written; at the same time of asking it reads as the same moment."""
    match moment:
        case TimeSpan():
            return moment.written
        case Instant(at):
            return "99999999w" if at is None else _iso(at, "microseconds")
        case LastRun():
            return "last"
        case RunNamed(prefix):
            return f"run:{prefix}"
        case VersionNumber(number):
            return f"v{number}"
        case GitRevision(name):
            return f"git:{name}"
        case _:
            assert_never(moment)


def moment_flag(text: str) -> str | None:
    """The flag that a text belongs to which stands in another place and is, or looks like, a moment."""
    if re.fullmatch(r"v[0-9]+(?:\.[0-9]+)+", text):
        return f"--at git:{text}"
    match read_moment(text, EVER):
        case TimeSpan(written=written):
            return f"--since {text}" if written in _WORDS else f"--at {text}"
        case VersionNumber():
            return f"--at {text}"
        case Instant() | LastRun() | GitRevision():
            return f"--since {text}"
        case _:
            return None


def _unforced(text: str, now: datetime) -> Moment | None:
    return _word(text, now) or _digits(text) or _written_time(text)


def _word(text: str, now: datetime) -> Moment | None:
    if text == "last":
        return LastRun()
    if text in _WORDS:
        today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return _span(today + _WORDS[text] * _DAY, _DAY, text)
    if found := _version(text):
        return VersionNumber(int(found[1]))
    if _ago(text) and not _is_id(text):
        return Instant(_before(now, parse_duration(text)))
    return None


def _before(now: datetime, length: timedelta | None) -> datetime | None:
    try:
        return None if length is None else now.astimezone(UTC) - length
    except OverflowError:
        return None


def _digits(text: str) -> Moment | None:
    if (eight := _eight(text)) and (found := _written_time("-".join(eight.groups()))):
        return found
    return RunNamed(text.lower()) if _is_id(text) else None


def _forced_run(rest: str) -> Moment | MomentRefusal:
    if not rest:
        return MomentRefusal(
            MomentFault.EMPTY, "no run stands behind `run:`", "run:ID, as `holdfast log` shows"
        )
    if re.fullmatch(r"[0-9a-fA-F]+", rest):
        return RunNamed(rest.lower())
    message = f"no run is called {_named(rest)}: a run's id has the digits 0-9 and a-f"
    return MomentRefusal(MomentFault.MISSING_RUN, message, "`holdfast log --runs` lists the runs")


def _revision(rest: str) -> Moment | MomentRefusal:
    if not rest:
        return MomentRefusal(MomentFault.EMPTY, "no revision stands behind `git:`", "such as git:HEAD")
    if not _no_revision(rest):
        return GitRevision(rest)
    first, dots, second = rest.partition("..")
    hint = "one revision, such as git:HEAD"
    if dots and first and second.strip("."):
        hint = f"one revision each: --since git:{harmless(first)} --until git:{harmless(second.strip('.'))}"
    return MomentRefusal(MomentFault.BAD_REVISION, f"{_named(rest)} is not one git revision", hint)


def _written_time(text: str) -> TimeSpan | Instant | None:
    """A day or a time as it is written; None where it is none, or no such day or hour is there."""
    try:
        if _day(text):
            return _span(datetime.fromisoformat(text).replace(tzinfo=UTC), _DAY, text)
        if not (found := _time(text)):
            return None
        day, minute, second, fraction, zone = found.groups()
        part = fraction[:7].ljust(7, "0") if fraction else ""
        naive = datetime.fromisoformat(f"{day}T{minute}{second or ''}{part}")
    except ValueError:
        return None
    at = _in_utc(naive, zone or "Z")
    if fraction:
        return Instant(at)
    unit = timedelta(seconds=1) if second else timedelta(minutes=1)
    return _span(at, unit, _iso(at, "seconds" if second else "minutes"))


def _span(start: datetime, length: timedelta, written: str) -> TimeSpan:
    try:
        return TimeSpan(start, start + length, written)
    except OverflowError:
        return TimeSpan(start, None, written)


def _in_utc(naive: datetime, zone: str) -> datetime:
    """The time in UTC; at either end of all dates the last one that there is."""
    if zone in "Zz":
        return naive.replace(tzinfo=UTC)
    offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[4:]))
    try:
        return (naive + offset if zone[0] == "-" else naive - offset).replace(tzinfo=UTC)
    except OverflowError:
        return _LAST_MINUTE if zone[0] == "-" else _FIRST_MINUTE


def _iso(at: datetime, unit: str) -> str:
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec=unit) + "Z"


def _named(text: str) -> str:
    return f"'{shown_typed(text)}'"


# Hints: what is nearly a moment, and how it is written; the first of a table that fits the whole text. The
# patterns are compiled when somebody needs a hint.

_Hint = tuple[str, "Callable[[re.Match[str]], str | None]"]


def _padded(found: re.Match[str]) -> str | None:
    year, month, day = map(int, found.groups())
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


_DATES: Final[tuple[_Hint, ...]] = (
    (r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})", _padded),
    (r"[0-9]{4}-[0-9]{2}", lambda found: f"{found[0]}-01"),
    (rf"{_WRITTEN_DAY}[Tt ]([0-9]{{2}}){_ZONE}?", lambda m: f"{m[1]}T{m[2]}:00{m[3] or 'Z'}"),
    (rf"{_WRITTEN_DAY}{_ZONE}", lambda found: f"{found[1]}T00:00{found[2]}"),
)
_SECONDS: Final = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
_PART: Final = rf"([0-9]{{1,9}})([{_UNITS}])"


def _summed(found: re.Match[str]) -> str:
    seconds = sum(int(number) * _SECONDS[unit] for number, unit in re.findall(_PART, found[0]))
    unit = next(unit for unit in _UNITS[1:] if seconds % _SECONDS[unit] == 0)
    return f"{seconds // _SECONDS[unit]}{unit}"


def _stamp(found: re.Match[str]) -> str:
    try:
        return _iso(EVER + timedelta(seconds=int(found[1])), "seconds")
    except OverflowError:
        return _EXAMPLE


_MEANT: Final[tuple[_Hint, ...]] = (
    (r"now", lambda _: "0d"),
    (r"(?i:latest|newest|previous)", lambda _: "last"),
    (r"(?i:tomorrow)", lambda _: "a day ahead is written as a date"),
    (r"(?i:last|yesterday|today)", lambda found: found[0].lower()),
    (r"(?i:v[0-9]+)", lambda found: found[0].lower()),
    (r"(?:19|20)[0-9]{2}", lambda found: f"{found[0]}-01-01"),
    (r"[0-9]{1,7}", lambda found: f"{found[0]}d, {found[0]} days ago"),
    (rf"(?i:[+-]?([0-9]{{1,6}}(?:\.[0-9]{{1,4}})?[{_UNITS}]))", lambda found: found[1].lower()),
    (rf"(?:[0-9]{{1,9}}[{_UNITS}]){{2,9}}", _summed),
    (r"([0-9]{1,4}) ?mo(?:nths?)?(?: ago)?", lambda found: f"{int(found[1]) * 30}d"),
    (r"([0-9]{1,4}) ?y(?:ears?)?(?: ago)?", lambda found: f"{int(found[1]) * 365}d"),
    (
        r"([0-9]{1,6}) ?(s|m|h|d|w)(?:ec(?:ond)?|in(?:ute)?|our|ay|eek)?s?(?: ago)?",
        lambda found: f"{found[1]}{found[2]}",
    ),
    (r"@([0-9]{1,12})", _stamp),
    (r"[0-9]{1,4}[./][0-9]{1,2}[./][0-9]{1,4}", lambda _: f"a day is written {_EXAMPLE}"),
    (
        r"[0-9a-fA-F]{4,7}",
        lambda found: f"run:{found[0]} for a run, git:{found[0]} for a revision",
    ),
    (r"(?i:(?:run|git):.*)", lambda found: f"{found[0][:4].lower()}{found[0][4:]}"),
    (
        r"item:.*",
        lambda _: "a moment is a run, not what it kept; `holdfast show ITEM` shows an item",
    ),
    (r"[\w./~^-]{1,100}", lambda found: f"git:{found[0]} for a revision; {_ALL_FORMS}"),
)


def _first(table: tuple[_Hint, ...], text: str, otherwise: str) -> str:
    for pattern, hint in table:
        if found := re.fullmatch(pattern, text):
            meant = hint(found) or otherwise
            if " " not in meant:
                is_moment = _unforced(meant, EVER) or meant.startswith(("run:", "git:"))
                meant = f"write {meant}" if is_moment else otherwise
            return harmless(meant)
    return otherwise


def _date_hint(text: str) -> str:
    return _first(_DATES, text, f"days and times are written {_FORMS}, and must be there")


def _hint(text: str) -> str:
    return _first(_MEANT, text, _ALL_FORMS)
