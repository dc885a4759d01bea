"""The contract of the `PageLedger` port, over every implementation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helpers.ledger_cases import (
    OTHER_RECIPE,
    RECIPE,
    at,
    capture,
    commit,
    content,
    facts,
    link,
    moved_to,
    place,
    run,
    seen,
)
from holdfast.core.base.errors import LedgerError
from holdfast.core.lineage.ledger_values import Alias, AliasReason, Confirmed, Draft, Finding, NamedAlias

A, B, C = place("a"), place("b"), place("c")


def commit_page(ledger, where, seconds, text, path, **more):
    finding = replace(seen(where, seconds, text, **more), page=facts(path, f"T {text}"))
    commit(ledger, finding)
    return ledger.pages.page("docs", where.key)


def test_a_page_is_read_back_with_its_item_and_answer(ledger):
    page = commit_page(ledger, A, 1, "one", "a/index.md")
    assert page.facts == facts("a/index.md", "T one")
    assert (page.place, page.content_sha256, page.fetched_at) == (A, content("one"), at(1))
    assert ledger.pages.page("other", A.key) is None


def test_pages_come_in_the_order_of_their_paths_bytes(ledger):
    for n, path in enumerate(["b.md", "a/z.md", "ä.md", "a.md", "😀.md", "\uff5e.md"]):
        commit_page(ledger, place(str(n)), n, str(n), path)
    paths = [page.facts.path for page in ledger.pages.by_path("docs")]
    assert paths == sorted(paths, key=str.encode)
    assert len(paths) == 6


@pytest.mark.spec("PATH-6")
def test_a_path_belongs_to_one_url(ledger):
    commit_page(ledger, A, 1, "one", "a.md")
    with pytest.raises(LedgerError, match=r"a\.md is the page of https://example\.com/a"):
        commit_page(ledger, B, 2, "two", "a.md")
    assert ledger.history.current_item(RECIPE, B.key) is None


def test_a_304_moves_the_fetch_time_and_keeps_the_answer(ledger):
    before = commit_page(ledger, A, 1, "one", "a.md")
    later = capture(A, 5, status=304, etag='"new"')
    commit(ledger, Finding(capture=later, made=Confirmed()))
    assert ledger.pages.page("docs", A.key) == replace(before, fetched_at=at(5), etag='"new"')


def test_a_page_that_comes_twice_in_a_batch_is_as_it_came_last(ledger):
    one, two = (replace(seen(A, n, f"text {n}"), page=facts(f"{n}.md")) for n in (1, 2))
    again = Finding(capture(A, 3, status=304, etag='"new"'), Confirmed())
    commit(ledger, one, two, again, replace(again, capture=capture(A, 4, status=304)))
    page = ledger.pages.page("docs", A.key)
    assert (page.facts.path, page.fetched_at, page.etag) == ("2.md", at(4), '"new"')
    assert page.content_sha256 == content("text 2")


def test_gone_pages_are_marked_and_come_back(ledger):
    commit_page(ledger, A, 1, "one", "a.md")
    ledger.pages.mark_gone("docs", [A.key, B.key], at(7))
    assert ledger.pages.page("docs", A.key).gone_at == at(7)
    ledger.pages.mark_gone("docs", [A.key], None)
    assert ledger.pages.page("docs", A.key).gone_at is None
    ledger.pages.mark_gone("docs", [A.key], at(8))
    assert commit_page(ledger, A, 9, "one", "a.md").gone_at is None


@pytest.mark.spec("TRK-14")
def test_where_a_content_is_mirrored_is_known_as_long_as_it_is_not_gone(ledger):
    commit_page(ledger, A, 1, "one", "a.md")
    there = commit_page(ledger, B, 2, "one", "b.md").fetch_url
    commit_page(ledger, A, 3, "two", "a.md")
    assert ledger.pages.addresses_of(content("one")) == (there,)
    assert ledger.pages.addresses_of(content("three")) == ()
    ledger.pages.mark_gone("docs", [B.key], at(7))
    assert ledger.pages.addresses_of(content("one")) == ()


def test_a_dropped_page_leaves_its_history(ledger):
    commit_page(ledger, A, 1, "one", "a.md")
    ledger.pages.drop_pages("docs", [A.key], at(5))
    assert ledger.pages.page("docs", A.key) is None
    assert len(list(ledger.history.of_url(A.web_key))) == 1
    assert commit_page(ledger, B, 2, "two", "a.md").place == B


@pytest.mark.spec("EXP-1")
def test_it_is_known_when_a_page_left_however_it_did(ledger):
    commit_page(ledger, A, 1, "one", "a.md")
    commit_page(ledger, B, 1, "two", "b.md")
    commit_page(ledger, C, 1, "three", "c.md")
    ledger.pages.mark_gone("docs", [A.key], at(3))
    ledger.pages.mark_gone("docs", [A.key], at(4))  # it is gone already
    ledger.pages.drop_pages("docs", [A.key, B.key], at(5))
    ledger.forgetting.purge({C.key}, (), moved_to({}), at(6))
    left = [(page.place, page.left_at) for page in ledger.pages.left_between("docs", at(0))]
    assert left == [(A, at(3)), (B, at(5)), (C, at(6))]
    assert [page.place for page in ledger.pages.left_between("docs", at(3), at(5))] == [B]
    assert ledger.pages.absences("docs", A.key) == (at(3),)
    assert list(ledger.pages.left_between("elsewhere", at(0))) == []


def test_backlinks_are_those_of_the_current_pages(ledger):
    commit_page(ledger, A, 1, "one", "a.md", links=(link(C, "first"), link(B)))
    commit_page(ledger, B, 2, "two", "b.md", links=(link(C, "second"),))
    found = [(b.page, b.link.text) for b in ledger.pages.pages_linking_to(C.web_key)]
    assert found == [(A, "first"), (B, "second")]
    commit_page(ledger, A, 3, "three", "a.md", links=(link(B),))
    assert [b.page for b in ledger.pages.pages_linking_to(C.web_key)] == [B]


def test_aliases_are_kept_with_their_reason(ledger):
    alias = Alias(B, A, AliasReason.REDIRECT, "301")
    commit(ledger, Finding(aliases=(alias, Alias(C, A, AliasReason.CANONICAL_LINK))))
    commit(ledger, Finding(aliases=(Alias(C, B, AliasReason.REFRESH),)))
    assert list(ledger.pages.aliases("docs")) == [alias, Alias(C, B, AliasReason.REFRESH)]
    assert list(ledger.pages.aliases("other")) == []
    assert ledger.pages.targets_of("docs", [A.key, B.key, C.key]) == {B.key: A.key, C.key: B.key}
    assert ledger.pages.targets_of("docs", []) == ledger.pages.targets_of("other", [B.key]) == {}


@pytest.mark.spec("ID-13")
def test_a_page_whose_url_a_recipe_made_another_is_written_anew_for_what_was_captured(ledger):
    tracked, clean = place("a?dclid=1"), place("a")
    commit(ledger, seen(tracked, 1, "one"))
    ledger.runs.begin_run(run("run-2", OTHER_RECIPE, seconds=2))
    made = Draft(content("one"), "One", (), None, clean)
    commit(ledger, Finding(capture(tracked, 1), made, facts("a.md")), run_id="run-2")
    commit(ledger, Finding(capture(tracked, 1), Confirmed(), facts("a.md", "Another")), run_id="run-2")

    assert ledger.pages.page("docs", clean.key).facts == facts("a.md", "Another")


@pytest.mark.spec("ID-13")
def test_what_is_named_after_itself_is_an_alias_no_more(ledger):
    commit(ledger, Finding(aliases=(Alias(A, B, AliasReason.MOVED), Alias(C, B, AliasReason.MOVED))))
    commit(ledger, Finding(aliases=(Alias(C, A, AliasReason.MOVED), Alias(A, A, AliasReason.MOVED))))

    assert list(ledger.pages.aliases("docs")) == [Alias(C, A, AliasReason.MOVED)]


@pytest.mark.spec("MIR-8")
def test_what_a_url_was_merged_with_can_be_asked_from_both_ends(ledger):
    first, second = Alias(B, A, AliasReason.REDIRECT, "301"), Alias(C, B, AliasReason.REFRESH)
    commit(ledger, Finding(aliases=(first, second)))
    assert ledger.pages.names_of(A.web_key) == (NamedAlias("docs", first),)
    assert ledger.pages.names_of(B.web_key) == (NamedAlias("docs", first), NamedAlias("docs", second))
    assert ledger.pages.names_of(C.web_key) == (NamedAlias("docs", second),)
