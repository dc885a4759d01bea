"""What a ledger is told of captures that come from an archive: as a table."""

from datetime import UTC, datetime

import pytest

from helpers.web_standard import WEB_STANDARD
from holdfast.core.crawl.harvest import Harvest, PageContent
from holdfast.core.crawl.intake import BroughtPlaces
from holdfast.core.crawl.mirror_spec import place_of
from holdfast.core.lineage.ledger_values import AliasReason, Confirmed, Draft
from holdfast.core.url.url import parse_url
from holdfast.core.web.capture import Capture

NOW = datetime(2026, 11, 16, tzinfo=UTC)


def told(*captures):
    """The findings of captures in order, and the other names that follow from all of them."""
    seen, findings = BroughtPlaces(WEB_STANDARD), []
    for name, status, location in captures:
        url = parse_url(f"https://example.com/{name}")
        headers = (("Location", location),) if location else ()
        place = place_of(url, WEB_STANDARD)
        page = Harvest(place, (), content=PageContent(title=name)) if status == 200 else None
        findings.append(seen.finding_of(Capture(url, url, status, headers, b"", NOW), place, page))
    return findings, [(a.place.url[20:], a.target.url[20:], a.reason) for a in seen.other_names()]


@pytest.mark.spec("STA-7")
def test_a_page_is_a_draft_and_a_304_after_it_confirms_it():
    (first, again, alone), names = told(("a", 200, None), ("a", 304, None), ("b", 304, None))
    assert isinstance(first.made, Draft)
    assert first.made.title == "a"
    assert isinstance(again.made, Confirmed)
    assert alone.made is None
    assert names == []


@pytest.mark.spec("STA-7")
@pytest.mark.parametrize(
    ("captures", "names"),
    [
        ([("old", 301, "/new"), ("new", 200, None)], [("old", "new")]),
        ([("new", 200, None), ("old", 301, "/new")], [("old", "new")]),
        ([("a", 301, "/b"), ("b", 302, "/c"), ("c", 200, None)], [("a", "c"), ("b", "c")]),
        ([("a", 301, "/b"), ("b", 404, None)], []),
        ([("a", 301, "/b"), ("b", 301, "/a")], []),
        ([("a", 200, None), ("a", 301, "/b"), ("b", 200, None)], []),
        ([("a", 301, "mailto:me@example.com")], []),
    ],
    ids=["before", "after", "by two", "to nothing", "a circle", "a page itself", "not a URL to fetch"],
)
def test_what_redirects_to_a_page_is_another_name_of_it(captures, names):
    assert told(*captures)[1] == [(*pair, AliasReason.REDIRECT) for pair in names]
