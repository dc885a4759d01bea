"""What an editor offers about a link: a better address, an ignore with a reason, a section to cite.

1. A change is offered only where the changed text, read again, has the same links in the same order, and
   the one in question as it was meant (`core/documents/edits`). Nothing else is trusted.
2. All links of a text are mended by what is certain; the nearest heading is a guess and offered one by one.
3. The reason of an ignore says what was seen and when; its author may write a better one.

While the address of a link is typed, files are proposed, and after a `#` the sections there:

4. The line up to the cursor decides whether an address is being typed, and how much of it is there.
5. Files are proposed folder by folder, from the document's own; those that are hidden are left out.

The sections of a document that a link can name have one id each, and a line on which they begin.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import islice
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from holdfast.core.base.errors import FormatError, nearest
from holdfast.core.documents.document_kinds import DocumentFormat
from holdfast.core.documents.editor_findings import LinkKnowledge, known_of
from holdfast.core.documents.editor_view import DocumentView, EditorPlace, ViewedLink, Viewer
from holdfast.core.documents.edits import Edit, edit_document
from holdfast.core.documents.found import decode
from holdfast.core.documents.headings import read_anchors, read_headings
from holdfast.core.findings.cited_findings import KnownFacts
from holdfast.core.findings.report import ReportFinding, SuggestionKind
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.core.links.anchors import heading_id, heading_ids
from holdfast.core.links.file_tree import FileTree
from holdfast.core.links.mendable import USUAL_FIXES, Mended, mend

_COMMENTS: Final = {
    DocumentFormat.MARKDOWN: "<!-- holdfast: {} -->",
    DocumentFormat.MDX: "{{/* holdfast: {} */}}",
    DocumentFormat.HTML: "<!-- holdfast: {} -->",
    DocumentFormat.RST: ".. holdfast: {}",
    DocumentFormat.ASCIIDOC: "// holdfast: {}",
    DocumentFormat.TEXT: "holdfast: {}",
}


class TextChange(NamedTuple):
    """Another text for what stands between two places."""

    start: EditorPlace
    end: EditorPlace
    text: str


class Better(NamedTuple):
    """A better address for a link; one that is not sure is only a guess."""

    url: str
    is_sure: bool


def better(view: DocumentView, link: ViewedLink, knowledge: LinkKnowledge) -> Better | None:
    """What a link should say instead, as `holdfast fix` has it."""
    if knowledge.leaves_out(link):
        return None
    if link.citation is None:
        local = knowledge.files.finding(view.path, link.mention) if knowledge.files else None
        suggestion = local.finding.suggestion if local and local.is_certain else None
        if local is None or suggestion is None or suggestion.kind is not SuggestionKind.REPLACE:
            return None
        return Better(suggestion.text, local.finding.code is not RuleCode.ANCHOR_MISSING)
    known = known_of(link, knowledge)
    if known is None:
        return None
    mended = mend(link.citation, known.node, knowledge.policy, KnownFacts(known), USUAL_FIXES)
    return Better(mended.url, is_sure=True) if isinstance(mended, Mended) else None


def better_links(view: DocumentView, knowledge: LinkKnowledge) -> tuple[TextChange, ...]:
    """Every link of a text that can be mended for certain, mended."""
    found = ((link, better(view, link, knowledge)) for link in view.links)
    return with_urls(view, [(link, each.url) for link, each in found if each is not None and each.is_sure])


def with_urls(view: DocumentView, wanted: Sequence[tuple[ViewedLink, str]]) -> tuple[TextChange, ...]:
    """Other addresses for links, spelled as the format wants it; what cannot be written is left out."""
    if not wanted:
        return ()
    edits = [Edit(link.mention.span.start, link.mention.span.end, url) for link, url in wanted]
    edited = edit_document(view.data, view.kind, edits)
    ranges = {link.mention.span.start: view.range_of(link.mention.span) for link, _ in wanted}
    return tuple(
        TextChange(*ranges[edit.start], spelling.decode("utf-8", "replace"))
        for edit, spelling in zip(edited.applied, edited.spellings, strict=True)
    )


def ignoring(
    view: DocumentView, link: ViewedLink, finding: ReportFinding, viewer: Viewer, today: date
) -> tuple[TextChange, ...]:
    """A comment by which a link does not count, with what was found as its reason."""
    if view.kind not in _COMMENTS:
        return ()
    reason = f"{finding.name} on {today.isoformat()}"
    before = [each.mention.raw for each in view.links]
    which = view.links.index(link)
    for insertions in _insertions(view, link, reason):
        data = view.data
        for place, text in reversed(insertions):
            at = view.offset(place)
            data = data[:at] + text.encode() + data[at:]
        after = viewer.view(view.path, view.kind, data, today)
        same = [each.mention.raw for each in after.links] == before
        if same and after.links[which].ignored and not after.problems:
            return tuple(TextChange(place, place, text) for place, text in insertions)
    return ()


def _insertions(
    view: DocumentView, link: ViewedLink, reason: str
) -> Iterator[tuple[tuple[EditorPlace, str], ...]]:
    """Ways to write an ignore, the plainest first."""
    comment = _COMMENTS[view.kind]
    line = (link.mention.used or link.mention.span).line - 1
    text = view.line_text(line)
    indent = text[: len(text) - len(text.lstrip())]
    first = EditorPlace(line, 0)
    apart = "\n" if view.kind is DocumentFormat.RST else ""
    if view.kind is not DocumentFormat.RST:
        yield (
            (view.place(view.offset(EditorPlace(line, 1 << 30))), f" {comment.format(f'ignore {reason}')}"),
        )
    if not apart or line == 0 or not view.line_text(line - 1).strip():
        yield ((first, f"{indent}{comment.format(f'ignore-next {reason}')}\n{apart}"),)
    top, bottom = line, line
    while top and view.line_text(top - 1).strip():
        top -= 1
    while view.line_text(bottom).strip():
        bottom += 1
    start = comment.format(f"ignore-start {reason}")
    end = comment.format("ignore-end")
    yield ((EditorPlace(top, 0), f"{start}\n\n"), (EditorPlace(bottom, 0), f"\n{end}\n"))


def section_links(
    link: ViewedLink, sections: Sequence[NamedSection], limit: int = 3
) -> list[tuple[str, str]]:
    """Sections that a link may be meant to cite, and the link that cites each: by its words, or because the
    section that it names is not there.
    """
    address, _, fragment = link.mention.raw.partition("#")
    by_id = {section.anchor: section for section in sections}
    if fragment:
        near = nearest(fragment, list(by_id)) if fragment not in by_id else None
        return [(by_id[near].title, f"{address}#{near}")] if near else []
    words = link.mention.text.casefold()
    if not words:
        return []
    meant = (s for s in sections if s.title.casefold() in words or words in s.title.casefold())
    return [(section.title, f"{address}#{section.anchor}") for section in islice(meant, limit)]


_HTML: Final = r"(?:href|src)\s*=\s*[\"']([^\"'<>]*)\Z"
_MARKDOWN: Final = rf"\]\(\s*<?([^()<>\s]*)\Z|^\s*\[[^\]]+\]:\s*<?(\S*)\Z|{_HTML}"
_PATTERNS: Final = {
    DocumentFormat.MARKDOWN: re.compile(_MARKDOWN),
    DocumentFormat.MDX: re.compile(_MARKDOWN),
    DocumentFormat.HTML: re.compile(_HTML),
    DocumentFormat.RST: re.compile(
        r"`[^`<>]*<([^`<>]*)\Z|\.\.\s+(?:image|figure|include|literalinclude)::\s*(\S*)\Z|\.\.\s+_[^:]+:\s+(\S*)\Z"
    ),
    DocumentFormat.ASCIIDOC: re.compile(r"(?:link|xref|image:?|include:):([^\[\s]*)\Z|<<([^<>,]*)\Z"),
}
_MAX: Final = 500


class Typed(NamedTuple):
    """The part of an address that stands before the cursor."""

    address: str
    fragment: str | None


class Proposal(NamedTuple):
    """What may be written in the place of the last part of what was typed: a file, a folder or a section."""

    label: str
    text: str
    detail: str = ""
    is_folder: bool = False


def typed_address(before: str, kind: DocumentFormat) -> Typed | None:
    """What of an address is typed on a line; None where none is."""
    pattern = _PATTERNS.get(kind)
    match = pattern.search(before[-2000:]) if pattern else None
    if match is None:
        return None
    written = next(group for group in match.groups() if group is not None)
    address, mark, fragment = written.partition("#")
    return Typed(address, fragment if mark else None)


def files_for(document: str, typed: Typed, tree: FileTree) -> tuple[Proposal, ...]:
    """The files and folders whose names may go on from what was typed."""
    folder, _, start = unquote(typed.address).rpartition("/")
    base = posixpath.normpath(posixpath.join(posixpath.dirname(document), folder)) if folder else None
    base = posixpath.dirname(document) if base is None else "" if base == "." else base
    if base.startswith("..") or typed.address.startswith("/"):
        return ()
    files = {path.rpartition("/")[2] for path in tree.files if path.rpartition("/")[0] == base}
    folders = {path.rpartition("/")[2] for path in tree.folders if path and path.rpartition("/")[0] == base}
    found = [Proposal(name, quote(name), "file") for name in sorted(files) if _fits(name, start)]
    found += [
        Proposal(f"{name}/", f"{quote(name)}/", "folder", is_folder=True)
        for name in sorted(folders)
        if _fits(name, start)
    ]
    return tuple(found[:_MAX])


def sections_for(typed: Typed, sections: Sequence[NamedSection]) -> tuple[Proposal, ...]:
    """The sections whose ids or titles go with what was typed."""
    wanted = (typed.fragment or "").casefold()
    found = (s for s in sections if wanted in s.anchor.casefold() or wanted in s.title.casefold())
    return tuple(Proposal(each.anchor, each.anchor, each.title) for each in list(found)[:_MAX])


def _fits(name: str, start: str) -> bool:
    hidden = name.startswith(".") and not start.startswith(".")
    return not hidden and name.casefold().startswith(start.casefold())


_MARKS = "#=*- \t"


class NamedSection(NamedTuple):
    """A section: what it is called, and the id that links name."""

    title: str
    anchor: str


def sections_of(data: bytes, kind: DocumentFormat) -> tuple[NamedSection, ...]:
    """The headings of a document with the ids that forges make of them, then the ids that are written."""
    try:
        titles, explicit = read_headings(data, kind), read_anchors(data, kind).explicit
    except FormatError:
        return ()
    counts: dict[str, int] = {}
    found = []
    for title in titles:
        name = heading_id(title)
        number = counts.get(name, 0)
        counts[name] = number + 1
        if name:
            found.append(NamedSection(title, f"{name}-{number}" if number else name))
    named = {section.anchor for section in found}
    return (*found, *(NamedSection(name, name) for name in sorted(explicit - named - set(titles))))


def line_of(data: bytes, fragment: str) -> int:
    """The line, from 0, on which a section begins; 0 where it is not found."""
    wanted = fragment.casefold()
    if not wanted:
        return 0
    for number, line in enumerate(decode(data).splitlines()):
        text = line.strip(_MARKS)
        if not text or len(text) > 300:
            continue
        if wanted in heading_ids([text.partition(" {")[0]]) or _is_written(line, fragment):
            return number
    return 0


def _is_written(line: str, fragment: str) -> bool:
    marks = (f'id="{fragment}"', f'name="{fragment}"', f"#{fragment}}}", f"_{fragment}:", f"[[{fragment}]]")
    return any(mark in line for mark in (*marks, f"[#{fragment}]", f"({fragment})="))
