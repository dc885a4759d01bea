"""Targets: what the text in a target's place means, as one grammar for all commands and faces (CLI-2).

1. What begins with `http://` or `https://` is a page, a section or a pattern and nothing else. A `*` makes it
   a pattern unless exactly that URL is kept; `%2A` is literal. No step of a policy touches a pattern: what
   were left out of it would make it wider.
2. `mirror:`, `check:`, `host:`, `run:`, `item:` force a kind. What begins with `.`, `/`, `~` or holds a slash
   is a path and nothing else. `*.example.com` is hosts; other words with `*`, `?`, `[` are globs.
3. Of any other word every reading that is there is collected: path, mirror, check, kept host, run, item. One
   is taken; several are an error that spells each. What is the same thing is one reading: a mirror's folder
   and name, a check and exactly its folder, a mirror's folder for a host and that host. A mirror wins over a
   host.
4. A host that is not kept is read only if nothing else fits, and that is told. What ends as documents and
   images do is a missing path.
5. A path that stands for nothing a command can be about is an error that says what it belongs to.
6. Reading is total and pure: `wanted` says what must be looked up, the caller hands it in as `Here`. It
   depends on what is here, never on the command: `command_table` says what a command takes.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Final, assert_never

from holdfast.core.targets.command_target import (
    CommandTarget,
    DocumentsForm,
    Here,
    PathKind,
    TargetKind,
    TargetLookups,
    TargetTold,
    host_of,
    host_of_word,
    is_id,
    spelt,
)
from holdfast.core.targets.target_refusals import (
    TargetFault,
    TargetRefusal,
    bad_host,
    bad_url,
    empty,
    foreign_url,
    missing,
    refusal_of_one,
    refusal_of_several,
)
from holdfast.core.url.compiled import canonicalize
from holdfast.core.url.policy import WEB
from holdfast.core.url.url import Refused, parse_url, userinfo_of

_is_url = re.compile(r"\s*https?://", re.IGNORECASE).match
_foreign = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://").match
_forced = re.compile(r"(mirror|check|host|run|item):(.*)", re.DOTALL).fullmatch
_is_path = re.compile(r"[./~]|.*/", re.DOTALL).match
_is_wild = re.compile(r"[*?\[]").search
_leading_dots = re.compile(r"(?:\./+)+").match
_hex = re.compile(r"[0-9a-fA-F]{4,64}").fullmatch
_backslashes = re.compile(r".*\\|[A-Za-z]:\Z", re.DOTALL).match
_A, _M = TargetKind.DOCUMENTS, TargetKind.MIRROR
_NONE: Final = CommandTarget(TargetKind.NONE)
_STDIN: Final = CommandTarget(_A, "-", DocumentsForm.STDIN)


def wanted(text: str | None) -> TargetLookups:
    """What must be known before this text can be read."""
    if text is None or not text.strip():
        return TargetLookups()
    if _is_url(text):
        url = canonicalize(text, WEB) if "*" in text else None
        return TargetLookups(urls=() if url is None or isinstance(url, Refused) else (url.text,))
    if "\0" in text:
        return TargetLookups()
    forced = _forced(text)
    rest = forced[2] if forced else text
    word = _word_in(rest)
    star = _is_wild(text)
    before_star = posixpath.dirname(text[: star.start()]) if star else ""
    paths = dict.fromkeys((text, rest, text.partition("#")[0], before_star))
    host = host_of(word)
    return TargetLookups(
        paths=tuple(path for path in paths if path),
        globs=(text,) if star else (),
        hosts=() if host is None else (host,),
        ids=word.lower() if _hex(word) or (forced and _is_hex(word)) else "",
    )


def read_target(text: str | None, here: Here) -> CommandTarget | TargetRefusal:
    """What a text means here, or why it means nothing, or what all it could mean."""
    if text is None:
        return _NONE
    if not text.strip():
        return empty(text)
    if _is_url(text):
        return _url(text, here)
    if "\0" in text:
        return TargetRefusal(TargetFault.BAD_PATH, "a path cannot hold a zero byte")
    if forced := _forced(text):
        return _of_prefix(forced[1], forced[2], text, here)
    if _foreign(text):
        return foreign_url(text)
    return _unforced(text, here)


def _url(text: str, here: Here) -> CommandTarget | TargetRefusal:
    """A page, a section or a pattern."""
    found, whole = parse_url(text), canonicalize(text, WEB)
    if isinstance(found, Refused):
        return bad_url(text, found.detail or found.reason.sentence)
    if isinstance(whole, Refused):
        return bad_url(text, whole.detail or whole.reason.sentence)
    told = TargetTold.CREDENTIALS if userinfo_of(text) else None
    is_pattern = "*" in found.href and whole.text not in here.urls
    if is_pattern and found.fragment:
        return bad_url(text, "a pattern has no sections", f"leave out `#{found.fragment}`")
    if is_pattern:
        return CommandTarget(TargetKind.PATTERN, found.href, told=told)
    if found.fragment:
        return CommandTarget(TargetKind.SECTION, f"{whole.text}#{found.fragment}", told=told)
    return CommandTarget(TargetKind.PAGE, whole.text, told=told)


def _of_prefix(prefix: str, rest: str, text: str, here: Here) -> CommandTarget | TargetRefusal:
    """What stands behind a prefix: of its kind, or missing with what else is there."""
    if not rest.strip():
        return empty(text)
    if prefix == "host":
        host = host_of(rest)
        return bad_host(text, rest) if host is None else CommandTarget(TargetKind.HOST, host)
    found = {each: spelt(each) for each in _of_kind(prefix, rest, here)}
    if not found:
        others = _at_path(text, here) | _readings(rest, here)
        return missing(TargetFault(f"missing_{prefix}"), text, others, here)
    return next(iter(found)) if len(found) == 1 else refusal_of_several(text, found)


def _of_kind(prefix: str, rest: str, here: Here) -> Iterator[CommandTarget]:
    match prefix:
        case "mirror" if rest in here.mirrors:
            yield CommandTarget(_M, rest)
        case "mirror":
            yield from (at for at in _at(rest, here) if at.kind is _M)
        case "check" if rest in here.checks:
            yield CommandTarget(_A, rest, DocumentsForm.CHECK)
        case "run" | "item":
            yield from (each for each in _ids(rest, here) if each.kind == prefix)


def _unforced(text: str, here: Here) -> CommandTarget | TargetRefusal:
    """A path, hosts, a glob, or a word."""
    if text == "-":
        return _STDIN
    if text.startswith("*.") and (below := host_of_word(text[2:], here)):
        return CommandTarget(TargetKind.PATTERN, f"*.{below}")
    is_path = bool(_is_path(text))
    found = _at_path(text, here) if is_path else _readings(text, here)
    if len(found) > 1:
        return refusal_of_several(text, found)
    if found:
        (target,) = found
        return refusal_of_one(text, target, here) or target
    host = None if is_path else host_of_word(text, here)
    if host is not None:
        return CommandTarget(TargetKind.HOST, host, told=TargetTold.NO_FILE)
    if text in here.globs:
        return CommandTarget(_A, text.removeprefix("./"), DocumentsForm.GLOB)
    return _missing(text, here, is_path=is_path)


def _missing(text: str, here: Here, *, is_path: bool) -> TargetRefusal:
    host, colon, port = text.rpartition(":")
    if colon and port.isdecimal() and not is_path and host_of(host):
        return bad_host(text, text)
    is_link = here.path(text).standing is PathKind.DANGLING
    if is_path or is_link or here.is_file_name(text) or _is_wild(text) or _backslashes(text):
        word = _word_in(text)
        others = {each: spelt(each) for each in _named(word, host_of(word), here)}
        return missing(TargetFault.MISSING_PATH, text, others, here)
    return missing(TargetFault.MISSING_ID if is_id(text) else TargetFault.MISSING_NAME, text, {}, here)


def _readings(word: str, here: Here) -> dict[CommandTarget, str]:
    """All that a word can be here, each thing once, with its clear spelling."""
    named = {each: spelt(each) for each in _named(word, host_of_word(word, here), here)}
    found = _at_path(word, here) | named
    folder = here.path(word).path
    if here.checks.get(word) == (folder,):
        found.pop(CommandTarget(_A, folder, DocumentsForm.FOLDER), None)
    has_mirror = any(each.kind is _M for each in found)
    return {each: text for each, text in found.items() if not (has_mirror and each.kind is TargetKind.HOST)}


def _at_path(text: str, here: Here) -> dict[CommandTarget, str]:
    return {each: text if _is_path(text) else f"./{text}" for each in _at(text, here)}


def _named(word: str, host: str | None, here: Here) -> Iterator[CommandTarget]:
    """What is called by a word: mirror, check, kept host, run, item."""
    if word in here.mirrors:
        yield CommandTarget(_M, word)
    if word in here.checks:
        yield CommandTarget(_A, word, DocumentsForm.CHECK)
    if host in here.hosts:
        yield CommandTarget(TargetKind.HOST, host or "")
    if is_id(word):
        yield from _ids(word, here)


def _ids(digits: str, here: Here) -> Iterator[CommandTarget]:
    digits = digits.lower()
    for kind, ids in ((TargetKind.RUN, here.runs), (TargetKind.ITEM, here.items)):
        yield from (CommandTarget(kind, each) for each in ids if each.startswith(digits))


def _at(text: str, here: Here) -> Iterator[CommandTarget]:
    """What stands at a path, or stood there and is known."""
    fact = here.path(text)
    match fact.standing:
        case PathKind.DANGLING:
            return
        case PathKind.NOTHING | PathKind.FOLDER:
            yield from _at_folder(fact.path, here, is_there=fact.standing is PathKind.FOLDER)
        case PathKind.DOCUMENT:
            yield CommandTarget(_A, fact.path, DocumentsForm.FILE)
        case PathKind.FILE:
            yield CommandTarget(TargetKind.FILE, fact.path)
        case PathKind.MIRROR:
            yield CommandTarget(_M, fact.mirror)
        case PathKind.PART:
            yield fact.stands_for or CommandTarget(TargetKind.PART, fact.mirror)
        case PathKind.STORE:
            yield CommandTarget(TargetKind.STORE, fact.path)
        case PathKind.BACKUP:
            yield CommandTarget(TargetKind.BACKUP, fact.path)
        case _:
            assert_never(fact.standing)


def _at_folder(path: str, here: Here, *, is_there: bool) -> Iterator[CommandTarget]:
    """A mirror's folder, on disk or not, or documents."""
    mirror = next((name for name, folder in here.mirrors.items() if folder == path), None)
    if mirror is not None:
        yield CommandTarget(_M, mirror)
    elif is_there:
        yield CommandTarget(_A, path, DocumentsForm.FOLDER)


def _word_in(text: str) -> str:
    """The word in a path: without `./` before it and slashes behind it."""
    dots = _leading_dots(text)
    return text[dots.end() if dots else 0 :].rstrip("/")


def _is_hex(text: str) -> bool:
    return bool(re.fullmatch(r"[0-9a-fA-F]{1,64}", text))
