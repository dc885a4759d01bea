"""A mirror of a site that lives, for the tests of what looks after mirrors."""

from __future__ import annotations

import socket

import pytest

from helpers.sites.living import LivingSite
from holdfast.faces.library import mirror


@pytest.fixture
def site():
    with LivingSite() as living:
        yield living


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "mirror"


@pytest.fixture
def make(site, folder):
    """Mirror the site, or go over it again with `update=True`."""

    def run(sources=(), **settings):
        site.forget_requests()
        given = {"output": folder, "content_rate_limit": 0, "processes": 1} | settings
        return mirror(*(sources or (site.origin + "/",)), **given)

    return run


@pytest.fixture
def no_sockets_later(monkeypatch):
    """Once this is called nobody can open a connection."""

    def refuse(*_, **__):
        raise AssertionError("a socket was opened")

    def forbid():
        for name in ("connect", "connect_ex", "bind", "listen", "accept", "sendto"):
            monkeypatch.setattr(socket.socket, name, refuse)
        monkeypatch.setattr(socket, "create_connection", refuse)
        monkeypatch.setattr(socket, "getaddrinfo", refuse)

    return forbid


@pytest.fixture
def no_sockets(no_sockets_later):
    """From now on nobody can open a connection."""
    no_sockets_later()
