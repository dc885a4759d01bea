"""TLS is verified: names, dates, issuers."""

from datetime import UTC, datetime, timedelta

import pytest

from helpers.faults.certificates import Authority
from helpers.faults.door import ask, door, label, run
from helpers.faults.server import FaultServer, response
from holdfast.adapters.http.connections import Pools
from holdfast.adapters.http.exchange import validity_of
from holdfast.core.base.errors import ConfigError, FormatError
from holdfast.core.settings.groups import FetchSettings

pytestmark = pytest.mark.spec("SEC-3")


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("tls"))


def over_tls(authority, context, ca_file="theirs"):
    async def main():
        async with FaultServer({"/": (response(b"ok"),)}, tls=context) as server:
            trust = {"ca_file": authority.ca_file} if ca_file == "theirs" else {}
            async with door(server.base, **trust) as fetcher:
                return await fetcher.fetch(ask(f"{server.base}/")), server.requests.total()

    return run(main())


def test_a_good_certificate_is_trusted(authority):
    outcome, requests = over_tls(authority, authority.server_context())
    assert label(outcome) == "Fetched"
    assert requests == 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        pytest.param({"name": "other.example"}, "IP address mismatch", id="wrong_name"),
        pytest.param({"expired": True}, "certificate has expired", id="expired"),
        pytest.param({"trusted": False}, "unable to get local issuer certificate", id="unknown_issuer"),
    ],
)
def test_a_bad_certificate_is_a_failure_and_nothing_is_sent(authority, make, words):
    outcome, requests = over_tls(authority, authority.server_context(**make))
    assert label(outcome) == "Failed: tls"
    assert words in outcome.detail
    assert not outcome.transient
    assert requests == 0


def test_a_certificate_that_is_out_of_date_tells_its_day(authority):
    outcome, requests = over_tls(authority, authority.server_context(expired=True))
    day = (datetime.now(UTC) - timedelta(days=1)).strftime("%Y-%m-%d")
    assert outcome.detail == f"certificate has expired, valid until {day}"
    assert requests == 0  # the second connection reads the certificate, and sends nothing


@pytest.mark.parametrize("der", [b"", b"0", b"0\x82\xff\xff", b"0\x03\x02\x01\x01", bytes(300)])
def test_what_is_not_a_certificate_has_no_dates(der):
    with pytest.raises(FormatError):
        validity_of(der)


def test_a_certificate_that_signed_itself_is_a_failure(authority, tmp_path):
    outcome, requests = over_tls(authority, authority.self_signed_context(tmp_path))
    assert label(outcome) == "Failed: tls"
    assert "self-signed" in outcome.detail
    assert requests == 0


def test_without_its_authority_even_a_good_certificate_is_not_trusted(authority):
    outcome, _ = over_tls(authority, authority.server_context(), ca_file="the system's")
    assert label(outcome) == "Failed: tls"


def test_plain_http_on_a_tls_port_and_the_other_way_are_failures(authority):
    async def main():
        plain = FaultServer({"/": (response(b"ok"),)})
        secret = FaultServer({"/": (response(b"ok"),)}, tls=authority.server_context())
        async with plain, secret:
            crossed = [f"https://127.0.0.1:{plain.port}/", f"http://127.0.0.1:{secret.port}/"]
            async with door(*crossed, ca_file=authority.ca_file, connect_timeout=0.5) as fetcher:
                return [label(await fetcher.fetch(ask(text))) for text in crossed]

    tls, plain = run(main())
    assert tls in ("Failed: tls", "Failed: connect", "TimedOut: connect")
    assert plain in ("Failed: reset", "Failed: protocol")


def test_a_certificate_file_that_is_none_is_an_error_in_words(tmp_path):
    broken = tmp_path / "broken.pem"
    broken.write_text("not a certificate")
    for path in (broken, tmp_path / "missing.pem"):
        with pytest.raises(ConfigError, match="ca_file"):
            Pools(FetchSettings(ca_file=str(path)))
