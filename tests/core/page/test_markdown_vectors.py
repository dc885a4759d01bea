"""`markdown_version` moves when what is written moves: frozen pages in each generator's markup (TXT-5)."""

import json
from pathlib import Path

import pytest

from holdfast.core.page.distill_options import DistillOptions, convert
from holdfast.core.page.html.generators import GENERATORS
from holdfast.core.page.markdown.writer import MARKDOWN_VERSION
from holdfast.core.url.url import parse_url

VECTORS = Path(__file__).parents[2] / "vectors"
URL = parse_url("https://docs.example/guide/page.html")
MOVED = "what is written moved: raise MARKDOWN_VERSION, remove the old vectors, run tools/vectors.py"


def rows():
    return json.loads((VECTORS / f"{MARKDOWN_VERSION}.json").read_text(encoding="utf-8"))


@pytest.mark.spec("TXT-5")
def test_markdown_is_what_its_version_wrote():
    for row in rows():
        made = convert(row["html"].encode(), "text/html; charset=utf-8", URL, DistillOptions())
        assert made.markdown == row["markdown"], f"{row['generator']}: {MOVED}"


@pytest.mark.spec("TXT-5")
def test_every_row_of_the_generator_table_has_a_frozen_page():
    assert [row["generator"] for row in rows()] == [*(row.name for row in GENERATORS), "", ""], MOVED


@pytest.mark.spec("TXT-5")
def test_only_the_version_that_is_written_has_vectors():
    assert [path.stem for path in VECTORS.glob("markdown_v*.json")] == [MARKDOWN_VERSION]


@pytest.mark.spec("TXT-5")
def test_the_native_reader_is_written_for_this_version():
    """Otherwise it would not be used, and nobody would notice but by the clock."""
    source = (Path(__file__).parents[3] / "native" / "src" / "lib.rs").read_text(encoding="utf-8")
    assert f'REFERENCE: &str = "text_v1 {MARKDOWN_VERSION}"' in source
