"""What `fix` left alone and why, how sure it is of the rest, and how much it mended."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.core.answers.fixing import DocumentFix, FixReport, LinkFix
from holdfast.core.fixes import Declined, Mended
from holdfast.core.redaction import shown

__all__ = ["fix_notes"]


def fix_notes(report: FixReport) -> Iterator[str]:
    """What is said beside the diff."""
    for fix in report.documents:
        yield from _document_notes(fix)
    links = report.links
    documents = sum(bool(fix.mended) for fix in report.documents)
    said = "mended" if report.written else "can be mended"
    yield f"{links} link{'s'[: links != 1]} {said} in {documents} document{'s'[: documents != 1]}"
    if links and not report.written:
        yield "\nhint: --write changes the documents"


def _document_notes(fix: DocumentFix) -> Iterator[str]:
    for link in fix.declined:
        reason = link.proposal.reason if isinstance(link.proposal, Declined) else ""
        yield f"{_where(fix, link)}: left alone: {shown(link.mention.raw)}: {reason}"
    for link in fix.mended:
        if isinstance(link.proposal, Mended) and link.proposal.alike is not None:
            alike = f"{link.proposal.alike:.0%} of the text that was kept is there"
            yield f"{_where(fix, link)}: {alike}: {link.proposal.url}"


def _where(fix: DocumentFix, link: LinkFix) -> str:
    span = link.mention.span
    return f"{fix.path}:{span.line}:{span.column}"
