"""Pages that are no content are flagged, never passed off (TXT-6). Each rule needs two signs at least."""

from __future__ import annotations

import re
from typing import Final

from holdfast.core.page import PageWarning
from holdfast.formats.html.tree import Document

__all__ = ["warnings_of"]

_FEW_WORDS: Final = 60
_SHELL_IDS: Final = frozenset(("root", "app", "__next", "__nuxt", "___gatsby", "svelte", "q-app", "main-app"))
_NEEDS_SCRIPT = re.compile(
    r"(?:enable|requires?|need|turn on|activate|without)\W+(?:\w+\W+){0,4}java ?script|"
    r"javascript\W+(?:\w+\W+){0,3}(?:disabled|required|enabled)",
    re.IGNORECASE,
)
_NOT_FOUND = re.compile(
    r"\b404\b|\b(?:page|document|file|article|content|site)\W+(?:\w+\W+){0,3}"
    r"(?:not found|no longer|does(?: not|n.t) exist|could(?: not|n.t) be found|"
    r"cannot be found|can.t be found)|"
    r"\bnot found\b|seite nicht gefunden|page introuvable|página no encontrada|pagina non trovata",
    re.IGNORECASE,
)
_LOGIN = re.compile(
    r"\b(?:log ?in|sign ?in|log ?on|authentication required|session expired|anmelden|connexion)\b",
    re.IGNORECASE,
)
_CONSENT = re.compile(
    r"\b(?:cookies?|consent|gdpr|privacy choices|before you continue|datenschutz|personal data|partners)\b",
    re.IGNORECASE,
)
_AGREE = re.compile(
    r"\b(?:accept|agree|reject|allow|decline|manage|zustimmen|akzeptieren|accepter)\b", re.IGNORECASE
)


def warnings_of(document: Document, html: str, title: str, text: str) -> list[PageWarning]:
    """What the page looks like if not like content. `text` is its normalized text."""
    words = text.count(" ") + 1 if text else 0
    found: list[PageWarning] = []
    if words < _FEW_WORDS and _is_shell(document, html, text, words):
        found.append(PageWarning.EMPTY_SHELL)
    if words < 4 * _FEW_WORDS:
        if _NOT_FOUND.search(title) or (_NOT_FOUND.search(text[:200]) and words < 2 * _FEW_WORDS):
            found.append(PageWarning.SOFT_404)
        if _has_password(document) and (_LOGIN.search(title) or _LOGIN.search(text)):
            found.append(PageWarning.LOGIN_WALL)
        if len(_CONSENT.findall(text)) >= 3 and _AGREE.search(html):
            found.append(PageWarning.CONSENT_WALL)
    return found


def _is_shell(document: Document, html: str, text: str, words: int) -> bool:
    if "<script" not in html and "<SCRIPT" not in html:
        return False
    if _NEEDS_SCRIPT.search(text):
        return True
    has_root = any(attrs.get("id") in _SHELL_IDS for attrs in document.attributes)
    return words < 10 and (has_root or not text or _NEEDS_SCRIPT.search(html) is not None)


def _has_password(document: Document) -> bool:
    inputs = (tag for at in document.collected if (tag := document.tags[at]).name == "input")
    return any(tag.attrs.get("type", "").lower() == "password" for tag in inputs)
