"""The contract of the `Ledger` port, over every implementation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contracts.ledger_cases import (
    OTHER_RECIPE,
    RECIPE,
    at,
    capture,
    closed,
    content,
    entry,
    facts,
    key,
    link,
    place,
    run,
    seen,
)
from holdfast.adapters.memory.ledger import MemoryLedger
from holdfast.adapters.sqlite.ledger import open_ledger
from holdfast.core.errors import LedgerError, VersionError
from holdfast.core.hashing import settings_digest
from holdfast.core.ledger import (
    Alias,
    AliasReason,
    Confirmed,
    Draft,
    EntryState,
    Finding,
    Original,
    RunStatus,
)
from holdfast.core.lineage import EdgeKind, New, RecordRef, Superseding, Unchanged, seal
from holdfast.core.verdict import EDGE_KEYS
from holdfast.ports import Ledger

A, B, C = place("a"), place("b"), place("c")


@pytest.fixture(params=["memory", "sqlite"])
def ledger(request, tmp_path):
    made: Ledger = MemoryLedger() if request.param == "memory" else open_ledger(tmp_path / "ledger.db", at(0))
    made.begin_run(run())
    yield made
    made.close()


def commit(ledger: Ledger, *findings: Finding, run_id: str = "run-1", seconds: float = 0):
    return ledger.commit(run_id, findings, at(seconds))


class TestRuns:
    def test_a_run_is_read_back_as_it_was_begun(self, ledger):
        record = ledger.run("run-1")
        assert (record.run, record.status, record.seal) == (run(), RunStatus.RUNNING, None)

    def test_beginning_the_same_run_again_changes_nothing(self, ledger):
        ledger.begin_run(run())
        assert len(list(ledger.runs())) == 1

    def test_another_run_with_the_same_id_is_refused(self, ledger):
        with pytest.raises(LedgerError, match="another run"):
            ledger.begin_run(run(seconds=5))

    @pytest.mark.spec("VER-2")
    def test_the_same_version_with_other_identity_settings_is_refused_and_says_what_to_bump(self, ledger):
        other = replace(run("run-2"), identity_digest=settings_digest({"trailing_slash": "keep"}))
        with pytest.raises(VersionError, match="other identity settings") as refused:
            ledger.begin_run(other)
        assert "raise identity_version" in refused.value.hint
        assert ledger.run("run-2") is None

    def test_runs_come_latest_first_and_by_label(self, ledger):
        ledger.begin_run(run("run-2", seconds=5, label="other"))
        assert [r.run.run_id for r in ledger.runs()] == ["run-2", "run-1"]
        assert [r.run.run_id for r in ledger.runs(label="docs")] == ["run-1"]

    def test_a_run_is_found_by_the_beginning_of_its_id_where_only_one_begins_so(self, ledger):
        ledger.begin_run(run("run-12", seconds=5))
        assert ledger.run("run-12").run.run_id == "run-12"
        assert ledger.run("run-1").run.run_id == "run-1"
        assert ledger.run("run") is None

    def test_a_stopped_run_that_runs_again_has_no_end(self, ledger):
        ledger.end_run("run-1", at(9), {"pages": 1})
        ledger.update_run("run-1", RunStatus.RUNNING, at(10))
        record = ledger.run("run-1")
        assert (record.status, record.ended_at, record.seal) == (RunStatus.RUNNING, None, None)
        assert record.summary == (("pages", 1),)

    def test_what_is_said_of_an_unknown_run_is_refused(self, ledger):
        with pytest.raises(LedgerError, match="no run"):
            ledger.update_run("run-9", RunStatus.STOPPED, at(1))
        with pytest.raises(LedgerError, match="no run"):
            commit(ledger, seen(A, 1, "one"), run_id="run-9")

    @pytest.mark.spec("LIN-8")
    def test_the_seal_is_over_what_each_url_showed_last_whatever_the_order(self, ledger):
        commit(ledger, seen(B, 1, "old"), seen(A, 2, "one"), seen(B, 3, "two"))
        digest = ledger.end_run("run-1", at(9), {"pages": 2})
        pairs = sorted([(A.key, content("one")), (B.key, content("two"))])
        assert digest == seal(pairs) == ledger.run("run-1").seal

    @pytest.mark.spec("LIN-8")
    def test_two_runs_over_equal_responses_have_equal_seals(self, ledger):
        commit(ledger, seen(A, 1, "one"), seen(B, 2, "two"))
        ledger.begin_run(run("run-2", seconds=10))
        commit(ledger, seen(B, 11, "two", run_id="run-2"), seen(A, 12, "one", run_id="run-2"), run_id="run-2")
        assert ledger.end_run("run-1", at(20), {}) == ledger.end_run("run-2", at(20), {})


class TestVerdicts:
    @pytest.mark.spec("LIN-2")
    def test_what_is_like_nothing_is_new(self, ledger):
        (made,) = commit(ledger, seen(A, 1, "one"))
        assert made.verdict == New()
        assert ledger.current_item(RECIPE, A.key) == made.item

    @pytest.mark.spec("LIN-2")
    def test_the_same_again_is_no_new_item_but_an_observation(self, ledger):
        (first,) = commit(ledger, seen(A, 1, "one"))
        (again,) = commit(ledger, seen(A, 2, "one"))
        assert again.verdict == Unchanged(first.item)
        assert [o.is_new for o in ledger.history(A.web_key)] == [True, False]

    @pytest.mark.spec("LIN-2", "LIN-3", "LIN-5")
    def test_a_return_to_older_content_is_a_new_item_and_supersedes_by_content(self, ledger):
        first, second, third = commit(ledger, seen(A, 1, "one"), seen(A, 2, "two"), seen(A, 3, "one"))
        assert isinstance(third.verdict, Superseding)
        assert third.verdict.old == first.item
        metadata = dict(third.verdict.edge.metadata)
        assert metadata["conflict_resolved"] is True
        assert metadata["canonical_uri_match"] == second.item.item_id
        assert ledger.current_item(RECIPE, A.key) == third.item

    @pytest.mark.spec("LIN-4")
    def test_edge_metadata_has_exactly_its_five_keys(self, ledger):
        first, second = commit(ledger, seen(A, 1, "one"), seen(A, 2, "two"))
        (edge,) = ledger.relations(second.item.item_id).outgoing
        assert edge == second.verdict.edge
        assert edge.kind is EdgeKind.SUPERSEDES
        assert tuple(dict(edge.metadata)) == EDGE_KEYS
        assert dict(edge.metadata) == {
            "reason": "same_canonical_uri",
            "conflict_resolved": False,
            "canonical_uri_match": first.item.item_id,
            "content_sha256_match": None,
            "selected": "canonical_uri",
        }
        assert ledger.relations(first.item.item_id).incoming == (edge,)

    @pytest.mark.spec("LIN-5")
    def test_a_url_keeps_its_own_current_item_when_another_supersedes_it_by_content(self, ledger):
        (first,) = commit(ledger, seen(A, 1, "one"))
        (other,) = commit(ledger, seen(B, 2, "one"))
        assert other.verdict.old == first.item
        assert ledger.current_item(RECIPE, A.key) == first.item
        (again,) = commit(ledger, seen(A, 3, "one"))
        assert again.verdict == Unchanged(first.item)

    @pytest.mark.spec("LIN-3", "LIN-6")
    def test_equal_content_in_one_batch_forms_a_chain(self, ledger):
        made = commit(ledger, *(seen(place(str(n)), 1, "same") for n in range(6)))
        assert [m.verdict.old for m in made[1:]] == [m.item for m in made[:-1]]
        assert len({m.item.created_at for m in made}) == 6

    @pytest.mark.spec("LIN-5")
    def test_current_follows_the_captures_not_the_order_of_writing(self, ledger):
        late, early = commit(ledger, seen(A, 9, "late"), seen(A, 1, "early"))
        assert ledger.current_item(RECIPE, A.key) == late.item
        assert early.item != late.item
        assert [o.item for o in ledger.history(A.web_key)] == [early.item, late.item]

    @pytest.mark.spec("VER-4", "VER-5")
    def test_items_of_another_version_are_never_matched(self, ledger):
        finding = seen(A, 1, "one")
        (first,) = commit(ledger, finding)
        ledger.begin_run(run("run-2", OTHER_RECIPE, seconds=5))
        moved = place("A")
        draft = Draft(content("one"), "Title", reprocessed_from=first.item.item_id, place=moved)
        (made,) = commit(ledger, Finding(capture=finding.capture, made=draft), run_id="run-2")
        assert made.verdict == New()
        (edge,) = ledger.relations(made.item.item_id).outgoing
        assert (edge.kind, edge.target) == (EdgeKind.REPROCESSED_FROM, first.item.item_id)
        assert ledger.current_item(OTHER_RECIPE, moved.key) == made.item
        assert [o.item for o in ledger.history(A.web_key)] == [first.item, made.item]
        assert [o.item for o in ledger.history(A.web_key, OTHER_RECIPE)] == [made.item]
        assert [o.item for o in ledger.observations("run-2")] == [made.item]

    @pytest.mark.spec("LIN-7")
    def test_a_finding_written_twice_is_written_once_and_gets_the_same_verdict(self, ledger):
        batch = (seen(A, 1, "one"), seen(A, 2, "two"), seen(B, 3, "one"), seen(A, 4, "two"))
        assert commit(ledger, *batch) == commit(ledger, *batch, seconds=50)
        assert len(list(ledger.history(A.web_key))) == 3

    def test_a_304_observes_the_current_item_and_keeps_its_links(self, ledger):
        (first,) = commit(ledger, seen(A, 1, "one", links=(link(B), link(C))))
        (confirmed,) = commit(ledger, Finding(capture=capture(A, 2, status=304), made=Confirmed()))
        assert confirmed.verdict == Unchanged(first.item)
        assert ledger.links_of(RECIPE, A.key) == (link(B), link(C))

    def test_a_304_of_an_unknown_url_is_refused_and_nothing_of_its_batch_is_kept(self, ledger):
        with pytest.raises(LedgerError, match="nothing is known"):
            commit(ledger, seen(B, 1, "one"), Finding(capture=capture(A, 2, status=304), made=Confirmed()))
        assert ledger.current_item(RECIPE, B.key) is None
        (made,) = commit(ledger, seen(B, 1, "one"))
        assert made.verdict == New()

    def test_links_follow_the_last_observation_even_where_the_text_stays(self, ledger):
        commit(ledger, seen(A, 1, "one", links=(link(B),)))
        (again,) = commit(ledger, seen(A, 2, "one", links=(link(C),)))
        assert isinstance(again.verdict, Unchanged)
        assert ledger.links_of(RECIPE, A.key) == (link(C),)

    def test_a_capture_without_an_item_is_in_the_history(self, ledger):
        commit(ledger, Finding(capture=capture(A, 1, status=404)))
        assert [(o.capture.status, o.item) for o in ledger.history(A.web_key)] == [(404, None)]
        assert [o.capture for o in ledger.observations("run-1")] == [capture(A, 1, status=404)]

    def test_items_are_found_by_the_beginning_of_their_id(self, ledger):
        (made,) = commit(ledger, seen(A, 1, "one"))
        assert ledger.items(made.item.item_id[:9]) == (made.item,)
        assert ledger.items(made.item.item_id) == (made.item,)
        assert ledger.items("") == (made.item,)

    @pytest.mark.spec("ID-12")
    def test_urls_of_two_policies_meet_on_their_web_key(self, ledger):
        sorted_form = place("s?b=2&a=1", web="https://example.com/s?a=1&b=2")
        web_form = place("s?a=1&b=2")
        commit(ledger, seen(sorted_form, 1, "one"), seen(web_form, 2, "one"))
        assert [o.capture.url_key for o in ledger.history(web_form.key)] == [sorted_form.key, web_form.key]


class TestArchiveBookkeeping:
    def test_the_committed_end_of_each_file_is_known(self, ledger):
        refs = [RecordRef("a.warc.gz", 0, 100), RecordRef("a.warc.gz", 100, 50), RecordRef("b.warc.gz", 7, 3)]
        commit(ledger, *(Finding(capture=capture(A, n, ref=ref)) for n, ref in enumerate(refs)))
        assert ledger.archive_ends() == {"a.warc.gz": 150, "b.warc.gz": 10}

    def test_the_first_capture_of_a_body_is_its_original(self, ledger):
        first, second = RecordRef("a.warc.gz", 0, 100), RecordRef("a.warc.gz", 100, 50)
        commit(
            ledger,
            Finding(capture=capture(A, 1, payload="ab" * 32)),
            Finding(capture=capture(A, 2, payload="ab" * 32, ref=first)),
            Finding(capture=capture(B, 3, payload="ab" * 32, ref=second)),
        )
        originals = ledger.originals_of(["ab" * 32, "cd" * 32])
        assert originals == {"ab" * 32: Original(first, A.url, at(2))}


class TestPages:
    def page(self, ledger, where, seconds, text, path, **more):
        finding = replace(seen(where, seconds, text, **more), page=facts(path, f"T {text}"))
        commit(ledger, finding)
        return ledger.page("docs", where.key)

    def test_a_page_is_read_back_with_its_item_and_answer(self, ledger):
        page = self.page(ledger, A, 1, "one", "a/index.md")
        assert page.facts == facts("a/index.md", "T one")
        assert (page.place, page.content_sha256, page.fetched_at) == (A, content("one"), at(1))
        assert ledger.page("other", A.key) is None

    def test_pages_come_in_the_order_of_their_paths_bytes(self, ledger):
        for n, path in enumerate(["b.md", "a/z.md", "ä.md", "a.md", "😀.md", "\uff5e.md"]):
            self.page(ledger, place(str(n)), n, str(n), path)
        paths = [page.facts.path for page in ledger.pages("docs")]
        assert paths == sorted(paths, key=str.encode)
        assert len(paths) == 6

    @pytest.mark.spec("PATH-6")
    def test_a_path_belongs_to_one_url(self, ledger):
        self.page(ledger, A, 1, "one", "a.md")
        with pytest.raises(LedgerError, match=r"a\.md is the page of https://example\.com/a"):
            self.page(ledger, B, 2, "two", "a.md")
        assert ledger.current_item(RECIPE, B.key) is None

    def test_a_304_moves_the_fetch_time_and_keeps_the_answer(self, ledger):
        before = self.page(ledger, A, 1, "one", "a.md")
        later = capture(A, 5, status=304, etag='"new"')
        commit(ledger, Finding(capture=later, made=Confirmed()))
        assert ledger.page("docs", A.key) == replace(before, fetched_at=at(5), etag='"new"')

    def test_gone_pages_are_marked_and_come_back(self, ledger):
        self.page(ledger, A, 1, "one", "a.md")
        ledger.mark_gone("docs", [A.key, B.key], at(7))
        assert ledger.page("docs", A.key).gone_at == at(7)
        ledger.mark_gone("docs", [A.key], None)
        assert ledger.page("docs", A.key).gone_at is None
        ledger.mark_gone("docs", [A.key], at(8))
        assert self.page(ledger, A, 9, "one", "a.md").gone_at is None

    def test_a_dropped_page_leaves_its_history(self, ledger):
        self.page(ledger, A, 1, "one", "a.md")
        ledger.drop_pages("docs", [A.key])
        assert ledger.page("docs", A.key) is None
        assert len(list(ledger.history(A.web_key))) == 1
        assert self.page(ledger, B, 2, "two", "a.md").place == B

    def test_backlinks_are_those_of_the_current_pages(self, ledger):
        self.page(ledger, A, 1, "one", "a.md", links=(link(C, "first"), link(B)))
        self.page(ledger, B, 2, "two", "b.md", links=(link(C, "second"),))
        found = [(b.page, b.link.text) for b in ledger.pages_linking_to(C.web_key)]
        assert found == [(A, "first"), (B, "second")]
        self.page(ledger, A, 3, "three", "a.md", links=(link(B),))
        assert [b.page for b in ledger.pages_linking_to(C.web_key)] == [B]

    def test_aliases_are_kept_with_their_reason(self, ledger):
        alias = Alias(B, A, AliasReason.REDIRECT, "301")
        commit(ledger, Finding(aliases=(alias, Alias(C, A, AliasReason.CANONICAL_LINK))))
        commit(ledger, Finding(aliases=(Alias(C, B, AliasReason.REFRESH),)))
        assert list(ledger.aliases("docs")) == [alias, Alias(C, B, AliasReason.REFRESH)]
        assert list(ledger.aliases("other")) == []


class TestFrontier:
    def test_entries_are_handed_out_in_order_and_only_once(self, ledger):
        ledger.add_entries("run-1", [entry("c", 1, 0, 0), entry("b", 0, 1, 0), entry("a", 0, 0, 5)])
        assert [e.place for e in ledger.take_entries("run-1", 2)] == [A, B]
        assert [e.place for e in ledger.take_entries("run-1", 2)] == [C]
        assert ledger.take_entries("run-1", 2) == ()

    def test_an_entry_is_read_back_as_it_was_added(self, ledger):
        added = replace(
            entry("a", 2, 1, 7), lastmod=at(3), listed=True, parent=B.key, fetch_url="https://a/?x"
        )
        ledger.add_entries("run-1", [added])
        assert ledger.entry("run-1", A.key) == added
        assert ledger.entry("run-1", B.key) is None

    @pytest.mark.spec("MIR-8")
    def test_a_second_address_of_a_key_is_an_alternate(self, ledger):
        again = [replace(entry("a", 9), fetch_url=url) for url in ("https://x/1", A.url, "https://x/2")]
        assert ledger.add_entries("run-1", [entry("a"), *again, again[0]]) == 1
        assert ledger.entry("run-1", A.key) == entry("a")
        assert ledger.alternates("run-1", A.key) == ("https://x/1", "https://x/2")

    def test_closed_entries_are_not_handed_out_and_are_counted(self, ledger):
        ledger.add_entries("run-1", [entry("a"), entry("b"), entry("c")])
        ledger.take_entries("run-1", 3)
        commit(ledger, Finding(closed=(closed("a"), closed("unknown")), discovered=(entry("d", 1),)))
        ledger.close_entries("run-1", [closed("b", EntryState.DEFERRED)])
        counts = {EntryState.PAGE: 1, EntryState.DEFERRED: 1, EntryState.TAKEN: 1, EntryState.READY: 1}
        assert ledger.count_entries("run-1") == counts
        (deferred,) = ledger.take_entries("run-1", 9, EntryState.DEFERRED)
        assert deferred.place == B

    def test_attempts_add_up(self, ledger):
        ledger.add_entries("run-1", [entry("a")])
        for _ in range(2):
            ledger.close_entries("run-1", [replace(closed("a", EntryState.FAILED), attempts=2, detail="503")])
        found = ledger.entry("run-1", A.key)
        assert (found.attempts, found.state, found.detail) == (4, EntryState.FAILED, "503")

    def test_a_resume_reopens_by_state_and_by_key(self, ledger):
        ledger.add_entries("run-1", [entry("a"), entry("b"), entry("c"), entry("d")])
        ledger.take_entries("run-1", 2)
        ledger.close_entries("run-1", [closed("c"), closed("b", EntryState.FAILED)])
        states = (EntryState.TAKEN, EntryState.FAILED)
        assert ledger.reopen_entries("run-1", states, [key("c"), key("d"), key("z")]) == 3
        assert ledger.count_entries("run-1") == {EntryState.READY: 4}

    def test_entries_of_two_runs_do_not_meet(self, ledger):
        ledger.begin_run(run("run-2", seconds=3))
        ledger.add_entries("run-1", [entry("a")])
        assert ledger.add_entries("run-2", [entry("a"), entry("b")]) == 2
        assert [e.place for e in ledger.entries("run-1")] == [A]
        assert [e.place for e in ledger.entries("run-2", [EntryState.READY])] == [A, B]
