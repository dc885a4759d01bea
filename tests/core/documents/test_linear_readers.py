"""No text takes a reader of documents longer than its length allows, and none breaks one (SEC-8)."""

import contextlib
import itertools
import json
import random
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.growth import is_linear
from holdfast.core.base.errors import FormatError
from holdfast.core.documents.document_kinds import DocumentFormat
from holdfast.core.documents.ignore_file import is_ignored, read_ignore_file
from holdfast.core.documents.readers import read_document, read_links

SIZE = 16_000
PIECES = {
    DocumentFormat.MARKDOWN: [
        b"https://(",
        b"```\n",
        b"~~~\n",
        b"```a`b\n",
        b"https://e.org/\\ ",
        b"https://e.org/`x ",
        b"https://e.org/a ",
        b"- https://e.org/a\n",
        b"> https://e.org/\n",
        b"_www.a",
        b"https://a;",
        b"![",
        b"![a](//b) ",
        b"[a][b]\n",
        b"[a]: //b\n\n",
        b"<a href=//b>",
        b"<!-- holdfast: ignore-next a -->",
        b"<!-- holdfast: ignore a --> //b\n",
        b"\xc3\xa9 https://e.org/a ",
        b"<!--",
        b"<a //",
        b"]( //",
        b"https://a.b/[c](d) ",
        b"[^a]: //b\n",
    ],
    DocumentFormat.RST: [
        b"a:",
        b":a",
        b"a-",
        b"`",
        b"``a",
        b"*a ",
        b"a_ ",
        b"`a <",
        b".. _a: ",
        b".. _a:\n",
        b"a://$",
        b".. image:: //a\n   :target: //b\n\n",
        b":a:`b",
        b"\\`",
        b"-http://",
        b"a::\n",
        b"a_b",
        b"|a",
        b"|a|_ ",
        b"- ",
        b"i. ",
        b"- a::\n\n    b\n\n",
        b":a: b::\n\n  c\n",
        b".. note:: a\n   b\n",
        b"+--+--+\n",
        b"+--+--+\n|a |b |\n",
        b"+-",
        b"=  =\n",
        b"   :target: //b\n",
    ],
    DocumentFormat.ASCIIDOC: [
        b"link:https://e.org[",
        b"https://e.org[a ",
        b"pass:[a",
        b"stem:[a",
        b"$$a",
        b"++a",
        b"+++a",
        b"+a ",
        b"link:a ",
        b"link:++a",
        b"https://a\n",
        b"{a}",
        b":a: {a}{a}\n",
        b"https://a[\\",
        b"////\n",
        b"image::a",
    ],
    DocumentFormat.HTML: [
        b"<a href=//b>",
        b"<a ",
        b"<!--",
        b"<script>",
        b"<img srcset='//a 1x,",
        b"<a href='&aaaa",
        b"<a href=//b>x</a>",
    ],
    DocumentFormat.TEXT: [
        b"http://(",
        b"http://a ",
        b"www.",
        b"http://a;",
        b"holdfast: ignore x ",
        b"http://a)",
    ],
}


@pytest.mark.spec("SEC-8")
@pytest.mark.parametrize(
    ("kind", "piece"), [(kind, piece) for kind, pieces in PIECES.items() for piece in pieces]
)
def test_four_times_the_text_takes_four_times_as_long(kind, piece):
    assert is_linear(lambda n: read_document(b"https://e.org " + piece * n, kind), SIZE // len(piece))


@pytest.mark.spec("SEC-8")
def test_an_entity_of_any_length_is_read():
    digits = b'<a href="//e.org/&#' + b"9" * 10_000 + b';">'
    assert len(read_links(digits, DocumentFormat.HTML)) == 1
    assert is_linear(
        lambda n: read_links(b'<a href="//e.org/&' + b"a" * n + b'">', DocumentFormat.HTML), 10_000
    )


@pytest.mark.spec("SEC-8")
def test_attributes_that_double_each_other_stay_small():
    names = [b"a%d" % number for number in range(60)]
    lines = [b":%s: {%s}{%s}" % (new, old, old) for old, new in itertools.pairwise(names)]
    text = b":a0: https://e.org/aaaaaaaa\n" + b"\n".join(lines) + b"\n\n{a59}\n"
    read_document(text, DocumentFormat.ASCIIDOC)


@pytest.mark.spec("SEC-8")
@pytest.mark.parametrize("opening", [b"+++\na = ", b"---\na: "])
def test_front_matter_that_is_nested_without_end_is_text(opening):
    mark = opening[:3]
    read_document(opening + b"[" * 20_000 + b"\n" + mark + b"\n//e.org", DocumentFormat.MARKDOWN)


@pytest.mark.spec("SEC-8")
@pytest.mark.parametrize(
    "text",
    [
        b"]https://e.org",
        b"}",
        b"{]",
        b'{"cells": [}',
        b"[" * 5_000,
        b'{"a":' * 5_000,
        b'{"cells": 1}]',
        b"",
        b"1",
    ],
)
def test_a_notebook_that_is_no_json_is_an_error_of_its_own(text):
    with pytest.raises(FormatError):
        read_document(text, DocumentFormat.NOTEBOOK)


_TOKENS = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        '"cells"',
        '"source"',
        '"cell_type"',
        '"markdown"',
        '"https://e.org "',
        '"\\ud800"',
        '"\\u00e9 <https://e.org>\\n"',
        "1",
        "null",
        "\ufeff",
        "\\",
        '"',
        "\udcff",
    ]
)


@pytest.mark.spec("SEC-8")
@given(st.lists(_TOKENS, max_size=30))
def test_whatever_a_notebook_holds_it_is_read_or_refused(tokens):
    data = "".join(tokens).encode("utf-8", "surrogateescape")
    with contextlib.suppress(FormatError):
        read_document(data, DocumentFormat.NOTEBOOK)


_MARKS = st.sampled_from(
    [
        b"https://e.org/",
        b"www.e.org",
        b"[",
        b"](",
        b")",
        b"`",
        b"<",
        b">",
        b"\\",
        b"_",
        b"*",
        b"::",
        b".. ",
        b"\n",
        b" ",
        b"link:",
        b"pass:[",
        b"]",
        b"++",
        b"{a}",
        b"\xff",
        b"\xc3\xa9",
        b"<a href=",
        b"&#9;",
        b"<!--",
        b"-->",
        b"```",
        b"---\n",
        b"+++\n",
        b"image::",
        b"|",
        b"    ",
        b"\r",
        b"holdfast: ignore",
        b"\x00",
    ]
)


@pytest.mark.spec("SEC-8")
@pytest.mark.parametrize("kind", [kind for kind in DocumentFormat if kind is not DocumentFormat.NOTEBOOK])
@given(st.lists(_MARKS, max_size=40))
def test_whatever_a_document_holds_it_is_read(kind, marks):
    data = b"".join(marks)
    for mention in read_document(data, kind).mentions:
        assert 0 <= mention.span.start <= mention.span.end <= len(data)
    for mention in read_links(data, kind):
        assert mention.span.line >= 1


@pytest.mark.spec("SEC-8")
def test_a_notebook_on_one_line_is_linear():
    def read(n: int) -> None:
        source = "".join(f"é [a{i}] https://e.org/{i}\n" for i in range(n))
        source += "\n" + "".join(f"[a{i}]: https://e.org/{i}\n" for i in range(n))
        cells = {"cells": [{"cell_type": "markdown", "source": source}]}
        read_document(json.dumps(cells, ensure_ascii=False).encode(), DocumentFormat.NOTEBOOK)

    assert is_linear(read, 200)


@pytest.mark.spec("SEC-8")
@pytest.mark.parametrize(
    "rule", ["**/" * 200 + "b", "*a" * 200 + "b", "a/**/" * 200 + "b", "*" * 4_000 + "b"]
)
def test_no_line_of_an_ignore_file_takes_long(rule):
    (pattern,) = read_ignore_file(rule, "")

    def look(n: int) -> None:
        for path in ("a" * n, "a/" * n + "a"):
            assert not pattern.matches(path, is_folder=False)

    assert is_linear(look, 500)


_PARTS = [
    "a",
    "b",
    "ab",
    "*",
    "**",
    "?",
    "/",
    "[ab]",
    "[!a]",
    "[^b]",
    "[a-c]",
    "\\a",
    "\\*",
    "[[:alpha:]]",
    "[]a]",
    "[a-]",
    "**/",
    "/**",
    "!",
    " ",
    "[",
    "c.md",
    "-",
    "[b-a]",
    "[\\]]",
    "[a\\-c]",
    "#",
]
_NAMES = ["a", "b", "ab", "c.md", "*", "-", "]", "aa", "c", " a"]


def _lines(dice: random.Random) -> list[str]:
    """Lines of an ignore file; `**` beside other characters is not defined, and left out."""
    lines = ["".join(dice.choices(_PARTS, k=dice.randint(1, 6))) for _ in range(dice.randint(1, 4))]
    bare = [line.strip("/").split("/") for line in lines]
    return [
        line
        for line, parts in zip(lines, bare, strict=True)
        if all(p.strip("*") == p or p in ("*", "**") or "**" not in p for p in parts) and "//" not in line
    ]


@pytest.mark.parametrize("seed", range(12))
def test_ignore_files_say_what_git_says(seed, tmp_path):
    dice = random.Random(seed)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for _ in range(10):
        text = "\n".join(_lines(dice)) + "\n"
        (tmp_path / ".gitignore").write_text(text)
        paths = sorted({"/".join(dice.choices(_NAMES, k=dice.randint(1, 4))) for _ in range(25)})
        asked = ["git", "-C", tmp_path, "check-ignore", "--no-index", "-z", "-v", "-n", "--stdin"]
        given = subprocess.run(asked, input="\0".join(paths).encode(), capture_output=True, check=False)
        fields = given.stdout.decode().split("\0")[:-1]
        patterns = read_ignore_file(text, "")
        for _, _, pattern, path in zip(*[iter(fields)] * 4, strict=True):
            theirs = bool(pattern) and not pattern.startswith("!")
            folders = [*itertools.accumulate(path.split("/"), "{}/{}".format)]
            ours = any(is_ignored(part, patterns, is_folder=part != path) for part in folders)
            assert ours == theirs, (text, path)
