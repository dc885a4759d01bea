"""Mail addresses in links, by their syntax alone: nobody is asked, and nobody is written to.

mailto:a@example.org,b@example.org?subject=…      RFC 6068: addresses between commas, then header fields
local part    atoms between dots, or a quoted string (RFC 5322); letters of all scripts (RFC 6531)
domain        labels of letters, digits and inner hyphens, 63 characters each, or an address in brackets
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

__all__ = ["MAIL", "mail_problem"]

MAIL: Final = "mailto:"
_ATOM = r"[\w!#$%&'*+/=?^`{|}~\-]++"
_LOCAL = re.compile(rf'{_ATOM}(?:\.{_ATOM})*|"(?:[^"\\]|\\.)*+"')
_LABEL = r"(?!-)[^\W_](?:[\w\-]{0,61}[^\W_])?"
_DOMAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})*\.?|\[[0-9A-Fa-f.:IPv]+\]")
_LONGEST_LOCAL: Final = 64
_LONGEST_DOMAIN: Final = 255


def mail_problem(url: str) -> str | None:
    """What is wrong with the addresses of a `mailto:` link, in words; None where they could be right."""
    addresses, _, fields = url[len(MAIL) :].partition("?")
    given = [unquote(address).strip() for address in addresses.split(",")]
    if not any(given):
        return (
            None if "to=" in fields.lower() or "subject=" in fields.lower() else "there is no address in it"
        )
    return next((problem for address in given if (problem := _problem(address)) is not None), None)


def _problem(address: str) -> str | None:
    if not address:
        return "one of its addresses is empty"
    local, mark, domain = address.rpartition("@")
    if not mark:
        return f"{address} has no @"
    if not local or not _LOCAL.fullmatch(local) or len(local) > _LONGEST_LOCAL:
        return f"what stands before the @ of {address} is not the name of a mailbox"
    if not _DOMAIN.fullmatch(domain) or len(domain) > _LONGEST_DOMAIN:
        return f"what stands after the @ of {address} is not the name of a host"
    return None
