"""From when to when a certificate is valid, read from its DER (X.509, RFC 5280). No more of it is looked at.

Certificate ::= SEQUENCE { tbsCertificate SEQUENCE { [0] version OPTIONAL, serial INTEGER, signature SEQUENCE,
                issuer SEQUENCE, validity SEQUENCE { notBefore Time, notAfter Time }, … }, … }
Time ::= UTCTime YYMMDDHHMMSSZ (tag 23; years 1950 to 2049) | GeneralizedTime YYYYMMDDHHMMSSZ (tag 24)
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from holdfast.core.errors import FormatError

__all__ = ["validity_of"]

_VERSION: Final = 0xA0
_UTC_TIME: Final = 23
_FIRST_CENTURY: Final = 50


def validity_of(der: bytes) -> tuple[datetime, datetime]:
    """The first and the last moment at which a certificate counts."""
    try:
        return _validity(der)
    except (IndexError, ValueError) as error:
        raise FormatError(f"not a certificate: {error}") from None


def _validity(der: bytes) -> tuple[datetime, datetime]:
    _, at, _ = _element(der, 0)  # the certificate
    _, at, _ = _element(der, at)  # what is signed of it
    if der[at] == _VERSION:
        at = _element(der, at)[2]
    for _ in ("serial", "signature", "issuer"):
        at = _element(der, at)[2]
    _, at, _ = _element(der, at)  # the validity
    tag, start, end = _element(der, at)
    first = _time(tag, der[start:end])
    tag, start, end = _element(der, end)
    return first, _time(tag, der[start:end])


def _element(der: bytes, at: int) -> tuple[int, int, int]:
    """The tag of an element, and where its content starts and ends."""
    tag, length, start = der[at], der[at + 1], at + 2
    if length & 0x80:
        count = length & 0x7F
        length, start = int.from_bytes(der[start : start + count]), start + count
    if start + length > len(der):
        raise ValueError("it breaks off")
    return tag, start, start + length


def _time(tag: int, text: bytes) -> datetime:
    digits = text.decode("ascii").removesuffix("Z")
    if tag == _UTC_TIME:
        digits = ("19" if int(digits[:2]) >= _FIRST_CENTURY else "20") + digits
    return datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
