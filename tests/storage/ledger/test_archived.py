"""The contract of the `ArchiveLedger` port, over every implementation."""

from __future__ import annotations

import pytest

from helpers.ledger_cases import (
    at,
    brought,
    capture,
    commit,
    place,
)
from holdfast.core.lineage.ledger_values import Finding, Original
from holdfast.core.lineage.lineage import RecordRef

A, B, C = place("a"), place("b"), place("c")


def test_the_committed_end_of_each_file_is_known(ledger):
    refs = [RecordRef("a.warc.gz", 0, 100), RecordRef("a.warc.gz", 100, 50), RecordRef("b.warc.gz", 7, 3)]
    commit(ledger, *(Finding(capture=capture(A, n, ref=ref)) for n, ref in enumerate(refs)))
    assert ledger.archived.ends() == {"a.warc.gz": 150, "b.warc.gz": 10}


def test_the_first_capture_of_a_body_is_its_original(ledger):
    first, second = RecordRef("a.warc.gz", 0, 100), RecordRef("a.warc.gz", 100, 50)
    commit(
        ledger,
        Finding(capture=capture(A, 1, payload="ab" * 32)),
        Finding(capture=capture(A, 2, payload="ab" * 32, ref=first)),
        Finding(capture=capture(B, 3, payload="ab" * 32, ref=second)),
    )
    originals = ledger.archived.originals_of(["ab" * 32, "cd" * 32])
    assert originals == {"ab" * 32: Original(first, A.url, at(2))}


@pytest.mark.spec("LIN-10")
def test_a_304_confirms_the_body_that_was_written_last_whatever_its_stamp_says(ledger):
    first, second, third = (RecordRef("a.warc.gz", offset, 100) for offset in (0, 100, 200))
    commit(ledger, Finding(capture=capture(A, 9, payload="ab" * 32, ref=first)))
    commit(ledger, Finding(capture=capture(A, 1, payload="cd" * 32, ref=second)))
    commit(ledger, brought(Finding(capture=capture(A, 5, payload="ef" * 32, ref=third))))
    assert ledger.archived.last_of({A.key: A.url}) == {A.key: Original(second, A.url, at(1))}
