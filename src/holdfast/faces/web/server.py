"""The server's socket and its life: bound before anything is promised, ended by Ctrl-C."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from contextlib import closing, nullcontext, suppress

import uvicorn

from holdfast import wiring
from holdfast.core.errors import FailedError
from holdfast.faces.web.actions import ActionForms
from holdfast.faces.web.app import make_app
from holdfast.faces.web.asking import Sources
from holdfast.faces.web.guard import Access

__all__ = ["Access", "listen", "serve"]


def listen(host: str, port: int) -> socket.socket:
    """A socket that others can connect to."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        is_port = error.errno in (errno.EADDRINUSE, errno.EACCES)
        hint = "--port 0 takes a free one" if is_port else "--host names an address of this machine"
        why = (error.strerror or str(error)).partition(" (while")[0]  # what Python adds is said already
        raise FailedError(f"{host}:{port} cannot be used: {why}", hint=hint) from error


class _Announced(uvicorn.Server):
    """A server that says when it answers. From then on Ctrl-C is noted; before, while modules are imported,
    Python may lose it.
    """

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets=sockets)
        self._announce()


def serve(
    sources: Sources,
    access: Access,
    bound: socket.socket,
    announce: Callable[[], None],
    runs: wiring.acting.RunStarter | None = None,
) -> None:
    """Answer until somebody says to stop; `runs` are those that may be started here, and end with it."""
    config = uvicorn.Config(
        make_app(sources, access, ActionForms(runs) if runs is not None else None),
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=True,
        proxy_headers=False,
        timeout_graceful_shutdown=2,
        timeout_keep_alive=15,
        lifespan="off",
        ws="none",
    )
    with closing(runs) if runs is not None else nullcontext(), suppress(KeyboardInterrupt):
        wiring.loop.run(_Announced(config, announce).serve(sockets=[bound]))
