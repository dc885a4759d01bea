"""`docs/internals/faults.md`, made of the table of faults. Run as a program it writes the page anew."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from helpers.faults.table import CODING, CONNECTION, HEADERS, LENGTH, REDIRECTS, SLOWDOWNS, TIME

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "internals" / "faults.md"
HTTP = "tests/adapters/http"

SCRIPTED = {
    "Connections": CONNECTION,
    "Time": TIME,
    "Lengths and chunks": LENGTH,
    "Content codings": CODING,
    "Headers": HEADERS,
    "Redirects": REDIRECTS,
    "Asked to slow down": SLOWDOWNS,
}
OTHERS = {
    "robots.txt": (
        ("Any 4xx", "allows", "test_robots_cache.py::test_4xx_allows"),
        (
            "5xx, 429, hangs, closed, shorter than its length, redirected to a private address",
            "Failed: robots_unavailable",
            "test_robots_cache.py::test_what_cannot_be_reached_refuses_for_now",
        ),
        (
            "Unreachable at first, well a minute later",
            "Fetched",
            "test_robots_cache.py::test_what_could_not_be_reached_is_asked_again_after_a_while",
        ),
        (
            "Redirects: five followed, six mean there is none",
            "decides, allows",
            "test_robots_cache.py::test_five_redirects_are_followed_and_a_sixth_means_there_is_none",
        ),
        ("HTML in its place", "allows", "test_robots_cache.py::test_html_in_its_place_allows"),
        (
            "5 MB long",
            "its first 500 KiB decide",
            "test_robots_cache.py::test_of_five_megabytes_the_first_500_kib_are_read",
        ),
        (
            "Without end",
            "its first 500 KiB decide",
            "test_robots_cache.py::test_an_endless_one_is_cut_not_waited_for",
        ),
    ),
    "TLS": (
        (
            "Certificate for another name, expired, from an unknown issuer",
            "Failed: tls",
            "test_tls.py::test_a_bad_certificate_is_a_failure_and_nothing_is_sent",
        ),
        (
            "Certificate that signed itself",
            "Failed: tls",
            "test_tls.py::test_a_certificate_that_signed_itself_is_a_failure",
        ),
        (
            "Plain HTTP on a TLS port, and the other way",
            "Failed",
            "test_tls.py::test_plain_http_on_a_tls_port_and_the_other_way_are_failures",
        ),
    ),
    "Addresses": (
        (
            "A name for a private address, in every disguise",
            "Denied: address",
            "test_guard.py::test_a_name_for_a_private_address_is_refused_with_the_address",
        ),
        (
            "A name that is public first and private later",
            "Denied: address",
            "test_guard.py::test_a_name_that_answers_public_first_and_private_later_does_not_get_through",
        ),
        (
            "A connection that ended elsewhere than the resolver said",
            "Denied: address, nothing sent",
            "test_guard.py::test_the_connected_peer_is_checked_before_anything_is_sent",
        ),
    ),
}


def render() -> str:
    return "\n".join(
        [
            "# Faults",
            "",
            "What servers do wrong, and what becomes of it. Each line is played by a server of raw sockets",
            "on loopback; `Fetched`, `Failed` and the rest are the outcomes of `core/web/capture.py`.",
            "Made by `PYTHONPATH=tests python tests/helpers/faults/document.py`; a test compares the two.",
            *_scripted(),
            *_others(),
            "",
        ]
    )


def _scripted() -> Iterator[str]:
    for title, faults in SCRIPTED.items():
        yield from _head(title)
        for fault in faults:
            asked = f" after {fault.requests} requests" if fault.requests > 1 else ""
            test = f"{HTTP}/test_faults.py::test_fault[{fault.name}]"
            yield f"| {fault.sentence} | {fault.outcome}{asked} | `{test}` |"


def _others() -> Iterator[str]:
    for title, rows in OTHERS.items():
        yield from _head(title)
        for sentence, outcome, test in rows:
            yield f"| {sentence} | {outcome} | `{HTTP}/{test}` |"


def _head(title: str) -> Iterator[str]:
    yield from ("", f"## {title}", "", "| fault | outcome | test |", "|---|---|---|")


def missing_tests() -> list[str]:
    """Tests that the page names and that are not there."""
    named = (test for rows in OTHERS.values() for _, _, test in rows)
    return [test for test in named if not _exists(*test.split("::"))]


def _exists(file: str, name: str) -> bool:
    return re.search(rf"^def {name}\(", (ROOT / HTTP / file).read_text(), re.MULTILINE) is not None


if __name__ == "__main__":
    PAGE.write_text(render())
