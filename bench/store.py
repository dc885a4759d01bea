"""Ledger and archive: durable pages a second, look-ups at a million rows, size on disk.

    python bench/store.py [--pages N] [--rows N]

A page is an item, 30 links and an archive record of 20 KB of HTML. Group commit is compared with a commit
per page in the same run, on the same file system, with the same pages. Links are drawn from the pages of
the site itself and a tail of addresses met once, as on documentation sites.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from figures import Figure, keep
from holdfast.core.base.hashing import content_hash, settings_digest, url_key
from holdfast.core.lineage.batch import Effect, Response
from holdfast.core.lineage.ledger_values import (
    Closed,
    Draft,
    EntryState,
    Finding,
    FrontierEntry,
    PageFacts,
    PageLink,
    capture_record,
)
from holdfast.core.lineage.lineage import Job, Run
from holdfast.core.links.citation import Bid, Citation, CitedPlace, Document, document_bid
from holdfast.core.links.link_state import LinkState
from holdfast.core.page.page import LinkKind, Mention, Span
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import Place, parse_url
from holdfast.core.web.capture import Capture
from holdfast.storage.archive.archive import open_archive
from holdfast.storage.archive.recovery import KnownFiles
from holdfast.storage.scribe import commit_group
from holdfast.storage.sqlite.sqlite_ledger import open_ledger

RECIPE = Recipe.parse("http_snapshot_siteurl_v1_text_v1")
START = datetime(2026, 11, 15, tzinfo=UTC)
WORDS = [
    f"{a}{b}" for a in ("con", "pre", "ser", "val", "lin") for b in ("tent", "fix", "ver", "ue", "ked", "age")
]
LINKS, BODY = 30, 20_000


def place(url: str) -> Place:
    return Place(url, url_key(url), url_key(url))


def pages(count: int, seed: int) -> list[Effect]:
    """Pages of one site: text that compresses about as documentation does (5:1)."""
    chance = random.Random(seed)
    site = [place(f"https://docs.example.com/section/{n // 50}/page-{n}") for n in range(count)]
    head = (("Content-Type", "text/html; charset=utf-8"), ("ETag", '"x"'), ("Content-Encoding", "gzip"))
    made = []
    for n, where in enumerate(site):
        text = " ".join(chance.choices(WORDS, k=BODY // 10))
        body = "".join(f"<p class='c'>{text[i : i + 80]}</p>\n" for i in range(0, len(text), 80)).encode()[
            :BODY
        ]
        url = parse_url(where.url)
        capture = Capture(
            url, url, 200, head, body, START + timedelta(seconds=n), (), (("User-Agent", "bench"),)
        )
        targets = chance.choices(site, k=LINKS - 3) + [place(f"https://ext{n}.example/{k}") for k in range(3)]
        links = tuple(PageLink(t, t.url, "a link text", LinkKind.ANCHOR) for t in targets)
        finding = Finding(
            made=Draft(content_hash(f"{seed} {n}"), f"Page {n}", links),
            page=PageFacts(f"docs.example.com/{n}/index.md", f"Page {n}", "0" * 64, 8000, 1, "md_v1"),
            closed=(Closed(where.key, EntryState.PAGE),),
        )
        made.append(Effect(finding, Response(capture, where)))
    return made


def store(folder: Path, submissions: list[Effect], group: int) -> dict[str, float]:
    ledger = open_ledger(folder / "ledger.db", START)
    ledger.runs.begin_run(Run("bench", Job.MIRROR, RECIPE, settings_digest({}), START, "docs"))
    archive = open_archive(folder / "archive", KnownFiles({}), software="bench")
    before, cpu = time.perf_counter(), time.process_time()
    for i in range(0, len(submissions), group):
        commit_group(ledger, archive, "bench", submissions[i : i + group], START)
    seconds, cpu = time.perf_counter() - before, time.process_time() - cpu
    archive.close()
    ledger.close()
    sizes = {
        "ledger": sum(f.stat().st_size for f in folder.glob("ledger.db*")),
        "archive": sum(f.stat().st_size for f in (folder / "archive").iterdir()),
    }
    per_thousand = {f"{name}_kb_per_1000": round(size / len(submissions)) for name, size in sizes.items()}
    rates = {
        "pages_per_second": round(len(submissions) / seconds),
        "cpu_us": round(cpu / len(submissions) * 1e6),
    }
    return {**rates, **per_thousand}


def timed(question, times: int) -> dict[str, float]:
    took = []
    for n in range(times):
        before = time.perf_counter()
        question(n)
        took.append(time.perf_counter() - before)
    took.sort()
    return {
        "p50_us": round(statistics.median(took) * 1e6, 1),
        "p99_us": round(took[int(len(took) * 0.99)] * 1e6, 1),
    }


def million(folder: Path, rows: int) -> dict[str, dict[str, float]]:
    """A ledger with that many URLs, pages and links, then questions to it."""
    ledger = open_ledger(folder / "ledger.db", START)
    ledger.runs.begin_run(Run("bench", Job.MIRROR, RECIPE, settings_digest({}), START, "docs"))
    chance = random.Random(1)
    count = rows // LINKS
    site = [place(f"https://docs.example.com/p/{n}") for n in range(count)]
    batch: list[Finding] = []
    before = time.perf_counter()
    for n, where in enumerate(site):
        url = parse_url(where.url)
        capture = Capture(url, url, 200, (("Content-Type", "text/html"),), b"", START + timedelta(seconds=n))
        targets = [
            *chance.choices(site, k=10),
            *(place(f"https://x{n}.example/{k}") for k in range(LINKS - 10)),
        ]
        links = tuple(PageLink(t, t.url, "a link", LinkKind.ANCHOR) for t in targets)
        facts = PageFacts(f"p/{n}.md", f"Page {n}", "0" * 64, 8000, 1, "md_v1")
        draft = Draft(content_hash(str(n)), f"Page {n}", links)
        batch.append(Finding(capture_record("bench", capture, where), draft, facts))
        if len(batch) == 500:
            ledger.commit("bench", batch, START)
            batch = []
    ledger.commit("bench", batch, START)
    print(f"  built {count} pages, {count * LINKS} links in {time.perf_counter() - before:.0f} s")
    some = chance.sample(site, min(2000, count))
    answers = {
        "page_by_key": timed(lambda n: ledger.pages.page("docs", some[n % len(some)].key), 2000),
        "current_item": timed(lambda n: ledger.history.current_item(RECIPE, some[n % len(some)].key), 2000),
        "unknown_key": timed(lambda n: ledger.pages.page("docs", url_key(str(n))), 2000),
        "backlinks": timed(lambda n: list(ledger.pages.pages_linking_to(some[n % len(some)].web_key)), 1000),
    }
    ledger.close()
    return answers


def frontier(folder: Path, rows: int) -> dict[str, float]:
    """A long frontier: how fast it is filled, and what handing out 200 entries costs at its length."""
    ledger = open_ledger(folder / "ledger.db", START)
    ledger.runs.begin_run(Run("bench", Job.MIRROR, RECIPE, settings_digest({}), START, "docs"))
    before = time.perf_counter()
    for first in range(0, rows, 5000):
        places = [place(f"https://docs.example.com/f/{n}") for n in range(first, min(first + 5000, rows))]
        ledger.frontier.add_entries(
            "bench", [FrontierEntry(p, p.url, 1, 0, first + n) for n, p in enumerate(places)]
        )
    seconds = time.perf_counter() - before
    took = timed(lambda _: ledger.frontier.take_entries("bench", 200), 100)
    ledger.close()
    return {"entries": rows, "added_per_second": round(rows / seconds), **took}


def citations(folder: Path, links: int) -> dict[str, dict[str, float]]:
    """Documents that cite: the questions of TRK-8 at that many links."""
    ledger = open_ledger(folder / "ledger.db", START)
    chance = random.Random(3)
    cited = [place(f"https://site{n % 500}.example/page/{n}") for n in range(links // 4)]
    span = Span(0, 10, 1, 1, 1)
    documents = []
    for n in range(links // 50):
        path = f"docs/{n}.md"
        found = [
            Citation(p, p.url, Mention(p.url, "text", LinkKind.ANCHOR, span))
            for p in chance.choices(cited, k=50)
        ]
        documents.append((Document(path, document_bid(path), "0" * 64, 1, 1, START), found))
    ledger.citations.put_documents(documents)
    states = (LinkState.OK,) * 19 + (LinkState.GONE,)
    ledger.citations.put_places(CitedPlace(p, Bid(p.key), chance.choice(states), p.url) for p in cited)
    answers = {
        "citations_of_document": timed(lambda n: ledger.citations.of_document(f"docs/{n}.md"), 200),
        "citing_documents": timed(lambda n: ledger.citations.backlinks(cited[n].web_key), 200),
        "citing_a_host": timed(lambda n: list(ledger.citations.backlinks_of_host(f"site{n}.example")), 100),
        "citing_like": timed(lambda n: list(ledger.citations.backlinks_like(f"https://site{n}.*")), 20),
        "dead_places": timed(lambda _: list(ledger.citations.places([LinkState.GONE])), 20),
    }
    ledger.close()
    return answers


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=4000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="holdfast-bench-"))
    try:
        single = store(_new(folder, "single"), pages(min(args.pages, 1500), 1), 1)
        group = store(_new(folder, "group"), pages(args.pages, 2), 200)
        ratio = group["pages_per_second"] / single["pages_per_second"]
        for name, result in (("commit per page", single), ("groups of 200", group)):
            rate, cpu = result["pages_per_second"], result["cpu_us"]
            print(f"{name:<16}{rate:>6} pages/s   {cpu:>5} us of processor time a page")
        print(f"ratio {ratio:.1f}")
        sizes = f"ledger {group['ledger_kb_per_1000']} KB, archive {group['archive_kb_per_1000']} KB"
        print(f"size per 1,000 pages: {sizes}")
        answers = million(_new(folder, "million"), args.rows)
        answers |= citations(_new(folder, "citations"), 100_000)
        answers["take_200"] = frontier(_new(folder, "frontier"), args.rows // 5)
        print(f"frontier of {args.rows // 5}: {answers['take_200']['added_per_second']} entries/s added")
        for name, took in answers.items():
            print(f"{name:<22} p50 {took['p50_us']:>7} us   p99 {took['p99_us']:>7} us")
        figures = [
            Figure("durable pages a second, groups of 200", group["pages_per_second"], "", 2000),
            Figure("against a commit for each page", ratio, "×", 3),
            Figure("a page by its key, median", answers["page_by_key"]["p50_us"], "µs", most=100),
            Figure("backlinks of a URL, median", answers["backlinks"]["p50_us"], "µs", most=5000),
        ]
        keep("store", figures, {"single": single, "group": group, **answers})
    finally:
        shutil.rmtree(folder)


def _new(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir()
    return made


if __name__ == "__main__":
    main()
