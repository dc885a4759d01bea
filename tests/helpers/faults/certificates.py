"""Certificates for TLS tests, made on the spot: good, for another name, expired, signed by themselves."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta

import trustme


class Authority:
    """A certificate authority of one test."""

    def __init__(self, folder) -> None:
        self._ca = trustme.CA()
        self.ca_file = str(folder / "ca.pem")
        self._ca.cert_pem.write_to_path(self.ca_file)

    def server_context(self, name: str = "127.0.0.1", *, expired: bool = False, trusted: bool = True):
        authority = self._ca if trusted else trustme.CA()
        until = datetime.now(UTC) - timedelta(days=1) if expired else None
        since = datetime.now(UTC) - timedelta(days=9) if expired else None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(name, not_after=until, not_before=since).configure_cert(context)
        return context

    def self_signed_context(self, folder):
        """A certificate that is its own authority."""
        stranger = trustme.CA()
        chain = folder / "self.pem"
        chain.write_bytes(stranger.private_key_pem.bytes() + stranger.cert_pem.bytes())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        return context
