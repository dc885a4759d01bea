"""Findings as Hypothesis thinks of them: few URLs, few contents, few moments, so that they meet."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from helpers.ledger_cases import OTHER_RECIPE, RECIPE, at, capture, content, entry, facts, link, place
from holdfast.core.lineage.frontier_note import EntryNote
from holdfast.core.lineage.ledger_values import (
    Alias,
    AliasReason,
    Closed,
    Confirmed,
    Draft,
    EntryState,
    Finding,
)
from holdfast.core.lineage.lineage import RecordRef

NAMES = ["a", "b", "c?x=1", "d"]
PLACES = [place(name) for name in NAMES] + [place("c?y=1", web="https://example.com/c?x=1")]
RUNS = {"run-1": RECIPE, "run-2": RECIPE, "run-3": OTHER_RECIPE}

places = st.sampled_from(PLACES)
moments = st.integers(0, 30).map(float)
links = st.lists(st.tuples(places, st.sampled_from(["x", "y"])), max_size=3).map(
    lambda found: tuple(link(where, text) for where, text in found)
)


@st.composite
def findings(draw, run_id):
    """A finding that makes sense more often than not."""
    where, seconds = draw(places), draw(moments)
    kind = draw(st.sampled_from(["page", "page", "page", "304", "404", "nothing"]))
    ref = draw(
        st.none() | st.builds(RecordRef, st.sampled_from(["x.warc.gz"]), st.integers(0, 99), st.just(5))
    )
    status = {"304": 304, "404": 404}.get(kind, 200)
    payload = draw(st.none() | st.sampled_from(["ab" * 32, "cd" * 32]))
    seen = capture(where, seconds, run_id=run_id, status=status, payload=payload)._replace(
        ref=ref, etag=draw(st.none() | st.just('"e"'))
    )
    made = None
    if kind == "page":
        own = draw(st.none() | places)
        made = Draft(content(draw(st.sampled_from("123"))), "T", draw(links), place=own)
    elif kind == "304":
        made = Confirmed()
    page = facts(draw(st.sampled_from(["a.md", "b.md", "ü.md"]))) if draw(st.booleans()) else None
    aliases = tuple(Alias(w, where, AliasReason.REDIRECT) for w in draw(st.lists(places, max_size=1)))
    return Finding(
        capture=None if kind == "nothing" else seen,
        made=made,
        page=page if made else None,
        aliases=aliases,
        closed=tuple(
            Closed(w.key, EntryState.PAGE, EntryNote("d"), 1) for w in draw(st.lists(places, max_size=1))
        ),
        discovered=tuple(draw(st.lists(entries(), max_size=2))),
    )


@st.composite
def entries(draw):
    where = draw(places)
    order = [draw(st.integers(0, 2)) for _ in range(3)]
    made = replace(
        entry("a", *order), place=where, fetch_url=draw(st.sampled_from([where.url, "https://x/y"]))
    )
    return replace(made, listed=draw(st.booleans()), lastmod=draw(st.none() | st.just(at(3))))


@st.composite
def batches(draw, run_id):
    """Findings of one batch: all are the store's own, or all are brought."""
    is_brought = draw(st.sampled_from([False, False, True]))
    found = draw(st.lists(findings(run_id), min_size=1, max_size=4))
    return [replace(finding, is_brought=is_brought) for finding in found]
