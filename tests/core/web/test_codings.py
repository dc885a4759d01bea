"""Content codings and ceilings: the same bytes end the same way, however they arrive."""

import contextlib
import gzip
import random
import zlib

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.faults.table import zstd
from holdfast.core.web.body import BodyCollector, BodyLimits, BodyTooLargeError
from holdfast.core.web.codings import PIECE, CodingError, decoders_for

pytestmark = pytest.mark.spec("SEC-2")

WIDE = BodyLimits(sent=1 << 24, decoded=1 << 24, ratio=250)


def raw_deflate(data):
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


CODINGS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "DEFLATE": raw_deflate,
    "br": brotli.compress,
    "zstd": zstd.compress,
    "identity": bytes,
    "utf-8": bytes,
    "gzip, br": lambda data: brotli.compress(gzip.compress(data)),
}


def collect(limits, coding, sent, step):
    collector = BodyCollector(limits, coding)
    for start in range(0, len(sent), step):
        collector.feed(sent[start : start + step])
        if collector.is_full:
            break
    return collector.finish()


@pytest.mark.parametrize("coding", CODINGS)
@settings(deadline=None, max_examples=30)
@given(st.binary(max_size=5_000), st.integers(1, 700))
def test_every_coding_is_undone_whatever_the_pieces(coding, data, step):
    assert collect(WIDE, coding, CODINGS[coding](data), step) == data


@pytest.mark.parametrize("coding", [name for name in CODINGS if CODINGS[name] is not bytes])
def test_large_bodies_come_in_bounded_pieces(coding):
    data = bytes(range(256)) * 4_000
    decoders = decoders_for(coding)
    pieces = list(decoders[0].feed(CODINGS[coding](data)))
    assert max(map(len, pieces)) < 2 * PIECE
    assert collect(WIDE, coding, CODINGS[coding](data), 997) == data


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_body_that_ends_before_its_coding_is_an_error(coding):
    sent = CODINGS[coding](b"some words, " * 99)
    with pytest.raises(CodingError, match="ends early"):
        collect(WIDE, coding, sent[: len(sent) // 2], 64)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
@settings(deadline=None, max_examples=60)
@given(st.binary(min_size=1, max_size=400), st.integers(1, 90))
def test_any_bytes_at_all_decode_or_are_a_coding_error(coding, sent, step):
    with contextlib.suppress(CodingError):
        collect(WIDE, coding, sent, step)


def ending(limits, coding, sent, step):
    try:
        return len(collect(limits, coding, sent, step))
    except (BodyTooLargeError, CodingError) as error:
        return str(error)


NOISE = random.Random(1).randbytes(40_000)
TRICKY = {
    "a bomb": gzip.compress(bytes(4 << 20)),
    "a bomb that turns out harmless": gzip.compress(bytes(1_200_000) + NOISE),
    "long and broken": gzip.compress(NOISE)[:30_000] + NOISE * 2,
    "broken at once": b"\x1f\x8b" + NOISE * 2,
}


@pytest.mark.parametrize("name", TRICKY)
@settings(deadline=None, max_examples=25)
@given(st.integers(100, 100_000))
def test_how_a_body_ends_does_not_depend_on_how_it_arrives(name, step):
    limits = BodyLimits(sent=70_000, decoded=1 << 21, ratio=20)
    whole = ending(limits, "gzip", TRICKY[name], 1 << 20)
    assert ending(limits, "gzip", TRICKY[name], step) == whole


def test_several_gzip_members_are_one_body_and_what_follows_is_ignored():
    members = gzip.compress(b"one ") + gzip.compress(b"two")
    assert collect(WIDE, "gzip", members, 7) == b"one two"
    assert collect(WIDE, "gzip", members + b"junk", 7) == b"one two"


def test_several_zstd_frames_are_one_body():
    assert collect(WIDE, "zstd", zstd.compress(b"one ") + zstd.compress(b"two"), 5) == b"one two"


def test_an_empty_body_in_a_coding_is_empty():
    for coding in ("gzip", "deflate", "br", "zstd"):
        assert collect(WIDE, coding, b"", 1) == b""


def test_more_than_three_codings_are_refused():
    with pytest.raises(CodingError, match="4 content codings"):
        decoders_for("gzip, gzip, gzip, gzip")


def test_zstd_that_asks_for_a_huge_window_is_refused():
    parameters = {
        zstd.CompressionParameter.window_log: 27,
        zstd.CompressionParameter.enable_long_distance_matching: 1,
    }
    packer = zstd.ZstdCompressor(options=parameters)
    sent = packer.compress(b"some words" * 100) + packer.flush()
    with pytest.raises(CodingError, match="zstd"):
        collect(WIDE, "zstd", sent, 4096)


def test_the_ratio_counts_only_beyond_the_first_mebibyte():
    limits = BodyLimits(sent=1 << 20, decoded=1 << 30, ratio=2)
    assert len(collect(limits, "gzip", gzip.compress(bytes(1 << 20)), 4096)) == 1 << 20
    with pytest.raises(BodyTooLargeError, match="2 times"):
        collect(limits, "gzip", gzip.compress(bytes(1 << 21)), 4096)


def test_a_collector_that_may_cut_keeps_the_beginning():
    limits = BodyLimits(sent=10, decoded=10, ratio=1, cut=True)
    assert collect(limits, None, b"0123456789abcdef", 4) == b"0123456789"
    assert collect(limits, None, b"01234", 4) == b"01234"


@pytest.mark.parametrize("length", ["11", "9" * 400])
def test_an_announced_length_beyond_the_ceiling_is_refused_unread(length):
    with pytest.raises(BodyTooLargeError, match="announced"):
        BodyCollector(BodyLimits(10, 10, 1), None).announce(length)


@pytest.mark.parametrize("length", [None, "10", "nonsense"])
def test_other_lengths_are_left_to_the_wire(length):
    BodyCollector(BodyLimits(10, 10, 1), None).announce(length)
