"""Why a text in a target's place means nothing, or too much, and what to write instead (CLI-2).

1. A refusal says what was read and what was found; its hint has the text to write. Each reading that is there
   is spelt so that it means one thing wherever it is read.
2. What was typed is shown without user and password, and without a character that a terminal could obey.
3. A hint is made of what is here and of the text alone. It never names what is not there as if it were.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Final

from holdfast.core.base.shown_text import harmless, shown_typed
from holdfast.core.base.values import dataclass
from holdfast.core.targets.command_target import (
    CommandTarget,
    DocumentsForm,
    Here,
    PathKind,
    TargetKind,
    host_of,
    host_of_word,
    spelt,
)
from holdfast.core.targets.moment import moment_flag
from holdfast.core.url.url import Refused, parse_url

_LISTED: Final = 10
_MOST_MEANT: Final = 3
_ALL_FORMS: Final = (
    "a target is a URL, a mirror, a document or folder, a host, a run; `holdfast status` shows them"
)


class TargetFault(StrEnum):
    """Why a text is no target."""

    EMPTY = "empty"
    BAD_URL = "bad_url"
    BAD_HOST = "bad_host"
    BAD_PATH = "bad_path"
    TWO_READINGS = "two_readings"
    SEVERAL_IDS = "several_ids"
    NO_PAGE = "no_page"
    NOT_A_DOCUMENT = "not_a_document"
    STORE = "store"
    MISSING_PATH = "missing_path"
    MISSING_NAME = "missing_name"
    MISSING_MIRROR = "missing_mirror"
    MISSING_CHECK = "missing_check"
    MISSING_RUN = "missing_run"
    MISSING_ITEM = "missing_item"
    MISSING_ID = "missing_id"
    NOT_TAKEN = "not_taken"


@dataclass(frozen=True, slots=True)
class TargetRefusal:
    """No target came out of a text. `targets` are those that are there, where there are several or where one
    is nothing that questions take; `readings` spells each.
    """

    fault: TargetFault
    message: str
    hint: str | None = None
    targets: tuple[CommandTarget, ...] = ()
    readings: tuple[str, ...] = ()


def empty(text: str) -> TargetRefusal:
    """Nothing was written, or nothing behind a prefix."""
    prefix = text.strip()
    if prefix:
        return TargetRefusal(TargetFault.EMPTY, f"nothing stands behind '{prefix}'", f"write {prefix}NAME")
    hint = "a variable may be unset; `.` is the current folder"
    return TargetRefusal(TargetFault.EMPTY, "the target is empty text", hint)


def bad_url(text: str, why: str, hint: str | None = None) -> TargetRefusal:
    """It begins as a URL and is none that can be a page."""
    hint = hint or "a URL is written https://example.com/path"
    return TargetRefusal(TargetFault.BAD_URL, f"'{shown_typed(text)}' is no page: {why}", hint)


def foreign_url(text: str) -> TargetRefusal:
    """A URL of a scheme that nobody mirrors."""
    scheme = text.partition(":")[0].lower()
    hint = "write the path instead" if scheme == "file" else "only http:// and https:// URLs are pages"
    return bad_url(text, f"its scheme is {scheme}", hint)


def bad_host(text: str, host: str) -> TargetRefusal:
    """It stands in a host's place and is none."""
    url = parse_url(host)
    hint = "a host is a name such as example.com, or name:port with a port from 1 to 65535"
    if not isinstance(url, Refused):
        hint = f"host:{url.origin.partition('://')[2]}"
    elif host.startswith("*.") and host_of(host[2:]):
        hint = f"{host} for that host and all below it"
    return TargetRefusal(TargetFault.BAD_HOST, f"'{shown_typed(text)}' is no host", hint)


def refusal_of_several(text: str, found: Mapping[CommandTarget, str]) -> TargetRefusal:
    """A text that can be several things: all of them, each spelt so that it is clear."""
    are_ids = all(each.kind in (TargetKind.RUN, TargetKind.ITEM) for each in found)
    fault = TargetFault.SEVERAL_IDS if are_ids else TargetFault.TWO_READINGS
    readings = tuple(found.values())
    named = [f"{shown_typed(reading)} ({described(each)})" for each, reading in found.items()]
    more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    message = f"'{shown_typed(text)}' can be {len(found)} things: {', '.join(named[:_LISTED])}{more}"
    return TargetRefusal(fault, message, f"write {_listed(readings)}", tuple(found), readings)


def refusal_of_one(text: str, found: CommandTarget, here: Here) -> TargetRefusal | None:
    """What stands at a path and is nothing that a question is about; None where it is."""
    shown = f"'{shown_typed(text)}'"
    match found.kind:
        case TargetKind.FILE:
            fault, readings = TargetFault.NOT_A_DOCUMENT, [spelt(found)]
            message = f"{shown_typed(readings[0])} is a file that is neither document nor page"
            hint = "`read_as` in holdfast.toml says which files are documents"
        case TargetKind.PART:
            fault, readings = TargetFault.NO_PAGE, [spelt(found)]
            message = f"{shown} is in the mirror {harmless(found.value)} and stands for none of its pages"
            hint = f"{shown_typed(readings[0])} is the whole mirror"
        case TargetKind.STORE:
            mirror = here.path(text).mirror
            fault, readings = TargetFault.STORE, [f"mirror:{mirror}" if mirror else spelt(found)]
            message = f"{shown} is a store and no target"
            hint = f"write {shown_typed(readings[0])}, or --store {shown_typed(found.value)}"
        case TargetKind.BACKUP:
            fault, message, readings = TargetFault.STORE, f"{shown} is a backup of a store", []
            hint = f"--store {harmless(found.value)} reads it; `holdfast restore` writes it again"
        case _:
            return None
    return TargetRefusal(fault, message, hint, (found,), tuple(readings))


_RUNS: Final = "`holdfast log --runs` lists the runs"
_ABSENT: Final = {
    TargetFault.MISSING_PATH: (
        "there is no {}",
        "paths are seen from the current folder; `holdfast status` shows what is kept",
    ),
    TargetFault.MISSING_NAME: ("no file, mirror, check or kept host here is called {}", _ALL_FORMS),
    TargetFault.MISSING_MIRROR: ("no mirror here is called {}", "`holdfast status` shows the mirrors"),
    TargetFault.MISSING_CHECK: ("no check in holdfast.toml is called {}", "a check is a table [check.NAME]"),
    TargetFault.MISSING_RUN: ("no run here begins with {}", _RUNS),
    TargetFault.MISSING_ITEM: (
        "no item here begins with {}",
        "`holdfast log URL --items` lists a page's items",
    ),
    TargetFault.MISSING_ID: ("no run or item here begins with {}", _RUNS),
}
MISSING: Final = frozenset(_ABSENT)
"""The faults of what is not there."""
_UNFORCED: Final = (TargetFault.MISSING_PATH, TargetFault.MISSING_NAME, TargetFault.MISSING_ID)


def missing(fault: TargetFault, text: str, others: Mapping[CommandTarget, str], here: Here) -> TargetRefusal:
    """Nothing of that name is here; `others` are what else it could have been."""
    words, usual = _ABSENT[fault]
    readings = tuple(others.values())
    meant = [f"write {_listed(readings)}"] if readings else []
    if fault in _UNFORCED:
        meant += [look for look in _meant(text, here) if not any(reading in look for reading in readings)]
    name = text if fault in _UNFORCED else text.partition(":")[2]
    message = words.format(f"'{shown_typed(name)}'")
    hint = "; ".join(meant[:_MOST_MEANT]) or usual
    return TargetRefusal(fault, message, hint, tuple(others), readings)


def _listed(readings: tuple[str, ...]) -> str:
    return " or ".join(map(shown_typed, readings[:_LISTED]))


_KINDS: Final = {
    TargetKind.FILE: "a file that is no document",
    TargetKind.PART: "a file in a mirror that is no page",
    TargetKind.PATTERN: "a pattern of pages",
    TargetKind.SECTION: "a section of a page",
    TargetKind.PAGE: "a page",
    TargetKind.RUN: "a run",
    TargetKind.ITEM: "an item",
    TargetKind.BACKUP: "a backup",
}
_FORMS: Final = {
    DocumentsForm.FOLDER: "a folder of documents",
    DocumentsForm.FILE: "a document",
    DocumentsForm.CHECK: "a check",
    DocumentsForm.GLOB: "a glob of documents",
    DocumentsForm.STDIN: "standard input",
}


def described(target: CommandTarget) -> str:
    """What a target is, in words."""
    usual = f"the {target.kind} {shown_typed(target.value)}"
    return _FORMS[target.form] if target.form in _FORMS else _KINDS.get(target.kind, usual)


def _meant(text: str, here: Here) -> Iterator[str]:
    """What else the text looks like, each written as it would be right."""
    return (harmless(found) for look in _LOOKS if (found := look(text, here)))


def _as_url(text: str, _: Here) -> str | None:
    """A URL that lacks slashes, or its scheme."""
    slashes = text.replace("\\", "/")
    if re.match(r"https?:", slashes, re.IGNORECASE):
        url = parse_url(slashes)
    elif slashes.startswith("//"):
        url = parse_url(f"https:{slashes}")
    else:
        first, slash, _rest = slashes.partition("/")
        has_host = slash and not text.startswith(".") and host_of(first) and ("." in first or ":" in first)
        return f"a URL is written whole: https://{slashes}" if has_host else None
    return None if isinstance(url, Refused) else f"a URL is written whole: {url}"


def _as_pattern(text: str, here: Here) -> str | None:
    if text.startswith("re:"):
        return "regular expressions belong to --include and --exclude"
    if text in ("*", "**"):
        return "leave the target out for all that is here"
    if "*" in text and "." in text and "/" not in text and not here.is_file_name(text):
        return "the hosts below a name are written *.example.com, their pages https://HOST/*"
    return None


def _as_section(text: str, here: Here) -> str | None:
    path, mark, anchor = text.partition("#")
    page = here.path(path).stands_for if mark else None
    is_page = page is not None and page.kind is TargetKind.PAGE
    return f"a section is written with its URL: {page.value}#{anchor}" if page and is_page else None


def _as_mirror_part(text: str, here: Here) -> str | None:
    """A glob over a mirror, whose pages are no documents."""
    star = re.search(r"[*?\[]", text)
    folder = here.path(posixpath.dirname(text[: star.start()])) if star else None
    if not folder or folder.standing not in (PathKind.MIRROR, PathKind.PART):
        return None
    whole = spelt(folder.stands_for) if folder.stands_for else f"mirror:{folder.mirror}"
    return f"globs are of documents, never of the pages of the mirror {folder.mirror}: write {whole}"


def _as_moment(text: str, _: Here) -> str | None:
    flag = moment_flag(text)
    return None if flag is None else f"a moment stands behind its flag: {flag}"


def _as_host(text: str, here: Here) -> str | None:
    before, at, behind = text.rpartition("@")
    is_mail = at and before and "." in behind
    host = host_of(behind if is_mail else text)
    is_kept = host in here.hosts and not host_of_word(text, here)
    return f"a host is written host:{host}" if host and (is_mail or is_kept) else None


def _as_near_word(text: str, here: Here) -> str | None:
    """A name in other letters, with a full stop behind it, or a prefix in capitals."""
    prefix, colon, rest = text.partition(":")
    if colon and prefix.lower() in ("mirror", "check", "host", "run", "item"):
        return f"prefixes are small: {prefix.lower()}:{rest}"
    folded = text.casefold()
    near = next((name for name in (*here.mirrors, *here.checks) if name.casefold() == folded), None)
    if near is None and text.endswith("."):
        near = text.rstrip(".")
    return f"perhaps {near}" if near and near != text else None


def _as_id(text: str, here: Here) -> str | None:
    digits = text.lower()
    if not re.fullmatch(r"[0-9a-f]{4,7}", digits):
        return None
    ids = (("run", here.runs), ("item", here.items))
    found = next((kind for kind, known in ids if any(each.startswith(digits) for each in known)), None)
    return f"fewer than 8 digits need a prefix: {found}:{text}" if found else None


_LOOKS: Final[tuple[Callable[[str, Here], str | None], ...]] = (
    _as_url,
    _as_pattern,
    _as_section,
    _as_mirror_part,
    _as_moment,
    _as_host,
    _as_near_word,
    _as_id,
)
