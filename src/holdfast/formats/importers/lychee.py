"""`lychee.toml` and `.lycheeignore`.

    exclude, .lycheeignore          skip_urls
    exclude_path                    lines for .holdfastignore
    timeout, max_redirects          the same
    max_concurrency                 link_concurrency
    host_concurrency                per_host
    host_request_interval           content_rate_limit
    max_cache_age                   link_ttl
    offline                         fetch_external_urls
    exclude_private, …_loopback     allow_private

Everything else is a note: because it is so anyway, or because Holdfast decides it by evidence.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from typing import Any, Final

from holdfast.core.errors import FormatError
from holdfast.formats.importers.imported import Imported, as_seconds, skip_pattern

__all__ = ["read_lychee", "read_lycheeignore"]

_PLAIN_PATH = re.compile(r"\^?\.?/?([\w\-./ ]+?)/?\$?")

_NOTES: Final = {
    "accept": "no status is declared fine: 401, 403 and 429 are `unknown` and fail no build, 404 is dead",
    "accept_timeouts": "a timeout is no failure until three looks over 48 hours failed",
    "include": "use ask_hosts for hosts; other patterns have no equal",
    "include_fragments": "sections are always looked for",
    "include_verbatim": "links in code are never links",
    "include_mail": "mail addresses are not asked",
    "header": 'use [origin."https://host"] with headers, secrets by the name of a variable',
    "basic_auth": 'use [origin."https://host"] with the credentials in a variable',
    "github_token": 'use [origin."https://api.github.com"] with bearer_env',
    "insecure": "certificates are always verified; ca_file names your own",
    "user_agent": "the user agent is truthful; `contact` adds who you are",
    "max_retries": "one request a run for each URL; what failed is looked at again at the next run",
    "retry_wait_time": "what failed is looked at again at the next run",
    "require_https": "`holdfast fix` proposes https where it answers the same",
    "remap": "there is no rewriting of URLs before they are asked; see `overrides` for identity",
    "base_url": "only URLs that name a host are tracked",
    "root_dir": "only URLs that name a host are tracked",
    "scheme": "http and https are asked, nothing else",
    "method": "pages are asked with GET: their content is what is tracked",
    "cache": "what is known is always kept, in .holdfast/",
    "suggest": "a copy that was kept is suggested: `holdfast show URL`",
    "archive": "a copy that was kept is suggested: `holdfast show URL`",
}
_SILENT: Final = frozenset(
    "verbose no_progress format output mode dump dump_inputs generate preprocess files_from threads "
    "cookie_jar extensions hidden no_ignore glob_ignore_case skip_missing min_tls fallback_extensions "
    "index_files exclude_link_local exclude_mail".split()
)  # fmt: skip


def read_lychee(text: str, place: str) -> Imported:
    """Read a `lychee.toml`; `place` is how messages name it."""
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{place}: {error}") from None
    settings: dict[str, Any] = {}
    paths: list[str] = []
    notes: list[str] = []
    for name, value in values.items():
        if name in _TAKEN:
            taken = _TAKEN[name](value)
            if taken is None:
                notes.append(f"{name} = {value!r}: not understood")
            else:
                settings |= taken
        elif name == "exclude":
            settings["skip_urls"], told = _patterns(value, "exclude")
            notes += told
        elif name == "exclude_path":
            found, told = _paths(value)
            paths += found
            notes += told
        elif name in _NOTES:
            notes.append(f"{name}: {_NOTES[name]}")
        elif name not in _SILENT:
            notes.append(f"{name} = {value!r}: has no equal here")
    return Imported(
        {name: value for name, value in settings.items() if value != ()}, tuple(paths), tuple(notes)
    )


def read_lycheeignore(text: str) -> Imported:
    """Read a `.lycheeignore`: a regular expression a line."""
    lines = [line.strip() for line in text.splitlines()]
    patterns, notes = _patterns(
        [line for line in lines if line and not line.startswith("#")], ".lycheeignore"
    )
    return Imported({"skip_urls": patterns} if patterns else {}, notes=tuple(notes))


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


_TAKEN: Final[dict[str, Callable[[Any], dict[str, Any] | None]]] = {
    "timeout": _number("timeout"),
    "max_redirects": _number("max_redirects"),
    "max_concurrency": _number("link_concurrency"),
    "host_concurrency": _number("per_host"),
    "host_request_interval": _interval,
    "max_cache_age": _age,
    "offline": lambda value: {"fetch_external_urls": not value},
    "exclude_private": _private,
    "exclude_loopback": _private,
    "exclude_all_private": _private,
}
