"""New URLs in documents of every format: only their spans change."""

import json
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.core.base.difference import changed_lines, unified_diff
from holdfast.core.documents.document_kinds import DocumentFormat
from holdfast.core.documents.edits import Edit, edit_document
from holdfast.core.documents.readers import read_document, read_links

OLD = "http://old.example/page"
DOCUMENTS = {
    DocumentFormat.MARKDOWN: f"""---
source: {OLD}
---
# T \u00e9\r
[a]({OLD}) and <{OLD}> and {OLD}, then ![i](<{OLD}> "t") [ref] `{OLD}`
<a href="{OLD}?a=1&amp;b=2">x</a> | [rel](other.md) | [other](https://other.example/(x)_*y*)

[ref]: {OLD}
""",
    DocumentFormat.HTML: f"""<!doctype html><p>{OLD}</p><a href='{OLD}'>a</a><a href={OLD}>b</a>
<img src="{OLD}" alt="\u00e9"><a href="/rel">r</a><!-- <a href="{OLD}"> --><a href="https://o.example/?a&amp;b">o</a>
""",
    DocumentFormat.RST: f"""Title
=====
`a <{OLD}>`_ and {OLD}. See ref_ and `o <https://other.example/a_b>`__.

.. _ref: {OLD}
.. image:: {OLD}

::

    {OLD}
""",
    DocumentFormat.ASCIIDOC: f"""= Title

{OLD}[a] and link:{OLD}[b] and {OLD} image::{OLD}[] https://other.example/x[o]

----
{OLD}
----
""",
    DocumentFormat.NOTEBOOK: json.dumps(
        {
            "cells": [
                {"cell_type": "markdown", "metadata": {}, "source": [f"[a]({OLD}) \u00e9\n", f"<{OLD}>"]},
                {
                    "cell_type": "code",
                    "metadata": {},
                    "source": [f"x = '{OLD}'"],
                    "outputs": [],
                    "execution_count": None,
                },
            ],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        indent=1,
    ),
    DocumentFormat.TEXT: f"See {OLD}, or ({OLD}) or <{OLD}>.\r\nAnd https://other.example/x.",
}

PLAIN_URL = "https://new.example/other"
hosts = st.sampled_from(["https://new.example", "https://xn--bcher-kva.example:8080"])
tails = st.text(st.sampled_from("abz09/-._~!$&'()*+,;=:@%?#[]|"), max_size=14).map(lambda tail: f"/{tail}")


def edits_for(data, kind, url):
    mentions = [m for m in read_links(data, kind) if m.raw.startswith(OLD)]
    return mentions, [Edit(m.span.start, m.span.end, url) for m in mentions]


@pytest.mark.parametrize("kind", DOCUMENTS, ids=str)
def test_only_the_spans_change(kind):
    data = DOCUMENTS[kind].encode()
    _, edits = edits_for(data, kind, PLAIN_URL)
    edited = edit_document(data, kind, edits)

    assert len(edited.applied) == len(set(edits)) >= 2
    pieces, at = [], 0
    for edit in sorted(set(edits)):
        pieces.append(data[at : edit.start])
        at = edit.end
    assert edited.content == PLAIN_URL.encode().join((*pieces, data[at:]))
    assert {m.raw for m in read_links(edited.content, kind)} >= {PLAIN_URL}
    assert not [m for m in read_links(edited.content, kind) if m.raw.startswith(OLD)]


@pytest.mark.parametrize("kind", DOCUMENTS, ids=str)
def test_an_https_form_keeps_the_escapes_that_are_there(kind):
    data = DOCUMENTS[kind].encode()
    mentions, _ = edits_for(data, kind, "")
    edits = [Edit(m.span.start, m.span.end, "https" + m.raw[4:]) for m in mentions]
    edited = edit_document(data, kind, edits)

    assert not edited.refused
    assert len(edited.content) == len(data) + len(set(edits))
    if kind is DocumentFormat.MARKDOWN:
        assert b"https://old.example/page?a=1&amp;b=2" in edited.content


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(list(DOCUMENTS)), hosts, tails)
def test_whatever_the_url_it_is_read_back_as_meant_or_not_written(kind, host, tail):
    data = DOCUMENTS[kind].encode()
    _, edits = edits_for(data, kind, host + tail)
    before = read_links(data, kind)
    edited = edit_document(data, kind, edits)
    after = read_links(edited.content, kind)

    applied = {edit.start for edit in edited.applied}
    assert applied | {edit.start for edit in edited.refused} == {edit.start for edit in edits}
    expected = [host + tail if m.span.start in applied else m.raw for m in before]
    assert [m.raw for m in after] == expected


def test_a_url_that_a_place_cannot_hold_is_refused_there_and_written_elsewhere():
    data = b"Bare http://old.example/page and <http://old.example/page>"
    edits = [
        Edit(m.span.start, m.span.end, "https://new.example/a.")
        for m in read_links(data, DocumentFormat.TEXT)
    ]
    edited = edit_document(data, DocumentFormat.TEXT, edits)

    assert len(edited.refused) + len(edited.applied) == 2
    assert edited.refused
    for mention in read_document(edited.content, DocumentFormat.TEXT).mentions:
        assert mention.raw in ("http://old.example/page", "https://new.example/a.")


@pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n"])
def test_git_applies_the_diff_and_gets_the_same_bytes(tmp_path, ending):
    old = b"one\r\ntwo \xff http://a\nthree\n\n4\n5\n6\n7\n8\nnine" + ending
    new = old.replace(b"http://a", b"https://b").replace(b"nine", b"neun")
    (tmp_path / "a b.md").write_bytes(old)
    diff = unified_diff("a b.md", old, new).encode("utf-8", "surrogateescape")
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "apply", "--unsafe-paths", "-"], input=diff, check=True)

    assert (tmp_path / "a b.md").read_bytes() == new


NAMES = ["plain.md", "a b.md", 'c "d".md', "e\\f.md", "g\th.md", "i\nj.md", "\u00e9 k.md"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tool", [("git", "apply", "-"), ("patch", "-s", "-p1")], ids=["git", "patch"])
def test_a_diff_of_a_file_of_any_name_is_applied(tmp_path, name, tool):
    if shutil.which(tool[0]) is None:
        pytest.skip(f"{tool[0]} is not installed")
    (tmp_path / name).write_bytes(b"http://a\n")
    diff = unified_diff(name, b"http://a\n", b"https://b\n").encode()
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(tool, cwd=tmp_path, input=diff, check=True)

    assert (tmp_path / name).read_bytes() == b"https://b\n"
    assert list(changed_lines(diff)) == [name]


def test_no_difference_is_no_diff():
    assert unified_diff("a", b"x\n", b"x\n") == ""


def test_changed_lines_are_those_of_the_new_file_and_content_is_no_name():
    diff = (
        b'--- a/x.md\n+++ "b/d\\303\\251 \\"q\\".md"\n@@ -1 +1,2 @@\n-a\n+b\n++++ b/evil.md\n'
        b"@@ -9,2 +10,0 @@\n-x\n--- y\n@@ -20 +21 @@ head\n-a\n+b\n\\ No newline at end of file\n"
        b"--- a/gone.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
    )

    assert changed_lines(diff) == {'d\u00e9 "q".md': [range(1, 3), range(21, 22)]}
