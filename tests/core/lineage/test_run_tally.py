"""A run's counts and marks are one table of numbers in the ledger, and two things above it."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.lineage.lineage import CrawlMarks, RunTally

marks = st.builds(CrawlMarks, *[st.none() | st.booleans()] * 4)
counts = st.dictionaries(
    st.sampled_from(["pages", "failed", "refused: robots", "alive"]), st.integers(0, 10**6)
)


@given(st.builds(RunTally, counts, marks))
def test_what_was_written_is_read(tally):
    assert RunTally.of(tally.flat()) == tally


def test_ledgers_of_before_hold_this_very_table():
    tally = RunTally(
        {"pages": 3}, CrawlMarks(is_discovered=True, follows=False, is_update=False, is_quiet=True)
    )

    assert tally.flat() == {"discovered": 1, "follow": 0, "pages": 3, "quiet": 1, "update": 0}


def test_a_run_without_marks_has_none_in_its_table():
    assert RunTally({"alive": 2}).flat() == {"alive": 2}
