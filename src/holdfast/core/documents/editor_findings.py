"""What an editor underlines: the findings of reports, for a text that may not be saved (TRK-10); hovers.

1. Links to the web are judged by what is known; where nothing is known, by their spelling alone.
2. Links to files are judged by the files that are there and by the texts that are open; what is
   not certain is not told.
3. What an ignore or a rule of the user's own leaves out makes no finding, as in reports.

`hover_text` is what an editor shows of a link under the cursor, as Markdown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from holdfast.core.base.figures import timestamp
from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.values import dataclass
from holdfast.core.documents.editor_view import DocumentView, ViewedLink
from holdfast.core.documents.ignore_file import OWN_IGNORES
from holdfast.core.documents.readers import is_template
from holdfast.core.findings.cited_findings import KnownUrl, change_finding, link_findings
from holdfast.core.findings.ignore import IgnoredUrls
from holdfast.core.findings.local_findings import LocalFiles
from holdfast.core.findings.report import FindingPlace, ReportFinding
from holdfast.core.links.citation import Backlink, Citation
from holdfast.core.links.citing import new_place
from holdfast.core.links.evidence import reason_of
from holdfast.core.links.link_state import LinkState, Standing
from holdfast.core.page.page import Span
from holdfast.core.url.hosts import HostRules
from holdfast.core.url.policy import Policy
from holdfast.core.url.redaction import shown


@dataclass(frozen=True, slots=True)
class LinkKnowledge:
    """What links are judged by; `files` is None where local links are not judged. The root's ignore file
    names the URLs that are `ignored`.
    """

    urls: Mapping[UrlKey, KnownUrl]
    files: LocalFiles | None
    policy: Policy
    rules: HostRules
    ignored: IgnoredUrls

    def leaves_out(self, link: ViewedLink) -> bool:
        """Whether a link does not count."""
        return link.ignored or (link.citation is not None and self.ignored.cover(link.citation))


class LinkFinding(NamedTuple):
    """A finding, and the link it is about; None for what concerns a line or the whole text."""

    finding: ReportFinding
    link: ViewedLink | None


def findings(view: DocumentView, knowledge: LinkKnowledge) -> tuple[LinkFinding, ...]:
    """Everything that is worth telling about a text, in the order of its links."""
    found = []
    files = None if is_template(view.data, view.kind) else knowledge.files
    for link in view.links:
        if knowledge.leaves_out(link):
            continue
        if link.citation is not None:
            found += [LinkFinding(each, link) for each in _of_url(view, link.citation, knowledge)]
        elif files is not None and (local := files.finding(view.path, link.mention)) is not None:
            found += [LinkFinding(local.finding, link)] * local.is_certain
    for problem in view.problems:
        place = FindingPlace(Span(0, 0, problem.line, 1, 1))
        told = ReportFinding(problem.code, view.path, problem.message, view.path, place=place)
        found.append(LinkFinding(told, None))
    return tuple(found)


def known_of(link: ViewedLink, knowledge: LinkKnowledge) -> KnownUrl | None:
    """What is known of the URL of a link."""
    return knowledge.urls.get(link.citation.place.web_key) if link.citation else None


def _of_url(view: DocumentView, citation: Citation, knowledge: LinkKnowledge) -> Iterator[ReportFinding]:
    known = knowledge.urls.get(citation.place.web_key)
    if known is None:
        if "?" not in citation.mention.raw:  # nothing can be wrong with its spelling
            return
        known = KnownUrl(new_place(citation), Standing.UNKNOWN)
    node = known.node
    host, _, port = node.place.host.rpartition(":")
    if knowledge.rules.refusal_of(node.fetch_url, host if port.isdigit() else node.place.host) is not None:
        return
    if citation.fragment and node.notes.fragments.get(citation.fragment) is False:
        citation = citation._replace(finding=LinkState.FRAGMENT_MISSING)
    link = Backlink(view.path, citation)
    yield from link_findings(link, known, knowledge.policy)
    if known.change is not None:
        yield change_finding(link, node, known.change)


def hover_text(
    link: ViewedLink,
    known: KnownUrl | None,
    findings: tuple[ReportFinding, ...],
    title: str = "",
    *,
    url_ignored: bool = False,
) -> str:
    """State, last look, title, drift and kept copy of a link; what is wrong with it stands below."""
    lines = _hover_of_url(known, title) if link.citation is not None else [f"`{link.mention.raw}`"]
    if link.citation is not None:
        lines.insert(0, f"**{shown(link.citation.place.url)}**")
    if link.ignored:
        lines.append("- ignored, by a comment in this document")
    elif url_ignored:
        lines.append(f"- ignored, by {OWN_IGNORES}")
    lines += [f"- {finding.code} {finding.name}: {finding.message}" for finding in findings]
    return "\n".join(lines)


def _hover_of_url(known: KnownUrl | None, title: str) -> list[str]:
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
