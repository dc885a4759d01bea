"""What changed between two versions of a page: question, JSON, words, HTML.

The versions are from the ledger, their Markdown from the archive, made anew. Nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Final, NamedTuple

from holdfast.core.base.difference import compare
from holdfast.core.base.figures import when
from holdfast.core.base.json_shape import (
    DATE_TIME,
    HASH,
    INTEGER,
    RECIPE,
    TEXT,
    WEB_URL,
    Schema,
    array,
    at,
    described,
    one_of,
    optional,
    record,
)
from holdfast.core.lineage.versions import PageVersion, choose
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.page.section import SectionChange
from holdfast.core.url.policy import Recipe
from holdfast.core.url.redaction import shown
from holdfast.questions.log.compare import PageDiff, changed_sections, diff_table, hunk_lines
from holdfast.questions.log.kept_page import page_of_version

if TYPE_CHECKING:
    from holdfast.questions.log.page_log import PageHistory
    from holdfast.questions.rows.question import Paint
    from holdfast.storage.store_ports import Archive


class VersionPair(NamedTuple):
    """Two versions, by number, date or run: by default the last two, with one that and the last.

    Versions of one recipe are compared (VER-4): by default the latest.
    """

    old: str | None = None
    new: str | None = None
    recipe: Recipe | None = None

    def of(self, known: PageHistory) -> tuple[PageVersion, PageVersion] | None:
        """The versions; None where nothing is known under that recipe."""
        versions = known.versions_under(self.recipe or known.recipe)
        if not versions:
            return None
        if self.old is None:
            return versions[max(len(versions) - 2, 0)], versions[-1]
        return choose(versions, self.old), choose(versions, self.new) if self.new else versions[-1]


def page_diff(
    archive: Archive, known: PageHistory, pair: VersionPair, options: DistillOptions, context: int = 3
) -> PageDiff | None:
    """What changed between two versions of a URL; None where nothing is known of it."""
    chosen = pair.of(known)
    if chosen is None:
        return None
    old, new = chosen
    before, after = (page_of_version(archive, version, replace(options, outline=True)) for version in chosen)
    hunks = compare(before.markdown, after.markdown, max(context, 0))
    return PageDiff(known.url, old, new, hunks, changed_sections(before, after, hunks))


_VERSION: Final = record(
    number=INTEGER,
    item_id=at("item.item_id", HASH),
    content_sha256=at("item.content_sha256", HASH),
    title=at("item.title", TEXT),
    first_seen=DATE_TIME,
    last_seen=DATE_TIME,
    run_id=at("item.run_id", HASH),
)
_LINE: Final = record(mark=at(lambda line: line[0], one_of("-+ ")), text=at(lambda line: line[1], TEXT))

DIFF: Final = Schema(
    "diff",
    "What `holdfast diff URL --json` prints.",
    record(
        url=WEB_URL,
        normalization_version=at("new.item.recipe", RECIPE),
        a=at("old", _VERSION),
        b=at("new", _VERSION),
        added=INTEGER,
        removed=INTEGER,
        sections=described(
            array(
                record(
                    headings=array(TEXT),
                    anchor=optional(TEXT),
                    change=one_of(SectionChange),
                    added=INTEGER,
                    removed=INTEGER,
                )
            ),
            "The sections that the changed lines belong to, each named by the headings that hold it.",
        ),
        hunks=array(
            record(
                old_start=INTEGER,
                old_count=INTEGER,
                new_start=INTEGER,
                new_count=INTEGER,
                lines=array(_LINE),
            )
        ),
    ),
)


def diff_lines(found: PageDiff, paint: Paint) -> Iterator[str]:
    """Two versions of a page, compared line by line."""
    url, old, new = shown(found.url), found.old, found.new
    yield paint(f"--- {url}  version {old.number}, {when(old.first_seen)}", "bold")
    yield paint(f"+++ {url}  version {new.number}, {when(new.first_seen)}", "bold")
    yield from hunk_lines(found.hunks, paint)


def diff_html(found: PageDiff) -> Iterator[str]:
    """Two versions of a page, compared, as the body of an HTML page."""
    url, old, new = escape(found.url), found.old, found.new
    yield f'<p><a href="{url}" rel="noreferrer">{url}</a></p>\n'
    yield f"<p>Version {old.number}, first seen {when(old.first_seen)} UTC, and version {new.number}, "
    yield f"first seen {when(new.first_seen)} UTC.</p>\n"
    yield from diff_table(found.hunks) if found.hunks else ["<p>No difference.</p>\n"]
