"""Secrets, taken out of what is logged, shown, or kept of a request (SEC-3).

1. A query parameter whose decoded key is on the list, in any case, or ends in `signature`, keeps its key and
   loses its value. Fragments that look like queries are treated alike: tokens travel there too.
2. A request field that carries credentials keeps its name and loses its value.
3. User and password go from every address, also from one that cannot be parsed, or stands among other words.
4. A text that hides nothing is told as it was written; one that does, as the address that it means.
5. This is for words only: what is fetched, compared and hashed is never redacted. `Shown` is the type of what
   went through here: what takes one cannot be given a bare address.
"""

from __future__ import annotations

from typing import Final, NewType

from holdfast.core.base.shown_text import without_userinfo
from holdfast.core.url.steps import decode_key
from holdfast.core.url.url import Url, parse_url, userinfo_of

Shown = NewType("Shown", str)
"""An address, or words with one, that may be told to anybody."""

SECRET_KEYS: Final = frozenset(
    (
        "access_token", "api_key", "api-key", "apikey", "auth", "auth_token", "awsaccesskeyid",
        "client_secret", "code", "id_token", "jwt", "key", "password", "passwd", "private_token", "pwd",
        "refresh_token", "secret", "session", "sessionid", "sig", "token", "x-amz-credential",
        "x-amz-security-token", "x-goog-credential",
    )
)  # fmt: skip
SECRET_FIELDS: Final = frozenset(
    ("authorization", "cookie", "cookie2", "proxy-authorization", "x-api-key", "x-auth-token", "x-csrf-token")
)
HIDDEN: Final = "[redacted]"
_SIGNATURE: Final = "signature"


def shown(text: str) -> Shown:
    """A text that may be an address, as it may be told."""
    if "=" not in text and "@" not in text:  # most have nothing to hide
        return Shown(text)
    url = parse_url(text)
    if not isinstance(url, Url):
        return redact_url(without_userinfo(text))
    whole = str(url)
    told = redact_url(whole)
    return Shown(text) if told == whole and userinfo_of(text) is None else told


def redacted(url: Url) -> Shown:
    """A URL as it may be shown: the address without its fragment, secrets hidden."""
    return redact_url(url.href)


def redact_url(text: str) -> Shown:
    """A URL or a request target with its secrets hidden."""
    if "=" not in text:  # most have none
        return Shown(text)
    address, mark, fragment = text.partition("#")
    base, question, query = address.partition("?")
    told = base + question + _redact_query(query)
    return Shown(told + mark + (_redact_query(fragment) if "=" in fragment else fragment))


def redact_fields(fields: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Request fields with credentials hidden; a referrer is a URL and is treated as one."""
    return tuple((name, _redact_field(name.lower(), value)) for name, value in fields)


def _redact_query(query: str) -> str:
    return "&".join(_hide(pair) for pair in query.split("&")) if "=" in query else query


def _hide(pair: str) -> str:
    key, equals, value = pair.partition("=")
    name = decode_key(key)
    if value and (name in SECRET_KEYS or name.endswith(_SIGNATURE)):
        return f"{key}{equals}{HIDDEN}"
    return pair


def _redact_field(name: str, value: str) -> str:
    if name in SECRET_FIELDS:
        return HIDDEN
    return redact_url(value) if name == "referer" else value
