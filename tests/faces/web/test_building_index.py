"""A search index that takes long is built beside the server; who asks meanwhile is answered at once."""

from __future__ import annotations

import time

import pytest
from starlette.testclient import TestClient

import holdfast as library
from faces.web.conftest import PAGE, document
from helpers.sites.living import LivingSite
from holdfast import jobs
from holdfast.faces.mcp.agent_rows import Answers
from holdfast.faces.web.app import make_app
from holdfast.faces.web.guard import Access
from holdfast.jobs import index_holder, served_stores
from holdfast.jobs.served_stores import IndexBuilder, served_states
from holdfast.storage.state_folder import lock

pytestmark = [pytest.mark.spec("WEB-1"), pytest.mark.spec("SRC-1")]


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    root = tmp_path_factory.mktemp("indexed")
    with LivingSite() as site:
        site.put("/page", body=document("A page", PAGE.format(100)))
        site.put("/none", status=404)
        library.mirror(site.origin + "/", output=root / "mirror", content_rate_limit=0, processes=1)
    return root / "mirror" / ".holdfast"


@pytest.fixture
def large(state, monkeypatch):
    """A store without an index, whose pages are too many to be read while somebody waits."""
    monkeypatch.setattr(index_holder, "_SOON_READ", 0)
    monkeypatch.setattr(index_holder, "FEW", 0)
    monkeypatch.setattr(jobs.served_stores, "FEW", 0)
    index_holder.remove_index(state)
    yield state
    index_holder.remove_index(state)


@pytest.fixture
def started(monkeypatch):
    """How often a process was asked for; none is started."""
    asked = []
    monkeypatch.setattr(IndexBuilder, "start", lambda self: asked.append(self.file))
    return asked


def test_a_search_is_answered_at_once_and_says_what_is_missing(large, started):
    (source,) = served_states([large.parent], {})
    client = TestClient(make_app((source,), Access()), base_url="http://127.0.0.1:8470")
    found = client.get("/s/mirror/search.json?q=items").json()
    assert (found["hits"], found["indexed"]) == ([], 0)
    assert set(started) == {large / "search.db"}
    assert "being built: 0 % of what is kept" in client.get("/s/mirror/search?q=items").text
    served_stores.build(large, large / "search.db", {})
    found = client.get("/s/mirror/search.json?q=items").json()
    assert len(found["hits"]) == 1
    assert found["indexed"] == 1
    assert "being built" not in client.get("/s/mirror/search?q=items").text


def test_agents_are_told_which_share_was_looked_through(large, started):
    answers = Answers(served_states([large.parent], {}))
    found = answers.search("items")
    assert found["indexed"] == {"mirror": 0.0}
    assert "being built" in found["note"]
    served_stores.build(large, large / "search.db", {})
    assert "note" not in answers.search("items")


def test_a_long_index_is_begun_when_the_server_starts_and_a_short_one_is_not(large, started, monkeypatch):
    (source,) = served_states([large.parent], {})
    source.prepare_search()
    assert started == [large / "search.db"]
    monkeypatch.setattr(jobs.served_stores, "FEW", 4096)
    source.prepare_search()
    assert len(started) == 1


def test_one_process_builds_an_index_and_is_ended_with_the_server(large):
    (source,) = served_states([large.parent], {})
    source.builder.start()
    source.builder.start()
    while source.builder.status is None:
        time.sleep(0.05)
    with source.open() as reader:
        assert reader.search("items").indexed == 1
    source.close()
    assert source.builder.status is not None


def test_where_nothing_can_be_written_the_index_lies_elsewhere_until_the_end(large, monkeypatch):
    monkeypatch.setattr(served_stores.os, "access", lambda *_: False)
    builder = IndexBuilder(large, {})
    file = builder.file
    assert file.parent not in (large, large.parent)
    assert file == builder.file
    assert file.parent.is_dir()
    builder.close()
    assert not file.parent.exists()


def test_a_search_while_somebody_writes_answers_from_what_is_indexed(state, monkeypatch):
    index_holder.remove_index(state)
    (source,) = served_states([state.parent], {})
    served = TestClient(make_app((source,), Access()), base_url="http://127.0.0.1:8470")
    first = served.get("/s/mirror/search.json?q=items").json()["hits"]
    caught_up = []
    monkeypatch.setattr(index_holder, "bring_up_to_date", lambda *_: caught_up.append(1))
    with lock(source.state, "mirror"):
        assert served.get("/s/mirror/search.json?q=items").json()["hits"] == first != []
    assert caught_up == []
    served.get("/s/mirror/search.json?q=items")
    assert caught_up == [1]


def test_what_failed_is_told_with_its_reason_and_what_to_do(state):
    """Here, because this mirror is the one in which a page failed."""
    (source,) = served_states([state.parent], {})
    served = TestClient(make_app((source,), Access()), base_url="http://127.0.0.1:8470")
    run = served.get("/s/mirror/runs.json").json()["parts"][0]["runs"][0]["run_id"]
    shown = served.get(f"/s/mirror/runs/{run}").text
    assert "It is not there any more: a page or the sitemap still names it." in shown
    (failed,) = served.get(f"/s/mirror/runs/{run}.json").json()["parts"][0]["failed"]
    assert (failed["url"].endswith("/none"), failed["why"]) == (True, "404")
