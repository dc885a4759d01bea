"""Which network addresses Holdfast may be led to (SEC-1).

1. Every address has one kind; only `public` may be reached from a URL that the user did not name.
2. An address that carries another inside it (IPv4-mapped, IPv4-compatible, 6to4, NAT64, ISATAP) is of the
   kind of the one it carries. Teredo is never public: both its ends are somebody else's choice.
3. The table below is read from the top; the first network that holds the address decides.
4. What is not an address at all is `unreadable`, and not public.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final


class AddressKind(StrEnum):
    """What sort of place an address is."""

    PUBLIC = "public"
    UNSPECIFIED = "unspecified"
    LOOPBACK = "loopback"
    METADATA = "metadata"
    LINK_LOCAL = "link-local"
    PRIVATE = "private"
    SHARED = "shared (CGNAT)"
    MULTICAST = "multicast"
    DOCUMENTATION = "documentation"
    BENCHMARK = "benchmark"
    TUNNEL = "tunnel"
    RESERVED = "reserved"
    UNREADABLE = "unreadable"


_V4: Final = tuple(
    (IPv4Network(network), kind)
    for network, kind in (
        ("169.254.169.254/32", AddressKind.METADATA),  # AWS, Azure, Google, OpenStack
        ("169.254.170.2/32", AddressKind.METADATA),  # AWS container credentials
        ("100.100.100.200/32", AddressKind.METADATA),  # Alibaba
        ("192.0.0.192/32", AddressKind.METADATA),  # Oracle
        ("168.63.129.16/32", AddressKind.METADATA),  # Azure's host
        ("0.0.0.0/8", AddressKind.UNSPECIFIED),
        ("127.0.0.0/8", AddressKind.LOOPBACK),
        ("169.254.0.0/16", AddressKind.LINK_LOCAL),
        ("10.0.0.0/8", AddressKind.PRIVATE),
        ("172.16.0.0/12", AddressKind.PRIVATE),
        ("192.168.0.0/16", AddressKind.PRIVATE),
        ("100.64.0.0/10", AddressKind.SHARED),
        ("192.0.2.0/24", AddressKind.DOCUMENTATION),
        ("198.51.100.0/24", AddressKind.DOCUMENTATION),
        ("203.0.113.0/24", AddressKind.DOCUMENTATION),
        ("198.18.0.0/15", AddressKind.BENCHMARK),
        ("192.0.0.0/24", AddressKind.RESERVED),
        ("192.88.99.0/24", AddressKind.RESERVED),
        ("224.0.0.0/4", AddressKind.MULTICAST),
        ("240.0.0.0/4", AddressKind.RESERVED),
    )
)

_V6: Final = tuple(
    (IPv6Network(network), kind)
    for network, kind in (
        ("fd00:ec2::254/128", AddressKind.METADATA),  # AWS
        ("fd20:ce::254/128", AddressKind.METADATA),  # Google
        ("::/128", AddressKind.UNSPECIFIED),
        ("::1/128", AddressKind.LOOPBACK),
        ("fe80::/10", AddressKind.LINK_LOCAL),
        ("fec0::/10", AddressKind.PRIVATE),  # site-local, deprecated and still routed by some
        ("fc00::/7", AddressKind.PRIVATE),
        ("64:ff9b:1::/48", AddressKind.PRIVATE),  # NAT64 within one network
        ("ff00::/8", AddressKind.MULTICAST),
        ("2001:db8::/32", AddressKind.DOCUMENTATION),
        ("3fff::/20", AddressKind.DOCUMENTATION),
        ("2001:2::/48", AddressKind.BENCHMARK),
        ("2001::/32", AddressKind.TUNNEL),  # Teredo
        ("2001::/23", AddressKind.RESERVED),
        ("100::/64", AddressKind.RESERVED),  # discard
        ("5f00::/16", AddressKind.RESERVED),  # segment routing
    )
)

_GLOBAL_V6: Final = IPv6Network("2000::/3")
_NAT64: Final = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR: Final = IPv6Network("2002::/16")
_COMPATIBLE: Final = IPv6Network("::/96")
_ISATAP: Final = (0x00005EFE, 0x02005EFE)


@lru_cache(maxsize=4096)
def classify(address: str) -> AddressKind:
    """The kind of an address written as text; a zone id after `%` is ignored."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except (AddressValueError, ValueError):
        return AddressKind.UNREADABLE
    return _v4_kind(parsed) if isinstance(parsed, IPv4Address) else _v6_kind(parsed)


def literal_kind(host: str) -> AddressKind | None:
    """The kind of a URL's host where it is an address; None where it is a name, which must be resolved."""
    if host.startswith("["):
        return classify(host.strip("[]"))
    if not host[-1:].isdigit() and not host.endswith(
        "."
    ):  # WHATWG: a host whose last label is a number is IPv4
        return None
    kind = classify(host.rstrip("."))
    return None if kind is AddressKind.UNREADABLE else kind


def _v4_kind(address: IPv4Address) -> AddressKind:
    return next((kind for network, kind in _V4 if address in network), AddressKind.PUBLIC)


def _v6_kind(address: IPv6Address) -> AddressKind:
    for network, kind in _V6:
        if address in network:
            return kind
    carried = _carried(address)
    if carried is not None:
        return _v4_kind(carried)
    return AddressKind.PUBLIC if address in _GLOBAL_V6 else AddressKind.RESERVED


def _carried(address: IPv6Address) -> IPv4Address | None:
    number = int(address)
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _SIX_TO_FOUR:
        return IPv4Address((number >> 80) & 0xFFFF_FFFF)
    if address in _NAT64 or address in _COMPATIBLE or ((number >> 32) & 0xFFFF_FFFF) in _ISATAP:
        return IPv4Address(number & 0xFFFF_FFFF)
    return None
