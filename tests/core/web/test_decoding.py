"""Bytes to text as browsers do (TXT-3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.web.decoding import charset_of, decode, resolve_label

pytestmark = pytest.mark.spec("TXT-3")

JA = "日本語のテキスト"
RU = "Русский текст"


@pytest.mark.parametrize(
    ("body", "content_type", "encoding", "text"),
    [
        (b"\xef\xbb\xbf" + "é".encode(), "text/html; charset=latin1", "utf-8", "é"),
        ("\ufeffé".encode("utf-16-le"), "", "utf-16le", "é"),
        ("\ufeffé".encode("utf-16-be"), "", "utf-16be", "é"),
        ("é".encode("latin-1"), "text/html; charset=ISO-8859-1", "windows-1252", "é"),
        (b"\x80\x9f\x81", "text/html; charset=latin1", "windows-1252", "€Ÿ\x81"),
        (JA.encode("shift_jis"), 'text/html; charset="Shift_JIS"', "shift_jis", JA),
        (JA.encode("euc_jp"), "text/html;charset=euc-jp", "euc-jp", JA),
        (b"\xad\xa1", "text/html;charset=euc-jp", "euc-jp", "①"),
        ("漢字\u20ac".encode("gb18030"), "text/html;charset=gb2312", "gbk", "漢字\u20ac"),
        (RU.encode("koi8-r"), "text/html; charset=koi8-r", "koi8-r", RU),
        (b"\xae\xbe", "text/html; charset=koi8-u", "koi8-u", "ўЎ"),
        (b"<meta charset=windows-1251>" + RU.encode("cp1251"), "text/html", "windows-1251", None),
        (
            b'<META http-equiv="Content-Type" content="text/html; charset=euc-kr">' + "한국".encode("cp949"),
            "text/html",
            "euc-kr",
            None,
        ),
        (b"<!-- <meta charset=koi8-r> --><p>" + "é".encode(), "text/html", "utf-8", None),
        (b"<meta charset=utf-16>" + "é".encode(), "text/html", "utf-8", None),
        (b"<p>" + b" " * 2000 + b"<meta charset=koi8-r></head>", "text/html", "koi8-r", None),
        (b'<?xml version="1.0" encoding="iso-8859-2"?><html/>', "application/xhtml+xml", "iso-8859-2", None),
        ("é".encode(), "text/html", "utf-8", "é"),
        (b"caf\xe9", "text/html", "windows-1252", "café"),
        (b"caf\xe9", "text/html; charset=nonsense", "windows-1252", "café"),
        (b"\xe9 ok", "text/html; charset=utf-8", "utf-8", "\ufffd ok"),
        (b"any bytes", "text/html; charset=iso-2022-kr", "replacement", "\ufffd"),
        (b"a\x80", "text/html; charset=x-user-defined", "x-user-defined", "a\uf780"),
        (b"", "", "utf-8", ""),
    ],
)
def test_the_first_that_speaks_decides(body, content_type, encoding, text):
    decoded = decode(body, content_type)

    assert decoded.encoding == encoding
    assert text is None or decoded.text == text
    assert "\ufeff" not in decoded.text[:1]


def test_malformed_bytes_are_replaced_and_reported():
    decoded = decode(b"a\xffb", "text/html; charset=utf-8")

    assert decoded.text == "a\ufffdb"
    assert decoded.malformed


@pytest.mark.parametrize(
    ("label", "encoding"),
    [
        ("latin1", "windows-1252"),
        (" ASCII\n", "windows-1252"),
        ("gb2312", "gbk"),
        ("shift_jis", "shift_jis"),
        ("x-sjis", "shift_jis"),
        ("utf8", "utf-8"),
        ("unicode", "utf-16le"),
        ("big5-hkscs", "big5"),
        ("klingon", None),
    ],
)
def test_labels_mean_what_browsers_say(label, encoding):
    assert resolve_label(label) == encoding


@pytest.mark.parametrize(
    ("content_type", "charset"),
    [
        ("text/html", None),
        ("text/html; charset=utf-8", "utf-8"),
        ('text/html;CHARSET = "latin1"; x=y', "latin1"),
        ("text/html; x=charset", None),
    ],
)
def test_the_charset_parameter_is_found(content_type, charset):
    assert charset_of(content_type) == charset


@given(
    st.binary(max_size=300),
    st.sampled_from(["", "text/html; charset=gbk", "text/html;charset=big5", "x;charset=euc-jp"]),
)
def test_any_bytes_decode(body, content_type):
    text = decode(body, content_type).text

    text.encode("utf-8")  # no lone surrogates
    assert decode(body, content_type).text == text
