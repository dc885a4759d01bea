"""`holdfast.check`, the command's twin."""

from __future__ import annotations

import socket

import pytest

import holdfast
from helpers.faults.server import response
from helpers.served import serving
from holdfast.core.links.link_state import Standing


@pytest.mark.spec("TRK-1")
def test_the_library_asks_only_when_told(tmp_path, monkeypatch):
    (tmp_path / "a.md").write_text("[x](https://example.com/x)")
    with monkeypatch.context() as patched:
        patched.setattr(socket, "socket", lambda *_, **__: pytest.fail("a socket was opened"))
        result = holdfast.check(tmp_path)
    assert [entry.node.state for entry in result.cited] == ["unchecked"]
    assert result.asked == 0


def test_the_library_returns_what_the_command_reports(tmp_path):
    with serving({"/gone": (response(b"", "410 Gone"),)}) as server:
        (tmp_path / "a.md").write_text(f"\n<{server.base}/gone>\n")
        settings = {"allow_private": True, "content_rate_limit": 0}
        result = holdfast.check(tmp_path / "a.md", fetch_urls=True, eager=True, **settings)
    assert result.standings == {Standing.DEAD: 1}
    assert [(f.code, f.document, f.line) for f in result.report.findings] == [("HF002", "a.md", 2)]
    (dead,) = result.dead
    assert [(b.document, b.citation.mention.span.line) for b in dead.backlinks] == [("a.md", 2)]
