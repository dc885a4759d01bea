"""A clean corpus: one page once, nothing that a generator made for its own use (MIR-14)."""

import json

import pytest

from helpers.sites.command import files_of, folder_of, holdfast, manifest_of, mirror, pages_of
from helpers.sites.living import LivingSite
from helpers.sites.offline import destinations
from helpers.sites.server import Reply, Site, page, sitemap

pytestmark = pytest.mark.spec("MIR-14")

WORDS = "Equal words, whichever of the two addresses is asked for, and enough of them."


def twins(**differing):
    """`/` and `/index.html`, `/guide/` and its index file; by default they say the same."""
    links = ["/", "/index.html", "/guide/", "/guide/index.html", "/other"]
    home, guide = page("Home", links=links, text=WORDS), page("Guide", links=["/"], text=WORDS + " Guide.")
    answers = {"/": home, "/index.html": home, "/guide/": guide, "/guide/index.html": guide}
    return Site(answers | {"/other": page("Other", links=["/index.html"])} | differing)


def urls(output, origin):
    return sorted(entry["url"].removeprefix(origin) for entry in manifest_of(output)["pages"])


def aliases(output, origin):
    return {
        entry["url"].removeprefix(origin): (entry["duplicate_of"].removeprefix(origin), entry["reason"])
        for entry in manifest_of(output)["aliases"]
    }


JOINED = {"/guide/index.html": ("/guide", "same_content"), "/index.html": ("/", "same_content")}


class TestTwins:
    def test_a_folder_and_its_index_file_are_one_page_under_the_shorter_address(self, tmp_path):
        with twins().serve() as origin:
            done = mirror(f"{origin}/", tmp_path)
            assert done.status == 0, done.err
            assert urls(tmp_path, origin) == ["/", "/guide", "/other"]
            assert aliases(tmp_path, origin) == JOINED
            assert "2 duplicate" in done.err
            assert holdfast("verify", tmp_path).status == 0

    @pytest.mark.parametrize("listed", [["/index.html", "/"], ["/", "/index.html"]])
    def test_whichever_comes_first(self, tmp_path, listed):
        site = twins()
        with site.serve() as origin:
            site.answers["/sitemap.xml"] = sitemap([origin + path for path in [*listed, "/other"]])
            done = mirror(f"{origin}/", tmp_path)
            assert urls(tmp_path, origin) == ["/", "/other"]
            assert aliases(tmp_path, origin) == {"/index.html": ("/", "same_content")}
            assert "2 pages in" in done.err
        assert not [name for name in files_of(tmp_path) if "index.html" in name]

    def test_an_index_file_whose_folder_is_not_a_page_keeps_its_name(self, tmp_path):
        site = twins()
        with site.serve() as origin:
            site.answers["/sitemap.xml"] = sitemap([f"{origin}/index.html", f"{origin}/other"])
            mirror(f"{origin}/", tmp_path)
            assert urls(tmp_path, origin) == ["/index.html", "/other"]

    def test_one_that_differs_stays(self, tmp_path):
        differs = page("Home", text=WORDS + " And one more.")
        with twins(**{"/index.html": differs}).serve() as origin:
            mirror(f"{origin}/", tmp_path)
            assert urls(tmp_path, origin) == ["/", "/guide", "/index.html", "/other"]
            assert "/index.html" not in aliases(tmp_path, origin)

    def test_the_flag_keeps_both(self, tmp_path):
        with twins().serve() as origin:
            mirror(f"{origin}/", tmp_path, "--no-dedupe")
            assert urls(tmp_path, origin) == ["/", "/guide", "/guide/index.html", "/index.html", "/other"]

    def test_local_links_lead_to_the_page_that_is_there(self, tmp_path):
        with twins().serve() as origin:
            mirror(f"{origin}/", tmp_path, "--convert-links", "local")
            other = pages_of(tmp_path)[f"{folder_of(origin)}/other/index.md"]
        assert [where for _, where in destinations(other)] == ["../index.md"]

    def test_an_update_changes_nothing_where_nothing_changed(self, tmp_path):
        with twins().serve() as origin:
            mirror(f"{origin}/", tmp_path)
            before = pages_of(tmp_path), aliases(tmp_path, origin)
            done = mirror(f"{origin}/", tmp_path, "--update")
            assert (pages_of(tmp_path), aliases(tmp_path, origin)) == before, done.err


SPHINX = '<meta name="generator" content="Sphinx 7">'
NOISE = {
    "/_sources/a.rst.txt": Reply(b"A\n=\n", type="text/plain"),
    "/_modules/pkg/core.html": page("Code"),
    "/genindex.html": page("Index"),
    "/genindex-A.html": page("Index A"),
    "/py-modindex.html": page("Modules"),
    "/search.html": page("Search", head=SPHINX, text="Please activate JavaScript."),
    "/print_page.html": page("All in one"),
    "/docs/_print/": page("Printed"),
}


def noisy():
    docusaurus = '<meta name="generator" content="Docusaurus v3">'
    site = Site({"/": page("Home", links=[*NOISE, "/a.html", "/topics/search.html", "/tags/x"])} | NOISE)
    chapter = "How to search. " * 60
    site.answers["/a.html"] = page("A")
    site.answers["/topics/search.html"] = page("Searching", head=SPHINX, text=chapter)
    site.answers["/tags/x"] = page("Tag x", head=docusaurus, links=["/a.html", "/b.html"], text="Two.")
    site.answers["/b.html"] = page("B")
    return site


class TestNoise:
    def test_what_a_generator_makes_for_its_own_use_is_left_out_and_counted_by_rule(self, tmp_path):
        site = noisy()
        with site.serve() as origin:
            done = mirror(f"{origin}/", tmp_path)
            assert urls(tmp_path, origin) == ["/", "/a.html", "/b.html", "/topics/search.html"]
        assert (
            "left out as noise: 3 general indexes, 1 page source, 2 print versions, 1 search page" in done.err
        )
        assert "1 tag page" in done.err
        assert "/genindex.html" not in site.requests

    @pytest.mark.spec("EXP-2")
    def test_an_export_has_each_page_once_and_none_of_it(self, tmp_path):
        site = noisy()
        site.answers["/a.html"] = page("A", links=["/guide/", "/guide/index.html"])
        site.answers["/guide/"] = site.answers["/guide/index.html"] = page("Guide", text="One page.")
        with site.serve() as origin:
            done = mirror(f"{origin}/", tmp_path)
            holdfast("export", tmp_path, "--unit", "page", "-o", tmp_path / "pages.jsonl")
        records = (tmp_path / "pages.jsonl").read_text().splitlines()
        exported = [json.loads(record)["url"].removeprefix(origin) for record in records]
        assert sorted(exported) == ["/", "/a.html", "/b.html", "/guide", "/topics/search.html"]
        assert "1 duplicate" in done.err

    def test_also_when_a_sitemap_lists_it(self, tmp_path):
        site = noisy()
        with site.serve() as origin:
            site.answers["/sitemap.xml"] = sitemap([origin + path for path in ("/a.html", *NOISE)])
            mirror(f"{origin}/", tmp_path)
            assert urls(tmp_path, origin) == ["/a.html"]

    def test_a_glob_keeps_it(self, tmp_path):
        with noisy().serve() as origin:
            mirror(f"{origin}/", tmp_path, "--keep-noise", "/genindex*", "--keep-noise", "*/search.html")
            assert {"/genindex.html", "/genindex-A.html", "/search.html"} < set(urls(tmp_path, origin))
            assert "/py-modindex.html" not in urls(tmp_path, origin)

    def test_what_the_user_names_is_not_noise(self, tmp_path):
        with noisy().serve() as origin:
            (tmp_path / "urls.txt").write_text(f"{origin}/genindex.html\n")
            mirror(str(tmp_path / "urls.txt"), tmp_path / "m")
            assert urls(tmp_path / "m", origin) == ["/genindex.html"]

    def test_a_second_start_asks_for_none_of_it(self, tmp_path):
        site = noisy()
        with site.serve() as origin:
            mirror(f"{origin}/", tmp_path)
            site.requests.clear()
            mirror(f"{origin}/", tmp_path)
        assert [path for path in site.requests if not path.startswith(("/robots", "/sitemap", "/wp-"))] == []


class TestHints:
    def test_a_description_of_an_interface_says_what_it_is(self, tmp_path):
        api = b'{"openapi": "3.1.0", "info": {"title": "Pets"}, "paths": {}}'
        site = Site({"/": page("Home", links=["/openapi.json"])})
        site.answers["/openapi.json"] = Reply(api, type="application/json")
        with site.serve() as origin:
            done = mirror(f"{origin}/", tmp_path)
            assert f"{origin}/openapi.json is an OpenAPI 3.1.0 description Pets" in done.err
        skipped = next(tmp_path.glob("_skipped/**/*json*/*")).read_text()
        assert "OpenAPI 3.1.0 description Pets" in skipped

    def test_an_empty_shell_says_where_its_content_is(self, tmp_path):
        shell = (
            b'<!doctype html><html><head><title>API</title><script src="/app.js"></script></head>'
            b'<body><div id="root"></div><script>start({url: "/v1/openapi.json"})</script></body></html>'
        )
        with Site({"/": Reply(shell)}).serve() as origin:
            done = mirror(f"{origin}/", tmp_path)
            assert (
                f"{origin}/ is an empty JavaScript shell; its content is in {origin}/v1/openapi.json"
                in done.err
            )

    @pytest.mark.spec("MIR-1")
    def test_menus_in_javascript_are_followed_and_said(self, tmp_path):
        home = page("Manual", head='<script src="menudata.js"></script>')
        menu = (
            b'var menudata={children:[{text:"Main Page",url:"index.html"},'
            b'{text:"Files",url:"files.html",children:[{text:"All",url:"globals.html#a"}]}]}'
        )
        site = Site({"/": home, "/index.html": home, "/files.html": page("Files", links=["/a_8h.html"])})
        site.answers |= {"/a_8h.html": page("a.h"), "/globals.html": page("Globals")}
        site.answers["/menudata.js"] = Reply(menu, type="application/javascript")
        with site.serve() as origin:
            done = mirror(f"{origin}/", tmp_path)
            assert urls(tmp_path, origin) == ["/", "/a_8h.html", "/files.html", "/globals.html"]
            assert f"the site's menus are JavaScript: 3 pages were read from {origin}/menudata.js" in done.err

    @pytest.mark.spec("MIR-1")
    @pytest.mark.parametrize(
        ("name", "index"),
        [
            ("/search/search_index.json", b'{"docs": [{"location": "guide/"}, {"location": "b/#x"}]}'),
            ("/search-index.json", b'[{"documents": [{"u": "/guide/", "t": "G"}, {"u": "/b/"}]}]'),
            ("/searchindex.js", b'Search.setIndex({"docnames": ["guide", "b"]})'),
        ],
    )
    def test_of_an_empty_shell_what_its_search_index_names_is_followed(self, tmp_path, name, index):
        shell = f"""<!doctype html><title>A</title><div id="root"></div><script>load("{name}")</script>"""
        site = Site({"/": Reply(shell.encode()), name: Reply(index, type="application/json")})
        ends = (".html",) if name.endswith(".js") else ("/",)
        site.answers |= {f"/{at}{end}": page(at) for at in ("guide", "b") for end in ends}
        with site.serve() as origin:
            done = mirror(f"{origin}/", tmp_path)
            assert len(urls(tmp_path, origin)) == 3
            assert f"the site's menus are JavaScript: 2 pages were read from {origin}{name}" in done.err

    @pytest.mark.parametrize(
        ("name", "maker", "is_noise"),
        [
            ("/functions_vars.html", "Doxygen 1.9.4", True),
            ("/functions.html", "DocBook XSL", False),
            ("/method_list.html", "YARD 0.9", True),
            ("/method_list.html", "", False),
            ("/api-index-full.html", "", True),
            ("/bookindex.html", "", True),
        ],
    )
    def test_general_indexes_of_other_generators(self, tmp_path, name, maker, is_noise):
        head = f'<meta name="generator" content="{maker}">'
        if maker.startswith("YARD"):
            head = '<script src="js/full_list.js"></script>'
        site = Site({"/": page("Home", links=[name]), name: page("Members", head=head)})
        with site.serve() as origin:
            done = mirror(f"{origin}/", tmp_path)
            assert (name not in urls(tmp_path, origin)) is is_noise
            assert ("general index" in done.err) is is_noise


@pytest.mark.spec("MIR-8")
def test_what_was_merged_and_why_can_be_asked_of_every_name(tmp_path):
    with LivingSite() as site:
        site.put("/", "Home", links=["/old"])
        site.put("/new", "The page", links=["/"])
        site.redirect("/older", "/old")
        site.redirect("/old", "/new")
        assert mirror(site.origin + "/", tmp_path / "m").status == 0
        words = ("--store", tmp_path / "m")
        of_alias = holdfast("log", f"{site.origin}/old", *words)
        of_page = holdfast("log", f"{site.origin}/new", *words)
        assert of_alias.status == of_page.status == 0
        assert of_alias.out == of_page.out != ""
        sentence = f"{site.origin}/old is another name of {site.origin}/new: it redirects there"
        assert sentence in of_alias.err
        assert sentence in of_page.err
        told = json.loads(holdfast("log", f"{site.origin}/older", *words, "--json").out)
        assert [(n["url"], n["duplicate_of"], n["reason"]) for n in told["parts"][0]["page"]["names"]] == [
            (f"{site.origin}/older", f"{site.origin}/new", "redirect")
        ]
        assert sentence in holdfast("log", "--items", f"{site.origin}/old", *words).err
        assert "The page" in holdfast("show", f"{site.origin}/old", *words).out
        assert holdfast("diff", f"{site.origin}/old", *words).status == 0
        assert holdfast("log", f"{site.origin}/never", *words).status == 1
