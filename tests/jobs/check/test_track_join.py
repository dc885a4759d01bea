"""A cited page and a mirrored page are known to be the same place (ID-12)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from holdfast.core.base.hashing import SettingsDigest, content_hash, url_key
from holdfast.core.lineage.ledger_values import Draft, Finding, PageFacts, PageLink
from holdfast.core.lineage.lineage import CaptureRecord, Job, Run, capture_id
from holdfast.core.page.page import LinkKind
from holdfast.core.settings.resolve import resolve
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import Place
from holdfast.jobs.session import open_store

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SITE, WEB = "https://example.com/page?b=1&a=2", "https://example.com/page?a=2&b=1"


def mirror_one_page(state):
    recipe = Recipe.parse("http_snapshot_siteurl_v1_text_v1")
    run = Run("a" * 64, Job.MIRROR, recipe, SettingsDigest("b" * 64), NOW, "handbook")
    target = "https://example.org/cited"
    link = PageLink(Place(target, url_key(target), url_key(target)), target, "cited", LinkKind.ANCHOR)
    record = CaptureRecord(
        capture_id=capture_id(run.run_id, SITE, NOW, 200, None),
        run_id=run.run_id,
        url=SITE,
        place=Place(SITE, url_key(SITE), url_key(WEB)),
        final_url=SITE,
        status=200,
        fetched_at=NOW,
        content_type="text/html",
        etag=None,
        last_modified=None,
        payload_sha256=None,
        ref=None,
    )
    facts = PageFacts("example.com/page__q_0a1b2c3d.md", "Page", "c" * 64, 10, 0, "markdown_v1")
    with open_store(state, "test", resolve()) as store:
        store.ledger.runs.begin_run(run)
        draft = Draft(content_hash("text"), "Page", (link,))
        store.ledger.commit(run.run_id, [Finding(record, draft, facts)], NOW)


@pytest.mark.spec("ID-12")
def test_a_cited_url_that_is_mirrored_shows_both(holdfast, tmp_path):
    (tmp_path / "holdfast.toml").write_text("")
    (tmp_path / "a.md").write_text(f"<{SITE}> and <https://example.org/cited>\n")
    mirror_one_page(tmp_path / ".holdfast")
    holdfast("check")
    (page, other) = holdfast("links", "a.md", "--json").json["links"]
    assert page["mirrored_as"] == ["handbook/example.com/page__q_0a1b2c3d.md"]
    assert other["mirrored_as"] == []
    assert "mirrored as handbook/example.com/page__q_0a1b2c3d.md" in holdfast("links", "a.md").out
    backlinks = holdfast("backlinks", WEB, "--json").json
    assert backlinks["mirrored_as"] == ["handbook/example.com/page__q_0a1b2c3d.md"]
    assert [link["document"] for link in backlinks["backlinks"]] == ["a.md"]
    assert holdfast("backlinks", "https://example.org/cited", "--json").json["pages"] == [SITE]
    nodes = holdfast("graph", "--format", "json").json["nodes"]
    assert [node["mirrored_as"] for node in nodes if "mirrored_as" in node] == [
        ["handbook/example.com/page__q_0a1b2c3d.md"]
    ]
