"""The sections of a page in order (SCT-1), from its outline, with the qualified names of what they document.

1. What stands before the first section is one too, unless it says nothing: its anchor is empty, its path
   the page's title.
2. The text of a section is its own: without that of the sections inside it, by the rules of `text_v1`.
3. What it is: an API entry by its name, else code or a table where more than half of its text is.

A qualified name is `flask.Flask.route`, `std::vec::Vec::new`, by the first of these that fits:

4. A term that is a signature (Sphinx): the id, if it ends with the name that the signature shows.
5. An id that says it: `method.new` (rustdoc), `of(T)` (Javadoc).
6. A heading that is a signature (`fs.open(path)`, `g_free ()`), a dotted name in code, or names a container
   (`Class: YARD::Tag`).

A name without a container gets that of the section around it. A heading of prose has none: `Class Node`
names a class where the page says so too (its head, or the beginning of its title), for `Exception Handling`
and `Function Objects` look alike; `Class ByteBuffer` and `Enum Option<T>` are no prose.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from holdfast.core.page.fragment import section_hash
from holdfast.core.page.html.section_outline import Bounds, Outline
from holdfast.core.page.html.text_v1 import text_of
from holdfast.core.page.html.tokens import Tag
from holdfast.core.page.html.tree import ParsedPage, elements
from holdfast.core.page.section import Outlined, PageSection, SectionKind, anchors_for

_ROOT: Final = -1
_STARTS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "dt"))


class ListedSection(NamedTuple):
    """A section, the token that it begins at (-1: what stands before the first), and the one around it."""

    section: PageSection
    start: int
    parent: int


class SectionFacts(NamedTuple):
    """What a section is, by its tokens: the section around it (-1: none), its level (of a term: 0), its own
    names, its title, the name that its signature shows, whether there is code in the title, its own text and
    what most of it is, and the token that it begins at.
    """

    parent: int
    level: int
    names: list[str]
    title: str
    shown: str
    code: bool
    text: str
    kind: SectionKind
    start: int


class Facts(NamedTuple):
    """What is known of the sections of a page, of what stands before them, and what the page is about."""

    sections: list[SectionFacts]
    before: tuple[str, SectionKind]
    descriptions: list[str]


def facts_of(outline: Outline) -> Facts:
    """Read it from the tokens."""
    document = outline.document
    bounds = outline.listed()
    parts = _parts(outline, bounds)
    sections: list[SectionFacts] = []
    for place, (each, parent) in enumerate(zip(bounds, _parents(bounds), strict=True)):
        tags = document.tags[each.start : outline.end[each.start]]
        signature = each.level == 0 and is_signature(tags)
        shown = shown_name(tags, document.texts[each.start : outline.end[each.start]]) if signature else ""
        code = any(tag.name in ("code", "tt") for tag in tags)
        names, title = outline.own_names(each), outline.title(each)
        text, kind = _said(outline, parts[place])
        sections.append(SectionFacts(parent, each.level, names, title, shown, code, text, kind, each.start))
    return Facts(sections, _said(outline, parts[-1]), descriptions_in(document))


def listed_sections(facts: Facts, title: str, language: str | None) -> list[ListedSection]:
    """The sections of a page; `title` and `language` are the page's."""
    known = facts.sections
    is_titled = bool(known) and known[0].level == 1
    outlined = [Outlined(each.names[0] if each.names else "", each.title, each.parent) for each in known]
    anchors = anchors_for(outlined, 0 if is_titled else _ROOT)
    apis = _names(known, container_in(title, facts.descriptions), title)
    listed: list[ListedSection] = []
    text, kind = facts.before
    if text or not known:
        path = (title,) if title else ()
        before = PageSection("", path, 0, kind, None, language, text, section_hash(text))
        listed.append(ListedSection(before, _ROOT, _ROOT))
    first = len(listed)
    for each, anchor, api in zip(known, anchors, apis, strict=True):
        parent = each.parent + first if each.parent >= 0 else _ROOT
        above = listed[parent].section if parent >= 0 else None
        own = api or each.title if each.level == 0 else each.title
        section = PageSection(
            anchor,
            (*above.path, own) if above else (own,),
            each.level or (above.level if above else 0) + 1,
            SectionKind.API if api else each.kind,
            api,
            language,
            each.text,
            section_hash(each.text),
        )
        listed.append(ListedSection(section, each.start, parent))
    return listed


def numbers_by_element(document: ParsedPage, listed: list[ListedSection]) -> dict[int, int]:
    """The number of each section by the identity of its heading or term; before the tree is changed."""
    numbers = {entry.start: number for number, entry in enumerate(listed)}
    tokens = [at for at, name in enumerate(document.names) if name in _STARTS]
    bearers = [element for element in elements(document.root) if element.tag in _STARTS]
    return {id(element): numbers[at] for at, element in zip(tokens, bearers, strict=True) if at in numbers}


def _parents(bounds: list[Bounds]) -> list[int]:
    """The section that each is in."""
    parents: list[int] = []
    around: list[int] = []
    for each in bounds:
        while around and bounds[around[-1]].end <= each.start:
            around.pop()
        parents.append(around[-1] if around else _ROOT)
        around.append(len(parents) - 1)
    return parents


def _parts(outline: Outline, bounds: list[Bounds]) -> list[list[tuple[int, int]]]:
    """The ranges of tokens that are each section's own; the last are those of none."""
    first, last = outline.page()
    parts: list[list[tuple[int, int]]] = [[] for _ in range(len(bounds) + 1)]
    around: list[int] = []
    at = first

    def own(until: int) -> None:
        nonlocal at
        if at < until:
            parts[around[-1] if around else -1].append((at, until))
            at = until

    for place, each in enumerate(bounds):
        while around and bounds[around[-1]].end <= each.start:
            own(bounds[around[-1]].end)
            around.pop()
        own(each.start)
        around.append(place)
    while around:
        own(min(bounds[around[-1]].end, last))
        around.pop()
    own(last)
    return parts


def _said(outline: Outline, ranges: list[tuple[int, int]]) -> tuple[str, SectionKind]:
    """The text of ranges, and what most of it is."""
    parts: list[str] = []
    code = table = total = 0
    for start, end in ranges:
        own = outline.parts(start, end)
        parts += [" ", *own]
        for place in range(1, len(own), 2):
            length = len(own[place].strip())
            total += length
            where = outline.inside(start + place // 2)
            code += length if where == "pre" else 0
            table += length if where == "table" else 0
    kind = (
        SectionKind.CODE
        if 2 * code > total
        else SectionKind.TABLE
        if 2 * table > total
        else SectionKind.PROSE
    )
    return text_of(parts), kind


def _names(sections: list[SectionFacts], whole: str, page: str) -> list[str | None]:
    """The qualified name of each section that is an API entry; `whole` is what the page is about, `page` its
    title.
    """
    found: list[str | None] = []
    below: list[str] = []  # the name around what is in each section
    for each in sections:
        around, name = below[each.parent] if each.parent >= 0 else whole, None
        if each.level or each.shown:
            name = api_name(each.names, each.title, each.shown, around, code=each.code, page=page)
        found.append(name)
        below.append(name or around)
    return found


SIGNATURE: Final = frozenset(("sig", "sig-object"))
_NAME: Final = frozenset(("sig-name", "descname"))
_BEFORE_NAME: Final = frozenset(("sig-prename", "descclassname"))
_DOMAINS: Final = ("c.", "cpp.", "js.", "rb.", "php.")
_IDENTIFIER: Final = r"[A-Za-z_$~][\w$]*"
_QUALIFIED: Final = rf"{_IDENTIFIER}(?:(?:\.|::|#|->|/){_IDENTIFIER})*"
_MEMBERS: Final = ("method", "tymethod", "structfield", "variant", "associatedtype", "associatedconstant")
_MEMBER_ID = re.compile(rf"(?:{'|'.join(_MEMBERS)})\.({_IDENTIFIER})(?:-\d+)?\Z")
_CALL_ID = re.compile(rf"({_IDENTIFIER}|<init>)\([\w.$,\[\]\s-]*\)\Z")
_MODIFIERS: Final = (
    r"(?:(?:static|async|await|const|unsafe|pub|fn|def|function|func|abstract|final|public|protected|private|"
    r"new|get|set|extern|inline|virtual|void|int|bool|char|class|classmethod|staticmethod)\s+)*"
)
_SIGNATURE = re.compile(
    rf"{_MODIFIERS}([#.]?{_QUALIFIED}[?!=]?)\s?(?:<[^()]*>)?\(.*\)(?:\s*(?:->|:|⇒|\[\d).*)?\Z", re.DOTALL
)
_RUBY = re.compile(rf"([#.]{_IDENTIFIER}[?!=]?)(?:\s|\Z)")
_KINDS_OF_KINDS: Final = ("Abstract", "Enum", "Record", "Annotation", "Sealed")
_CONTAINERS: Final = (
    *("Class", "Interface", "Enum", "Record", "Struct", "Trait", "Module", "Namespace", "Union", "Exception"),
    *("Type", "Function", "Macro", "Package", "Crate"),
)
_CONTAINER = re.compile(
    rf"(?:(?:{'|'.join(_KINDS_OF_KINDS)}) )?(?:{'|'.join(_CONTAINERS)})(:?)\s+({_QUALIFIED})(<.*>)?\Z"
)
_NO_PROSE = re.compile(r"[_$\d]|[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_DOXYGEN = re.compile(
    rf"({_QUALIFIED})\s*(?:<.*>)?\s+(?:Class|Struct|Union|Namespace|Interface)(?: Template)? Reference\Z"
)
_DOTTED = re.compile(rf"{_IDENTIFIER}(?:(?:\.|::){_IDENTIFIER})+\Z")
_DECLARED = re.compile(r"declaration: .*\bpackage: ([\w.]+), [\w ()]+: ([\w.$]+)")
TABLES: Final = {
    "member ids": [f"{kind}." for kind in _MEMBERS],
    "containers": (*_KINDS_OF_KINDS, *_CONTAINERS),
    "domains": _DOMAINS,
}


def api_name(names: list[str], title: str, shown: str, around: str, *, code: bool, page: str) -> str | None:
    """The qualified name of a section by its ids, its title (all of it code or not), the name that its
    signature shows (where it is one), the name of what is around it, and the page's title.
    """
    if shown:
        return _signed(names[0] if names else "", shown, around)
    for name in names:
        if found := _MEMBER_ID.match(name):
            return _within(around, found[1], "::")
        if found := _CALL_ID.match(name):
            simple = around.rpartition(".")[2]
            return _within(around, simple if found[1] == "<init>" else found[1])
    return _titled(title, around, code=code, page=page)


def _signed(own: str, shown: str, around: str) -> str:
    """The name of a signature: its id, if that ends with what it shows."""
    if own == shown or own.endswith(f".{shown}"):
        domain = next((prefix for prefix in _DOMAINS if own == prefix + shown), "")
        return own.removeprefix(domain)
    return _within(around, shown)


def _titled(title: str, around: str, *, code: bool, page: str) -> str | None:
    """The name in a heading."""
    if found := _CONTAINER.match(title):
        colon, name, parameters = found.groups()
        if around.endswith(f".{name}"):
            return around
        if colon or _is_name(name, page, has_parameters=bool(parameters)):
            return name
    if code and _DOTTED.match(title):
        return title
    if found := _DOXYGEN.match(title):
        return found[1]
    if found := _SIGNATURE.match(title) or (_RUBY.match(title) if around else None):
        return _within(around, found[1])
    return None


def container_in(title: str, descriptions: list[str]) -> str:
    """What a page is about, where it says so in its head (Javadoc, Doxygen)."""
    if found := _DOXYGEN.search(title):
        return found[1]
    for content in descriptions:
        if found := _DECLARED.match(content):
            return f"{found[1]}.{found[2]}"
    return ""


def descriptions_in(document: ParsedPage) -> list[str]:
    """What a page says of itself."""
    metas = [tag for at in document.collected if (tag := document.tags[at]).name == "meta"]
    described = [meta for meta in metas if meta.attrs.get("name", "").lower() == "description"]
    return [meta.attrs.get("content", "") for meta in described]


def is_signature(tags: list[Tag]) -> bool:
    """Whether a term, given by its tags, is a signature."""
    return bool(tags) and not SIGNATURE.isdisjoint(tags[0].names)


def shown_name(tags: list[Tag], texts: list[str]) -> str:
    """The name that a signature shows, with what stands before it."""
    before = name = ""
    for place, tag in enumerate(tags):
        if tag.names and not name and not _NAME.isdisjoint(tag.names):
            name = _text(tags, texts, place)
        elif tag.names and not before and not _BEFORE_NAME.isdisjoint(tag.names):
            before = _text(tags, texts, place)
    return (before + name).strip() if name else ""


def _text(tags: list[Tag], texts: list[str], place: int) -> str:
    """The text of a small element, which may hold another (`<span class=n>`)."""
    depth, parts = 1, [texts[place]]
    while depth and place + 1 < len(tags):
        place += 1
        depth += -1 if tags[place].name.startswith("/") else 1
        if depth:
            parts.append(texts[place])
    return "".join(parts).strip()


def _within(around: str, name: str, parted_by: str = "") -> str:
    """A name in its container, unless it says one itself; `#x` and `.x` are Ruby's."""
    if not around:
        return name.lstrip("#.")
    if name[0] in "#.":
        return around + name
    if "::" in name or "." in name or name.startswith(around):
        return name
    return f"{around}{parted_by or ('::' if '::' in around else '.')}{name}"


def _is_name(name: str, page: str, *, has_parameters: bool) -> bool:
    """Whether `Class X` names a class: not `Package installation`, not `Class Reference`."""
    if "." in name or "::" in name:
        return True
    is_told = page.startswith(name) and not page[len(name) :][:1].isalnum()
    return name[0].isupper() and (has_parameters or is_told or _NO_PROSE.search(name) is not None)
