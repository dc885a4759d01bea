"""Bytes to text by the WHATWG Encoding rules (TXT-3). The first of these that speaks decides:

1. A byte order mark: UTF-8, UTF-16BE or UTF-16LE. It is dropped from the text.
2. The `charset` parameter of the HTTP content type, if it is a known label.
3. HTML only: a `<meta charset>` or `<meta http-equiv=content-type>` in the first 1,024 bytes, by the
   standard's prescan; and, since pages put it later, anywhere before `</head>` in the first 64 KB.
   XML: the `encoding` of its declaration. UTF-16 there means UTF-8, x-user-defined windows-1252.
4. UTF-8, if the bytes are valid UTF-8.
5. windows-1252.

Malformed bytes become U+FFFD. There is no statistical guessing: the same bytes give the same text on
every machine.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import field
from typing import Final

from holdfast.core.values import dataclass
from holdfast.formats.encoding_labels import CODECS, LABELS

__all__ = ["Decoded", "charset_of", "decode", "resolve_label"]

_PRESCAN_BYTES: Final = 1_024
_LATE_META_BYTES: Final = 65_536

_BOMS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_CHARSET_PARAMETER = re.compile(r""";\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))""", re.IGNORECASE)
_MARKUP = re.compile(
    rb"""<!--.*?-->|<meta[\s/]((?:[^>"']|"[^"]*"|'[^']*')*)>?|</?[a-z](?:[^>"']|"[^"]*"|'[^']*')*>?|<[!/?][^>]*>?""",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(
    rb"""([^\s"'=/>][^\s=/>]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*)))?""", re.DOTALL
)
_CONTENT_CHARSET = re.compile(
    rb"""charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))""", re.IGNORECASE
)
_XML_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*(?:"([^"]*)"|'([^']*)')""")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, the encoding it was read in, and whether any byte of it was malformed; its bytes, if they are
    UTF-8.
    """

    text: str
    encoding: str
    malformed: bool
    utf8: bytes | None = field(default=None, compare=False, repr=False)


def charset_of(content_type: str) -> str | None:
    """The `charset` parameter of a content type, as it was sent."""
    match = _CHARSET_PARAMETER.search(content_type)
    return next((value for value in match.groups() if value is not None), None) if match else None


def resolve_label(label: str) -> str | None:
    """The encoding a label means, as browsers resolve it; None for an unknown one."""
    return LABELS.get(label.strip("\t\n\f\r ").lower())


def decode(body: bytes, content_type: str = "", *, markup: bool = True) -> Decoded:
    """A body's text. `markup` lets the body itself say its encoding (HTML, XML)."""
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            return _read(body[len(mark) :], encoding)
    label = charset_of(content_type)
    declared = resolve_label(label) if label is not None else None
    if declared is None and markup:
        declared = _declared_inside(body)
    if declared is not None:
        return _read(body, declared)
    try:
        return Decoded(body.decode("utf-8"), "utf-8", malformed=False, utf8=body)
    except UnicodeDecodeError:
        return _read(body, "windows-1252")


def _declared_inside(body: bytes) -> str | None:
    match = _XML_ENCODING.match(body, 0, _PRESCAN_BYTES)
    if match is not None:
        found = resolve_label((match[1] or match[2] or b"").decode("ascii", "replace"))
    else:
        found = _meta_charset(body[:_PRESCAN_BYTES])
        if found is None and len(body) > _PRESCAN_BYTES:
            found = _meta_charset(body[:_LATE_META_BYTES].partition(b"</head>")[0])
    if found in ("utf-16le", "utf-16be"):
        return "utf-8"  # it was read as ASCII, so it cannot be true
    return "windows-1252" if found == "x-user-defined" else found


def _meta_charset(head: bytes) -> str | None:
    if b"charset" not in head.lower():
        return None
    for tag in _MARKUP.finditer(head):
        if tag[1] is not None and (found := _charset_in_meta(tag[1])) is not None:
            return found
    return None


def _charset_in_meta(attributes: bytes) -> str | None:
    values: dict[bytes, bytes] = {}
    for name, *forms in _ATTRIBUTE.findall(attributes):
        values.setdefault(name.lower(), next((form for form in forms if form), b""))
    charset = values.get(b"charset")
    if charset is None and values.get(b"http-equiv", b"").lower() == b"content-type":
        match = _CONTENT_CHARSET.search(values.get(b"content", b""))
        charset = next((form for form in match.groups() if form is not None), None) if match else None
    return resolve_label(charset.decode("ascii", "replace")) if charset is not None else None


def _read(body: bytes, encoding: str) -> Decoded:
    codec = CODECS[encoding]
    if not codec:
        return Decoded("\ufffd" if body else "", encoding, malformed=bool(body))
    if encoding == "x-user-defined":
        return Decoded(body.decode("latin-1").translate(_USER_DEFINED), encoding, malformed=False)
    try:
        text, malformed = body.decode(codec), False
        if encoding == "utf-8":
            return Decoded(text, encoding, malformed, body)
    except UnicodeDecodeError:
        text = body.decode(codec, _GAPS.get(encoding, "replace"))
        malformed = "\ufffd" in text
    if encoding in _PATCHES:
        text = text.translate(_PATCHES[encoding])
    return Decoded(text, encoding, malformed)


# Where Python's codecs know fewer bytes than the standard's tables, or other characters.

_USER_DEFINED: Final = {byte: 0xF700 + byte for byte in range(0x80, 0x100)}

_PATCHES: Final = {"koi8-u": {0x255D: 0x045E, 0x256C: 0x040E}}
"""Bytes AE and BE of KOI8-U, which only they give."""


def _c1_controls(error: UnicodeError) -> tuple[str, int]:
    """Windows code pages: bytes 80 to 9F without a character are the C1 controls."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    byte = error.object[error.start]
    return (chr(byte) if byte < 0xA0 else "\ufffd"), error.start + 1


def _nec_row_13(error: UnicodeError) -> tuple[str, int]:
    """EUC-JP: rows that only cp932 knows (NEC's specials) are read by it; else U+FFFD."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    pair = error.object[error.start : error.start + 2]
    if len(pair) == 2 and min(pair) >= 0xA1:
        row, cell = pair[0] - 0xA1, pair[1] - 0xA1
        lead = (row >> 1) + (0x81 if row < 62 else 0xC1)
        trail = cell + (0x9F if row & 1 else (0x40 if cell < 63 else 0x41))
        try:
            return bytes((lead, trail)).decode("cp932"), error.start + 2
        except UnicodeDecodeError:
            return "\ufffd", error.start + 2
    return "\ufffd", error.start + 1


codecs.register_error("holdfast.c1", _c1_controls)
codecs.register_error("holdfast.nec", _nec_row_13)

_GAPS: Final = {
    **{name: "holdfast.c1" for name in CODECS if name.startswith("windows-")},
    "euc-jp": "holdfast.nec",
}
