"""Wiki links in Markdown (`[[page]]`, `[[page#part|words]]`, `![[image.png]]`), as Obsidian has them.

Nothing comes from code. A page is named as a file is, without its extension.
"""

from __future__ import annotations

import re

from holdfast.core.page import LinkKind
from holdfast.formats.documents.found import Found
from holdfast.formats.documents.source import decode

__all__ = ["read_wiki_links"]

_CODE = re.compile(
    rb"^[ \t]*+(`{3,}|~{3,})[^\n]*+\n(?s:.*?)(?:^[ \t]*+\1[^\n]*+|\Z)|`[^`\n]++`", re.MULTILINE
)
_LINK = re.compile(rb"(!?)\[\[([^\[\]|\n]++)(?:\|([^\[\]\n]*+))?\]\]")
_NOT_LINE_END = re.compile(rb"[^\r\n]")


def read_wiki_links(data: bytes) -> list[Found]:
    """Every wiki link of a text."""
    text = _CODE.sub(lambda match: _NOT_LINE_END.sub(b" ", match[0]), data)
    return [
        Found(
            "wiki:" + decode(match[2]).strip(),
            decode(match[3] or match[2]),
            LinkKind.IMAGE if match[1] else LinkKind.REFERENCE,
            *match.span(2),
        )
        for match in _LINK.finditer(text)
    ]
