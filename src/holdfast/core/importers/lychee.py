"""What lychee's `lychee.toml`, `.lycheeignore` and `.lycheecache` say, in settings of ours.

    exclude, .lycheeignore          skip_urls
    include                         ask_urls
    exclude_path                    lines for .holdfastignore
    extensions                      read_as
    hidden, no_ignore               hidden, ignore
    timeout, max_redirects          the same
    max_concurrency                 concurrency
    host_concurrency                per_host
    host_request_interval           content_rate_limit
    hosts.NAME                      [origin."https://NAME"]: its headers and its pace
    max_cache_age                   link_ttl
    offline                         fetch_external_urls
    exclude_private, …_loopback     allow_private
    accept, remap, base_url         accept, remap, base_url
    header                          header
    root_dir, include_wikilinks     root_dir, wiki_links
    scheme = ["https"]              skip_urls
    require_https                   fail_on
    max_retries                     confirm
    basic_auth, github_token        [origin."https://NAME"], the secret in a variable

The other settings of lychee's need none here: because it is so anyway (`ANYWAY`), because a flag of a
command says it (`FLAGS`), or because there is no equal, and why (`NO_EQUAL`).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

from holdfast.core.base.errors import ConfigError, FormatError
from holdfast.core.base.plain_data import read_toml
from holdfast.core.documents.document_kinds import SUFFIXES
from holdfast.core.importers.imported import Imported, as_seconds, skip_pattern
from holdfast.core.links.after_look import ToldState
from holdfast.core.settings.origins import SECRET_FIELDS, header_fields, statuses
from holdfast.core.settings.patterns import Remaps
from holdfast.core.url.url import Url, parse_url

_KEPT = "the copy that was kept is suggested; `holdfast fix --only dead` proposes others (public_archive)"

ANYWAY: Final = {
    "accept_timeouts": "a timeout fails nothing until three looks over 48 hours failed",
    "archive": _KEPT,
    "cache": "what is known is kept, in .holdfast/",
    "cache_exclude_status": "what failed is asked again at the next run, what is unknown after link_ttl",
    "exclude_link_local": "link-local addresses are never asked",
    "exclude_mail": "mail addresses are not written to; their syntax is looked at",
    "fallback_extensions": "a link without suffix is fine if a document of that name is there",
    "include_fragments": "sections are always looked for",
    "include_mail": "mail addresses are judged by their syntax",
    "index_files": "the index file of a folder is found whatever it is called",
    "method": "pages are asked with GET",
    "retry_wait_time": "a second look waits as long as its kind needs: 5 s after a 404, else 30 s",
    "suggest": _KEPT,
}
FLAGS: Final = {
    "dump": "`holdfast check --dry-run` lists what would be asked",
    "dump_inputs": "`holdfast check --dry-run` lists what would be asked",
    "files_from": "name the files as arguments, or as paths in [check.NAME]",
    "format": "`--format text|json|jsonl|junit|sarif|github|markdown`",
    "generate": "`holdfast completion`, and the man pages",
    "glob_ignore_case": "",
    "host_stats": "",
    "mode": "",
    "no_progress": "",
    "output": "reports go to standard output",
    "skip_missing": "",
    "threads": "",
    "verbose": "",
}
NO_EQUAL: Final = {
    "cookie_jar": "cookies are kept within one chain of redirects; [origin] sends your own",
    "default_extension": "files without a suffix are not documents; `read_as` names those that are",
    "include_verbatim": "links in code are never links",
    "insecure": "certificates are always verified; ca_file names your own",
    "min_tls": "the versions of TLS are those of the system's library",
    "preprocess": "documents are read as they are; pipe what a program makes: `… | holdfast check -`",
    "user_agent": "the user agent is truthful; `contact` adds who you are",
}
UNLESS_SET: Final = frozenset(("include_verbatim", "insecure"))
"""Those that are so anyway when they are off."""


_PLAIN_PATH = re.compile(r"\^?\.?/?([\w\-./ ]+?)/?\$?")
_SUFFIX_PATH = re.compile(r"\\\.(\w+)\$")
_FOLDER_PATH = re.compile(r"\(\^\|/\)([\w-]+)/")
_LETTERS_PATH = re.compile(r"\[\w+\]")
_HOST = re.compile(r"\^?(?:https?\??://)?((?:[\w-]+\\?\.)+[\w-]+)/?(?:\.\*)?\$?")
_VARIABLE = re.compile(r"\W")


def read_lychee(text: str, place: str) -> Imported:
    """Read a `lychee.toml`; `place` is how messages name it."""
    try:
        values = read_toml(text)
    except ValueError as error:
        raise FormatError(f"{place}: {error}") from None
    imported = Imported()
    for name, value in values.items():
        imported += _one(name, value)
    return imported


def _one(name: str, value: Any) -> Imported:
    """What one setting of lychee's is here."""
    if name in _WHOLE:
        return _WHOLE[name](value)
    if name in _TAKEN:
        taken = _TAKEN[name](value)
        return Imported(notes=(f"{name} = {value!r}: not understood",)) if taken is None else Imported(taken)
    if name in ANYWAY or (FLAGS.get(name)):
        return Imported(anyway=(f"{name}: {ANYWAY.get(name) or FLAGS[name]}",))
    if name in FLAGS or (name in UNLESS_SET and not value):
        return Imported()
    return Imported(notes=(f"{name}: {NO_EQUAL.get(name, f'{value!r} has no equal here')}",))


def _exclude(value: Any) -> Imported:
    patterns, told = _patterns(value, "exclude")
    return Imported({"skip_urls": patterns} if patterns else {}, notes=tuple(told))


def _include(value: Any) -> Imported:
    patterns, told = _patterns(value, "include")
    return Imported({"ask_urls": patterns} if patterns else {}, notes=tuple(told))


def _exclude_path(value: Any) -> Imported:
    paths, told = _paths(value)
    return Imported(ignored_paths=tuple(paths), notes=tuple(told))


def _github_token(_: Any) -> Imported:
    note = "github_token: its value is not copied; put it into the variable GITHUB_TOKEN"
    return Imported(notes=(note,), origins={"https://api.github.com": {"bearer_env": "GITHUB_TOKEN"}})


def _hosts(value: Any) -> Imported:
    """What is sent to each host, and at which pace it is asked."""
    notes: list[str] = []
    origins: dict[str, dict[str, Any]] = {}
    for host, rules in value.items() if isinstance(value, dict) else ():
        given = rules if isinstance(rules, dict) else {}
        rule: dict[str, Any] = {}
        headers = given.get("headers", {})
        if isinstance(headers, dict) and headers:
            secret = [name for name in headers if name.lower() in SECRET_FIELDS]
            plain = {name: str(value) for name, value in headers.items() if name not in secret}
            rule |= {"headers": plain} if plain else {}
            notes += [f"hosts.{host}: {name} is a secret; name a variable in headers_env" for name in secret]
        interval, width = as_seconds(given.get("request_interval")), given.get("concurrency")
        if interval is not None:
            rule["content_rate_limit"] = 1 / interval if interval else 0.0
        if isinstance(width, int) and width > 0:
            rule["per_host"] = width
        if rule:
            origins[f"https://{host}"] = rule
    return Imported(notes=tuple(notes), origins=origins)


def _header(value: Any) -> Imported:
    """Header fields for every host, without secrets."""
    given = value.items() if isinstance(value, dict) else (str(each).partition("=")[::2] for each in value)
    fields, notes = [], []
    for name, text in given if isinstance(value, (dict, list)) else ():
        line = f"{name}: {text}"
        try:
            header_fields([line])
        except ConfigError as error:
            notes.append(f"header {name}: {error.message.partition(': ')[2]}; see [origin]")
        else:
            fields.append(line)
    return Imported({"header": tuple(fields)} if fields else {}, notes=tuple(notes))


def _basic_auth(value: Any) -> Imported:
    """Who asks which host; passwords are not copied."""
    notes: list[str] = []
    origins: dict[str, dict[str, Any]] = {}
    for rule in value if isinstance(value, list) else [value]:
        pattern, _, login = str(rule).partition(" ")
        host, user = _HOST.fullmatch(pattern), login.partition(":")[0].strip()
        if host is None or not user:
            notes.append(f"basic_auth {pattern}: is not one host; name it by hand in [origin]")
            continue
        name = host[1].replace("\\", "")
        variable = _VARIABLE.sub("_", name).upper() + "_PASSWORD"
        origins[f"https://{name}"] = {"basic_user": user, "basic_password_env": variable}
        notes.append(f"basic_auth {name}: its password is not copied; put it into the variable {variable}")
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
        text = str(pattern)
        if suffix := _SUFFIX_PATH.fullmatch(text):
            found.append(f"*.{suffix[1]}")
        elif folder := _FOLDER_PATH.fullmatch(text):
            found.append(f"{folder[1]}/")
        elif letters := _LETTERS_PATH.fullmatch(text):
            found.append(f"*{letters[0]}*")
        elif plain := _PLAIN_PATH.fullmatch(text):
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
    return None if seconds is None else {"check.max_age": f"{seconds / 3600:g}h"}


def _private(value: Any) -> dict[str, Any] | None:
    return {"allow_private": False} if value else {}


def _accept(value: Any) -> dict[str, Any] | None:
    words = tuple(str(each) for each in (value if isinstance(value, list) else [value]))
    try:
        fine = statuses(words)
    except ConfigError:
        return None
    return {"accept": words} if any(status >= 400 for status in fine) else {}


def _remap(value: Any) -> dict[str, Any] | None:
    rules = tuple(str(each) for each in (value if isinstance(value, list) else [value]))
    try:
        Remaps(rules)
    except ConfigError:
        return None
    return {"remap": rules}


def _base_url(value: Any) -> dict[str, Any] | None:
    """A site is one; a folder is what `/` means."""
    url = parse_url(str(value))
    return {"base_url": url.href} if isinstance(url, Url) else {"root_dir": str(value)}


def _extensions(value: Any) -> dict[str, Any] | None:
    words = value if isinstance(value, list) else str(value).split(",")
    suffixes = [str(word).strip().lstrip(".").lower() for word in words]
    others = tuple(f"*.{suffix}" for suffix in suffixes if suffix and suffix not in SUFFIXES)
    return {"read_as": others} if others else {}


_TAKEN: Final[dict[str, Callable[[Any], dict[str, Any] | None]]] = {
    "timeout": _number("timeout"),
    "max_redirects": _number("max_redirects"),
    "max_concurrency": _number("concurrency"),
    "host_concurrency": _number("per_host"),
    "host_request_interval": _interval,
    "max_cache_age": _age,
    "offline": lambda value: {"fetch_external_urls": not value},
    "accept": _accept,
    "remap": _remap,
    "root_dir": lambda value: {"root_dir": str(value)},
    "base_url": _base_url,
    "base": _base_url,
    "extensions": _extensions,
    "hidden": lambda value: {"hidden": bool(value)},
    "no_ignore": lambda value: {"ignore": not value},
    "include_wikilinks": lambda value: {"wiki_links": bool(value)},
    "scheme": lambda value: {"skip_urls": ("^http:",)} if value == ["https"] else {},
    "require_https": lambda value: {"check.fail_on": ("dead", "HF022")} if value else {},
    "max_retries": lambda value: {"confirm": True} if value else {},
    "exclude_private": _private,
    "exclude_loopback": _private,
    "exclude_all_private": _private,
}
_WHOLE: Final[dict[str, Callable[[Any], Imported]]] = {
    "basic_auth": _basic_auth,
    "exclude": _exclude,
    "exclude_path": _exclude_path,
    "github_token": _github_token,
    "header": _header,
    "headers": _header,
    "hosts": _hosts,
    "include": _include,
}
