"""Secrets that sites put into URLs, taken out of what is logged and shown (SEC-3).

1. A query parameter whose key is on the list, in any case, or ends in `signature`, keeps its key and loses
   its value.
2. This is for words only: what is fetched, compared and hashed is never redacted.
"""

from __future__ import annotations

from typing import Final

from holdfast.core.url import Url

__all__ = ["SECRET_KEYS", "redacted"]

SECRET_KEYS: Final = frozenset(
    (
        "access_token", "api_key", "api-key", "apikey", "auth", "auth_token", "client_secret", "code",
        "id_token", "jwt", "key", "password", "passwd", "private_token", "pwd", "refresh_token", "secret",
        "session", "sessionid", "sig", "token", "x-amz-credential", "x-amz-security-token",
        "x-goog-credential",
    )
)  # fmt: skip
_SIGNATURE: Final = "signature"
_HIDDEN: Final = "[redacted]"


def redacted(url: Url) -> str:
    """A URL as it may be shown: the address without its fragment, secrets hidden."""
    if url.query is None:
        return url.href
    pairs = [_hide(pair) for pair in url.query.split("&")]
    return f"{url.origin}{url.path}?{'&'.join(pairs)}"


def _hide(pair: str) -> str:
    key, equals, value = pair.partition("=")
    name = key.lower()
    if value and (name in SECRET_KEYS or name.endswith(_SIGNATURE)):
        return f"{key}{equals}{_HIDDEN}"
    return pair
