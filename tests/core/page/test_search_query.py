"""What was asked for, and in which order sections answer."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.base.errors import UsageError
from holdfast.core.page.search_terms import Closeness, FoundSection, closeness, in_order, read_query, word_key
from holdfast.core.url.url import Place

pytestmark = pytest.mark.spec("SRC-1")


def test_words_phrases_and_beginnings_are_told_apart():
    assert read_query('route "url rule" reg*').terms == ('"route"', '"url rule"', '"reg" *')


def test_common_words_do_not_have_to_be_there():
    query = read_query("how to open the file")
    assert query.terms == ('"open"', '"file"')
    assert query.optional == ('"how"', '"to"', '"the"')


def test_common_words_alone_are_looked_for():
    assert read_query("to be or not to be").terms == ('"to"', '"be"', '"or"', '"not"', '"to"', '"be"')


@pytest.mark.parametrize("text", ["", "  ", '""', "***", "-- ."])
def test_a_question_without_words_is_refused(text):
    with pytest.raises(UsageError, match="no word"):
        read_query(text)


@pytest.mark.parametrize(
    ("asked", "name", "title", "near"),
    [
        ("flask.Flask.route", "flask.Flask.route", "route", Closeness.NAME),
        ("flask.flask.route()", "flask.Flask.route", "route", Closeness.NAME),
        ("route", "flask.Flask.route", "route(rule)", Closeness.TITLE),
        ("URL route registrations", None, "URL Route Registrations", Closeness.TITLE),
        ("route registrations", None, "URL Route Registrations", Closeness.IN_TITLE),
        ("registrations route", None, "URL Route Registrations", None),
    ],
)
def test_names_come_before_titles_and_titles_before_parts_of_them(asked, name, title, near):
    assert closeness(read_query(asked), name, title) is near


def found(number, near, rank, url="https://x/"):
    now = datetime(2026, 1, 1, tzinfo=UTC)
    place = Place(url, "k", "k")
    return FoundSection(number, place, "P", "a", ("P",), None, "prose", None, now, None, rank, near)


def test_the_nearest_come_first_and_equals_by_rank_and_place():
    all_words, some = Closeness.ALL_WORDS, Closeness.SOME_WORDS
    given_ = [found(1, some, -9), found(2, all_words, -1), found(3, all_words, -2), found(1, all_words, -0.5)]
    assert [each.number for each in in_order(given_)] == [3, 2, 1]
    equal = [
        found(2, some, -1, "https://b/"),
        found(1, some, -1, "https://c/"),
        found(3, some, -1, "https://a/"),
    ]
    assert [each.number for each in in_order(equal)] == [3, 2, 1]


@given(st.text(max_size=40))
def test_a_key_is_its_own_key(text):
    assert word_key(word_key(text)) == word_key(text)
