"""`lychee.toml`, `.lycheeignore` and `.lycheecache`.

    exclude, .lycheeignore          skip_urls
    exclude_path                    lines for .holdfastignore
    timeout, max_redirects          the same
    max_concurrency                 link_concurrency
    host_concurrency                per_host
    host_request_interval           content_rate_limit
    max_cache_age                   link_ttl
    offline                         fetch_external_urls
    exclude_private, …_loopback     allow_private
    accept, remap, root_dir         accept_status, remap, root_dir
    include_wikilinks               wiki_links
    scheme = ["https"]              skip_urls
    require_https                   fail_on
    max_retries                     confirm
    hosts.NAME.headers              [origin."https://NAME"]
    github_token                    [origin."https://api.github.com"]

Everything else is a note: because it is so anyway, or because Holdfast decides it by evidence.
"""

from __future__ import annotations

import csv
import io
import re
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

from holdfast.core.asking_rules import Remaps, statuses
from holdfast.core.errors import ConfigError, FormatError
from holdfast.core.told_states import ToldState
from holdfast.formats.importers.imported import Imported, as_seconds, skip_pattern

__all__ = ["read_lychee", "read_lycheecache", "read_lycheeignore"]

_SECRET: Final = frozenset(("authorization", "cookie", "proxy-authorization", "x-api-key"))
_PLAIN_PATH = re.compile(r"\^?\.?/?([\w\-./ ]+?)/?\$?")

_NOTES: Final = {
    "accept_timeouts": "a timeout is no failure until three looks over 48 hours failed",
    "include": "use ask_hosts for hosts; other patterns have no equal",
    "include_fragments": "sections are always looked for",
    "include_verbatim": "links in code are never links",
    "header": 'headers are sent to origins that are named: [origin."https://host"] with headers',
    "headers": 'headers are sent to origins that are named: [origin."https://host"] with headers',
    "basic_auth": 'use [origin."https://host"] with the credentials in a variable',
    "insecure": "certificates are always verified; ca_file names your own",
    "user_agent": "the user agent is truthful; `contact` adds who you are",
    "retry_wait_time": "a second look waits as long as its kind needs: 5 s after a 404, else 30 s",
    "base": "links without a host are checked as files; root_dir is the folder that / means",
    "base_url": "links without a host are checked as files; root_dir is the folder that / means",
    "method": "pages are asked with GET: their content is what is tracked",
    "cache": "what is known is always kept, in .holdfast/",
    "suggest": "a copy that was kept is suggested; `holdfast fix --only dead` proposes others (archive_url)",
    "archive": "a copy that was kept is suggested; `holdfast fix --only dead` proposes others (archive_url)",
    "cache_exclude_status": "what failed is asked again at the next run, what is unknown after link_ttl",
    "extensions": "Markdown, MDX, HTML, reStructuredText, AsciiDoc, notebooks and text are read",
    "preprocess": "documents are read as they are",
    "min_tls": "the versions of TLS are those of the system's library",
    "cookie_jar": "cookies are kept within one chain of redirects; [origin] sends your own",
    "include_mail": "mail addresses are not asked",
    "exclude_mail": "mail addresses are not asked",
    "fallback_extensions": "a link without extension may be a page that a generator makes, and is not judged",
    "index_files": "a link to a folder is fine if there is one",
}
_SILENT: Final = frozenset(
    "verbose no_progress format output mode dump dump_inputs generate files_from threads hidden no_ignore "
    "glob_ignore_case skip_missing exclude_link_local host_stats".split()
)  # fmt: skip


def read_lychee(text: str, place: str) -> Imported:
    """Read a `lychee.toml`; `place` is how messages name it."""
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{place}: {error}") from None
    imported = Imported()
    for name, value in values.items():
        imported += _one(name, value)
    return imported


def _one(name: str, value: Any) -> Imported:
    """What one setting of lychee's is here."""
    if name in _TAKEN:
        taken = _TAKEN[name](value)
        return Imported(notes=(f"{name} = {value!r}: not understood",)) if taken is None else Imported(taken)
    match name:
        case "exclude":
            patterns, told = _patterns(value, "exclude")
            return Imported({"skip_urls": patterns} if patterns else {}, notes=tuple(told))
        case "exclude_path":
            paths, told = _paths(value)
            return Imported(ignored_paths=tuple(paths), notes=tuple(told))
        case "hosts" if isinstance(value, dict):
            return _hosts(value)
        case "github_token":
            note = "github_token: its value is not copied; put it into the variable GITHUB_TOKEN"
            origins = {"https://api.github.com": {"bearer_env": "GITHUB_TOKEN"}}
            return Imported(notes=(note,), origins=origins)
    if name in _NOTES:
        return Imported(notes=(f"{name}: {_NOTES[name]}",))
    return Imported() if name in _SILENT else Imported(notes=(f"{name} = {value!r}: has no equal here",))


def _hosts(hosts: dict[str, Any]) -> Imported:
    """What is sent to each host; its pace is found while it is asked."""
    notes: list[str] = []
    origins: dict[str, dict[str, Any]] = {}
    for host, rules in hosts.items():
        given = rules if isinstance(rules, dict) else {}
        headers = given.get("headers", {})
        if isinstance(headers, dict) and headers:
            secret = [name for name in headers if name.lower() in _SECRET]
            plain = {name: str(value) for name, value in headers.items() if name not in secret}
            if plain:
                origins[f"https://{host}"] = {"headers": plain}
            notes += [f"hosts.{host}: {name} is a secret; name a variable in headers_env" for name in secret]
        if given.keys() & {"concurrency", "request_interval"}:
            notes.append(f"hosts.{host}: each host is asked at the pace that it takes; there is none to set")
    return Imported(notes=tuple(notes), origins=origins)


def read_lycheeignore(text: str) -> Imported:
    """Read a `.lycheeignore`: a regular expression a line."""
    lines = [line.strip() for line in text.splitlines()]
    patterns, notes = _patterns(
        [line for line in lines if line and not line.startswith("#")], ".lycheeignore"
    )
    return Imported({"skip_urls": patterns} if patterns else {}, notes=tuple(notes))


def read_lycheecache(text: str, place: str) -> tuple[ToldState, ...]:
    """Read a `.lycheecache`: URL, status and time in seconds, a line each; what has no status is left out."""
    told = []
    try:
        for row in csv.reader(io.StringIO(text), strict=True):
            if len(row) == 3 and row[1].isdigit() and row[2].isdigit():
                at = datetime.fromtimestamp(int(row[2]), UTC)
                told.append(ToldState(row[0], int(row[1]), at))
    except (csv.Error, ValueError, OverflowError, OSError) as error:
        raise FormatError(f"{place}: {error}") from None
    return tuple(told)


def _patterns(value: Any, source: str) -> tuple[tuple[str, ...], list[str]]:
    found, notes = [], []
    for pattern in value if isinstance(value, list) else [value]:
        ours, why = skip_pattern(str(pattern), source)
        if ours is not None:
            found.append(ours)
        if why is not None:
            notes.append(why)
    return tuple(found), notes


def _paths(value: Any) -> tuple[list[str], list[str]]:
    found, notes = [], []
    for pattern in value if isinstance(value, list) else [value]:
        plain = _PLAIN_PATH.fullmatch(str(pattern))
        if plain is not None:
            found.append(plain[1])
        else:
            notes.append(
                f"exclude_path: {pattern!r} is a regular expression; write it for .holdfastignore by hand"
            )
    return found, notes


def _number(ours: str) -> Callable[[Any], dict[str, Any] | None]:
    def take(value: Any) -> dict[str, Any] | None:
        seconds = as_seconds(value)
        return None if seconds is None else {ours: int(seconds) if ours != "timeout" else seconds}

    return take


def _interval(value: Any) -> dict[str, Any] | None:
    seconds = as_seconds(value)
    return None if seconds is None else {"content_rate_limit": 1 / seconds if seconds else 0.0}


def _age(value: Any) -> dict[str, Any] | None:
    seconds = as_seconds(value)
    return None if seconds is None else {"link_ttl": seconds / 3600}


def _private(value: Any) -> dict[str, Any] | None:
    return {"allow_private": False} if value else {}


def _accept(value: Any) -> dict[str, Any] | None:
    words = tuple(str(each) for each in (value if isinstance(value, list) else [value]))
    try:
        fine = statuses(words)
    except ConfigError:
        return None
    return {"accept_status": words} if any(status >= 400 for status in fine) else {}


def _remap(value: Any) -> dict[str, Any] | None:
    rules = tuple(str(each) for each in (value if isinstance(value, list) else [value]))
    try:
        Remaps(rules)
    except ConfigError:
        return None
    return {"remap": rules}


_TAKEN: Final[dict[str, Callable[[Any], dict[str, Any] | None]]] = {
    "timeout": _number("timeout"),
    "max_redirects": _number("max_redirects"),
    "max_concurrency": _number("link_concurrency"),
    "host_concurrency": _number("per_host"),
    "host_request_interval": _interval,
    "max_cache_age": _age,
    "offline": lambda value: {"fetch_external_urls": not value},
    "accept": _accept,
    "remap": _remap,
    "root_dir": lambda value: {"root_dir": str(value)},
    "include_wikilinks": lambda value: {"wiki_links": bool(value)},
    "scheme": lambda value: {"skip_urls": ("^http:",)} if value == ["https"] else {},
    "require_https": lambda value: {"fail_on": ("dead", "HF022")} if value else {},
    "max_retries": lambda value: {"confirm": True} if value else {},
    "exclude_private": _private,
    "exclude_loopback": _private,
    "exclude_all_private": _private,
}
