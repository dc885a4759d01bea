"""Footnotes: a reference is `[^1]`, the note is `[^1]: …`, as GitHub, pandoc and others read them.

1. A note is an item of a list of notes, a box of its own, or what a term of them says; it has an id, and not
   an empty one. A reference is a short link to it. Only where both are there do they become a footnote: a
   note that nobody refers to is not shown by renderers.
2. The label is what the reference says; where two notes would have one, it is numbered.
3. A note's own label and its links back are left out: renderers make their own.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from holdfast.core.page.html.tree import Element, Node, elements, find, raw_text

NOTE: Final = "#note"
REFERENCE: Final = "#reference"
_HOLDERS: Final = frozenset(
    "footnotes footnote footnotes-list footnote-list footnote-definitions footnote-definition".split()
)
_BACK: Final = frozenset(
    "footnote-backref fn-backref reversefootnote footnote-back data-footnote-backref label "
    "footnote-definition-label".split()
)
TABLES: Final = {"note holder": _HOLDERS, "back": _BACK}
"""What the native reader is told of these tables."""
_LABEL = re.compile(r"[\[(]*([A-Za-z0-9_-]{1,20})[\])]*")
_AFTER_LABEL = re.compile(r"[\])]*\.?\s*")


class _Note(NamedTuple):
    """What becomes a note, and what it stands in: the list, or the list of terms, is one no more."""

    element: Element
    holder: Element | None


class _Labels:
    """The labels of the notes that are referred to."""

    __slots__ = ("_taken", "of")

    def __init__(self) -> None:
        self.of: dict[str, str] = {}
        self._taken: set[str] = set()

    def label(self, name: str, said: str) -> str:
        """The label of a note; a new one where a reference is the first to it."""
        if name not in self.of:
            self.of[name] = f"{said}-{len(self.of)}" if said in self._taken else said
            self._taken.add(self.of[name])
        return self.of[name]


def join_footnotes(roots: tuple[Element, ...]) -> None:
    """Make footnotes of notes and of what refers to them, in place."""
    notes: dict[str, _Note] = {}
    for root in roots:
        for element in (root, *elements(root)):
            if not _HOLDERS.isdisjoint(element.names) or element.attrs.get("role") == "doc-endnotes":
                _gather(element, notes)
    if not notes:
        return
    labels = _Labels()
    for root in roots:
        _refer(root, notes, labels)
    for name, label in labels.of.items():
        _settle(notes[name].element, label)
    for holder in {id(note.holder): note.holder for note in notes.values()}.values():
        if holder is not None:
            _open(holder)


def written_note(label: str, blocks: list[str]) -> list[str]:
    """The blocks of a note as one block."""
    if not blocks:
        return []
    first, *rest = "\n\n".join(blocks).rstrip("\xa0").split("\n")
    if " " not in first:
        first += " &#32;"  # a lone word would make it the definition of a link
    return ["\n".join([f"[^{label}]: {first}", *(f"    {line}" if line else "" for line in rest)])]


def _gather(holder: Element, notes: dict[str, _Note]) -> None:
    """The notes that an element holds, or the one that it is."""
    if holder.tag in ("aside", "div") and holder.attrs.get("id"):
        notes.setdefault(holder.attrs["id"], _Note(holder, None))
    for within in (holder, *elements(holder)):
        if within.tag not in ("ol", "ul", "dl"):
            continue
        term = ""
        for child in within.children:
            if type(child) is not Element:
                continue
            if child.tag == "li" and child.attrs.get("id"):
                notes.setdefault(child.attrs["id"], _Note(child, within))
            elif child.tag == "dt":
                term = child.attrs.get("id", "")
            elif child.tag == "dd" and term:
                notes.setdefault(term, _Note(child, within))
                term = ""


def _refer(element: Element, notes: dict[str, _Note], labels: _Labels) -> None:
    """Put references in the place of links to notes; not in code."""
    for place, child in enumerate(element.children):
        if type(child) is not Element or child.tag in ("pre", "code"):
            continue
        name = _target(child)
        said = _LABEL.fullmatch(raw_text(child).strip()) if name in notes else None
        if said is None:
            _refer(child, notes, labels)
            continue
        reference = Element(REFERENCE, {"label": labels.label(name, said[1])}, frozenset())
        reference.children = [raw_text(child)]
        element.children[place] = reference


def _target(element: Element) -> str:
    """The place on this page that a link, or a `sup` around one, leads to."""
    link: Element | None = element
    if element.tag == "sup":
        link = find(element, lambda inner: inner.tag == "a")
    if link is None or link.tag != "a":
        return ""
    reference = link.attrs.get("href", "")
    return reference[1:] if reference.startswith("#") else ""


def _settle(element: Element, label: str) -> None:
    _without_label(element, label)
    for inner in (element, *elements(element)):
        inner.children = [child for child in inner.children if not _leads_back(child)]
    element.tag, element.attrs = NOTE, {"label": label}


def _open(holder: Element) -> None:
    """A list that holds footnotes is none any more, and the terms that were their labels go."""
    if not any(type(child) is Element and child.tag == NOTE for child in holder.children):
        return
    holder.tag = "div"
    kept: list[Node] = []
    terms: list[Node] = []
    for child in holder.children:
        if type(child) is Element and child.tag == "dt":
            terms.append(child)
        elif type(child) is Element:
            kept += [child] if child.tag == NOTE else [*terms, child]
            terms = []
    holder.children = kept


def _without_label(element: Element, label: str) -> None:
    """Take a note's label from its start: `1. ` and `[1]`, links back."""
    for place, child in enumerate(element.children):
        if type(child) is str and child.strip() in ("", "[", "("):
            continue
        if type(child) is not Element:
            return
        said = _LABEL.fullmatch(raw_text(child).strip())
        if said is None or said[1] != label:
            _without_label(child, label)
            return
        rest = element.children[place + 1 :]
        if rest and type(rest[0]) is str:
            rest[0] = _AFTER_LABEL.sub("", rest[0], count=1)
        element.children = rest
        return


def _leads_back(node: Node) -> bool:
    return type(node) is Element and (
        not _BACK.isdisjoint(node.names)
        or node.attrs.get("role") == "doc-backlink"
        or "data-footnote-backref" in node.attrs
    )
