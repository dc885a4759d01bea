"""`store join` where the root's ledger is on a server, its archive in a bucket, or both (STA-6, CLU-1)."""

from __future__ import annotations

import json

import pytest

from helpers.sites.command import fingerprint, holdfast, mirror
from helpers.sites.living import LivingSite
from holdfast.core.base.errors import LedgerError
from holdfast.storage.ledger.joining import Joining

pytestmark = pytest.mark.spec("STA-6", "CLU-1")


@pytest.fixture
def site():
    with LivingSite() as living:
        for name in "abcd":
            living.put(f"/{name}", f"Words of {name}", links=["/a"])
        living.redirect("/old", "/a")
        yield living


@pytest.fixture(params=["ledger", "archive", "both"])
def placed(request, tmp_path):
    """Where the root has its history."""
    flags = []
    if request.param != "archive":
        flags += ["--ledger", request.getfixturevalue("postgres")]
    if request.param != "ledger":
        flags += ["--archive", request.getfixturevalue("s3")]
    return (*flags, "--store", tmp_path / "root/.holdfast")


@pytest.fixture
def docs(site, tmp_path, placed):
    """A root that knows one mirror of its own, and below it a mirror with two runs in its own folder."""
    root = tmp_path / "root"
    root.mkdir()
    assert mirror(site.origin + "/", root / "docs", "--convert-links", "local").status == 0
    site.put("/b", "Words of b, changed", links=["/a", "/old"])
    assert mirror(site.origin + "/", root / "docs", "--convert-links", "local", "--update").status == 0
    (root / "holdfast.toml").touch()
    other = mirror(site.origin + "/", root / "other", "--max-pages", "2", *placed)
    assert other.status == 0, other.err
    return root / "docs"


def lost(*_):
    raise LedgerError("the server is gone")


def told(site, *flags):
    """What is known of each page."""
    return {
        name: [
            part["page"]["captures"] if "page" in part else part["items"],
            more,
        ]
        for name in "abcd"
        for more in ((), ("--items",))
        for part in json.loads(holdfast("log", f"{site.origin}/{name}", *more, *flags, "--json").out)["parts"]
    }


def assert_adopted(site, docs, placed, before, pages):
    after = told(site, *placed)
    for name, (entries, word) in before.items():
        assert [entry for entry in after[name][0] if entry in entries] == entries, (word, name)
    assert fingerprint(docs) == pages
    for words in (("verify", docs, "--processes", "1"), ("verify",)):
        done = holdfast(*words, *placed)
        assert done.status == 0, done.out + done.err
    site.forget_requests()
    again = mirror(site.origin + "/", docs, "--convert-links", "local", "--update", *placed)
    assert again.status == 0, again.err
    assert not (docs / ".holdfast/ledger.db").exists()


def test_every_question_is_answered_as_before(site, docs, placed):
    before, pages = told(site, "--store", docs), fingerprint(docs)
    done = holdfast("store", "join", docs, *placed, "--json")
    assert done.status == 0, done.err
    assert json.loads(done.out)["runs"] == 2
    assert_adopted(site, docs, placed, before, pages)


@pytest.mark.parametrize("step", ["_take_run", "_take_capture", "_take_page", "_take_progress"])
def test_what_ended_in_the_middle_is_finished_by_the_same_command(site, docs, placed, monkeypatch, step):
    before, pages = told(site, "--store", docs), fingerprint(docs)
    with monkeypatch.context() as broken:
        broken.setattr(Joining, step, lost)
        assert holdfast("store", "join", docs, *placed).status == 3
    assert told(site, "--store", docs) == before
    done = holdfast("store", "join", docs, *placed)
    assert done.status == 0, done.err
    assert_adopted(site, docs, placed, before, pages)
