"""`holdfast serve` on a large ledger: every page's p50 and p99, start, memory; and beside a busy writer.

    python bench/serve.py [--folder DIR] [--pages N] [--each N]

The ledger: pages of one site with ten links each (two runs, one page of fifty changed in the second), and as
many cited URLs in documents of a hundred links, in every state. It is made once and kept where --folder says.
Each address is asked one after the other by one client on loopback, other ones each time; milliseconds are
what the client waits, and beside them the server's own CPU time for a request: the machine is not ours alone.

The writer commits groups of pages to the same ledger and archive, as a mirror does without its network, alone
and while a client asks five pages a second, in turns.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from holdfast.core.base.hashing import content_hash, settings_digest, url_key
from holdfast.core.lineage.batch import Effect, Response
from holdfast.core.lineage.ledger_values import Closed, Draft, EntryState, Finding, PageFacts, PageLink
from holdfast.core.lineage.lineage import Job, Run, RunTally
from holdfast.core.links.citation import Bid, Citation, CitedPlace, Document, document_bid
from holdfast.core.links.link_state import LinkState, Looks
from holdfast.core.page.page import LinkKind, Mention, Span
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import Place, parse_url
from holdfast.core.web.capture import Capture
from holdfast.jobs.load_settings import load_settings
from holdfast.jobs.session import open_store
from holdfast.storage.scribe import commit_group

RECIPE = Recipe.parse("http_snapshot_siteurl_v1_text_v1")
START = datetime(2026, 5, 1, tzinfo=UTC)
NEXT = START + timedelta(days=30)
SITE = "https://docs.example.com"
WORDS = [
    a + b
    for a in ("con", "pre", "ser", "val", "lin", "tab", "mod")
    for b in ("tent", "fix", "ver", "ue", "age")
]
GROUP, CITED_BY_ONE, CHANGED = 256, 100, 50
HEAD = (("Content-Type", "text/html; charset=utf-8"), ("ETag", '"x"'))
STATES = [LinkState.OK] * 40 + [
    LinkState.NOT_FOUND, LinkState.NOT_FOUND, LinkState.TIMEOUT, LinkState.GONE, LinkState.MOVED_PERMANENT,
    LinkState.MOVED_PERMANENT, LinkState.BOT_BLOCKED, LinkState.UNCHECKED, LinkState.SERVER_ERROR,
]  # fmt: skip


def place(url: str) -> Place:
    key = url_key(url)
    return Place(url, key, key)


def page_url(number: int) -> str:
    return f"{SITE}/section/{number // 50}/page-{number}"


def outside_url(number: int) -> str:
    return f"https://host{number % 997}.example/{number}"


def page(number: int, pages: int, when: datetime, edition: int) -> Effect:
    """A page of three sections and ten links, as a mirror would hand it to the ledger."""
    chance = random.Random(number)
    where, url = place(page_url(number)), parse_url(page_url(number))
    said = [" ".join(chance.choices(WORDS, k=60)) + f" w{number % 5000} edition{edition}" for _ in range(3)]
    body = "".join(f"<h2 id=s{n}>Part {n} of {number}</h2><p>{text}.</p>" for n, text in enumerate(said))
    html = f"<!doctype html><title>Page {number}</title><main><h1>Page {number}</h1>{body}</main>"
    targets = [page_url(chance.randrange(pages)) for _ in range(7)]
    targets += [outside_url((number * 3 + step) % pages) for step in range(3)]
    capture = Capture(url, url, 200, HEAD, html.encode(), when, (), (("User-Agent", "bench"),))
    links = tuple(PageLink(place(text), text, "a link", LinkKind.ANCHOR) for text in targets)
    facts = PageFacts(f"section/{number // 50}/page-{number}.md", f"Page {number}", "0" * 64, 900, 1, "md_v1")
    made = Draft(content_hash(f"{number} {edition}"), f"Page {number}", links)
    finding = Finding(made=made, page=facts, closed=(Closed(where.key, EntryState.PAGE),))
    return Effect(finding, Response(capture, where))


def cited(number: int, when: datetime) -> CitedPlace:
    where, state = place(outside_url(number)), STATES[number % len(STATES)]
    checked = None if state is LinkState.UNCHECKED else when
    failing = state.standing is LinkState.NOT_FOUND.standing
    final = f"{where.url}/moved" if state is LinkState.MOVED_PERMANENT else None
    return CitedPlace(
        where, Bid(f"bid-{number}"), state, where.url, final_url=final,
        looks=Looks(3, when - timedelta(days=9), checked) if failing else Looks(last=checked),
    )  # fmt: skip


def document(number: int, pages: int) -> tuple[Document, list[Citation]]:
    path = f"docs/part{number // 100}/d{number}.md"
    links = []
    for line in range(CITED_BY_ONE):
        url = outside_url((number * CITED_BY_ONE + line) % pages)
        mention = Mention(
            url, "a link", LinkKind.ANCHOR, Span(line * 60, line * 60 + len(url), line + 1, 1, 1)
        )
        links.append(Citation(place(url), url, mention, ""))
    return Document(path, document_bid(path), "0" * 64, 6000, 0, START), links


def make(root: Path, pages: int) -> None:
    """The ledger, its archive and its search index."""
    with open_store(root / ".holdfast", "bench", load_settings(root, flags={}, environment={})) as store:
        for edition, (when, step) in enumerate([(START, 1), (NEXT, CHANGED)]):
            run = Run(content_hash(f"run {edition}"), Job.MIRROR, RECIPE, settings_digest({}), when, ".")
            store.ledger.runs.begin_run(run)
            numbers = range(0, pages, step)
            for first in range(0, len(numbers), GROUP):
                group = [
                    page(n, pages, when + timedelta(milliseconds=n), edition)
                    for n in numbers[first : first + GROUP]
                ]
                commit_group(store.ledger, store.archive, run.run_id, group, when)
                if first % (GROUP * 40) == 0:
                    print(f"edition {edition}: {first} of {len(numbers)} pages", file=sys.stderr)
            tally = {"page": len(numbers), "unchanged": pages - len(numbers), "pages": pages}
            store.ledger.runs.end_run(run.run_id, when + timedelta(hours=1), RunTally.of(tally))
        run = Run(content_hash("track"), Job.TRACK, RECIPE, settings_digest({}), NEXT, ".")
        store.ledger.runs.begin_run(run)
        for first in range(0, pages, 10_000):
            store.ledger.citations.put_places(
                [cited(n, NEXT) for n in range(first, min(first + 10_000, pages))]
            )
        for first in range(0, pages // CITED_BY_ONE, 100):
            store.ledger.citations.put_documents([document(n, pages) for n in range(first, first + 100)])
        store.ledger.runs.end_run(run.run_id, NEXT + timedelta(hours=2), RunTally.of({"ok": pages}))


class Asked:
    """A server in a process of its own, and a client that keeps its connection."""

    def __init__(self, root: Path) -> None:
        began = time.perf_counter()
        words = [sys.executable, "-m", "holdfast", "serve", str(root), "--port", "0"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.name = root.name
        self.host = urlsplit(self.process.stdout.readline().strip()).netloc
        self.connection = http.client.HTTPConnection(self.host, timeout=120)
        self.get("/help")
        self.started = time.perf_counter() - began

    def get(self, address: str) -> bytes:
        self.connection.request("GET", address)
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status not in (200, 302):
            raise RuntimeError(f"{address}: {answer.status} {body[:300]!r}")
        return body

    def status(self, key: str) -> int:
        lines = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(key))

    def cpu(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(30)


def addresses(asked: Asked, pages: int) -> dict[str, Iterator[str]]:
    """For each page of the server, addresses without end."""
    s = f"/s/{asked.name}"
    chance = random.Random(7)
    runs = json.loads(asked.get(f"{s}/runs.json"))["runs"]
    first, second = (run["run_id"] for run in runs if run["job"] == "mirror" and run["label"] == ".")

    def of(start: str, /, **query: object) -> Iterator[str]:
        while True:
            made = {name: value() if callable(value) else value for name, value in query.items()}
            yield start + (f"?{urlencode(made)}" if made else "")

    some = lambda: page_url(chance.randrange(pages))  # noqa: E731
    changed = lambda: page_url(chance.randrange(pages // CHANGED) * CHANGED)  # noqa: E731
    outside = lambda: outside_url(chance.randrange(pages))  # noqa: E731
    path = lambda: f"section/{chance.randrange(pages // 50)}/"  # noqa: E731
    notes = lambda: (n := chance.randrange(pages // CITED_BY_ONE), f"docs/part{n // 100}/d{n}.md")[1]  # noqa: E731
    word = lambda: f"{chance.choice(WORDS)} w{chance.randrange(5000)}"  # noqa: E731
    return {
        "home": of("/"),
        "pages": of(f"{s}/pages", after=path),
        "home at a date": of("/", at="2026-05-10"),
        "pages at a date": of(f"{s}/pages", after=path, at="2026-05-10"),
        "gone pages": of(f"{s}/pages", gone=1),
        "changes at a date": of(f"{s}/changes", at="2026-05-10"),
        "page": of(f"{s}/page", url=some),
        "page, changed": of(f"{s}/page", url=changed),
        "page at a date": of(f"{s}/page", url=changed, at="2026-05-10"),
        "history": of(f"{s}/history", url=changed),
        "page-links": of(f"{s}/page-links", url=some),
        "diff": of(f"{s}/diff", url=changed),
        "runs": of(f"{s}/runs"),
        "run, first": of(f"{s}/runs/{second}"),
        "run, update": of(f"{s}/runs/{first}"),
        "run, read": of(f"{s}/runs/{first}/read"),
        "changes": of(f"{s}/changes"),
        "changes feed": of(f"{s}/changes.atom"),
        "links": of(f"{s}/links"),
        "links, dead": of(f"{s}/links", standing="dead"),
        "links, by state": of(f"{s}/links", state="timeout"),
        "links of a host": of(f"{s}/links", host=lambda: f"host{chance.randrange(997)}.example"),
        "links of a document": of(f"{s}/links", document=notes),
        "link": of(f"{s}/link", url=outside),
        "documents": of(f"{s}/documents"),
        "document": of(f"{s}/document", path=notes),
        "graph": of(f"{s}/graph", node=notes),
        "web": of(f"/web/20260504/{page_url(7)}"),
        "metrics": of("/metrics"),
        "search": of(f"{s}/search", q=word),
        "search, common": of(f"{s}/search", q=lambda: chance.choice(WORDS)),
        "search, two common": of(f"{s}/search", q=lambda: " ".join(chance.sample(WORDS, 2))),
        "search at a date": of(f"{s}/search", q=word, at="2026-05-10"),
    }


def wait_for_index(asked: Asked) -> None:
    """The server builds it beside itself, unless it is there; what waits are the figures of a whole one."""
    while True:
        found = json.loads(asked.get(f"/s/{asked.name}/search.json?q=content"))["indexed"]
        if found == 1:
            return
        print(f"the search index has {found:.0%}", file=sys.stderr)
        time.sleep(5)


@contextmanager
def written_copy(root: Path) -> Iterator[Path]:
    """A copy to write to: the ledger itself stays as it was made."""
    with tempfile.TemporaryDirectory(dir=root.parent) as folder:
        copy = Path(folder) / root.name
        shutil.copytree(root, copy)
        yield copy


def measure(asked: Asked, pages: int, each: int) -> dict[str, dict[str, float]]:
    figures = {}
    for name, wanted in addresses(asked, pages).items():
        asked.get(next(wanted))
        waits, cpu = [], asked.cpu()
        for _ in range(each):
            began = time.perf_counter()
            asked.get(next(wanted))
            waits.append((time.perf_counter() - began) * 1000)
        spent = (asked.cpu() - cpu) / each * 1000
        waits.sort()
        figures[name] = {
            "p50": round(waits[each // 2], 1),
            "p99": round(waits[min(each - 1, round(each * 0.99))], 1),
            "cpu": round(spent, 1),
        }
        print(f"{name:20} {figures[name]}", file=sys.stderr, flush=True)
    return figures


def write_for(root: Path, seconds: float) -> None:
    """Commit pages at full speed, and print how many."""
    with open_store(root / ".holdfast", "bench", load_settings(root, flags={}, environment={})) as store:
        run = Run(content_hash(f"{time.time_ns()}"), Job.MIRROR, RECIPE, settings_digest({}), NEXT, "other")
        store.ledger.runs.begin_run(run)
        first = random.randrange(1 << 40)
        groups = [[page(first + i + n, 1 << 20, NEXT, 0) for n in range(64)] for i in range(0, 64 * 200, 64)]
        print("ready", flush=True)
        began, written = time.perf_counter(), 0
        for group in groups:
            commit_group(store.ledger, store.archive, run.run_id, group, NEXT)
            written += len(group)
            if time.perf_counter() - began >= seconds:
                break
        print(written / (time.perf_counter() - began), flush=True)
        store.ledger.runs.end_run(run.run_id, NEXT, RunTally.of({"page": written}))


@contextmanager
def writing(root: Path, seconds: float) -> Iterator[subprocess.Popen[str]]:
    words = [sys.executable, __file__, "--folder", str(root.parent), "--write", str(seconds)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        yield process
        process.wait(120)


def beside_a_writer(asked: Asked, root: Path, pages: int, seconds: float) -> dict[str, float]:
    """Pages a second of a writer, alone and while somebody looks around, in turns."""
    rates: dict[str, list[float]] = {"alone": [], "asked": []}
    requests, failed, slowest = 0, 0, 0.0
    wanted = list(addresses(asked, pages).values())
    for turn in range(6):
        kind = "asked" if turn % 2 else "alone"
        with writing(root, seconds) as process:
            asked.connection.close()  # the server closes one that nobody used for a while
            while kind == "asked" and process.poll() is None:
                began = time.perf_counter()
                try:
                    asked.get(next(wanted[requests % len(wanted)]))
                except (OSError, RuntimeError) as error:
                    failed += 1
                    print(error, file=sys.stderr)
                requests += 1
                slowest = max(slowest, time.perf_counter() - began)
                time.sleep(max(0.0, 0.2 - (time.perf_counter() - began)))
            rates[kind].append(float(process.stdout.readline()))
    alone, beside = (sum(rates[kind]) / len(rates[kind]) for kind in ("alone", "asked"))
    print(rates, file=sys.stderr)
    return {
        "pages/s alone": round(alone), "pages/s asked": round(beside),
        "lost %": round(100 * (1 - beside / alone), 1), "requests": requests,
        "failed": failed, "slowest ms": round(slowest * 1000),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--each", type=int, default=100)
    parser.add_argument("--write", type=float, help="be the writer, for so many seconds")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = (args.folder or Path(folder)) / "big"
        if args.write:
            write_for(root, args.write)
            return
        if not (root / ".holdfast").is_dir():
            root.mkdir(parents=True, exist_ok=True)
            make(root, args.pages)
        asked = Asked(root)
        try:
            figures: dict[str, object] = {"start s": round(asked.started, 2)}
            print(f"started in {asked.started:.2f} s", file=sys.stderr)
            wait_for_index(asked)
            figures["pages"] = measure(asked, args.pages, args.each)
            figures["memory MB"] = asked.status("VmHWM") / 1024
        finally:
            asked.close()
        with written_copy(root) as copy:
            asked = Asked(copy)
            try:
                figures["beside a writer"] = beside_a_writer(asked, copy, args.pages, 10.0)
            finally:
                asked.close()
    print(json.dumps({"bench": "serve", "load": os.getloadavg()[0], **figures}))


if __name__ == "__main__":
    main()
