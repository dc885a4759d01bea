"""A search of every store that is served: a page, and its JSON, which names the folder of each row."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from faces.web.conftest import at
from holdfast.faces.web.app import make_app
from holdfast.faces.web.guard import Access
from holdfast.jobs.served_stores import served_states
from holdfast.questions.rows.table import schema_of

pytestmark = pytest.mark.spec("WEB-1")


def test_a_search_from_the_first_page_asks_every_state_folder(client):
    shown = client.get("/search?q=items").text
    assert shown.index("<h2>mirror</h2>") < shown.index("<mark>items</mark>") < shown.index("<h2>notes</h2>")
    assert 'action="/search"' in client.get("/").text
    assert client.get('/search?q=""').status_code == 404
    assert client.get("/search").status_code == 200
    assert 'href="/search.json?q=items"' in shown


@pytest.mark.parametrize("path", ["search.json", "api/v1/search"])
def test_its_json_is_that_of_one_folder_with_the_folders_name_in_each_row(client, kept, path):
    asked = {"q": "returns items", "site": kept.origin, "kind": "prose"}
    of_all = client.get(at(path, **asked)).json()
    of_each = {name: client.get(at("s", name, "search.json", **asked)).json() for name in ("mirror", "notes")}

    Draft202012Validator(schema_of("search-everywhere").json_schema()).validate(of_all)
    assert of_all.pop("schema") == "holdfast.search-everywhere/1"
    expected = [{"state": name, **hit} for name, found in of_each.items() for hit in found["hits"]]
    assert {hit["state"] for hit in expected} == {"mirror", "notes"}
    assert of_all.pop("hits") == expected
    assert of_all == {key: of_each["mirror"][key] for key in of_all}


def test_a_day_before_anything_was_kept_finds_nothing(client):
    assert client.get("/search.json?q=items&at=2001-01-01").json()["hits"] == []


@pytest.mark.parametrize("odd", ["at=soon", "kind=poem", "limit=0", "limit=" + "9" * 5_000])
def test_what_cannot_be_asked_is_said(client, odd):
    for path in ("/search", "/search.json", "/api/v1/search"):
        answer = client.get(f"{path}?q=items&{odd}")
        assert answer.status_code == 404
    assert answer.json()["schema"] == "holdfast.error/1"


def test_where_one_folder_is_served_its_own_page_answers_and_the_json_stays_the_same(kept):
    app = make_app(served_states([kept.root / "mirror"], {}), Access())
    client = TestClient(app, base_url="http://127.0.0.1:8470", follow_redirects=False)

    there = client.get("/search?q=items&kind=prose&at=2026-05-04&x=1").headers["location"]
    assert there == at("s", "mirror", "search", q="items", at="2026-05-04", kind="prose")
    assert {hit["state"] for hit in client.get("/search.json?q=items").json()["hits"]} == {"mirror"}
