"""What is blanked before parsing changes nothing: the external links are those of the whole text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.examples import examples
from holdfast.core.documents.document_kinds import DocumentFormat
from holdfast.core.documents.found import is_external
from holdfast.core.documents.markdown_parts import blank_passages, empty_fences, passages_of
from holdfast.core.documents.markdown_source import read_markdown
from holdfast.core.documents.readers import read_document, read_links

pytestmark = pytest.mark.spec("TRK-2")

LINK = "[x](https://e.org/a)"
PIECES = [
    "words",
    LINK,
    "https://e.org/b",
    "www.e.org/c",
    "<https://e.org/d>",
    "[use][r]",
    "[r]",
    "[r](",
    "[r](a`) b`",
    "[r](/rel)",
    "[other]",
    "[^1]",
    '<a href="https://e.org/e">',
    "</a>",
    "http:\\/\\/e.org/f",
    "[y](http:&#47;/e.org/g)",
    "[z](http:&sol;/e.org/h)",
    "`",
    "``",
    "| a | b |",
    "|---|---|",
    "# head",
    "===",
    "&amp;",
    "é",
    "\\",
]
STARTS = [
    "",
    "",
    "",
    " ",
    "  ",
    "   ",
    "    ",
    "\t",
    "- ",
    "  - ",
    "1. ",
    "   1) ",
    "> ",
    "> > ",
    "```",
    "```py ",
    "   ```",
    "  ```",
    "~~~",
    "~~~~",
    "> ```",
    "- ```",
    "``` `",
    "<!-- ",
    "-->",
    "<!-- c -->",
    " <!-- ",
    "<!-- holdfast: ignore it is old -->",
    "<!-- holdfast: ignore-next ",
    "<!-->",
    "--!>",
    "<div>",
    "</div>",
    "<pre>",
    "</pre>",
    "<script>",
    "<?",
    "?>",
    "<!X",
    "<![CDATA[",
    "]]>",
    "[r]: https://e.org/r",
    "[other]: /local",
    "[r]: /u 'title ",
    "[^1]: ",
    "    [^1]: ",
]
line = st.tuples(st.sampled_from(STARTS), st.lists(st.sampled_from(PIECES), max_size=3).map(" ".join)).map(
    "".join
)
text = st.tuples(
    st.lists(
        st.tuples(line, st.sampled_from(["\n", "\n", "\n\n", "\n\n", "\n \n"])).map("".join), max_size=9
    ),
    st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"]),
).map(lambda both: "".join(both[0]).replace("\n", both[1]))


@settings(max_examples=examples(1500), deadline=None)
@given(text)
def test_external_links_are_those_of_the_whole_text(text):
    data = text.encode()
    expected = [m for m in read_links(data, DocumentFormat.MARKDOWN) if is_external(m.raw)]
    assert list(read_document(data, DocumentFormat.MARKDOWN).mentions) == expected


@settings(max_examples=examples(1000), deadline=None)
@given(text)
def test_ignores_are_those_of_the_whole_text(text):
    data = text.encode()
    wishes = [
        [c for c in read_markdown(data, external=only)[1] if "holdfast:" in c.text] for only in (True, False)
    ]
    assert wishes[0] == wishes[1]


@settings(max_examples=examples(500), deadline=None)
@given(text, st.lists(st.integers(0, 200)))
def test_every_byte_keeps_its_place(text, wanted):
    data = text.encode()
    emptied, known = empty_fences(data)
    places = sorted(place for place in wanted if place < len(data))
    seen = blank_passages(emptied, passages_of(emptied, known), places)
    assert len(seen) == len(data)
    assert all(seen[place] == emptied[place] for place in places)


def test_passages_without_a_sign_are_blank_and_fences_empty():
    data = f"Plain [a](b) words.\n\n```\nhttps://no.example/\n```\n\nSee {LINK}.\n\nMore\nwords.\n".encode()
    emptied, known = empty_fences(data)
    assert b"no.example" not in emptied
    seen = blank_passages(emptied, passages_of(emptied, known), [emptied.index(b"https")])
    assert seen.split() == f"See {LINK}.".encode().split()


def test_what_closes_the_fence_of_a_list_item_opens_none():
    data = b"- ```\n  code\n  ```\n\n  - [x](https://e.org/a)\n\n  ```\n\n"
    assert [m.raw for m in read_document(data, DocumentFormat.MARKDOWN).mentions] == ["https://e.org/a"]


def test_after_a_fence_in_a_list_item_that_may_not_end_there_everything_is_kept():
    data = b"- a\n\n  ```\n\nText\n\n```\nhttps://no.example/\n"
    assert empty_fences(data) == (data, data.index(b"\n  ```"))
