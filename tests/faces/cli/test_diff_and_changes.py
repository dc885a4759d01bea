"""`holdfast diff` and `holdfast changes`: history from ledger and archive, without a request."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest

from helpers.sites.living import LivingSite
from holdfast.faces.library import mirror

pytestmark = pytest.mark.spec("LIN-9")

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def past(tmp_path_factory):
    """A mirror with three versions of /a (the third is the first again), one of /b, and a hostile page."""
    folder = tmp_path_factory.mktemp("past") / "mirror"
    runs = []
    with LivingSite() as site:
        for words in ("First words", "Second <b>words</b>", "First words"):
            site.put("/a", words)
            site.put("/b", "Steady")
            site.put("/evil", f"&lt;script&gt;alert({len(runs)})&lt;/script&gt; \x1b[31m", head="")
            summary = mirror(site.origin + "/", output=folder, content_rate_limit=0, processes=1, update=True)
            runs.append(summary.run_id)
        origin = site.origin
    return folder, origin, runs


@pytest.fixture
def ask(past, holdfast):
    def run(*words):
        return holdfast(*words, "--store", past[0] / ".holdfast")

    return run


def test_the_last_two_versions_are_compared_where_none_is_named(ask, past):
    ran = ask("diff", past[1] + "/a")
    assert "-Second **words**" in ran.lines
    assert "+First words" in ran.lines
    assert "version 2" in ran.lines[0]
    assert "version 3" in ran.lines[1]


def test_a_history_calls_versions_what_changes_calls_them(ask, past):
    def brought(url):
        return [line.split()[6] for line in ask("log", url).lines if line[:1] == "v"]

    assert brought(past[1] + "/a") == ["changed", "changed", "new"]
    assert brought(past[1] + "/b") == ["new"]


def test_versions_are_named_by_number_by_run_and_by_date(ask, past):
    url, runs = past[1] + "/a", past[2]
    by_number = ask("diff", url, "v1", "v2")
    assert "+Second **words**" in by_number.lines
    assert ask("diff", url, runs[0], runs[1]).out == by_number.out
    assert ask("diff", url, runs[0][:12], "v2").out == by_number.out
    ran = ask("diff", url, "v2", "2999-01-01")
    assert "+First words" in ran.lines


def test_a_version_that_is_not_there_is_said_in_words(ask, past):
    url = past[1] + "/a"
    assert "the page has no version 9" in ask("diff", url, "v9").err
    assert "is new: version 3 is the first one" not in ask("diff", url, "1999-01-01").out
    assert "no run begins with feedfeed" in ask("diff", url, "feedfeed").err
    assert ask("diff", past[1] + "/nowhere").status == 1
    assert ask("diff", url, "v9").status == 2


def test_equal_versions_have_no_difference(ask, past):
    ran = ask("diff", past[1] + "/b")
    assert (ran.status, ran.out) == (0, "")
    assert "is new: version 1 is the first one" in ran.err
    same = ask("diff", past[1] + "/b", "v1", "0d")
    assert (same.status, same.out) == (0, "")
    assert "it is the same version" in same.err


def test_the_difference_as_json(ask, past):
    answer = ask("diff", past[1] + "/a", "v1", "v2", "--json").json
    (document,) = answer["parts"][0]["pages"]
    assert answer["schema"] == "holdfast.diff/1"
    assert (document["added"], document["removed"]) == (1, 1)
    assert {"mark": "+", "text": "Second **words**"} in document["hunks"][0]["lines"]


def test_the_html_page_is_complete_in_itself_and_escapes_everything(ask, past):
    page = ask("diff", past[1] + "/evil", "v1", "v2", "--format", "html").out
    tags = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag, attrs):
            tags.append((tag, dict(attrs)))

    Tags().feed(page)
    assert "script" not in {tag for tag, _ in tags}
    assert not any("src" in attrs for _, attrs in tags)
    assert "alert(1)" in page
    assert "default-src 'none'" in page


def test_a_terminal_is_given_no_control_characters_of_the_web(ask, past):
    assert "\x1b" not in ask("diff", past[1] + "/evil", "v1", "v2").out


def test_a_runs_digest_tells_what_changed(ask, past):
    ran = ask("diff", past[2][1][:10])
    assert "2 pages changed, 0 new, 0 gone, 0 failed, 1 unchanged." in ran.lines
    assert "+Second **words**" in ran.lines
    document = ask("diff", past[2][1], "--json").json
    (document,) = document["parts"]
    changed = [page["url"] for page in document["pages"] if page["change"] == "changed"]
    assert changed == [past[1] + "/a", past[1] + "/evil"]
    assert document["unchanged"] == 1
    assert "alert(1)" in ask("diff", past[2][1], "--format", "html").out


def test_the_first_runs_digest_is_all_new(ask, past):
    document = ask("diff", past[2][0], "--json").json
    pages = [(page["change"], page["url"].removeprefix(past[1])) for page in document["parts"][0]["pages"]]
    assert pages == [("new", "/a"), ("new", "/b"), ("new", "/evil")]


def test_changes_lists_the_latest_first(past, holdfast):
    document = holdfast("log", past[0], "--store", past[0], "--json").json
    found = [
        (change["kind"], change["url"].removeprefix(past[1])) for change in document["parts"][0]["changes"]
    ]
    assert found[:2] == [("changed", "/evil"), ("changed", "/a")]
    assert found[-3:] == [("new", "/evil"), ("new", "/b"), ("new", "/a")]
    assert len(found) == 7
    lines = holdfast("log", past[0], "--store", past[0], "--limit", 2).lines
    assert len([line for line in lines if not line.startswith(" ")]) == 3
    assert lines[-1].split() == ["changed", "#a", "/a"]
    assert holdfast("log", past[0], "--store", past[0], "--since", "2999-01-01").out == ""


def test_the_atom_feed_is_well_formed_and_its_ids_are_the_items(past, holdfast):
    feed = ET.fromstring(holdfast("log", past[0], "--store", past[0], "--format", "atom").out)
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) == 7
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == 7
    assert "Second **words**" in entries[1].findtext(f"{ATOM}content")
    assert "<script>" not in entries[0].findtext(f"{ATOM}content")


def test_the_json_feed_has_the_differences(past, holdfast):
    feed = holdfast("log", past[0], "--store", past[0], "--format", "json-feed").json
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert "-Second **words**" in feed["items"][1]["content_text"]


def test_a_folder_that_is_no_mirror_is_said_in_words(holdfast, tmp_path):
    ran = holdfast("log", tmp_path)
    assert ran.status == 2
    assert "there is no .holdfast folder" in ran.err


SECTIONED = (
    "<h1>Guide</h1><p>Begin.</p><h2 id=size>Size</h2><p>At most {}.</p><h2 id=names>Names</h2><p>Any.</p>"
)


@pytest.fixture(scope="module")
def sections(tmp_path_factory):
    """A mirror of one page: one section changed in the second run, one went and one came in the third."""
    folder = tmp_path_factory.mktemp("sections") / "mirror"
    runs = []
    with LivingSite() as site:
        for page in (
            SECTIONED.format("nine"),
            SECTIONED.format("ten"),
            SECTIONED.format("ten").replace("<h2 id=names>Names", "<h2 id=more>More"),
        ):
            site.put("/guide", page)
            site.put("/steady", "Steady")
            summary = mirror(site.origin + "/", output=folder, content_rate_limit=0, processes=1, update=True)
            runs.append(summary.run_id)
        return folder, site.origin + "/guide", runs


def moved(found):
    return [(move["change"], move["anchor"]) for move in found]


@pytest.mark.spec("SCT-2")
def test_which_sections_differ_between_two_runs_is_one_question(sections, holdfast):
    folder, url, runs = sections
    state = ("--store", folder / ".holdfast")

    def ask(*moments):
        (part,) = holdfast("diff", folder, *moments, "--json", *state).json["parts"]
        return [move for page in part["pages"] for move in page["sections"]]

    assert moved(ask(runs[0], runs[1])) == [("changed", "size")]
    [gone, new] = ask(runs[1], "0d")
    assert moved([gone, new]) == [("gone", "names"), ("new", "more")]
    assert (new["url"], new["headings"], new["old_content"]) == (f"{url}#more", ["Guide", "More"], None)
    assert moved(ask(runs[0], "0d")) == [
        ("changed", "size"),
        ("gone", "names"),
        ("new", "more"),
    ]
    lines = holdfast("diff", folder, runs[0], runs[1], "--format", "csv", *state).lines
    assert [line.partition(",")[2] for line in lines[1:]] == [
        f"{url},changed,{url}#size,changed,Guide › Size"
    ]
    assert ask(runs[2], "0d") == []


@pytest.mark.spec("SCT-2")
def test_changes_run_and_history_name_the_sections(sections, holdfast):
    folder, url, runs = sections
    state = ("--store", folder / ".holdfast")
    found = holdfast("log", folder, "--json", *state).json["parts"][0]["changes"]
    assert [moved(change["sections"]) for change in found if change["url"] == url] == [
        [("gone", "names"), ("new", "more")],
        [("changed", "size")],
        [],
    ]
    [change] = holdfast("diff", runs[1], "--json", *state).json["parts"][0]["pages"]
    assert moved(change["sections"]) == [("changed", "size")]
    shown = holdfast("diff", runs[1], *state)
    assert ["changed", "#size", "Guide", "›", "Size"] in [line.split() for line in shown.lines]
    captures = holdfast("log", url, "--json", *state).json["parts"][0]["page"]["captures"]
    assert [moved(capture["sections"]) for capture in captures] == [
        [],
        [("changed", "size")],
        [("gone", "names"), ("new", "more")],
    ]
    (diff,) = holdfast("diff", url, "v2", "v3", "--json", *state).json["parts"][0]["pages"]
    assert [(s["change"], s["anchor"], s["headings"]) for s in diff["touched"]] == [
        ("new", "more", ["Guide", "More"]),
        ("gone", "names", ["Guide", "Names"]),
    ]
