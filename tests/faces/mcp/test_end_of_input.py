"""A client that writes its requests and closes gets its answers, each of them (WEB-2)."""

import asyncio
import json
import subprocess
import sys

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCNotification, JSONRPCRequest

from holdfast.faces.mcp.stdio import answer_all
from holdfast.faces.mcp.tools import PlainServer

pytestmark = pytest.mark.spec("WEB-2")

HELLO = {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"},
}  # fmt: skip
READY = JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized")


def request(number, method, **params):
    return JSONRPCRequest(jsonrpc="2.0", id=number, method=method, params=params)


def call(number):
    return request(number, "tools/call", name="slow", arguments={"number": number})


class Stream:
    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        return None


class Closed(Stream):
    """Requests that have all been written, and a pipe that was closed before the first is answered."""

    def __init__(self, messages):
        self.left = list(messages)
        self.is_over = anyio.Event()

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self.left:
            return SessionMessage(self.left.pop(0))
        self.is_over.set()
        raise StopAsyncIteration


class Answers(Stream):
    def __init__(self):
        self.ids = []

    async def send(self, item):
        self.ids.append(getattr(item.message, "id", None))


def answered(messages):
    """The ids that are answered where no tool ends before the input has."""
    asked, answers = Closed(messages), Answers()
    server = PlainServer("test")

    @server.tool(name="slow")
    async def slow(number: int) -> int:
        await asked.is_over.wait()
        for _ in range(number):
            await asyncio.sleep(0)
        return number

    async def work():
        low = server._lowlevel_server
        options = low.create_initialization_options()
        with anyio.fail_after(30):
            await answer_all(lambda read, write: low.run(read, write, options), asked, answers)

    asyncio.run(work())
    return answers.ids


@pytest.mark.parametrize("many", [1, 2, 50])
def test_each_request_before_the_end_is_answered(many):
    messages = [request(0, "initialize", **HELLO), READY, *map(call, range(1, many + 1))]

    assert sorted(answered(messages)) == list(range(many + 1))


def test_what_was_called_off_is_not_waited_for():
    off = JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params={"requestId": 1})

    assert answered([request(0, "initialize", **HELLO), READY, call(1), off, call(2)]) == [0, 2]


def test_an_input_without_requests_ends():
    assert answered([]) == []
    assert answered([READY]) == []


def test_the_program_answers_and_ends(tmp_path, holdfast):
    (tmp_path / "a.md").write_text("<https://example.com/>\n")
    assert holdfast("check", tmp_path).status == 0
    tool = {"name": "status", "arguments": {}}
    messages = [
        request(0, "initialize", **HELLO),
        READY,
        *(request(n, "tools/call", **tool) for n in range(1, 20)),
    ]
    lines = "".join(m.model_dump_json(by_alias=True, exclude_unset=True) + "\n" for m in messages)
    command = [sys.executable, "-m", "holdfast", "mcp", "."]
    for _ in range(3):
        done = subprocess.run(
            command, input=lines, capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False
        )

        assert (done.returncode, "Traceback" in done.stderr) == (0, False)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert sorted(answer["id"] for answer in answers) == list(range(20))
        assert all("result" in answer for answer in answers)
