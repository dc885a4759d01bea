"""Words in, words out: the ways a person or a program talks to Holdfast.

The servers (`faces.web_server`, `faces.lsp_server`, `faces.mcp_server`) are imported when somebody first says
their name: the libraries that they need take up to a second, which only whoever serves pays.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from holdfast.faces import lsp as lsp_server
    from holdfast.faces.mcp import tools as mcp_server
    from holdfast.faces.web import app as web_server

    __all__ = ["lsp_server", "mcp_server", "web_server"]
else:
    _SERVERS: Final = {"lsp_server": "lsp", "mcp_server": "mcp.tools", "web_server": "web.app"}

    def __getattr__(name: str) -> ModuleType:
        if name not in _SERVERS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return import_module(f"{__name__}.{_SERVERS[name]}")
