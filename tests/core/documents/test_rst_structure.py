"""Links in reStructuredText where its structure decides: items, notes, tables, titles, other scripts' points.

Each text is given to docutils as well, which has to find the same.
"""

from __future__ import annotations

import docutils.core
import docutils.nodes
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.examples import examples
from holdfast.core.documents.document_kinds import DocumentFormat
from holdfast.core.documents.edits import Edit, edit_document
from holdfast.core.documents.readers import read_document

pytestmark = pytest.mark.spec("TRK-2")

NO, YES = "https://e.org/no", "https://e.org/yes"
TABLE = """\
+----------------------+-----------+
| `a <https://e.org/aa | See       |
| /bb>`_ 表            | b_ and    |
|                      | `long     |
| https://e.org/c      | name`_    |
+---------+------------+-----------+
| x       | `d <https://e.org/     |
|         | d>`_                   |
|         +------------+-----------+
| y e_    | z          | |s|_      |
+---------+------------+-----------+

.. |s| replace:: S
.. _b: https://e.org/b
.. _e: https://e.org/e
.. _s: https://e.org/s
.. _long name: https://e.org/ln
"""

SAME = [
    # A literal block in a list item ends where the item's own text goes on.
    (f"* Run::\n\n     curl {NO}\n\n  See {YES}\n", [YES]),
    (f"#. Run::\n\n      curl {NO}\n\n   See {YES}\n", [YES]),
    (f"(a) Run::\n\n      curl {NO}\n\n    See {YES}\n", [YES]),
    (f"- - Run::\n\n      curl {NO}\n\n    See {YES}\n", [YES]),
    (f"• Run::\n\n     curl {NO}\n\n  See {YES}\n", [YES]),
    (f"* one\n* Run::\n\n     curl {NO}\n\n  See {YES}\n", [YES]),
    (f":field: Run::\n\n      curl {NO}\n\n  See {YES}\n", [YES]),
    (f"1. An `install`__ with::\n\n     pip\n\n   __ {YES}\n", [YES]),
    (f"* Run::\n\n* {YES}\n", [YES]),
    (f"  Run::\n\n\tcurl {NO}\n\n  See {YES}\n", [YES]),
    # Notes and footnotes begin beside their name.
    (f".. note:: Look::\n\n      curl {NO}\n\n   See {YES}\n", [YES]),
    (f".. [1] See the `long\n   title`__ there.\n\n   __ {YES}\n", [YES]),
    (f".. note:: See `the\n   title`_.\n\n.. _the title: {YES}\n", [YES]),
    (f".. [1] {YES}\n.. [2] {YES}\n.. _x: {NO}\n", [YES, YES]),
    # An item that begins with explicit markup.
    (f"* .. code:: sh\n\n     curl {NO}\n\n  See {YES}\n", [YES]),
    # After a title something else begins.
    (f"Title\n=====\n.. {NO}\n\nText\n", []),
    (f"=====\nTitle\n=====\n.. _x: {YES}\n\nText x_\n", [YES]),
    # Substitutions refer, too.
    (f"|x|_ and |y|__\n\n.. |x| replace:: *X*\n.. |y| replace:: Y\n.. _x: {YES}\n__ {YES}\n", [YES, YES]),
    # An escaped bracket ends no URL.
    (f"`when in a <section\\>`__ it is\n\n__ {YES}\n", [YES]),
    # URLs that are broken over lines.
    (".. image:: https://e.org/i/\n           k\n   :alt: x\n", ["https://e.org/i/k"]),
    (
        ".. image:: https://e.org/i\n   :target: https://e.org/t/\n            u\n   :alt: x\n",
        ["https://e.org/i", "https://e.org/t/u"],
    ),
    # Points and brackets of other scripts.
    (f"（{YES}）\n", [YES]),
    (f"请看，{YES} 。见：{YES} 、「{YES}」・{YES} \u3000{YES}\n", [YES] * 5),
    (f"«{YES}» ¿{YES} ؛{YES} ।{YES}\n", [YES] * 4),
    (f"（``{NO}``）和（`文 <{YES}>`_）\n", [YES]),
]


def found(text: str) -> list[str]:
    return [mention.raw for mention in read_document(text.encode(), DocumentFormat.RST).mentions]


def by_docutils(text: str) -> list[str]:
    tree = docutils.core.publish_doctree(text, settings_overrides={"report_level": 5, "halt_level": 6})
    links = [node["refuri"] for node in tree.findall(docutils.nodes.reference) if "refuri" in node]
    return links + [node["uri"] for node in tree.findall(docutils.nodes.image)]


@pytest.mark.parametrize(("text", "expected"), SAME)
def test_structure_decides_what_is_a_link(text, expected):
    assert found(text) == expected
    assert sorted(by_docutils(text)) == sorted(expected)


def test_pages_of_other_sites_stand_in_a_table_of_contents():
    toctree = f".. toctree::\n   :caption: More\n\n   guide\n   Elsewhere <{YES}>\n   https://e.org/bare\n"

    assert found(toctree) == [YES, "https://e.org/bare"]


def test_a_cell_of_a_table_is_a_text_of_its_own():
    expected = [f"https://e.org/{name}" for name in ("aa/bb", "b", "ln", "c", "d", "e", "s")]

    assert found(TABLE) == expected
    assert sorted(by_docutils(TABLE)) == sorted(expected)


@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from(["word", "a 表", f"`t <{YES}>`_", YES, "b_", ""]), min_size=2, max_size=2)
    )
)
def test_docutils_finds_the_same_links_in_tables_by_chance(rows):
    border = "+" + ("-" * 32 + "+") * 2 + "\n"
    lines = ["|" + "".join(f" {cell:<{31 - cell.count('表')}}|" for cell in row) + "\n" for row in rows]
    table = "Text\n\n" + border + border.join(lines) + border * bool(lines) + "\n.. _b: https://e.org/b\n"

    assert sorted(found(table)) == sorted(by_docutils(table))


OLD = "http://old.example/page"
GRID = f"+{'-' * 30}+------+\n| {OLD:<29}| text |\n+{'-' * 30}+------+\n"
SIMPLE = f"{'=' * 24}  ====\n{OLD:<24}  text\n{'=' * 24}  ====\n"
EDGE = f"+{'-' * 17}+------+\n"
BROKEN = f"{EDGE}| `x <http://old. | text |\n| example/page>`_ | more |\n{EDGE}"


@pytest.mark.parametrize("table", [GRID, SIMPLE, BROKEN])
def test_a_url_that_would_break_a_table_is_refused(table):
    data = f"{table}\n{OLD}\n".encode()
    links = read_document(data, DocumentFormat.RST).mentions
    edits = [Edit(link.span.start, link.span.end, "https://new.example/longer/page") for link in links]
    edited = edit_document(data, DocumentFormat.RST, edits)

    assert edited.content == f"{table}\nhttps://new.example/longer/page\n".encode()
    assert edited.refused == (edits[0],)


def test_a_url_of_the_same_length_is_written_into_a_table():
    data = GRID.encode()
    (link,) = read_document(data, DocumentFormat.RST).mentions
    edited = edit_document(
        data, DocumentFormat.RST, [Edit(link.span.start, link.span.end, OLD.replace("page", "edge"))]
    )

    assert edited.content == GRID.replace("page", "edge").encode()
