"""Scope: which URLs belong to a mirror, and which are documentation generators' noise.

1. Scope decides on a parsed `Url`, the one that would be fetched, never on a raw text (ID-1).
2. A root is a start's host and the folder of its path: everything up to the last slash. `…/docs/` and
   `…/docs/intro` admit what begins with `/docs/`; `…/docs` admits the whole host.
3. The host must be a root's, port included. `http` and `https` on their default ports are one host.
4. `allow_host` admits another host whole: `cdn.example.com`, `example.com:8080`, `*.example.com` (any
   name below, not the name itself).
5. Patterns are globs over path and query (`/guide/*`, `*?print=1`), or over the whole URL when they hold
   `://`. `*` stands for any run of characters, slashes included; every other character stands for
   itself, `?` too, since it begins the query. A pattern matches the whole text, not a part of it.
6. What an `exclude` matches is out. Where there is an `include`, what none matches is out. A start that
   the user named is exempt from `include` alone.
7. What a generator makes for its own use is out, by its name, unless `keep_noise` matches it or the user
   named it.
8. `max_depth` bounds the distance from a listed URL, counted in links.

What documentation generators make for their own use: no reader looks for it in a mirror (MIR-14).

    by its name alone                                       what it is
    a folder `_sources`                                     the source text of pages (Sphinx)
    a folder `_modules`                                     source code as pages (Sphinx)
    `genindex`, `py-modindex`, `index-all`, `index-files/`  general indexes (Sphinx, Javadoc)
    `api-index-…`, `bookindex`, `ix01`                      general indexes (gtk-doc, DocBook)
    a folder `_print`, `print_page`                         many pages in one, for printing (Docsy, MkDocs)

    by its name, and by what it says
    `search`: few words, and a generator or its search      a search page
    `tags`, `tag`, `categories`, or a name below them: a    a list of the pages with a tag
    generator that makes such lists, many links
    `print`: made by mdBook                                 the whole book in one page
    `functions`, `globals`, `namespacemembers` and what     general indexes
    follows them: made by Doxygen
    `_index`, `class_list`, `method_list`, `file_list`:     general indexes
    made by YARD

A name is the last segment of a path, with or without `.html`. What only its name and its words tell apart
is fetched first: a chapter on searching is called `search.html`, too. What the user names is never noise.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from typing import Final

from holdfast.core.base.errors import UsageError
from holdfast.core.base.values import dataclass
from holdfast.core.url.url import Url

_DEFAULT: Final = 0  # 80 of http and 443 of https: one host


class OutOfScope(StrEnum):
    """Why a URL is not part of the mirror; refusals are counted by these words."""

    HOST = "foreign host"
    PATH = "outside the start's folder"
    EXCLUDED = "excluded"
    NOT_INCLUDED = "not included"
    DEPTH = "too deep"


@dataclass(frozen=True, slots=True)
class Root:
    """A host and a path prefix that ends with a slash."""

    host: str
    port: int
    prefix: str = "/"

    @classmethod
    def of(cls, start: Url, *, whole_host: bool = False) -> Root:
        """The root that a start URL spans."""
        prefix = "/" if whole_host else start.path[: start.path.rfind("/") + 1]
        return cls(start.host, _port(start), prefix)


@dataclass(frozen=True, slots=True)
class Scope:
    """The rules of one mirror."""

    roots: tuple[Root, ...]
    allow_host: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_depth: int | None = None
    keep_noise: tuple[str, ...] = ("*",)

    def refusal(self, url: Url, *, depth: int = 0, named: bool = False) -> OutOfScope | Noise | None:
        """Why a URL is out; None when it is in. `named`: the user named it."""
        if (place := self._place(url)) is not None:
            return place
        if self.max_depth is not None and depth > self.max_depth:
            return OutOfScope.DEPTH
        if any(matches(pattern, url) for pattern in self.exclude):
            return OutOfScope.EXCLUDED
        if self.include and not named and not any(matches(pattern, url) for pattern in self.include):
            return OutOfScope.NOT_INCLUDED
        noise = None if named else noise_by_name(url)
        return None if noise is None or self.keeps_noise(url) else noise

    def keeps_noise(self, url: Url) -> bool:
        """Whether a URL stays in the mirror though a generator made it for its own use."""
        return any(matches(pattern, url) for pattern in self.keep_noise)

    def _place(self, url: Url) -> OutOfScope | None:
        own_host = False
        for root in self.roots:
            if url.host == root.host and _port(url) == root.port:
                own_host = True
                if url.path.startswith(root.prefix):
                    return None
        if self.allow_host and any(_allows(pattern, url) for pattern in self.allow_host):
            return None
        return OutOfScope.PATH if own_host else OutOfScope.HOST


def check_pattern(pattern: str) -> str:
    """The pattern, if it can match anything at all."""
    if not pattern.startswith(("/", "*")) and "://" not in pattern:
        raise UsageError(
            f"the pattern {pattern!r} can match nothing: paths begin with a slash",
            hint=f"write '/{pattern}' or '*{pattern}'; `*` stands for any characters",
        )
    return pattern


def matches(pattern: str, url: Url) -> bool:
    """Whether a glob matches a URL's path and query, or the whole of it."""
    return _glob(pattern, url.href if "://" in pattern else url.target)


def _glob(pattern: str, text: str) -> bool:
    """Match greedily piece by piece: linear, whatever the pattern."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == first
    *middle, last = rest
    if not text.startswith(first):
        return False
    at = len(first)
    for piece in middle:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return len(text) - len(last) >= at and text.endswith(last)


def _allows(pattern: str, url: Url) -> bool:
    host, _, port = pattern.lower().rpartition(":") if _has_port(pattern) else (pattern.lower(), "", "")
    if port and port.lstrip("0") != str(url.effective_port):
        return False
    return url.host.endswith(host[1:]) if host.startswith("*.") else url.host == host


def _has_port(pattern: str) -> bool:
    return pattern.rpartition(":")[2].isdecimal() and not pattern.endswith("]")


def _port(url: Url) -> int:
    return _DEFAULT if url.port is None else url.port


_FEW_WORDS: Final = 80
_LINKED: Final = 5
"""One word in so many is a link, where a page lists pages with a sentence of each."""
_MAKES_TAGS: Final = (
    "docusaurus",
    "hugo",
    "jekyll",
    "pelican",
    "hexo",
    "eleventy",
    "vuepress",
    "ablog",
    "nikola",
)
_BY_NAME: Final = re.compile(
    r"/(?:(?P<sources>_sources)/|(?P<code>_modules)(?:/|\.html?$)|(?P<print>_print/|print_page(?:/|\.html?)?$)"
    r"|(?P<index>(?:genindex(?:-[^/.]+)?|(?:py|np)-modindex|index-all|api-index-[^/.]+|bookindex|ix01)(?:/|\.html?)?$|index-files/))"
)
_NAMED = re.compile(
    r"/(?:(?P<search>search)|(?P<print>print)|(?P<tags>(?:tags?|categories)(?:/[^/]+)?)"
    r"|(?P<members>(?:functions|globals|namespacemembers)(?:_[^/.]*)?)"
    r"|(?P<lists>_index|(?:class|method|file|tag)_list))(?:/|\.html?)?$"
)


class Noise(StrEnum):
    """What was left out; counted by these words."""

    SOURCES = "noise: page sources"
    CODE = "noise: source code pages"
    INDEX = "noise: general index"
    SEARCH = "noise: search page"
    TAGS = "noise: tag pages"
    PRINT = "noise: print version"


_WORDS: Final = {
    "sources": Noise.SOURCES,
    "code": Noise.CODE,
    "index": Noise.INDEX,
    "print": Noise.PRINT,
}


@dataclass(frozen=True, slots=True)
class Look:
    """What a page shows of itself: who made it, as far as is known, how many words it has, how many of them
    are links, and whether it brings a generator's search along.
    """

    generator: str
    words: int
    linked_words: int
    has_search: bool


def noise_by_name(url: Url) -> Noise | None:
    """What a URL is by its name alone."""
    found = _BY_NAME.search(url.path)
    return _WORDS[found.lastgroup] if found and found.lastgroup else None


def noise_by_look(url: Url, looking: Callable[[], Look]) -> Noise | None:
    """What a page is by its name and by what it says. Few pages have such a name: only they are looked at."""
    found = _NAMED.search(url.path)
    if found is None:
        return None
    look = looking()
    maker = look.generator.lower()
    match found.lastgroup:
        case "search" if look.words < _FEW_WORDS and (maker or look.has_search):
            return Noise.SEARCH
        case "tags" if maker.startswith(_MAKES_TAGS) and _LINKED * look.linked_words >= look.words:
            return Noise.TAGS
        case "print" if maker.startswith("mdbook"):
            return Noise.PRINT
        case "members" if maker.startswith("doxygen"):
            return Noise.INDEX
        case "lists" if maker.startswith("yard"):
            return Noise.INDEX
        case _:
            return None
