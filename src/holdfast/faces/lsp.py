"""The language server: which request asks which question, and values as the protocol's types and back.

1. Nothing is asked of the network while somebody types. `holdfast.check` asks one URL, on the user's
   command and only with consent (TRK-1).
2. Diagnostics are sent when a document is opened or saved, when files come and go, after a check, and when
   nothing was typed for a moment: an edit itself costs nothing.
3. Positions and columns are in UTF-16 units, the protocol's own default, whatever else a client would
   rather have.
4. An error of ours is a message in the editor; the server goes on. So it does after a message that cannot
   be read; where it does not end, the server ends.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final
from urllib.parse import unquote, urlsplit

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from holdfast import __version__, jobs
from holdfast.core.base.errors import FailedError, HoldfastError
from holdfast.core.documents.editor_findings import LinkFinding
from holdfast.core.documents.editor_offers import Proposal, TextChange
from holdfast.core.documents.editor_view import DocumentView, EditorPlace, ViewedLink
from holdfast.core.findings.report import RULES
from holdfast.core.findings.rule_codes import Level, RuleCode
from holdfast.core.links.evidence import reason_of
from holdfast.core.url.redaction import shown
from holdfast.faces.library.calling import SILENT
from holdfast.jobs.editing import KeptCopy, OfferedAction

CHECK: Final = "holdfast.check"
FIX_ALL: Final = "holdfast.fixAll"
OPEN_COPY: Final = "holdfast.openCopy"
_PAUSE: Final = 0.1
"""How long, in seconds, nothing is typed before a document is read again."""
_TRIGGERS: Final = ["(", "/", "#", '"', "<", ":"]
_UNREADABLE: Final = "Unable to handle message"
_KINDS: Final = [lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.SourceFixAll]


class Utf16Protocol(LanguageServerProtocol):
    """The protocol with positions in UTF-16 units alone; pygls would take what the client likes best."""

    @lsp_method(lsp.INITIALIZE)
    def lsp_initialize(self, params: lsp.InitializeParams) -> Generator[Any, Any, Any]:
        """Agree on UTF-16."""
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        return (yield from super().lsp_initialize(params))


class HoldfastServer(LanguageServer):
    """The server, and the roots whose documents are open."""

    def __init__(self, flags: Mapping[str, object], environment: Mapping[str, str]) -> None:
        super().__init__("holdfast", __version__, protocol_cls=Utf16Protocol)
        self.roots = jobs.editor_root.EditedRoots(flags, environment)
        self._told: set[Path] = set()
        self._waiting: dict[str, asyncio.TimerHandle] = {}

    def start_io(self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
        """Serve until the editor leaves."""
        logging.getLogger("pygls.server").addFilter(_in_one_line)
        try:
            super().start_io(stdin, stdout)
        except (asyncio.IncompleteReadError, MemoryError, OverflowError):
            raise FailedError("the editor announced a message that does not come") from None

    def root_of(self, uri: str) -> tuple[jobs.editor_root.EditedRoot, str] | None:
        """The root of a document, and its path there; None for what is not a file."""
        file = file_of(uri)
        if file is None:
            return None
        at = self.roots.of(file)
        if at.root not in self._told:
            self._told.add(at.root)
            if at.refusal:
                self.say(at.refusal, lsp.MessageType.Warning)
        return at, at.path_of(file)

    def view_of(self, uri: str) -> tuple[jobs.editor_root.EditedRoot, str, DocumentView] | None:
        """As `root_of`, with what was read in the document; None for what is not read."""
        found = self.root_of(uri)
        view = found[0].answers.view(found[1]) if found else None
        return (*found, view) if found and view is not None else None

    def take(self, uri: str, *, after: float = 0.0) -> None:
        """Take a document's text as it is now, and say soon what is wrong with it."""
        found = self.root_of(uri)
        if found is None:
            return
        at, path = found
        at.answers.put(path, self.workspace.get_text_document(uri).source)
        self.forget(uri)
        self._waiting[uri] = asyncio.get_running_loop().call_later(after, self.publish, uri)

    def forget(self, uri: str) -> None:
        """Whatever was to be said about a document is out of date."""
        waiting = self._waiting.pop(uri, None)
        if waiting is not None:
            waiting.cancel()

    def publish(self, uri: str) -> None:
        """Send the diagnostics of a document."""
        found = self.view_of(uri)
        if found is None:
            return
        at, path, view = found
        try:
            told = [diagnostic_of(view, each) for each in at.answers.findings(path)]
        except HoldfastError as error:
            self.say(error.message, lsp.MessageType.Error)
            return
        version = self.workspace.get_text_document(uri).version
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, told, version))

    def publish_all(self) -> None:
        """Send the diagnostics of every open document."""
        for uri in self.workspace.text_documents:
            self.publish(uri)

    def say(self, text: str, kind: lsp.MessageType = lsp.MessageType.Info) -> None:
        """Tell the person something."""
        self.window_show_message(lsp.ShowMessageParams(kind, text))


def _in_one_line(record: logging.LogRecord) -> bool:
    """What pygls says of a message that it cannot read, without the trace of its own steps."""
    if record.msg == _UNREADABLE and record.exc_info:
        record.msg, record.args = "a message cannot be read: %s", (record.exc_info[1],)
        record.exc_info = record.exc_text = None
    return True


def make_server(flags: Mapping[str, object], environment: Mapping[str, str]) -> HoldfastServer:
    """A server that answers; `flags` are the settings of the command line."""
    server = HoldfastServer(flags, environment)
    _listen_to_documents(server)
    _answer_about_links(server)
    _offer_changes(server)
    _obey_commands(server)
    return server


def _listen_to_documents(server: HoldfastServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: HoldfastServer, params: lsp.DidOpenTextDocumentParams) -> None:
        ls.take(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: HoldfastServer, params: lsp.DidChangeTextDocumentParams) -> None:
        ls.take(params.text_document.uri, after=_PAUSE)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(ls: HoldfastServer, params: lsp.DidSaveTextDocumentParams) -> None:
        found = ls.root_of(params.text_document.uri)
        if found is not None:
            found[0].answers.files_changed()
        ls.publish_all()

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: HoldfastServer, params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        found = ls.root_of(uri)
        ls.forget(uri)
        if found is not None:
            found[0].answers.drop(found[1])
        ls.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(ls: HoldfastServer, _: lsp.DidChangeWatchedFilesParams) -> None:
        for at in ls.roots.all():
            at.answers.files_changed()
        ls.publish_all()

    @server.feature(lsp.SHUTDOWN)
    def stopped(ls: HoldfastServer, _: None) -> None:
        ls.roots.close()


def _answer_about_links(server: HoldfastServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(ls: HoldfastServer, params: lsp.HoverParams) -> lsp.Hover | None:
        found = ls.view_of(params.text_document.uri)
        told = found[0].answers.hover(found[1], place_of(params.position)) if found else None
        if found is None or told is None:
            return None
        link, text = told
        return lsp.Hover(
            lsp.MarkupContent(lsp.MarkupKind.Markdown, text), range=range_of_link(found[2], link)
        )

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_LINK, lsp.DocumentLinkOptions())
    def links(ls: HoldfastServer, params: lsp.DocumentLinkParams) -> list[lsp.DocumentLink]:
        found = ls.view_of(params.text_document.uri)
        if found is None:
            return []
        at, path, view = found
        told = []
        for link in view.links:
            target = _target_of(at, path, link)
            if target is not None:
                told.append(lsp.DocumentLink(range_of_link(view, link), target=target))
        return told

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(ls: HoldfastServer, params: lsp.DefinitionParams) -> lsp.Location | None:
        found = ls.view_of(params.text_document.uri)
        target = found[0].answers.target(found[1], place_of(params.position)) if found else None
        if found is None or target is None:
            return None
        if isinstance(target, KeptCopy):
            file = ls.roots.write_copy(target.url, target.markdown)
        else:
            file = found[0].root / target.path
        place = lsp.Position(target.line, 0)
        return lsp.Location(file.as_uri(), lsp.Range(place, place))


def _offer_changes(server: HoldfastServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=_TRIGGERS))
    def complete(ls: HoldfastServer, params: lsp.CompletionParams) -> lsp.CompletionList:
        found = ls.view_of(params.text_document.uri)
        proposals = found[0].answers.complete(found[1], place_of(params.position)) if found else ()
        return lsp.CompletionList(is_incomplete=True, items=[item_of(each) for each in proposals])

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=_KINDS))
    def actions(ls: HoldfastServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri = params.text_document.uri
        found = ls.view_of(uri)
        if found is None:
            return []
        at, path, view = found
        where = params.range
        offered = at.answers.actions(path, place_of(where.start), place_of(where.end))
        told = [action_of(uri, view, action) for action in offered]
        mend = lsp.Command("Mend all links of this document", FIX_ALL, arguments=[uri])
        told.append(lsp.CodeAction(mend.title, kind=lsp.CodeActionKind.SourceFixAll, command=mend))
        link = view.link_at(place_of(where.start))
        if link is not None and link.citation is not None:
            place = {"line": where.start.line, "character": where.start.character}
            for title, command in (("Ask this URL now", CHECK), ("Open the kept copy", OPEN_COPY)):
                told.append(
                    lsp.CodeAction(title, command=lsp.Command(title, command, arguments=[uri, place]))
                )
        return told


def _obey_commands(server: HoldfastServer) -> None:
    @server.command(FIX_ALL)
    async def fix_all(ls: HoldfastServer, uri: str) -> int:
        found = ls.view_of(uri)
        changes = found[0].answers.fix_all(found[1]) if found else ()
        if changes:
            edit = lsp.ApplyWorkspaceEditParams(edit_of(uri, changes), label="Mend links")
            await ls.workspace_apply_edit_async(edit)
        else:
            ls.say("there is nothing to mend")
        return len(changes)

    @server.command(CHECK)
    async def check(ls: HoldfastServer, uri: str, position: Any) -> str | None:
        found = ls.view_of(uri)
        link = found[2].link_at(place_of(_position(position))) if found else None
        if found is None or link is None or link.citation is None:
            ls.say("there is no link to the web here")
            return None
        try:
            node = await ls.roots.check(found[0], link.citation, SILENT)
        except HoldfastError as error:
            hint = f" ({error.hint})" if error.hint else ""
            ls.say(f"{error.message}{hint}", lsp.MessageType.Warning)
            return None
        if node is None:
            ls.say("your settings leave this URL out", lsp.MessageType.Warning)
            return None
        ls.publish_all()
        ls.say(f"{shown(node.place.url)}: {reason_of(node.state, node.notes.evidence)}")
        return str(node.state)

    @server.command(OPEN_COPY)
    async def open_copy(ls: HoldfastServer, uri: str, position: Any) -> str | None:
        found = ls.view_of(uri)
        target = found[0].answers.target(found[1], place_of(_position(position))) if found else None
        if not isinstance(target, KeptCopy):
            ls.say("no copy of it was kept")
            return None
        file: Path = ls.roots.write_copy(target.url, target.markdown)
        place = lsp.Position(target.line, 0)
        wish = lsp.ShowDocumentParams(file.as_uri(), take_focus=True, selection=lsp.Range(place, place))
        await ls.window_show_document_async(wish)
        return file.as_uri()


def _target_of(at: jobs.editor_root.EditedRoot, path: str, link: ViewedLink) -> str | None:
    """Where a link leads when it is followed."""
    if link.citation is not None:
        fragment = f"#{link.citation.fragment}" if link.citation.fragment else ""
        return link.citation.fetch_url.partition("#")[0] + fragment
    local = at.answers.local_file(path, link)
    return (at.root / local.path).as_uri() if local else None


def _position(given: Any) -> lsp.Position:
    """A position as a command's argument has it."""
    if isinstance(given, Mapping):
        return lsp.Position(int(given["line"]), int(given["character"]))
    return lsp.Position(int(given.line), int(given.character))


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
