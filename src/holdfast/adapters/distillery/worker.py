"""A worker: reads captures from standard input, writes pages to standard output, until there are no more.

1. Each page has its own allowance of CPU time: the soft limit moves ahead of what was used so far, and the
   kernel ends a worker that reaches it. The memory limit holds for the worker as a whole.
2. What is written to standard output is messages and nothing else: a stray print would break the wire.
"""

from __future__ import annotations

import gc
import math
import os
import resource
import sys
from dataclasses import replace

from holdfast.adapters.distillery.wire import page_to_wire, receive, send
from holdfast.distill import distill

__all__ = ["main"]


def main() -> int:
    """Distill until standard input ends."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    recipe, options, cpu_seconds, memory_bytes = receive(requests)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, hard))
    gc.freeze()  # what was imported lives as long as the worker: do not look at it again
    while True:
        try:
            capture, fragments = receive(requests)
        except EOFError:
            return 0
        _allow(cpu_seconds)
        try:
            answer = ("page", page_to_wire(distill(capture, recipe, replace(options, fragments=fragments))))
        except MemoryError:
            answer = ("memory", ())
        send(answers, answer)


def _allow(cpu_seconds: int) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = math.ceil(used.ru_utime + used.ru_stime) + cpu_seconds
    resource.setrlimit(
        resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard)
    )


if __name__ == "__main__":
    sys.exit(main())
