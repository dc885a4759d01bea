"""A report in the words of whoever reads it: one file a format, all written from one value (TRK-9).

text      for people at a terminal
json      one document, `holdfast.track_report/1`
jsonl     one finding a line, for pipes
junit     for CI servers that show tests
sarif     SARIF 2.1.0, for code scanning
github    workflow commands, which a forge shows beside the lines
markdown  for a job's summary or a comment
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from holdfast.core.report import Report
from holdfast.core.shown_text import harmless_json, harmless_lines
from holdfast.formats.reports.text import summary_lines

__all__ = ["FORMATS", "summary_lines", "write_report"]

FORMATS: Final = {
    "text": "text",
    "json": "json_report",
    "jsonl": "json_report",
    "junit": "junit",
    "sarif": "sarif",
    "github": "github",
    "markdown": "markdown",
}
"""Where each format's `write_NAME` is; imported when it is asked for, since a run writes one of them."""
_JSON: Final = ("json", "jsonl", "sarif")


def write_report(report: Report, name: str) -> str:
    """The report in a format; its text ends with a newline, or is empty. No character of a document or of
    the web that a terminal would obey is in it raw (SEC-7).

    Bytes of a file name that are not UTF-8 come out as `\\udcNN`, which JSON reads as what it was.
    """
    home = import_module(f"holdfast.formats.reports.{FORMATS[name]}")
    text: str = getattr(home, f"write_{name}")(report)
    text = text.encode("utf-8", "backslashreplace").decode()
    return harmless_json(text) if name in _JSON else harmless_lines(text)
