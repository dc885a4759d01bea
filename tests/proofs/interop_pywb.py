"""pywb reads what we wrote: its indexer agrees with ours to the byte, and it replays pages and revisits.

    python tests/proofs/interop_pywb.py PYWB_BIN      `make replay`; pywb lives in an environment of its own

It is kept out of the tests because pywb brings fifty packages along.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from holdfast.core.lineage.chapters import Part, RefusedAddress
from holdfast.core.lineage.ledger_values import Original
from holdfast.core.url.url import parse_url
from holdfast.core.web.capture import Capture, Hop
from holdfast.storage.archive.archive import open_archive
from holdfast.storage.archive.check_records import index_lines
from holdfast.storage.archive.recovery import KnownFiles
from holdfast.storage.archive.shelf import FolderShelf

NOW = datetime(2026, 11, 15, 9, 30, 1, 234567, tzinfo=UTC)
BODY = "<!doctype html><title>Héllo</title><p>what was said".encode() * 40
ADDRESSES = (
    "https://example.com/b",
    "https://www.Example.org:8080/Other/?b=2&a=1&C=%C3%A9",
    "http://10.0.0.1/x/",
    "http://[::1]:9/x/",
    "http://a.example/?q=a+b&&z",
    "https://bücher.example/straße?ä=1",
)


OLD = "https://example.com/old"
MOVED = b"<p>It is elsewhere."


def write(folder: Path) -> dict[str, int]:
    """An archive of pages, a revisit of the same address, revisits of others, a 304, a 404, redirects on the
    way to a page and to nowhere, and what the ledger tells: a chapter, a refusal.
    """
    archive = open_archive(folder, KnownFiles({}), software="holdfast interop")
    urls = [parse_url(address) for address in ADDRESSES]
    fields = (("Content-Type", "text/html; charset=utf-8"), ("Content-Encoding", "gzip"))
    page = Capture(urls[0], urls[0], 200, fields, BODY, NOW)
    first = archive.append(page)
    original = Original(first, ADDRESSES[0], NOW)
    archive.append(replace(page, fetched_at=NOW.replace(hour=11)), original)
    for url in urls[1:]:
        archive.append(replace(page, requested=url, final=url), original)
    not_modified = replace(page, status=304, body=b"", fetched_at=NOW.replace(hour=12))
    archive.append(not_modified, original)
    archive.append(replace(page, status=404, body=b"no", fetched_at=NOW.replace(hour=13)))
    moved = (("Location", ADDRESSES[0]), ("Content-Type", "text/html"))
    hop = Hop(parse_url(OLD), 301, urls[0], moved, MOVED)
    way = replace(page, requested=hop.url, hops=(hop,), fetched_at=NOW.replace(hour=14))
    archive.append(way, original)
    archive.append(replace(way.last_redirect, fetched_at=NOW.replace(hour=15)))
    archive.append_told(RefusedAddress("r1", "https://example.com/private", "Disallow: /private"), NOW)
    file, end = archive.append_told(Part("run r1", 1, is_last=True, text=b"[1]\n"), NOW)
    archive.sync()
    archive.close()
    return {file: end}


class _StayHere(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: what is replayed names addresses of the web."""

    def redirect_request(self, *_):
        return None


_OPENER = urllib.request.build_opener(_StayHere, urllib.request.ProxyHandler({}))


def replay(pywb: Path, collection: Path, address: str, stamp: str) -> bytes:
    """What pywb's server gives for an address at a time."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [pywb / "wayback", "-p", str(port), "-b", "127.0.0.1"],
        cwd=collection,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{port}/test/{stamp}id_/{address}"
        for _ in range(100):
            try:
                with _OPENER.open(url, timeout=10) as answer:
                    return answer.read()
            except urllib.error.HTTPError as answer:
                return answer.read()
            except ConnectionError:
                time.sleep(0.2)
            except urllib.error.URLError as error:
                if not isinstance(error.reason, ConnectionError):
                    raise
                time.sleep(0.2)
        raise SystemExit("pywb did not start")
    finally:
        server.kill()
        server.wait()


def main() -> None:
    pywb = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ends = write(folder / "archive")
        (warc,) = (folder / "archive").iterdir()
        theirs = subprocess.run(
            [pywb / "cdx-indexer", "-j", "-s", str(warc)], capture_output=True, text=True, check=True
        )
        ours = index_lines(FolderShelf(folder / "archive"), ends)
        if theirs.stdout.splitlines() != ours:
            raise SystemExit(f"the indexes differ:\n{theirs.stdout}\n{chr(10).join(ours)}")
        print(f"index: {len(ours)} lines, equal to cdx-indexer's byte for byte")
        subprocess.run([pywb / "wb-manager", "init", "test"], cwd=folder, check=True, capture_output=True)
        command = [pywb / "wb-manager", "add", "test", str(warc)]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        for stamp, address, stored in (
            ("20261115093001", ADDRESSES[0], BODY),
            ("20261115113001", ADDRESSES[0], BODY),
            ("20261115093001", ADDRESSES[1], BODY),
            ("20261115143001", OLD, MOVED),
            ("20261115153001", OLD, MOVED),
        ):
            body = replay(pywb, folder, address, stamp)
            if body != stored:
                raise SystemExit(f"{address} at {stamp}: {len(body)} bytes, not {len(stored)}")
            print(f"replay: {address} at {stamp}: the body that was stored")


if __name__ == "__main__":
    main()
