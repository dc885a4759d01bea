"""Real documentation: Debian's -doc packages, downloaded and unpacked into `quality/work/` (ignored by git).

A page is taken by the hash of its path, so that nobody chooses. The tuning set is what the writer was made
with; the fresh set is other pages of the same packages, and packages that no rule was written for.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

WORK: Final = Path(__file__).parent / "work"
_LARGEST: Final = 400_000
LOOKED_AT: Final = 60
"""So many pages of a tuning package, in the order of their hashes, count as seen; fewer than 50 were."""


@dataclass(frozen=True)
class Package:
    """A package, and where its pages keep their content: selectors in the order in which they are tried."""

    name: str
    main: tuple[str, ...]
    drop: tuple[str, ...] = ()
    tuning: bool = True


_HADDOCK = ("#table-of-contents", "a.link", "a.selflink")
SPHINX = ("div.body[role=main]", "div[itemprop=articleBody]", "div.body")
PACKAGES: Final = (
    Package("python3.11-doc", SPHINX),
    Package("postgresql-doc-15", ("body",), (".navheader", ".navfooter")),
    Package("git-doc", ("body",), ("#footer",)),
    Package("rust-doc", ("#main-content", "main"), (".out-of-band", ".nav-chapters", "#copy-path")),
    Package("nodejs-doc", ("#apicontent",)),
    Package("python-django-doc", ("div.yui-g",)),
    Package("sqlite3-doc", ("body",), (".nosearch",)),
    Package("openjdk-17-doc", ("main",)),
    Package(
        "cppreference-doc-en-html",
        ("#content",),
        (
            ".t-navbar",
            ".editsection",
            ".noprint",
            "#cpp-footer-base",
            "#siteSub",
            "#contentSub",
            ".printfooter",
            "#catlinks",
        ),
    ),
    Package(
        "libeigen3-doc",
        ("#doc-content",),
        ("#nav-path", ".summary", "#MSearchSelectWindow", "#MSearchResultsWindow"),
    ),
    Package("linux-doc-6.1", SPHINX),
    Package("cmake-doc", SPHINX),
    Package("python-sqlalchemy-doc", ("#docs-body",), (".topnav", "#docs-top-navigation")),
    Package("apache2-doc", ("#page-content",)),
    Package("erlang-doc", ("#content",), (".footer",)),
    Package("groovy-doc", ("body",), (".topNav", ".bottomNav", ".subNav", ".skip-nav", "script")),
    Package("libglib2.0-doc", ("div.refentry", "div.chapter")),
    Package("libgtk-3-doc", ("div.refentry", "div.chapter")),
    Package(
        "libsdl2-doc",
        ("#doc-content", "body"),
        (
            "#nav-path",
            ".summary",
            "#top",
            "#MSearchSelectWindow",
            "#MSearchResultsWindow",
            "hr.footer",
            "address.footer",
        ),
    ),
    Package(
        "libstdc++-12-doc",
        ("#doc-content", "body"),
        ("#top", ".summary", "#nav-path", ".navheader", ".navfooter", "address.footer", "hr.footer"),
    ),
    Package("libghc-aeson-doc", ("#content",), _HADDOCK),
    Package("mkdocs-doc", ("div[role=main]",)),
    Package("python-flask-doc", SPHINX),
    Package("python-jinja2-doc", SPHINX),
    Package("sphinx-doc", SPHINX),
    Package("qtbase5-doc-html", ("div.context", "div.content"), (".breadcrumb", ".toc")),
    Package("zsh-doc", ("body",), ("table.header", ".header")),
    Package(
        "nim-doc",
        ("#documentId > .container",),
        ("#toc-list", "#global-links", "#searchInputDiv", ".theme-switch-wrapper", ".row > a", ".footer"),
    ),
    Package("qtdeclarative5-doc-html", ("div.context", "div.mainContent"), (".breadcrumb", ".sidebar")),
    Package("junit4-doc", ("main",)),
    Package("mypy-doc", ("article[role=main]",)),
    Package("wx3.2-doc", ("body",), ("#top", ".summary", ".footer", "iframe")),
    Package("libboost1.74-doc", ("div.refentry", "div.chapter", "div.section", "div.article")),
    Package("scala-doc", ("body",), ("#mbrsel", "#tooltip", "#footer", ".permalink")),
    Package("libcairo2-doc", ("div.refentry", "div.chapter", "div.appendix")),
    Package("python-pandas-doc", ("main",), (".prev-next-area",)),
    Package("python-scipy-doc", ("main",), (".prev-next-area",)),
    Package("asciidoctor-doc", ("main",), (".method-click-advice",)),
    Package("debian-reference-en", ("body",), (".navheader", ".navfooter")),
    Package("r-doc-html", ("body",), (".header",)),
    Package("golang-1.19-doc", ("body",)),
    Package("gnuplot-doc", ("body",), (".navigation",)),
    Package("libxml2-doc", ("div.refentry", "body"), ("table.navigation",)),
    Package("vim-doc", ("body",)),
    Package("python-werkzeug-doc", SPHINX),
    Package("bind9-doc", SPHINX),
    Package("ffmpeg-doc", ("body",), ("#top", ".summary", ".footer", "iframe")),
    Package("borgbackup-doc", ("div.document.body",)),
    Package("glance-doc", ("div.docs-body",)),
    Package("libcalendar-ocaml-doc", ("body",), (".odoc-nav", ".odoc-toc")),
    Package("graphviz-doc", ("body",)),
    # Packages that nobody looked at while rules were written:
    Package("python-attr-doc", ("#furo-main-content", *SPHINX), tuning=False),
    Package("python-requests-doc", SPHINX, tuning=False),
    Package("python-bs4-doc", SPHINX, tuning=False),
    Package("ghc-doc", ("#content", *SPHINX), _HADDOCK, tuning=False),
    Package("libadwaita-1-doc", ("#main",), tuning=False),
    Package("cython-doc", SPHINX, tuning=False),
    Package("docbook-xsl-doc-html", ("body",), (".navheader", ".navfooter"), tuning=False),
    Package("emscripten-doc", ("div[itemprop=articleBody]", "div[role=main]"), tuning=False),
    Package("knot-doc", SPHINX, tuning=False),
    Package("gnutls-doc", ("div.refentry", "div.top", "div.chapter"), (".header",), tuning=False),
    Package("ant-doc", ("main", "body"), tuning=False),
    Package("libcommons-io-java-doc", ("main", "body"), tuning=False),
    Package("libjsoncpp-doc", ("div.contents",), tuning=False),
    Package("fish-common", SPHINX, tuning=False),
    Package("beets-doc", SPHINX, tuning=False),
    Package("valgrind", ("div.chapter", "div.sect1", "div.book"), tuning=False),
    Package("libsigc++-2.0-doc", ("div.contents",), tuning=False),
    Package("allegro5-doc", ("div.content",), tuning=False),
    Package("libfmt-doc", ("div.content",), tuning=False),
    Package("dbus-1-doc", ("div.contents", "div.refentry"), tuning=False),
    Package("libbotan-2-doc", SPHINX, tuning=False),
    Package("cockpit-doc", ("div.refentry", "div.chapter", "div.part"), tuning=False),
    Package("buildbot-doc", SPHINX, tuning=False),
    Package("libgcrypt20-doc", ("body",), (".header", ".nav-panel"), tuning=False),
    Package("cyrus-doc", SPHINX, tuning=False),
    Package("flask-sqlalchemy-doc", SPHINX, tuning=False),
    Package("libjson-glib-doc", ("#main",), tuning=False),
    Package("libcommons-codec-java-doc", ("main", "body"), tuning=False),
    Package("python-cryptography-doc", SPHINX, tuning=False),
    Package("libevdev-doc", ("div.contents",), tuning=False),
    Package("apt-doc", ("body",), (".navheader", ".navfooter"), tuning=False),
    Package("ceres-solver-doc", SPHINX, tuning=False),
    Package("bash-doc", ("body",), (".header",), tuning=False),
    Package("yard-doc", ("#content",), (".showSource", "pre.lines", ".summary_toggle"), tuning=False),
)


_WINDOWS = {
    byte: letter for byte in range(0x80, 0xA0) if (letter := bytes([byte]).decode("cp1252", "ignore"))
}


@dataclass(frozen=True)
class Sample:
    """One page: its package, its path in the package, its bytes."""

    package: Package
    path: str
    body: bytes

    @property
    def html(self) -> str:
        """The page as text, by the charset that it declares."""
        declared = re.search(rb"charset=[\"']?([\w-]+)", self.body[:2_000])
        label = declared[1].decode().lower() if declared else "utf-8"
        if label == "iso-8859-1":  # which browsers read as windows-1252: a byte that has no letter stays
            return self.body.decode("latin-1").translate(_WINDOWS)
        return self.body.decode(label, "replace")


def prepare(package: Package) -> Path | None:
    """The folder of an unpacked package; None where it cannot be had."""
    folder = WORK / "pages" / package.name
    if folder.is_dir():
        return folder
    debs = WORK / "debs"
    debs.mkdir(parents=True, exist_ok=True)
    found = sorted(debs.glob(f"{package.name}_*.deb"))
    if not found:
        command = ["apt-get", "download", "-q", package.name]
        try:
            done = subprocess.run(command, cwd=debs, capture_output=True, check=False, timeout=300)
        except (FileNotFoundError, subprocess.TimeoutExpired):
            return None
        found = sorted(debs.glob(f"{package.name}_*.deb")) if done.returncode == 0 else []
    if not found:
        return None
    folder.parent.mkdir(parents=True, exist_ok=True)  # `dpkg-deb` makes the folder, not what it lies in
    subprocess.run(["dpkg-deb", "-x", str(found[-1]), str(folder)], check=True, timeout=300)
    return folder


def sample(package: Package, count: int, *, fresh: bool) -> list[Sample]:
    """`count` pages by the hash of their path; the fresh ones come after all that were ever looked at."""
    folder = prepare(package)
    if folder is None:
        return []
    paths = sorted(
        (
            path
            for path in folder.rglob("*.html")
            if path.is_file() and not path.is_symlink() and 3_000 < path.stat().st_size < _LARGEST
        ),
        key=lambda path: hashlib.sha256(str(path.relative_to(folder)).encode()).hexdigest(),
    )
    start = LOOKED_AT if fresh and package.tuning else 0
    chosen = paths[start : start + count]
    return [Sample(package, str(path.relative_to(folder)), path.read_bytes()) for path in chosen]
