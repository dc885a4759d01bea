"""The lines of a chapter are the same whatever database they come from, and the same as ever."""

from __future__ import annotations

from functools import partial

import apsw
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helpers.ledger_cases import at, moved_to, place, seen
from holdfast.core.lineage.chapters import CITATIONS, MIRROR, RUN, STORE, parts_of, tables_in
from holdfast.core.lineage.lineage import NO_TALLY
from holdfast.storage.archive import without_ledger
from holdfast.storage.archive.archive import open_archive
from holdfast.storage.archive.recovery import KnownFiles
from holdfast.storage.ledger import chapter_rows as chapters
from holdfast.storage.ledger import restoring
from holdfast.storage.ledger.joining import Joining
from holdfast.storage.ledger.restoring import There
from holdfast.storage.postgres.postgres_ledger import check_database, open_postgres
from holdfast.storage.sqlite.sqlite_ledger import check_file, open_ledger
from storage.ledger.test_citations import cites, document
from storage.sqlite.ledger_tour import fill

pytestmark = pytest.mark.spec("STA-7", "CLU-1")


def text_of(ledger, name):
    return b"".join(part.text for part in parts_of(name, ledger.chapters.lines(name)))


def texts(ledger):
    return {name: text_of(ledger, name) for name in ledger.chapters.due() if name != STORE}


def cited(ledger):
    return {node.place.url: node.state for node in ledger.citations.places(cited=False)}


def put_back(ledger, found):
    order = sorted(found, key=lambda name: not name.startswith(RUN))
    ledger.restore([tables_in(found[name]) for name in order], "a store", lambda _: There.WHOLE, at(9))
    ledger.chapters.settle({"f": 9}, set())


@pytest.fixture
def filled(tmp_path):
    ledger = open_ledger(tmp_path / "ledger.db", at(0))
    fill(ledger)
    ledger.citations.put_documents([(document("b.md"), [cites(place("a"))])])
    yield ledger
    ledger.close()


def test_chapters_of_a_server_s_ledger_have_the_bytes_of_the_file_s(filled, postgres, tmp_path):
    told = texts(filled)
    assert {RUN + "run-1", RUN + "run-2", MIRROR + "docs", CITATIONS} == set(told)
    server = open_postgres(postgres, at(0))
    put_back(server, told)
    assert {name: text_of(server, name) for name in told} == told
    assert list(server.chapters.altered()) == []
    back = open_ledger(tmp_path / "back.db", at(0))
    put_back(back, {name: text_of(server, name) for name in told})
    assert {name: text_of(back, name) for name in told} == told
    back.close()
    server.close()
    assert list(check_database(postgres)) == []
    assert list(check_file(tmp_path / "back.db")) == []


def test_a_ledger_that_was_put_back_on_a_server_goes_on(filled, postgres):
    server = open_postgres(postgres, at(0))
    put_back(server, texts(filled))
    server.commit("run-2", [seen(place("new"), 20, "new words", run_id="run-2")], at(21))
    server.citations.put_documents([(document("c.md"), [cites(place("c"))])])
    server.frontier.reopen_entries("run-2", (), [])
    server.close()
    assert list(check_database(postgres)) == []


def test_a_run_that_goes_on_is_written_to_the_archive_again(filled, tmp_path):
    back = open_ledger(tmp_path / "back.db", at(0))
    put_back(back, texts(filled))
    assert RUN + "run-1" not in back.chapters.due()
    back.runs.end_run("run-1", at(20), NO_TALLY)
    assert RUN + "run-1" in back.chapters.due()
    back.close()


def test_what_another_ledger_brings_is_told_again(filled, tmp_path):
    back = open_ledger(tmp_path / "back.db", at(0))
    put_back(back, texts(filled))
    assert not {MIRROR + "docs", CITATIONS} & set(back.chapters.due())
    back.join(filled, {}, str, at(9))
    assert {MIRROR + "docs", CITATIONS} <= set(back.chapters.due())
    back.close()


def test_what_another_ledger_knows_of_cited_urls_is_brought(filled, tmp_path):
    known = cited(filled)
    assert known
    new = open_ledger(tmp_path / "new.db", at(0))
    new.join(filled, {}, str, at(9))
    assert cited(new) == known
    new.close()


class ToldRow(dict):
    """A row that knows how many there are, and how many there were at most."""

    now = most = 0

    def __init__(self, values):
        super().__init__(values)
        ToldRow.now += 1
        ToldRow.most = max(ToldRow.most, ToldRow.now)

    def __del__(self):
        ToldRow.now -= 1


@pytest.mark.parametrize("taken_in", ["restored", "joined"])
def test_chapters_are_taken_in_a_group_of_rows_at_a_time(filled, tmp_path, monkeypatch, taken_in):
    monkeypatch.setattr(restoring, "_GROUP", 3)
    monkeypatch.setattr(ToldRow, "most", 0)
    told = texts(filled)
    order = sorted(told, key=lambda name: not name.startswith(RUN))
    rows = [((table, ToldRow(row)) for table, row in tables_in(told[name])) for name in order]
    back = open_ledger(tmp_path / "back.db", at(0))
    if taken_in == "restored":
        back.restore(rows, "a store", lambda _: There.WHOLE, at(9))
    else:
        Joining(back._session, {}, str, at(9)).take(rows, "a store", ())
    back.close()
    assert 0 < ToldRow.most <= 3 * 3  # a group that is written, one that is read, rows in passing
    assert max(len(list(tables_in(text))) for text in told.values()) > 2 * 3 * 3  # a chapter has more


def test_what_the_archive_has_not_is_noted_as_lost(filled, tmp_path):
    back = open_ledger(tmp_path / "back.db", at(0))
    told = [tables_in(text) for name, text in texts(filled).items() if name.startswith(RUN)]
    restored = back.restore(told, "a store", lambda _: There.DAMAGED, at(9))
    assert 0 < restored.lost == len(back.archived.lost()) <= restored.captures
    back.close()


def test_what_the_archive_lost_is_told_again(filled, tmp_path):
    """Pages lose their validators with the records that they were made of."""
    back = open_ledger(tmp_path / "back.db", at(0))
    put_back(back, texts(filled))
    assert MIRROR + "docs" not in back.chapters.due()
    ref = next(record.ref for record in back.archived.captures() if record.ref is not None)
    assert back.archived.lose([ref], at(20)) >= 1
    assert {MIRROR + "docs", RUN + "run-1"} <= set(back.chapters.due())
    back.close()


@example(["é\n😀", b"\xe9", ""])
@given(
    st.lists(
        st.one_of(
            st.none(), st.integers(-(2**63), 2**63 - 1), st.text(st.characters(codec="utf-8")), st.binary()
        )
    )
)
def test_a_line_is_what_sqlite_makes_of_the_row(row):
    """Archives hold digests of lines that `json_array` made, hashes as hex."""
    db = apsw.Connection(":memory:")
    places = ("nullif(lower(hex(?)), '')" if isinstance(value, bytes) else "?" for value in row)
    ((line,),) = db.execute(f"SELECT json_array({', '.join(places)})", row)
    assert chapters.as_lines([row, row]) == [line, line]


def test_what_is_true_is_1_in_a_line():
    assert chapters.as_lines([[True, 2], [False, 3]]) == ["[1,2]", "[0,3]"]


def test_tombstones_stand_in_the_order_of_their_digits(tmp_path, postgres):
    """So the first archives have them: the digest of a chapter depends on it."""
    for ledger in (open_ledger(tmp_path / "ledger.db", at(0)), open_postgres(postgres, at(0))):
        places = [place(f"{n}") for n in range(12)]
        fill(ledger)
        ledger.citations.put_documents([(document("c.md"), [cites(one) for one in places])])
        ledger.forgetting.purge([one.key for one in places], (), moved_to({}), at(1))
        rows = [row for table, row in tables_in(text_of(ledger, STORE)) if table == "tombstone"]
        numbers = [row["url_id"] for row in rows]
        ledger.close()
        assert len(numbers) == 12
        assert numbers == sorted(numbers, key=str) != sorted(numbers)


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\x0b", "\x1e", "\r"])
def test_a_text_with_another_kind_of_line_break_is_put_back(tmp_path, mark):
    ledger = open_ledger(tmp_path / "ledger.db", at(0))
    fill(ledger)
    ledger.citations.put_documents([(document(f"{mark}.md"), [cites(place("a"))])])
    told = texts(ledger)
    ledger.close()
    copy = open_ledger(tmp_path / "copy.db", at(0))
    put_back(copy, told)
    assert [one.path for one in copy.citations.documents()] == [f"{mark}.md"]
    copy.close()


@pytest.mark.parametrize("size", [100, 1_000_000])
def test_the_archive_is_told_a_chapter_once_and_again_when_its_rows_are_others(
    filled, tmp_path, monkeypatch, size
):
    monkeypatch.setattr(
        without_ledger, "parts_of", partial(parts_of, most=size)
    )  # long chapters are read twice
    archive = open_archive(tmp_path / "archive", KnownFiles({}), software="test")

    def told() -> list[str]:
        archive.append_told = lambda part, _: (names.append(part.chapter), ("f", len(names)))[1]
        names: list[str] = []
        without_ledger.keep_chapters(filled.chapters, archive, at(30))
        return sorted(set(names))

    every = sorted(filled.chapters.due())
    assert told() == every
    assert told() == []
    filled.citations.put_documents([(document("b.md"), [cites(place("a"))])])
    assert CITATIONS in filled.chapters.due()
    assert told() == [], "its rows are what they were"
    filled.citations.put_documents([(document("c.md"), [cites(place("c"))])])
    assert told() == [CITATIONS]
    assert list(filled.chapters.altered()) == []


def test_the_archive_is_told_what_another_session_wrote(filled, tmp_path):
    later = open_ledger(tmp_path / "ledger.db", at(0))
    assert later.chapters.due() == filled.chapters.due() != ()
    archive = open_archive(tmp_path / "archive", KnownFiles({}), software="test")
    without_ledger.keep_chapters(later.chapters, archive, at(30), but=[CITATIONS])
    assert later.chapters.due() == (CITATIONS,)
    without_ledger.keep_chapters(later.chapters, archive, at(30))
    assert later.chapters.due() == ()
    archive.close()
    later.close()
