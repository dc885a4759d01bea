"""No packet of a test leaves this machine.

1. Where the system allows it (root on Linux), the tests and all that they start have a network of their own:
   loopback and nothing else, no address, no route, no way out.
2. Everywhere, this process refuses to connect to anything but loopback, before the system is asked.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
import sys
from ipaddress import ip_address
from pathlib import Path

NEW_NETWORK = 0x40000000
SET_FLAGS, UP_AND_RUNNING = 0x8914, 0x1 | 0x40


class LeavesLoopbackError(Exception):
    """Something in a test was about to ask another machine."""


def stay_here() -> None:
    """Take both precautions, for the rest of this process's life."""
    sys.addaudithook(_refuse)
    if sys.platform == "linux" and os.geteuid() == 0 and not is_apart():
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(NEW_NETWORK) == 0:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
                fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh", b"lo", UP_AND_RUNNING))


def is_apart() -> bool:
    """Whether this process's network is loopback alone."""
    lines = Path("/proc/thread-self/net/dev").read_text().splitlines()[2:]
    return [line.split(":")[0].strip() for line in lines] == ["lo"]


def is_home(address: object) -> bool:
    """Whether an address, as a socket takes it, is of this machine."""
    if not isinstance(address, tuple):
        return True  # a path, or a family of the kernel's own
    host = str(address[0]).partition("%")[0]
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _refuse(event: str, values: tuple[object, ...]) -> None:
    if event in ("socket.connect", "socket.sendto") and not is_home(values[1]):
        raise LeavesLoopbackError(f"{event}: {values[1]}")
