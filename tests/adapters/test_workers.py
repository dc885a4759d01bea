"""Worker processes: results come back, and no call can end more than itself."""

import asyncio
import os
import time

import pytest

from holdfast.adapters.workers import Lost, Workers

pytestmark = pytest.mark.spec("SEC-4")


def call(function, *values, seconds=20.0, count=1):
    async def main():
        workers = Workers(count, seconds=seconds)
        try:
            return await workers.run(function, *values)
        finally:
            workers.close()

    return asyncio.run(main())


def test_a_function_runs_elsewhere_and_its_result_comes_back():
    assert call(os.getpid) != os.getpid()
    assert call(bytes, 3_000_000) == bytes(3_000_000)


def test_what_a_function_raises_comes_back_in_words():
    with pytest.raises(Lost, match="ValueError: invalid literal"):
        call(int, "x")


def test_a_call_that_takes_too_long_costs_its_worker_and_nothing_else():
    async def main():
        workers = Workers(1, seconds=1.0)
        try:
            with pytest.raises(Lost, match="longer than 1 s"):
                await workers.run(time.sleep, 30)
            return await workers.run(max, 1, 2)
        finally:
            workers.close()

    assert asyncio.run(main()) == 2


def test_a_worker_that_dies_is_replaced():
    async def main():
        workers = Workers(1)
        try:
            with pytest.raises(Lost, match="ended unexpectedly"):
                await workers.run(os._exit, 3)
            return await workers.run(max, 1, 2)
        finally:
            workers.close()

    assert asyncio.run(main()) == 2


def test_a_call_for_too_much_memory_comes_back_as_an_error():
    with pytest.raises(Lost, match="MemoryError"):
        call(bytearray, 1 << 40)


def test_calls_run_side_by_side():
    async def main():
        workers = Workers(2)
        try:
            await asyncio.gather(*(workers.run(max, 1, 2) for _ in range(2)))
            began = time.monotonic()
            await asyncio.gather(*(workers.run(time.sleep, 0.4) for _ in range(2)))
            return time.monotonic() - began
        finally:
            workers.close()

    assert asyncio.run(main()) < 0.75
