"""The loaders of docs/guides/feed-a-model.md as they stand there: with LangChain and LlamaIndex themselves
where they are installed (`make loaders`), else on stand-ins for the one class that each is asked for.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

import holdfast as library
from helpers.sites.living import LivingSite

pytestmark = pytest.mark.spec("EXP-1")

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "feed-a-model.md"


@dataclass
class Document:
    page_content: str
    id: str = ""
    metadata: dict = field(default_factory=dict)


@dataclass
class TextNode:
    text: str
    id_: str = ""
    metadata: dict = field(default_factory=dict)


@pytest.fixture
def loaders(monkeypatch):
    """What the guide's code blocks define."""
    for name, offered in (("langchain_core.documents", Document), ("llama_index.core.schema", TextNode)):
        parts = name.split(".")
        if find_spec(parts[0]):
            continue
        for count in range(1, len(parts) + 1):
            monkeypatch.setitem(sys.modules, ".".join(parts[:count]), ModuleType(parts[count - 1]))
        setattr(sys.modules[name], offered.__name__, offered)
    names = {}
    for code in re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL):
        if "def " in code:
            exec(compile(code, GUIDE.name, "exec"), names)
    return names


@pytest.fixture
def folder(tmp_path):
    with LivingSite() as site:
        site.put("/guide", "Begin.</p><h2 id=size>Size</h2><p>At most nine.")
        library.mirror(site.origin + "/", output=tmp_path / "docs", content_rate_limit=0, processes=1)
        yield tmp_path / "docs"


def test_langchain_gets_a_document_for_each_section(loaders, folder):
    documents = loaders["HoldfastLoader"](folder).load()
    assert [each.id for each in documents] == [record.id for record in library.export(folder)]
    assert "At most nine." in documents[-1].page_content
    assert documents[-1].metadata["headings"].endswith("> Size")


def test_llamaindex_gets_a_node_for_each_section(loaders, folder):
    nodes = list(loaders["holdfast_nodes"](folder, max_tokens=1000))
    assert [each.id_ for each in nodes] == [record.id for record in library.export(folder)]
    assert nodes[-1].metadata["url"].endswith("#size")


def test_both_get_the_pages_that_a_document_cites(loaders, tmp_path):
    note = tmp_path / "note.md"
    with LivingSite() as site:
        site.put("/guide", "At most nine.")
        note.write_text(f"[size]({site.origin}/guide#size)\n\n[lost]({site.origin}/lost)\n")
        library.check(note, fetch_urls=True, allow_private=True, content_rate_limit=0)
    (document,) = loaders["cited_documents"](note, store=tmp_path)
    (node,) = loaders["cited_nodes"](note, store=tmp_path)
    assert "At most nine." in document.page_content
    assert (node.id_, node.text, node.metadata) == (document.id, document.page_content, document.metadata)
    assert document.metadata["cited_in"] == f"{note}:1"
    assert document.metadata["source"].endswith("/guide#size")
