"""What the user has Holdfast send to one origin, and the user's own rules about asking (SEC-3).

To one origin go headers, cookies, credentials, a proxy:

    [origin."https://example.com"]
    headers = { "X-Team" = "docs" }              sent as they are
    headers_env = { "X-Api-Key" = "EXAMPLE_KEY" } values by the name of an environment variable
    cookies = { session = "…" }
    cookies_env = { session = "EXAMPLE_SESSION" }
    basic_user = "ann"
    basic_password_env = "EXAMPLE_PASSWORD"
    bearer_env = "EXAMPLE_TOKEN"
    proxy = "http://proxy.example.com:3128"
    content_rate_limit = 0.5                     requests a second, and how many at a time, for cited links
    per_host = 4

1. An `OriginRule` is what the file says: it names variables and holds no secret it was not given.
2. An `OriginAccess` is the rule with the variables read. It prints as its origin alone, so that no log,
   error or dump can show what is in it. It is never part of a capture, a trail or a request that goes
   to another origin.

Rules about asking are statuses that are fine, and header fields that are sent with every request:

3. A status is a number or a range: `403`, `200..=299`, `500..504` (without its end), `..300`, `500..`.
4. A header field is `Name: value`. What is secret is sent to origins that are named, never to all; what
   says who asks, and how, is not to be set.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Final
from urllib.parse import unquote

from holdfast.core.base.errors import ConfigError
from holdfast.core.base.values import dataclass
from holdfast.core.settings.field import LARGEST
from holdfast.core.settings.reach import Reach
from holdfast.core.url.url import Refused, Url, parse_url, userinfo_of

_TEXTS: Final = ("basic_user", "basic_password_env", "bearer_env", "proxy")
_NUMBERS: Final = ("content_rate_limit", "per_host")
_TABLES: Final = ("headers", "headers_env", "cookies", "cookies_env")

ORIGIN_KEYS: Final[Mapping[str, Reach]] = {
    **dict.fromkeys((*_TABLES, *_TEXTS), Reach.CREDENTIAL),
    "proxy": Reach.NETWORK,
    **dict.fromkeys(_NUMBERS, Reach.NOTHING),
}
"""What a table may say, and what that reaches: a header or a cookie is what somebody is known by."""

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class OriginAccess:
    """What is added to every request to one origin, ready to send."""

    origin: str
    headers: Pairs = field(default=(), repr=False)
    cookies: Pairs = field(default=(), repr=False)
    proxy: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class OriginRule:
    """One `[origin."…"]` table, checked."""

    origin: str
    headers: Pairs = field(default=(), repr=False)
    headers_env: Pairs = ()
    cookies: Pairs = field(default=(), repr=False)
    cookies_env: Pairs = ()
    basic_user: str | None = None
    basic_password_env: str | None = None
    bearer_env: str | None = None
    proxy: str | None = field(default=None, repr=False)
    content_rate_limit: float | None = None
    per_host: int | None = None

    @property
    def host(self) -> str:
        """The host of the origin, without its port."""
        url = parse_url(self.origin)
        return url.host if isinstance(url, Url) else ""

    def open(self, environment: Mapping[str, str]) -> OriginAccess:
        """The rule with its variables read; a variable that is not set is an error that names it."""
        headers = [*self.headers, *((name, self._read(var, environment)) for name, var in self.headers_env)]
        if self.bearer_env is not None:
            headers.append(("Authorization", f"Bearer {self._read(self.bearer_env, environment)}"))
        if self.basic_user is not None:
            password = self._read(self.basic_password_env, environment) if self.basic_password_env else ""
            headers.append(("Authorization", _basic(self.basic_user, password)))
        cookies = (*self.cookies, *((name, self._read(var, environment)) for name, var in self.cookies_env))
        for name, value in (*headers, *cookies):
            if not _is_field_text(value):
                raise ConfigError(f'[origin."{self.origin}"] the value of {name} holds a control character')
        return OriginAccess(self.origin, tuple(headers), cookies, self.proxy)

    def _read(self, variable: str, environment: Mapping[str, str]) -> str:
        if variable not in environment:
            raise ConfigError(
                f'[origin."{self.origin}"] the environment variable {variable} is not set',
                hint=f"export {variable}, or take it out of holdfast.toml",
            )
        return environment[variable]


def read_origin_rules(tables: Mapping[str, Mapping[str, Any]]) -> tuple[OriginRule, ...]:
    """The `[origin]` tables of a settings file, checked whole."""
    return tuple(_rule(name, table) for name, table in tables.items())


def accesses_of(
    rules: Iterable[OriginRule], environment: Mapping[str, str], named: Iterable[str]
) -> dict[str, OriginAccess]:
    """What is sent to each origin: by the rules, and by credentials in the URLs that the user named."""
    accesses = {rule.origin: rule.open(environment) for rule in rules}
    for text in named:
        url, userinfo = parse_url(text), userinfo_of(text)
        if isinstance(url, Refused) or userinfo is None:
            continue
        user, password = (unquote(part) for part in userinfo)
        access = accesses.get(url.origin, OriginAccess(url.origin))
        others = tuple(pair for pair in access.headers if pair[0].lower() != "authorization")
        accesses[url.origin] = replace(access, headers=(*others, ("Authorization", _basic(user, password))))
    return accesses


def _rule(name: str, table: Mapping[str, Any]) -> OriginRule:
    place = f'[origin."{name}"]'
    url = parse_url(name)
    if not isinstance(url, Url) or url.target != "/" or url.fragment:
        raise ConfigError(
            f"{place} is not an origin", hint='write scheme and host alone: "https://example.com"'
        )
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key in _TABLES:
            values[key] = _pairs(value, f"{place} {key}")
        elif key in _NUMBERS:
            values[key] = _number(value, key, place)
        elif not isinstance(value, str):
            raise ConfigError(f"{place} {key}: expected a text")
        else:
            values[key] = value
    if "bearer_env" in values and "basic_user" in values:
        raise ConfigError(f"{place} has both a bearer token and a basic user; one origin gets one of them")
    if "basic_password_env" in values and "basic_user" not in values:
        raise ConfigError(f"{place} has basic_password_env without basic_user")
    if "proxy" in values:
        check_proxy(values["proxy"], place)
    return OriginRule(url.origin, **values)


def check_proxy(proxy: str, place: str) -> None:
    """Refuse what is not an HTTP proxy's address; the message does not repeat it: it may hold a password."""
    if not isinstance(parse_url(proxy), Url):
        raise ConfigError(
            f"{place} proxy is not an http or https URL", hint='for example "http://proxy.example:3128"'
        )


def _number(value: Any, key: str, place: str) -> float:
    least = 1 if key == "per_host" else 0
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= LARGEST:
        raise ConfigError(f"{place} {key}: expected a number, {least} or more")
    return int(value) if key == "per_host" else float(value)


def _pairs(value: Any, place: str) -> Pairs:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise ConfigError(f'{place}: expected a table of texts, such as {{ "X-Name" = "value" }}')
    for name, text in value.items():
        if not _is_token(name) or not _is_field_text(text):
            raise ConfigError(f"{place}: {name!r} cannot be sent as a name with that value")
    return tuple(value.items())


def _is_token(name: str) -> bool:
    return bool(name) and all(c.isascii() and (c.isalnum() or c in "!#$%&'*+-.^_`|~") for c in name)


def _is_field_text(value: str) -> bool:
    return not any(c in value for c in "\r\n\0")


def _basic(user: str, password: str) -> str:
    return "Basic " + b64encode(f"{user}:{password}".encode()).decode("ascii")


_STATUS: Final = re.compile(r"\d{3}")
_RANGE: Final = re.compile(r"(\d{3})?\s*\.\.(=?)\s*(\d{3})?")
_LEAST, _MOST = 100, 1000
_TOKEN: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
SECRET_FIELDS: Final = frozenset(("authorization", "cookie", "proxy-authorization", "x-api-key"))
"""Header fields that hold what only one origin may see."""
_OURS: Final = frozenset(
    "accept-encoding connection content-length expect host if-modified-since if-none-match range te "
    "transfer-encoding upgrade user-agent".split()
)


def statuses(words: Sequence[str]) -> frozenset[int]:
    """The statuses that are named, one by one or as ranges."""
    found: set[int] = set()
    for word in (part.strip() for given in words for part in given.split(",")):
        match = _RANGE.fullmatch(word)
        if _STATUS.fullmatch(word) and int(word) >= _LEAST:
            found.add(int(word))
        elif match is not None and (match[3] or not match[2]):
            end = int(match[3]) + bool(match[2]) if match[3] else _MOST
            found.update(range(int(match[1] or _LEAST), end))
        elif word:
            raise ConfigError(f"accept: {word!r} is not a status or a range of them")
    return frozenset(found)


def header_fields(lines: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The fields to send with every request."""
    return tuple(_field(line) for line in lines)


def _field(line: str) -> tuple[str, str]:
    name, mark, value = (part.strip() for part in line.partition(":"))
    if not mark or not _TOKEN.fullmatch(name) or not value.isprintable():
        raise ConfigError(f"header: {name!r} is not a header field", hint="write it as 'Name: value'")
    if name.lower() in SECRET_FIELDS:
        raise ConfigError(
            f"header: {name} is a secret, and would go to every host",
            hint='name the origin it is for: [origin."https://host"] in holdfast.toml',
        )
    if name.lower() in _OURS:
        raise ConfigError(f"header: {name} is not to be set")
    return name, value
