"""The table of faults: what a server does, and what becomes of it. `docs/internals/faults.md` shows it."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

try:
    from compression import zstd
except ImportError:  # before Python 3.14
    from backports import zstd

from helpers.faults.server import CLOSE, RESET, Endless, Pause, Script, response


@dataclass(frozen=True)
class Fault:
    name: str
    sentence: str
    outcome: str
    script: Script | list[Script] | Callable[[], Script]
    requests: int = 1
    settings: dict[str, Any] = field(default_factory=dict)

    def play(self) -> Script | list[Script]:
        """The script for one test: large ones are made on demand, lists are used up."""
        if callable(self.script):
            return self.script()
        return list(self.script) if isinstance(self.script, list) else self.script


def coded(coding: str, body: bytes, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {size}\r\n\r\n".encode() + body


def gzip_bomb(mebibytes: int) -> bytes:
    """That many MiB of zeros as proper gzip: one flushed block, repeated, with the right sums at the end."""
    zeros = bytes(1 << 20)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    check = 0
    for _ in range(mebibytes):
        check = zlib.crc32(zeros, check)
    head = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    return head + block * mebibytes + b"\x03\0" + struct.pack("<II", check, (mebibytes << 20) & 0xFFFFFFFF)


def to(location: str, status: str = "302 Found") -> Script:
    return (response(b"", status, f"Location: {location}"),)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
SLOW_DOWN = "429 Too Many Requests"

CONNECTION = (
    Fault("reset_before_headers", "Reset before any byte", "Failed: reset", (RESET,), 2),
    Fault("reset_in_headers", "Reset in the headers", "Failed: reset", (HEAD, RESET), 2),
    Fault(
        "reset_after_headers",
        "Reset after the headers, before the body",
        "Failed: reset",
        (HEAD + b"Content-Length: 9\r\n\r\n", RESET),
    ),
    Fault(
        "reset_in_unmeasured_body",
        "Reset in a body that ends with the connection",
        "Failed: reset",
        (HEAD + b"\r\nhalf", RESET),
    ),
    Fault("closed_before_headers", "Closed before any byte", "Failed: reset", (CLOSE,), 2),
    Fault("closed_in_headers", "Closed in the headers", "Failed: reset", (HEAD, CLOSE), 2),
    Fault(
        "kept_connection_dies",
        "Closed before any byte, and well the second time",
        "Fetched",
        [(CLOSE,), (response(b"well"),)],
        2,
    ),
)
HASTY = {"timeout": 1.0, "idle_timeout": 0.8}
SILENT = {"timeout": 10.0, "idle_timeout": 0.3}
TIME = (
    Fault("silent", "No byte at all", "TimedOut: headers", (Pause(30),), settings=SILENT),
    Fault(
        "slow_headers",
        "Headers a byte at a time",
        "TimedOut: total",
        (HEAD, Endless(b"X", 0.1)),
        settings=HASTY,
    ),
    Fault(
        "stalled_headers",
        "Headers that stop half way",
        "TimedOut: headers",
        (HEAD, Pause(30)),
        settings=SILENT,
    ),
    Fault(
        "stalled_body",
        "A body that stops half way",
        "TimedOut: body",
        (HEAD + b"Content-Length: 9\r\n\r\nhalf", Pause(30)),
        settings=SILENT,
    ),
    Fault(
        "slow_body",
        "A body a byte at a time",
        "TimedOut: total",
        (HEAD + b"Content-Length: 999\r\n\r\n", Endless(b"x", 0.1)),
        settings=HASTY,
    ),
)
LENGTH = (
    Fault(
        "endless_body",
        "A body without end",
        "Denied: size",
        (HEAD + b"\r\n", Endless(b"x" * 65536)),
    ),
    Fault(
        "endless_chunks",
        "Chunks without end",
        "Denied: size",
        (CHUNKED, Endless(b"8\r\nxxxxxxxx\r\n" * 4096)),
    ),
    Fault(
        "announced_too_long",
        "A length that is too much, announced",
        "Denied: size",
        (HEAD + b"Content-Length: 99999999\r\n\r\n", Pause(30)),
    ),
    Fault(
        "short_body",
        "A body shorter than its Content-Length",
        "Failed: short_body",
        (HEAD + b"Content-Length: 999\r\n\r\nhalf", CLOSE),
    ),
    Fault("short_chunks", "Chunks that end early", "Failed: short_body", (CHUNKED + b"4\r\nhalf\r\n", CLOSE)),
    Fault(
        "negative_length", "Content-Length: -1", "Failed: protocol", (HEAD + b"Content-Length: -1\r\n\r\n",)
    ),
    Fault(
        "two_lengths",
        "Two lengths that differ",
        "Failed: protocol",
        (HEAD + b"Content-Length: 4\r\nContent-Length: 9\r\n\r\nhalf",),
    ),
    Fault(
        "bad_chunk", "A chunk size that is not a number", "Failed: protocol", (CHUNKED + b"zz\r\nhalf\r\n",)
    ),
    Fault("huge_chunk", "A chunk size beyond 64 bits", "Failed: protocol", (CHUNKED + b"F" * 40 + b"\r\n",)),
)
CODING = (
    Fault(
        "gzip_bomb",
        "1 GB of zeros in 1 MB of gzip",
        "Denied: size",
        lambda: (coded("gzip", gzip_bomb(1024)),),
        settings={"max_body_bytes": 4_000_000, "max_decoded_bytes": 1 << 31},
    ),
    Fault("gzip_large", "More than may be decoded", "Denied: size", lambda: (coded("gzip", gzip_bomb(8)),)),
    Fault(
        "gzip_in_gzip",
        "A bomb in a bomb",
        "Denied: size",
        lambda: (coded("gzip, gzip", gzip.compress(gzip_bomb(64))),),
    ),
    Fault(
        "zstd_bomb",
        "zstd that decodes to 64 MB",
        "Denied: size",
        lambda: (coded("zstd", zstd.compress(bytes(64 << 20))),),
    ),
    Fault(
        "two_codings_in_two_fields",
        "Two codings in two fields, one around the other",
        "Fetched",
        (
            response(
                gzip.compress(zlib.compress(b"well")),
                "200 OK",
                "Content-Encoding: deflate",
                "Content-Encoding: gzip",
            ),
        ),
    ),
    Fault(
        "bad_gzip",
        "A body that says gzip and is not",
        "Failed: encoding",
        (coded("gzip", b"not gzip at all"),),
    ),
    Fault(
        "short_gzip",
        "gzip that ends early",
        "Failed: encoding",
        (coded("gzip", gzip.compress(b"x" * 99)[:20]),),
    ),
    Fault("bad_br", "A body that says br and is not", "Failed: encoding", (coded("br", b"\xff" * 40),)),
    Fault("unknown_coding", "A coding nobody asked for", "Failed: encoding", (coded("rot13", b"uryyb"),)),
)
HEADERS = (
    Fault(
        "header_bomb",
        "One field without end",
        "Failed: headers_too_large",
        (HEAD + b"X: ", Endless(b"x" * 65536)),
    ),
    Fault(
        "many_headers",
        "Fields without end",
        "Failed: headers_too_large",
        (HEAD, Endless(b"".join(b"X-%d: y\r\n" % n for n in range(500)))),
    ),
    Fault(
        "large_headers",
        "Fields that are too much together",
        "Failed: headers_too_large",
        (HEAD + (b"X: " + b"y" * 7_000 + b"\r\n") * 12 + b"Content-Length: 0\r\n\r\n",),
    ),
    Fault("no_http", "Not HTTP", "Failed: protocol", (b"SSH-2.0-OpenSSH_9.6\r\n\r\n",)),
    Fault("nul_in_headers", "A NUL in a field", "Failed: protocol", (HEAD + b"X: a\0b\r\n\r\n",)),
    Fault("status_999", "A status that does not exist", "Failed: status", (response(b"", "999 No"),)),
    Fault("no_reason", "A status without words", "Fetched", (response(b"ok", "200 "),)),
    Fault(
        "bytes_in_headers",
        "A field that is not UTF-8",
        "Fetched",
        (HEAD + b"X: \xff\xfe\r\nContent-Length: 0\r\n\r\n",),
    ),
)
REDIRECTS = (
    Fault("redirect_to_self", "A redirect to itself", "Failed: redirect_loop", to("/start")),
    Fault(
        "redirect_chain",
        "Redirects without end",
        "Failed: too_many_redirects",
        [to(f"/start?{n}") for n in range(20)],
        11,
    ),
    Fault("redirect_to_file", "A redirect to file:", "Denied: scheme", to("file:///etc/passwd")),
    Fault("redirect_to_data", "A redirect to data:", "Denied: scheme", to("data:text/html,hello")),
    Fault("redirect_to_javascript", "A redirect to javascript:", "Denied: scheme", to("javascript:alert(1)")),
    Fault("redirect_to_private", "A redirect to 10.0.0.1", "Denied: address", to("http://10.0.0.1/")),
    Fault(
        "redirect_to_loopback", "A redirect to another loopback", "Denied: address", to("http://127.0.0.2/")
    ),
    Fault(
        "redirect_to_decimal", "A redirect to http://2130706434/", "Denied: address", to("http://2130706434/")
    ),
    Fault(
        "redirect_to_mapped",
        "A redirect to [::ffff:10.0.0.1]",
        "Denied: address",
        to("http://[::ffff:10.0.0.1]/"),
    ),
    Fault(
        "redirect_to_metadata",
        "A redirect to 169.254.169.254",
        "Denied: address",
        to("http://169.254.169.254/latest/"),
    ),
    Fault(
        "redirect_to_localhost",
        "A redirect to the name localhost",
        "Denied: address",
        to("http://localhost:1/"),
    ),
    Fault(
        "redirect_to_nothing",
        "A redirect without Location",
        "Failed: bad_redirect",
        (response(b"", "302 Found"),),
    ),
    Fault(
        "redirect_to_nonsense", "A redirect to what is not a URL", "Failed: bad_redirect", to("http://[::1")
    ),
)
SLOWDOWNS = (
    Fault(
        "slow_down_for_ever",
        "429 without Retry-After, always",
        "Failed: rate_limited",
        (response(b"", SLOW_DOWN),),
        5,
    ),
    Fault(
        "slow_down_twice",
        "429 twice, then well",
        "Fetched",
        [(response(b"", SLOW_DOWN),), (response(b"", SLOW_DOWN),), (response(b"well"),)],
        3,
    ),
    Fault(
        "retry_after_seconds",
        "429 with Retry-After: 30, then well",
        "Fetched",
        [(response(b"", SLOW_DOWN, "Retry-After: 30"),), (response(b"well"),)],
        2,
    ),
    Fault(
        "retry_after_past",
        "429 with a date in the past, then well",
        "Fetched",
        [(response(b"", SLOW_DOWN, "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT"),), (response(b"well"),)],
        2,
    ),
    Fault(
        "retry_after_2099",
        "429 with a date in 2099",
        "Deferred",
        (response(b"", SLOW_DOWN, "Retry-After: Thu, 01 Jan 2099 00:00:00 GMT"),),
    ),
    Fault(
        "retry_after_nonsense",
        "429 with Retry-After: soon, then well",
        "Fetched",
        [(response(b"", SLOW_DOWN, "Retry-After: soon"),), (response(b"well"),)],
        2,
    ),
    Fault(
        "unavailable_with_retry_after",
        "503 with Retry-After, then well",
        "Fetched",
        [(response(b"", "503 Busy", "Retry-After: 1"),), (response(b"well"),)],
        2,
    ),
    Fault("unavailable", "503 without Retry-After", "Failed: status", (response(b"", "503 Busy"),)),
)

FAULTS = (*CONNECTION, *TIME, *LENGTH, *CODING, *HEADERS, *REDIRECTS, *SLOWDOWNS)
