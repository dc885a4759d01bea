"""What a page gives away, by its elements and its bytes.

Pages that do not show their content are flagged, never passed off as content (TXT-6). Each rule needs two
signs at least. Signs are looked for in lower case, and by a plain search before a pattern: most short pages
are content.

The raw bytes tell, without being read as HTML, who made a page, which sitemaps it names, which scripts hold
its menu, which description of an interface it shows.

1. Only the first `READ` bytes are looked at, once for each sign; every pattern is linear. Most pages have
   few signs: a pattern is tried only where a word is that it cannot do without.
2. A sign is a guess. What follows from it is checked by whoever follows it.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from holdfast.core.page.page import PageWarning

if TYPE_CHECKING:
    from holdfast.core.page.html.tree import ParsedPage

_FEW_WORDS: Final = 60
_SHELL_IDS: Final = frozenset(("root", "app", "__next", "__nuxt", "___gatsby", "svelte", "q-app", "main-app"))
TABLES: Final = {"shell ids": _SHELL_IDS}
"""What the native reader is told of these tables."""
_NEEDS_SCRIPT = re.compile(
    r"(?:enable|requires?|need|turn on|activate|without)\W+(?:\w+\W+){0,4}java ?script|"
    r"javascript\W+(?:\w+\W+){0,3}(?:disabled|required|enabled)"
)
_NOT_FOUND = re.compile(
    r"\b404\b|\b(?:page|document|file|article|content|site)\W+(?:\w+\W+){0,3}"
    r"(?:not found|no longer|does(?: not|n.t) exist|could(?: not|n.t) be found|"
    r"cannot be found|can.t be found)|"
    r"\bnot found\b|seite nicht gefunden|page introuvable|página no encontrada|pagina non trovata"
)
_NOT_FOUND_WORDS: Final = (
    *("404", "not found", "no longer", "exist", "be found"),
    *("nicht gefunden", "introuvable", "encontrada", "trovata"),
)
_LOGIN = re.compile(
    r"\b(?:log ?in|sign ?in|log ?on|authentication required|session expired|anmelden|connexion)\b"
)
_CONSENT = re.compile(
    r"\b(?:cookies?|consent|gdpr|privacy choices|before you continue|datenschutz|personal data|partners)\b"
)
_CONSENT_WORDS: Final = (
    *("cookie", "consent", "gdpr", "privacy choices", "before you continue"),
    *("datenschutz", "personal data", "partners"),
)
_AGREE = re.compile(
    r"\b(?:accept|agree|reject|allow|decline|manage|zustimmen|akzeptieren|accepter)\b", re.IGNORECASE
)


class Signs(NamedTuple):
    """What the elements of a page give away: one that a script fills, a password field."""

    has_root: bool
    has_password: bool


def signs_of(document: ParsedPage) -> Signs:
    """Look at the elements."""
    return Signs(any(attrs.get("id") in _SHELL_IDS for attrs in document.attributes), _has_password(document))


def warnings_of(signs: Signs, html: str, title: str, text: str) -> list[PageWarning]:
    """What the page looks like if not like content. `text` is its normalized text."""
    words = text.count(" ") + 1 if text else 0
    found: list[PageWarning] = []
    if words >= 4 * _FEW_WORDS:
        return found
    title, lower = title.lower(), text.lower()
    if words < _FEW_WORDS and _is_shell(html, lower, words, has_root=signs.has_root):
        found.append(PageWarning.EMPTY_SHELL)
    if _is_not_found(title) or (words < 2 * _FEW_WORDS and _is_not_found(lower[:200])):
        found.append(PageWarning.SOFT_404)
    if signs.has_password and (_LOGIN.search(title) or _LOGIN.search(lower)):
        found.append(PageWarning.LOGIN_WALL)
    if _asks_for_consent(lower) and _AGREE.search(html):
        found.append(PageWarning.CONSENT_WALL)
    return found


def _is_shell(html: str, lower: str, words: int, *, has_root: bool) -> bool:
    if "<script" not in html and "<SCRIPT" not in html:
        return False
    if "script" in lower and _NEEDS_SCRIPT.search(lower):
        return True
    return words < 10 and (has_root or not lower or _NEEDS_SCRIPT.search(html.lower()) is not None)


def _is_not_found(lower: str) -> bool:
    return any(word in lower for word in _NOT_FOUND_WORDS) and _NOT_FOUND.search(lower) is not None


def _asks_for_consent(lower: str) -> bool:
    return sum(map(lower.count, _CONSENT_WORDS)) >= 3 and len(_CONSENT.findall(lower)) >= 3


def _has_password(document: ParsedPage) -> bool:
    inputs = (tag for at in document.collected if (tag := document.tags[at]).name == "input")
    return any(tag.attrs.get("type", "").lower() == "password" for tag in inputs)


READ: Final = 512 * 1024
_TAG = re.compile(rb"<(?:link|meta|base)\b[^<>]{0,2000}>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([a-zA-Z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_MENU = re.compile(rb"""["']([^"'<>\s]{0,200}\b(?:menudata|navtreedata)\.js)["']""")
_MENU_WORDS: Final = (b"menudata.js", b"navtreedata.js")
_SEARCHERS: Final = (b"pagefind", b"lunr")
_SEARCH_WORDS: Final = (
    *(b"searchtools.js", b"searchindex.js", b"search_index.json", b"search/main", b"searcher.js"),
    *(b"docsearch", b"id='search-results", b'id="search-results'),
)
_DATA = re.compile(
    rb"""["']([^"'<>\s]{0,300}(?:openapi|swagger|api-docs|search[_-]?index)[^"'<>\s]{0,100}\.(?:json|ya?ml|js))["']""",
    re.IGNORECASE,
)
_API_WORDS: Final = (b"openapi", b"swagger", b"api-docs")
_INDEX_WORDS: Final = (b"searchindex", b"search_index", b"search-index")
_AROUND: Final = 500
"""No match of those patterns reaches further from its word."""
_YARD: Final = b"js/full_list.js"
"""YARD's lists do not say who made them."""
_MENU_ADDRESS = re.compile(r"""(?:\burl\s*:\s*|,\s*)"([^"\\\s]{1,500}\.(?:x?html?)(?:#[^"\\\s]{0,300})?)\"""")
_MOST_ADDRESSES: Final = 20_000
_ADDRESS_KEYS: Final = ("location", "url", "href", "permalink", "uri", "path", "u")
_SEARCH_INDEX = re.compile(r"search[_-]?index[^/]*\.(?:js|json)$", re.IGNORECASE)


class PageSigns:
    """The signs of an HTML page. Each is looked for when somebody asks for it: of most pages nobody does."""

    def __init__(self, body: bytes) -> None:
        self._start = body[:READ]

    @property
    def generator(self) -> str:
        """What the page says that it was made by."""
        return self._told[0]

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps that it links to. Addresses are as they stand there, here and below."""
        return self._told[1]

    @property
    def menus(self) -> tuple[str, ...]:
        """The scripts that hold its menu."""
        start = self._start
        return _all(_MENU, _near(_MENU_WORDS, start, start)) if b"data.js" in start else ()

    @property
    def has_search(self) -> bool:
        """Whether it brings a generator's search along."""
        words = _SEARCHERS + (_SEARCH_WORDS if self._searches else ())
        return any(word in self._lowered for word in words)

    @property
    def data(self) -> tuple[str, ...]:
        """The descriptions of interfaces and the search indexes that it names."""
        words = _API_WORDS + (_INDEX_WORDS if self._searches else ())
        return _all(_DATA, _near(words, self._start, self._lowered))

    @cached_property
    def _lowered(self) -> bytes:
        return self._start.lower()

    @cached_property
    def _searches(self) -> bool:
        return b"search" in self._lowered

    @cached_property
    def _told(self) -> tuple[str, tuple[str, ...]]:
        """The generator, and the sitemaps."""
        generator, sitemaps = "", []
        for tag in _TAG.finditer(self._start):
            if not _may_tell(tag[0].lower()):
                continue
            facts = dict(_attributes(tag[0].decode("utf-8", "replace")))
            if facts.get("name", "").lower() == "generator" and not generator:
                generator = facts.get("content", "")
            elif "sitemap" in facts.get("rel", "").lower().split() and facts.get("href"):
                sitemaps.append(facts["href"])
        return generator or ("YARD" if _YARD in self._start else ""), tuple(dict.fromkeys(sitemaps))


def is_search_index(path: str) -> bool:
    """Whether a path is that of a generator's search index."""
    return _SEARCH_INDEX.search(path) is not None


def menu_addresses(body: bytes) -> tuple[str, ...]:
    """The pages that a menu in JavaScript names (Doxygen: `menudata.js`, `navtreedata.js`)."""
    text = body[: 8 * READ].decode("utf-8", "replace")
    found = dict.fromkeys(match[1] for match in _MENU_ADDRESS.finditer(text))
    return tuple(found)[:_MOST_ADDRESSES]


def search_index_addresses(body: bytes) -> tuple[str, ...]:
    """The pages that a generator's search index names: MkDocs' `docs`, lists of objects with an address
    (Docusaurus, Hugo, Jekyll), Sphinx's `docnames`.
    """
    text = body[: 16 * READ].decode("utf-8", "replace").strip()
    text = text.removeprefix("Search.setIndex(").removesuffix(";").removesuffix(")")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    if isinstance(document, dict) and isinstance(document.get("docnames"), list):
        found = (f"{name}.html" for name in document["docnames"] if isinstance(name, str))
        return tuple(dict.fromkeys(found))[:_MOST_ADDRESSES]
    return tuple(dict.fromkeys(_addresses_in(document)))[:_MOST_ADDRESSES]


def _addresses_in(document: object, depth: int = 4) -> Iterator[str]:
    """The addresses of objects in lists, some levels deep."""
    if isinstance(document, dict):
        address = next((document[key] for key in _ADDRESS_KEYS if isinstance(document.get(key), str)), None)
        if address is not None:
            yield address
            return
    inner = document.values() if isinstance(document, dict) else document
    for value in inner if depth and isinstance(inner, Iterable) and not isinstance(inner, str) else ():
        yield from _addresses_in(value, depth - 1)


def openapi_title(body: bytes) -> str | None:
    """What a description of an interface calls itself and its format; None where it is not one."""
    if b'"openapi"' not in body[:READ] and b'"swagger"' not in body[:READ]:
        return None
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or "paths" not in document:
        return None
    version = document.get("openapi") or document.get("swagger")
    about = document.get("info")
    title = about.get("title", "") if isinstance(about, dict) else ""
    return f"OpenAPI {version} description {title}".strip() if isinstance(version, str) else None


def _attributes(tag: str) -> Iterator[tuple[str, str]]:
    for name, *values in _ATTRIBUTE.findall(tag):
        yield name.lower(), html.unescape("".join(values)).strip()


def _may_tell(tag: bytes) -> bool:
    """Whether a tag, in lower case, may name a generator or a sitemap; `&` may hide a letter of it."""
    return b"generator" in tag or b"sitemap" in tag or b"&" in tag


def _near(words: tuple[bytes, ...], text: bytes, lowered: bytes) -> bytes:
    """The stretch of a text from before the first of these words to after the last; nothing without any."""
    firsts = [at for word in words if (at := lowered.find(word)) >= 0]
    if not firsts:
        return b""
    last = max(lowered.rfind(word) for word in words)
    return text[max(min(firsts) - _AROUND, 0) : last + _AROUND]


def _all(pattern: re.Pattern[bytes], text: bytes) -> tuple[str, ...]:
    found = (match[1].decode("utf-8", "replace") for match in pattern.finditer(text))
    return tuple(dict.fromkeys(found))[:10]
