"""Which addresses are public: each reserved block, each disguise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.web.addresses import AddressKind, classify, literal_kind

pytestmark = pytest.mark.spec("SEC-1")

K = AddressKind


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("8.8.8.8", K.PUBLIC),
        ("2606:4700:4700::1111", K.PUBLIC),
        ("0.0.0.0", K.UNSPECIFIED),
        ("0.1.2.3", K.UNSPECIFIED),
        ("::", K.UNSPECIFIED),
        ("127.0.0.1", K.LOOPBACK),
        ("127.255.255.254", K.LOOPBACK),
        ("::1", K.LOOPBACK),
        ("10.0.0.1", K.PRIVATE),
        ("172.16.0.1", K.PRIVATE),
        ("172.31.255.255", K.PRIVATE),
        ("172.32.0.1", K.PUBLIC),
        ("192.168.1.1", K.PRIVATE),
        ("fc00::1", K.PRIVATE),
        ("fd12:3456::1", K.PRIVATE),
        ("fec0::1", K.PRIVATE),
        ("169.254.1.1", K.LINK_LOCAL),
        ("fe80::1", K.LINK_LOCAL),
        ("fe80::1%eth0", K.LINK_LOCAL),
        ("169.254.169.254", K.METADATA),
        ("169.254.170.2", K.METADATA),
        ("100.100.100.200", K.METADATA),
        ("fd00:ec2::254", K.METADATA),
        ("100.64.0.1", K.SHARED),
        ("100.127.255.255", K.SHARED),
        ("100.128.0.1", K.PUBLIC),
        ("224.0.0.1", K.MULTICAST),
        ("ff02::1", K.MULTICAST),
        ("192.0.2.1", K.DOCUMENTATION),
        ("198.51.100.1", K.DOCUMENTATION),
        ("203.0.113.1", K.DOCUMENTATION),
        ("2001:db8::1", K.DOCUMENTATION),
        ("3fff::1", K.DOCUMENTATION),
        ("198.18.0.1", K.BENCHMARK),
        ("255.255.255.255", K.RESERVED),
        ("240.0.0.1", K.RESERVED),
        ("100::1", K.RESERVED),
        ("4000::1", K.RESERVED),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", K.TUNNEL),
        ("not an address", K.UNREADABLE),
        ("", K.UNREADABLE),
    ],
)
def test_every_block_has_its_kind(address, kind):
    assert classify(address) is kind


@pytest.mark.parametrize(
    "disguise",
    [
        "::ffff:{dotted}",
        "::{dotted}",
        "64:ff9b::{dotted}",
        "2002:{hex}::1",
        "2001:470::5efe:{dotted}",
        "2001:470::200:5efe:{dotted}",
    ],
)
@pytest.mark.parametrize(
    ("inner", "kind"),
    [
        ("127.0.0.1", K.LOOPBACK),
        ("10.1.2.3", K.PRIVATE),
        ("169.254.169.254", K.METADATA),
        ("8.8.8.8", K.PUBLIC),
    ],
)
def test_an_address_that_carries_another_is_of_its_kind(disguise, inner, kind):
    a, b, c, d = map(int, inner.split("."))
    address = disguise.format(dotted=inner, hex=f"{a:02x}{b:02x}:{c:02x}{d:02x}")
    assert classify(address) is kind


@given(st.ip_addresses())
def test_only_globally_routable_addresses_are_public(address):
    """The standard library's own table is the oracle: what it calls not global is never public here."""
    if classify(str(address)) is K.PUBLIC:
        # 6to4 as a whole is not global to newer tables; here it is of the kind of what it carries.
        carried = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None)
        assert (carried or address).is_global


@pytest.mark.parametrize(
    ("host", "kind"),
    [
        ("example.com", None),
        ("localhost", None),
        ("1and1.com", None),
        ("web3", None),
        ("127.0.0.1", K.LOOPBACK),
        ("10.0.0.1.", K.PRIVATE),
        ("[::1]", K.LOOPBACK),
        ("[2606:4700::1]", K.PUBLIC),
        ("93.184.216.34", K.PUBLIC),
    ],
)
def test_a_host_is_an_address_or_a_name(host, kind):
    assert literal_kind(host) is kind
