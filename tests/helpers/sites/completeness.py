"""Whether a mirror of a folder of HTML is complete: every page there, none twice, every link opens."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import lxml.html

from helpers.sites.command import files_of, manifest_of, pages_of
from helpers.sites.static import load


def listed_pages(folder: Path) -> set[str]:
    """The pages that the folder's sitemap names."""
    return {
        target
        for target, (kind, _) in load(folder, "/").items()
        if kind.startswith("text/html") and not target.endswith("/")
    }


def linked_pages(folder: Path, start: str) -> set[str]:
    """The pages that links lead to from a start, found by another parser than ours."""
    site = {
        target: body for target, (kind, body) in load(folder, "/").items() if kind.startswith("text/html")
    }
    found, waiting = set(), [start]
    while waiting:
        target = waiting.pop()
        if target in found or target not in site:
            continue
        found.add(target)
        document = lxml.html.document_fromstring(site[target])
        hrefs = (element.get("href") for element in document.iter("a", "area") if element.get("href"))
        waiting += [urlsplit(urljoin(f"http://x{target}", href)).path for href in hrefs]
    return {target for target in found if not target.endswith("/")}


def check_mirror(output: Path, origin: str, expected: set[str]) -> None:
    """Compare a mirror with the pages it should have; `expected` are request targets."""
    manifest = manifest_of(output)
    urls = [entry["url"].removeprefix(origin) for entry in manifest["pages"]]
    assert sorted(urls) == sorted(set(urls)), "a page is there twice"
    missing, more = expected - set(urls), set(urls) - expected
    assert not missing, f"{len(missing)} pages are missing: {sorted(missing)[:5]}"
    assert not more, f"{len(more)} pages too many: {sorted(more)[:5]}"
    assert {entry["path"] for entry in manifest["pages"]} == set(pages_of(output))
    for entry in manifest["pages"]:
        data = (output / entry["path"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == entry["file_sha256"]
    links = re.findall(r"\]\(([^)]+)\)", (output / "_index.md").read_text())
    assert len(links) == len(urls)
    assert all((output / unquote(link)).is_file() for link in links)
    assert "_failed.log" not in files_of(output)
