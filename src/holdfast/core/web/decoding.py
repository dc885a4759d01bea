"""Bytes to text by the WHATWG Encoding Standard (TXT-3), and its labels.

The labels are what a page may call its encoding, and which one that means. A row of the table is an
encoding's name, the Python codec that reads it, and all its labels in lower case. `replacement` has no
codec: such a body decodes to one U+FFFD (Encoding Standard, 14.1). Where a codec knows fewer bytes than the
standard, the gap is filled at the end of this file.

The first of these that speaks decides the encoding of a body:

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

from holdfast.core.base.values import dataclass

# ruff: noqa: ISC004 - a row's labels are one text, broken where the line ends
_ROWS: Final = (
    ("utf-8", "utf-8", "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8"),
    ("ibm866", "cp866", "866 cp866 csibm866 ibm866"),
    (
        "iso-8859-2",
        "iso-8859-2",
        "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    ),
    (
        "iso-8859-3",
        "iso-8859-3",
        "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    ),
    (
        "iso-8859-4",
        "iso-8859-4",
        "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    ),
    (
        "iso-8859-5",
        "iso-8859-5",
        "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    ),
    (
        "iso-8859-6",
        "iso-8859-6",
        "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e "
        "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    ),
    (
        "iso-8859-7",
        "iso-8859-7",
        "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 "
        "iso_8859-7 iso_8859-7:1987 sun_eu_greek",
    ),
    (
        "iso-8859-8",
        "iso-8859-8",
        "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 "
        "iso_8859-8 iso_8859-8:1988 visual",
    ),
    ("iso-8859-8-i", "iso-8859-8", "csiso88598i iso-8859-8-i logical"),
    ("iso-8859-10", "iso-8859-10", "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6"),
    ("iso-8859-13", "iso-8859-13", "iso-8859-13 iso8859-13 iso885913"),
    ("iso-8859-14", "iso-8859-14", "iso-8859-14 iso8859-14 iso885914"),
    ("iso-8859-15", "iso-8859-15", "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9"),
    ("iso-8859-16", "iso-8859-16", "iso-8859-16"),
    ("koi8-r", "koi8-r", "cskoi8r koi koi8 koi8-r koi8_r"),
    ("koi8-u", "koi8-u", "koi8-ru koi8-u"),
    ("macintosh", "mac_roman", "csmacintosh mac macintosh x-mac-roman"),
    ("windows-874", "cp874", "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"),
    ("windows-1250", "cp1250", "cp1250 windows-1250 x-cp1250"),
    ("windows-1251", "cp1251", "cp1251 windows-1251 x-cp1251"),
    (
        "windows-1252",
        "cp1252",
        "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 "
        "iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
    ),
    ("windows-1253", "cp1253", "cp1253 windows-1253 x-cp1253"),
    (
        "windows-1254",
        "cp1254",
        "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 "
        "latin5 windows-1254 x-cp1254",
    ),
    ("windows-1255", "cp1255", "cp1255 windows-1255 x-cp1255"),
    ("windows-1256", "cp1256", "cp1256 windows-1256 x-cp1256"),
    ("windows-1257", "cp1257", "cp1257 windows-1257 x-cp1257"),
    ("windows-1258", "cp1258", "cp1258 windows-1258 x-cp1258"),
    ("x-mac-cyrillic", "mac_cyrillic", "x-mac-cyrillic x-mac-ukrainian"),
    ("gbk", "gb18030", "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk"),
    ("gb18030", "gb18030", "gb18030"),
    ("big5", "big5hkscs", "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
    ("euc-jp", "euc-jp", "cseucpkdfmtjapanese euc-jp x-euc-jp"),
    ("iso-2022-jp", "iso-2022-jp", "csiso2022jp iso-2022-jp"),
    ("shift_jis", "cp932", "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"),
    (
        "euc-kr",
        "cp949",
        "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 "
        "ksc_5601 windows-949",
    ),
    ("replacement", "", "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement"),
    ("utf-16be", "utf-16be", "unicodefffe utf-16be"),
    ("utf-16le", "utf-16le", "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le"),
    ("x-user-defined", "latin-1", "x-user-defined"),
)

CODECS: Final = {name: codec for name, codec, _ in _ROWS}
"""An encoding's name to its codec."""

LABELS: Final = {label: name for name, _, labels in _ROWS for label in labels.split()}
"""A label in lower case to its encoding's name."""


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
