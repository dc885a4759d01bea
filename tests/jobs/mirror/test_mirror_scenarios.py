"""Seed 001, scenario by scenario, through the command line against a real server. (Update is F's.)"""

import hashlib
import json
import time

import pytest

from helpers.sites.command import files_of, folder_of, holdfast, manifest_of, mirror, pages_of
from helpers.sites.server import Reply, Site, page, redirect, sitemap

HOST = "docs.example.com"


def through_proxy(tmp_path, urls, *flags):
    """Mirror URLs of a host that exists nowhere, with the site as proxy."""
    site = Site({url.partition("#")[0]: page(url) for url in urls})
    (tmp_path / "urls.txt").write_text("".join(f"{url}\n" for url in urls))
    with site.serve() as proxy:
        done = mirror(str(tmp_path / "urls.txt"), tmp_path / "output", "--proxy", proxy, *flags)
    assert done.status == 0, done.err
    return pages_of(tmp_path / "output")


@pytest.mark.spec("PATH-1")
def test_a_url_becomes_a_folder_with_an_index(tmp_path):
    pages = through_proxy(tmp_path, [f"http://{HOST}/api/users/create", f"http://{HOST}/"])
    assert sorted(pages) == [f"{HOST}/api/users/create/index.md", f"{HOST}/index.md"]


@pytest.mark.spec("PATH-2")
def test_a_query_becomes_a_short_hash_in_the_file_name(tmp_path):
    short = hashlib.md5(b"q=test&page=2").hexdigest()[:8]
    pages = through_proxy(tmp_path, ["http://example.com/search?q=test&page=2"])
    assert list(pages) == [f"example.com/search__q_{short}.md"]


@pytest.mark.spec("PATH-3")
def test_a_fragment_is_stripped(tmp_path):
    pages = through_proxy(tmp_path, ["http://example.com/docs#installation"])
    assert list(pages) == ["example.com/docs/index.md"]


@pytest.mark.spec("PATH-4")
def test_a_long_name_is_cut_and_stays_unique(tmp_path):
    one, two = f"http://example.com/{'x' * 300}a", f"http://example.com/{'x' * 300}b"
    pages = through_proxy(tmp_path, [one, two])
    assert len(pages) == 2
    assert all(len(part) <= 200 for name in pages for part in name.split("/"))


@pytest.mark.spec("TXT-1", "MIR-2")
def test_html_becomes_markdown_with_atx_headings_absolute_links_and_no_scripts(tmp_path):
    body = b"""<html><head><title>T</title><style>p { color: red }</style></head><body><main>
      <h1>Title</h1><h2>Section</h2><script>alert("no")</script><p>Words <a href="other">here</a>.</p>
      <img src="/images/logo.png" alt=""></main></body></html>"""
    with Site({"/docs/page": Reply(body)}).serve() as origin:
        done = mirror(f"{origin}/docs/page", tmp_path, "--discover", "links", "--max-depth", "0")
        assert done.status == 0, done.err
        text = pages_of(tmp_path)[f"{folder_of(origin)}/docs/page/index.md"]
        assert f"[here]({origin}/docs/other)" in text
        assert f"![]({origin}/images/logo.png)" in text
    assert "# Title\n" in text
    assert "## Section\n" in text
    assert "alert" not in text
    assert "color" not in text


@pytest.mark.spec("MIR-2")
def test_what_is_no_page_gets_a_placeholder_and_text_is_kept_as_it_is(tmp_path):
    site = Site(
        {
            "/": page("Home", links=["/a.pdf", "/notes.txt", "/readme.md", "/untyped", "/data"]),
            "/a.pdf": Reply(b"%PDF-1.7 x", type="application/pdf"),
            "/notes.txt": Reply(b"* kept *\r\nas it is", type="text/plain"),
            "/readme.md": Reply("# Märkdown\n".encode(), type="text/markdown; charset=utf-8"),
            "/untyped": Reply(b"<!doctype html><title>U</title><main><p>untyped</p></main>", type=None),
            "/data": Reply(b"\x00\x01\x02", type=None),
        }
    )
    with site.serve() as origin:
        done = mirror(f"{origin}/", tmp_path, "--discover", "links")
        assert done.status == 0, done.err
        host = folder_of(origin)
        placeholder = (tmp_path / "_skipped" / host / "a.pdf" / "index.txt").read_text()
        assert f"{origin}/a.pdf" in placeholder
    assert "application/pdf" in placeholder
    assert "10 bytes" in placeholder
    pages = pages_of(tmp_path)
    assert pages[f"{host}/notes.txt/index.md"] == "* kept *\nas it is\n"
    assert pages[f"{host}/readme.md/index.md"] == "# Märkdown\n"
    assert "untyped" in pages[f"{host}/untyped/index.md"]
    assert f"_skipped/{host}/data/index.txt" in files_of(tmp_path)


@pytest.mark.spec("MIR-3")
@pytest.mark.parametrize(("flags", "least"), [((), 1.0), (("--content-rate-limit", "0.5"), 2.0)])
def test_requests_to_a_host_keep_their_distance(tmp_path, flags, least):
    times = []

    def answer(target, number):
        times.append(time.monotonic())
        return page(target)

    with Site({"/a": answer, "/robots.txt": answer}).serve() as origin:
        (tmp_path / "urls").write_text(f"{origin}/a\n")
        done = holdfast("mirror", tmp_path / "urls", "-o", tmp_path / "output", "--processes", "1", *flags)
    assert done.status == 0, done.err
    assert len(times) == 2
    assert times[1] - times[0] >= least


@pytest.mark.spec("MIR-4")
@pytest.mark.parametrize("mode", ["skip", "abort", "retry"])
def test_429_is_waited_for_in_every_mode_before_it_counts_as_failed(tmp_path, mode):
    busy = Reply(status=429, headers=(("Retry-After", "1"),))
    with Site({"/": [busy, page("Home")]}).serve() as origin:
        began = time.monotonic()
        done = mirror(f"{origin}/", tmp_path, "--discover", "links", "--on-error", mode)
        assert done.status == 0, done.err
        assert time.monotonic() - began >= 1.0
    assert len(pages_of(tmp_path)) == 1


@pytest.mark.spec("MIR-5")
def test_each_finished_url_is_a_line_and_is_skipped_at_the_next_start(tmp_path):
    site = Site({"/": page("Home", links=["/a", "/moved", "/x.pdf", "/gone"]), "/a": page("A")})
    site.answers |= {"/moved": redirect("/a"), "/x.pdf": Reply(b"x", type="application/pdf")}
    with site.serve() as origin:
        assert mirror(f"{origin}/", tmp_path, "--discover", "links").status == 1
        lines = (tmp_path / "_processed.txt").read_text().splitlines()
        assert sorted(lines) == [f"{origin}{path}" for path in ("/", "/a", "/moved", "/x.pdf")]
        site.requests.clear()
        assert mirror(f"{origin}/", tmp_path, "--discover", "links").status == 1
        assert [path for path in site.requests if path != "/robots.txt"] == ["/gone"]
        site.answers["/gone"] = page("Back")
        assert mirror(f"{origin}/", tmp_path, "--discover", "links").status == 0
        assert len(pages_of(tmp_path)) == 3
        assert not (tmp_path / "_failed").exists()


@pytest.mark.spec("MIR-5")
def test_a_missing_line_makes_that_page_asked_for_again_and_a_torn_one_is_dropped(tmp_path):
    site = Site({"/": page("Home", links=["/a", "/b"]), "/a": page("A"), "/b": page("B")})
    with site.serve() as origin:
        mirror(f"{origin}/", tmp_path, "--discover", "links")
        (tmp_path / "_processed.txt").write_text(f"{origin}/\n{origin}/b\n{origin}/to")
        for _ in range(2):
            site.requests.clear()
            assert mirror(f"{origin}/", tmp_path, "--discover", "links").status == 0
            asked = [path for path in site.requests if path != "/robots.txt"]
            assert asked == (["/a"] if _ == 0 else [])
        assert sorted((tmp_path / "_processed.txt").read_text().split()) == [
            f"{origin}/",
            f"{origin}/a",
            f"{origin}/b",
        ]


@pytest.mark.spec("MIR-5")
@pytest.mark.parametrize("rubbish", [b"\xff\xfe\n", b"\0\0\0", b'{"urls": 1}\n'])
def test_a_corrupt_checkpoint_is_set_aside_and_the_crawl_starts_afresh(tmp_path, rubbish):
    site = Site({"/": page("Home", links=["/a"]), "/a": page("A")})
    with site.serve() as origin:
        mirror(f"{origin}/", tmp_path, "--discover", "links")
        (tmp_path / "_processed.txt").write_bytes(rubbish)
        (tmp_path / "_progress.json").write_text("{")
        (tmp_path / "_manifest.json").write_text('{"pages": ')
        site.requests.clear()
        done = mirror(f"{origin}/", tmp_path, "--discover", "links")
    assert done.status == 0
    assert done.err.count("is corrupt") == 3
    assert (tmp_path / "_processed.txt.corrupt").read_bytes() == rubbish
    assert sorted(site.requests) == ["/", "/a", "/robots.txt"]
    assert len(manifest_of(tmp_path)["pages"]) == 2


@pytest.mark.spec("MIR-6")
def test_skip_notes_the_failure_and_goes_on(tmp_path):
    site = Site(
        {"/": page("Home", links=["/bad", "/good"]), "/bad": Reply(status=500), "/good": page("Good")}
    )
    with site.serve() as origin:
        done = mirror(f"{origin}/", tmp_path, "--discover", "links")
        assert done.status == 1
        [line] = (tmp_path / "_failed.log").read_text().splitlines()
        assert line.split("\t")[1:3] == ["failed", f"{origin}/bad"]
        placeholder = (tmp_path / "_failed" / folder_of(origin) / "bad" / "index.txt").read_text()
        assert "status 500" in placeholder
        assert len(pages_of(tmp_path)) == 2


@pytest.mark.spec("MIR-6")
def test_abort_saves_the_checkpoint_and_ends_with_a_failure(tmp_path):
    site = Site({"/": page("Home", links=["/a", "/bad", "/b"]), "/a": page("A"), "/b": page("B")})
    with site.serve() as origin:
        done = mirror(f"{origin}/", tmp_path, "--discover", "links", "--on-error", "abort")
        assert done.status == 3
        assert f"{origin}/bad: 404" in done.err
        assert (tmp_path / "_processed.txt").read_text().split() == [f"{origin}/", f"{origin}/a"]
        assert manifest_of(tmp_path)["crawl"]["status"] == "aborted"
        site.answers["/bad"] = page("Mended")
        assert mirror(f"{origin}/", tmp_path, "--discover", "links", "--on-error", "abort").status == 0
        assert len(pages_of(tmp_path)) == 4


@pytest.mark.spec("MIR-6")
def test_retry_tries_transient_failures_again_after_the_main_crawl(tmp_path):
    shaky = [Reply(status=503), Reply(status=502), page("At last")]
    site = Site({"/": page("Home", links=["/shaky", "/never", "/a"]), "/shaky": shaky, "/a": page("A")})
    site.answers["/never"] = Reply(hang_up=True)
    with site.serve() as origin:
        done = mirror(f"{origin}/", tmp_path, "--discover", "links", "--on-error", "retry")
        assert done.status == 1
        assert site.counts["/shaky"] == 3
        assert site.requests.index("/a") < len(site.requests) - 1 - site.requests[::-1].index("/shaky")
        assert sorted(pages_of(tmp_path)) == [
            f"{folder_of(origin)}/{name}" for name in ("a/index.md", "index.md", "shaky/index.md")
        ]
        assert [line.split("\t")[2] for line in (tmp_path / "_failed.log").read_text().splitlines()] == [
            f"{origin}/never"
        ]


@pytest.mark.spec("MIR-7")
def test_max_pages_counts_page_files_and_resumes(tmp_path):
    links = [f"/{n}" for n in range(6)]
    site = Site({"/": page("Home", links=["/x.pdf", *links])} | {link: page(link) for link in links})
    site.answers["/x.pdf"] = Reply(b"x", type="application/pdf")
    with site.serve() as origin:
        for _ in range(2):
            assert mirror(f"{origin}/", tmp_path, "--discover", "links", "--max-pages", "3").status == 0
            assert len(pages_of(tmp_path)) == 3
            assert manifest_of(tmp_path)["crawl"]["status"] == "max_pages"
        assert mirror(f"{origin}/", tmp_path, "--discover", "links", "--max-pages", "5").status == 0
        assert len(pages_of(tmp_path)) == 5
        assert mirror(f"{origin}/", tmp_path, "--discover", "links").status == 0
        assert len(pages_of(tmp_path)) == 7


@pytest.mark.spec("MIR-7")
def test_a_disk_that_is_too_full_ends_the_run_with_a_clear_error(tmp_path):
    with Site({"/": page("Home")}).serve() as origin:
        done = mirror(f"{origin}/", tmp_path, "--discover", "links", "--min-free-mb", "1000000000")
        assert done.status == 5
        assert "the disk is too full" in done.err
        assert "to go on, once there is room: " in done.err
        assert "--min-free-mb says how many megabytes must stay free, 100 unless set" in done.err
        assert manifest_of(tmp_path)["crawl"]["status"] == "no_space"
        assert mirror(f"{origin}/", tmp_path, "--discover", "links").status == 0


@pytest.mark.spec("MIR-8")
def test_a_url_listed_twice_is_fetched_once(tmp_path):
    site = Site({"/a": page("A")})
    with site.serve() as origin:
        urls = [
            f"{origin}/a",
            f"{origin}/a#part",
            f"{origin}/./a",
            f"{origin}/a?utm_source=x",
            f"{origin}/a/",
        ]
        site.answers["/sitemap.xml"] = sitemap([*urls, *urls])
        assert mirror(f"{origin}/sitemap.xml", tmp_path).status == 0
    assert [path for path in site.requests if path.startswith("/a")] == ["/a"]


@pytest.mark.spec("MIR-8")
def test_of_several_urls_with_one_key_the_next_is_asked_when_the_first_fails(tmp_path):
    site = Site({"/a/": page("A")})
    with site.serve() as origin:
        site.answers["/sitemap.xml"] = sitemap([f"{origin}/a", f"{origin}/a/"])
        assert mirror(f"{origin}/sitemap.xml", tmp_path).status == 0
    assert [path for path in site.requests if path.startswith("/a")] == ["/a", "/a/"]
    assert len(pages_of(tmp_path)) == 1


@pytest.mark.spec("MIR-8", "ID-9")
@pytest.mark.parametrize("order", ["ab", "ba"])
def test_a_redirect_and_its_target_are_one_page_under_the_final_url(tmp_path, order):
    site = Site({"/a": redirect("/b"), "/b": page("B")})
    with site.serve() as origin:
        site.answers["/sitemap.xml"] = sitemap([f"{origin}/{name}" for name in order])
        assert mirror(f"{origin}/sitemap.xml", tmp_path).status == 0
        assert list(pages_of(tmp_path)) == [f"{folder_of(origin)}/b/index.md"]
        assert sorted((tmp_path / "_processed.txt").read_text().split()) == [f"{origin}/a", f"{origin}/b"]


@pytest.mark.spec("MIR-8", "ID-10")
def test_a_page_that_names_an_equal_canonical_gets_no_file(tmp_path):
    same = "The same long text stands on both of these pages, word for word, and then some more."
    site = Site({"/": page("Home", links=["/print", "/article"])})
    with site.serve() as origin:
        canonical = f"{origin}/article"
        site.answers["/print"] = page("Article", text=same, canonical=canonical)
        site.answers["/article"] = page("Article", text=same, canonical=canonical)
        assert mirror(f"{origin}/", tmp_path, "--discover", "links").status == 0
        assert sorted(pages_of(tmp_path)) == [
            f"{folder_of(origin)}/article/index.md",
            f"{folder_of(origin)}/index.md",
        ]
        assert f"{origin}/print\n" in (tmp_path / "_processed.txt").read_text()


@pytest.mark.spec("MIR-9")
def test_each_url_is_a_line_on_standard_error_and_every_hundred_a_progress_file(tmp_path):
    links = [f"/{n}" for n in range(120)]
    site = Site({link: page(link) for link in links})
    with site.serve() as origin:
        site.answers["/sitemap.xml"] = sitemap([origin + link for link in links])
        done = mirror(f"{origin}/sitemap.xml", tmp_path)
        assert done.status == 0
        lines = [line for line in done.err.splitlines() if line.startswith("[")]
        assert lines[0] == f"[1/120] Processing: {origin}/0"
        assert lines[-1] == f"[120/120] Processing: {origin}/119"
    progress = json.loads((tmp_path / "_progress.json").read_text())
    assert (progress["processed"], progress["total"], progress["eta_sec"]) == (120, 120, 0.0)
    assert progress["elapsed_sec"] > 0


@pytest.mark.spec("MIR-10")
def test_manifest_and_index_describe_every_page(tmp_path):
    site = Site({"/": page("Home", links=["/a/b", "/a/c?x=1"]), "/a/b": page("B"), "/a/c?x=1": page("C [c]")})
    with site.serve() as origin:
        assert mirror(f"{origin}/", tmp_path, "--discover", "links").status == 0
        host = folder_of(origin)
        manifest = manifest_of(tmp_path)
        assert [entry["url"] for entry in manifest["pages"]] == [
            f"{origin}/a/b",
            f"{origin}/a/c?x=1",
            f"{origin}/",
        ]
        assert manifest["layout"] == {"name": "tree", "version": 1, "scheme": "http"}
    for entry in manifest["pages"]:
        data = (tmp_path / entry["path"]).read_bytes()
        assert entry["size"] == len(data)
        assert entry["file_sha256"] == hashlib.sha256(data).hexdigest()
        sidecar = json.loads((tmp_path / entry["path"]).with_suffix(".json").read_text())
        assert sidecar["content_hash"] == entry["content_sha256"]
        assert sidecar["canonical_url"] == entry["url"]
    index = (tmp_path / "_index.md").read_text()
    assert f"- [Home]({host}/index.md)" in index
    assert "  - [B](" in index
    assert r"[C \[c\]]" in index
