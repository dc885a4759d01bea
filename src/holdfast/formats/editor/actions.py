"""What an editor offers to do about a link: write a better address, ignore it with a reason, cite a section.

1. A change is offered only where the changed text, read again, has the same links in the same order, and the
   one in question as it was meant (`formats.document_edits`). Nothing else is trusted.
2. All links of a text are mended by what is certain; the nearest heading is a guess and offered one by one.
3. The reason of an ignore says what was seen and when; its author may write a better one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import islice
from typing import Final, NamedTuple

from holdfast.core.citation_findings import KnownFacts
from holdfast.core.fixes import USUAL_FIXES, Mended, mend
from holdfast.core.nearest import nearest
from holdfast.core.report import ReportFinding, SuggestionKind
from holdfast.core.report_rules import RuleCode
from holdfast.formats.document_edits import Edit, edit_document
from holdfast.formats.documents import DocumentFormat
from holdfast.formats.editor.findings import LinkKnowledge, known_of
from holdfast.formats.editor.headings import NamedSection
from holdfast.formats.editor.view import DocumentView, EditorPlace, ViewedLink, Viewer

__all__ = ["Better", "TextChange", "better", "better_links", "ignoring", "section_links", "with_urls"]

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
