"""`make fuzz`: every page of twenty Debian packages, read by the native reader and by the reference.

    python tests/proofs/compare_readers.py [PACKAGE…]

Whole packages, of most generators there are, downloaded into `quality/work/`. Each page is read with its
outline, and with sections that are cited: some of its own anchors, some that it does not have. A page that is
read differently ends it; what the native reader declines is counted.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "quality"))

from corpus import Package, prepare  # noqa: E402 - the harness is a folder of scripts
from holdfast.core.page import python_reader, rust_reader  # noqa: E402 - as above
from holdfast.core.page.distill_options import DistillOptions  # noqa: E402 - as above
from holdfast.core.page.html.limits import breach  # noqa: E402 - as above
from holdfast.core.page.html.tokens import normal_form  # noqa: E402 - as above
from holdfast.core.page.python_reader import form_of  # noqa: E402 - as above
from holdfast.core.url.url import parse_url  # noqa: E402 - as above
from holdfast.core.web.decoding import decode  # noqa: E402 - as above

PACKAGES = (
    *("python3.11-doc", "postgresql-doc-15", "git-doc", "nodejs-doc", "sqlite3-doc", "python-django-doc"),
    *("mkdocs-doc", "sphinx-doc", "zsh-doc", "yard-doc", "asciidoctor-doc", "libcommons-codec-java-doc"),
    *("libgtk-3-doc", "libjsoncpp-doc", "nim-doc", "libghc-aeson-doc", "vim-doc", "valgrind"),
    *("debian-reference-en", "libcalendar-ocaml-doc"),
)
OUTLINED = DistillOptions(glance=True, outline=True)
NOT_THERE = ("top", "nowhere", "introduction", ":~:text=the,of")
CITED = 6


def compare(html: str, name: str) -> str:
    """How a page was read: `alike` (`reduced`: it is beyond the limits), or `declined`."""
    url = parse_url(f"https://docs.example/guide/{name}")
    if rust_reader.READER.is_harmless(html) and breach(html) is not None:
        raise AssertionError("a page beyond the limits was called harmless")
    form, is_reduced = form_of(html)
    if not is_reduced and form != normal_form(html):
        raise AssertionError("the native reader does not see what a normal form leaves out")
    glanced = rust_reader.read_form(rust_reader.READER, form, url, OUTLINED)
    if glanced is None:
        return "declined"
    cited = frozenset((*sorted(glanced.structure.anchors)[:CITED], *NOT_THERE))
    options = DistillOptions(outline=True, fragments=cited)
    if rust_reader.read_form(rust_reader.READER, form, url, options) != python_reader.read_form(
        form, url, options
    ):
        raise AssertionError("the native reader reads something else")
    return "alike, reduced" if is_reduced else "alike"


def main() -> None:
    """Compare all pages."""
    if rust_reader.READER is None:
        sys.exit("the native reader is not built: there is nothing to compare")
    total: Counter[str] = Counter()
    packages = 0
    for name in sys.argv[1:] or PACKAGES:
        folder = prepare(Package(name, ()))
        if folder is None:
            print(f"{name}: cannot be downloaded here, left out", file=sys.stderr)
            continue
        found: Counter[str] = Counter()
        for file in sorted(path for path in folder.rglob("*.html") if path.is_file()):
            try:
                found[compare(decode(file.read_bytes(), "text/html").text, file.name)] += 1
            except Exception:
                print(file, file=sys.stderr)
                raise
        print(f"{name}: {dict(found)}", flush=True)
        total += found
        packages += 1
    print(f"{packages} packages, {total.total():,} pages, no difference: {dict(total)}")


if __name__ == "__main__":
    main()
