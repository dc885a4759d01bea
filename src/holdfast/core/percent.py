"""Percent-encoding on bytes, by sets that the policies own (ID-3).

1. A triplet of a character in `decoded` (the unreserved ones of RFC 3986 §2.3) is decoded; every other
   triplet is kept, its hex in upper case. So `%2F`, and bytes that are not UTF-8, stay what they are.
2. A `%` that begins no triplet becomes `%25`.
3. What is not in `kept` is encoded as its UTF-8 bytes.
4. Where `plus_is_space`, a `+` is written `%20` before all that.

The sets are the policy's, not the parser's: parsers change theirs (`^` joined the WHATWG path set in 2025).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from urllib.parse import unquote_to_bytes

from holdfast.core.values import dataclass

__all__ = ["PCHAR", "UNRESERVED", "Encoder", "Encoding", "decode_key", "encoder", "list_key", "never_a_key"]

UNRESERVED: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
# RFC 3986: pchar = unreserved / pct-encoded / sub-delims / ":" / "@"
PCHAR: Final = UNRESERVED + "!$&'()*+,;=:@"
MAX_KEY: Final = 4_096
_HEX: Final = "0123456789ABCDEFabcdef"


@dataclass(frozen=True, slots=True)
class Encoding:
    """Which ASCII characters stand as they are, and which triplets are decoded."""

    kept: str
    decoded: str = UNRESERVED
    plus_is_space: bool = False


class Encoder:
    """An encoding as a function: a part of a URL in, its one form out. Linear.

    `text.encode().translate(None, plain)` is empty where nothing has to be done: one pass in C.
    """

    __slots__ = ("_encoded", "_normal", "_outside", "needs_repair", "plain", "plus_is_space")

    def __init__(self, encoding: Encoding) -> None:
        self.plain = encoding.kept.encode("ascii")
        self.plus_is_space = encoding.plus_is_space
        if encoding.plus_is_space:
            self.plain = self.plain.replace(b"+", b"")
        self._encoded = self.plain + b"%"
        self._normal = {
            high + low: _normal_form(chr(int(high + low, 16)), encoding) for high in _HEX for low in _HEX
        }
        # A triplet that is decoded, a lower-case hex digit, or a stray percent sign.
        triplets = "".join(f"{triplet}|" for triplet in _triplets(encoding.decoded))
        self.needs_repair = re.compile(rf"%(?:{triplets}(?![0-9A-F]{{2}}))").search
        self._outside = re.compile(rf"[^{re.escape(self._encoded.decode())}]+").sub

    def __call__(self, text: str) -> str:
        """The one form."""
        if "+" in text and self.plus_is_space:
            text = text.replace("+", "%20")
        if "%" in text and self.needs_repair(text):
            text = self.repaired(text)
        # The regular expression is the dear part and rarely needed: most odd texts are odd by "%" or "+"
        # alone.
        return text if self.is_encoded(text) else self._outside(_encoded, text)

    def is_encoded(self, text: str) -> bool:
        """Whether every character is in the set, or a percent sign."""
        return not text.encode("utf-8", "replace").translate(None, self._encoded)

    def repaired(self, text: str) -> str:
        """Every triplet in its one form, every other percent sign as `%25`."""
        head, *tails = text.split("%")
        normal = self._normal.get
        return head + "".join(
            [form + tail[2:] if (form := normal(tail[:2])) else f"%25{tail}" for tail in tails],
        )


@lru_cache(maxsize=64)
def encoder(encoding: Encoding) -> Encoder:
    """The function of an encoding."""
    return Encoder(encoding)


def _normal_form(char: str, encoding: Encoding) -> str:
    return char if char in encoding.decoded else f"%{ord(char):02X}"


def _triplets(decoded: str) -> list[str]:
    """The triplets of these characters without their percent signs, as patterns: `2[DE]`."""
    lows: dict[str, str] = {}
    for char in sorted(decoded):
        triplet = f"{ord(char):02X}"
        lows[triplet[0]] = lows.get(triplet[0], "") + triplet[1]
    return [f"{high}[{low}]" for high, low in lows.items()]


def _encoded(match: re.Match[str]) -> str:
    return "%" + match[0].encode().hex("%").upper()


def list_key(name: str) -> str:
    """A name on a list (trackers, overrides, allow-list) in the form that `decode_key` gives keys."""
    return name.encode().lower().decode("latin-1")


def never_a_key(name: str) -> str | None:
    """Why a name on a list could never be meant as a query key; None where it could."""
    if not name.strip():
        return "is empty"
    if len(name.encode("utf-8", "replace")) > MAX_KEY // 3:
        return "is longer than a key can be"
    if "," in name:
        return "is several keys in one, or a key with a comma, which is not supported"
    if "*" in name or "?" in name:
        return "looks like a pattern: names on a list match as they are"
    if any(char in name for char in "&=#"):
        return "holds a character that no key has"
    return None


def decode_key(key: str) -> str:
    """A query key as trackers are matched: decoded, ASCII letters lower-cased, other bytes as latin-1.

    Only its beginning: no name on any list is longer, and prefixes are short.
    """
    return unquote_to_bytes(key[:MAX_KEY].replace("+", " ")).lower().decode("latin-1")
