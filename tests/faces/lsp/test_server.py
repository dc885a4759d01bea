"""`holdfast lsp` as a client sees it, over its standard input and output, beside a real ledger."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from helpers.sites.living import LivingSite
from holdfast.core.base.errors import FailedError
from holdfast.faces.lsp import make_server

SERVER = [sys.executable, "-m", "holdfast", "lsp"]
TRACK = [sys.executable, "-m", "holdfast", "check", "notes.md", "--fetch-urls", "--allow-private", "--eager"]


@pytest.fixture(scope="module")
def tracked(tmp_path_factory):
    """A site, and a document that was checked: a dead link; one whose page changed, or section is missing."""
    folder = tmp_path_factory.mktemp("tracked")
    (folder / "holdfast.toml").write_text("")
    (folder / "guide.md").write_text("# Guide\n\n## Set up\n")
    with LivingSite() as site:
        site.put("/spec", "<h1>The spec</h1><h2 id='limits'>Limits</h2><p>Ten at most.</p>")
        site.put("/changing", "<p>one two three four five six seven</p>")
        (folder / "notes.md").write_text(
            f"😀 [gone]({site.origin}/gone)\n[news]({site.origin}/changing)\n"
            f"[lost]({site.origin}/spec#lost)\n[fine]({site.origin}/spec#limits)\n"
        )
        track(folder)
        site.put("/changing", "<p>one two three four other words here</p>")
        track(folder, "--force-refetch")
        yield site, folder


@pytest.fixture
def site(tracked):
    """The site as it was when the document was tracked."""
    there = tracked[0].resources.copy()
    tracked[0].asked.clear()
    yield tracked[0]
    tracked[0].resources = there


@pytest.fixture
def notes(tmp_path, tracked, site, monkeypatch):
    """The checked document, in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(tracked[1], tmp_path, dirs_exist_ok=True)
    return tmp_path / "notes.md"


def track(folder, *flags):
    """In a process of its own: an event loop runs in this one."""
    command = [*TRACK, "--content-rate-limit", "0", *flags]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr


async def begin(client, folder):
    capabilities = client_capabilities("neovim")
    capabilities.general = lsp.GeneralClientCapabilities(position_encodings=["utf-8", "utf-16"])
    told = await client.initialize_session(
        lsp.InitializeParams(capabilities, root_uri=folder.as_uri(), process_id=os.getpid())
    )
    assert told.capabilities.position_encoding == "utf-16"


@pytest_lsp.fixture(config=ClientServerConfig(server_command=SERVER))
async def client(lsp_client: LanguageClient, notes: Path):
    await begin(lsp_client, notes.parent)
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[*SERVER, "--fetch-urls", "--allow-private"]))
async def asker(lsp_client: LanguageClient, notes: Path):
    await begin(lsp_client, notes.parent)
    yield
    await lsp_client.shutdown_session()


async def opened(client, file, text=None):
    """Open a document; its diagnostics by code."""
    uri = file.as_uri()
    document = lsp.TextDocumentItem(
        uri, "markdown", 1, "\n".join([*lines_of(uri), ""]) if text is None else text
    )
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(document))
    await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    return uri


def lines_of(uri):
    return Path(uri.removeprefix("file://")).read_text().splitlines()


def codes(client, uri):
    return {each.code: each for each in client.diagnostics[uri]}


async def edited(client, uri, version, start, end, text):
    where = lsp.Range(lsp.Position(*start), lsp.Position(*end))
    change = lsp.TextDocumentContentChangePartial(text=text, range=where)
    document = lsp.VersionedTextDocumentIdentifier(version, uri)
    client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))
    await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)


@pytest.mark.asyncio
@pytest.mark.spec("TRK-10", "TRK-1")
async def test_what_the_ledger_knows_is_underlined_with_the_codes_of_reports(client, notes, site):
    uri = await opened(client, notes)
    found = codes(client, uri)
    assert set(found) == {"HF001", "HF012", "HF010"}
    gone = found["HF001"]
    assert gone.severity is lsp.DiagnosticSeverity.Error, "seen twice, so it is confirmed"
    assert gone.range.start == lsp.Position(0, 10), "an emoji is two units"
    assert gone.range.end.character - 10 == len(f"{site.origin}/gone")
    assert "drift" in found["HF012"].message
    assert site.asked == []


@pytest.mark.asyncio
@pytest.mark.spec("TRK-10", "TRK-11")
async def test_problems_come_and_go_while_typing(client, notes, site):
    uri = await opened(client, notes)
    await edited(client, uri, 2, (0, 0), (0, 0), "[new](nowhere.md)\n")
    assert "HF050" in codes(client, uri)
    await edited(client, uri, 3, (0, 0), (1, 0), "")
    assert "HF050" not in codes(client, uri)
    assert codes(client, uri)["HF001"].range.start.line == 0
    assert site.asked == [], "nothing is asked while somebody types"


@pytest.mark.asyncio
@pytest.mark.spec("TRK-10")
async def test_hover_tells_state_look_title_drift_and_copy(client, notes):
    uri = await opened(client, notes)
    texts = []
    for line in (0, 1, 3):
        position = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(line, 14))
        texts.append((await client.text_document_hover_async(position)).contents.value)
    gone, changed, fine = texts
    assert "dead" in gone
    assert "404" in gone
    assert "kept copy: none" in gone
    assert "drift 0." in changed
    assert "last look: 20" in changed
    assert "holdfast show" in changed
    assert "state: alive" in fine
    assert "title: /spec" in fine


@pytest.mark.asyncio
@pytest.mark.spec("TRK-10")
async def test_go_to_definition_opens_the_kept_copy_at_the_section(client, notes):
    uri = await opened(client, notes)
    where = lsp.DefinitionParams(lsp.TextDocumentIdentifier(uri), lsp.Position(3, 14))
    location = await client.text_document_definition_async(where)
    assert "Limits" in lines_of(location.uri)[location.range.start.line]


@pytest.mark.asyncio
@pytest.mark.spec("TRK-10")
async def test_sections_of_known_pages_and_local_files_are_completed(client, notes, site):
    text = f"[x]({site.origin}/spec#\n[y](gu\n[z](guide.md#\n"
    uri = await opened(client, notes, text)
    labels = []
    for line, written in enumerate(text.splitlines()):
        where = lsp.Position(line, len(written))
        params = lsp.CompletionParams(lsp.TextDocumentIdentifier(uri), where)
        labels.append([item.label for item in (await client.text_document_completion_async(params)).items])
    assert labels == [["limits"], ["guide.md"], ["guide", "set-up"]]


@pytest.mark.asyncio
@pytest.mark.spec("TRK-10")
async def test_links_can_be_followed(client, notes, site):
    uri = await opened(client, notes, f"<{site.origin}/spec#limits> [g](guide.md#set-up) [n](nowhere.md)\n")
    links = await client.text_document_document_link_async(
        lsp.DocumentLinkParams(lsp.TextDocumentIdentifier(uri))
    )
    guide = (notes.parent / "guide.md").as_uri()
    assert [link.target for link in links] == [f"{site.origin}/spec#limits", guide]


@pytest.mark.asyncio
@pytest.mark.spec("TRK-10")
async def test_all_links_of_a_document_are_mended_by_one_command(client, notes, site):
    text = f"<{site.origin}/spec?utm_source=x>\n[g](GUIDE.md)\n"
    uri = await opened(client, notes, text)
    applied = []

    @client.feature(lsp.WORKSPACE_APPLY_EDIT)
    def apply(params: lsp.ApplyWorkspaceEditParams):
        applied.append(params.edit.changes[uri])
        return lsp.ApplyWorkspaceEditResult(applied=True)

    asked = lsp.CodeActionParams(
        lsp.TextDocumentIdentifier(uri),
        lsp.Range(lsp.Position(1, 5), lsp.Position(1, 5)),
        lsp.CodeActionContext(diagnostics=[]),
    )
    offered = await client.text_document_code_action_async(asked)
    assert {"Write guide.md", "Mend all links of this document"} <= {action.title for action in offered}
    await client.workspace_execute_command_async(lsp.ExecuteCommandParams("holdfast.fixAll", arguments=[uri]))
    assert [edit.new_text for edit in applied[0]] == [f"{site.origin}/spec", "guide.md"]


@pytest.mark.asyncio
@pytest.mark.spec("TRK-1", "TRK-10")
async def test_without_consent_the_command_asks_nothing(client, notes, site):
    uri = await opened(client, notes)
    arguments = [uri, {"line": 0, "character": 14}]
    answer = await client.workspace_execute_command_async(
        lsp.ExecuteCommandParams("holdfast.check", arguments=arguments)
    )
    assert answer is None
    assert "needs your consent" in client.messages[-1].message
    assert site.asked == []


@pytest.mark.asyncio
@pytest.mark.spec("TRK-1", "TRK-10")
async def test_with_consent_the_command_asks_one_url_and_tells(asker, notes, site):
    uri = await opened(asker, notes)
    site.put("/gone", "<p>back again</p>")
    answer = await asker.workspace_execute_command_async(
        lsp.ExecuteCommandParams("holdfast.check", arguments=[uri, {"line": 0, "character": 14}])
    )
    assert answer == "ok"
    assert [asked.path for asked in site.asked] == ["/gone"]
    assert "HF001" not in codes(asker, uri)


@pytest.mark.spec("STA-2")
@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b"", []),
        (b"nonsense\r\n\r\n", []),
        (b"Content-Length: 5\r\n\r\n{bad}", ["a message cannot be read: Expecting property name"]),
        (b"Content-Length: 50\r\n\r\n{}", ["a message cannot be read: 'dict' object has no"]),
    ],
    ids=["nothing", "no header", "no JSON", "cut off"],
)
def test_what_is_not_a_message_is_told_in_a_line(caplog, sent, said):
    make_server({}, {}).start_io(BytesIO(sent), BytesIO())

    assert [record.getMessage()[: len(said[0])] for record in caplog.records] == said
    assert all(record.exc_info is None for record in caplog.records)


def test_a_message_that_is_announced_and_does_not_come_is_an_error_in_words(tmp_path):
    (tmp_path / "sent").write_bytes(b"Content-Length: 999999999999999999\r\n\r\n{}")
    with (tmp_path / "sent").open("rb") as sent, pytest.raises(FailedError, match="does not come"):
        make_server({}, {}).start_io(sent, BytesIO())


@pytest.mark.spec("TRK-10")
def test_neovim_shows_what_is_wrong(notes):
    if shutil.which("nvim") is None:
        pytest.skip("Neovim is not installed; `make editors` brings it on Debian")
    script = notes.parent / "try.lua"
    script.write_text(
        """
        local cmd = {vim.env.PYTHON, '-m', 'holdfast', 'lsp'}
        local id = vim.lsp.start_client({name='holdfast', cmd=cmd, root_dir=vim.fn.getcwd()})
        vim.lsp.buf_attach_client(0, id)
        vim.wait(20000, function() return #vim.diagnostic.get(0) >= 3 end, 50)
        for _, d in ipairs(vim.diagnostic.get(0)) do
          print(d.code .. ' ' .. d.lnum .. ' ' .. d.col .. ' ' .. d.end_col)
        end
        vim.cmd('qa!')
        """
    )
    done = subprocess.run(
        ["nvim", "--headless", "-u", "NONE", "notes.md", "-c", "luafile try.lua", "-c", "qa!"],
        cwd=notes.parent,
        env=os.environ | {"PYTHON": sys.executable, "XDG_STATE_HOME": str(notes.parent / "xdg")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    told = dict(line.split(" ", 1) for line in done.stderr.split("\n") if line.startswith("HF"))
    line = notes.read_text().splitlines()[0].encode()
    start = line.index(b"http")
    assert told["HF001"].strip() == f"0 {start} {len(line) - 1}", "Neovim counts bytes, and finds the same"
    assert {"HF010", "HF012"} <= set(told)
