"""Which files are documents for a hook, and what the ledger keeps of a reference."""

from datetime import UTC, datetime

import pytest

from helpers.ledger_cases import memory_ledger
from holdfast.adapters.document_folder import DocumentFolder
from holdfast.adapters.ports import UnusedIgnore
from holdfast.core.documents.document_kinds import DocumentFormat
from holdfast.core.documents.readers import read_document
from holdfast.core.links.citation import Document, document_bid
from holdfast.core.links.citing import cite
from holdfast.core.url.policy import WEB
from holdfast.storage.sqlite.sqlite_ledger import open_ledger

FILES = {
    ".gitignore": "built/\n",
    ".holdfastignore": "drafts/\n!drafts/kept.md\n*.old.md\n",
    "a.md": "", "b.old.md": "", "built/x.md": "", "drafts/kept.md": "", "docs/c.md": "", "docs/LICENSE": "",
    ".hidden/d.md": "", "known.txt": "",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def walked(folder, *names, **options):
    documents = DocumentFolder(folder, [folder / "known.txt"], **options)
    return [file.path for file in documents.walk(names)], documents


def test_named_files_are_held_to_the_ignores_only_when_told(folder):
    names = ("a.md", "b.old.md", "built/x.md", "drafts/kept.md", "docs/c.md", ".hidden/d.md", "known.txt")

    assert walked(folder, *names)[0] == sorted(set(names) - {"known.txt"})
    assert walked(folder, *names, "docs/LICENSE", force_exclude=True)[0] == ["a.md", "docs/c.md"]


def test_a_walk_says_which_lines_decided_about_nothing(folder):
    paths, documents = walked(folder, "")

    assert paths == ["a.md", "docs/c.md"]
    assert documents.unused_ignores() == (UnusedIgnore(".holdfastignore", 2, "!drafts/kept.md"),)


@pytest.mark.spec("TRK-2")
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_a_reference_is_kept_with_the_place_where_it_is_used(tmp_path, kind):
    now = datetime(2026, 1, 1, tzinfo=UTC)
    ledger = memory_ledger() if kind == "memory" else open_ledger(tmp_path / "ledger.db", now)
    reading = read_document(
        b"[x][r] <https://a.example/>\n\n[r]: https://b.example/\n", DocumentFormat.MARKDOWN
    )
    citations = tuple(cite(mention, WEB) for mention in reading.mentions)
    ledger.citations.put_documents([(Document("a.md", document_bid("a.md"), "d", 1, 1, now), citations)])

    kept = ledger.citations.of_document("a.md")
    assert kept == citations
    assert {c.mention.raw: c.mention.used and c.mention.used.line for c in kept} == {
        "https://b.example/": 1,
        "https://a.example/": None,
    }
