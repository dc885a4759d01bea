"""The places inside a document that a link can name: explicit ids, and those that renderers make of headings.

1. Explicit ids are taken wherever they are written: HTML `id` and `name`, `{#id}` and `{: #id }`, MyST
   `(id)=`, `:name:`, `:label:` and `$$ (id)`, reStructuredText `.. _id:` and `:name:`, AsciiDoc `[[id]]`,
   `[#id]`, `anchor:id[]`.
2. Of headings all ids count that a common renderer makes (`core/links/anchors`).
3. A document into which others are included, or whose ids are made by programs (`autoclass`, a heading that
   is a comment or has a hole in it), is open: what it lacks may come from there. What stands in a fence is
   code and includes nothing; a container (`:::tip` … `:::`) is none either.
4. In MDX a line is a heading wherever it stands, right after a component, too, and the first cell of a row
   of a table counts: components make ids of it. So do blocks of a template engine (`{% configuration %}` …
   `{% endconfiguration %}`) of the keys that stand in them.
5. A document without any heading is a piece of others: what it names in itself is where it is put.
6. A Markdown document is filled where something stands in it, outside code, that a build puts text in the
   place of, or makes ids of: a component that is closed (`<Tabs />`, `</Tabs>`), a template
   (`{{ x }}`, `{% x %}`), `[!INCLUDE]`, a term that is defined (`: text`), a cell of code that runs.

The headings of a Markdown text are read as renderers make ids of them (`headings_of`):

7. The words count, not the markup; footnotes count as `[^name]`.
8. Of a picture some renderers take the description and some nothing: a heading with one is there twice.
   Where it stood a space is left, which forges make a hyphen of.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from holdfast.core.documents.document_kinds import DocumentFormat
from holdfast.core.documents.found import decode
from holdfast.core.documents.front_matter import front_matter
from holdfast.core.documents.html_source import unescape_attribute
from holdfast.core.documents.markdown_parts import empty_fences
from holdfast.core.documents.markdown_source import markdown_events
from holdfast.core.documents.notebook import markdown_cells
from holdfast.core.links.anchors import DocumentAnchors, heading_ids
from holdfast.core.links.project import label_name

_HTML_ID = re.compile(
    r"\b(?:id|name)\s*+=\s*+\{?(?:\"([^\"<>\n]*+)\"|'([^'<>\n]*+)'|([^\"'\s<>{}]++))", re.IGNORECASE
)
_BRACED_ID = re.compile(r"\{:?[^{}\n]*?#([^\s{}]+)[^{}\n]*\}")
_COMMENT_ID = re.compile(r"\{/\*\s*#?([^\s*#]+)\s*\*/\}")
_MYST_LABEL = re.compile(r"^\(([^()\n]+)\)=", re.MULTILINE)
_MYST_OPTION = re.compile(
    r"^[ \t>]*+:?(?:name|label):[ \t]++([^\s][^\n]*+)|\$\$[ \t]*+\(([^()\n]++)\)", re.MULTILINE
)
"""What a directive or a formula is called. In a block of YAML an option has no first colon."""
_BLOCK_ID = re.compile(r"(?:^|\s)\^([\w-]+)\s*$", re.MULTILINE)
_TRAILING_ID = re.compile(r"\s*\{:?[^{}]*\}\s*\Z|\s#+\s*\Z")
_OPEN_MARKDOWN = re.compile(
    rb"--8<--|\{\{[<%#~{ ]*+ ?(?:include|readfile|snippet|relref|content|section|partial|import|glossary|"
    rb"heading)"
    rb"|\{% *+(?:include|snippet|capture|for|render|import)|^import [^\n]*\.mdx?[\"']"
    rb"|\{![^!\n]+!\}|^!!?include|eval-rst|^[ \t]*:::+ ?\{(?:include|auto)",
    re.MULTILINE | re.IGNORECASE,
)
_OPEN_WRITTEN = re.compile(
    rb"^#+ *+<!--|<!-- md:|^[ \t]*```+\{(?:include|auto)|^#+[ \t][^\n]*\{[%{]", re.MULTILINE | re.IGNORECASE
)
"""What a fence says in its first line, or a comment."""
_FILLED = re.compile(
    rb"</[A-Z]|<[A-Z][\w.]*+(?:\s[^<]{0,500}?)?/>|\{\{|\{%|\[!INCLUDE\b|^:[ \t]+\S", re.MULTILINE
)
_CELL = re.compile(rb"^[ \t]*[`~]{3}[ \t]*\{(?:python|r|julia|ojs|code-cell)\b", re.MULTILINE)
_LONG_FENCE = re.compile(rb"^(`{4,}|~{4,})[^\n]*\n(?:(?!\1)[^\n]*\n)*", re.MULTILINE)
_CODE_SPAN = re.compile(rb"`[^`\n]*`")
_CONTAINER = re.compile(rb"^[ \t]*:{3,}[ \t]*+(\S)?", re.MULTILINE)
_TAB = re.compile(r"^[ \t]*=== [!+]?\"([^\"\n]+)\"", re.MULTILINE)
_INDENTED_HEADING = re.compile(r"^(?:\t| {4,})[ \t]*#{1,6}[ \t]+(\S[^\n]*)$", re.MULTILINE)
_HTML_HEADING = re.compile(
    r"<h([1-6])\b[^<>]*>((?:(?!</?h[1-6]\b).){1,500})</h\1>", re.IGNORECASE | re.DOTALL
)
_HEADING_LINE = re.compile(r"^[ \t]*#{1,6}[ \t]+(\S[^\n]*)$", re.MULTILINE)
_FIRST_CELL = re.compile(r"^[ \t]*\|[ \t]*(?:\[[ \t]*)?`?([^`|\s\]]+)`?[^|\n]*\|", re.MULTILINE)
_BLOCK_END = re.compile(r"\{%-? *+end[a-z]")
_KEY = re.compile(r"^[ \t]*(?:- )?([\w-]+):(?=\s)", re.MULTILINE)
_TAG = re.compile(r"<[^<>]*>")
_OPEN_RST = re.compile(
    rb"^[ \t]*\.\. (?:auto\w+|include|py:|c:|cpp:|js:|rst:|[\w:-]*(?:attribute|function|class|method|data|"
    rb"module|"
    rb"option|envvar|confval|setting|directive|role|glossary|describe|object|program|exception)[\w-]*)::",
    re.MULTILINE,
)
_FROM_CODE = re.compile(
    r"^[ \t]*(?:\.\. |[`:]{3,}\{)auto"
    r"(?:module(?:::|\})[ \t]+([A-Za-z_]\w*)|[a-z]+(?:::|\})[ \t]+([A-Za-z_]\w*)\.)",
    re.MULTILINE,
)
_RST_LABEL = re.compile(
    r"^[ \t]*\.\.[ \t]+_`?([^`\n]+?)`?:(?:[ \t]|$)|_`([^`\n]+)`|:name:[ \t]*(\S[^\n]*)", re.MULTILINE
)
_RST_TITLE = re.compile(r"^(\S[^\n]*)\n([=\-~`:'\"^_*+#<>.,!@$%&/\\|])\2{2,}[ \t]*$", re.MULTILINE)
_ASCIIDOC_ID = re.compile(
    r"\[\[([^\],\n]+)|\[(?:[\w-]*)#([^\],.%\n]+)|\bid=[\"']?([^\"',\]\n]+)|anchor:([^\[\s]+)\[|\[\[\[([^\],\n]+)"
)
_INCLUDES_ASCIIDOC = re.compile(rb"^include::[^\n\[]*(?:\.a(?:doc|sc|sciidoc)|\})\[", re.MULTILINE)
_ASCIIDOC_TITLE = re.compile(r"^(?:={1,6}|#{1,6})[ \t]+(\S[^\n]*)$|^\.(\S[^\n]*)$", re.MULTILINE)
_ASCIIDOC_UNDERLINED = re.compile(r"^(\w[^\n]*)\n([=\-~^+])\2{2,}[ \t]*$", re.MULTILINE)


def read_anchors(data: bytes, kind: DocumentFormat) -> DocumentAnchors:
    """The places of a document."""
    match kind:
        case DocumentFormat.HTML:
            return DocumentAnchors(_html_ids(decode(data)), is_exact=True)
        case DocumentFormat.RST:
            return _rst(data)
        case DocumentFormat.ASCIIDOC:
            return _asciidoc(decode(data), is_open=_INCLUDES_ASCIIDOC.search(data) is not None)
        case DocumentFormat.TEXT:
            return DocumentAnchors(is_open=True)
        case DocumentFormat.NOTEBOOK:
            return _markdown(markdown_cells(data))
        case DocumentFormat.MDX:
            return _mdx(data)
        case _:
            return _markdown(data)


def read_headings(data: bytes, kind: DocumentFormat) -> list[str]:
    """The texts of a document's headings, in order."""
    match kind:
        case DocumentFormat.MARKDOWN | DocumentFormat.MDX:
            return _markdown_headings(_body_of(data))
        case DocumentFormat.RST:
            return _rst_titles(decode(data))
        case DocumentFormat.ASCIIDOC:
            return _asciidoc_titles(decode(data))
        case _:
            return []


def _html_ids(text: str) -> frozenset[str]:
    """The ids that HTML in a text has; any character may stand in one, as an entity too."""
    return frozenset(unescape_attribute(one or two or bare) for one, two, bare in _HTML_ID.findall(text))


def _body_of(data: bytes) -> bytes:
    start = front_matter(data).body
    return data[start:] if start else data


def _markdown_headings(body: bytes) -> list[str]:
    return [_TRAILING_ID.sub("", heading) for heading in headings_of(body)]


def _other_headings(text: str) -> list[str]:
    """What renderers take for a heading besides: those in HTML, and tabs with what is indented under them."""
    in_html = [_TAG.sub("", heading).strip() for _, heading in _HTML_HEADING.findall(text)]
    tabs = _TAB.findall(text)
    return in_html + tabs + (_INDENTED_HEADING.findall(text) if tabs else [])


def _takes_in_others(body: bytes) -> bool:
    """Whether ids may come from elsewhere: from a file that is included, or from code that is described
    (`::: module`, which has no end, as a container has).
    """
    if _OPEN_WRITTEN.search(body):
        return True
    text, _ = empty_fences(body)
    if _OPEN_MARKDOWN.search(text):
        return True
    marks = [bool(mark) for mark in _CONTAINER.findall(text)]
    return 2 * sum(marks) > len(marks)


def _is_filled(body: bytes) -> bool:
    """Whether a build may give a document ids that its text does not show."""
    text = _CODE_SPAN.sub(b"x", empty_fences(body)[0])
    return _FILLED.search(text) is not None or _CELL.search(_LONG_FENCE.sub(b"", body)) is not None


def _rst_titles(text: str) -> list[str]:
    return [title for title, _ in _RST_TITLE.findall(text)]


def _asciidoc_titles(text: str) -> list[str]:
    titles = [name for groups in _ASCIIDOC_TITLE.findall(text) for name in groups if name]
    return titles + [title for title, _ in _ASCIIDOC_UNDERLINED.findall(text)]


def _mdx(data: bytes) -> DocumentAnchors:
    text = decode(empty_fences(data)[0])
    headings = [_TRAILING_ID.sub("", _plain(heading)) for heading in _HEADING_LINE.findall(text)]
    found = _markdown(data)
    return replace(
        found,
        explicit=found.explicit.union(_FIRST_CELL.findall(text)),
        generated=found.generated | heading_ids(headings),
        is_piece=found.is_piece and not headings,
    )


def _plain(heading: str) -> str:
    return "".join(headings_of(f"# {heading}\n".encode())[:1])


def _markdown(data: bytes) -> DocumentAnchors:
    head = front_matter(data)
    body = _body_of(data)
    text = decode(data)
    explicit = _html_ids(text) | {
        name
        for pattern in (_BRACED_ID, _COMMENT_ID, _MYST_LABEL, _BLOCK_ID)
        for name in pattern.findall(text)
    }
    if _BLOCK_END.search(text):
        explicit = explicit.union(_KEY.findall(text))
    headings = _markdown_headings(body)
    title = head.values.get("title")
    titles = [title] if isinstance(title, str) else []
    headings += _other_headings(text)
    return DocumentAnchors(
        explicit | _names_of_myst(text),
        heading_ids(titles + headings),
        is_open=_takes_in_others(body),
        is_piece=not headings and not explicit,
        is_filled=_is_filled(body),
    )


def _names_of_myst(text: str) -> frozenset[str]:
    return frozenset(name.strip("\"' \t\r") for names in _MYST_OPTION.findall(text) for name in names if name)


def _rst(data: bytes) -> DocumentAnchors:
    text = decode(data)
    labels = [name for groups in _RST_LABEL.findall(text) for name in groups if name]
    titles = _rst_titles(text)
    explicit = _html_ids(text) | frozenset(labels)
    return DocumentAnchors(
        explicit, heading_ids([*labels, *titles]), is_open=_OPEN_RST.search(data) is not None
    )


def _asciidoc(text: str, *, is_open: bool) -> DocumentAnchors:
    explicit = {name.strip() for groups in _ASCIIDOC_ID.findall(text) for name in groups if name}
    titles = _asciidoc_titles(text)
    explicit |= {title.strip() for title in titles} | _html_ids(text)
    is_open = is_open or any("{" in name for name in explicit)  # what stands there the build knows
    return DocumentAnchors(frozenset(explicit), heading_ids(titles), is_open=is_open)


def read_labels(data: bytes, *, titles: bool = False) -> frozenset[str]:
    """The labels that a document, a piece of one or a program gives to a project of Sphinx's."""
    text = decode(data)
    labels = [name for groups in _RST_LABEL.findall(text) for name in groups if name]
    labels += [*_MYST_LABEL.findall(text), *_names_of_myst(text)]
    labels += _rst_titles(text) + _markdown_headings(data) if titles else []
    return frozenset(map(label_name, labels))


def documented_code(data: bytes) -> frozenset[str]:
    """The packages whose code a document of Sphinx's takes its text from, by their first name."""
    return frozenset(name for names in _FROM_CODE.findall(decode(data)) for name in names if name)


def headings_of(data: bytes) -> list[str]:
    """The texts of the headings of a Markdown text."""
    headings: list[str] = []
    reading: _Heading | None = None
    for event, _ in markdown_events(decode(data)):
        if event.__class__ is str:
            continue
        start, end = event.get("Start"), event.get("End")
        if start.__class__ is dict and "Heading" in start:
            reading = _Heading()
        elif start.__class__ is dict and "FootnoteDefinition" in start:
            headings.append(f"[^{start['FootnoteDefinition']}]")
        elif reading is None:
            continue
        elif end.__class__ is dict and "Heading" in end:
            headings += reading.texts()
            reading = None
        else:
            reading.take(event)
    return headings


class _Heading:
    """One heading: all its words, and those outside pictures."""

    def __init__(self) -> None:
        self._all: list[str] = []
        self._outside: list[str] = []
        self._in_picture = False

    def take(self, event: dict[str, Any]) -> None:
        """A piece of the heading."""
        if event.get("End") == "Image":
            self._in_picture = False
        elif (start := event.get("Start")).__class__ is dict and "Image" in start:
            self._in_picture = True
        elif text := event.get("Text") or event.get("Code"):
            self._all.append(text)
            if not self._in_picture:
                self._outside.append(text)

    def texts(self) -> list[str]:
        """What the heading may be called."""
        whole, outside = "".join(self._all), "".join(self._outside)
        if whole == outside:
            return [whole]
        left = outside.strip()
        before, after = "-" * outside.startswith(" "), "-" * outside.endswith(" ")
        return [whole, left, f"{before}{left}{after}"] if left else [whole]
