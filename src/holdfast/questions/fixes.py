"""What ledger and archive know of a link that could be mended, and what `fix` would propose for a URL.

1. A page is secure if its https form is known too, alive, with the same content; or was found so just now.
2. Where a redirect leads is judged by the other cited pages that lead there, and by the text: the last copy
   from before the page moved against the last one from where it is now.
3. A dead page has a living substitute where another page has the content that is on record for it: a cited
   one, or one of a mirror.
4. A proposal is made by what is known; nothing is asked, no document is read.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from holdfast.core.base.difference import drift_between
from holdfast.core.base.errors import ArchiveError
from holdfast.core.base.hashing import ContentHash, UrlKey
from holdfast.core.base.json_shape import COUNT, TEXT, WEB_URL, Schema, array, at, one_of, optional, record
from holdfast.core.base.values import dataclass
from holdfast.core.findings.cited_findings import copy_of
from holdfast.core.lineage.lineage import RecordRef
from holdfast.core.links.after_look import standing
from holdfast.core.links.citation import Backlink, CitedPlace
from holdfast.core.links.link_shapes import SHOWN
from holdfast.core.links.link_state import LinkState, Standing
from holdfast.core.links.mendable import Declined, FixKind, Landing, Mended, Substitutes, mend
from holdfast.core.page.distill_options import DistillOptions, distill
from holdfast.core.url.policy import Policy, Recipe
from holdfast.core.url.url import secure_form
from holdfast.questions.known_urls import is_known_to_be_secure
from holdfast.questions.rows.resolve_target import find_place

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.store_ports import Archive, Keeper


@dataclass(frozen=True, slots=True)
class ProposedFix:
    """A citation, and what `fix` would write for it, or why it leaves it alone."""

    citation: Backlink
    proposal: Mended | Declined


@dataclass(frozen=True, slots=True)
class ProposedFixes:
    """What is proposed for every citation of a URL for which anything is."""

    url: str
    fixes: tuple[ProposedFix, ...]


class LedgerFacts:
    """Answers from the ledger, and, where captures are compared, from the archive; what was just asked goes
    before.
    """

    def __init__(self, keeper: Keeper, policy: Policy, *, compares: bool = False) -> None:
        self._ask = keeper.now
        self._compares = compares
        self._landings: dict[UrlKey, Landing] = {}
        self._led_to: dict[str, set[str]] | None = None
        self._living: dict[ContentHash, str] | None = None
        self.policy = policy
        self.secure: set[UrlKey] = set()
        self.archived: dict[UrlKey, str] = {}
        self.possible: dict[UrlKey, str] = {}

    def is_secure(self, node: CitedPlace) -> bool:
        """Whether the same address by https has the same content."""
        if node.place.web_key in self.secure:
            return True
        if node.content_sha256 is None or secure_form(node.place.url) is None:
            return False  # without a question to the ledger: a light check knows no content
        return self._ask(lambda ledger, _: is_known_to_be_secure(ledger.citations, self.policy, node))

    def landing(self, node: CitedPlace) -> Landing:
        """What is known of the place that a redirect leads to."""
        key = node.place.web_key
        if key not in self._landings:
            led_there = self._led().get(node.final_url or "", set())
            others = len(led_there - {_page_of(node)})
            self._landings[key] = Landing(others, alike=self._alike(node))
        return self._landings[key]

    def substitutes(self, node: CitedPlace) -> Substitutes:
        """What could stand for a page that died."""
        elsewhere = self._elsewhere(node.content_sha256) if node.content_sha256 else None
        kept, possible = self.kept(node), self.possible.get(node.place.web_key)
        others = [f"a copy was kept: {kept}"] if kept else []
        if possible is not None:
            others.append(f"a public archive may have it: {possible} (--fetch-urls asks it)")
        return Substitutes(elsewhere, self.archived.get(node.place.web_key), tuple(others))

    def kept(self, node: CitedPlace) -> str | None:
        """The command that opens the copy that was kept of a URL."""
        return copy_of(node, self.kept_on(node))

    def kept_on(self, node: CitedPlace) -> date | None:
        """The day of the last copy of a URL."""
        found = self._ask(lambda ledger, _: ledger.archived.last_of({node.place.key: None}))
        kept = found.get(node.place.key)
        return kept.fetched_at.date() if kept else None

    def _led(self) -> dict[str, set[str]]:
        """Which pages are redirected where."""
        if self._led_to is None:
            self._led_to = {}
            for node in self._ask(lambda ledger, _: ledger.citations.places((LinkState.MOVED_PERMANENT,))):
                if node.final_url:
                    self._led_to.setdefault(node.final_url, set()).add(_page_of(node))
        return self._led_to

    def _elsewhere(self, content: ContentHash) -> str | None:
        if (cited := self._alive().get(content)) is not None:
            return cited
        return next(iter(self._ask(lambda ledger, _: ledger.pages.addresses_of(content))), None)

    def _alive(self) -> dict[ContentHash, str]:
        """Which content lives where."""
        if self._living is None:
            self._living = {}
            for node in self._ask(lambda ledger, _: ledger.citations.places()):
                has_moved = node.state is LinkState.MOVED_PERMANENT and node.final_url
                if node.content_sha256 and not has_moved and standing(node) is Standing.ALIVE:
                    self._living.setdefault(node.content_sha256, node.fetch_url)
        return self._living

    def _alike(self, node: CitedPlace) -> float | None:
        if not self._compares or node.notes.recipe is None:
            return None
        recipe = Recipe.parse(node.notes.recipe)
        before, after = None, None
        for observation in self._ask(lambda ledger, _: ledger.history.of_url(node.place.web_key, recipe)):
            capture = observation.capture
            if capture.ref is None or observation.item is None:
                continue
            if capture.final_url == node.final_url:
                after = capture.ref
            elif capture.final_url == capture.url:
                before = capture.ref
        if before is None or after is None:
            return None
        refs = (before, after)
        return self._ask(lambda _, archive: _resemblance(archive, refs, recipe))


def _resemblance(archive: Archive, refs: tuple[RecordRef, RecordRef], recipe: Recipe) -> float | None:
    try:
        old, new = (distill(archive.read(ref), recipe, DistillOptions(glance=True)) for ref in refs)
    except ArchiveError:
        return None
    if not old.text and not new.text:
        return None
    return round(1 - drift_between(old.text, new.text).amount, 3)


def _page_of(node: CitedPlace) -> str:
    """What a page is called, whatever its scheme and query."""
    return node.place.url.partition("://")[2].partition("?")[0].rstrip("/")


T = TypeVar("T")


class _OpenStore(NamedTuple):
    """A ledger and an archive, where one thing happens at a time (the `Keeper` port)."""

    ledger: Ledger
    archive: Archive

    def now(self, question: Callable[[Ledger, Archive], T]) -> T:
        """Put a question."""
        return question(self.ledger, self.archive)


def proposed_fixes(ledger: Ledger, archive: Archive, url: str, policy: Policy) -> ProposedFixes:
    """What can be mended without losing anything, and what looks so and is left alone."""
    named = find_place(ledger, url, policy)
    node = ledger.citations.place(named.web_key) if named else None
    if named is None or node is None:
        return ProposedFixes(url, ())
    facts = LedgerFacts(_OpenStore(ledger, archive), policy, compares=True)
    found = [
        ProposedFix(link, proposal)
        for link in ledger.citations.backlinks(named.web_key)
        if (proposal := mend(link.citation, node, policy, facts)) is not None
    ]
    return ProposedFixes(named.url, tuple(found))


LINK: Final = record(
    line=at("mention.span.line", COUNT),
    column=at("mention.span.column", COUNT),
    start=at("mention.span.start", COUNT),
    end=at("mention.span.end", COUNT),
    url=at("mention.raw", SHOWN),
)

PROPOSED_FIXES: Final = Schema(
    "proposed-fixes",
    "What `holdfast fix` would write for the citations of a URL, or why it leaves one alone.",
    record(
        url=WEB_URL,
        fixes=array(
            record(
                document=at("citation.document", TEXT),
                line=at("citation.line", COUNT),
                column=at("citation.column", COUNT),
                url=at("citation.citation.mention.raw", TEXT),
                new_url=at(lambda fix: getattr(fix.proposal, "url", None), optional(TEXT)),
                why=at(lambda fix: getattr(fix.proposal, "kinds", ()), array(one_of(FixKind))),
                reason=at(lambda fix: getattr(fix.proposal, "reason", None), optional(TEXT)),
            )
        ),
    ),
)
