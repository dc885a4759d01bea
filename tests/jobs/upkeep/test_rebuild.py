"""`holdfast restore`: the folder is a checkout; ledger and archive make it again, byte for byte."""

from __future__ import annotations

import json
import shutil
import time
from datetime import UTC, datetime

import pytest

pytestmark = pytest.mark.spec("MIR-12")


def deterministic(folder):
    """The part of a mirror that is a function of the responses (MIR-12), and the sidecars."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not path.is_file() or name.startswith((".holdfast/", "_p", "_failed.log")):
            continue
        data = path.read_bytes()
        if name == "_manifest.json":
            document = json.loads(data)
            document["crawl"] = document["crawl"]["fetched_at"]
            data = json.dumps(document).encode()
        found[name] = data
    return found


@pytest.fixture
def mirrored(site, make):
    site.put("/", "Home", links=["/a", "/b?x=1&y=2"])
    site.put("/a", "A", head='<meta name="keywords" content="x">')
    site.put("/b?x=1&y=2", "B &amp; more")
    site.put("/deep/er/page", "Deep")
    site.put("/notes.md", body=b"# Notes\r\n\r\nKept as they are.", type="text/markdown")
    make()


@pytest.mark.parametrize("sidecar", ["json", "none", "front-matter"])
@pytest.mark.parametrize("layout", ["tree", "flat", "hash"])
def test_a_lost_folder_is_rebuilt_byte_for_byte(site, make, folder, holdfast, layout, sidecar):
    for number in range(12):
        site.put(f"/{number}?q={number}", f"Words of {number}", links=["/0?q=0"])
    site.put("/paper?v=1", body=b"%PDF-1.7 and more", type="application/pdf")
    site.put("/hidden", "Hidden", head='<meta name="robots" content="noindex">')
    site.put("/lost", status=404)
    site.put("/broken", status=500)
    site.redirect("/data", "/data.json")
    site.put("/data.json", body=b"{}", type="application/json", listed=False)
    make(layout=layout, sidecar=sidecar)
    before = deterministic(folder)
    asked = len(site.asked)
    for path in folder.iterdir():
        if path.name != ".holdfast" and path.name != "_manifest.json":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    ran = holdfast("restore", folder, "-q", "--json")
    assert ran.status == 0, ran.err
    assert deterministic(folder) == before
    assert sum(name.startswith(("_failed/", "_skipped/")) for name in before) == 5
    assert len(site.asked) == asked
    assert (folder / "_processed.txt").exists()
    assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out


def test_without_a_manifest_the_flags_say_how(mirrored, folder, holdfast):
    before = deterministic(folder)
    for path in folder.iterdir():
        if path.name != ".holdfast":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert holdfast("restore", folder, "-q").status == 0
    assert deterministic(folder) == before
    assert holdfast("verify", folder).status == 0


def test_what_is_right_is_not_touched(mirrored, folder, holdfast):
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.*") if ".holdfast" not in path.parts}
    ran = holdfast("restore", folder, "-q", "--json")
    assert ran.json["written"] == 0
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_a_list_that_is_right_is_not_touched(site, make, folder, holdfast):
    for name in ("", "a", "b"):
        site.put(f"/{name}", f"Words of {name}")
    make(llms_txt=True)
    lists = [folder / "llms.txt", folder / "llms-full.txt"]
    before = [path.stat().st_mtime_ns for path in lists]
    assert holdfast("restore", folder, "-q").status == 0
    assert [path.stat().st_mtime_ns for path in lists] == before
    lists[1].write_text("scribbled")
    assert holdfast("restore", folder, "-q").status == 0
    assert holdfast("verify", folder).status == 0
    assert lists[0].stat().st_mtime_ns == before[0]


def test_one_altered_file_is_written_anew_with_its_time(mirrored, folder, holdfast):
    page = next(folder.rglob("a/index.md"))
    right, mtime = page.read_bytes(), page.stat().st_mtime
    page.write_text("scribbled")
    assert holdfast("restore", folder, "-q", "--json").json["written"] == 1
    assert page.read_bytes() == right
    assert page.stat().st_mtime == pytest.approx(mtime, abs=0.001)


def test_another_layout_in_another_folder_equals_a_mirror_made_so(
    site, mirrored, make, folder, tmp_path, holdfast
):
    make(output=tmp_path / "by-hash", layout="hash")
    ran = holdfast("restore", folder, "--layout", "hash", "--output", "rebuilt", "-q")
    assert ran.status == 0, ran.err
    rebuilt, made = deterministic(tmp_path / "rebuilt"), deterministic(tmp_path / "by-hash")
    for name in made:
        if not name.endswith(".json"):
            assert rebuilt[name] == made[name], name
    manifests = [json.loads(both["_manifest.json"]) for both in (rebuilt, made)]
    assert manifests[0]["pages"] == manifests[1]["pages"]
    assert manifests[0]["layout"] == manifests[1]["layout"]


def test_another_layout_or_moment_needs_another_folder(mirrored, folder, holdfast):
    for flags in (("--layout", "hash"), ("--at", "2026-01-01")):
        ran = holdfast("restore", folder, *flags)
        assert ran.status == 2
        assert "--output" in ran.err


@pytest.mark.usefixtures("mirrored")
def test_what_makes_no_sense_is_said_in_words_and_writes_nothing(folder, tmp_path, holdfast):
    shutil.copytree(folder, tmp_path / "another")
    for flags, words in (
        (("--output", folder), "the mirror's own folder"),
        (("--output", "another", "--layout", "hash"), "another mirror"),
        (("--output", "then", "--at", "2020-01-01"), "there was no mirror yet"),
        (("--output", "then", "--at", "yesterdayish"), "neither a date nor the beginning of a run's id"),
    ):
        ran = holdfast("restore", folder, *flags)
        assert (ran.status, "hint:" in ran.err) == (2, True), ran.err
        assert words in ran.err
    assert not (tmp_path / "then").exists()


@pytest.mark.usefixtures("mirrored")
def test_a_folder_that_was_rebuilt_elsewhere_does_not_look_like_a_mirror(folder, tmp_path, holdfast):
    for _ in range(2):
        assert holdfast("restore", folder, "--output", "other", "-q").status == 0
        assert not (tmp_path / "other" / ".holdfast").exists()


def test_other_markdown_settings_are_learned_by_the_ledger(site, make, folder, holdfast):
    site.put("/a", "A", head="<!-- x -->")
    site.change("/a", body=b"<html><body><p>Menu</p><main><h1>A</h1></main></body></html>", etag=None)
    make()
    page = next(folder.rglob("a/index.md"))
    assert "Menu" not in page.read_text()
    assert holdfast("restore", folder, "--content", "full", "-q").status == 0
    assert "Menu" in page.read_text()
    ran = holdfast("verify", folder)
    assert ran.status == 0, ran.out
    assert holdfast("restore", folder, "-q", "--json").json["written"] == 0, "the manifest remembers"


def test_placeholders_are_those_of_the_last_word_on_each_url(site, make, folder, tmp_path, holdfast):
    for path in ("/a", "/b", "/c", "/d", "/e", "/f"):
        site.put(path, path)
    site.change("/a", status=500)
    site.put("/b", body=b"%PDF", type="application/pdf")
    site.put("/c", body=b"%PDF-1", type="application/pdf")
    site.change("/d", status=500)
    first = make().run_id
    assert sorted(names_of(folder, "_failed")) == ["a", "d"]
    assert sorted(names_of(folder, "_skipped")) == ["b", "c"]
    site.change("/a", status=200)
    site.put("/b", "A page now")
    site.change("/c", status=410, etag=None)
    site.put("/d", body=b"%PDF", type="application/pdf")
    make(update=True)
    assert sorted(names_of(folder, "_failed")) == ["c"]
    assert sorted(names_of(folder, "_skipped")) == ["d"]
    assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out
    before = deterministic(folder)
    assert holdfast("restore", folder, "--output", "now", "-q").status == 0
    assert {n: d for n, d in deterministic(tmp_path / "now").items() if n[:2] in ("_f", "_s")} == {
        n: d for n, d in before.items() if n[:2] in ("_f", "_s")
    }
    assert holdfast("restore", folder, "--output", "then", "--at", first, "-q").status == 0
    assert sorted(names_of(tmp_path / "then", "_failed")) == ["a", "d"]


def test_a_placeholder_whose_capture_was_dropped_is_left_alone(site, make, folder, holdfast):
    site.put("/a", "A")
    site.put("/b", body=b"%PDF", type="application/pdf")
    make()
    assert holdfast("store", "prune", "--store", folder / ".holdfast").status == 0
    assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out
    assert holdfast("restore", folder, "-q").status == 0
    assert names_of(folder, "_skipped") == ["b"]


def names_of(folder, kind):
    return [path.parent.name for path in (folder / kind).rglob("*.txt")]


class TestAt:
    """The mirror as it was."""

    @pytest.fixture
    def past(self, site, make, folder, tmp_path):
        """Three runs; copies of the folder after each, and moments between them."""
        copies, moments, runs = [], [], []
        steps = (
            {"/a": "A one", "/b": "B one", "/c": "C", "/d": "D", "/e": "E", "/f": "F"},
            {"/a": "A two", "/g": "G"},
            {"/a": "A one"},
        )
        for number, step in enumerate(steps):
            for path, words in step.items():
                site.put(path, words)
            if number == 2:
                site.drop("/b")
            runs.append(make(update=True, delete_gone=True).run_id)
            copy = tmp_path / f"copy-{number}"
            shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".holdfast"))
            copies.append(copy)
            moments.append(datetime.now(UTC).isoformat())
            time.sleep(0.01)
        return copies, moments, runs

    @pytest.mark.parametrize("number", [0, 1, 2])
    @pytest.mark.parametrize("by", ["moment", "run"])
    def test_the_mirror_as_it_was(self, past, folder, tmp_path, holdfast, number, by, request):
        request.getfixturevalue("no_sockets")
        copies, moments, runs = past
        at = moments[number] if by == "moment" else runs[number][:12]
        ran = holdfast("restore", folder, "--at", at, "--output", "then", "-q")
        assert ran.status == 0, ran.err
        rebuilt, copy = deterministic(tmp_path / "then"), deterministic(copies[number])
        assert {name for name in rebuilt if name.endswith(".md")} == {n for n in copy if n.endswith(".md")}
        for name in copy:
            if name.endswith(".md"):
                assert rebuilt[name] == copy[name], name
        pages = [json.loads(both["_manifest.json"])["pages"] for both in (rebuilt, copy)]
        assert pages[0] == pages[1]

    def test_a_copy_of_one_day_becomes_one_of_another(self, past, folder, tmp_path, holdfast):
        _, moments, _ = past
        mine, altered = tmp_path / "then" / "mine.txt", tmp_path / "then" / "mine.md"
        for number in (2, 0, 1, 2, 0):
            at = moments[number]
            ran = holdfast("restore", folder, "--at", at, "--output", "then", "--json", "-q")
            assert ran.status == 0, ran.err
            assert holdfast("restore", folder, "--at", at, "--output", f"fresh-{number}", "-q").status == 0
            fresh, then = deterministic(tmp_path / f"fresh-{number}"), deterministic(tmp_path / "then")
            own = {path.name: then.pop(path.name) for path in (mine, altered) if path.exists()}
            assert then.keys() == fresh.keys()
            assert set(own.values()) <= {b"mine"}
            mine.write_bytes(b"mine")
            altered.write_bytes(b"mine")
        assert ran.json["removed"] > 0
        assert " removed" in holdfast("restore", folder, "--at", moments[2], "--output", "then", "-q").err

    def test_links_are_those_that_the_pages_had(self, site, make, folder, tmp_path, holdfast):
        site.put("/a", "A", links=["/b"])
        site.put("/b", "B")
        first = make(convert_links="local").run_id
        before = {path.name: path.read_text() for path in folder.rglob("*.md")}
        kept = deterministic(folder)
        site.put("/a", "A says more")
        make(convert_links="local", update=True)

        assert holdfast("restore", folder, "--at", first, "--output", "then", "-q").status == 0
        then = deterministic(tmp_path / "then")
        assert {name: then[name] for name in kept if name.endswith(".md")} == {
            name: data for name, data in kept.items() if name.endswith(".md")
        }
        assert "b/index.md" in "".join(before.values())

    def test_a_page_is_there_until_it_left(self, site, make, folder, tmp_path, holdfast):
        """As `export` and `changes` have it: a page that an update could not judge had not left."""
        site.has_sitemap = False
        site.put("/", "Home", links=["/a", "/b"])
        for path in ("/a", "/b"):
            site.put(path, path)
        make()
        site.put("/", "Home", links=["/b"])
        site.change("/b", status=500, etag=None)
        held = make(update=True)
        assert held.update.held_back
        site.change("/b", status=200)
        left = make(update=True)
        for run, there in ((held, True), (left, False)):
            to = tmp_path / run.run_id
            assert holdfast("restore", folder, "--at", run.run_id, "--output", to, "-q").status == 0
            assert any(path.parent.name == "a" for path in to.rglob("index.md")) is there
