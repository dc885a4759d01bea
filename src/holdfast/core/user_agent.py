"""Who is asking: a truthful name, a version and a contact (MIR-13)."""

from __future__ import annotations

from typing import Final

from holdfast.core.errors import ConfigError

__all__ = ["PRODUCT", "user_agent"]

PRODUCT: Final = "holdfast"
"""The product token: what `User-agent:` lines in robots.txt call us."""


def user_agent(version: str, contact: str) -> str:
    """The `User-Agent` field. `contact` is a page or an address of whoever runs this; empty for none."""
    if not contact:
        return f"{PRODUCT}/{version}"
    if not contact.isprintable() or not contact.isascii() or set(contact) & set("()\\"):
        raise ConfigError(
            f"contact = {contact!r}: sent in the user agent, it must be plain ASCII without brackets",
            hint='for example contact = "https://example.com/about-our-crawler" or "team@example.com"',
        )
    mark = "+" if "://" in contact else ""
    return f"{PRODUCT}/{version} ({mark}{contact})"
