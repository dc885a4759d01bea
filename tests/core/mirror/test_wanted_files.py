"""Which files a mirror should have: the table of `core/mirror/mirror_files`."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from holdfast.core.base.hashing import content_hash, url_key
from holdfast.core.crawl.mirror_spec import Order
from holdfast.core.lineage.ledger_values import PageFacts, StoredPage
from holdfast.core.mirror.mirror_files import ADMITTED, FileKind, MirrorFile, mirror_files
from holdfast.core.settings.job_settings import MirrorSettings
from holdfast.core.url.url import Place

pytestmark = pytest.mark.spec("MIR-12")

URL = "https://docs.example/a"
NOW = datetime(2026, 11, 16, tzinfo=UTC)
FACTS = PageFacts("docs.example/a/index.md", "A", content_hash("A"), 1, 0, "markdown_v1")
PAGE = StoredPage(
    Place(URL, url_key(URL), url_key(URL)),
    FACTS,
    "i",
    content_hash("A"),
    URL,
    200,
    NOW,
    "text/html",
    None,
    None,
)
STANDS_FOR = MirrorFile("_failed/docs.example/b.txt", FileKind.PLACEHOLDER, lambda: (b"why",))


def wanted(sidecar, *, llms_txt):
    files = replace(MirrorSettings().files, sidecar=sidecar, llms_txt=llms_txt)
    order = Order("m", (), SimpleNamespace(), replace(MirrorSettings(), files=files))
    return list(mirror_files(order, lambda: [PAGE], [STANDS_FOR], {FACTS.path: b"# A\n"}.get, ListOfRows))


class ListOfRows(list):
    """Rows in memory."""

    def add(self, row):
        self.append(row)
        self.sort()


@pytest.mark.parametrize("sidecar", ["json", "none", "front-matter"])
@pytest.mark.parametrize("llms_txt", [True, False])
def test_a_sidecar_and_the_lists_are_wanted_where_the_settings_ask_for_them(sidecar, llms_txt):
    paths = {file.path: file.kind for file in wanted(sidecar, llms_txt=llms_txt)}
    assert ("docs.example/a/index.json" in paths) is (sidecar == "json")
    assert ({"llms.txt", "llms-full.txt"} <= paths.keys()) is llms_txt
    kinds = set(FileKind) - ({FileKind.SIDECAR} if sidecar != "json" else set())
    assert set(paths.values()) == kinds - (set() if llms_txt else {FileKind.LIST})


def test_every_description_is_admitted_and_its_bytes_are_the_same_whenever_they_are_made():
    described = [f for f in wanted("json", llms_txt=True) if f.kind in (FileKind.INDEX, FileKind.LIST)]
    assert {file.path for file in described} < set(ADMITTED)
    for file in described:
        assert b"".join(file.pieces()) == b"".join(file.pieces()) != b""
