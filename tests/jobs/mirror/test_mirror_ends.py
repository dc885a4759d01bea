"""How a mirror ends: local links at every orderly end, what the summary says was and was not done."""

import asyncio
import json
import os
from dataclasses import replace

import pytest

from helpers.sites.command import folder_of, holdfast, manifest_of, mirror, pages_of
from helpers.sites.offline import destinations
from helpers.sites.server import Reply, Site, page
from holdfast.faces.library import mirror as mirror_here
from holdfast.jobs.load_settings import load_settings
from holdfast.jobs.mirror import rewrite_links
from holdfast.jobs.mirror.starting import make_mirror
from holdfast.jobs.mirror_place import MirrorRequest
from holdfast.jobs.stop import Stop


def chain(length):
    """Each page links to the one before it, the next, and home."""
    answers = {"/": page("Home", links=["/p1"])}
    for number in range(1, length):
        links = ["/", f"/p{number - 1}" if number > 1 else "/", f"/p{number + 1}"]
        answers[f"/p{number}"] = page(f"P {number}", links=links[: 3 if number < length - 1 else 2])
    return Site(answers)


def local_links(output):
    return [
        where for text in pages_of(output).values() for _, where in destinations(text) if ":" not in where
    ]


def absolute_links_to_pages(output):
    urls = {entry["url"] for entry in manifest_of(output)["pages"]}
    return [where for text in pages_of(output).values() for _, where in destinations(text) if where in urls]


@pytest.mark.spec("MIR-7")
class TestLocalLinks:
    def test_they_are_local_when_max_pages_ends_the_crawl(self, tmp_path):
        with chain(8).serve() as origin:
            done = mirror(f"{origin}/", tmp_path, "--convert-links", "local", "--max-pages", "4")
        assert done.status == 0, done.err
        assert manifest_of(tmp_path)["crawl"]["status"] == "max_pages"
        assert local_links(tmp_path)
        assert absolute_links_to_pages(tmp_path) == []
        checked = holdfast("verify", tmp_path)
        assert checked.status == 0, checked.out + checked.err
        [run] = json.loads(holdfast("log", "--runs", "--store", tmp_path, "--json").out)["parts"][0]["runs"]
        assert run["status"] == "stopped"

    def test_a_mirror_that_goes_on_ends_as_one_that_was_never_stopped(self, tmp_path):
        with chain(8).serve() as origin:
            for most in ("3", "5", "50"):
                mirror(f"{origin}/", tmp_path / "parts", "--convert-links", "local", "--max-pages", most)
            mirror(f"{origin}/", tmp_path / "whole", "--convert-links", "local")
        assert pages_of(tmp_path / "parts") == pages_of(tmp_path / "whole")

    def test_they_are_local_when_the_user_interrupts(self, tmp_path):
        stop, found = Stop(), []

        class Impatient:
            def notice(self, event):
                if event.name == "discovered":
                    found.append(dict(event.facts)["found"])
                if event.name == "processing" and dict(event.facts)["number"] == 5:
                    stop.ask()

        with chain(30).serve() as origin:
            flags = {"convert_links": "local", "processes": 1, "content_rate_limit": 0.0}
            settings = load_settings(tmp_path, flags=flags, environment={})
            request = MirrorRequest((f"{origin}/",), tmp_path / "m", settings, os.environ)
            summary = asyncio.run(make_mirror(request, Impatient(), stop))
        assert summary.status == "interrupted"
        assert manifest_of(tmp_path / "m")["crawl"]["status"] == "interrupted"
        assert local_links(tmp_path / "m")
        assert absolute_links_to_pages(tmp_path / "m") == []
        assert found[0] == 1, "the page to begin with"

    def test_they_are_left_as_they_are_for_a_user_who_asks_twice(self):
        async def ask_twice():
            stop, work = Stop(), asyncio.ensure_future(asyncio.sleep(0.2))
            for _ in range(2):
                asyncio.get_running_loop().call_soon(stop.ask)
            await rewrite_links._unless_stopped(work, stop)
            return work.cancelled(), stop.wakers

        assert asyncio.run(ask_twice()) == (True, [])


@pytest.mark.spec("MIR-7")
def test_a_mirror_with_all_its_pages_is_finished_whatever_max_pages_says(tmp_path):
    with chain(4).serve() as origin:
        done = mirror(f"{origin}/", tmp_path, "--max-pages", "4")
    assert done.status == 0, done.err
    assert manifest_of(tmp_path)["crawl"]["status"] == "finished"
    assert len(pages_of(tmp_path)) == 4


@pytest.mark.spec("MIR-7")
def test_no_page_is_asked_for_that_max_pages_would_not_keep(tmp_path):
    """Pages that are no pages after all make room for the next ones."""
    pages = {f"/{n:02}": page(f"Page {n}") for n in range(30)}
    site = Site({"/": page("Home", links=["/x.pdf", *pages]), **pages})
    site.answers["/x.pdf"] = Reply(b"x", type="application/pdf")
    with site.serve() as origin:
        assert mirror(f"{origin}/", tmp_path, "--discover", "links", "--max-pages", "4").status == 0
    asked = sorted(path for path in site.requests if path != "/robots.txt")
    assert asked == ["/", "/00", "/01", "/02", "/x.pdf"]


@pytest.mark.spec("LIN-3")
def test_a_first_mirror_reports_no_change_though_two_pages_say_the_same(tmp_path):
    same = page("Same", text="Equal words under two addresses, none of which is an index file.")
    site = Site({"/": page("Home", links=["/a", "/b"]), "/a": same, "/b": same})
    with site.serve() as origin:
        summary = mirror_here(f"{origin}/", output=tmp_path, content_rate_limit=0, processes=1)
    assert summary.changes == {"new": 3}


@pytest.mark.spec("PATH-7")
def test_the_summary_says_what_a_planted_symlink_kept_from_being_written(tmp_path):
    outside, output = tmp_path / "outside", tmp_path / "m"
    outside.mkdir()
    output.mkdir()
    with chain(4).serve() as origin:
        (output / folder_of(origin)).symlink_to(outside)
        done = mirror(f"{origin}/", output)
    assert list(outside.iterdir()) == []
    assert "everything failed, no page" in done.err
    assert "4 new" not in done.err
    assert "not written: " in done.err
    assert done.status != 0


@pytest.mark.spec("TXT-6")
def test_a_part_that_nobody_asked_for_is_not_a_page(tmp_path):
    part = Reply(page("Part").body[:60], status=206, headers=(("Content-Range", "bytes 0-59/5000"),))
    site = Site({"/": page("Home", links=["/part"]), "/part": part})
    with site.serve() as origin:
        done = mirror(f"{origin}/", tmp_path)
    assert list(pages_of(tmp_path)) == [f"{folder_of(origin)}/index.md"]
    assert "only a part was sent (206, bytes 0-59/5000)" in (tmp_path / "_failed.log").read_text()
    assert done.status == 1


@pytest.mark.spec("ID-6")
def test_an_address_that_is_too_long_to_have_a_name_is_named_in_the_summary(tmp_path):
    long = "/" + "x" * 9_000
    site = Site({"/": page("Home", links=[long, "/a"]), "/a": page("A")})
    with site.serve() as origin:
        done = mirror(f"{origin}/", tmp_path)
    assert "no identity: longer than 8,192 bytes in canonical form" in done.err
    assert f"refused: {origin}/xxx" in done.err
    assert long not in done.err


@pytest.mark.spec("SEC-2")
def test_endless_interim_answers_are_bounded_by_their_number(tmp_path):
    interim = b"HTTP/1.1 103 Early Hints\r\n\r\n"
    site = Site({"/": page("Home", links=["/many", "/few"])})
    site.answers |= {"/many": replace(page("Many"), before=interim * 500)}
    site.answers |= {"/few": replace(page("Few"), before=interim * 3)}
    with site.serve() as origin:
        mirror(f"{origin}/", tmp_path)
    assert "more than 16 interim answers (1xx)" in (tmp_path / "_failed.log").read_text()
    assert f"{folder_of(origin)}/few/index.md" in pages_of(tmp_path)
