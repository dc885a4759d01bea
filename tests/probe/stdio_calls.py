"""`holdfast mcp` and `holdfast lsp`, asked over standard input and output as agents and editors do.

JSON-RPC both: a line a message for agents, a header with its length for editors. An answer is shown with its
keys in the order in which they came.
"""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

from probe.answers import normal
from probe.commands import CALLS, filled
from probe.world import HERE, PATIENCE, Contents, Program

Recorder = Callable[[Program, Contents, Path], dict[str, str]]
Message = dict[str, Any]


def recorders() -> Iterator[Recorder]:
    """A process each, with the questions to it."""
    for place, entry in tomllib.loads((CALLS / "agents.toml").read_text()).items():
        yield partial(of_agents, place, entry)
    yield partial(_editor, tomllib.loads((CALLS / "editor.toml").read_text())["calls"])


class Peer:
    """A process that is talked to; what it says beside its answers is kept until somebody asks for it."""

    def __init__(self, process: subprocess.Popen[bytes], *, has_headers: bool) -> None:
        self._in: IO[bytes] = process.stdin  # type: ignore[assignment]
        self._out: IO[bytes] = process.stdout  # type: ignore[assignment]
        self._has_headers = has_headers
        self._number = 0
        self.said: list[Message] = []

    def tell(self, method: str, params: Message | None) -> None:
        """Say something that wants no answer."""
        self._send({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})

    def ask(self, method: str, params: Message | None) -> Message:
        """The answer to a question."""
        self._number += 1
        asked = {"jsonrpc": "2.0", "id": self._number, "method": method}
        self._send(asked if params is None else {**asked, "params": params})
        return self.until(lambda one: one.get("id") == self._number and "method" not in one)

    def until(self, is_it: Callable[[Message], bool]) -> Message:
        """The first message of this kind; what comes before is kept."""
        while True:
            message = self._receive()
            if is_it(message):
                return message
            self.said.append(message)

    def _send(self, message: Message) -> None:
        text = json.dumps(message).encode()
        head = b"Content-Length: %d\r\n\r\n" % len(text) if self._has_headers else b""
        self._in.write(head + text + (b"" if self._has_headers else b"\n"))
        self._in.flush()

    def _receive(self) -> Message:
        if not self._has_headers:
            line = self._out.readline()
            if not line:
                raise EOFError("it hung up")
            return json.loads(line)
        length = 0
        while line := self._out.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        if not length:
            raise EOFError("it hung up")
        return json.loads(self._out.read(length))


def _talked(program: Program, world: Path, words: list[str], *, has_headers: bool) -> Any:
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = program.started(world, program.holdfast(*words), env=program.environment(words[0]), **pipes)
    return process, Peer(process, has_headers=has_headers)


def _shown(asked: object, *answers: Message) -> str:
    told = [{key: value for key, value in one.items() if key != "id"} for one in answers]  # a number in a row
    texts = (json.dumps(one, ensure_ascii=False, indent=1) for one in (asked, *told))
    return normal("\n".join(texts) + "\n")


def of_agents(place: str, entry: Message, program: Program, _: Contents, world: Path) -> dict[str, str]:
    """What an agent is answered by a process of its own."""
    process, peer = _talked(program, world, entry["words"].split(), has_headers=False)
    client = {"name": "probe", "version": "1"}
    first = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    with process:
        found = {f"mcp/{place}/initialize.txt": _shown(first, peer.ask("initialize", first))}
        peer.tell("notifications/initialized", None)
        for name, call in entry["calls"].items():
            method, params = call.get("method", "tools/call"), call.get("params", {})
            if tool := call.get("tool"):
                given = {key: value for key, value in call.items() if key != "tool"}
                params = {"name": tool, "arguments": given}
            asked = json.loads(filled(json.dumps(params)))
            found[f"mcp/{place}/{name}.txt"] = _shown(call, peer.ask(method, asked))
        process.stdin.close()
        errors = process.stderr.read().decode()
        status = process.wait(PATIENCE)
    return found | {
        f"mcp/{place}.txt": normal(f"$ holdfast {entry['words']}\n= {status}\n--- stderr\n{errors}")
    }


def _editor(calls: dict[str, Message], program: Program, _: Contents, world: Path) -> dict[str, str]:
    process, peer = _talked(program, world, ["lsp"], has_headers=True)
    first = {"processId": None, "rootUri": HERE.as_uri(), "capabilities": {}}
    versions: dict[str, int] = {}
    with process:
        found = {"lsp/initialize.txt": _shown(first, peer.ask("initialize", first))}
        peer.tell("initialized", {})
        for name, call in calls.items():
            found[f"lsp/{name}.txt"] = _shown(call, _edited(peer, call, versions, world), *peer.said)
            peer.said.clear()
        peer.ask("shutdown", None)
        peer.tell("exit", None)
        process.stdin.close()
        errors = process.stderr.read().decode()
        status = process.wait(PATIENCE)
    return found | {"lsp.txt": normal(f"$ holdfast lsp\n= {status}\n--- stderr\n{errors}")}


def _edited(peer: Peer, call: Message, versions: dict[str, int], world: Path) -> Message:
    """The answer to an editor's call; to what opens or changes a document, its diagnostics are."""
    name = call.get("open") or call.get("document", "")
    uri = (HERE / name).as_uri()
    versions[uri] = versions.get(uri, 0) + 1
    if "open" in call:
        text = (world / name).read_text()
        kind = "markdown" if name.endswith(".md") else "restructuredtext"
        opened = {"uri": uri, "languageId": kind, "version": versions[uri], "text": text}
        peer.tell("textDocument/didOpen", {"textDocument": opened})
        return peer.until(lambda one: one.get("params", {}).get("uri") == uri)
    if "typed" in call:
        document = {"uri": uri, "version": versions[uri]}
        change = {"textDocument": document, "contentChanges": [{"text": filled(call["typed"])}]}
        peer.tell("textDocument/didChange", change)
        return peer.until(lambda one: one.get("params", {}).get("uri") == uri)
    if "command" in call:
        arguments = json.loads(filled(json.dumps(call["arguments"])))
        return peer.ask(call["method"], {"command": call["command"], "arguments": arguments})
    params: Message = {"textDocument": {"uri": uri}}
    if "at" in call:
        params["position"] = dict(zip(("line", "character"), call["at"], strict=True))
    if "range" in call:
        ends = (call["range"][:2], call["range"][2:])
        places = [dict(zip(("line", "character"), end, strict=True)) for end in ends]
        params |= {"range": dict(zip(("start", "end"), places, strict=True)), "context": {"diagnostics": []}}
    return peer.ask(call["method"], params)
