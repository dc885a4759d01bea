# ruff: noqa: E501 - tables of oddities
"""Hostile and realistic URL texts, by seed: what properties and torture runs feed to the identity core."""

import random

SCHEMES = (
    "http://",
    "https://",
    "HTTP://",
    "hTtPs://",
    "http:",
    "http:/",
    "http:///",
    "http:\\\\",
    "ftp://",
    "//",
    "",
)
HOSTS = (
    "example.com", "EXAMPLE.com", "example.com.", "a..b", ".", "..", "h", "xn--zz", "xn--bcher-kva.example",
    "bücher.example", "faß.de", "ＧＯ.com", "127.0.0.1", "0177.0.0.1", "0x7f.1", "2130706433", "foo.09", "foo.09.",
    "[::1]", "[2001:DB8::1]", "[::ffff:1.2.3.4]", "[fe80::1%25eth0]", "a_b.com", "a+80", "a+8080", "a", "exa mple.com", "ex%61mple.com",
    "1.2.3.4.", "com1", "con", "_failed", "host__http", "host__https", "llms.txt", "x" * 70, "a." * 30 + "b", "",
)  # fmt: skip
PORTS = ("", "", "", "", ":80", ":443", ":8080", ":", ":0", ":65535", ":65536", ":080", ":a")
USERS = ("", "", "", "", "u@", "u:p@", "a@b@", ":@")
PIECES = (
    "/", "//", "/.", "/..", "/%2e", "/%2E%2e", ".", "..", "a", "b", "A", "index", "index.md", "INDEX.MD", "_long",
    "_manifest.json", "x__q_0a1b2c3d.md", "x_0a1b2c3d", "foo_acbd18db", "foo", "con", "NUL.txt", "~1", "-rf", ".git", "%2F", "%5c", "\\",
    "%00", "%", "%%", "%2", "%zz", "%41", "%7e", "%25", "%E9", "%C3%A9", "%C0%AE", "é", "e\u0301", "日本", "ß", "İ",
    " ", "%20", "\t", "\n", "'", '"', "<", "|", "^", "`", "{", ":", "*", "@", "!", ";", ",", "$", "+", "=", "&",
    "K", "ſ", "ı", "\u200d", "\ufeff", "\U0001f600", "a" * 210, "é" * 130, "/seg" * 60, "_" * 9,
)  # fmt: skip
QUERY = (
    "?", "?a=1", "?a=2&a=1", "?a&b=&=c&&d", "?utm_source=x", "&UTM_%63ampaign=1", "&ref=main", "&gclid", "&q=a+b",
    "&q=a%20b", "&q=a%2Bb", "&q=%E9", "&u=http://x/?y=1", "&x='", "&a;b", "&a=1&a=1", "&%26=%3D", "&é=日", "&\\", "& ",
)  # fmt: skip
FRAGMENTS = ("", "", "", "#", "#f", "#a b", "#?x", "#\n")


def hostile_url(rng: random.Random) -> str:
    """One text that is a URL, or nearly one, or far from it."""
    text = rng.choice(SCHEMES) + rng.choice(USERS) + rng.choice(HOSTS) + rng.choice(PORTS)
    text += "".join(rng.choice(PIECES) for _ in range(rng.randint(0, 8)))
    text += "".join(rng.choice(QUERY) for _ in range(rng.choice((0, 0, 1, 2, 4))))
    text += rng.choice(FRAGMENTS)
    if rng.random() < 0.02:
        place = rng.randint(0, len(text))
        text = text[:place] + chr(rng.choice((0, 9, 0x7F, 0xA0, 0xD800, 0xFFFF, 0x10FFFF))) + text[place:]
    return text
