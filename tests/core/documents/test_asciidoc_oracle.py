"""Links in AsciiDoc, judged by asciidoctor where it is installed: documents by chance, from a fixed seed.

What is known to differ is not made: three dots, which it turns into one character before it looks for links;
an underscore in a link's attributes, which it takes for emphasis; `<` inside a URL, which it takes in.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections import Counter

import pytest

from holdfast.core.documents.document_kinds import DocumentFormat
from holdfast.core.documents.readers import read_document

pytestmark = [
    pytest.mark.spec("TRK-2"),
    pytest.mark.skipif(shutil.which("asciidoctor") is None, reason="asciidoctor is not installed"),
]

CONVERT = """
require 'json'
require 'asciidoctor'
Asciidoctor::LoggerManager.logger.level = 4
texts = JSON.parse(STDIN.read)
print JSON.generate(texts.map {|text| Asciidoctor.convert(text, safe: :secure, standalone: false) })
"""
URLS = (
    "https://e.org/a",
    "http://e.org/b_c",
    "ftp://e.org/f",
    "https://e.org/q?x=1",
    "https://e.org/(p)",
    "https://e.org/~u/",
)
INLINE = (
    *("URL", "URL", "URL.", "URL,", "URL!", "URL?", "URL;", "URL:", "URL)", "URL.)", "URL);", "URL)."),
    *("URL[text]", "URL[]", "link:URL[label, role=x]", "<URL>", "(URL)", '"URL"', "'URL'", "x [URL]"),
    *("`URL`", "*URL*", "_URL_", "+URL+", "++URL++", "+++URL+++", "$$URL$$", "pass:[URL]", "\\URL", "xURL"),
    *("image:URL[alt]", "word", "a + b", "`code`", "{site}/z[Z]", "{site}/y", "*bold*", "see *URL now*"),
    *("xref:a[b]", "footnote:[see URL]"),
)
BLOCKS = (
    *("TEXT\nTEXT", "TEXT\nTEXT", "TEXT", "TEXT", "----\nTEXT\n----", "....\nTEXT\n....", "====\nTEXT\n===="),
    *("* TEXT\n** TEXT\n* TEXT", ". TEXT\n+\nTEXT", "term:: TEXT\nother::\n  TEXT", "term::\n\n\tTEXT"),
    *(" TEXT\nTEXT", "[source]\nTEXT\nTEXT", "[source,sh]\n----\nTEXT\n----", "[source]\n--\nTEXT\n--"),
    *("// TEXT\nTEXT", "TEXT\n// TEXT\nTEXT", "////\nTEXT\n////", "|===\n|TEXT |TEXT\n\n|TEXT\n|x\n|==="),
    *(
        "== Title TEXT",
        "Some title\n----------\n\nTEXT",
        "Some title\n~~~~~~~~~~\nTEXT",
        ".A title TEXT\nTEXT",
    ),
    *("NOTE: TEXT", "--\nTEXT\n--", "[quote]\n____\nTEXT\n____", "```\nTEXT\n```", "TEXT\n----\nTEXT\n----"),
)
HEADS = (
    "",
    "= Doc\n:site: https://s.org\n\n",
    ":site: https://s.org\n\n",
    "Some Document\n=============\n\n",
)


def documents(seed, count):
    chance = random.Random(seed)

    def words():
        return " ".join(chance.choice(INLINE) for _ in range(chance.randrange(1, 4)))

    for _ in range(count):
        blocks = [chance.choice(BLOCKS) for _ in range(chance.randrange(1, 4))]
        text = chance.choice(HEADS) + "\n\n".join(blocks) + "\n"
        for mark, fill in (("TEXT", words), ("URL", lambda: chance.choice(URLS))):
            while mark in text:
                text = text.replace(mark, fill(), 1)
        yield text


def test_asciidoctor_finds_the_same_links():
    texts = [*documents(2026, 500)]
    done = subprocess.run(
        ["ruby", "-e", CONVERT], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    for text, page in zip(texts, json.loads(done.stdout), strict=True):
        expected = Counter(m.raw for m in read_document(page.encode(), DocumentFormat.HTML).mentions)
        found = Counter(m.raw for m in read_document(text.encode(), DocumentFormat.ASCIIDOC).mentions)
        assert found == expected, text
