"""What an editor underlines: the findings of reports, for a text that may not be saved (TRK-10).

1. Links to the web are judged by what is known; where nothing is known, by their spelling alone.
2. Links to files are judged by the files that are there and by the texts that are open; what is not certain
   is not told.
3. What an ignore or a rule of the user's own leaves out makes no finding, as in reports.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from holdfast.core.citation import Backlink, Citation
from holdfast.core.citation_findings import KnownUrl, change_finding, link_findings
from holdfast.core.citing import new_place
from holdfast.core.hashing import UrlKey
from holdfast.core.hosts import HostRules
from holdfast.core.ignored_urls import IgnoredUrls
from holdfast.core.link_state import LinkState, Standing
from holdfast.core.local_findings import LocalFiles
from holdfast.core.page import Span
from holdfast.core.policy import Policy
from holdfast.core.report import FindingPlace, ReportFinding
from holdfast.core.values import dataclass
from holdfast.formats.documents import is_template
from holdfast.formats.editor.view import DocumentView, ViewedLink

__all__ = ["LinkFinding", "LinkKnowledge", "findings", "known_of"]


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
