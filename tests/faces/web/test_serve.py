"""Every page answers, in HTML and in the JSON that is published; lists go on; a date finds its copy."""

from __future__ import annotations

import hashlib
import json
import re

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

import holdfast as holdfast_library
from faces.web.conftest import PAGE, at, document
from helpers.sites.living import LivingSite
from holdfast.faces.web.api import QUESTIONS, openapi
from holdfast.faces.web.app import VIEWS, make_app
from holdfast.faces.web.guard import Access
from holdfast.jobs.served_stores import served_states
from holdfast.questions.browse import PartReader
from holdfast.questions.reader import Reader
from holdfast.questions.rows.table import JOBS, ROWS, schema_of

pytestmark = pytest.mark.spec("WEB-1")


def run_of(client):
    return client.get("/s/mirror/runs.json").json()["parts"][0]["runs"][0]["run_id"]


def addresses(client, kept):
    run, page = run_of(client), kept.page
    return {
        "pages": at("s", "mirror", "pages"),
        "page": at("s", "mirror", "page", url=page),
        "history": at("s", "mirror", "history", url=page),
        "page-links": at("s", "mirror", "page-links", url=page),
        "diff": at("s", "mirror", "diff", url=page),
        "search": at("s", "mirror", "search", q="returns items"),
        "runs": at("s", "mirror", "runs"),
        "runs/{run}": at("s", "mirror", "runs", run),
        "runs/{run}/read": at("s", "mirror", "runs", run, "read"),
        "changes": at("s", "mirror", "changes"),
        "links": at("s", "notes", "links"),
        "link": at("s", "notes", "link", url=page),
        "documents": at("s", "notes", "documents"),
        "document": at("s", "notes", "document", path="notes.md"),
        "graph": at("s", "notes", "graph", node="notes.md"),
    }


def test_every_page_answers_and_has_its_published_json_beside_it(client, kept):
    known = addresses(client, kept)
    assert set(known) == set(VIEWS)
    for name, address in {**known, "home": "/"}.items():
        shown = client.get(address)
        assert shown.status_code == 200, name
        assert shown.headers["content-type"].startswith("text/html"), name
        beside = re.search(r'rel="alternate" type="application/json" href="([^"]+)"', shown.text)[1]
        document = client.get(beside.replace("&amp;", "&")).json()
        schema = schema_of(document["schema"].removeprefix("holdfast.").removesuffix("/1"))
        Draft202012Validator(schema.json_schema()).validate(document)


ASKED = {
    "overview": "/api/v1/status", "broken": "broken", "site_broken": "site-broken", "changed": "changed",
    "backlinks": "backlinks", "links": "links", "documents": "documents",
    "citation_counts": "/api/v1/status", "graph": "graph", "neighbourhood": "graph",
    "proposed_fixes": "fixes",
    "search": "search",
    "links_out": "page-links", "runs": "/api/v1/runs", "run": "/api/v1/runs/{run}",
    "pages": "pages", "export": "export", "cited": "cited",
    "brought": "/api/v1/runs/{run}", "next_change": "/api/v1/runs/{run}", "pages_at": "pages",
    "overview_at": "/api/v1/status", "citations_at": "/api/v1/status",
}  # fmt: skip
"""Which address of the API answers which question."""
NOT_ASKED = {
    "ask": "rows, which have addresses of their own",
    "citing": "`backlinks`, one after the other",
    "known": "for editors, by keys that they work out",
    "parts": "the questions that are asked in parts",
}


def test_every_question_has_an_address():
    asked = {name for kind in (Reader, PartReader) for name in vars(kind) if not name.startswith("_")}
    assert asked == set(ASKED) | set(NOT_ASKED)
    assert {name for name in ASKED.values() if not name.startswith("/")} == set(QUESTIONS)


def test_every_question_of_the_api_is_what_its_schema_says(client, kept):
    asks = {
        "q": "items", "since": "2020-01-01", "run": run_of(client),
        "url": kept.page, "name": kept.page, "target": kept.page, "path": "notes.md", "node": "notes.md",
    }  # fmt: skip
    of_notes = ("broken", "changed", "cited", "backlinks", "links", "graph", "fixes", "documents")
    for name, question in QUESTIONS.items():
        query = {key: value for key, value in asks.items() if key in question.asks}
        state = "notes" if name in of_notes else "mirror"
        address = at("api", "v1", state, name.replace("{run}", run_of(client)), **query)
        answer = client.get(address)
        assert answer.status_code == 200, (name, answer.text)
        check = Draft202012Validator(schema_of(question.schema).json_schema())
        if name == "export":
            records = [json.loads(line) for line in answer.text.splitlines()]
            assert len(records) > 2
            for record in records:
                check.validate(record)
            continue
        check.validate(answer.json())
        again = client.get(address, headers={"If-None-Match": answer.headers["etag"]})
        assert again.status_code == 304, name


def test_the_whole_graph_is_asked_without_a_node(client):
    whole, part = (client.get(f"/api/v1/notes/graph{query}").json() for query in ("", "?node=notes.md"))
    assert {node["bid"] for node in whole["nodes"]} == {node["bid"] for node in part["nodes"]}
    assert len(whole["nodes"]) == 3


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("/api/v1/mirror/pages", "pages"), ("/api/v1/notes/cited", "urls"),
        ("/api/v1/notes/cited?sort=-asked", "urls"), ("/api/v1/notes/documents", "documents"),
    ],
)  # fmt: skip
def test_every_list_goes_on_by_its_link(client, address, key):
    whole = client.get(address).json()[key]
    found, where = [], address + ("&" if "?" in address else "?") + "limit=1"
    while where:
        part = client.get(where)
        found += part.json()[key]
        where = part.links["next"]["url"] if "next" in part.links else None
    assert found == whole
    assert client.get(f"{address}{'&' if '?' in address else '?'}limit=501").status_code == 404


def test_a_place_that_is_not_in_a_list_is_an_error(client):
    for address in ("runs.json?after=none", "changes.json?after=none"):
        assert client.get(f"/s/mirror/{address}").status_code == 404
    for address in ("runs?from=none", "log?from=mirror:none", "runs?from=mirror:none"):
        assert client.get(f"/api/v1/{address}").status_code == 400


@pytest.mark.parametrize(("row", "key"), [("runs", "runs"), ("log", "changes")])
def test_every_row_goes_on_by_its_link_through_all_stores(client, row, key):
    def rows(answer):
        return [each for part in answer.json()["parts"] for each in part[key]]

    found, where = [], f"/api/v1/{row}?limit=1"
    while where:
        part = client.get(where)
        found += rows(part)
        where = part.links["next"]["url"] if "next" in part.links else None
    assert found == rows(client.get(f"/api/v1/{row}?limit=500"))
    assert client.get(f"/api/v1/{row}?limit=501").status_code == 400


def test_the_openapi_document_names_every_question_and_only_schemas_that_are_there(client):
    document = client.get("/api/v1/openapi.json").json()
    assert document == json.loads(json.dumps(openapi()))
    of_one = {f"/api/v1/{{state}}/{name}" for name in QUESTIONS}
    asked = ROWS.keys() - JOBS  # a job is no question: it has no address
    of_rows = {f"/api/v1/{name}" for name in (*asked, "runs/{run}")}
    assert set(document["paths"]) == of_one | of_rows | {"/api/v1/search"}
    named = set(re.findall(r"#/components/schemas/([\w-]+)", json.dumps(document)))
    assert named == set(document["components"]["schemas"])


def test_home_says_what_each_mirror_and_root_holds(client):
    text = client.get("/").text
    assert "read what changed" in text
    assert "<strong>1 page changed</strong>" in text
    assert "<svg class=spark" in text
    stores = {part["store"]: part for part in client.get("/index.json").json()["parts"]}
    assert stores["mirror"]["mirrors"][0]["changed"] == 1
    assert stores["notes"]["documents"]["standings"]["suspect"] == 1


def test_what_is_kept_is_told_of_now_alone(client):
    told = client.get("/index.json?at=2020-01-01")
    assert (told.status_code, "`status` is of now" in told.json()["error"]) == (404, True)
    assert "/index.json" not in client.get("/?at=2020-01-01").text


def test_a_page_shows_its_text_its_versions_its_outline_and_who_cites_it(client, kept):
    text = client.get(at("s", "mirror", "page", url=kept.page)).text
    assert "returns at most 250 items" in text
    assert "version 1, first seen" in text
    assert '<a href="#s-limits"' in text
    assert "notes/notes.md:1" in text
    assert "● changed" in text
    assert '<h2 id="s-limits" dir="auto">Limits</h2>\n<p class="changed-here">▍ changed' in text
    old = client.get(at("s", "mirror", "page", url=kept.page, version=1)).text
    assert "returns at most 100 items" in old
    assert "today's version" in old


def test_two_versions_stand_side_by_side_with_their_words_marked(client, kept):
    text = client.get(at("s", "mirror", "diff", url=kept.page)).text
    assert "at most <del>100</del> items" in text
    assert "at most <ins>250</ins> items" in text
    assert "section unchanged" in text or "sections unchanged" in text


def test_changes_of_a_run_are_read_one_after_another(client, kept):
    run = run_of(client)
    first = client.get(at("s", "mirror", "runs", run, "read"))
    assert "<ins>250</ins>" in first.text
    assert "that was the last change" in first.text
    capture = client.get(at("s", "mirror", "history.json", url=kept.page)).json()["parts"][0]["page"]
    capture = capture["captures"][-1]["capture_id"]
    after = client.get(at("s", "mirror", "runs", run, "read", after=capture))
    assert after.status_code == 302
    assert after.headers["location"].startswith(f"/s/mirror/runs/{run}")


@pytest.mark.parametrize(
    ("date", "words"), [("2001", "at most 100"), ("20010101000000", "at most 100"), ("2999", "at most 250")]
)
def test_a_date_and_a_url_lead_to_the_nearest_copy(client, kept, date, words):
    found = client.get(f"/web/{date}/{kept.page}")
    assert found.status_code == 302
    shown = client.get(found.headers["location"]).text
    assert words in shown
    assert re.search(r'role="status">As of 1 \w+ \d{4}, nearest capture', shown)


def test_a_day_is_chosen_once_and_kept_to(client, kept):
    """The header leads to the same page as of a day, and from there on to others of that day."""
    page = at("s", "mirror", "page", url=kept.page, version=2)
    chosen = client.get("/as-of", params={"page": page, "at": "2020-05-04"}).headers["location"]
    assert chosen == at("s", "mirror", "page", url=kept.page, at="2020-05-04")
    assert "nothing was known of it on 2020-05-04" in client.get(chosen).text
    for view, words in {
        "": "What was kept",
        "s/mirror/pages": "None was here",
        "s/mirror/runs": "No run",
    }.items():
        text = client.get(f"/{view}?at=2020-05-04").text
        assert words in text
        assert "As of 4 May 2020" in text
        assert 'href="/s/mirror/runs?at=2020-05-04"' in text or not view
    for other in ("/s/notes/history", "//evil.example/s", "https://evil.example/", "/s/none/pages", ""):
        found = client.get("/as-of", params={"page": other, "at": "2020-05-04"})
        assert found.headers["location"] == "/?at=2020-05-04"
    assert (
        client.get("/as-of?page=/s/mirror/runs%3Fat=2020-05-04&at=").headers["location"] == "/s/mirror/runs"
    )
    assert client.get("/as-of?at=2999-01-01").headers["location"] == "/"
    assert client.get("/as-of?at=soon").status_code == 404


def test_links_are_told_by_standing_host_and_document(client, kept):
    assert "/nowhere" in client.get("/s/notes/links?standing=suspect").text
    assert "/nowhere" not in client.get("/s/notes/links?standing=alive").text
    host = kept.origin.removeprefix("http://")
    assert len(client.get(at("s", "notes", "links.json", host=host)).json()["urls"]) == 2
    assert len(client.get(at("s", "notes", "links.json", document="notes.md")).json()["urls"]) == 2
    assert client.get(at("s", "notes", "links.json", document="none.md")).json()["urls"] == []
    assert "no such section: #none" in client.get("/s/notes/links?standing=alive").text
    evidence = client.get(at("s", "notes", "link", url=f"{kept.origin}/nowhere")).text
    assert "the server has no such page" in evidence
    assert "notes.md:1:" in evidence


def test_the_heads_of_links_sort_them_and_their_filters_stay(client):
    first = client.get("/s/notes/links?standing=suspect&days=0")
    heads = re.findall(r'<th scope="col" aria-sort="(\w+)"><a href="([^"]+)">', first.text)
    assert [sorted_now for sorted_now, _ in heads] == ["ascending", "none", "none"]
    for _, where in heads:
        then = client.get(where.replace("&amp;", "&"))
        assert "standing=suspect" in where
        assert then.text.count('<tr class="item">') == 1
    both = [client.get(f"/s/notes/links.json?sort={order}").json()["urls"] for order in ("url", "-url")]
    assert both[0] == both[1][::-1]
    assert len(both[0]) == 2
    for wrong in ("sort=none", "days=x", "days=²", "sort=age&after=x"):
        assert client.get(f"/s/notes/links?{wrong}").status_code == 404
    assert client.get("/s/notes/links.json?days=365").json()["urls"] == []


def test_a_link_that_moved_shows_its_fix_as_a_diff(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with LivingSite() as site:
        site.put("/new", body=document("New", PAGE.format(1)))
        site.redirect("/old", "/new")
        (tmp_path / "a.md").write_text(f"One\n\n[x]({site.origin}/old#limits)\n")
        asked = {"fetch_urls": True, "allow_private": True, "content_rate_limit": 0}
        for _ in range(2):
            holdfast_library.check("a.md", force_refetch=True, **asked)
        served = TestClient(
            make_app(served_states([tmp_path], {}), Access()), base_url="http://127.0.0.1:8470"
        )
        name = tmp_path.name
        text = served.get(at("s", name, "link", url=f"{site.origin}/old")).text
        assert f"<del>− {site.origin}/old#limits</del>" in text
        assert f"<ins>+ {site.origin}/new#limits</ins>" in text
        assert "a.md:3:5" in text
        (fix,) = served.get(at("api", "v1", name, "fixes", url=f"{site.origin}/old")).json()["fixes"]
        assert (fix["new_url"], fix["why"]) == (f"{site.origin}/new#limits", ["redirect"])
        atom = served.get(f"/s/{name}/links.atom").text
        assert "moved" in atom.lower()
        assert f"{site.origin}/old" in atom
        assert served.get(f"/s/{name}/links.feed").json()["items"]


@pytest.mark.parametrize(
    "asked",
    [
        {"q": "words"}, {"q": "returns at most"}, {"q": "limits"}, {"q": "page", "kind": "prose"},
        {"q": "page", "kind": "code"}, {"q": "items", "site": "127.0.0.1"},
        {"q": "items", "site": "none.example"}, {"q": "items", "at": "2020-01-01"},
        {"q": "items", "at": "2099-01-01"}, {"q": "zzzz"},
    ],
)  # fmt: skip
def test_search_finds_what_the_command_finds_in_the_same_order(client, kept, holdfast, asked):
    flags = {name: "in" if name == "site" else name for name in asked if name != "q"}
    words = [asked["q"], *(word for name, flag in flags.items() for word in (f"--{flag}", asked[name]))]
    printed = holdfast("search", *words, "--limit", "30", "--store", kept.root / "mirror", "--json").json
    found = client.get(at("s", "mirror", "search.json", **asked)).json()
    assert found["hits"] == printed["hits"]
    shown = client.get(at("s", "mirror", "search", **asked)).text
    assert shown.count('<li class="item">') == len(found["hits"])
    assert ("Nothing says all of these words" in shown) == (not found["hits"])


def test_a_search_that_makes_no_sense_says_so(client):
    for asked in ({"q": "x", "kind": "poem"}, {"q": "x", "at": "soon"}, {"q": '""'}):
        assert client.get(at("s", "mirror", "search", **asked)).status_code == 404


def test_htmx_is_one_pinned_file_with_its_licence_and_evaluates_nothing(client):
    shown = client.get(at("s", "mirror", "search")).text
    (script,) = re.findall(r'src="(/static/htmx/[^"]+)"', shown)
    code = client.get(script).content
    assert hashlib.sha256(code).hexdigest().startswith("d6fdc75f204e6bde")
    assert "Zero-Clause BSD" in client.get("/static/htmx/LICENSE").text
    assert '"allowEval": false' in shown
    assert "/static/htmx" not in client.get("/").text


def test_lists_go_on_where_a_part_ended(client):
    found, address = [], "/s/mirror/pages.json?limit=1"
    while address:
        part = client.get(address).json()
        found += [page["path"] for page in part["pages"]]
        address = part["next"] and at("s", "mirror", "pages.json", limit=1, after=part["next"])
    assert len(found) == 2
    assert found == sorted(found)


def test_feeds_hold_what_changed(client, kept):
    atom = client.get("/s/mirror/changes.atom")
    assert atom.headers["content-type"].startswith("application/atom+xml")
    assert "at most 250" in atom.text
    assert client.get("/s/mirror/changes.feed").json()["version"].endswith("1.1")
    of_page = client.get(at("s", "mirror", "history.feed", url=kept.page)).json()["items"]
    assert [item["title"].split(":")[0] for item in of_page] == ["Changed", "New"]
    assert "at most 250" in client.get(at("s", "mirror", "history.atom", url=kept.page)).text


def test_who_has_an_answer_is_not_sent_it_again(client):
    first = client.get("/s/mirror/pages.json")
    again = client.get("/s/mirror/pages.json", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_metrics_count_pages_links_and_ages(client):
    text = client.get("/metrics").text
    assert 'holdfast_pages{state="mirror",mirror="."} 2' in text
    assert 'holdfast_links{state="notes",standing="suspect"} 1' in text
    assert 'holdfast_links_in_state{state="notes",link_state="not_found"} 1' in text
    assert "holdfast_last_run_seconds" in text


@pytest.mark.parametrize("page", ["pages", "search", "runs", "links", "graph", "changes", "documents", ""])
@pytest.mark.parametrize(
    "name", ["q", "site", "at", "kind", "url", "label", "page", "state", "sort", "after", "limit"]
)
def test_no_character_of_a_question_is_a_fault_of_the_server(client, page, name):
    for state in ("mirror", "notes"):
        for text in ("a%00b", "a%ed%a0%80"):
            found = client.get(f"/s/{state}/{page}?q={text}&{name}={text}")
            assert found.status_code < 500, found.text


@pytest.mark.parametrize(
    "address",
    [
        "/nothing", "/s/none/pages", "/s/mirror/page", "/s/mirror/page?url=x",
        "/s/mirror/page?url=http://none.example/",
        "/s/mirror/runs/zzz", "/s/mirror/runs/%00", "/s/mirror/pages?label=none", "/s/mirror/pages?limit=0",
        "/s/mirror/pages?limit=²", "/s/mirror/diff?url=http://none.example/", "/s/notes/links?state=none",
        "/s/notes/graph?node=none.md", "/s/notes/document?path=../../etc/passwd", "/web/tomorrow/http://a.example/",
        "/web/2026/http://none.example/", "/s/mirror/page?url=" + "a" * 5000,
        "/s/mirror/runs/nosuch/read?after=zz", "/s/mirror/pages?at=9999-12-31T23:59:59-23:59",
        "/api/v1/none/pages", "/api/v1/mirror/nothing", "/s/mirror/diff?url=http://none.example/&a=9&b=x",
    ],
)  # fmt: skip
def test_what_is_not_there_is_an_error_in_words(client, address):
    found = client.get(address)
    assert found.status_code in (403, 404), found.text
    assert "Traceback" not in found.text
    for ending in (".json",) if "/api/" not in address and address.startswith("/s/") else ():
        path, mark, query = address.partition("?")
        document = client.get(path + ending + mark + query).json()
        assert document["schema"] == "holdfast.error/1"


def test_nothing_but_reading_is_answered(client):
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert client.request(method, "/s/mirror/pages").status_code in (404, 405)
