"""Secrets, taken out of what is shown or kept (SEC-3).

1. A query parameter whose decoded, lower-cased key is on the list keeps its key; its value becomes
   `REDACTED`. So does everything after it that belongs to the value.
2. A request field that carries credentials keeps its name; its value becomes `REDACTED`.
3. What is not on a list is left exactly as it was.

For logs, manifests and the archive's request records. Never for what is compared or fetched.
"""

from __future__ import annotations

from typing import Final

from holdfast.core.percent import decode_key

__all__ = ["REDACTED", "SECRET_FIELDS", "SECRET_PARAMETERS", "redact_fields", "redact_query", "redact_url"]

REDACTED: Final = "REDACTED"
SECRET_PARAMETERS: Final = frozenset(
    {
        "token",
        "access_token",
        "refresh_token",
        "id_token",
        "auth_token",
        "api_key",
        "apikey",
        "key",
        "secret",
        "client_secret",
        "password",
        "passwd",
        "pwd",
        "auth",
        "session",
        "sessionid",
        "signature",
        "sig",
        "x-amz-signature",
        "x-amz-security-token",
        "x-amz-credential",
        "x-goog-signature",
        "x-goog-credential",
        "awsaccesskeyid",
    }
)
SECRET_FIELDS: Final = frozenset(
    {"authorization", "proxy-authorization", "cookie", "cookie2", "x-api-key", "x-auth-token", "x-csrf-token"}
)


def redact_query(query: str) -> str:
    """A query without its secrets; `query` has no leading `?`."""
    return "&".join(_redact_pair(pair) for pair in query.split("&"))


def redact_url(url: str) -> str:
    """A URL without the secrets of its query; its fragment is searched too, since tokens travel there."""
    address, hash_mark, fragment = url.partition("#")
    base, mark, query = address.partition("?")
    shown = base + mark + (redact_query(query) if mark else "")
    return shown + hash_mark + (redact_query(fragment) if "=" in fragment else fragment)


def redact_fields(fields: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Request fields without credentials; a referrer is a URL and is treated as one."""
    return tuple((name, _redact_field(name.lower(), value)) for name, value in fields)


def _redact_pair(pair: str) -> str:
    key, mark, _ = pair.partition("=")
    return f"{key}={REDACTED}" if mark and decode_key(key) in SECRET_PARAMETERS else pair


def _redact_field(name: str, value: str) -> str:
    if name in SECRET_FIELDS:
        return REDACTED
    return redact_url(value) if name == "referer" else value
