"""What reading documents found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from holdfast.core.base.values import dataclass
from holdfast.core.findings.ignore import LocalReading
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.core.links.citation import Citation, Document

ReadDocument = tuple[Document, Sequence[Citation]]
"""A document as it was just read, and what it cites."""


@dataclass(frozen=True, slots=True)
class DocumentProblem:
    """Something about a document that its author should know; `line` is 0 for the whole file."""

    path: str
    line: int
    message: str
    code: RuleCode = RuleCode.DOCUMENT_UNREADABLE


@dataclass(frozen=True, slots=True)
class ReadReport:
    """What reading found: all documents of the scope, how many were parsed, how many are gone, and the local
    links of those that were parsed.
    """

    paths: tuple[str, ...]
    parsed: int
    dropped: int
    problems: tuple[DocumentProblem, ...]
    local: Mapping[str, LocalReading] = field(default_factory=dict)
