"""A page of a folder without a ledger: taken over where manifest and file agree."""

import json
from datetime import UTC, datetime

import pytest

from helpers.web_standard import WEB_STANDARD
from holdfast.core.base.hashing import content_hash
from holdfast.core.mirror.page_files import KeptFile, adopted_page, whole_rows

FILE = b"# A\n\nWords.\n"
ROW = {
    "url": "https://e.org/a",
    "path": "e.org/a/index.md",
    "file_sha256": content_hash(FILE),
    "content_sha256": "ab" * 32,
}
SIDE = {
    "source_url": "https://e.org/a?utm_source=x",
    "fetched_at": "2026-05-04T12:00:00Z",
    "title": "A",
    "full_title": "A - Site",
    "crawl_depth": 2,
    "etag": '"1"',
    "last_modified": "Mon, 04 May 2026 12:00:00 GMT",
}
WRITTEN = datetime(2026, 6, 1, tzinfo=UTC)


def adopted(row=ROW, side=SIDE, file=FILE, written=WRITTEN, **manifest):
    sidecar = side if side is None or isinstance(side, bytes) else json.dumps(side).encode()
    return adopted_page("r1", WEB_STANDARD, manifest, row, KeptFile(file, sidecar, written))


def test_a_page_is_taken_over_with_what_its_sidecar_says():
    found = adopted()

    assert (found.capture.url, found.capture.final_url) == (SIDE["source_url"], SIDE["source_url"])
    assert (found.capture.etag, found.capture.last_modified) == (SIDE["etag"], SIDE["last_modified"])
    assert found.capture.fetched_at == datetime(2026, 5, 4, 12, tzinfo=UTC)
    assert (found.capture.status, found.capture.content_type) == (200, "text/html")
    assert (found.made.title, found.page.title, found.page.depth) == ("A", "A - Site", 2)


@pytest.mark.parametrize(
    ("row", "file"),
    [(ROW, b"edited"), (ROW | {"url": "https://e.org/a#b"}, FILE), (ROW | {"url": "no url"}, FILE)],
    ids=["another file", "not canonical", "not a URL"],
)
def test_a_page_that_is_not_what_the_manifest_says_is_left(row, file):
    assert adopted(row, file=file) is None


def test_the_validators_of_another_file_are_not_those_of_the_page():
    found = adopted(side=SIDE | {"markdown_source": "https://e.org/a.md"})

    assert (found.capture.etag, found.capture.last_modified) == (None, None)


def test_the_time_is_the_manifests_then_the_sidecars_then_the_files():
    told = {"fetched_at": {ROW["path"]: "2026-05-01T00:00:00Z"}}

    assert adopted(crawl=told).capture.fetched_at == datetime(2026, 5, 1, tzinfo=UTC)
    assert adopted(crawl={"fetched_at": {ROW["path"]: "soon"}}).capture.fetched_at.month == 5
    assert adopted(side=None).capture.fetched_at == WRITTEN
    assert adopted(side=None, written=None) is None


@pytest.mark.parametrize(
    "side",
    [
        b"\xff{",
        b"[1]",
        SIDE | {"source_url": "http://[", "crawl_depth": "deep", "etag": 3, "sections": 7},
        SIDE | {"source_url": 5, "title": None, "etag": "\u20ac", "crawl_depth": -1},
    ],
    ids=["bytes", "a list", "odd fields", "more odd fields"],
)
def test_a_broken_sidecar_does_not_lose_the_page(side):
    found = adopted(side=side)

    assert found.capture.place.url == ROW["url"]
    assert (found.capture.etag, found.page.depth) == (None, 0)


def test_rows_that_are_not_whole_are_passed_over():
    broken = [
        None,
        7,
        {},
        ROW | {"path": 3},
        ROW | {"path": "../a.md"},
        ROW | {"content_sha256": "ab"},
        ROW | {"file_sha256": None},
    ]

    assert list(whole_rows({"pages": [*broken, ROW]})) == [ROW]


@pytest.mark.parametrize("crawl", [{}, {"fetched_at": 3}, {"fetched_at": []}], ids=["none", "number", "list"])
def test_odd_times_and_warnings_are_as_good_as_none(crawl):
    assert adopted(ROW | {"warnings": 3}, crawl=crawl).page.warnings == ()
