"""The border of `native/`: what its module offers."""

from collections.abc import Mapping
from typing import Any, Final, final

REFERENCE: Final[str]
"""What it reads and writes: versions of the reference."""

@final
class Reader:
    """Reads pages as the reference does. `tables` are the reference's own, `makers` the classes of values."""

    def __new__(cls, tables: Mapping[str, Any], makers: Mapping[str, Any]) -> Reader: ...
    def is_harmless(self, html: str | bytes) -> bool:
        """Whether a page, a text or its UTF-8, is surely within the limits of `guard`."""

    def changed(self, html: str | bytes) -> list[str]:
        """Of what a normal form leaves out or writes otherwise, what the page may have."""

    def said(self, text: str, address: str, linked: str) -> tuple[bytes, bytes] | None:
        """The words that the gist of a page is made of: all, and those of no link. All is in lower case.

        None: declined.
        """

    def read(self, normal_form: str, questions: object, options: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """Text, its hash, head, links, anchors, signs; where it is wanted, sections that are listed, sections
        that are cited, what is written. None: declined.
        """
