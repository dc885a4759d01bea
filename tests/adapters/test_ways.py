"""The ways by which a message reaches somebody, each with a real taker on loopback."""

from __future__ import annotations

import json
import shlex
import ssl
import sys
from base64 import b64decode, b64encode
from datetime import UTC, datetime
from hashlib import sha256
from hmac import digest

import pytest
import trustme
from jsonschema import Draft202012Validator

from helpers.sinks import WebhookSink, mail_server
from holdfast.adapters.apprise_door import send_by_apprise
from holdfast.adapters.programs import hand_to_command
from holdfast.adapters.senders import Hook, MailBox, post, send_mail
from holdfast.adapters.system import SystemClock
from holdfast.core.events.happenings import Occurrence
from holdfast.core.events.messages import Message
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.settings.receivers import read_target
from holdfast.core.settings.resolve import resolve
from holdfast.jobs.sync.notify import RoutedMessenger
from holdfast.questions.rows.table import schema_of

pytestmark = pytest.mark.spec("TRK-10")

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
GONE = Occurrence(EventKind.GONE, NOW, "https://example.com/größe", "mark", "Die Größe", "r", "docs")
MESSAGE = Message("a" * 64, "team", NOW, {EventKind.GONE: 1}, (GONE,))


@pytest.fixture
def sink():
    with WebhookSink() as sink:
        yield sink


def test_a_webhook_is_sent_json_of_the_published_schema(sink):
    assert post(Hook(sink.url, allow_private=True), MESSAGE, NOW) == ""
    (document,) = sink.taken
    Draft202012Validator(schema_of("notification").json_schema()).validate(document)
    assert document["events"][0]["headline"] == "Gone: Die Größe"
    headers, _ = sink.posts[0]
    assert headers["webhook-id"] == document["id"] == MESSAGE.notice_id
    assert headers["content-type"] == "application/json"
    assert "webhook-signature" not in headers


@pytest.mark.parametrize(
    ("secret", "key"), [("s3cret", b"s3cret"), ("whsec_" + b64encode(b"0123456789").decode(), b"0123456789")]
)
def test_a_webhook_is_signed_as_standard_webhooks_has_it(sink, secret, key):
    assert post(Hook(sink.url, secret, allow_private=True), MESSAGE, NOW) == ""
    headers, body = sink.posts[0]
    stamp = headers["webhook-timestamp"]
    assert stamp == str(int(NOW.timestamp()))
    version, _, signed = headers["webhook-signature"].partition(",")
    assert version == "v1"
    assert b64decode(signed) == digest(key, f"{headers['webhook-id']}.{stamp}.".encode() + body, sha256)


def test_the_address_guard_holds_for_webhooks(sink):
    for address in (sink.url, sink.url.replace("127.0.0.1", "localhost")):
        assert "loopback address" in post(Hook(address), MESSAGE, NOW)
    assert sink.posts == []


@pytest.mark.parametrize("status", [301, 404, 500])
def test_only_an_answer_of_2xx_is_an_acknowledgement(sink, status):
    sink.statuses = [status]
    assert post(Hook(sink.url, allow_private=True), MESSAGE, NOW) == f"the webhook answered {status}"
    assert len(sink.posts) == 1


@pytest.mark.parametrize("address", ["nowhere", "ftp://127.0.0.1/x", "http://ann:pw@127.0.0.1/"])
def test_an_address_that_is_none_is_said_without_showing_it(address):
    trouble = post(Hook(address, allow_private=True), MESSAGE, NOW)
    assert trouble.startswith("the webhook's address")
    assert address not in trouble


def test_a_webhook_that_is_not_there_is_said(sink):
    url = sink.url
    sink.__exit__()
    assert "could not be reached" in post(Hook(url, allow_private=True), MESSAGE, NOW)


def test_a_secret_is_never_shown():
    assert "s3cret" not in repr(Hook("https://x/s3cret", "s3cret"))
    assert "s3cret" not in repr(MailBox("smtp://x", "a@b", ("c@d",), "u", "s3cret"))
    assert "base64" in post(Hook("https://example.com/", "whsec_%%"), MESSAGE, NOW)


def test_mail_reaches_a_server():
    with mail_server() as inbox:
        box = MailBox(
            f"smtp://127.0.0.1:{inbox.port}", "holdfast@example.com", ("a@example.com", "b@example.com")
        )
        assert send_mail(box, MESSAGE, NOW) == ""
        ((to, letter, _),) = inbox.letters
    assert to == ["a@example.com", "b@example.com"]
    assert letter["Subject"] == "Holdfast: Gone: Die Größe"
    assert MESSAGE.notice_id in letter["Message-ID"]
    assert "https://example.com/größe" in letter.get_content()


def test_mail_that_a_server_does_not_take_is_said():
    with mail_server() as inbox:
        inbox.refuse = True
        box = MailBox(f"smtp://127.0.0.1:{inbox.port}", "h@example.com", ("a@example.com",))
        assert send_mail(box, MESSAGE, NOW) == "the mail server answered 451"
    assert "could not be reached" in send_mail(box, MESSAGE, NOW)
    assert "not an address" in send_mail(MailBox("mail.example.com", "h@e", ("a@e",)), MESSAGE, NOW)


@pytest.fixture
def authority(tmp_path):
    made = trustme.CA()
    made.cert_pem.write_to_path(tmp_path / "ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.issue_cert("127.0.0.1").configure_cert(context)
    return context, str(tmp_path / "ca.pem")


def test_a_password_is_sent_over_tls_or_not_at_all(authority):
    context, ca_file = authority
    with mail_server(tls=context) as inbox:
        box = MailBox(
            f"smtp://127.0.0.1:{inbox.port}",
            "h@example.com",
            ("a@example.com",),
            "holdfast",
            "secret",
            ca_file,
        )
        assert send_mail(box, MESSAGE, NOW) == ""
        assert inbox.letters[0][2]
        wrong = MailBox(box.server, box.sender, box.to, "holdfast", "wrong", ca_file)
        assert "did not accept the login" in send_mail(wrong, MESSAGE, NOW)
        unknown = MailBox(box.server, box.sender, box.to, "holdfast", "secret")
        assert "not trusted" in send_mail(unknown, MESSAGE, NOW)
    with mail_server() as inbox:
        plain = MailBox(f"smtp://127.0.0.1:{inbox.port}", "h@e.com", ("a@e.com",), "holdfast", "secret")
        assert "not sent without" in send_mail(plain, MESSAGE, NOW)
        assert inbox.letters == []


def test_apprise_reaches_what_it_knows(sink):
    assert send_by_apprise(f"json://127.0.0.1:{sink.port}/x", MESSAGE) == ""
    document = json.loads(sink.posts[0][1])
    assert document["title"] == "Holdfast: Gone: Die Größe"
    assert "does not know" in send_by_apprise("nowhere://x", MESSAGE)
    sink.statuses = [500]
    assert "could not deliver" in send_by_apprise(f"json://127.0.0.1:{sink.port}/x", MESSAGE)


def test_a_command_reads_the_message_and_its_end_is_the_acknowledgement(tmp_path):
    file = tmp_path / "got.json"
    code = f"import sys; open({str(file)!r}, 'wb').write(sys.stdin.buffer.read()); print('noise')"
    assert hand_to_command(f'{shlex.quote(sys.executable)} -c "{code}"', b'{"a": 1}', {}) == ""
    assert file.read_bytes() == b'{"a": 1}'
    assert hand_to_command(f"{shlex.quote(sys.executable)} -c 'raise SystemExit(3)'", b"", {}).endswith(
        "status 3"
    )
    assert "cannot be run" in hand_to_command("/nowhere/at/all", b"", {})
    assert "cannot be read" in hand_to_command("'", b"", {})


def test_secrets_come_from_the_environment_by_name(sink):
    def deliver(table, environment):
        target = read_target("team", table)
        return RoutedMessenger(resolve(), environment, SystemClock()).deliver(target, MESSAGE)

    table = {"webhook_env": "HOOK_URL", "secret_env": "HOOK_SECRET", "allow_private": True}
    assert deliver(table, {"HOOK_URL": sink.url}) == "the environment variable HOOK_SECRET is not set"
    assert deliver(table, {"HOOK_URL": sink.url, "HOOK_SECRET": "s"}) == ""
    assert "webhook-signature" in sink.posts[0][0]
    assert deliver({"apprise_env": "DOOR"}, {"DOOR": f"json://127.0.0.1:{sink.port}/"}) == ""
    with mail_server() as inbox:
        mail = {"mail": "a@example.com", "smtp": f"smtp://127.0.0.1:{inbox.port}", "from": "h@example.com"}
        assert deliver(mail, {}) == ""
        assert len(inbox.letters) == 1
