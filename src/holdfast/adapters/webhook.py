"""Messages to a webhook: JSON of the published schema, signed as Standard Webhooks 1 has it.

    webhook-id         the notice's id: the same when it is tried again
    webhook-timestamp  seconds since 1970, of this attempt
    webhook-signature  v1,BASE64(HMAC-SHA256(secret, "ID.TIMESTAMP.BODY"))

1. A secret that begins with `whsec_` is base64 after that; any other is taken as it is.
2. The address guard holds (SEC-1): the name is resolved here, and only an address that was looked at is
   connected to. `allow_private` of the target lets private addresses pass.
3. An answer of 2xx is an acknowledgement. Redirects are not followed: a message goes where the user said.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from datetime import datetime
from hashlib import sha256
from hmac import digest
from typing import Final

from holdfast.core.addresses import AddressKind, classify
from holdfast.core.notify.message import Message
from holdfast.core.url import Url, parse_url, userinfo_of
from holdfast.core.values import dataclass
from holdfast.formats.schemas.catalogue import schema_of

__all__ = ["Hook", "post", "signature"]

_SECONDS: Final = 15.0
_MOST: Final = 65_536


@dataclass(frozen=True, slots=True)
class Hook:
    """Where a message goes, and what it is signed with. It shows neither."""

    address: str
    secret: str = ""
    allow_private: bool = False
    ca_file: str | None = None
    user_agent: str = "holdfast"

    def __repr__(self) -> str:
        return "Hook()"


class _Refused(Exception):  # noqa: N818 # it never leaves this file
    """An address that must not be reached, in words."""


def post(hook: Hook, message: Message, now: datetime) -> str:
    """Send a message; empty once it was acknowledged, else what went wrong."""
    url = parse_url(hook.address)
    if not isinstance(url, Url):
        return "the webhook's address is not a URL"
    if userinfo_of(hook.address) is not None:
        return "the webhook's address holds a user name or password; sign with secret_env instead"
    body = json.dumps(schema_of("notification").encode(message), ensure_ascii=False).encode()
    stamp = str(int(now.timestamp()))
    headers = {
        "content-type": "application/json",
        "user-agent": hook.user_agent,
        "webhook-id": message.notice_id,
        "webhook-timestamp": stamp,
    }
    if hook.secret:
        try:
            headers["webhook-signature"] = signature(hook.secret, message.notice_id, stamp, body)
        except NotBase64:
            return "the webhook's secret is not base64 after whsec_"
    try:
        return _send(hook, url, body, headers)
    except _Refused as error:
        return str(error)
    except ssl.SSLError as error:
        return f"the webhook's connection is not trusted: {error.reason or error}"
    except (OSError, http.client.HTTPException) as error:
        return f"the webhook could not be reached: {type(error).__name__}"


def signature(secret: str, message_id: str, timestamp: str, body: bytes) -> str:
    """The signature of a message, for whoever sends or checks one."""
    prefix = "whsec_"
    key = b64decode(secret[len(prefix) :], validate=True) if secret.startswith(prefix) else secret.encode()
    signed = digest(key, f"{message_id}.{timestamp}.".encode() + body, sha256)
    return f"v1,{b64encode(signed).decode()}"


def _send(hook: Hook, url: Url, body: bytes, headers: dict[str, str]) -> str:
    connection = http.client.HTTPConnection(url.host, url.effective_port, timeout=_SECONDS)
    connection.sock = _connect(hook, url)
    try:
        connection.request("POST", url.target, body=body, headers={**headers, "host": _host(url)})
        answer = connection.getresponse()
        answer.read(_MOST)
        return "" if 200 <= answer.status < 300 else f"the webhook answered {answer.status}"
    finally:
        connection.close()


def _connect(hook: Hook, url: Url) -> socket.socket:
    """A connection to an address that was looked at first."""
    trouble: OSError | None = None
    host = url.host.strip("[]")
    for family, kind, protocol, _, address in socket.getaddrinfo(
        host, url.effective_port, type=socket.SOCK_STREAM
    ):
        found = classify(str(address[0]))
        if found is not AddressKind.PUBLIC and not hook.allow_private:
            raise _Refused(f"the webhook leads to a {found} address; allow_private = true lets it")
        connection = socket.socket(family, kind, protocol)
        connection.settimeout(_SECONDS)
        try:
            connection.connect(address)
            return _secured(hook, url, connection, host)
        except ssl.SSLError:
            connection.close()
            raise
        except OSError as error:
            connection.close()
            trouble = error
    raise trouble or OSError("no address")


def _secured(hook: Hook, url: Url, connection: socket.socket, host: str) -> socket.socket:
    if url.scheme != "https":
        return connection
    return ssl.create_default_context(cafile=hook.ca_file).wrap_socket(connection, server_hostname=host)


def _host(url: Url) -> str:
    return url.host if url.port is None else f"{url.host}:{url.port}"
