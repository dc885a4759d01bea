"""What is wrong with one local link: held to a listing and to the anchors of its target (TRK-11).

No file is read here: whoever asks says how anchors are found, so that unsaved text counts like a file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from holdfast.core.findings.report import FindingPlace, ReportFinding, Suggestion, SuggestionKind
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.core.links.anchors import DocumentAnchors
from holdfast.core.links.file_tree import FileTree
from holdfast.core.links.link_state import Standing
from holdfast.core.links.local_certainty import is_certain_file, is_certain_place
from holdfast.core.links.local_links import (
    ASCIIDOC,
    MAIL,
    WIKI,
    LocalOptions,
    LocalProblem,
    LocalTarget,
    judge,
    mail_problem,
    relative_link,
    rooted_link,
)
from holdfast.core.links.project import DOC, MYST, REF, ProjectLabels, is_piece, project_folder, role_of
from holdfast.core.links.site_generators import SiteGenerators
from holdfast.core.page.page import Mention
from holdfast.core.url.hosts import is_template

_CODES: Final = {LocalProblem.MISSING: RuleCode.FILE_MISSING, LocalProblem.CASE: RuleCode.FILE_CASE}
_STANDINGS: Final = dict.fromkeys(_CODES.values(), Standing.DEAD)
_WORDS: Final = {
    LocalProblem.MISSING: "there is no such file",
    LocalProblem.CASE: "the file's name has other letters, large or small",
}


class LocalFinding(NamedTuple):
    """What is wrong with a link, and whether that is certain (`core.links.local_certainty`)."""

    finding: ReportFinding
    is_certain: bool = True


class LocalFiles:
    """The files that links are held to: a listing, how links are read, how to find a file's anchors, the
    labels of the project that a file belongs to, whether a file that is not there is made by a build (an
    ignore file of version control says so), and what the files of configuration say.
    """

    def __init__(
        self,
        tree: FileTree,
        options: LocalOptions,
        anchors_of: Callable[[str], DocumentAnchors | None],
        labels_of: Callable[[str], ProjectLabels | None] = lambda _: None,
        is_made: Callable[[str], bool] = lambda _: False,
        configuration: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._sites = SiteGenerators(tree, configuration)
        self.is_made = is_made
        self.tree = tree
        self.options = options
        self.anchors_of = anchors_of
        self.labels_of = labels_of

    def finding(self, path: str, mention: Mention) -> LocalFinding | None:
        """What is wrong with a link of the document at a path."""
        if mention.raw[: len(MAIL)].lower() == MAIL:
            return _of_mail(path, mention)
        if mention.raw.startswith(REF):
            return self._of_label(path, mention)
        found = self._of_path(path, mention)
        return found._replace(is_certain=True) if found is not None and self.options.strict else found

    def _of_path(self, path: str, mention: Mention) -> LocalFinding | None:
        target = judge(path, mention.raw, self.tree, self.options)
        if target is None:
            return None
        if target.problem is not None:
            if self.is_made(target.path):
                return None
            instead = self._instead(path, mention.raw, target)
            written = _as_written(mention)
            message = f"{written.raw}: {_WORDS[target.problem]}"
            found = _finding(_CODES[target.problem], path, written, message, target.path, instead)
            is_certain = is_certain_file(path, mention.raw, target, self.tree, self._sites)
            return found._replace(is_certain=is_certain)
        return self._of_anchor(path, _as_written(mention), target) if target.fragment else None

    def _instead(self, path: str, raw: str, target: LocalTarget) -> str | None:
        """The link to the file that may be meant; None where the cited section is not there."""
        anchors = self.anchors_of(target.instead) if target.instead and target.fragment else None
        if target.instead is None or (anchors is not None and anchors.lacks(target.fragment)):
            return None
        if raw.startswith(DOC):
            return relative_link(path, target.instead).rpartition(".")[0]
        address, mark, fragment = raw.partition("#")
        tail = "".join(address.partition("?")[1:]) + mark + fragment
        rooted = rooted_link(target.instead, self.options) if raw.startswith("/") else None
        return (rooted or relative_link(path, target.instead)) + tail

    def _of_anchor(self, path: str, mention: Mention, target: LocalTarget) -> LocalFinding | None:
        anchors = self.anchors_of(target.path)
        if anchors is None or not anchors.lacks(target.fragment):
            return None
        page = self.anchors_of(target.as_page) if target.as_page not in (None, target.path) else None
        if page is not None and not page.lacks(target.fragment):
            return None
        if target.path == path and (anchors.is_piece or is_piece(path)):
            return None  # it is put into a page that may have it
        if mention.raw.startswith("#") and path.endswith((*ASCIIDOC, *MYST)):
            labels = self.labels_of(path)  # of files that are put together, or of a project of MyST's
            others_count = path.endswith(ASCIIDOC) or project_folder(path, self.tree) is not None
            if others_count and (labels is None or not labels.lacks(target.fragment)):
                return None
        near = None if mention.raw.startswith("[[") else anchors.near(target.fragment)
        instead = mention.raw.partition("#")[0] + f"#{near}" if near else None
        message = f"{mention.raw}: {target.path} has no such heading or id"
        subject = f"{target.path}#{target.fragment}"
        found = _finding(RuleCode.ANCHOR_MISSING, path, mention, message, subject, instead)
        return found._replace(is_certain=is_certain_place(target, anchors, self.tree, self._sites))

    def _of_label(self, path: str, mention: Mention) -> LocalFinding | None:
        label, labels = mention.raw.removeprefix(REF), self.labels_of(path)
        if labels is None or not labels.lacks(label):
            return None
        written = _as_written(mention)
        message = f"{written.raw}: no document of the project has such a label"
        return _finding(RuleCode.ANCHOR_MISSING, path, written, message, f"label {label}", labels.near(label))


def _of_mail(path: str, mention: Mention) -> LocalFinding | None:
    problem = None if is_template(mention.raw) else mail_problem(mention.raw)
    if problem is None:
        return None
    return _finding(RuleCode.MAIL_MALFORMED, path, mention, f"{mention.raw}: {problem}", mention.raw, None)


def _as_written(mention: Mention) -> Mention:
    if mention.raw.startswith(WIKI):
        return mention._replace(raw=f"[[{mention.raw.removeprefix(WIKI)}]]")
    role = role_of(mention.raw)
    return mention._replace(raw=f"{role}`{mention.raw.removeprefix(role)}`") if role else mention


def _finding(
    code: RuleCode, path: str, mention: Mention, message: str, subject: str, instead: str | None
) -> LocalFinding:
    finding = ReportFinding(
        code,
        path,
        message,
        subject,
        mention.raw,
        standing=_STANDINGS.get(code, Standing.SUSPECT),
        place=FindingPlace.of(mention),
        suggestion=Suggestion(SuggestionKind.REPLACE, instead) if instead else None,
    )
    return LocalFinding(finding)
