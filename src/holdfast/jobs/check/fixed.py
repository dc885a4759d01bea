"""What `fix` proposes for the links of documents, or did: value, words, JSON.

The words say what it left alone and why, how sure it is of the rest, and how much it mended.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdfast.core.base.json_shape import (
    BOOLEAN,
    NUMBER,
    TEXT,
    Schema,
    array,
    at,
    described,
    one_of,
    optional,
    record,
)
from holdfast.core.base.values import dataclass
from holdfast.core.links.mendable import Declined, FixKind, Mended
from holdfast.core.page.page import Mention
from holdfast.core.url.redaction import shown
from holdfast.questions.fixes import LINK


@dataclass(frozen=True, slots=True)
class LinkFix:
    """A link, and what is proposed for it."""

    mention: Mention
    proposal: Mended | Declined


@dataclass(frozen=True, slots=True)
class DocumentFix:
    """A document before and after, the links that are mended in it, and those that are left alone."""

    path: str
    before: bytes
    after: bytes
    mended: tuple[LinkFix, ...]
    declined: tuple[LinkFix, ...]


@dataclass(frozen=True, slots=True)
class FixReport:
    """What can be mended in each document, or was (`written`), and how many addresses were asked for that."""

    documents: tuple[DocumentFix, ...]
    written: bool
    asked: int = 0

    @property
    def links(self) -> int:
        """How many links can be mended, or were."""
        return sum(len(fix.mended) for fix in self.documents)


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


FIX: Final = Schema(
    "fix",
    "What `holdfast fix --json` prints.",
    record(
        written=described(BOOLEAN, "Whether the documents were changed."),
        documents=array(
            record(
                document=at("path", TEXT),
                mended=array(
                    record(
                        LINK,
                        new_url=at("proposal.url", TEXT),
                        why=at("proposal.kinds", array(one_of(FixKind))),
                        alike=at(
                            "proposal.alike",
                            described(
                                optional(NUMBER), "How much of the text that was kept is there, 0 to 1."
                            ),
                        ),
                    )
                ),
                declined=array(record(LINK, reason=at("proposal.reason", TEXT))),
            )
        ),
    ),
)
