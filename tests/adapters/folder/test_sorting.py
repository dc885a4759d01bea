"""Rows that are sorted on disk come as rows that are sorted in memory do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapters.folder.sorted_rows import RowsOnDisk
from holdfast.core.base.long_lists import RowsInMemory


class Few(RowsOnDisk):
    """Three or four small rows at a time."""

    held = 250


@given(st.lists(st.binary(max_size=300)))
def test_rows_come_in_order_as_often_as_they_are_asked_for(given_rows):
    on_disk, in_memory = Few(), RowsInMemory()
    for row in given_rows:
        on_disk.add(row)
        in_memory.add(row)
    assert list(on_disk) == list(on_disk) == list(in_memory) == sorted(given_rows)


@pytest.mark.parametrize("size", [1, 70_000, 200_000])
def test_rows_longer_than_a_block_are_whole(size):
    rows = Few()
    long = [bytes([number]) * size for number in (3, 1, 2)]
    for row in long:
        rows.add(row)
    assert list(rows) == sorted(long)


def test_more_rows_may_come_after_some_were_read():
    rows = Few()
    for number in range(20):
        rows.add(b"%03d" % number)
    assert len(list(rows)) == 20
    for number in range(20, 40):
        rows.add(b"%03d" % number)
    assert list(rows) == [b"%03d" % number for number in range(40)]
