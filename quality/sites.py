"""Is a mirror a clean corpus? Eight real sites of eight generators, as other crawlers have them and as we do.

    python quality/sites.py [--only PACKAGE]        writes docs/internals/sites.md

Each is a Debian package, served on loopback and mirrored from its start page by its links, three times: by
`wget --mirror`, by Holdfast with its rules switched off (`--no-dedupe --keep-noise '*'`), and as it is.
Doubles are pages with the content hash of another one (of wget: with its bytes). Noise is what the names in
this file call so, whatever Holdfast's own rules say. Titles are those that
end like half of the others.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from corpus import PACKAGES, prepare
from helpers.sites.command import mirror
from helpers.sites.static import serve_folder

_ENDS: Final = re.compile(r"(?:(?:\s[|—–·-]|:)\s[^|—–:]+)?$")
REPORT = Path(__file__).parents[1] / "docs" / "internals" / "sites.md"
_NOISE: Final = re.compile(
    r"(^|/)(_sources/.*|_modules/.*|genindex[^/]*|py-modindex|search(results)?|tags?(/.*)?|print|[^/]*_print"
    r"|index-all|index-files/.*|api-index[^/]*|bookindex|(class|method|file|tag)_list|_index)(\.html)?$"
)
_DOXYGEN: Final = re.compile(r"(^|/)(functions|globals|namespacemembers)(_[^/]*)?\.html$")


class Site(NamedTuple):
    """A package, what made it, and where its pages lie."""

    package: str
    generator: str
    folder: str


SITES: Final = (
    Site("python-flask-doc", "Sphinx", "usr/share/doc/python-flask-doc/html"),
    Site("postgresql-doc-15", "DocBook", "usr/share/doc/postgresql-doc-15/html"),
    Site("libglib2.0-doc", "gtk-doc", "usr/share/gtk-doc/html/glib"),
    Site("libadwaita-1-doc", "gi-docgen", "usr/share/doc/libadwaita-1"),
    Site("libjsoncpp-doc", "Doxygen", "usr/share/doc/libjsoncpp-doc"),
    Site("libcommons-io-java-doc", "Javadoc", "usr/share/doc/libcommons-io-java/api"),
    Site("yard-doc", "YARD", "usr/share/doc/yard/doc"),
    Site("nodejs-doc", "node's own", "usr/share/doc/nodejs/api"),
)


class Figures(NamedTuple):
    """What a mirror of a site holds; None where the crawler does not say."""

    pages: int
    doubles: int
    noise: int
    titles: int | None


def figures(site: Site, paths: Iterable[str], contents: Iterable[str], titles: int | None) -> Figures:
    """Count them."""
    paths, contents = list(paths), list(contents)
    patterns = (_NOISE, _DOXYGEN) if site.generator == "Doxygen" else (_NOISE,)
    noise = sum(any(pattern.search(path) for pattern in patterns) for path in paths)
    return Figures(len(paths), len(contents) - len(set(contents)), noise, titles)


def by_holdfast(site: Site, origin: str, *flags: str) -> Figures:
    """A mirror, as its manifest describes it."""
    with tempfile.TemporaryDirectory() as work:
        done = mirror(f"{origin}/", work, "--discover", "links", "--quiet", "--processes", "0", *flags)
        manifest = json.loads((Path(work) / "_manifest.json").read_text(encoding="utf-8"))
        if "--no-dedupe" not in flags:
            print("   ", " / ".join(done.err.strip().splitlines()[:6]), file=sys.stderr)
    pages = manifest["pages"]
    is_before = "--no-dedupe" in flags
    titles = Counter(
        _ENDS.search(page["full_title" if is_before and "full_title" in page else "title"])[0]
        for page in pages
    )
    shared = max((count for end, count in titles.items() if end), default=0)
    named = shared if 2 * shared >= len(pages) else 0
    return figures(site, (page["url"] for page in pages), (page["content_sha256"] for page in pages), named)


def by_wget(site: Site, origin: str) -> Figures:
    """What wget brings."""
    with tempfile.TemporaryDirectory() as work:
        command = ["wget", "-q", "--mirror", "--no-parent", "-P", work, f"{origin}/"]
        subprocess.run(command, check=False, timeout=600)
        pages = [path for path in Path(work).rglob("*.html") if path.is_file()]
        contents = [hashlib.sha256(path.read_bytes()).hexdigest() for path in pages]
        names = [path.relative_to(work).as_posix() for path in pages]
    return figures(site, names, contents, None)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", help="one package")
    args = parser.parse_args()
    known = {package.name: package for package in PACKAGES}
    lines = []
    for site in SITES:
        folder = prepare(known[site.package]) if args.only in (None, site.package) else None
        if folder is None:
            continue
        with serve_folder(folder / site.folder) as origin:
            wget = by_wget(site, origin)
            before = by_holdfast(site, origin, "--no-dedupe", "--keep-noise", "*")
            after = by_holdfast(site, origin)
        lines.append(row(site, wget, before, after))
        print(lines[-1], flush=True)
    if not lines:
        print("no package could be had: nothing was measured", file=sys.stderr)
        return 1
    if args.only is None:
        REPORT.write_text(HEAD.format(rows="\n".join(lines)), encoding="utf-8")
    return 0


def row(site: Site, wget: Figures, before: Figures, after: Figures) -> str:
    """A line of the table."""
    pairs = zip(before[1:3], after[1:3], strict=True)
    cells = [f"{wget.pages} / {wget.doubles} / {wget.noise}", f"{before.pages} → {after.pages}"]
    cells += [f"{old} → {new}" for old, new in pairs]
    return f"| {site.package} | {site.generator} | {' | '.join(cells)} | {before.titles} → {after.titles} |"


HEAD = """# Eight sites, before and after

Written by `make quality`; do not edit. Debian's documentation of eight generators, served on loopback and
mirrored from the start page by its links: by `wget --mirror`, by Holdfast with the rules switched off
(`--no-dedupe --keep-noise '*'`), and by Holdfast as it is. *Doubles* are pages that say what another one
says; *noise* is what `quality/sites.py` calls so by its name; *titles* are those that end like half of the
others.

| package | generator | wget: pages / doubles / noise | pages | doubles | noise | titles with the site's |
|---|---|---|---|---|---|---|
{rows}
"""

if __name__ == "__main__":
    sys.exit(main())
