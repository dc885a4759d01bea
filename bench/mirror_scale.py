"""How a mirror behaves when it is large: starting a finished one again, and memory over its length."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from helpers.sites.server import Reply, Site, page, sitemap
from helpers.sites.tangled import prose
from holdfast.core.base.hashing import content_hash
from holdfast.core.lineage.ledger_values import (
    Closed,
    Draft,
    EntryState,
    Finding,
    FrontierEntry,
    PageFacts,
    capture_record,
)
from holdfast.core.lineage.lineage import RunTally
from holdfast.core.url.url import parse_url
from holdfast.core.web.capture import Capture
from holdfast.storage.sqlite.sqlite_ledger import open_ledger

URLS = 100_000
LIST = 50_000
BATCH = 1_000


def command(source: str, output: Path, *flags: str) -> list[str]:
    words = ["mirror", source, "-o", str(output), "--content-rate-limit", "0", "--quiet", *flags]
    return [sys.executable, "-m", "holdfast", *words]


def resume() -> dict[str, object]:
    """Start a finished crawl of 100,000 URLs again: two lists of 50,000, everything there already."""
    site = Site({}, fallback=lambda target: page("Page") if target.startswith("/s/") else None)
    with site.serve() as origin, tempfile.TemporaryDirectory() as work:
        urls = [f"{origin}/s/{n // 100}/page-{n}" for n in range(URLS)]
        lists = [urls[at : at + LIST] for at in range(0, URLS, LIST)]
        names = "".join(f"<sitemap><loc>{origin}/list-{n}.xml</loc></sitemap>" for n in range(len(lists)))
        site.answers["/sitemap.xml"] = Reply(f"<sitemapindex>{names}</sitemapindex>".encode())
        site.answers |= {f"/list-{n}.xml": sitemap(part) for n, part in enumerate(lists)}
        output = Path(work)
        subprocess.run(command(f"{origin}/sitemap.xml", output, "--max-pages", "1"), check=True)
        pretend_finished(output)
        site.requests.clear()
        seconds = []
        for _ in range(3):
            began = time.perf_counter()
            done = subprocess.run(
                command(f"{origin}/sitemap.xml", output), capture_output=True, text=True, check=False
            )
            seconds.append(time.perf_counter() - began)
            assert "already done" in done.stderr, done.stderr
        asked = sum(target.startswith("/s/") for target in site.requests)
    best = min(seconds)
    print(f"a finished crawl of {URLS:,} URLs started again: {best:.2f} s (target 3), {asked} pages asked")
    return {"resume_seconds": seconds, "urls": URLS}


def pretend_finished(output: Path) -> None:
    """Give every entry of the frontier a page, as a crawl would have."""
    ledger = open_ledger(output / ".holdfast" / "ledger.db", datetime.now(UTC))
    [record] = ledger.runs.latest_first()
    entries = list(ledger.frontier.entries(record.run.run_id))
    for at in range(0, len(entries), BATCH):
        findings = [finding(record.run.run_id, entry) for entry in entries[at : at + BATCH]]
        ledger.commit(record.run.run_id, findings, datetime.now(UTC))
    ledger.runs.end_run(record.run.run_id, datetime.now(UTC), RunTally.of({"discovered": 1}))
    ledger.close()
    (output / "_processed.txt").write_text("".join(f"{entry.place.url}\n" for entry in entries))


def finding(run_id: str, entry: FrontierEntry) -> Finding:
    url = parse_url(entry.fetch_url)
    capture = Capture(url, url, 200, (("Content-Type", "text/html"),), b"", datetime.now(UTC))
    path = f"host{url.path}/index.md"
    return Finding(
        capture=capture_record(run_id, capture, entry.place),
        made=Draft(content_hash(entry.place.url), "Page"),
        page=PageFacts(path, "Page", content_hash(path), 100, 0, "markdown_v1"),
        closed=(Closed(entry.place.key, EntryState.PAGE),),
    )


def memory(small: int = 1_000, large: int = 20_000) -> dict[str, object]:
    """The peak of the main process over a short and a long mirror."""
    peaks = {}
    for count in (small, large):
        site = Site({}, fallback=lambda target: page(target, text=prose(int(target[3:]))))
        with site.serve() as origin, tempfile.TemporaryDirectory() as work:
            site.answers["/sitemap.xml"] = sitemap([f"{origin}/p/{n}" for n in range(count)])
            site.answers["/robots.txt"] = Reply(b"", type="text/plain")
            began = time.perf_counter()
            with subprocess.Popen(command(f"{origin}/sitemap.xml", Path(work))) as process:
                peaks[count] = peak_of(process)
            seconds = time.perf_counter() - began
        print(f"{count:,} pages: peak {peaks[count]:.1f} MB, {count / seconds:.0f} pages/s")
    growth = peaks[large] - peaks[small]
    print(f"growth of the main process: {growth:.1f} MB (target 30)")
    return {"peaks_mb": peaks, "growth_mb": growth}


def peak_of(process: subprocess.Popen) -> float:
    """The largest resident size of a process over its life, in MB."""
    peak = 0.0
    while process.poll() is None:
        try:
            text = Path(f"/proc/{process.pid}/status").read_text()
        except OSError:
            break
        found = [line.split()[1] for line in text.splitlines() if line.startswith("VmHWM")]
        peak = max(peak, int(found[0]) / 1024) if found else peak
        time.sleep(0.05)
    return peak
