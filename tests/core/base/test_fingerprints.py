"""Texts of which it is only asked whether they are there."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.base.long_lists import Fingerprints


@given(st.sets(st.text()), st.sets(st.text()))
def test_a_text_is_there_when_it_was_put_in(put_in, others):
    found = Fingerprints(put_in)
    assert len(found) == len(put_in)
    assert all(text in found for text in put_in)
    assert not any(text in found for text in others - put_in)


def test_they_grow_and_a_text_counts_once():
    found = Fingerprints()
    for number in range(20_000):
        found.add(f"https://example.com/{number % 10_000}")
    assert len(found) == 10_000
    assert "https://example.com/9999" in found
    assert "https://example.com/10000" not in found
