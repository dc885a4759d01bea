"""`diff`: what changed in a page or a mirror between two moments; what a run brought.

1. A side is what stood up to the end of its moment. A run alone, or `last`, is what it brought; without a
   moment it is the latest change.
2. The answer is of pages, whatever was asked: which came, changed, went; the lines that differ, and the
   sections.
3. A run is told with its failures and with how many pages it found as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, Annotated, Any

from holdfast import questions
from holdfast.core.base.errors import NotKeptError
from holdfast.core.base.figures import ago, counted, short, when
from holdfast.core.base.json_shape import (
    DATE_TIME,
    HASH,
    INTEGER,
    RECIPE,
    TEXT,
    WEB_URL,
    Shape,
    array,
    at,
    described,
    one_of,
    optional,
    record,
    told,
)
from holdfast.core.base.shown_text import harmless
from holdfast.core.base.values import dataclass
from holdfast.core.events.happenings import ChangedSection
from holdfast.core.lineage.lineage import CaptureRecord, RunRecord
from holdfast.core.lineage.versions import PageVersion
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.page.section import SectionChange
from holdfast.core.targets.bound import EVERYTHING, Bound
from holdfast.core.targets.command_target import CommandTarget, TargetKind
from holdfast.core.url.policy import Policy, Recipe
from holdfast.core.url.redaction import shown
from holdfast.questions.log.compare import (
    ComparedRow,
    PageDiff,
    diff_table,
    html_page,
    hunk_lines,
)
from holdfast.questions.log.log_forms import section_links
from holdfast.questions.log.page_log import SECTION, move_lines, titles_of
from holdfast.questions.log.runs import RUN
from holdfast.questions.rows.parameters import LEFT, RIGHT, SINCE, TARGET, UNTIL, Hidden
from holdfast.questions.rows.question import Content, Line, Note, Paint, Saying, StoreAnswers, question

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.store_ports import Archive


@dataclass(frozen=True, slots=True)
class Diff:
    """Pages at two moments; of a mirror or a run those that differ, of a page that page. `since` and `until`
    are the moments where a clock says them. `failed` and `unchanged` are a run's.
    """

    pages: tuple[PageDiff, ...]
    mirror: str | None = None
    run: RunRecord | None = None
    since: datetime | None = None
    until: datetime | None = None
    failed: tuple[CaptureRecord, ...] = ()
    unchanged: int | None = None

    def of(self, change: SectionChange) -> list[PageDiff]:
        """The pages that came, changed, or went."""
        return [page for page in self.pages if page.change is change]


def _differs(found: Diff) -> bool:
    return any(page.change is not None for page in found.pages)


@question(finds=_differs, finds_flag="exit-code", settings=("content",))
def diff(  # noqa: PLR0913 - what a store has stands among them
    ledger: Ledger,
    archive: Archive,
    policy: Policy,
    options: DistillOptions,
    /,
    target: Annotated[
        CommandTarget, TARGET, "a page, a section (URL#name), a mirror, its file, a run, `last`"
    ],
    old: Annotated[Bound, LEFT, "the older moment: a date, `7d`, `last`, `v2`, a run"] = EVERYTHING,
    new: Annotated[Bound, RIGHT, "the newer moment; without it now"] = EVERYTHING,
    *,
    since: Annotated[Bound, SINCE, Hidden("agents"), "from the start of this moment on"] = EVERYTHING,
    until: Annotated[Bound, UNTIL, Hidden("agents"), "with `since`: up to the end of this one"] = EVERYTHING,
    normalization: Annotated[
        Recipe | None, Hidden("agents"), "versions of this normalization version (default: the latest)"
    ] = None,
    context: Annotated[int, Hidden("agents"), "lines around a change"] = 3,
) -> Diff:
    """Show what changed in a page or a mirror between two moments, or what a run brought, as Markdown.
    Nothing is asked: versions are made anew from the archive.

    With one moment that and now are compared; a run alone, or `last`, is what it brought. With none it is the
    latest change. A moment is a date, `7d`, `yesterday`, `last`, a run, a page's version (`v2`), `git:REV`.

    Exit status 0, with `--exit-code` 1 when something differs; 1 when nothing is known of it.

    Example:
        for part in holdfast.diff("https://example.com/page").parts:
            for page in part.value.pages:
                print(page.change, page.url, page.added, page.removed)
    """
    del since, until  # whoever runs the row has read them into both sides
    pages_at = questions.log.page_diffs  # help reads no page
    if target.kind is TargetKind.RUN:
        return _of_run(ledger, archive, options, target.value, context)
    if target.kind is TargetKind.MIRROR:
        differing = pages_at.mirror_at_two(ledger, target.value, (old, new))
        pages = tuple(pages_at.with_lines_if_kept(archive, page, options, context) for page in differing)
        return Diff(pages, target.value, since=_time(old), until=_time(new))
    url, _, fragment = target.value.partition("#")
    page = pages_at.page_at_two(ledger, url, policy, normalization, (old, new))
    found = pages_at.with_lines(archive, page, options, fragment, context)
    return Diff((found,), since=_time(old), until=_time(new))


def _time(side: Bound) -> datetime | None:
    return side.point if isinstance(side.point, datetime) else None


def _of_run(ledger: Ledger, archive: Archive, options: DistillOptions, name: str, context: int) -> Diff:
    """All that a run found."""
    if name == "last":
        run = next((each for each in ledger.runs.latest_first() if each.ended_at), None)
    else:
        run = ledger.runs.run(name)
    if run is None:
        raise NotKeptError("no run has finished here" if name == "last" else f"no run {name[:12]} is kept")
    found = questions.log.page_diffs.run_pages(ledger, run)
    with_lines = questions.log.page_diffs.with_lines_if_kept
    pages = tuple(with_lines(archive, page, options, context) for page in found.pages)
    return Diff(pages, None, run, failed=found.failed, unchanged=found.unchanged)


_VERSION = record(
    number=INTEGER,
    item_id=at("item.item_id", HASH),
    content_sha256=at("item.content_sha256", HASH),
    title=at("item.title", TEXT),
    first_seen=DATE_TIME,
    last_seen=DATE_TIME,
    run_id=at("item.run_id", HASH),
)


@diff.json
def _json() -> Shape:
    line = record(mark=at(lambda line: line[0], one_of("-+ ")), text=at(lambda line: line[1], TEXT))
    hunk = record(
        old_start=INTEGER, old_count=INTEGER, new_start=INTEGER, new_count=INTEGER, lines=array(line)
    )
    page = told(
        PageDiff,
        "url title change normalization_version anchor old new added removed sections touched hunks readable",
        url=WEB_URL,
        normalization_version=at("last.item.recipe", RECIPE),
        old=optional(_VERSION),
        new=optional(_VERSION),
        sections=described(array(SECTION), "The sections that differ, as the ledger knows them."),
        touched=described(
            array(told(ChangedSection, "headings anchor change added removed")),
            "The sections that the changed lines stand in, each named by the headings that hold it.",
        ),
        hunks=array(hunk),
    )
    return told(
        Diff,
        "mirror run since until pages failed unchanged",
        run=optional(RUN),
        pages=array(page),
        failed=array(record(url=WEB_URL, status=INTEGER)),
    )


_ORDER = (SectionChange.CHANGED, SectionChange.NEW, SectionChange.GONE)


def _is_of_one(found: Diff) -> bool:
    return found.mirror is None and found.run is None


@diff.remarks
def _remarks(found: Diff, say: Saying) -> Iterator[str]:
    if _is_of_one(found):
        last = found.pages[0].last
        yield f"{shown(found.pages[0].url)} as last seen {ago(last.last_seen, say.now)}"


@diff.words
def _words(found: Diff, say: Saying) -> Iterator[Line]:
    if _is_of_one(found):
        yield from _page_lines(found.pages[0], say.paint)
        return
    yield say.paint(_title(found), "bold")
    yield _counts(found)
    for change in _ORDER:
        for page in found.of(change):
            yield from _page_of_many(page, say.paint)
    for capture in found.failed:
        yield f"failed  {shown(capture.url)} ({capture.status})"


def _page_lines(page: PageDiff, paint: Paint) -> Iterator[Line]:
    """One page, compared line by line."""
    url, old, new = shown(page.url), page.old, page.new
    if old is None or new is None:
        word = "first" if old is None else "last"
        yield Note(f"{url} {_came_or_went(page)}: version {page.last.number} is the {word} one")
        return
    if not page.hunks:
        is_one = old.number == new.number
        same = "it is the same version" if is_one else "the Markdown is the same"
        yield Note(f"{url}: no difference between version {old.number} and {new.number} ({same})")
        return
    yield paint(f"--- {url}  version {old.number}, {when(old.first_seen)}", "bold")
    yield paint(f"+++ {url}  version {new.number}, {when(new.first_seen)}", "bold")
    yield from hunk_lines(page.hunks, paint)


def _came_or_went(page: PageDiff) -> str:
    return "is new" if page.old is None else "is gone"


def _page_of_many(page: PageDiff, paint: Paint) -> Iterator[str]:
    url = shown(page.url)
    if page.change is SectionChange.GONE:
        yield f"gone  {url}"
        return
    yield ""
    yield paint(f"{page.change}  {harmless(page.title) or url}", "bold")
    lines = f"  (+{page.added} −{page.removed} lines)" if page.hunks else ""
    yield f"  {url}{lines}" + ("" if page.readable else "  (a copy is gone: no lines)")
    if page.change is SectionChange.CHANGED:
        yield from move_lines(page.sections, paint)
    yield from hunk_lines(page.hunks, paint)


def _title(found: Diff) -> str:
    """One line: which run, or which mirror."""
    if found.run is None:
        return f"{found.mirror}"
    run = found.run.run
    return f"{run.label}: {run.job} of {when(run.started_at)} UTC"


def _counts(found: Diff) -> str:
    words = [counted(len(found.of(SectionChange.CHANGED)), "page") + " changed"]
    words += [f"{len(found.of(SectionChange.NEW))} new", f"{len(found.of(SectionChange.GONE))} gone"]
    if found.run is not None:
        words += [f"{len(found.failed)} failed", f"{found.unchanged} unchanged"]
    return ", ".join(words) + "."


@diff.form("html", "one HTML page, complete in itself")
def _html(found: Diff, say: Saying) -> Iterator[Line]:  # noqa: ARG001 - a page has its own colours
    if _is_of_one(found):
        page = found.pages[0]
        sides = " to ".join(str(side.number) for side in (page.old, page.new) if side is not None)
        title, body = f"{page.url}: version {sides}", _html_of_one(page)
    else:
        title, body = _title(found), _html_of_many(found)
    yield Content("".join(html_page(title, body)).rstrip("\n"))


def _html_of_one(page: PageDiff) -> Iterator[str]:
    url, sides = escape(page.url), [side for side in (page.old, page.new) if side is not None]
    yield f'<p><a href="{url}" rel="noreferrer">{url}</a></p>\n'
    yield f"<p>{' and '.join(map(_version_in_words, sides))}.</p>\n"
    if len(sides) == 1:
        yield f"<p>It {_came_or_went(page)}.</p>\n"
    else:
        yield from diff_table(page.hunks) if page.hunks else ["<p>No difference.</p>\n"]


def _version_in_words(version: PageVersion) -> str:
    return f"Version {version.number}, first seen {when(version.first_seen)} UTC"


def _html_of_many(found: Diff) -> Iterator[str]:
    run = f" <span class=quiet>Run {short(found.run.run.run_id)}.</span>" if found.run else ""
    yield f"<p>{escape(_counts(found))}{run}</p>\n"
    for change in (SectionChange.CHANGED, SectionChange.NEW):
        for page in found.of(change):
            url = escape(page.url)
            yield f"<h2>{change.capitalize()}: {escape(page.title or page.url)}</h2>\n"
            lines = f"  (+{page.added} −{page.removed} lines)" if page.hunks else ""
            yield f'<p><a href="{url}" rel="noreferrer">{url}</a>{lines}</p>\n'
            yield from section_links(page.sections if page.change is SectionChange.CHANGED else ())
            yield from diff_table(page.hunks) if page.hunks else ()
    rest = [("Gone", page.url) for page in found.of(SectionChange.GONE)]
    rest += [(f"Failed ({capture.status})", capture.url) for capture in found.failed]
    if rest:
        yield "<ul>\n"
        yield from (f"<li>{word}: {escape(url)}</li>\n" for word, url in rest)
        yield "</ul>\n"


@diff.rows("url", "change", "section", "section_change", "titles")
def _rows(found: Diff) -> Iterable[tuple[Any, ...]]:
    for page in found.pages:
        for move in page.sections:
            yield page.url, page.change, move.url, move.change, titles_of(move)
        if not page.sections and page.change is not None:
            yield page.url, page.change, None, None, None


@diff.tool(
    "What changed in a page, section by section, - before and + after; in a mirror or a run which pages, and "
    "which of their sections. Without `old` and `new`: the last change. Both may be v2, a date, 7d, a run."
)
def _for_agents(answer: StoreAnswers[Diff]) -> dict[str, Any]:
    found = answer.parts[0].value
    if _is_of_one(found):
        return _page_for_agents(found.pages[0])
    pages = [
        {
            "url": page.url,
            "title": harmless(page.title),
            "change": page.change,
            "sections": [move.section.anchor or harmless(titles_of(move)) for move in page.sections],
        }
        for page in found.pages[:_MOST_PAGES]
    ]
    return {"pages": pages, "more": len(found.pages) > _MOST_PAGES}


_MOST_PAGES = 100


def _page_for_agents(page: PageDiff) -> dict[str, Any]:
    sections = [
        {
            "section": " › ".join(map(harmless, section.headings)),
            "anchor": section.anchor,
            "change": section.change,
            "lines": _lines(section.rows),
        }
        for section in page.compared
        if section.change is not None
    ]
    return {
        "url": page.url,
        "old": _version_for_agents(page.old),
        "new": _version_for_agents(page.new),
        "added": page.added,
        "removed": page.removed,
        "sections": sections,
    }


def _version_for_agents(version: PageVersion | None) -> dict[str, Any] | None:
    if version is None:
        return None
    return {
        "version": version.number,
        "first_seen": version.first_seen.isoformat(timespec="seconds"),
        "last_seen": version.last_seen.isoformat(timespec="seconds"),
        "title": harmless(version.item.title),
    }


def _lines(rows: Sequence[ComparedRow]) -> list[str]:
    lines = []
    for row in rows:
        if row.is_changed:
            for mark, side in (("-", row.old), ("+", row.new)):
                if side is not None:
                    lines.append(mark + harmless("".join(piece.text for piece in side)))
    return lines
