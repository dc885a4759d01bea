"""`holdfast serve`, asked over HTTP by a client that adds nothing of its own."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from probe.answers import normal
from probe.commands import CALLS, filled
from probe.world import PATIENCE, Contents, Program

Recorder = Callable[[Program, Contents, Path], dict[str, str]]
_TOLD = ("content-type", "link", "location", "content-disposition", "www-authenticate", "allow", "vary")
"""The header fields that are told: what a caller acts on."""


def recorders() -> Iterator[Recorder]:
    """A server each, with the questions to it."""
    for place, entry in tomllib.loads((CALLS / "http.toml").read_text()).items():
        yield partial(of_one_server, place, entry)


def of_one_server(
    place: str, entry: dict[str, Any], program: Program, _pristine: Contents, world: Path
) -> dict[str, str]:
    """What a browser or a program is answered by a server of its own."""
    words = entry["serves"].split()
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with program.started(world, program.holdfast(*words), env=program.environment(place), **pipes) as server:
        try:
            address = urlsplit(server.stdout.readline().decode().strip())
            if address.port is None:
                raise RuntimeError(server.stderr.read().decode())
            found = {
                f"http/{place}/{group}/{name}.txt": _answer(address.port, call)
                for group, calls in entry.items()
                if isinstance(calls, dict)
                for name, call in calls.items()
            }
        finally:
            os.kill(server.pid, signal.SIGINT)
        errors = server.communicate(timeout=PATIENCE)[1].decode()
    said = f"$ holdfast {entry['serves']}\n= {server.returncode}\n{address.geturl()}\n--- stderr\n{errors}"
    return {name: normal(text) for name, text in found.items()} | {f"http/{place}.txt": normal(said)}


def _answer(port: int, call: str | dict[str, Any]) -> str:
    asked = {"path": call} if isinstance(call, str) else call
    method, body = asked.get("method", "GET"), asked.get("body")
    path = quote(filled(asked["path"]), safe="/?&=:%+*,.-_~")
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        headers = {name: filled(value) for name, value in asked.get("headers", {}).items()}
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        content = answer.read().decode("utf-8", "surrogateescape")
        told = "".join(f"{name}: {answer.headers[name]}\n" for name in _TOLD if name in answer.headers)
        return f"{method} {asked['path']}\n{answer.status}\n{told}\n{content}\n"
    finally:
        connection.close()
