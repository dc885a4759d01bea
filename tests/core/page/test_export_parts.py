"""Long records in parts: at paragraph borders, with ids that stay where the text does."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.page.corpus import ExportedPage, ExportRecord, RecordChange, in_parts, paragraphs

pytestmark = pytest.mark.spec("EXP-1")

PAGE = ExportedPage("https://x/", "k", "P", None, datetime(2026, 1, 1, tzinfo=UTC), "i", "c")


def parts(markdown, tokens):
    record = ExportRecord(PAGE, RecordChange.NEW, "a", ("P",), None, "prose", "c", markdown, markdown)
    return list(in_parts(record, tokens))


def prose(count, word="words"):
    return [f"Paragraph {number} has {word} of its own, {number * 7919 % 1000}." for number in range(count)]


def test_a_short_record_stays_whole():
    [record] = parts("short", 10)
    assert (record.part, record.id) == ("", "k#a")


@given(st.lists(st.text(alphabet="ab \n`", max_size=80), max_size=30), st.integers(1, 60))
def test_parts_together_are_the_whole(blocks, tokens):
    markdown = "\n\n".join(blocks)
    said = [block for record in parts(markdown, tokens) for block in paragraphs(record.markdown)]
    assert said == paragraphs(markdown)


def test_parts_are_not_larger_than_asked_unless_a_paragraph_is():
    found = parts("\n\n".join([*prose(60), "x" * 4000]), 100)
    assert [len(record.markdown) for record in found if len(record.markdown) > 450] == [4000]
    assert len({record.id for record in found}) == len(found)


def test_a_fenced_block_is_never_cut():
    code = "```\n" + "\n\n".join(f"line {n}" for n in range(200)) + "\n```"
    assert any(record.markdown == code for record in parts(f"Before.\n\n{code}\n\nAfter.", 20))


def test_an_edit_moves_few_ids():
    blocks = prose(400)
    before = {record.id for record in parts("\n\n".join(blocks), 100)}
    blocks.insert(5, "Something that was not there.")
    after = {record.id for record in parts("\n\n".join(blocks), 100)}
    assert len(before - after) <= len(before) // 5


def test_a_part_that_is_just_full_takes_no_less_than_the_one_before():
    blocks = [f"{number:020}" for number in (0, 1, 2, 4, 5, 7)]  # five tokens each, and none begins a part
    assert [len(paragraphs(record.markdown)) for record in parts("\n\n".join(blocks), 10)] == [2, 2, 2]
