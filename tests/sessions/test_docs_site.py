"""The documentation site, mirrored by Holdfast itself: every page arrives, and every link in it opens."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import holdfast
from docs_site import build, served

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def mirrored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    found = {}
    with served(found) as origin:
        found |= build(folder / "build", origin)
        summary = holdfast.mirror(
            f"{origin}/", output=folder / "mirror", content_rate_limit=0, convert_links="local", assets=True
        )
    return summary, found, folder / "mirror"


@pytest.mark.spec("MIR-1")
def test_every_page_of_the_documentation_arrives(mirrored):
    summary, found, folder = mirrored
    pages = {path.strip("/") for path in found if path.endswith("/")}
    manifest = json.loads((folder / "_manifest.json").read_text(encoding="utf-8"))
    arrived = {re.sub(r"^https?://[^/]+/?", "", page["url"]) for page in manifest["pages"]}
    assert pages == arrived
    assert not summary.failed
    written = sum(not file.is_relative_to(DOCS / "man") for file in DOCS.rglob("*.md"))
    assert len(pages) == written


def test_the_mirror_is_what_its_ledger_says(mirrored):
    _, _, folder = mirrored
    assert holdfast.verify(folder).parts[0].value.agrees


def test_every_link_of_the_documentation_opens_offline(mirrored):
    """Read by the checker of local links: files and anchors."""
    _, _, folder = mirrored
    report = holdfast.check(folder, manifest_format="none").report
    assert [str(found) for found in report.findings] == []
