"""Decisions are pages by subject: each says what holds and why, and whoever cites one names its subject."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(p for p in (ROOT / "docs/internals/decisions").glob("*.md") if p.name != "index.md")
LONGEST = 150
CITING = "src tests docs native tools bench quality editors *.md *.py *.toml *.yml Makefile".split()
TEXTS = {".html", ".js", ".lua", ".md", ".py", ".pyi", ".rs", ".sql", ".toml", ".txt", ".yml"}
NOT_OURS = {"target", "node_modules", "vectors", "static"}
SUBJECT = re.compile(r"decisions/(?!index\b)([\w-]+)")
NUMBER = re.compile(
    r"decisions?[ /]\d"  # decision 350, decisions/0350-…
    r"|[\[(]0[0-4]\d\d\b[\]),;]"  # [0350](…), (0350), (0327, 0381)
    r"|\b(?i:see|in|of|by|since) 0[0-4]\d\d\b(?![.:]\d)"  # as in 0350
)
"""How a decision was cited while decisions had numbers."""


def texts():
    files = (file for names in CITING for top in ROOT.glob(names) for file in (top, *top.rglob("*")))
    for file in files:
        written_here = file.suffix in TEXTS or file.name == "Makefile"
        if written_here and NOT_OURS.isdisjoint(file.parts) and file != Path(__file__) and file.is_file():
            yield file, file.read_text(encoding="utf-8", errors="replace")


def subject(path):
    return path.stem


@pytest.mark.parametrize("path", PAGES, ids=subject)
def test_a_page_of_decisions_is_named_by_its_subject_and_says_what_holds_and_why(path):
    assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", path.stem)
    text = path.read_text(encoding="utf-8")
    title, sentence, rest = text.split("\n\n", 2)
    headings = re.findall(r"^## .*", rest, re.MULTILINE)

    assert re.fullmatch(r"# \D.*", title)
    assert re.search(r"\.\s|\.$", sentence).end() == len(sentence)
    assert headings[:2] == ["## What holds today", "## Why"]
    assert set(headings[2:]) <= {"## What was tried", "## Figures"}
    assert len(text.splitlines()) <= LONGEST


def test_whoever_cites_a_decision_names_a_page_that_is_there():
    known = {page.stem for page in PAGES}
    cited = {(str(file.relative_to(ROOT)), name) for file, text in texts() for name in SUBJECT.findall(text)}

    assert cited
    assert {(file, name) for file, name in cited if name not in known} == set()


def test_no_decision_is_cited_by_a_number():
    cited = {
        (str(file.relative_to(ROOT)), match.group())
        for file, text in texts()
        for match in NUMBER.finditer(text)
    }
    assert cited == set()
