"""Drift: how much of a text is different."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.core.base.difference import Drift, drift_between
from holdfast.core.lineage.event_kind import judge_sections

words = st.lists(st.sampled_from("a b c d e f g h".split()), max_size=40).map(" ".join)


@settings(deadline=None)
@given(words, words)
def test_drift_is_between_0_and_1_symmetric_and_0_for_equal_texts_alone(one, other):
    drift = drift_between(one, other)

    assert 0 <= drift.amount <= 1
    assert drift.amount == drift_between(other, one).amount
    assert (drift.amount == 0) == (one == other)


def test_a_word_in_a_long_text_drifts_little_and_another_text_wholly():
    text = " ".join(map(str, range(2_000)))

    assert drift_between(text, text.replace("1000", "x")).amount == pytest.approx(0.004, abs=0.001)
    assert drift_between(text, "quite another one altogether").amount == 1.0
    assert drift_between("a b c d", "a b c d", old_title="x", new_title="y") == Drift(0.0, True)


def test_a_section_is_judged_by_its_own_hash():
    before = {
        "same": "section_v1-1",
        "changed": "section_v1-1",
        "gone": "section_v1-1",
        "older": "section_v0-1",
    }
    after = {
        "same": "section_v1-1",
        "changed": "section_v1-2",
        "new": "section_v1-1",
        "older": "section_v1-1",
    }
    there = {"same": True, "changed": True, "gone": False, "new": True, "older": True, "route": None}

    assert judge_sections(before, after, there) == {
        "same": "same",
        "changed": "changed",
        "gone": "missing",
        "new": "unknown",
        "older": "unknown",
        "route": "unknown",
    }
