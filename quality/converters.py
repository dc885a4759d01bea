"""Holdfast and its peers: bytes and a URL in, Markdown out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from corpus import Sample
from measure import base_url

from holdfast.core.capture import Capture
from holdfast.core.recipe import Recipe
from holdfast.core.refusal import Refused
from holdfast.core.url import parse_url
from holdfast.distill import distill

RECIPE = Recipe.parse("http_snapshot_url_v1_text_v1")


def capture_of(sample: Sample) -> Capture:
    url = parse_url(base_url(sample))
    if isinstance(url, Refused):
        raise AssertionError(sample.path)
    headers = (("content-type", "text/html"),)
    return Capture(url, url, 200, headers, sample.body, datetime(2026, 1, 1, tzinfo=UTC))


def holdfast(sample: Sample) -> str:
    return distill(capture_of(sample), RECIPE).markdown


def peers() -> dict[str, Callable[[Sample], str]]:
    """The peers that are installed (`pip install .[bench]`)."""
    found: dict[str, Callable[[Sample], str]] = {}
    try:
        import html2text
        import html_to_markdown
        import markdownify
        import trafilatura
    except ImportError:
        return found

    def by_html2text(sample: Sample) -> str:
        return html2text.HTML2Text(baseurl=base_url(sample), bodywidth=0).handle(sample.html)

    def by_html_to_markdown(sample: Sample) -> str:
        return html_to_markdown.convert(sample.html).content or ""

    def by_trafilatura(sample: Sample) -> str:
        return (
            trafilatura.extract(
                sample.html, url=base_url(sample), output_format="markdown", include_links=True,
                include_formatting=True, include_tables=True,
            )
            or ""
        )  # fmt: skip

    found["markdownify"] = lambda sample: markdownify.markdownify(sample.html, heading_style="ATX")
    found["html2text"] = by_html2text
    found["trafilatura"] = by_trafilatura
    found["html-to-markdown"] = by_html_to_markdown
    return found
