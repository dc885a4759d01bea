"""The fetch URL: one WHATWG-parsed form on which scope, robots, address guard and fetch all decide (ID-1).

1. This file is the only door to the parser. It never raises: a text is a `Url` or it is `Refused`.
2. A `Url` is http or https, has a host with no empty label, and carries no userinfo: credentials in a
   URL reach the fetcher through `userinfo_of`, and nothing else.
3. The fragment is kept beside the address, never in it: it is not sent, and not part of any identity.
4. Relative references are resolved against a fetch URL, never against a canonical one.
5. A text of which a pattern sees that the parser would give it back as it is, is taken apart unparsed: a
   host in lower case, nothing to be encoded or resolved. A property holds that against the parser.
6. A refusal is a value: why something that looked like a URL, or was one, gets no further. The reasons are
   a closed set; their words are shown to people and written to JSON, so a reason is renamed only with a
   change of schema.
7. A `Place` is where in the ledger a URL is: a worker hands it back, and all else of the ledger is about
   it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

import ada_url

from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.shown_text import is_utf8


class Refusal(StrEnum):
    """Why a text is not a canonical URL (ID-3, ID-6)."""

    RELATIVE = "relative"
    SCHEME = "scheme"
    UNPARSEABLE = "unparseable"
    EMPTY_LABEL = "empty_label"
    TOO_LONG = "too_long"
    ENDLESS = "endless"

    @property
    def sentence(self) -> str:
        """What a person is told."""
        return _SENTENCES[self]


_SENTENCES = {
    Refusal.RELATIVE: "a relative URL has no identity of its own",
    Refusal.SCHEME: "only http and https URLs have an identity",
    Refusal.UNPARSEABLE: "not a URL by the WHATWG rules (host, port or address is invalid)",
    Refusal.EMPTY_LABEL: "the host has an empty label",
    Refusal.TOO_LONG: "longer than 8,192 bytes in canonical form",
    Refusal.ENDLESS: "the rewrites of its host never end",
}


@dataclass(frozen=True, slots=True)
class Refused:
    """No URL came out of it; `reason` says why."""

    reason: Refusal
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail or self.reason.sentence}"


PARSER: Final = f"ada {ada_url.get_version()}"  # type: ignore[no-untyped-call]
"""The parser and its version: part of what identity rests on (ID-6)."""

_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IN_QUERY = r"A-Za-z0-9._~!$&()*+,;=:@/?%\-"
_plain = re.compile(
    r"(https?)://"
    # ASCII labels, none of them punycode, the last one beginning with a letter; or an address in its one form
    r"((?:(?!xn--)[a-z0-9\-]++\.)*(?!xn--)[a-z][a-z0-9\-]*+|" + rf"{_OCTET}(?:\.{_OCTET}){{3}})"
    r"(?::([1-5][0-9]{4}|[1-9][0-9]{0,3}))?"
    r"(/[A-Za-z0-9._~!$&'()*+,;=:@/\-]*+)" + rf"(?:\?([{_IN_QUERY}]*+))?+(?:#([{_IN_QUERY}]*+))?+"
).fullmatch
_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}
_SCHEME = re.compile(r"[\x00-\x20]*[A-Za-z][A-Za-z0-9+.\-\t\r\n]*:")


class Url(NamedTuple):
    """An address that can be asked for. Print it freely: it holds no credentials.

    A tuple: pages hold hundreds of them, which are made, compared and handed to other processes in a
    fraction of the time of a dataclass.
    """

    scheme: str
    host: str
    port: int | None
    path: str
    query: str | None
    fragment: str = ""

    @property
    def origin(self) -> str:
        """Scheme, host and port (the default one left out)."""
        return f"{self.scheme}://{self.host}" + (f":{self.port}" if self.port is not None else "")

    @property
    def target(self) -> str:
        """The request target: path and query."""
        return self.path if self.query is None else f"{self.path}?{self.query}"

    @property
    def href(self) -> str:
        """What is requested: the address without its fragment."""
        return self.origin + self.target

    @property
    def effective_port(self) -> int:
        """The port a connection is made to."""
        return self.port if self.port is not None else (443 if self.scheme == "https" else 80)

    def __str__(self) -> str:
        return f"{self.href}#{self.fragment}" if self.fragment else self.href


def parse_url(text: str, base: Url | None = None) -> Url | Refused:
    """Read a text as a URL, relative to `base` where there is one.

    Example:
        url = holdfast.parse_url("../other", holdfast.parse_url("https://example.com/a/b"))
        print(url)
    """
    if (match := _plain(text)) and "/." not in match[4]:  # whole: what it is relative to does not matter
        scheme, host, port, path, query, fragment = match.groups()
        number = int(port) if port and port != _DEFAULT_PORTS[scheme] else None
        return Url(scheme, host, number, path, query, fragment or "")
    href = _parse(text, base)
    if isinstance(href, Refused):
        return href
    # The parser's own serialization is cheaper to take apart than to ask for part by part.
    scheme, _, rest = href.partition(":")
    if scheme not in ("http", "https"):
        return Refused(Refusal.SCHEME, f"the scheme is {scheme!r}; only http and https have an identity")
    address, _, fragment = rest.partition("#")
    address, mark, query = address.partition("?")
    slash = address.index("/", 2)
    host = address[2:slash].rpartition("@")[2]
    port = ""
    if ":" in host and host[-1] != "]":
        host, _, port = host.rpartition(":")
    if ".." in host or host[0] == ".":
        return Refused(Refusal.EMPTY_LABEL, f"the host {host!r} has an empty label")
    return Url(
        scheme=scheme,
        host=host,
        port=int(port) if port else None,
        path=address[slash:],
        query=query if mark else None,
        fragment=fragment,
    )


def userinfo_of(text: str) -> tuple[str, str] | None:
    """The user and password in a text, percent-encoded as the parser left them; for the fetcher alone."""
    href = _parse(text, None)
    if isinstance(href, Refused):
        return None
    authority = href.partition("://")[2].partition("/")[0]
    userinfo, at, _ = authority.rpartition("@")
    user, _, password = userinfo.partition(":")
    return (user, password) if at else None


def _parse(text: str, base: Url | None) -> str | Refused:
    try:
        href: str = ada_url.join_url(base.href, text) if base else ada_url.normalize_url(text)
    except ValueError:
        reason = Refusal.UNPARSEABLE if base or _SCHEME.match(text) else Refusal.RELATIVE
        return Refused(
            reason, "" if is_utf8(text) else "it holds a byte or a surrogate that is not UTF-8 text"
        )
    return href


@lru_cache(maxsize=1_000)
def secure_form(url: str) -> str | None:
    """The same link by https; None where it is not one by http, or names a port."""
    parsed = parse_url(url) if url[:5].lower() == "http:" else None
    if not isinstance(parsed, Url) or parsed.port is not None:
        return None
    return "https" + url[4:]


class Place(NamedTuple):
    """A URL as the ledger keeps it: canonical by its policy, with the key that all policies share (ID-12).

    A tuple, as links are: a page has dozens of them.
    """

    url: str
    key: UrlKey
    web_key: UrlKey

    @property
    def host(self) -> str:
        """Host, and the port where it is not the default."""
        return self.url.split("/", 3)[2]
