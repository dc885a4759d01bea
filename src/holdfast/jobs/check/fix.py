"""Fix: links that can be mended, mended in the documents. The order of steps, no decisions.

    1  read     the documents as they are now: spans are of these bytes
    2  ask      only with a fetcher: whether http is the same by https; redirects seen once
    3  mend     each link by what is known of its URL (`core/links/mendable`), each document by its spans
    4  write    only when told; then the documents are read again

Links are mended by what the state of the documents' root knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.document_folder import DocumentFolder
from holdfast.adapters.ports import Documents, Fetcher, FetchRequest
from holdfast.core.base.hashing import UrlKey
from holdfast.core.documents.edits import Edit, Edited, edit_document
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.core.links.after_look import standing
from holdfast.core.links.citation import Citation, CitedPlace
from holdfast.core.links.citing import new_place
from holdfast.core.links.evidence import sight
from holdfast.core.links.link_state import LinkState, Standing
from holdfast.core.links.local_links import LocalOptions
from holdfast.core.links.mendable import USUAL_FIXES, Declined, FixKind, Mended, archived_address, mend
from holdfast.core.page.distill_options import distill
from holdfast.core.page.page import LinkKind, Mention
from holdfast.core.settings.resolve import Settings
from holdfast.core.url.hosts import HostRules
from holdfast.core.url.policy import Recipe
from holdfast.core.url.redaction import redacted
from holdfast.core.url.url import Url, parse_url, secure_form
from holdfast.jobs.check.check import local_options, open_to_check, selection_of
from holdfast.jobs.check.fixed import DocumentFix, FixReport, LinkFix
from holdfast.jobs.check.local import LocalChecker
from holdfast.jobs.check.options import rules_of
from holdfast.jobs.check.reading_documents import DocumentReader
from holdfast.jobs.load_settings import baseline_path
from holdfast.jobs.places import named_state
from holdfast.jobs.web_door import make_fetcher
from holdfast.questions.fixes import LedgerFacts
from holdfast.storage.state_folder import STATE_NAME, find_root

if TYPE_CHECKING:
    from holdfast.jobs.session import Session
    from holdfast.storage.ledger.citation_table import CitationTable
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.store_ports import Archive


class Fixer:
    """One run of mending."""

    def __init__(
        self,
        documents: Documents,
        session: Session,
        facts: LedgerFacts,
        scope: Sequence[str],
        kinds: frozenset[FixKind] = USUAL_FIXES,
        local: LocalOptions | None = None,
    ) -> None:
        self._documents = documents
        self._session = session
        self._facts = facts
        self._policy = facts.policy
        self._scope = scope
        self._kinds = kinds
        today = session.clock.now().date()
        self._local = LocalChecker(documents, local, today) if local is not None else None

    def read(self) -> tuple[str, ...]:
        """The documents of the scope, as they are now."""
        now = self._session.clock.now()
        reader = DocumentReader(self._documents, self._session, self._policy, now)
        paths = reader.read(self._scope).paths
        self._session.now(lambda ledger, _: _chart(ledger.citations))
        return paths

    def name_archive(self, paths: Sequence[str], pattern: str) -> None:
        """Say where a public archive would have what is dead; whether it does is not asked here."""
        for _, node in self._links(paths):
            if FixKind.DEAD in self._kinds and standing(node) is Standing.DEAD:
                self._facts.possible[node.place.web_key] = archived_address(pattern, node)

    async def ask(self, paths: Sequence[str], fetcher: Fetcher, rules: HostRules) -> int:
        """Ask whether what is cited by http is the same by https, whether a public archive has what is dead,
        and look a second time at redirects.
        """
        places = {node.place.web_key: node for _, node in self._links(paths)}
        asked = 0
        for key, node in places.items():
            if (text := self._facts.possible.get(key)) and (url := _admitted(text, rules)) is not None:
                asked += 1
                await self._look_in_archive(key, url, fetcher, rules)
            elif (url := _secure_url(node, rules)) is not None:
                asked += 1
                if await self._is_same(node, url, fetcher):
                    self._facts.secure.add(key)
            elif (url := _redirect_seen_once(node, rules)) is not None:
                asked += 1
                await self._look_again(node, url, fetcher, rules)
        return asked

    def plan(self, paths: Sequence[str]) -> tuple[DocumentFix, ...]:
        """What would be done to each document for which anything is proposed."""
        return tuple(fix for path in paths if (fix := self._of_document(path)) is not None)

    def write(self, fixes: Sequence[DocumentFix]) -> None:
        """Write the documents, and read them again."""
        changed = [fix.path for fix in fixes if fix.after != fix.before]
        for fix in fixes:
            if fix.after != fix.before:
                self._documents.write(fix.path, fix.after)
        if changed:
            now = self._session.clock.now()
            DocumentReader(self._documents, self._session, self._policy, now).read(changed)

    def _links(self, paths: Sequence[str]) -> Iterator[tuple[Citation, CitedPlace]]:
        for path in paths:
            yield from self._session.now(partial(_cited_by, path))

    def _of_document(self, path: str) -> DocumentFix | None:
        kind, before = self._documents.kind_of(path), self._documents.read(path)
        if kind is None or before is None:
            return None
        facts = self._facts
        proposals = [
            LinkFix(citation.mention, proposal)
            for citation, node in self._links([path])
            if (proposal := mend(citation, node, self._policy, facts, self._kinds)) is not None
        ]
        proposals += self._of_local_links(path)
        if not proposals:
            return None
        edits = {
            fix: Edit(fix.mention.span.start, fix.mention.span.end, fix.proposal.url)
            for fix in proposals
            if isinstance(fix.proposal, Mended)
        }
        edited = edit_document(before, kind, list(edits.values())) if edits else Edited(before, (), ())
        refused = [
            replace(fix, proposal=Declined("the new URL cannot be written there"))
            for fix, edit in edits.items()
            if edit in edited.refused
        ]
        declined = [fix for fix in proposals if isinstance(fix.proposal, Declined)]
        mended = tuple(fix for fix, edit in edits.items() if edit in edited.applied)
        return DocumentFix(path, before, edited.content, mended, (*declined, *refused))

    def _of_local_links(self, path: str) -> Iterator[LinkFix]:
        for finding in self._local.findings([path]).findings if self._local is not None else ():
            if finding.span is None or finding.suggestion is None:
                continue
            mention = Mention(finding.url, "", LinkKind.ANCHOR, finding.span)
            kind = FixKind.ANCHOR if finding.code is RuleCode.ANCHOR_MISSING else FixKind.FILE
            if kind in self._kinds:
                yield LinkFix(mention, Mended(finding.suggestion.text, (kind,)))
            elif kind is FixKind.ANCHOR and FixKind.FILE in self._kinds:
                near = f"perhaps {finding.suggestion.text} is meant; --only anchor writes it"
                yield LinkFix(mention, Declined(near))

    async def _look_in_archive(self, key: UrlKey, url: Url, fetcher: Fetcher, rules: HostRules) -> None:
        request = FetchRequest(url, admit=lambda hop: rules.refusal(hop.host), obey_robots=False)
        sighting = sight(await fetcher.fetch(request))
        del self._facts.possible[key]
        if sighting.state.standing is Standing.ALIVE and sighting.final is not None:
            self._facts.archived[key] = sighting.final.href

    async def _is_same(self, node: CitedPlace, url: Url, fetcher: Fetcher) -> bool:
        request = FetchRequest(url, admit=lambda hop: None if hop.host == url.host else "another host")
        sighting = sight(await fetcher.fetch(replace(request, obey_robots=False)))
        recipe = node.notes.recipe
        if sighting.state is not LinkState.OK or sighting.capture is None or recipe is None:
            return False
        return distill(sighting.capture, Recipe.parse(recipe)).content_sha256 == node.content_sha256

    async def _look_again(self, node: CitedPlace, url: Url, fetcher: Fetcher, rules: HostRules) -> None:
        """A redirect that leads to the same place again was seen twice."""
        request = FetchRequest(url, admit=lambda hop: rules.refusal(hop.host), obey_robots=False)
        sighting = sight(await fetcher.fetch(request))
        final = redacted(sighting.final) if sighting.final else None
        if sighting.state is LinkState.MOVED_PERMANENT and final == node.final_url:
            seen = node._replace(looks=node.looks._replace(last=self._session.clock.now()))
            self._session.now(lambda ledger, _: ledger.citations.put_places([seen]))


def _chart(citations: CitationTable) -> None:
    """Give new URLs their node."""
    citations.put_places([new_place(citation) for citation in citations.uncharted()])


def _cited_by(path: str, ledger: Ledger, _: Archive) -> list[tuple[Citation, CitedPlace]]:
    """What a document cites, with what is known of it."""
    cited = (
        (link, ledger.citations.place(link.place.web_key)) for link in ledger.citations.of_document(path)
    )
    return [(citation, node) for citation, node in cited if node is not None]


def _secure_url(node: CitedPlace, rules: HostRules) -> Url | None:
    """The https form of a page that is there by http, as far as it may be asked."""
    secure = secure_form(node.fetch_url)
    alive = node.state.standing is Standing.ALIVE and not node.final_url
    if secure is None or not alive or node.content_sha256 is None or node.notes.recipe is None:
        return None
    return _admitted(secure, rules)


def _redirect_seen_once(node: CitedPlace, rules: HostRules) -> Url | None:
    once = node.state == LinkState.MOVED_PERMANENT and node.checked_at == node.fetched_at
    return _admitted(node.fetch_url, rules) if once else None


def _admitted(text: str, rules: HostRules) -> Url | None:
    url = parse_url(text)
    return url if isinstance(url, Url) and rules.refusal_of(url.href, url.host) is None else None


async def fix_documents(
    paths: Sequence[Path],
    settings: Settings,
    environment: Mapping[str, str],
    *,
    only: Sequence[str] | None = None,
    write: bool = False,
) -> FixReport:
    """Propose repairs, or write them; asked is only with consent (`fetch_external_urls`)."""
    with _open_fixer(paths, settings, only) as fixer:
        documents = fixer.read()
        fixer.name_archive(documents, settings.check.public_archive)
        asked = 0
        if settings.check.asking.fetch_external_urls:
            asked = await ask_for_fixes(fixer, documents, settings, environment)
        fixes = fixer.plan(documents)
        if write:
            fixer.write(fixes)
    return FixReport(tuple(fixes), write, asked)


@contextmanager
def _open_fixer(paths: Sequence[Path], settings: Settings, only: Sequence[str] | None) -> Iterator[Fixer]:
    """Mending of the links in these files and folders, by what the state of their root knows."""
    root = find_root(paths[0])
    folder = DocumentFolder(root, filter(None, [baseline_path(settings)]), selection=selection_of(settings))
    scope = tuple(folder.relative(path) for path in paths)
    local = local_options(settings, folder)
    kinds = frozenset(map(FixKind, only)) if only else USUAL_FIXES
    state = named_state(settings) or root / STATE_NAME
    asks = settings.check.asking.fetch_external_urls
    with open_to_check(state, "fix", settings, looks_only=not asks) as session:
        facts = LedgerFacts(session, session.policy, compares=True)
        yield Fixer(folder, session, facts, scope, kinds, local)


async def ask_for_fixes(
    fixer: Fixer, documents: Sequence[str], settings: Settings, environment: Mapping[str, str]
) -> int:
    """Ask what a repair needs to know; how many URLs that were."""
    fetcher = make_fetcher(settings, environment=environment)
    try:
        return await fixer.ask(documents, fetcher, rules_of(settings))
    finally:
        await fetcher.close()
