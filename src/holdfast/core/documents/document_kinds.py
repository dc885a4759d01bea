"""Which files are documents, and what each is read as.

1. By suffix, whatever its case; a file called `readme` without one is text.
2. Before that, by patterns of the user's own, written as in ignore files: `*.css`, `src/**/*.ts=text`. What
   stands after `=` is the format; without it style sheets are CSS, templates of pages HTML, all else text.
   The last pattern that fits decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from holdfast.core.base.errors import ConfigError
from holdfast.core.documents.ignore_file import IgnorePattern, read_ignore_file


class DocumentFormat(StrEnum):
    """The formats that are read."""

    MARKDOWN = "markdown"
    MDX = "mdx"
    HTML = "html"
    RST = "rst"
    ASCIIDOC = "asciidoc"
    NOTEBOOK = "notebook"
    TEXT = "text"
    CSS = "css"


SUFFIXES: Final = {
    **dict.fromkeys(("md", "markdown", "mdown", "mkd", "mkdn", "qmd", "rmd"), DocumentFormat.MARKDOWN),
    "mdx": DocumentFormat.MDX,
    **dict.fromkeys(("html", "htm", "xhtml"), DocumentFormat.HTML),
    **dict.fromkeys(("rst", "rest"), DocumentFormat.RST),
    **dict.fromkeys(("adoc", "asciidoc", "asc"), DocumentFormat.ASCIIDOC),
    "ipynb": DocumentFormat.NOTEBOOK,
    **dict.fromkeys(("txt", "text"), DocumentFormat.TEXT),
}
_ON_REQUEST: Final = {
    **SUFFIXES,
    **dict.fromkeys(("css", "scss", "less"), DocumentFormat.CSS),
    **dict.fromkeys(
        ("svg", "vue", "svelte", "astro", "njk", "j2", "jinja", "hbs", "erb", "ejs", "php", "tmpl"),
        DocumentFormat.HTML,
    ),
}


def format_of(path: str) -> DocumentFormat | None:
    """The format of a file, by its name; None for what is not a document."""
    name = path.rpartition("/")[2].lower()
    _, dot, suffix = name.rpartition(".")
    if not dot:
        return DocumentFormat.TEXT if name == "readme" else None
    return SUFFIXES.get(suffix)


class DocumentKinds:
    """What files are read as, by name and by patterns (`read_as`)."""

    def __init__(self, rules: Sequence[str] = ()) -> None:
        self._rules = [_rule(rule) for rule in reversed(rules)]

    def of(self, path: str) -> DocumentFormat | None:
        """The format of the file at a path from the root; None for what is not a document."""
        for pattern, kind in self._rules:
            if pattern.matches(path, is_folder=False):
                return kind or _ON_REQUEST.get(path.rpartition(".")[2].lower(), DocumentFormat.TEXT)
        return format_of(path)


def _rule(text: str) -> tuple[IgnorePattern, DocumentFormat | None]:
    written, mark, name = text.strip().rpartition("=")
    patterns = read_ignore_file(written if mark else name, "")
    known = {kind.value: kind for kind in DocumentFormat}
    if len(patterns) != 1 or patterns[0].takes_back:
        raise ConfigError(f"read_as: {text!r} is not a pattern", hint="such as '*.css' or 'src/**/*.ts=text'")
    if mark and name.strip() not in known:
        raise ConfigError(f"read_as: {name!r} is not a format", hint=f"formats are {', '.join(known)}")
    return patterns[0], known[name.strip()] if mark else None
