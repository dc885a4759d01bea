"""Resemblance of texts, and what follows from a canonical link."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.core.base.difference import nearly_equal, resemblance, shingles, without_numbers
from holdfast.core.base.hashing import content_hash
from holdfast.core.crawl.duplicates import CanonicalMode, Claim, KnownContent, KnownPageState, Twin, judge

pytestmark = pytest.mark.spec("ID-10")

WORDS = [f"word{n}" for n in range(200)]


def test_texts_that_differ_in_a_word_are_nearly_equal_and_short_ones_are_not():
    changed = [*WORDS[:100], "other", *WORDS[101:]]
    assert nearly_equal(shingles(" ".join(WORDS)), shingles(" ".join(changed)))
    assert not nearly_equal(shingles("a b c d e"), shingles("a b c d f"))
    assert not nearly_equal(shingles("front page"), shingles("another page"))


def test_empty_texts_resemble_each_other_and_nothing_else():
    assert resemblance(shingles(""), shingles("  ")) == 1.0
    assert resemblance(shingles(""), shingles("a b c d")) == 0.0


def test_numbers_aside_a_calendar_repeats_itself():
    may, june = "May 2031: 1 2 3 4 5 6 7 next month", "May 2032: 8 9 10 11 12 13 14 next month"
    assert shingles(without_numbers(may)) == shingles(without_numbers(june))


@given(st.lists(st.sampled_from(WORDS[:8]), max_size=60), st.lists(st.sampled_from(WORDS[:8]), max_size=60))
@settings(deadline=None, max_examples=100)
def test_resemblance_is_symmetric_bounded_and_one_for_equal_texts(one, other):
    a, b = shingles(" ".join(one)), shingles(" ".join(other))
    assert resemblance(a, b) == resemblance(b, a)
    assert 0.0 <= resemblance(a, b) <= 1.0
    assert resemblance(a, a) == 1.0
    assert nearly_equal(a, b) == (resemblance(a, b) >= 0.9)


P, C = "https://e.com/p", "https://e.com/c"
HASH, OTHER = content_hash("x"), content_hash("y")


@pytest.mark.parametrize(
    ("names", "target", "check", "trust"),
    [
        (None, KnownPageState(KnownContent.ABSENT), Twin.OWN, Twin.OWN),
        (P, KnownPageState(KnownContent.FETCHED, P, HASH), Twin.OWN, Twin.OWN),
        (C, KnownPageState(KnownContent.ABSENT), Twin.OWN, Twin.OWN),
        (C, KnownPageState(KnownContent.PENDING), Twin.WAIT, Twin.WAIT),
        (C, KnownPageState(KnownContent.FAILED), Twin.DISAGREES, Twin.OWN),
        (C, KnownPageState(KnownContent.FETCHED, C, HASH, names=C), Twin.DUPLICATE, Twin.DUPLICATE),
        (C, KnownPageState(KnownContent.FETCHED, C, HASH), Twin.DUPLICATE, Twin.DUPLICATE),
        (C, KnownPageState(KnownContent.FETCHED, C, HASH, names=P), Twin.DISAGREES, Twin.DUPLICATE),
        (C, KnownPageState(KnownContent.FETCHED, C, OTHER, names=C), Twin.COMPARE, Twin.DUPLICATE),
    ],
)
def test_the_table_of_canonical_links(names, target, check, trust):
    claim = Claim(P, HASH, names)
    assert judge(CanonicalMode.CHECK, claim, target) is check
    assert judge(CanonicalMode.TRUST, claim, target) is trust
    assert judge(CanonicalMode.IGNORE, claim, target) is Twin.OWN
