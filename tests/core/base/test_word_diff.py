"""The words that differ between two lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.base.difference import LONGEST, Piece, marked_words

WORDS = st.lists(st.sampled_from(["a", "bb", "the", " ", ".", "é", "\t"]), max_size=30).map("".join)


def test_only_the_words_that_differ_are_marked():
    old, new = marked_words("at most 100 items", "at most 250 items")
    assert old == (Piece("at most "), Piece("100", is_changed=True), Piece(" items"))
    assert new == (Piece("at most "), Piece("250", is_changed=True), Piece(" items"))


def test_lines_that_share_little_are_marked_whole():
    old, new = marked_words("nothing of this stays", "entirely other words")
    assert (len(old), len(new)) == (1, 1)
    assert old[0].is_changed
    assert new[0].is_changed


def test_a_line_without_end_is_marked_whole_rather_than_compared():
    long = "word " * LONGEST
    assert marked_words(long, long + "x")[0] == (Piece(long, is_changed=True),)


@given(WORDS, WORDS)
def test_the_pieces_are_the_line(one, other):
    old, new = marked_words(one, other)
    assert "".join(piece.text for piece in old) == one
    assert "".join(piece.text for piece in new) == other
