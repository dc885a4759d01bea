"""Pages that do not show their content are flagged, never passed off as content (TXT-6).

Each rule needs two signs at least.

Signs are looked for in lower case, and by a plain search before a pattern: most short pages are content.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from holdfast.core.page import PageWarning
from holdfast.formats.html.tree import ParsedPage

__all__ = ["TABLES", "Signs", "signs_of", "warnings_of"]

_FEW_WORDS: Final = 60
_SHELL_IDS: Final = frozenset(("root", "app", "__next", "__nuxt", "___gatsby", "svelte", "q-app", "main-app"))
TABLES: Final = {"shell ids": _SHELL_IDS}
"""What the native reader is told of these tables."""
_NEEDS_SCRIPT = re.compile(
    r"(?:enable|requires?|need|turn on|activate|without)\W+(?:\w+\W+){0,4}java ?script|"
    r"javascript\W+(?:\w+\W+){0,3}(?:disabled|required|enabled)"
)
_NOT_FOUND = re.compile(
    r"\b404\b|\b(?:page|document|file|article|content|site)\W+(?:\w+\W+){0,3}"
    r"(?:not found|no longer|does(?: not|n.t) exist|could(?: not|n.t) be found|"
    r"cannot be found|can.t be found)|"
    r"\bnot found\b|seite nicht gefunden|page introuvable|página no encontrada|pagina non trovata"
)
_NOT_FOUND_WORDS: Final = (
    *("404", "not found", "no longer", "exist", "be found"),
    *("nicht gefunden", "introuvable", "encontrada", "trovata"),
)
_LOGIN = re.compile(
    r"\b(?:log ?in|sign ?in|log ?on|authentication required|session expired|anmelden|connexion)\b"
)
_CONSENT = re.compile(
    r"\b(?:cookies?|consent|gdpr|privacy choices|before you continue|datenschutz|personal data|partners)\b"
)
_CONSENT_WORDS: Final = (
    *("cookie", "consent", "gdpr", "privacy choices", "before you continue"),
    *("datenschutz", "personal data", "partners"),
)
_AGREE = re.compile(
    r"\b(?:accept|agree|reject|allow|decline|manage|zustimmen|akzeptieren|accepter)\b", re.IGNORECASE
)


class Signs(NamedTuple):
    """What the elements of a page give away: one that a script fills, a password field."""

    has_root: bool
    has_password: bool


def signs_of(document: ParsedPage) -> Signs:
    """Look at the elements."""
    return Signs(any(attrs.get("id") in _SHELL_IDS for attrs in document.attributes), _has_password(document))


def warnings_of(signs: Signs, html: str, title: str, text: str) -> list[PageWarning]:
    """What the page looks like if not like content. `text` is its normalized text."""
    words = text.count(" ") + 1 if text else 0
    found: list[PageWarning] = []
    if words >= 4 * _FEW_WORDS:
        return found
    title, lower = title.lower(), text.lower()
    if words < _FEW_WORDS and _is_shell(html, lower, words, has_root=signs.has_root):
        found.append(PageWarning.EMPTY_SHELL)
    if _is_not_found(title) or (words < 2 * _FEW_WORDS and _is_not_found(lower[:200])):
        found.append(PageWarning.SOFT_404)
    if signs.has_password and (_LOGIN.search(title) or _LOGIN.search(lower)):
        found.append(PageWarning.LOGIN_WALL)
    if _asks_for_consent(lower) and _AGREE.search(html):
        found.append(PageWarning.CONSENT_WALL)
    return found


def _is_shell(html: str, lower: str, words: int, *, has_root: bool) -> bool:
    if "<script" not in html and "<SCRIPT" not in html:
        return False
    if "script" in lower and _NEEDS_SCRIPT.search(lower):
        return True
    return words < 10 and (has_root or not lower or _NEEDS_SCRIPT.search(html.lower()) is not None)


def _is_not_found(lower: str) -> bool:
    return any(word in lower for word in _NOT_FOUND_WORDS) and _NOT_FOUND.search(lower) is not None


def _asks_for_consent(lower: str) -> bool:
    return sum(map(lower.count, _CONSENT_WORDS)) >= 3 and len(_CONSENT.findall(lower)) >= 3


def _has_password(document: ParsedPage) -> bool:
    inputs = (tag for at in document.collected if (tag := document.tags[at]).name == "input")
    return any(tag.attrs.get("type", "").lower() == "password" for tag in inputs)
