"""Holdfast and its peers: bytes and a URL in, Markdown out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module

from corpus import Sample
from holdfast.core.page.distill_options import distill
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import Refused, parse_url
from holdfast.core.web.capture import Capture
from measure import base_url

RECIPE = Recipe.parse("http_snapshot_url_v1_text_v1")


def capture_of(sample: Sample) -> Capture:
    url = parse_url(base_url(sample))
    if isinstance(url, Refused):
        raise AssertionError(sample.path)
    headers = (("content-type", "text/html"),)
    return Capture(url, url, 200, headers, sample.body, datetime(2026, 1, 1, tzinfo=UTC))


def holdfast(sample: Sample) -> str:
    return distill(capture_of(sample), RECIPE).markdown


def by_markdownify(sample: Sample) -> str:
    import markdownify

    return str(markdownify.markdownify(sample.html, heading_style="ATX"))


def by_html2text(sample: Sample) -> str:
    import html2text

    return str(html2text.HTML2Text(baseurl=base_url(sample), bodywidth=0).handle(sample.html))


def by_trafilatura(sample: Sample) -> str:
    import trafilatura

    return (
        trafilatura.extract(
            sample.html, url=base_url(sample), output_format="markdown", include_links=True,
            include_formatting=True, include_tables=True,
        )
        or ""
    )  # fmt: skip


def by_html_to_markdown(sample: Sample) -> str:
    import html_to_markdown

    return html_to_markdown.convert(sample.html).content or ""


PEERS = {
    "markdownify": ("markdownify", by_markdownify),
    "html2text": ("html2text", by_html2text),
    "trafilatura": ("trafilatura", by_trafilatura),
    "html-to-markdown": ("html_to_markdown", by_html_to_markdown),
}


def peers() -> dict[str, Callable[[Sample], str]]:
    """The peers that can be imported (`pip install .[bench]`); a missing one is named, not passed over."""
    found: dict[str, Callable[[Sample], str]] = {}
    for name, (module, convert) in PEERS.items():
        try:
            import_module(module)
        except ImportError as error:
            print(f"{name}: not measured: {error}", file=sys.stderr)
        else:
            found[name] = convert
    return found
