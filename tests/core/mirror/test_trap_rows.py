"""Rows of pages that counted for the traps: what was written is read, in the order of the turns."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.mirror.checkpoint import CountedPage, read_trap_row, trap_row
from holdfast.core.url.url import Place

pages = st.builds(
    CountedPage,
    place=st.builds(Place, st.text(), st.text(), st.text()),
    alike=st.none() | st.booleans(),
    gist=st.text(),
)
turns = st.integers(0, 10**12 - 1)


@given(pages, turns, turns)
def test_what_was_written_is_read(page, turn, number):
    assert read_trap_row(trap_row(page, turn, number)) == page


@given(pages, st.lists(st.tuples(turns, turns), unique=True))
def test_rows_sort_as_their_turns_and_then_as_their_numbers(page, orders):
    rows = {trap_row(page, *order): order for order in orders}

    assert [rows[row] for row in sorted(rows)] == sorted(orders)
