"""The qualified name of what a section documents: `flask.Flask.route`, `std::vec::Vec::new`.

By the first that fits:

1. A term that is a signature (Sphinx): the id, if it ends with the name that the signature shows.
2. An id that says it: `method.new` (rustdoc), `of(T)` (Javadoc).
3. A heading that is a signature (`fs.open(path)`, `g_free ()`), a dotted name in code, or names a container
   (`Class: YARD::Tag`).

A name without a container gets that of the section around it. A heading of prose has none: `Class Node` names
a class where the page says so too (its head, or the beginning of its title), for `Exception Handling` and
`Function Objects` look alike; `Class ByteBuffer` and `Enum Option<T>` are no prose.
"""

from __future__ import annotations

import re
from typing import Final

from holdfast.formats.html.tokens import Tag
from holdfast.formats.html.tree import ParsedPage

__all__ = ["TABLES", "api_name", "container_in", "descriptions_in", "is_signature", "shown_name"]

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
