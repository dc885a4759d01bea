"""Who carries messages to those who want to know: by mail, and to a webhook.

Messages by mail go over SMTP:

    smtp://HOST:PORT    port 587 if none is named; STARTTLS where the server has it
    smtps://HOST:PORT   port 465 if none is named; TLS from the beginning

1. A password is sent over TLS or not at all. Certificates are checked.
2. The `Message-ID` is made of the notice's id: the same when it is tried again, so that a reader that keeps
   one of each shows it once.
3. A server that takes some of the addresses and not others has taken the message.

Messages to a webhook are JSON of the published schema, signed as Standard Webhooks 1 has it:

    webhook-id         the notice's id: the same when it is tried again
    webhook-timestamp  seconds since 1970, of this attempt
    webhook-signature  v1,BASE64(HMAC-SHA256(secret, "ID.TIMESTAMP.BODY"))

4. A secret that begins with `whsec_` is base64 after that; any other is taken as it is.
5. The address guard holds (SEC-1): the name is resolved here, and only an address that was looked at is
   connected to. `allow_private` of the target lets private addresses pass.
6. An answer of 2xx is an acknowledgement. Redirects are not followed: a message goes where the user said.
"""

from __future__ import annotations

import http.client
import json
import smtplib
import socket
import ssl
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from dataclasses import field
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime
from hashlib import sha256
from hmac import digest
from socket import gethostname
from typing import Final, Protocol
from urllib.parse import urlsplit

from holdfast.core.base.values import dataclass
from holdfast.core.events.messages import NOTIFICATION, Message, subject_of_message, text_of_message
from holdfast.core.settings.receivers import Target
from holdfast.core.url.url import Url, parse_url, userinfo_of
from holdfast.core.web.addresses import AddressKind, classify


class Messenger(Protocol):
    """Each target by its own way."""

    def deliver(self, target: Target, message: Message) -> str:
        """Hand a message over; empty once the target took it, else what went wrong, in words. Never raises
        for anything that a target does.
        """
        ...


_SECONDS: Final = 20.0
_PORTS: Final = {"smtp": 587, "smtps": 465}


@dataclass(frozen=True, slots=True)
class MailBox:
    """Where mail goes and by whose server."""

    server: str
    sender: str
    to: tuple[str, ...]
    user: str = ""
    password: str = field(default="", repr=False)
    ca_file: str | None = None


def send_mail(box: MailBox, message: Message, now: datetime) -> str:
    """Send a message; empty once the server took it, else what went wrong."""
    try:
        server = urlsplit(box.server)
        port = server.port or _PORTS.get(server.scheme, 0)
    except ValueError:
        return "smtp is not an address"
    if server.scheme not in _PORTS or not server.hostname or server.username:
        return "smtp is not an address such as smtp://mail.example.com:587"
    try:
        letter = _letter(box, message, now)
        context = ssl.create_default_context(cafile=box.ca_file)
        if server.scheme == "smtps":
            with smtplib.SMTP_SSL(
                server.hostname, port, gethostname(), timeout=_SECONDS, context=context
            ) as smtp:
                return _hand_over(smtp, box, letter, is_secure=True)
        with smtplib.SMTP(server.hostname, port, gethostname(), timeout=_SECONDS) as smtp:
            smtp.ehlo()
            is_secure = smtp.has_extn("starttls")
            if is_secure:
                smtp.starttls(context=context)
            return _hand_over(smtp, box, letter, is_secure=is_secure)
    except smtplib.SMTPResponseException as error:
        return f"the mail server answered {error.smtp_code}"
    except ssl.SSLError as error:
        return f"the mail server's connection is not trusted: {error.reason or error}"
    except (OSError, smtplib.SMTPException) as error:
        return f"the mail server could not be reached: {type(error).__name__}"
    except ValueError as error:
        return f"an address cannot be written to: {error}"


def _hand_over(smtp: smtplib.SMTP, box: MailBox, letter: EmailMessage, *, is_secure: bool) -> str:
    if box.user:
        if not is_secure:
            return "the mail server has no TLS, and a password is not sent without"
        try:
            smtp.login(box.user, box.password)
        except smtplib.SMTPException:
            return "the mail server did not accept the login"
    smtp.send_message(letter)
    return ""


def _letter(box: MailBox, message: Message, now: datetime) -> EmailMessage:
    letter = EmailMessage()
    letter["Subject"] = subject_of_message(message)
    letter["From"] = box.sender
    letter["To"] = ", ".join(box.to)
    letter["Date"] = format_datetime(now)
    letter["Message-ID"] = f"<{message.notice_id}@holdfast.invalid>"
    letter["Auto-Submitted"] = "auto-generated"
    letter.set_content(text_of_message(message))
    return letter


_WEBHOOK_SECONDS: Final = 15.0
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
    body = json.dumps(NOTIFICATION.encode(message), ensure_ascii=False).encode()
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
    connection = http.client.HTTPConnection(url.host, url.effective_port, timeout=_WEBHOOK_SECONDS)
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
        connection.settimeout(_WEBHOOK_SECONDS)
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
