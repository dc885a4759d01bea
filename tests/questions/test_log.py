"""`log` of every kind of target, over the frozen stores: what is told, in which moments, a part at a time."""

import json
import re

import pytest

from questions.equal_facts import ORIGIN

pytestmark = pytest.mark.spec("CLI-2")
SECOND = f"{ORIGIN}/guide/2/"
LAST, BEFORE = "2c2226219c79", "53e03c3f914c"
"""The last two runs of the mirror docs."""


@pytest.fixture
def log(faces, holdfast):
    return lambda *words: holdfast("log", *words, "--json").json


def changes(answer):
    return [change for part in answer["parts"] for change in part["changes"]]


def of_docs(answer):
    return answer["parts"][0]["changes"]


def test_a_page_has_its_versions_numbered_and_equal_text_once(log):
    page = log(SECOND)["parts"][0]
    assert [(change["version"], change["kind"]) for change in page["changes"]] == [
        (3, "changed"),
        (2, "changed"),
        (1, "new"),
    ]
    assert len(page["page"]["captures"]) > len(page["changes"])
    assert len({change["item_id"] for change in page["changes"]}) == 3


@pytest.mark.parametrize("limit", [1, 2])
def test_the_versions_of_a_page_come_in_parts_with_their_captures_and_none_is_lost(log, limit):
    whole = log(SECOND, "--store", ".")["parts"][0]
    versions, captures, more = [], [], []
    for _ in range(4):
        answer = log(SECOND, "--store", ".", "--limit", limit, *more)
        versions += of_docs(answer)
        captures = answer["parts"][0]["page"]["captures"] + captures
        if answer["next"] is None:
            break
        more = ["--from", answer["next"]]
    assert versions == whole["changes"]
    assert captures == whole["page"]["captures"]


def test_a_section_has_the_versions_in_which_its_text_changed(log):
    assert [change["version"] for change in of_docs(log(f"{ORIGIN}/api/#limits"))] == [2, 1]
    assert [change["version"] for change in of_docs(log(f"{ORIGIN}/api/#errors"))] == [2]


def test_a_section_that_no_version_has_is_not_known(holdfast, faces):
    done = holdfast("log", f"{ORIGIN}/api/#nowhere")
    assert done.status == 1
    assert "no kept version of the page has a section 'nowhere'" in done.err


@pytest.mark.spec("CLI-3")
@pytest.mark.parametrize(
    ("words", "runs"),
    [
        (("--since", "last"), {LAST}),
        (("--since", LAST), {LAST}),
        (("--after", BEFORE), {LAST}),
        (("--since", BEFORE, "--until", BEFORE), {BEFORE}),
        (("--since", "2026-05-11", "--until", "2026-05-11"), {BEFORE}),
        (("--after", "last"), set()),
    ],
)
def test_moments_bound_a_mirrors_log_by_its_runs_and_days(log, words, runs):
    assert {change["run_id"][:12] for change in changes(log("docs", *words))} == runs


@pytest.mark.spec("CLI-3")
def test_a_version_is_a_moment_of_a_page(log):
    assert [change["version"] for change in of_docs(log(SECOND, "--since", "v2", "--until", "v2"))] == [2]
    assert [change["version"] for change in of_docs(log(SECOND, "--after", "v2"))] == [3]


def test_documents_have_what_became_of_what_they_cite(log):
    found = changes(log("papers"))
    assert found
    assert all(place["document"].startswith("papers/") for each in found for place in each["cited_at"])
    assert {each["mirror"] for each in found} == {""}
    alone = changes(log("notes.md"))
    assert alone
    assert {place["document"] for each in alone for place in each["cited_at"]} == {"notes.md"}
    assert {each["event_id"] for each in changes(log("*.md"))} >= {each["event_id"] for each in alone}


def test_a_check_is_the_documents_that_it_names(log):
    assert changes(log("check:papers")) == changes(log("papers"))


def test_a_host_and_a_pattern_have_what_their_pages_did(log):
    urls = {change["url"] for change in changes(log(f"{ORIGIN}/guide/*", "--limit", "0"))}
    assert urls
    assert all(f"{url}/".startswith(f"{ORIGIN}/guide/") for url in urls)
    assert urls < {change["url"] for change in changes(log("127.0.0.1:47811", "--limit", "0"))}


def test_a_final_star_takes_the_page_before_it(log):
    assert f"{ORIGIN}/api" in {change["url"] for change in changes(log(f"{ORIGIN}/api/*"))}


def test_without_a_target_it_is_all_here_with_the_mirror_as_a_column(log, holdfast):
    found = log("--limit", "0")
    assert {change["mirror"] for change in of_docs(found)} == {"docs", "handbook", ""}
    assert [part["store"] for part in found["parts"]] == [".", "own"]
    assert "MIRROR" in holdfast("log").out
    assert changes(log(".", "--limit", "0")) == changes(found)


def test_parts_of_all_here_are_the_whole_answer(log):
    whole, found, more = changes(log("--limit", "0")), [], []
    for _ in whole:
        answer = log("--limit", "7", *more)
        found += changes(answer)
        if answer["next"] is None:
            break
        more = ["--from", answer["next"]]
    assert found == whole


def test_a_run_has_what_it_brought_and_an_item_its_lineage(log):
    run = log(f"run:{BEFORE}")["parts"][0]
    assert (run["run"]["run_id"][:12], run["new"], run["changed"]) == (BEFORE, 1, 3)
    assert [change["kind"] for change in run["changes"]] == ["changed", "new", "changed", "changed"]
    assert {entry["why"] for entry in run["failed"]} >= {"404"}
    item = run["changes"][0]["item_id"]
    [entry] = log(item)["parts"][0]["items"]
    assert (entry["item_id"], [edge["kind"] for edge in entry["outgoing"]]) == (item, ["supersedes"])


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ((f"{ORIGIN}/never/",), 1, "nothing is known of"),
        (("nowhere.example",), 1, "nothing is kept of nowhere.example"),
        (("conf.py",), 2, "conf.py"),
        (("nowhere/at/all",), 2, "there is no"),
        (("ffffffff",), 2, "no run or item"),
        (("docs", "--since", "nonsense"), 2, "no moment"),
        (("docs", "--runs", "--items"), 2, "--items and --runs do not go together"),
        (("docs", "--items"), 2, "--items is of a page or an item"),
        ((f"{ORIGIN}/*", "--runs"), 2, "--runs is of a mirror, documents or a page"),
        ((SECOND, "--items", "--since", "7d"), 2, "--since and --items do not go together"),
        (("docs", "--runs", "--format", "atom"), 2, "--format atom and --runs do not go together"),
        (("docs", "--normalization", "http_snapshot_url_v1_text_v1"), 2, "--normalization is of a page"),
    ],
)
def test_what_is_not_known_is_a_one_and_a_wrong_call_a_two(faces, holdfast, words, status, said):
    done = holdfast("log", *words)
    assert (done.status, said in done.err) == (status, True), done.err


def test_what_is_known_but_not_in_the_moments_asked_ends_well(faces, holdfast):
    done = holdfast("log", "docs", "--since", "2030-01-01")
    assert (done.status, done.out) == (0, "")
    assert "nothing changed" in done.err


def test_every_answer_from_memory_says_how_old_it_is(faces, holdfast):
    for words in (("docs",), (SECOND,), ("notes.md",), ()):
        assert re.search(r"as of 2026-05-\d\d .* ago", holdfast("log", *words).err), words


@pytest.mark.parametrize("words", [("docs",), (SECOND, "--store", "."), (f"run:{BEFORE}",)])
def test_feeds_and_html_show_the_differences_and_json_does_not(faces, holdfast, log, words):
    feed = json.loads(holdfast("log", *words, "--format", "json-feed").out)
    ids = [entry["id"].rpartition(":")[2] for entry in feed["items"]]
    assert ids == [change["event_id"] for change in of_docs(log(*words))]
    assert any("\n-" in entry["content_text"] for entry in feed["items"])
    assert '<tr class="old">' in holdfast("log", *words, "--format", "html").out
    assert all(change["diff"] == [] for change in of_docs(log(*words)))


def test_the_library_and_the_api_give_the_differences_when_they_are_asked(faces):
    _, told = faces.ask("api", f"runs/{BEFORE}?differences=1")
    assert any("-" in line[:1] for change in of_docs(told) for line in change["diff"])
    status, said = faces.ask("api", "runs/ffffffff")
    assert (status, "no run" in said["error"]) == (400, True)


def test_runs_are_those_of_the_target(faces, holdfast):
    def labels(*words):
        answer = holdfast("log", *words, "--runs", "--store", ".", "--limit", "0", "--json").json
        return {(run["job"], run["label"]) for run in answer["parts"][0]["runs"]}

    assert labels("docs") == {("mirror", "docs")}
    assert {job for job, _ in labels("notes.md")} == {"track"}
    assert {label for _, label in labels()} >= {"docs", "handbook"}
    assert ("mirror", "docs") in labels(SECOND)
