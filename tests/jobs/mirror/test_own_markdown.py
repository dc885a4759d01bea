"""`--prefer-markdown`: a page names its own Markdown (`rel="alternate"`), and that is taken for the page."""

from __future__ import annotations

import hashlib
import json
import shutil

import pytest
from isal import igzip

from helpers.sites.living import LivingSite
from holdfast.faces.library import mirror
from holdfast.jobs.load_settings import load_settings
from holdfast.jobs.session import read_store

MARKDOWN = "text/markdown; charset=utf-8"
TEXT = b"# A in short\n\nWords of *A*.\n"
pytestmark = pytest.mark.spec("MIR-2")


def named(address):
    return f'<link rel="alternate" type="text/markdown" href="{address}">'


def put_markdown(site, path, text=TEXT, **facts):
    site.put(path, body=text, **{"type": MARKDOWN, "listed": False} | facts)


@pytest.fixture
def offering(site):
    """A page that names its Markdown, and one that names none."""
    site.put("/a", "A as HTML", head=named("/a.md"), links=["/b"])
    put_markdown(site, "/a.md")
    site.put("/b", "B as HTML")
    put_markdown(site, "/b.md")
    return site


@pytest.fixture
def prefer(make):
    return lambda **settings: make(**{"prefer_markdown": True} | settings)


def page_of(folder, name):
    return next(folder.rglob(f"{name}/index.md"))


def sidecar_of(folder, name):
    return json.loads(page_of(folder, name).with_suffix(".json").read_text())


def fates(summary):
    return {"/" + h.url.rpartition("/")[2]: str(h) for h in summary.update.happenings}


def records_of(folder):
    """The fields of every response and revisit in the archive, in order."""
    found = []
    for file in sorted((folder / ".holdfast" / "archive").glob("*.warc.gz")):
        for record in igzip.open(file).read().split(b"WARC/1.1\r\n"):
            head = record.partition(b"\r\n\r\n")[0].decode()
            fields = dict(line.split(": ", 1) for line in head.split("\r\n") if ": " in line)
            if fields.get("WARC-Type") in ("response", "revisit"):
                found.append(fields)
    return found


class TestFirst:
    """A page that is fetched."""

    def test_it_is_taken_with_one_more_request(self, offering, prefer, folder):
        prefer()
        assert offering.pages_asked == [("/a", False, 200), ("/a.md", False, 200), ("/b", False, 200)]
        assert page_of(folder, "a").read_bytes() == TEXT
        assert "B as HTML" in page_of(folder, "b").read_text()

    def test_place_and_name_are_the_pages_and_the_content_is_what_was_taken(self, offering, prefer, folder):
        prefer()
        sidecar = sidecar_of(folder, "a")
        assert sidecar["canonical_url"] == sidecar["source_url"] == offering.origin + "/a"
        assert sidecar["markdown_source"] == offering.origin + "/a.md"
        assert sidecar["content_hash"] == hashlib.sha256(TEXT).hexdigest()
        assert sidecar["title"] == "A in short"
        assert "markdown_source" not in sidecar_of(folder, "b")
        assert not list(folder.rglob("a.md/index.md"))

    @pytest.mark.parametrize(
        "value",
        [
            '</a.md>; rel="alternate"; type="text/markdown"',
            "<https://cdn.example/x.css>; rel=preload, <a.md>; type=text/markdown; rel=alternate",
        ],
    )
    def test_the_response_may_name_it(self, site, prefer, folder, value):
        site.put("/a", "A as HTML", headers=(("Link", value),))
        put_markdown(site, "/a.md")
        prefer()
        assert page_of(folder, "a").read_bytes() == TEXT

    def test_plain_text_will_do(self, offering, prefer, folder):
        put_markdown(offering, "/a.md", type="text/plain")
        prefer()
        assert page_of(folder, "a").read_bytes() == TEXT
        assert sidecar_of(folder, "a")["markdown_source"] == offering.origin + "/a.md"

    def test_without_the_flag_nobody_asks(self, offering, make, folder):
        make()
        assert offering.pages_asked == [("/a", False, 200), ("/b", False, 200)]
        assert "A as HTML" in page_of(folder, "a").read_text()

    @pytest.mark.parametrize(
        "answer",
        [
            {"status": 404},
            {"status": 500},
            {"type": "text/html"},
            {"type": "application/pdf"},
            {"body": b" \n"},
            {"headers": (("X-Robots-Tag", "noindex"),)},
        ],
    )
    def test_what_is_no_markdown_leaves_the_page(self, offering, prefer, folder, holdfast, answer):
        offering.change("/a.md", **answer)
        summary = prefer()
        assert summary.failed == 0
        assert ("/a.md", False, answer.get("status", 200)) in offering.pages_asked
        assert "A as HTML" in page_of(folder, "a").read_text()
        assert "markdown_source" not in sidecar_of(folder, "a")
        assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out

    @pytest.mark.parametrize("address", ["http://127.0.0.2:9/a.md", "/other/a.md", "/docs/a", "javascript:x"])
    def test_scope_holds_and_the_page_itself_is_no_alternate(self, site, folder, address):
        site.put("/docs/a", "A", head=named(address))
        put_markdown(site, "/other/a.md")
        settings = {"output": folder, "content_rate_limit": 0, "processes": 1, "discover": "links"}
        mirror(site.origin + "/docs/a", prefer_markdown=True, **settings)
        assert site.pages_asked == [("/docs/a", False, 200)]

    def test_robots_txt_holds(self, offering, prefer, folder):
        offering.put("/robots.txt", body=b"User-agent: *\nDisallow: /a.md\n", type="text/plain", listed=False)
        prefer()
        assert offering.pages_asked == [("/a", False, 200), ("/b", False, 200)]
        assert "A as HTML" in page_of(folder, "a").read_text()

    def test_the_pages_links_lead_on(self, folder):
        with LivingSite(has_sitemap=False) as site:
            site.put("/", "Home", head=named("/index.md"), links=["/a"])
            put_markdown(site, "/index.md", b"# Home\n")
            site.put("/a", "A", head=named("/a.md"), links=["/b"])
            put_markdown(site, "/a.md")
            site.put("/b", "B")
            settings = {"output": folder, "content_rate_limit": 0, "processes": 1, "prefer_markdown": True}
            assert mirror(site.origin + "/", **settings).pages == 3
            site.forget_requests()
            mirror(site.origin + "/", update=True, **settings)
            own = {path for path, conditional, status in site.pages_asked if conditional and status == 304}
            assert own == {"/", "/index.md", "/a", "/a.md", "/b"}

    def test_both_answers_are_in_the_archive_and_one_says_whose_it_is(self, offering, prefer, folder):
        prefer()
        found = {fields["WARC-Target-URI"]: fields for fields in records_of(folder)}
        assert found[offering.origin + "/a.md"]["Holdfast-Alternate-Of"] == offering.origin + "/a"
        assert "Holdfast-Alternate-Of" not in found[offering.origin + "/a"]


class TestUpdate:
    """Both are asked whether they changed; a change of either is seen."""

    @pytest.fixture
    def update(self, offering, prefer):
        assert offering.resources
        prefer()
        return lambda **settings: prefer(update=True, **settings)

    def test_nothing_changed(self, offering, update, folder, holdfast):
        for _ in range(2):
            assert set(fates(update()).values()) == {"unchanged: 304"}
            assert offering.pages_asked == [("/a", True, 304), ("/a.md", True, 304), ("/b", True, 304)]
        assert page_of(folder, "a").read_bytes() == TEXT
        confirmed = [f for f in records_of(folder) if f.get("WARC-Profile", "").endswith("not-modified")]
        assert len(confirmed) == 6
        assert all(f["WARC-Refers-To-Target-URI"] == f["WARC-Target-URI"] for f in confirmed)
        assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out

    def test_the_markdown_changed(self, offering, update, folder, holdfast):
        put_markdown(offering, "/a.md", b"# A\n\nOther words.\n")
        assert fates(update())["/a"] == "changed"
        assert offering.pages_asked == [("/a", True, 304), ("/a.md", True, 200), ("/b", True, 304)]
        assert page_of(folder, "a").read_text() == "# A\n\nOther words.\n"
        assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out
        ran = holdfast("diff", offering.origin + "/a", "--store", folder / ".holdfast")
        assert "+Other words." in ran.out
        assert set(fates(update()).values()) == {"unchanged: 304"}

    def test_the_page_changed_and_its_markdown_did_not(self, offering, update, folder, holdfast):
        offering.put("/a", "A as other HTML", head=named("/a.md"), links=["/c"])
        assert fates(update())["/a"] == "unchanged: same content"
        assert offering.pages_asked == [("/a", True, 200), ("/a.md", False, 200), ("/b", True, 304)]
        assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out
        assert set(fates(update()).values()) == {"unchanged: 304"}

    def test_a_page_that_names_none_any_more_is_the_page(self, offering, update, folder):
        offering.put("/a", "A as HTML, alone")
        assert fates(update())["/a"] == "changed"
        assert offering.pages_asked == [("/a", True, 200), ("/b", True, 304)]
        assert "alone" in page_of(folder, "a").read_text()

    def test_markdown_that_is_gone_leaves_the_page(self, offering, update, folder, holdfast):
        offering.drop("/a.md")
        assert fates(update())["/a"] == "changed"
        asked = [("/a", False, 200), ("/a", True, 304), ("/a.md", True, 404), ("/b", True, 304)]
        assert offering.pages_asked == asked
        assert "A as HTML" in page_of(folder, "a").read_text()
        assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out
        put_markdown(offering, "/a.md")
        assert fates(update())["/a"] == "changed", "and it is taken again when it is back"
        assert offering.pages_asked == [("/a", True, 304), ("/a.md", False, 200), ("/b", True, 304)]
        assert page_of(folder, "a").read_bytes() == TEXT
        assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out

    def test_markdown_that_fails_for_now_changes_nothing(self, offering, update, folder, holdfast):
        offering.change("/a.md", status=503, etag=None)
        assert fates(update())["/a"] == "unchanged: 304"
        assert page_of(folder, "a").read_bytes() == TEXT
        confirmed = [f for f in records_of(folder) if f.get("WARC-Profile", "").endswith("not-modified")]
        assert all(f["WARC-Refers-To-Target-URI"] == f["WARC-Target-URI"] for f in confirmed)
        offering.put("/a.md", body=TEXT, type=MARKDOWN, listed=False)
        assert fates(update())["/a"] == "unchanged: 304"
        assert offering.pages_asked == [("/a", True, 304), ("/a.md", True, 304), ("/b", True, 304)]
        assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out

    def test_dated_entries_ask_for_neither(self, site, prefer):
        site.put("/a", "A", head=named("/a.md"), lastmod="2020-01-01")
        put_markdown(site, "/a.md")
        prefer()
        assert set(fates(prefer(update=True)).values()) == {"unchanged: lastmod"}
        assert site.pages_asked == []

    def test_whoever_does_not_prefer_it_any_more_gets_the_page(self, offering, update, folder):
        update(prefer_markdown=False)
        assert offering.pages_asked == [("/a", False, 200), ("/b", True, 304)]
        assert "A as HTML" in page_of(folder, "a").read_text()

    def test_whoever_prefers_it_later_gets_it(self, offering, make, prefer, folder):
        make()
        assert fates(prefer(update=True))["/a"] == "changed"
        assert offering.pages_asked == [("/a", True, 304), ("/a.md", False, 200), ("/b", True, 304)]
        assert page_of(folder, "a").read_bytes() == TEXT


class TestAgain:
    """What is made again without a request."""

    def files(self, folder):
        return {
            path.relative_to(folder): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and path.suffix in (".md", ".json") and not path.name.startswith("_")
        }

    def test_rebuild(self, offering, prefer, folder, tmp_path, holdfast):
        prefer(sidecar="json", convert_links="local", llms_txt=True)
        before, asked = self.files(folder), len(offering.asked)
        for path in before:
            (folder / path).unlink()
        assert holdfast("restore", folder, "-q").status == 0
        assert self.files(folder) == before
        assert holdfast("restore", folder, "--output", "other", "-q").status == 0
        assert self.files(tmp_path / "other") == before
        assert len(offering.asked) == asked

    def test_the_mirror_as_it_was(self, offering, prefer, folder, tmp_path, holdfast):
        run = prefer().run_id
        before = self.files(folder)
        put_markdown(offering, "/a.md", b"# Later\n")
        prefer(update=True)
        assert holdfast("restore", folder, "--at", run, "--output", "then", "-q").status == 0
        assert self.files(tmp_path / "then") == before

    @pytest.mark.spec("VER-5")
    def test_reprocess_keeps_the_place_and_the_links(
        self, offering, prefer, folder, tmp_path, holdfast, no_sockets_later
    ):
        run = prefer().run_id
        no_sockets_later()
        state = folder / ".holdfast"
        done = holdfast("store", "reprocess", run, "--policy", "docs", "--store", state, "-q", "--json").json
        assert (done["total"], done["counts"]["new"], done["failed"]) == (2, 2, [])
        with read_store(load_settings(tmp_path, flags={"state": str(state)}, environment={})) as store:
            [new] = [o for o in store.ledger.history.of_run(done["run_id"]) if o.item.title == "A in short"]
            links = store.ledger.history.links_of(new.item.recipe, new.item.place.key)
        assert new.item.place.url == offering.origin + "/a"
        assert [(link.kind, link.href) for link in links] == [
            ("alternate", offering.origin + "/a.md"),
            ("anchor", offering.origin + "/b"),
        ]
        assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out

    @pytest.mark.usefixtures("offering")
    def test_gc_keeps_both_answers(self, prefer, folder, holdfast):
        prefer()
        assert holdfast("store", "prune", "--store", folder / ".holdfast").status == 0
        assert set(fates(prefer(update=True)).values()) == {"unchanged: 304"}
        assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out

    @pytest.mark.parametrize("which", ["/a", "/a.md"])
    def test_forgetting_either_forgets_what_both_say(self, offering, prefer, folder, holdfast, which):
        prefer()
        state = folder / ".holdfast"
        assert holdfast("forget", offering.origin + which, "--store", state).status == 0
        kept = b"".join(igzip.open(file).read() for file in (state / "archive").glob("*.gz"))
        assert b"Words of *A*" not in kept
        assert not list(folder.rglob("a/index.md"))
        assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out

    def test_a_lost_ledger_asks_with_no_validators_of_the_markdown(self, offering, prefer, folder):
        prefer()
        shutil.rmtree(folder / ".holdfast")
        prefer(update=True)
        assert ("/a", False, 200) in offering.pages_asked
        assert page_of(folder, "a").read_bytes() == TEXT


class TestExact:
    """The output is a function of the responses (MIR-12)."""

    pytestmark = pytest.mark.spec("MIR-12")

    @pytest.fixture
    def many(self, site):
        for number in range(30):
            site.put(f"/{number}", f"Words of {number}", head=named(f"/{number}.md"))
            put_markdown(site, f"/{number}.md", f"# {number}\n\nWords.\n".encode())
        # A copy whose canonical comes after it has to wait, and is read from the archive.
        same = f'<link rel="canonical" href="{site.origin}/z">'
        site.put("/copy", "Z", head=same + named("/z.md"))
        site.put("/z", "Z", head=same + named("/z.md"))
        put_markdown(site, "/z.md", b"# Z\n")
        return site

    def state_of(self, folder):
        found = {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*.md")}
        manifest = json.loads((folder / "_manifest.json").read_text())
        return found, {key: value for key, value in manifest.items() if key != "crawl"}

    def test_stopped_and_resumed_it_is_the_same_mirror(self, many, prefer, folder, tmp_path, holdfast):
        prefer()
        requests = sorted(asked.path for asked in many.asked)
        assert requests.count("/7.md") == requests.count("/7") == 1
        whole = self.state_of(folder)
        assert len(whole[1]["pages"]) == 31, "the copy has no file of its own"
        other = tmp_path / "other"
        for _ in range(40):
            if prefer(output=other, max_pages=len(list(other.rglob("*/index.md"))) + 7).status == "finished":
                break
        assert self.state_of(other) == whole
        assert holdfast("verify", other).status == 0, holdfast("verify", other).out
