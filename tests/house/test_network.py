"""No packet of a test leaves loopback: not of this process, and not of those that it starts."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from helpers.network import LeavesLoopbackError, is_apart, is_home


def test_a_process_that_a_test_starts_has_loopback_and_no_way_out():
    if os.geteuid() != 0 or not is_apart():
        pytest.skip("only root may have a network of its own")
    asked = (
        "from helpers.network import is_apart; print(is_apart()); "
        "print(open('/proc/net/route').read().count('\\n'))"
    )
    told = subprocess.run(
        [sys.executable, "-c", asked], cwd="tests", capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == ["True", "1"]  # the heading, and no route


def test_loopback_answers():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()


@pytest.mark.parametrize(
    ("address", "home"),
    [("/run/x", True), (("127.0.0.1", 1), True), (("127.9.9.9", 1), True), (("::1", 1, 0, 0), True),
     (("localhost", 1), True), (("docs.example", 1), False), (("192.0.2.1", 1), False),
     (("0.0.0.0", 1), False)],
)  # fmt: skip
def test_loopback_is_home_and_nothing_else_is(address, home):
    assert is_home(address) is home


def test_this_process_refuses_before_the_system_is_asked():
    with socket.socket() as one, pytest.raises(LeavesLoopbackError):
        sys.audit("socket.connect", one, ("192.0.2.1", 9))
