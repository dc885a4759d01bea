"""Messages by mail, over SMTP.

    smtp://HOST:PORT    port 587 if none is named; STARTTLS where the server has it
    smtps://HOST:PORT   port 465 if none is named; TLS from the beginning

1. A password is sent over TLS or not at all. Certificates are checked.
2. The `Message-ID` is made of the notice's id: the same when it is tried again, so that a reader that keeps
   one of each shows it once.
3. A server that takes some of the addresses and not others has taken the message.
"""

from __future__ import annotations

import smtplib
import ssl
from dataclasses import field
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime
from socket import gethostname
from typing import Final
from urllib.parse import urlsplit

from holdfast.core.notify.message import Message
from holdfast.core.values import dataclass
from holdfast.formats.notice_text import subject_of_message, text_of_message

__all__ = ["MailBox", "send_mail"]

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
