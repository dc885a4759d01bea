"""The search index: sections by their words, now and as they were; nothing of what was forgotten."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.base.errors import UsageError
from holdfast.core.base.hashing import url_key
from holdfast.core.page.fragment import section_hash
from holdfast.core.page.search_terms import IndexedPage, IndexMark, read_query
from holdfast.core.page.section import PageSection, SectionKind
from holdfast.core.url.url import Place
from holdfast.core.web.rank import own_rank
from holdfast.storage.sqlite import search_finding
from holdfast.storage.sqlite.search_index import open_search
from holdfast.storage.sqlite.sqlite_file import SqliteDatabase

pytestmark = pytest.mark.spec("SRC-1")

START = datetime(2026, 5, 1, tzinfo=UTC)
MARK = IndexMark("store", 0, 1, None)


def day(number):
    return START + timedelta(days=number)


def place(name):
    url = f"https://{name}"
    return Place(url, url_key(url), url_key(url))


def section(anchor, text, *path, name=None):
    kind = SectionKind.API if name else SectionKind.PROSE
    return PageSection(anchor, path or ("Page", anchor), 2, kind, name, "en", text, section_hash(text))


def page(name, number, *sections):
    own = place(name)
    return IndexedPage(own, "Page", f"{number:064x}", day(number), True, sections, own.key, own_rank(number))


@pytest.fixture
def index(tmp_path):
    made = open_search(tmp_path / "search.db")
    yield made
    made.close()


def add(index, *pages):
    before = index.mark()
    assert index.add(before, pages, MARK._replace(observed=before.observed + 1 if before else 1))


def anchors(index, text, **options):
    return [each.anchor for each in index.find(read_query(text, **options), 10)]


def test_exact_names_come_before_titles_and_both_before_text(index):
    add(
        index,
        page(
            "x/1",
            1,
            section("often", "route " * 50 + "and more of route"),
            section("titled", "How URLs are bound.", "Page", "Route"),
            section("named", "Decorate a function.", "Page", "route(rule)", name="flask.Flask.route"),
        ),
    )
    assert anchors(index, "flask.Flask.route")[0] == "named"
    assert set(anchors(index, "route")[:2]) == {"titled", "named"}
    assert anchors(index, "route")[2] == "often"


def test_a_phrase_is_found_only_as_it_stands(index):
    add(index, page("x/1", 1, section("a", "the quick brown fox"), section("b", "brown and quick")))
    assert anchors(index, '"quick brown"') == ["a"]
    assert anchors(index, "quick brown") == ["a", "b"]


def test_a_beginning_finds_what_begins_so(index):
    add(index, page("x/1", 1, section("a", "configuration"), section("b", "figures")))
    assert anchors(index, "config*") == ["a"]


def test_sections_with_some_of_the_words_answer_where_none_has_all(index):
    add(index, page("x/1", 1, section("a", "alpha"), section("b", "alpha and omega")))
    assert anchors(index, "alpha omega") == ["b"]
    assert anchors(index, "omega delta") == ["b"]


def test_a_site_is_a_host_or_the_beginning_of_an_address(index):
    add(index, page("x.org/1", 1, section("a", "word")), page("y.org/docs/2", 1, section("b", "word")))
    assert anchors(index, "word", site="y.org") == ["b"]
    assert anchors(index, "word", site="https://y.org/docs/") == ["b"]
    assert anchors(index, "word", site="y.org/other") == []


def test_a_section_is_found_as_it_was_at_a_date(index):
    add(index, page("x/1", 1, section("a", "first words"), section("b", "steady")))
    add(index, page("x/1", 3, section("a", "second words"), section("b", "steady")))
    assert anchors(index, "first") == []
    assert anchors(index, "second") == ["a"]
    assert anchors(index, "first", at=day(2)) == ["a"]
    assert anchors(index, "second", at=day(2)) == []
    assert anchors(index, "steady", at=day(0.5)) == []
    [old] = index.find(read_query("first", at=day(2)), 1)
    assert (old.since, old.until) == (day(1), day(3))
    [same] = index.find(read_query("steady"), 9)
    assert same.since == day(1)


def test_pages_that_are_gone_are_not_found_any_more_until_they_are_back(index):
    add(index, page("x/1", 1, section("a", "word")))
    for standing, now, then in (
        ({place("x/1").web_key: day(4)}, [], ["a"]),
        ({place("x/1").web_key: None}, ["a"], ["a"]),
    ):
        assert index.settle(index.mark(), standing, MARK)
        assert anchors(index, "word") == now
        assert anchors(index, "word", at=day(2)) == then


def test_the_words_that_were_asked_for_are_marked_in_the_snippet(index):
    add(index, page("x/1", 1, section("a", "It was running all day; nothing else ran.")))
    query = read_query("run")
    [found] = index.find(query, 5)
    snippet = index.snippets(query, [found.number])[found.number]
    assert [snippet.text[first:last] for first, last in snippet.marks] == ["running"]
    assert index.texts([found.number]) == {found.number: "It was running all day; nothing else ran."}


def test_whoever_comes_second_writes_nothing(index, tmp_path):
    other = open_search(tmp_path / "search.db")
    add(index, page("x/1", 1, section("a", "word")))
    assert not other.add(None, [page("x/1", 2, section("a", "other"))], MARK)
    assert anchors(other, "word") == ["a"]
    other.close()


def test_nothing_of_what_was_forgotten_stays_in_the_file(index, tmp_path):
    secret = "xyzzyplugh"
    add(index, page("x/1", 1, section("a", secret, "Page", secret)), page("x/2", 1, section("b", "kept")))
    add(index, page("x/1", 2, section("a", "something else")))
    index.forget({place("x/1").web_key})
    assert anchors(index, secret, at=day(1)) == []
    assert anchors(index, "kept") == ["b"]
    assert anchors(index, "something") == []
    bytes_left = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert secret.encode() not in bytes_left
    assert b"x/1" not in bytes_left


def test_an_index_that_forgot_with_its_ledger_goes_on_from_there(index):
    add(index, page("x/1", 1, section("a", "word")))
    before, after = MARK._replace(observed=5), MARK._replace(purges=1, observed=0)
    index.rebase(before, after)
    assert index.mark() == after


def test_what_was_found_says_under_which_headings_it_stands(index):
    add(index, page("a.example", 1, section("x", "run it", "Page", "Part")))
    [found] = index.find(read_query("run"), 10)
    assert found.path == ("Page", "Part")


def test_an_index_of_other_tables_is_made_anew(index, tmp_path):
    add(index, page("a.example", 1, section("x", "run it")))
    index.close()
    apsw.Connection(str(tmp_path / "search.db")).execute("PRAGMA user_version = 99")
    again = open_search(tmp_path / "search.db")
    assert anchors(again, "run") == []
    again.close()


def test_an_index_is_private(index, tmp_path):
    assert (tmp_path / "search.db").stat().st_mode & 0o077 == 0


@given(st.text(max_size=60))
def test_whatever_is_typed_is_a_question_or_a_plain_error(text):
    index = open_search(None)
    try:
        query = read_query(text)
    except UsageError:
        return
    finally:
        index.close()
    index = open_search(None)
    index.find(query, 3)
    index.close()


def test_a_kind_of_section_is_found_alone(index):
    add(index, page("a.example", 1, section("x", "run it"), section("y", "run this", name="run")))
    assert sorted(anchors(index, "run")) == ["x", "y"]
    assert anchors(index, "run", kind=SectionKind.API) == ["y"]
    assert anchors(index, "run", kind=SectionKind.PROSE) == ["x"]
    assert anchors(index, "run", kind=SectionKind.TABLE) == []


@pytest.mark.spec("SEC-8")
@pytest.mark.parametrize("text", ["a\0b", "a\udcff"])
def test_what_no_index_can_be_asked_for_parts_words(index, text):
    assert anchors(index, text) == []


def test_of_very_many_the_best_among_those_kept_first_are_found(index, monkeypatch):
    """A word that stands everywhere does not take as long as there are sections; a site counts its own."""
    monkeypatch.setattr(search_finding, "_MOST_RANKED", 3)
    for number in range(6):
        text = "common " * (number % 3 + 1) + "filler " * 5
        host = "late" if number > 3 else "early"
        add(index, page(f"{host}.example/{number}", number, section(f"s{number}", text)))
    assert anchors(index, "common") == ["s2", "s1", "s0"]
    assert anchors(index, "common", site="late.example") == ["s5", "s4"]
    assert anchors(index, "common", at=day(1)) == ["s1", "s0"]


@pytest.mark.parametrize(
    ("sql", "table"), [(search_finding._MATCHING, "words"), (search_finding._TITLED, "titles")]
)
def test_only_what_is_ranked_is_sorted(tmp_path, sql, table):
    """The first sections come in the order in which they lie: nobody sorts all that have a word for that."""
    open_search(tmp_path / "search.db").close()
    plan = search_finding._BEST.format(sql + search_finding._NOW, table)
    rows = SqliteDatabase(tmp_path / "search.db").rows(f"EXPLAIN QUERY PLAN {plan}", ("word", 9, 9))
    assert [row[3] for row in rows if "TEMP B-TREE" in row[3]] == ["USE TEMP B-TREE FOR ORDER BY"]
