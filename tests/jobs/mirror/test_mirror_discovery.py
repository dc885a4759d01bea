"""Where URLs come from, and which of them belong to the mirror."""

import gzip
import json

import pytest

from helpers.sites.command import files_of, folder_of, holdfast, mirror, pages_of
from helpers.sites.server import Reply, Site, page, redirect, sitemap
from helpers.trusting import trust

pytestmark = pytest.mark.spec("MIR-1")

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def asked(site):
    """The pages that were asked for, without robots and lists."""
    lists = ("/robots.txt", "/sitemap", "/wp-sitemap", "/feed", "/s1", "/s2", "/deep")
    return [path for path in site.requests if not path.startswith(lists)]


def index(urls):
    rows = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return Reply(f"<sitemapindex {NS}>{rows}</sitemapindex>".encode(), type="application/xml")


def test_a_site_gives_the_pages_of_the_sitemaps_that_robots_names(tmp_path):
    site = Site({path: page(path, links=["/unlisted"]) for path in ("/", "/a", "/b", "/c", "/unlisted")})
    with site.serve() as origin:
        site.answers["/robots.txt"] = Reply(
            f"User-agent: *\nSitemap: {origin}/deep.xml".encode(), type="text/plain"
        )
        site.answers["/deep.xml"] = index([f"{origin}/s1.xml.gz", f"{origin}/s2.txt"])
        zipped = gzip.compress(sitemap([f"{origin}/a", f"{origin}/b"]).body)
        site.answers["/s1.xml.gz"] = Reply(zipped, type="application/gzip")
        site.answers["/s2.txt"] = Reply(f"{origin}/c\n".encode(), type="text/plain")
        assert mirror(f"{origin}/", tmp_path).status == 0
    assert sorted(asked(site)) == ["/a", "/b", "/c"]


def test_a_site_without_sitemap_is_followed_by_links(tmp_path):
    site = Site({"/": page("Home", links=["/a", "/a#x", "mailto:x@y"]), "/a": page("A", links=["/", "/b"])})
    site.answers["/b"] = page("B")
    with site.serve() as origin:
        done = mirror(f"{origin}/", tmp_path)
        assert done.status == 0, done.err
    assert asked(site) == ["/", "/a", "/b"]


def test_an_html_page_in_place_of_a_sitemap_is_no_sitemap(tmp_path):
    site = Site({"/": page("Home")}, fallback=lambda _: page("Everything is fine"))
    with site.serve() as origin:
        done = mirror(f"{origin}/", tmp_path)
        assert done.status == 0, done.err
        assert "warning" not in done.err
    assert list(pages_of(tmp_path)) == [f"{folder_of(origin)}/index.md"]


@pytest.mark.parametrize("kind", ["rss", "atom"])
def test_a_feed_is_a_list(tmp_path, kind):
    site = Site({"/one": page("One")})
    with site.serve() as origin:
        body = {
            "rss": f"<rss><channel><item><link>{origin}/one</link></item></channel></rss>",
            "atom": f'<feed><entry><link href="{origin}/one"/></entry></feed>',
        }[kind]
        site.answers["/feed.xml"] = Reply(body.encode(), type="application/xml")
        assert mirror(f"{origin}/feed.xml", tmp_path).status == 0
    assert asked(site) == ["/one"]


def test_a_broken_sitemap_gives_what_was_readable_and_a_warning(tmp_path):
    site = Site({"/a": page("A")})
    with site.serve() as origin:
        body = f"<urlset {NS}><url><loc>{origin}/a</loc></url>\n<url><loc>{origin}/cut"
        site.answers["/sitemap.xml"] = Reply(body.encode(), type="application/xml")
        done = mirror(f"{origin}/sitemap.xml", tmp_path)
    assert done.status == 0
    assert "the XML is broken at line 2" in done.err
    assert asked(site) == ["/a"]


def test_a_file_of_urls_is_a_source(tmp_path):
    site = Site({"/a": page("A", links=["/c"]), "/b": page("B"), "/c": page("C")})
    with site.serve() as origin:
        (tmp_path / "urls.txt").write_text(f"# mine\n{origin}/a\n\n{origin}/b\nnonsense\n")
        done = mirror(str(tmp_path / "urls.txt"), tmp_path / "out")
    assert done.status == 0
    assert "one line of the text sitemap is not a URL" in done.err
    assert asked(site) == ["/a", "/b"]


@pytest.mark.spec("SEC-1")
def test_foreign_hosts_and_private_addresses_in_a_sitemap_are_refused_and_counted(tmp_path):
    site = Site({"/a": page("A")})
    with site.serve() as origin:
        urls = [
            f"{origin}/a",
            "https://example.com/",
            "http://10.0.0.1/",
            "http://169.254.169.254/x",
            "ftp://x/",
        ]
        site.answers["/sitemap.xml"] = sitemap(urls)
        done = mirror(f"{origin}/sitemap.xml", tmp_path, "--json", "--allow-host", "10.0.0.1")
    summary = json.loads(done.out)
    assert summary["refused"] == {"address": 1, "foreign host": 2, "not a URL (scheme)": 1}
    assert summary["pages"] == 1


def test_scope_is_the_folder_of_the_start_and_patterns_narrow_it(tmp_path):
    links = ["/docs/a", "/docs/b.pdf", "/docs/old/c", "/docs/guide/d", "/blog"]
    site = Site({link: page(link, links=links) for link in ["/docs/", *links]})
    with site.serve() as origin:
        flags = ("--discover", "links", "--exclude", "*.pdf", "--exclude", "/docs/old/*", "--json")
        done = mirror(f"{origin}/docs/", tmp_path / "one", *flags)
        assert asked(site) == ["/docs/", "/docs/a", "/docs/guide/d"]
        assert json.loads(done.out)["refused"] == {"excluded": 2, "outside the start's folder": 1}
        site.requests.clear()
        mirror(f"{origin}/docs/", tmp_path / "two", "--discover", "links", "--include", "/docs/guide/*")
        assert asked(site) == ["/docs/", "/docs/guide/d"]


def test_max_depth_and_another_host(tmp_path):
    other = Site({"/x": page("X")}, host="127.0.0.2")
    site = Site({"/": page("Home", links=["/1"]), "/1": page("1", links=["/2"]), "/2": page("2")})
    with site.serve() as origin, other.serve() as elsewhere:
        site.answers["/1"] = page("1", links=["/2", f"{elsewhere}/x"])
        mirror(f"{origin}/", tmp_path / "one", "--discover", "links", "--max-depth", "1")
        assert asked(site) == ["/", "/1"]
        flags = ("--discover", "links", "--allow-host", "127.0.0.2", "--allow-private")
        assert mirror(f"{origin}/", tmp_path / "two", *flags).status == 0
        assert f"{folder_of(elsewhere)}/x/index.md" in files_of(tmp_path / "two")


def test_a_wider_plan_goes_through_the_pages_that_are_there(tmp_path):
    site = Site({f"/{n}": page(f"{n}", links=[f"/{n + 1}"]) for n in range(5)})
    with site.serve() as origin:
        mirror(f"{origin}/0", tmp_path, "--discover", "links", "--max-depth", "1")
        assert asked(site) == ["/0", "/1"]
        site.requests.clear()
        mirror(f"{origin}/0", tmp_path, "--discover", "links", "--max-depth", "3")
        assert asked(site) == ["/2", "/3"]
        assert len(pages_of(tmp_path)) == 4


@pytest.mark.spec("MIR-13")
def test_robots_txt_decides_and_the_refusal_is_explained(tmp_path):
    site = Site({"/": page("Home", links=["/private/x", "/a"]), "/a": page("A"), "/private/x": page("X")})
    site.answers["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /private/", type="text/plain")
    with site.serve() as origin:
        done = mirror(f"{origin}/", tmp_path / "one", "--discover", "links")
        assert done.status == 0
        assert "1 robots" in done.err
        assert "/private/" in (tmp_path / "one" / "_failed.log").read_text()
        assert "/private/x" not in site.requests
        mirror(f"{origin}/", tmp_path / "two", "--discover", "links", "--no-robots")
        assert len(pages_of(tmp_path / "two")) == 3


def test_noindex_and_nofollow_are_respected_by_a_setting(tmp_path):
    site = Site(
        {
            "/": page("Home", links=["/hidden", "/closed"]),
            "/hidden": page("Hidden", head='<meta name="robots" content="noindex">', links=["/a"]),
            "/closed": page("Closed", head='<meta name="robots" content="nofollow">', links=["/b"]),
            "/a": page("A"),
            "/b": page("B"),
        }
    )
    with site.serve() as origin:
        mirror(f"{origin}/", tmp_path / "one", "--discover", "links")
        host = folder_of(origin)
        assert sorted(pages_of(tmp_path / "one")) == [
            f"{host}/{name}" for name in ("a/index.md", "closed/index.md", "index.md")
        ]
        assert "noindex" in (tmp_path / "one" / "_skipped" / host / "hidden" / "index.txt").read_text()
        mirror(f"{origin}/", tmp_path / "two", "--discover", "links", "--no-meta-robots")
        assert len(pages_of(tmp_path / "two")) == 5


def test_a_meta_refresh_is_a_redirect(tmp_path):
    refresh = '<meta http-equiv="refresh" content="0; url=/new">'
    site = Site({"/": page("Home", links=["/old"]), "/old": page("Old", head=refresh), "/new": page("New")})
    with site.serve() as origin:
        assert mirror(f"{origin}/", tmp_path, "--discover", "links").status == 0
        host = folder_of(origin)
        assert sorted(pages_of(tmp_path)) == [f"{host}/index.md", f"{host}/new/index.md"]


@pytest.mark.spec("ID-9")
def test_a_redirect_out_of_scope_is_recorded_and_nothing_is_stored(tmp_path):
    site = Site({"/": redirect("https://www.example.com/")})
    with site.serve() as origin:
        done = mirror(f"{origin}/", tmp_path, "--discover", "links")
    assert done.status == 1
    assert "hint: the start leads to another host" in done.err
    assert "https://www.example.com/" in (tmp_path / "_failed.log").read_text()
    assert pages_of(tmp_path) == {}


def test_a_dry_run_lists_urls_and_paths_and_writes_nothing(tmp_path):
    site = Site({"/a": page("A"), "/b": page("B")})
    with site.serve() as origin:
        site.answers["/sitemap.xml"] = sitemap([f"{origin}/a", f"{origin}/b?x=1"])
        done = mirror(f"{origin}/", tmp_path / "out", "--dry-run", "--json")
        assert done.status == 0
        rows = [json.loads(line) for line in done.out.splitlines()]
        assert [row["url"] for row in rows] == [f"{origin}/a", f"{origin}/b?x=1"]
        assert rows[0]["path"] == f"{folder_of(origin)}/a/index.md"
    assert asked(site) == []
    assert not (tmp_path / "out").exists()


@pytest.mark.spec("STA-5")
def test_a_named_job_of_the_settings_file_is_a_source(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Site({"/": page("Home")}).serve() as origin:
        (tmp_path / "holdfast.toml").write_text(
            f'content_rate_limit = 0\n[mirror.handbook]\nsource = "{origin}/"\noutput = "books"\n'
            'layout = "hash"\ndiscover = "links"\nprocesses = 1\n'
        )
        trust(tmp_path)
        done = holdfast("mirror", "handbook")
        assert done.status == 0, done.err
    assert len(pages_of(tmp_path / "books")) == 1
    assert (tmp_path / ".holdfast" / "ledger.db").is_file()
    wrong = holdfast("mirror", "handbok")
    assert wrong.status == 2
    assert "did you mean `holdfast mirror handbook`?" in wrong.err


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["example.com/docs"], "did you mean https://example.com/docs?"),
        (["nothing"], "write the URL whole"),
        (["https://e.com/", "--include", "guide/*"], "write '/guide/*'"),
    ],
)
def test_a_wrong_call_says_what_was_meant(tmp_path, monkeypatch, words, hint):
    monkeypatch.chdir(tmp_path)
    done = holdfast("mirror", *words)
    assert done.status == 2
    assert hint in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["sitemap-index.xml", "wp-sitemap.xml"])
def test_the_indexes_that_astro_and_wordpress_write_are_found(tmp_path, name):
    site = Site({"/": page("Home"), "/a": page("A")})
    with site.serve() as origin:
        site.answers[f"/{name}"] = index([f"{origin}/deep.xml"])
        site.answers["/deep.xml"] = sitemap([f"{origin}/", f"{origin}/a"])
        assert mirror(f"{origin}/", tmp_path).status == 0
    assert sorted(site.requests)[:2] == ["/", "/a"]


def named_in_head(origin):
    return page("Home", head=f'<LINK type="application/xml" rel="sitemap" href="{origin}/list-of-pages.xml">')


def test_a_sitemap_that_the_start_page_names_is_read_and_the_page_asked_for_once(tmp_path):
    site = Site({"/a": page("A"), "/b": page("B")})
    with site.serve() as origin:
        site.answers["/"] = named_in_head(origin)
        site.answers["/list-of-pages.xml"] = sitemap([f"{origin}/", f"{origin}/a", f"{origin}/b"])
        done = mirror(f"{origin}/", tmp_path)
        assert done.status == 0, done.err
        assert [site.counts[path] for path in ("/", "/a", "/b")] == [1, 1, 1]
        site.requests.clear()
        mirror(f"{origin}/", tmp_path, "--update")
        assert site.counts["/list-of-pages.xml"] == 1
    assert len(pages_of(tmp_path)) == 3


def test_a_start_page_without_one_is_asked_for_once_also_by_an_update(tmp_path):
    site = Site({"/": page("Home", links=["/a"]), "/a": page("A")})
    with site.serve() as origin:
        for flags in ((), ("--update",)):
            site.requests.clear()
            mirror(f"{origin}/", tmp_path, *flags)
            assert asked(site)[-2:] == ["/", "/a"]
            assert site.counts["/"] == 1


@pytest.mark.parametrize(
    "dirt",
    [
        "\n\n  ",
        "Warning: Undefined index in /srv/map.php on line 3\n",
        "<br />\n<b>Warning</b>:  Undefined index in <b>/srv/map.php</b> on line <b>3</b><br />\n",
    ],
)
def test_what_a_program_wrote_before_a_list_does_not_hide_it(tmp_path, dirt):
    site = Site({"/a": page("A"), "/b?x=1&y=2": page("B")})
    with site.serve() as origin:
        rows = f"<url><loc>{origin}/a</loc></url><url><loc>{origin}/b?x=1&y=2</loc></url>"
        body = f'{dirt}<?xml version="1.0"?>\n<urlset {NS}>{rows}</urlset>'
        site.answers["/map.xml"] = Reply(body.encode(), type="application/xml")
        done = mirror(f"{origin}/map.xml", tmp_path)
    assert done.status == 0, done.err
    assert {"/a", "/b?x=1&y=2"} < set(site.requests)
    assert len(pages_of(tmp_path)) == 2


@pytest.mark.parametrize(
    "body", [b"<?xml version='1.0'?><urlset></urlset>", b"<urlset><url><lo", b"\x1f\x8bnot gzip"]
)
def test_a_named_list_that_cannot_be_read_is_an_error_and_not_a_page(tmp_path, body):
    with Site({"/map.xml": Reply(body, type="application/xml")}).serve() as origin:
        done = mirror(f"{origin}/map.xml", tmp_path)
        assert done.status == 3
        assert f"the list {origin}/map.xml cannot be read" in done.err
    assert pages_of(tmp_path) == {}
