"""Agents ask through the SDK's own client: each tool, each resource, wrong arguments, both transports."""

from __future__ import annotations

import asyncio
import os
import sys

import pytest
from mcp import Client, StdioServerParameters

import holdfast
from browser.conftest import server  # noqa: F401 - a real server
from faces.web.conftest import document, kept, sources  # noqa: F401 - the same mirror and documents
from helpers.sites.living import LivingSite
from holdfast.faces.mcp.tools import ACTIONS, TOOLS, make_server
from holdfast.jobs.served_stores import served_states
from holdfast.jobs.sync.acting import RunStarter
from holdfast.questions.rows.table import TOOLS as ROW_TOOLS

pytestmark = pytest.mark.spec("WEB-2")


@pytest.fixture(params=["stdio", "http"])
def ask(request, kept, server):  # noqa: F811 - fixtures
    """Does something with a connected client."""
    arguments = ["-m", "holdfast", "mcp", str(kept.root / "mirror"), str(kept.root / "notes")]
    there = StdioServerParameters(command=sys.executable, args=arguments)
    where = there if request.param == "stdio" else f"{server}/mcp"

    def asked(work):
        async def session():
            async with Client(where, read_timeout_seconds=60) as client:
                return await work(client)

        return asyncio.run(session())

    return asked


def test_each_tool_answers_with_what_can_be_cited(ask, kept):  # noqa: F811 - fixture
    async def work(client):
        async def call(name, **arguments):
            result = await client.call_tool(name, arguments)
            assert not result.is_error, result.content
            return result.structured_content

        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == {*TOOLS, *ROW_TOOLS}
        assert all(tool.annotations.read_only_hint for tool in tools)
        known = await call("status")
        assert [one["store"] for one in known["stores"]] == ["mirror", "notes"]
        hit = (await call("search", query="returns items"))["hits"][0]
        assert hit["url"].startswith(kept.page)
        assert (hit["version"], bool(hit["since"])) == (2, True)
        page = await call("show", target=kept.page)
        assert "at most 250" in page["text"]
        assert (page["url"], page["version"]) == (kept.page, 2)
        assert page["fetched_at"]
        section = await call("show", target=f"{kept.page}#other")
        assert (section["section"], section["text"].strip().endswith("Same words.")) == ("Other", True)
        assert "at most" not in section["text"]
        changes = (await call("log"))["changes"]
        assert (changes[0]["url"], changes[0]["version"], changes[0]["kind"]) == (kept.page, 2, "changed")
        diff = await call("diff", target=kept.page)
        assert diff["sections"][0]["section"].endswith("Limits")
        assert any(line.startswith("+") and "250" in line for line in diff["sections"][0]["lines"])
        cited = await call("citations", target=kept.page)
        assert cited["cited_by"][0]["document"] == "notes.md"
        assert (cited["version"], bool(cited["last_seen"])) == (2, True)
        cites = (await call("citations", target="notes.md"))["cites"]
        assert [(one["version"], one["section"]) for one in cites] == [(2, None), (None, None), (2, "none")]
        (broken,) = (await call("broken", suspect=True))["broken"]
        assert broken["cited_at"][0].startswith("notes.md:1:")
        assert (broken["version"], broken["sections"], bool(broken["checked_at"])) == (None, [], True)

    ask(work)


def test_a_page_is_a_resource(ask, kept):  # noqa: F811 - fixture
    async def work(client):
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == ["holdfast://page/{+url}"]
        found = await client.read_resource(f"holdfast://page/{kept.page}")
        assert "at most 250" in found.contents[0].text
        assert "version 2" in found.contents[0].text

    ask(work)


def test_a_long_page_is_a_resource_as_a_whole(tmp_path):
    long = "<p>Some words of a long page.</p>" * 600 + "<p>The last word.</p>"
    with LivingSite() as site:
        site.put("/long?part=1", body=document("A long page", long))
        holdfast.mirror(site.origin + "/", output=tmp_path / "mirror", content_rate_limit=0, processes=1)
        address = f"holdfast://page/{site.origin}/long%3Fpart=1"

    async def session():
        async with Client(make_server(served_states([tmp_path / "mirror"], {}))) as client:
            return (await client.read_resource(address)).contents[0].text

    assert asyncio.run(session()).rstrip().endswith("The last word.")


def test_a_list_that_was_cut_says_so_and_one_that_was_not_does_not(ask):
    async def work(client):
        async def more(limit):
            asked = {"source": "mirror", "limit": limit}
            return (await client.call_tool("log", asked)).structured_content["more"]

        assert (await more(1), await more(100)) == (True, False)

    ask(work)


def test_what_the_folder_says_that_knows_the_page_is_what_is_told(ask, kept):  # noqa: F811 - fixture
    async def work(client):
        result = await client.call_tool("show", {"target": f"{kept.origin}/hostile", "at": "1999-01-01"})
        assert "was kept yet at that moment" in result.content[0].text

    ask(work)


WRONG = [
    ("show", {"target": "no url"}),
    ("show", {"target": "https://none.example/"}),
    ("show", {"target": "https://none.example/#<script>"}),
    ("show", {"target": "PAGE", "at": "soon"}),
    ("show", {"target": "PAGE", "at": "1999-01-01"}),
    ("show", {"target": "PAGE", "offset": -1}),
    ("show", {"target": "PAGE", "offset": 10**9}),
    ("show", {}),
    ("show", {"target": ["a"]}),
    ("log", {"since": "x" * 5000}),
    ("log", {"target": "nowhere/at/all"}),
    ("log", {"limit": 10**9}),
    ("diff", {"target": "PAGE", "old": "v99"}),
    ("diff", {"target": "https://none.example/"}),
    ("citations", {"target": "../../etc/passwd"}),
    ("nothing", {}),
]


def test_wrong_arguments_are_errors_in_words(ask, kept):  # noqa: F811 - fixture
    async def work(client):
        for name, arguments in WRONG:
            real = {key: kept.page if value == "PAGE" else value for key, value in arguments.items()}
            result = await client.call_tool(name, real)
            assert result.is_error, (name, arguments)
            assert "Traceback" not in result.content[0].text
            assert result.content[0].text != f"Error executing tool {name}", arguments  # a crash

    ask(work)


def test_arguments_of_another_kind_are_told_in_one_line(ask):
    async def work(client):
        for arguments, words in (
            ({"query": 5}, "search: query: input should be a valid string"),
            ({"query": "x", "limit": "many"}, "search: limit: input should be a valid integer"),
            ({}, "search: query: field required"),
        ):
            result = await client.call_tool("search", arguments)
            assert result.is_error
            assert result.content[0].text.startswith(words)
            assert len(result.content[0].text.splitlines()) == 1

    ask(work)


@pytest.fixture
def acting(sources):  # noqa: F811 - fixture
    """A server whose user agreed that runs are started, asked in this process."""
    runs = RunStarter({**os.environ, "HOLDFAST_ALLOW_PRIVATE": "true"})
    yield make_server(sources, runs)
    runs.close()


def test_an_agent_starts_follows_and_stops_runs_where_that_was_agreed_to(acting):
    async def work(client):
        async def call(name, **arguments):
            return (await client.call_tool(name, arguments)).structured_content

        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {*TOOLS, *ROW_TOOLS, *ACTIONS}
        assert not tools["start"].annotations.read_only_hint
        startable = {one["source"]: one for one in (await call("runs"))["startable"]}
        assert startable["notes"]["asks_urls_only_with_ask_urls"]
        begun = await call("start", source="notes", run=startable["notes"]["run"])
        assert begun["command"].endswith("--offline")
        for _ in range(300):
            (found,) = (await call("runs"))["started"]
            if found["state"] != "running":
                break
            await asyncio.sleep(0.05)
        assert (found["number"], found["state"]) == (begun["number"], "finished")
        assert (await call("stop", source="notes", number=begun["number"]))["state"] == "finished"
        for name, wrong in {
            "start": {"source": "notes", "run": "mirror:/etc"},
            "stop": {"source": "notes", "number": 99},
        }.items():
            assert (await client.call_tool(name, wrong)).is_error
        assert (await client.call_tool("start", {"source": "none", "run": "track"})).is_error

    async def session():
        async with Client(acting, read_timeout_seconds=60) as client:
            await work(client)

    asyncio.run(session())
