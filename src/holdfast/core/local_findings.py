"""What is wrong with one local link: held to a listing and to the anchors of its target (TRK-11).

No file is read here: whoever asks says how anchors are found, so that unsaved text counts like a file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from holdfast.core.anchors import DocumentAnchors
from holdfast.core.file_tree import FileTree
from holdfast.core.link_state import Standing
from holdfast.core.local_links import WIKI, LocalOptions, LocalProblem, judge, relative_link
from holdfast.core.page import Mention
from holdfast.core.report import ReportFinding, Suggestion, SuggestionKind
from holdfast.core.report_rules import RuleCode

__all__ = ["LocalFiles"]

_CODES: Final = {LocalProblem.MISSING: RuleCode.FILE_MISSING, LocalProblem.CASE: RuleCode.FILE_CASE}
_WORDS: Final = {
    LocalProblem.MISSING: "there is no such file",
    LocalProblem.CASE: "the file's name has other letters, large or small",
}


class LocalFiles:
    """The files that links are held to: a listing, how links are read, and how to find a file's anchors."""

    def __init__(
        self, tree: FileTree, options: LocalOptions, anchors_of: Callable[[str], DocumentAnchors | None]
    ) -> None:
        self.tree = tree
        self.options = options
        self.anchors_of = anchors_of

    def finding(self, path: str, mention: Mention) -> ReportFinding | None:
        """What is wrong with a link of the document at a path."""
        target = judge(path, mention.raw, self.tree, self.options)
        if target is None:
            return None
        mention = _as_written(mention)
        if target.problem is not None:
            instead = target.instead and relative_link(path, target.instead, target.fragment)
            message = f"{mention.raw}: {_WORDS[target.problem]}"
            return _finding(_CODES[target.problem], path, mention, message, target.path, instead)
        anchors = self.anchors_of(target.path) if target.fragment else None
        if anchors is None or not anchors.lacks(target.fragment):
            return None
        near = None if mention.raw.startswith("[[") else anchors.near(target.fragment)
        instead = mention.raw.partition("#")[0] + f"#{near}" if near else None
        message = f"{mention.raw}: {target.path} has no such heading or id"
        subject = f"{target.path}#{target.fragment}"
        return _finding(RuleCode.ANCHOR_MISSING, path, mention, message, subject, instead)


def _as_written(mention: Mention) -> Mention:
    is_wiki = mention.raw.startswith(WIKI)
    return mention._replace(raw=f"[[{mention.raw.removeprefix(WIKI)}]]") if is_wiki else mention


def _finding(
    code: RuleCode, path: str, mention: Mention, message: str, subject: str, instead: str | None
) -> ReportFinding:
    return ReportFinding(
        code,
        path,
        message,
        subject,
        mention.raw,
        standing=Standing.SUSPECT if code is RuleCode.ANCHOR_MISSING else Standing.DEAD,
        span=mention.span,
        suggestion=Suggestion(SuggestionKind.REPLACE, instead) if instead else None,
        used_on=mention.used.line if mention.used else None,
    )
