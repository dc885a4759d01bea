"""Distilling in workers: the same pages, and a page too costly takes only itself along."""

import asyncio
from datetime import UTC, datetime

import pytest

from holdfast.adapters.distillery import Distillery, Limits
from holdfast.core.capture import Capture
from holdfast.core.page import Page
from holdfast.core.recipe import Recipe
from holdfast.core.url import parse_url
from holdfast.distill import DistillOptions, distill
from holdfast.ports import Undistilled

RECIPE = Recipe.parse("http_snapshot_url_v1_text_v1")


def capture(number, body=None):
    url = parse_url(f"https://docs.example/{number}")
    body = (
        body or f"<title>{number}</title><h1 id=a>{number}</h1><a href=x{number} rel=nofollow>l</a>".encode()
    )
    return Capture(url, url, 200, (("content-type", "text/html"),), body, datetime(2026, 1, 1, tzinfo=UTC))


@pytest.mark.spec("MIR-12", "TXT-5")
def test_workers_make_the_pages_that_distill_makes():
    captures = [capture(number) for number in range(40)]

    async def gathered(distillery):
        return await asyncio.gather(*map(distillery.distill, captures))

    with Distillery(RECIPE, workers=2) as distillery:
        pages = asyncio.run(gathered(distillery))

    assert pages == [distill(each, RECIPE) for each in captures]


def test_workers_cut_out_the_sections_that_are_asked_for():
    fragments = frozenset(("a", "gone"))
    with Distillery(RECIPE, workers=1) as pool:
        page = pool.distill_now(capture(1), fragments)

    assert page == distill(capture(1), RECIPE, DistillOptions(fragments=fragments))
    assert [section.is_there for section in page.sections] == [True, False]


@pytest.mark.spec("SEC-2", "SEC-4")
def test_a_page_that_needs_too_much_memory_is_a_value_and_the_next_is_a_page():
    big = capture(1, b"<p>x" * 2_000_000)
    with Distillery(
        RECIPE, DistillOptions(max_bytes=20_000_000), workers=1, limits=Limits(memory_bytes=300_000_000)
    ) as pool:
        failure = pool.distill_now(big)
        page = pool.distill_now(capture(2))

    assert isinstance(failure, Undistilled)
    assert failure.reason in ("memory", "crash")
    assert isinstance(page, Page)


@pytest.mark.spec("SEC-2", "SEC-4")
def test_a_page_that_needs_too_much_time_is_a_value_and_the_next_is_a_page():
    slow = capture(1, b"<p>x <b>y</b> *z*" * 200_000)
    with Distillery(
        RECIPE, DistillOptions(max_bytes=20_000_000), workers=1, limits=Limits(cpu_seconds=1)
    ) as pool:
        failure = pool.distill_now(slow)
        page = pool.distill_now(capture(2))

    assert failure == Undistilled("cpu", "the page needs more CPU time than a worker may have")
    assert isinstance(page, Page)


@pytest.mark.spec("SEC-4")
def test_a_worker_that_is_killed_is_replaced():
    with Distillery(RECIPE, workers=1) as pool:
        first = pool.distill_now(capture(1))
        worker = pool._idle.get()
        worker._process.kill()
        pool._idle.put(worker)
        failure = pool.distill_now(capture(2))
        second = pool.distill_now(capture(3))

    assert isinstance(first, Page)
    assert failure == Undistilled("crash", "the worker ended: SIGKILL")
    assert isinstance(second, Page)
