"""A note beside a frontier entry survives the ledger; what older ledgers hold is read as it was meant."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.lineage.frontier_note import NO_NOTE, EntryNote, note_text, read_note

MOMENT = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
notes = st.builds(
    EntryNote,
    words=st.text().filter(lambda text: not text.startswith("{")),
    names=st.none() | st.text(),
    alike=st.none() | st.booleans(),
    waiting=st.none() | st.just("ab" * 32),
    until=st.none() | st.just(MOMENT),
    asked_at=st.none() | st.just(MOMENT),
    final=st.booleans(),
    again=st.booleans(),
    turn=st.integers(0, 10_000),
)


@given(notes)
def test_what_was_written_is_read(note):
    assert read_note(note_text(note)) == note


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("", NO_NOTE),
        ("failed (status): status 503", EntryNote("failed (status): status 503")),
        ('{"names": "https://e.org/", "turn": 3}', EntryNote(names="https://e.org/", turn=3)),
        ('{"final": true, "words": "later"}', EntryNote("later", final=True)),
    ],
)
def test_ledgers_of_before_hold_these_very_texts(text, note):
    assert read_note(text) == note
    assert note_text(note) == text
