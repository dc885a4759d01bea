"""Distilling in workers: the gist of the same pages, and a page too costly takes only itself along."""

import asyncio
from datetime import UTC, datetime

import pytest

from holdfast.adapters.ports import Undistilled
from holdfast.adapters.workers.distillery import Distillery
from holdfast.adapters.workers.process import Limits
from holdfast.core.page.distill_options import DEFAULTS, DistillOptions, distill
from holdfast.core.page.page import Gist
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import parse_url
from holdfast.core.web.capture import Capture

RECIPE = Recipe.parse("http_snapshot_url_v1_text_v1")


def capture(number, body=None):
    url = parse_url(f"https://docs.example/{number}")
    body = (
        body or f"<title>{number}</title><h1 id=a>{number}</h1><a href=x{number} rel=nofollow>l</a>".encode()
    )
    return Capture(url, url, 200, (("content-type", "text/html"),), body, datetime(2026, 1, 1, tzinfo=UTC))


def distilled(*asked, workers=1, options=DEFAULTS, limits=None):
    """What becomes of captures, or of captures and their cited fragments."""

    async def main():
        distillery = Distillery(RECIPE, options, workers=workers, limits=limits or Limits())
        try:
            return await asyncio.gather(*(distillery.distill(*each) for each in asked))
        finally:
            distillery.close()

    return asyncio.run(main())


@pytest.mark.spec("MIR-12", "TXT-5")
def test_workers_tell_the_gist_of_the_pages_that_distill_makes():
    captures = [capture(number) for number in range(40)]

    gists = distilled(*((each,) for each in captures), workers=2)

    assert gists == [distill(each, RECIPE).gist for each in captures]
    assert [gist.title for gist in gists] == [str(number) for number in range(40)]


def test_workers_cut_out_the_sections_that_are_asked_for():
    fragments = frozenset(("a", "gone"))

    [gist] = distilled((capture(1), fragments))

    assert gist == distill(capture(1), RECIPE, DistillOptions(fragments=fragments)).gist
    assert [section.is_there for section in gist.sections] == [True, False]


@pytest.mark.spec("SEC-2", "SEC-4")
def test_a_page_that_needs_too_much_memory_is_a_value_and_the_next_is_a_page():
    big = capture(1, b"<p>x" * 2_000_000)

    failure, gist = distilled(
        (big,),
        (capture(2),),
        options=DistillOptions(max_bytes=20_000_000),
        limits=Limits(memory_bytes=300_000_000),
    )

    assert isinstance(failure, Undistilled)
    assert failure.reason in ("memory", "crash")
    assert isinstance(gist, Gist)


@pytest.mark.spec("SEC-2", "SEC-4")
def test_a_page_that_needs_too_much_time_is_a_value_and_the_next_is_a_page(monkeypatch):
    monkeypatch.setenv("HOLDFAST_NATIVE", "0")  # the native reader is through in less than a second
    slow = capture(1, b"<p>x <b>y</b> *z*" * 200_000)

    failure, gist = distilled(
        (slow,), (capture(2),), options=DistillOptions(max_bytes=20_000_000), limits=Limits(cpu_seconds=1)
    )

    assert failure == Undistilled("cpu", "the page needs more CPU time than a worker may have")
    assert isinstance(gist, Gist)
