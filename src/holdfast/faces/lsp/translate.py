"""From values to the protocol's types and back. Columns are UTF-16 units, the protocol's own default."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from lsprotocol import types as lsp

from holdfast.core.report_rules import RULES, Level, RuleCode
from holdfast.formats.editor.actions import TextChange
from holdfast.formats.editor.completion import Proposal
from holdfast.formats.editor.findings import LinkFinding
from holdfast.formats.editor.view import DocumentView, EditorPlace, ViewedLink
from holdfast.jobs.editing import OfferedAction

__all__ = [
    "SOURCE",
    "action_of",
    "diagnostic_of",
    "edit_of",
    "file_of",
    "item_of",
    "place_of",
    "range_of_link",
]

SOURCE: Final = "holdfast"
_SEVERITY: Final = {
    Level.ERROR: lsp.DiagnosticSeverity.Error,
    Level.WARNING: lsp.DiagnosticSeverity.Warning,
    Level.NOTE: lsp.DiagnosticSeverity.Information,
}


def file_of(uri: str) -> Path | None:
    """The file of a document; None for what is not a file."""
    parts = urlsplit(uri)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def place_of(position: lsp.Position) -> EditorPlace:
    """A position as values have it."""
    return EditorPlace(position.line, position.character)


def diagnostic_of(view: DocumentView, found: LinkFinding) -> lsp.Diagnostic:
    """A finding, where it stands."""
    finding = found.finding
    if found.link is not None:
        where = range_of_link(view, found.link)
    else:
        length = len(view.line_text(finding.line - 1).encode("utf-16-le", "replace")) // 2
        where = lsp.Range(lsp.Position(finding.line - 1, 0), lsp.Position(finding.line - 1, length))
    is_faded = finding.code in (RuleCode.IGNORE_UNUSED, RuleCode.IGNORE_EXPIRED)
    return lsp.Diagnostic(
        range=where,
        message=finding.message,
        severity=_SEVERITY[finding.level],
        code=str(finding.code),
        source=SOURCE,
        tags=[lsp.DiagnosticTag.Unnecessary] if is_faded else None,
        data={"rule": RULES[finding.code].name},
    )


def range_of_link(view: DocumentView, link: ViewedLink) -> lsp.Range:
    """Where the address of a link stands."""
    start, end = view.range_of(link.mention.span)
    return lsp.Range(lsp.Position(*start), lsp.Position(*end))


def edit_of(uri: str, changes: tuple[TextChange, ...]) -> lsp.WorkspaceEdit:
    """Changes of one document."""
    edits = [
        lsp.TextEdit(lsp.Range(lsp.Position(*change.start), lsp.Position(*change.end)), change.text)
        for change in changes
    ]
    return lsp.WorkspaceEdit(changes={uri: edits})


def action_of(uri: str, view: DocumentView, action: OfferedAction) -> lsp.CodeAction:
    """Something that can be done."""
    return lsp.CodeAction(
        title=action.title,
        kind=lsp.CodeActionKind.QuickFix,
        edit=edit_of(uri, action.changes),
        diagnostics=[diagnostic_of(view, action.finding)] if action.finding else None,
        is_preferred=action.is_preferred or None,
    )


def item_of(proposal: Proposal) -> lsp.CompletionItem:
    """Something that may be typed."""
    is_section = proposal.detail not in ("file", "folder")
    kinds = lsp.CompletionItemKind
    kind = kinds.Reference if is_section else kinds.Folder if proposal.is_folder else kinds.File
    return lsp.CompletionItem(
        label=proposal.label, kind=kind, detail=proposal.detail, insert_text=proposal.text
    )
