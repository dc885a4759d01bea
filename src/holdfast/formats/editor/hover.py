"""What an editor shows of a link under the cursor, as Markdown."""

from __future__ import annotations

from holdfast.core.citation_findings import KnownUrl
from holdfast.core.link_reasons import reason_of
from holdfast.core.redaction import shown
from holdfast.core.report import ReportFinding
from holdfast.formats.editor.view import ViewedLink
from holdfast.formats.http_date import timestamp
from holdfast.formats.ignore_file import OWN_IGNORES

__all__ = ["hover_text"]


def hover_text(
    link: ViewedLink,
    known: KnownUrl | None,
    findings: tuple[ReportFinding, ...],
    title: str = "",
    *,
    url_ignored: bool = False,
) -> str:
    """State, last look, title, drift and kept copy of a link; what is wrong with it stands below."""
    lines = _of_url(known, title) if link.citation is not None else [f"`{link.mention.raw}`"]
    if link.citation is not None:
        lines.insert(0, f"**{shown(link.citation.place.url)}**")
    if link.ignored:
        lines.append("- ignored, by a comment in this document")
    elif url_ignored:
        lines.append(f"- ignored, by {OWN_IGNORES}")
    lines += [f"- {finding.code} {finding.name}: {finding.message}" for finding in findings]
    return "\n".join(lines)


def _of_url(known: KnownUrl | None, title: str) -> list[str]:
    if known is None:
        return ["- state: nobody asked yet"]
    node = known.node
    lines = [f"- state: {known.stands}, {node.state}: {reason_of(node.state, node.notes.evidence)}"]
    if title:
        lines.append(f"- title: {title}")
    lines.append(f"- last look: {timestamp(node.checked_at) if node.checked_at else 'never'}")
    if node.final_url:
        lines.append(f"- leads to: {node.final_url}")
    if known.change is not None:
        drift = known.change.drift
        amount = f", drift {drift.amount:g}" if drift else ""
        lines.append(f"- changed: {timestamp(known.change.at)}{amount}")
    kept = known.copy
    lines.append(f"- kept copy: {known.kept}, `{kept.text}`" if kept else "- kept copy: none")
    return lines
