"""The loaders of docs/guides/feed-a-model.md as they stand there, on stand-ins for the libraries' classes."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import pytest

import holdfast as library
from sites.living import LivingSite

pytestmark = pytest.mark.spec("EXP-1")

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "feed-a-model.md"


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
        library.mirror(site.origin + "/", output=tmp_path / "docs", content_rate_limit=0, workers=1)
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
