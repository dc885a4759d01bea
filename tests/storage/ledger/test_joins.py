"""The contract of the `JoinTable` port, over every implementation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helpers.ledger_cases import at, commit, entry, facts, link, place, seen
from holdfast.core.base.errors import LedgerError
from holdfast.core.base.hashing import UrlKey, url_key
from holdfast.core.lineage.ledger_values import MirroredAs
from holdfast.core.links.link_state import Looks
from holdfast.core.url.url import Place
from storage.ledger.test_citations import cites, document, known

pytestmark = pytest.mark.spec("ID-12", "ID-13")
A, B, C = place("a"), place("b"), place("c")
NEW = UrlKey("ab" * 32)


def fill(ledger):
    commit(ledger, replace(seen(A, 1, "one", links=(link(B),)), page=facts("a.md")))
    ledger.citations.put_documents([(document("a.md"), [cites(A), cites(C, 2)])])
    ledger.citations.put_places([known(A, looks=Looks(last=at(1))), known(C, looks=Looks(last=at(2)))])


def urls(ledger):
    return {each.key: each for group in ledger.joins.unkeyed() for each in group}


def note_all(ledger, **new):
    """Each URL keeps its key, but for those that are named."""
    keys = {key: each.web_key for key, each in urls(ledger).items()}
    ledger.joins.note(keys | {place(name).key: key for name, key in new.items()})


def test_a_new_ledger_joins_by_the_first_version_of_web(ledger):
    assert ledger.joins.version() == "web@1"
    assert ledger.joins.count() == 0


def test_keys_are_known_by_themselves_and_by_url(ledger):
    fill(ledger)

    assert ledger.joins.count() == len(urls(ledger)) == 3
    assert ledger.joins.has_key(B.web_key)
    assert not ledger.joins.has_key(NEW)
    assert ledger.joins.key_of(B.key) == B.web_key
    assert ledger.joins.key_of(NEW) is None


def test_new_keys_hold_when_all_are_there(ledger):
    fill(ledger)
    ledger.joins.aim("web@2")
    note_all(ledger, a=NEW)
    assert urls(ledger) == {}
    assert ledger.citations.place(NEW) is None
    before = ledger.sections.mark()

    assert ledger.joins.switch("web@2") == (1, 0)

    assert ledger.joins.version() == "web@2"
    assert ledger.joins.key_of(A.key) == NEW
    assert [seen.item.place.web_key for seen in ledger.history.of_url(NEW)] == [NEW]
    assert [found.document for found in ledger.citations.backlinks(NEW)] == ["a.md"]
    assert ledger.citations.place(NEW).place == Place(A.url, A.key, NEW)
    assert ledger.pages.page("docs", A.key).place.web_key == NEW
    assert ledger.pages.mirrored(NEW) == (MirroredAs("docs", "a.md"),)
    assert ledger.citations.place(A.web_key) is None
    assert not ledger.sections.mark().follows(before)


def test_cited_places_that_become_one_are_the_one_that_was_looked_at_last(ledger):
    fill(ledger)
    ledger.joins.aim("web@2")
    note_all(ledger, a=NEW, c=NEW)

    assert ledger.joins.switch("web@2") == (2, 1)

    assert [each.place for each in ledger.citations.places()] == [Place(C.url, C.key, NEW)]
    assert len(ledger.citations.backlinks(NEW)) == 2


def test_keys_may_change_places(ledger):
    fill(ledger)
    ledger.joins.aim("web@2")
    note_all(ledger, a=C.web_key, c=A.web_key)

    assert ledger.joins.switch("web@2") == (2, 0)

    assert ledger.citations.place(A.web_key).place.url == C.url
    assert ledger.citations.place(C.web_key).place.url == A.url


def test_nothing_is_taken_while_a_url_has_no_new_key(ledger):
    fill(ledger)
    ledger.joins.aim("web@2")
    ledger.joins.note({A.key: NEW})

    with pytest.raises(LedgerError, match="no new key"):
        ledger.joins.switch("web@2")

    assert ledger.joins.version() == "web@1"
    assert ledger.joins.key_of(A.key) == A.web_key
    assert set(urls(ledger)) == {B.key, C.key}


def test_what_was_noted_holds_for_the_same_goal_alone(ledger):
    fill(ledger)
    ledger.joins.aim("web@2")
    ledger.joins.note({A.key: NEW})
    ledger.joins.aim("web@2")
    assert A.key not in urls(ledger)

    ledger.joins.aim("web@2 with other overrides")

    assert set(urls(ledger)) == {A.key, B.key, C.key}


def test_every_address_of_a_url_is_known(ledger):
    fill(ledger)
    ledger.frontier.add_entries("run-1", [replace(entry("d"), fetch_url="https://example.com/d?x=1")])
    ledger.frontier.add_entries("run-1", [replace(entry("d"), fetch_url="https://example.com/d?x=2")])

    assert ledger.joins.addresses(A.key) == (A.url, A.url + "#f")
    assert ledger.joins.addresses(B.key) == (B.url + "#part",)
    assert ledger.joins.addresses(C.key) == (C.url + "#f",)
    assert ledger.joins.addresses(url_key("https://example.com/d")) == (
        "https://example.com/d?x=1",
        "https://example.com/d?x=2",
    )
