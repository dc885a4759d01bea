"""The codes of rules, and what a rule is made of: the texts are in `core.report_rules`.

A code is for ever: it may be retired, it is never given to something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Level", "ReportRule", "RuleCode"]


class Level(StrEnum):
    """How loud a finding is; the words are SARIF's."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class RuleCode(StrEnum):
    """Every code there is."""

    NOT_FOUND = "HF001"
    GONE = "HF002"
    TIMEOUT = "HF003"
    DNS_ERROR = "HF004"
    CONNECT_ERROR = "HF005"
    TLS_ERROR = "HF006"
    SERVER_ERROR = "HF007"
    SOFT_404 = "HF008"
    FRAGMENT_MISSING = "HF010"
    SECTION_CHANGED = "HF011"
    PAGE_CHANGED = "HF012"
    MOVED_PERMANENT = "HF020"
    MOVED_TEMPORARY = "HF021"
    INSECURE = "HF022"
    TRACKER = "HF023"
    AUTH_REQUIRED = "HF030"
    BOT_BLOCKED = "HF031"
    RATE_LIMITED = "HF032"
    REFUSED = "HF033"
    UNSUPPORTED = "HF034"
    TOO_LARGE = "HF035"
    UNCHECKED = "HF036"
    LOGIN_WALL = "HF037"
    CONSENT_WALL = "HF038"
    EMPTY_SHELL = "HF039"
    IGNORE_EXPIRED = "HF040"
    IGNORE_UNUSED = "HF041"
    IGNORE_UNCLEAR = "HF042"
    DOCUMENT_UNREADABLE = "HF043"
    FILE_MISSING = "HF050"
    FILE_CASE = "HF051"
    ANCHOR_MISSING = "HF052"
    MAIL_MALFORMED = "HF053"


@dataclass(frozen=True, slots=True)
class ReportRule:
    """A rule: code, name for machines, a sentence, how loud at most, what it means, what to do."""

    code: RuleCode
    name: str
    sentence: str
    level: Level
    meaning: str
    remedy: str
