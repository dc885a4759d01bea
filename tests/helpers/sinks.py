"""Who takes messages in tests, on loopback: a webhook that remembers, a mail server that is one."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import contextmanager
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from helpers.sites.living import Listening


class WebhookSink:
    """Takes what is posted. `statuses` are the next answers, then 204; `before` and `after` are
    called around each."""

    def __init__(self):
        self.taken, self.posts, self.statuses = [], [], []
        self.before = self.after = None

    def __enter__(self):
        sink = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                status = sink.statuses.pop(0) if sink.statuses else 204
                sink.posts.append((dict(self.headers.items()), body))
                if sink.before is not None:
                    sink.before()
                if 200 <= status < 300:
                    sink.taken.append(json.loads(body))
                self.send_response(status)
                self.end_headers()
                self.wfile.flush()
                if sink.after is not None:
                    sink.after()

            def log_message(self, *_):
                pass

        self._server = Listening(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}/hook"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    @property
    def events(self):
        return [event for message in self.taken for event in message["events"]]


class _Inbox:
    def __init__(self):
        self.letters, self.refuse = [], False

    async def handle_DATA(self, _, session, envelope):  # noqa: N802 # the library's name
        if self.refuse:
            return "451 later"
        letter = message_from_bytes(envelope.content, policy=policy.default)
        self.letters.append((envelope.rcpt_tos, letter, session.authenticated))
        return "250 taken"


def _check(_server, _session, _envelope, _mechanism, data):
    return AuthResult(success=(data.login, data.password) == (b"holdfast", b"secret"), handled=False)


@contextmanager
def mail_server(tls=None, **options):
    """A real SMTP server; with a TLS context it has STARTTLS and wants a login."""
    inbox = _Inbox()
    if tls is not None:
        options = {"tls_context": tls, "authenticator": _check, "auth_required": True}
    with socket.create_server(("127.0.0.1", 0)) as free:
        inbox.port = free.getsockname()[1]
    server = Controller(inbox, hostname="127.0.0.1", port=inbox.port, **options)
    server.start()
    try:
        yield inbox
    finally:
        server.stop()
