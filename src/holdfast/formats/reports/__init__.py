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

from collections.abc import Callable, Mapping
from typing import Final

from holdfast.core.report import Report
from holdfast.formats.reports.github import write_github
from holdfast.formats.reports.json_report import write_json, write_jsonl
from holdfast.formats.reports.junit import write_junit
from holdfast.formats.reports.markdown import write_markdown
from holdfast.formats.reports.sarif import write_sarif
from holdfast.formats.reports.text import summary_lines, write_text

__all__ = ["FORMATS", "summary_lines", "write_report"]

FORMATS: Final[Mapping[str, Callable[[Report], str]]] = {
    "text": write_text,
    "json": write_json,
    "jsonl": write_jsonl,
    "junit": write_junit,
    "sarif": write_sarif,
    "github": write_github,
    "markdown": write_markdown,
}


def write_report(report: Report, name: str) -> str:
    """The report in a format; its text ends with a newline, or is empty.

    Bytes of a file name that are no UTF-8 come out as `\\udcNN`, which JSON reads as what it was.
    """
    return FORMATS[name](report).encode("utf-8", "backslashreplace").decode()
