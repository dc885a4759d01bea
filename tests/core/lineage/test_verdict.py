"""The conflict rules, row by row and over all cases."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.ledger_cases import RECIPE, at, content, key
from holdfast.core.lineage.conflict_rules import EDGE_KEYS, TABLE, Matches, Selected, decide, latest
from holdfast.core.lineage.lineage import EdgeKind, Item, New, Superseding, Unchanged, item_id, seal
from holdfast.core.url.url import Place


def item(name: str, text: str, seconds: float = 0) -> Item:
    return Item(
        item_id=content(f"{name} {text} {seconds}"),
        run_id="run-1",
        recipe=RECIPE,
        place=Place(f"https://example.com/{name}", key(name), key(name)),
        content_sha256=content(text),
        capture_id=content(name),
        created_at=at(seconds),
        title="",
    )


A, B = item("a", "one"), item("b", "two")


@pytest.mark.spec("LIN-2", "LIN-3", "LIN-4")
@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"content={row.by_content} url={row.by_url}")
def test_each_row_of_the_table_decides_as_it_says(row):
    by_url = (A if row.same_item else B) if row.by_url else None
    found = Matches(current=None, by_url=by_url, by_content=A if row.by_content else None)
    verdict = decide("f" * 64, content("new"), found)
    if row.selected is None:
        assert verdict == New()
        return
    assert isinstance(verdict, Superseding)
    assert verdict.old == (A if row.selected is Selected.CONTENT else by_url)
    assert verdict.edge.kind is EdgeKind.SUPERSEDES
    metadata = dict(verdict.edge.metadata)
    assert tuple(metadata) == EDGE_KEYS
    assert metadata["conflict_resolved"] is row.conflict_resolved
    assert metadata["selected"] == row.selected
    assert metadata["reason"] in ("same_content_sha256", "same_canonical_uri")
    assert metadata["canonical_uri_match"] == (by_url.item_id if by_url else None)
    assert metadata["content_sha256_match"] == (A.item_id if row.by_content else None)


def test_the_table_has_every_case_once():
    cases = {(row.by_content, row.by_url, row.same_item) for row in TABLE}
    possible = {(a, b, s) for a in (0, 1) for b in (0, 1) for s in (0, 1) if not s or (a and b)}
    assert cases == {tuple(map(bool, case)) for case in possible}
    assert len(TABLE) == len(cases)


@pytest.mark.spec("LIN-2")
def test_equal_to_the_current_item_is_unchanged_whatever_else_matches():
    assert decide("f" * 64, A.content_sha256, Matches(A, B, B)) == Unchanged(A)
    assert decide("f" * 64, A.content_sha256, Matches(B, B, A)) != Unchanged(B)


@pytest.mark.spec("LIN-3")
def test_the_latest_wins_and_on_equal_time_the_larger_id():
    early, late = item("a", "x", 1), item("a", "y", 2)
    twin = replace(late, item_id="f" * 64)
    assert latest([late, early]) == late
    assert latest([late, twin, early]) == twin
    assert latest([]) is None


@pytest.mark.spec("LIN-7")
@given(
    st.lists(st.sampled_from("abc"), min_size=4, max_size=4),
    st.lists(st.sampled_from("abc"), min_size=4, max_size=4),
)
def test_item_ids_are_equal_exactly_where_their_inputs_are(one, other):
    def made(v, url, text, capture):
        recipe = replace(RECIPE, collector=v)
        return item_id(recipe, url, content(text), capture)

    assert (made(*one) == made(*other)) == (one == other)


@pytest.mark.spec("LIN-8")
def test_a_seal_refuses_pairs_out_of_order_or_twice():
    pairs = sorted([(key("a"), content("1")), (key("b"), content("2"))])
    assert seal(pairs) != seal(pairs[:1])
    for wrong in (pairs[::-1], [pairs[0], pairs[0]]):
        with pytest.raises(ValueError, match="one pair per URL"):
            seal(wrong)
