"""HTML to tokens, by way of lexbor: the one door to the parser.

1. lexbor builds the tree that the WHATWG standard specifies. Elements whose text is not text (`INVISIBLE`)
   are taken out of it; `xmp` and `plaintext`, whose text is written raw, become `pre`.
2. The tree is then serialized and split at its brackets. In a serialized tree brackets are tags: those of
   text and of attribute values are escaped. Only the name of an element or attribute may hold a `<`; then
   there are more `<` than `>`, and a regular expression reads the page instead.
   This is many times as fast as walking the parser's nodes (docs/internals/decisions/page-parsing.md);
   tests compare both ways.
3. What a tag means is worked out once for all that are written alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import lru_cache
from sys import intern
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser

MAX_GROWTH: Final = 5
"""How many times as large as its page a tree may be: elements that are opened again are written again."""

INVISIBLE: Final = ["script", "style", "template", "noscript", "noembed", "noframes"]
"""Taken out before anything is read; an `iframe` is emptied."""

_RAW: Final = ("iframe", "xmp", "plaintext")
_TEX_TYPE: Final = "math/tex"
CHANGED: Final = frozenset((*INVISIBLE, *_RAW, _TEX_TYPE))
"""What a normal form leaves out or writes otherwise: elements, and the type of scripts that are kept."""

TEX: Final = "$tex"
"""What TeX in a `script[type^="math/tex"]` stays as, for the writer alone. No page has such an element."""

COLLECTED: Final = frozenset(
    "a area img iframe frame video audio source embed input link meta base html title h1".split()
)
"""Elements whose places are kept, so that nobody needs to search for them."""

VOID: Final = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track "
    "wbr".split()
)
LANDMARKS: Final = frozenset(("main", "article", "body"))
_PASSED: Final = frozenset("span font nobr abbr acronym big small time".split())
TABLES: Final = {
    "void": VOID,
    "collected": COLLECTED,
    "landmark": LANDMARKS,
    "passed": _PASSED,
    "changed": CHANGED,
}
"""What the native reader is told of these tables."""

_TOKEN = re.compile(
    # White space is HTML's own; `\s` would know more of it.
    r"<(?:!--.*?--|\?[^>]*|(/?[a-zA-Z$][^ \t\n\f\r/>]*+(?: =?[^ \t\n\f\r=/>]*+=\"[^\"]*+\")*))>([^<]*+)",
    re.DOTALL,
)
_ASIDE = re.compile(r"<!--.*?-->|<\?[^>]*>", re.DOTALL)
_ATTRIBUTE = re.compile(r" (=?[^ \t\n\f\r=/>]*)=\"([^\"]*)\"")
_PRE = re.compile(r"<pre(?: [^>]*)?>.*?</pre>", re.DOTALL)
_HIGHLIGHT = re.compile(
    r"<span(?: class=\"(?!ln\"|lnt\")(?:[a-z][a-z0-9]{0,2}|hljs-[a-z_]+|token [a-z -]+|ident|macro|string|"
    r"comment|number|lifetime|self|attribute|keyword|operator|preprocessor|keywordtype|keywordflow|type|function|class)\")?>"
)
_RAW_TAGS: Final = tuple(f"<{name}" for name in _RAW)
_LONG: Final = 200
"""Longer texts are not remembered from page to page."""
_NO_ATTRS: Final[dict[str, str]] = {}
_NO_NAMES: Final[frozenset[str]] = frozenset()


# What a tag does to the tree: one number, since it is asked of every tag of every page.
CLOSES: Final = 0
PASSES: Final = 1
"""An element that means nothing: what is in it belongs to what is around it."""
OPENS: Final = 2
STANDS: Final = 3
"""A void element."""
NOTED: Final = 4
"""Opens or stands, and somebody wants to know."""
NOTHING: Final = 5


class Wanted(NamedTuple):
    """What to look out for while a page is read, so that nobody needs to search for it afterwards.

    `names`: ids (`#id`) and class names whose elements become places. `is_doubtful`: whether an element of
    this name, with these attributes and names, becomes a doubt. `meaningful`: class names for which an
    element is kept that would be passed over.
    """

    names: frozenset[str] = frozenset()
    is_doubtful: Callable[[str, dict[str, str], frozenset[str]], bool] | None = None
    meaningful: frozenset[str] | None = None


class Tag:
    """What a tag means: its name (`p`, `/p`), its attributes, its class names and `#id`."""

    __slots__ = ("attrs", "collected", "doubtful", "name", "names", "place", "role", "turn", "void")

    def __init__(self, name: str, attrs: dict[str, str], wanted: Wanted) -> None:
        self.name = intern(name)
        self.attrs = attrs
        self.names = names = _names(attrs) if attrs else _NO_NAMES
        self.role = role = attrs.get("role", "") if attrs else ""
        self.void = name in VOID
        self.collected = name in COLLECTED
        self.place = self.doubtful = False
        if name == "" or name[0] == "/":
            # Foreign elements with void names do have an end tag, which closes nothing.
            self.turn = NOTHING if name == "" or name[1:] in VOID else CLOSES
            return
        self.place = not self.void and (
            name in LANDMARKS or role == "main" or not names.isdisjoint(wanted.names)
        )
        self.doubtful = wanted.is_doubtful is not None and wanted.is_doubtful(name, attrs, names)
        if self.place or self.doubtful or role or name == "h1":
            self.turn = NOTED
        elif self.void:
            self.turn = STANDS
        else:
            self.turn = PASSES if name in _PASSED and _is_passed(attrs, names, wanted) else OPENS


def _is_passed(attrs: dict[str, str], names: frozenset[str], wanted: Wanted) -> bool:
    return wanted.meaningful is not None and "id" not in attrs and wanted.meaningful.isdisjoint(names)


def _read_tag(head: str, wanted: Wanted) -> Tag:
    name = head.partition(" ")[0]
    return Tag(name, _attributes(head[len(name) :]) if len(name) < len(head) else _NO_ATTRS, wanted)


_remembered_tag = lru_cache(maxsize=4_000)(_read_tag)
"""The pages of a site share most of their tags. Nobody changes a tag, nor its attributes."""


class Tokens(NamedTuple):
    """A page in columns: each tag, the text after it, and the attribute sets there are."""

    tags: list[Tag]
    texts: list[str]
    attributes: list[dict[str, str]]


def normal_form(html: str, changed: Collection[str] = CHANGED, utf8: bytes | None = None) -> str | None:
    """The tree of a whole page, serialized; None where it is many times as large as the page."""
    form = large_form(html, changed, utf8)
    return form if len(form) <= MAX_GROWTH * len(html) + 1_000_000 else None


def large_form(html: str, changed: Collection[str] = CHANGED, utf8: bytes | None = None) -> str:
    """The tree of a whole page, serialized, however large it is.

    The caller has made sure that the page is within the limits (`guard`), and may know what of `CHANGED` it
    can have: what is not in the page need not be looked for in the tree. `utf8` is the page in bytes, where
    there is one.
    """
    parser = LexborHTMLParser(html if utf8 is None else utf8)
    if _TEX_TYPE in changed and _TEX_TYPE in html:
        _keep_tex(parser)
    if invisible := [name for name in INVISIBLE if name in changed]:
        parser.strip_tags(invisible)
    form = _serialized(parser)
    # rare, and looking for them in the tree costs more
    if any(name in changed and tag in form for name, tag in zip(_RAW, _RAW_TAGS, strict=True)):
        _escape_raw_text(parser)
        form = _serialized(parser)
    return form


def read_tokens(form: str, wanted: Wanted) -> Tokens:
    """The tokens of a normal form."""
    heads, texts = _columns(form)
    known = {
        head: _remembered_tag(head, wanted) if len(head) < _LONG else _read_tag(head, wanted)
        for head in set(heads)
    }
    attributes = [tag.attrs for tag in known.values() if tag.attrs]
    return Tokens([known[head] for head in heads], texts, attributes)


def unescape(text: str) -> str:
    """Serialized text or attribute value to what it means."""
    if "&" not in text:
        return text
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\xa0").replace("&quot;", '"')
    return text.replace("&amp;", "&")


def end_of(names: list[str], at: int) -> int:
    """Where the element that starts here ends; the end of all where it does not."""
    name, still_open = names[at], 1
    while still_open:
        try:
            end = names.index("/" + name, at + 1)
        except ValueError:
            return len(names)
        still_open += names[at + 1 : end].count(name) - 1
        at = end
    return at


def _serialized(parser: LexborHTMLParser) -> str:
    root = parser.root
    return (root.html or "") if root is not None else ""


def _keep_tex(parser: LexborHTMLParser) -> None:
    for script in parser.css("script[type^='math/tex']"):
        holder = parser.create_node(TEX)
        holder.insert_child(script.text())
        script.replace_with(holder)


def _escape_raw_text(parser: LexborHTMLParser) -> None:
    for frame in parser.css("iframe"):
        while frame.child is not None:
            frame.child.decompose()
    for raw in parser.css("xmp, plaintext"):
        pre = parser.create_node("pre")
        pre.insert_child(raw.text())
        raw.replace_with(pre)


def _columns(form: str) -> tuple[list[str], list[str]]:
    """What stands in each tag, and the text after it."""
    plain = _without_asides(form)
    if plain is None or plain.count("<") != plain.count(">"):
        pieces = _TOKEN.split(form)
        return [head or "" for head in pieces[1::3]], list(map(unescape, pieces[2::3]))
    pieces = _without_highlighting(plain).replace(">", "<").split("<")
    return pieces[1::2], [unescape(text) if "&" in text else text for text in pieces[2::2]]


def _without_asides(form: str) -> str | None:
    """The page without comments and instructions; None where a name looks like the start of one."""
    if "<!" not in form and "<?" not in form:
        return form
    kept: list[str] = []
    at = 0
    for aside in _ASIDE.finditer(form):
        before = form[at : aside.start()]
        if before.rfind("<") > before.rfind(">"):
            return None  # inside of a tag
        kept.append(before)
        at = aside.end()
    return "".join([*kept, form[at:]])


def _without_highlighting(html: str) -> str:
    """Take the spans of syntax highlighters out of code blocks: half of the tags of many pages.

    They have no meaning but colour. A block is left alone unless all its spans are such and they pair.
    """
    return _PRE.sub(_plain_block, html) if "<pre" in html else html


def _plain_block(block: re.Match[str]) -> str:
    html = block[0]
    if html.count("<pre") > 1:
        return html  # a span may not end before the block does
    plain, removed = _HIGHLIGHT.subn("", html)
    if removed != plain.count("</span>"):
        return html
    return plain.replace("</span>", "")


def _attributes(raw: str) -> dict[str, str]:
    """Attributes as they are serialized: ` name="value"`, with `"` and `=` in a name only if it is odd."""
    parts = raw.split('"')
    if len(parts) == 3 and " =" not in raw:  # one, as most tags have
        attrs = {parts[0][1:-1]: parts[1]}
    elif 2 * raw.count('="') == len(parts) - 1 and " =" not in raw:
        attrs = {name[1:-1]: value for name, value in zip(parts[:-1:2], parts[1::2], strict=True)}
    else:
        attrs = dict(_ATTRIBUTE.findall(raw))
    return {name: unescape(value) for name, value in attrs.items()} if "&" in raw else attrs


def _names(attrs: dict[str, str]) -> frozenset[str]:
    """The class names, and the id with a `#` before it."""
    classes = attrs.get("class", "")
    names = _class_names(classes) if len(classes) < _LONG else frozenset(classes.split())
    return names | {"#" + attrs["id"]} if "id" in attrs else names


@lru_cache(maxsize=2_000)
def _class_names(classes: str) -> frozenset[str]:
    """Remembered: the pages of a site share their classes."""
    return frozenset(classes.split())
