"""Ctrl-C is KeyboardInterrupt, whenever it comes."""

import asyncio
import signal

import pytest

from holdfast.adapters.loop import run

pytestmark = pytest.mark.spec("STA-2")


async def work():
    await asyncio.sleep(60)


def test_ctrl_c_while_the_loop_begins(monkeypatch):
    """The runner sets its handler, then the number of interrupts to zero: this one comes in between."""
    install = signal.signal

    def install_and_interrupt(number, handler):
        before = install(number, handler)
        if handler is not signal.default_int_handler:
            signal.raise_signal(number)
        return before

    monkeypatch.setattr(signal, "signal", install_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(work())
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_while_it_runs():
    async def interrupted():
        signal.raise_signal(signal.SIGINT)
        await work()

    with pytest.raises(KeyboardInterrupt):
        run(interrupted())
