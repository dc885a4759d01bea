"""What a URL said, version by version: its captures, what each brought; value, JSON, words.

1. A mirror may keep pages apart that have one key: `?a=1&b=2` and `?b=2&a=1` under `site`. Their captures
   are all told; versions are those of the page that was asked for by its own address, else of the one that
   was seen last.
2. A page is told with its versions as events, the latest first.
3. What was merged with a URL is told, and why (MIR-8). The sections that moved stand below the page that
   they are of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Final

from holdfast.core.base.figures import rows, short, when
from holdfast.core.base.hashing import UrlKey, url_key
from holdfast.core.base.json_shape import (
    BOOLEAN,
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
)
from holdfast.core.base.shown_text import harmless
from holdfast.core.base.values import dataclass
from holdfast.core.events.happenings import Occurrence, PageChange, page_event
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.lineage.ledger_values import AliasReason, NamedAlias, Observation, Tombstone
from holdfast.core.lineage.lineage import Item, Job
from holdfast.core.lineage.versions import PageVersion, numbering_recipe, page_key, versions_of
from holdfast.core.page.section import KeptSection, SectionChange, SectionKind, SectionMove, moves_between
from holdfast.core.url.compiled import canonical_text
from holdfast.core.url.policy import Policy, Recipe, policy_of
from holdfast.core.url.redaction import shown
from holdfast.questions.rows.resolve_target import find_url

if TYPE_CHECKING:
    from holdfast.questions.rows.question import Paint
    from holdfast.storage.ledger.ledger import Ledger


@dataclass(frozen=True, slots=True)
class PageHistory:
    """A URL's captures, the oldest first, and whether it was forgotten. Where it is only another name of a
    page, the captures are that page's; `names` tell what was merged with it, and why. `sections` tell, by the
    ids of captures that brought another version, which sections that moved. Where a mirror keeps several
    pages that `web` calls one place, the captures are those of all; `meant` has the key of the one that was
    asked for. `mirrors` are the recipes of the mirrors that have the page.
    """

    url: str
    web_key: UrlKey
    observations: tuple[Observation, ...]
    forgotten: tuple[Tombstone, ...] = ()
    names: tuple[NamedAlias, ...] = ()
    sections: Mapping[str, tuple[SectionMove, ...]] = field(default_factory=dict)
    meant: Mapping[Recipe, UrlKey] = field(default_factory=dict)
    mirrors: tuple[Recipe, ...] = ()

    @property
    def alias_of(self) -> tuple[NamedAlias, ...]:
        """What this URL is another name of, in each mirror that has it."""
        return tuple(named for named in self.names if named.alias.place.web_key == self.web_key)

    @property
    def other_names(self) -> tuple[NamedAlias, ...]:
        """The other names of this URL."""
        return tuple(named for named in self.names if named.alias.place.web_key != self.web_key)

    @property
    def recipe(self) -> Recipe | None:
        """The recipe (normalization version) by which its versions are numbered."""
        return numbering_recipe(self.observations, self.mirrors)

    @property
    def versions(self) -> tuple[PageVersion, ...]:
        """The versions under that recipe, numbered from 1."""
        return self.versions_under(self.recipe)

    def versions_under(self, recipe: Recipe | None) -> tuple[PageVersion, ...]:
        """The versions under a recipe."""
        return versions_of(self.observations, recipe, self.meant.get(recipe)) if recipe else ()


NOT_MODIFIED: Final = 304
AS_CITED: Final = Recipe.parse("http_snapshot_url_v1_text_v1")


def history(ledger: Ledger, policy: Policy, /, url: str, recipe: Recipe | None = None) -> PageHistory:
    """A URL's captures, the oldest first; with a recipe only what was made by it. Of another name of a page,
    those of the page.
    """
    canonical, key = find_url(ledger, url, policy)
    names = ledger.pages.names_of(key)
    own_key = key_of_page(ledger, key, names)
    found = tuple(ledger.history.of_url(own_key, recipe))
    forgotten = tuple(stone for stone in ledger.forgetting.tombstones() if stone.place.web_key == key)
    return PageHistory(
        canonical,
        key,
        found,
        forgotten,
        names,
        sections=_moved(ledger, found),
        meant=_meant(found, url),
        mirrors=_mirror_recipes(ledger, own_key),
    )


def versions_seen(
    ledger: Ledger, key: UrlKey, url: str, found: tuple[Observation, ...]
) -> tuple[PageVersion, ...]:
    """The versions that observations of a page show; `url` is as it was asked for."""
    mirrors = _mirror_recipes(ledger, key)
    return PageHistory(url, key, found, meant=_meant(found, url), mirrors=mirrors).versions


def _mirror_recipes(ledger: Ledger, key: UrlKey) -> tuple[Recipe, ...]:
    """The recipes of the mirrors that have a page."""
    labels = dict.fromkeys(file.label for file in ledger.pages.mirrored(key))
    runs = (next(ledger.runs.latest_first(label=label, job=Job.MIRROR), None) for label in labels)
    return tuple(run.run.recipe for run in runs if run is not None)


def key_of_page(ledger: Ledger, key: UrlKey, names: tuple[NamedAlias, ...]) -> UrlKey:
    """Where the captures are: at the URL itself, if it ever showed a page, else at the page that it names."""
    met = {key}
    while all(observation.item is None for observation in ledger.history.of_url(key)):
        targets = [n.alias.target.web_key for n in names if n.alias.place.web_key == key]
        if not targets or targets[0] in met:
            break
        key = targets[0]
        met.add(key)
        names = ledger.pages.names_of(key)
    return key


def _meant(observations: Iterable[Observation], text: str) -> dict[Recipe, UrlKey]:
    """Which page is meant where several of one recipe have the key."""
    pages: dict[Recipe, list[UrlKey]] = {}
    for item in (observation.item for observation in observations):
        if item is not None:
            pages.setdefault(item.recipe, []).append(page_key(item))
    found: dict[Recipe, UrlKey] = {}
    for recipe, keys in pages.items():
        if len(set(keys)) > 1:
            asked = _form(text, recipe)
            found[recipe] = asked if asked in keys else keys[-1]
    return found


def _form(text: str, recipe: Recipe) -> UrlKey | None:
    """The key of a text by the policy of a recipe."""
    policy = policy_of(recipe.url) if recipe.url else None
    form = canonical_text(policy)(text) if policy else None
    return url_key(form) if isinstance(form, str) else None


def captures_of_others(seen: Iterable[Observation], text: str) -> set[str]:
    """The captures that show other pages of a mirror than the one that was asked for."""
    meant = _meant(seen, text)
    shown = [(o.capture.capture_id, o.item) for o in seen if o.item is not None and o.item.recipe in meant]
    own = {name for name, item in shown if item.place.key == meant[item.recipe]}
    return {name for name, _ in shown} - own


def _moved(ledger: Ledger, found: Iterable[Observation]) -> dict[str, tuple[SectionMove, ...]]:
    """Which sections of its page each capture moved that showed something else than the one before, under one
    recipe.
    """
    last: dict[tuple[Recipe, UrlKey], Item] = {}
    pairs: dict[str, tuple[Item, Item]] = {}
    for observation in found:
        item = observation.item
        if item is None:
            continue
        before = last.get((item.recipe, page_key(item)))
        last[item.recipe, page_key(item)] = item
        if before is not None and before.item_id != item.item_id:
            pairs[observation.capture.capture_id] = (before, item)
    sections = ledger.sections.of_items({item.item_id for pair in pairs.values() for item in pair})
    return {name: _section_moves(sections, *pair) for name, pair in pairs.items()}


def section_moves(ledger: Ledger, before: Item, now: Item) -> tuple[SectionMove, ...]:
    """Which sections differ between two items of a page; none where the ledger has those of one alone."""
    return _section_moves(ledger.sections.of_items((before.item_id, now.item_id)), before, now)


def _section_moves(
    sections: Mapping[str, tuple[KeptSection, ...]], before: Item, now: Item
) -> tuple[SectionMove, ...]:
    old, new = (sections.get(item.item_id, ()) for item in (before, now))
    if not old or not new:
        return ()
    return moves_between(now.place, old, new)


def version_events(known: PageHistory, recipe: Recipe | None = None) -> tuple[Occurrence, ...]:
    """What happened to one page: its versions, the latest first; under a recipe, or that by which they are
    numbered.
    """
    versions = known.versions_under(recipe) if recipe else known.versions
    found = [
        PageChange(
            EventKind.CHANGED if old else EventKind.NEW,
            version,
            old,
            moved=known.sections.get(version.capture.capture_id, ()),
        )
        for version, old in zip(versions, (None, *versions), strict=False)
    ]
    return tuple(page_event(change, "") for change in reversed(found))


def section_states(ledger: Ledger, versions: Sequence[PageVersion], anchor: str) -> frozenset[int]:
    """The versions in which a section, with all that is below it, says something else than before."""
    kept = ledger.sections.of_items({version.item.item_id for version in versions})
    before, found = None, set[int]()
    for version in versions:
        sections = kept.get(version.item.item_id, ())
        top = next((each.path for each in sections if each.anchor == anchor), None)
        inside = [each for each in sections if top and each.path[: len(top)] == top]
        text = tuple(each.content for each in inside) or None
        if text != before:
            found.add(version.number)
        before = text
    return frozenset(found)


class _HistoryLine:
    """An observation with the sections that it moved."""

    def __init__(self, found: PageHistory, one: Observation) -> None:
        self.capture, self.item, self.is_new = one.capture, one.item, one.is_new
        self.sections = found.sections.get(one.capture.capture_id, ())


def _of_item(name: str, shape: Shape) -> Shape:
    """Something of an observation's item; null where the capture showed none."""
    return optional(Shape(shape.schema, lambda item: shape.encode(getattr(item, name))))


NAMES: Final = described(
    array(
        record(
            label=TEXT,
            url=at("alias.place.url", WEB_URL),
            duplicate_of=at("alias.target.url", WEB_URL),
            reason=at("alias.reason", one_of(AliasReason)),
            detail=at("alias.detail", TEXT),
        )
    ),
    "What was merged with the URL, in which mirror, and why: names of the page that it is, or names of it.",
)
SECTION: Final = record(
    id=TEXT,
    url=WEB_URL,
    anchor=at("section.anchor", TEXT),
    headings=at("section.path", array(TEXT)),
    name=at("section.name", optional(TEXT)),
    kind=at("section.kind", one_of(SectionKind)),
    change=one_of(SectionChange),
    old_content=at(lambda move: move.old and move.old.content, optional(TEXT)),
    new_content=at(lambda move: move.new and move.new.content, optional(TEXT)),
)
SECTIONS: Final = described(
    array(SECTION),
    "Which sections differ from the version before, by the ledger: none of a page that is new, or whose"
    " sections an earlier Holdfast did not write (`holdfast store reprocess` does).",
)

CAPTURES: Final = at(
    lambda found: [_HistoryLine(found, one) for one in found.observations],
    array(
        record(
            capture_id=at("capture.capture_id", HASH),
            run_id=at("capture.run_id", HASH),
            fetched_at=at("capture.fetched_at", DATE_TIME),
            url=at("capture.url", WEB_URL),
            final_url=at("capture.final_url", WEB_URL),
            canonical_url=at("capture.place.url", WEB_URL),
            status=at("capture.status", INTEGER),
            content_type=at("capture.content_type", TEXT),
            payload_sha256=at("capture.payload_sha256", optional(HASH)),
            item_id=at("item", _of_item("item_id", HASH)),
            content_sha256=at("item", _of_item("content_sha256", HASH)),
            normalization_version=at("item", _of_item("recipe", RECIPE)),
            title=at("item", _of_item("title", TEXT)),
            new=at("is_new", BOOLEAN),
            sections=SECTIONS,
        )
    ),
)


_WHY: Final = {
    AliasReason.REDIRECT: "it redirects there",
    AliasReason.CANONICAL_LINK: "its canonical link names that page",
    AliasReason.REFRESH: "it refreshes to that page",
    AliasReason.SAME_CONTENT: "it has the same content",
    AliasReason.MOVED: "the mirror moved to another policy",
}


def name_lines(names: Iterable[NamedAlias]) -> Iterator[str]:
    """One line for each alias: which name, of which page, in which mirror, and why."""
    for label, alias in names:
        why = f"{_WHY[alias.reason]} ({alias.detail})" if alias.detail else _WHY[alias.reason]
        mirror = "" if label == "." else f" in {label}"
        yield f"{shown(alias.place.url)} is another name of {shown(alias.target.url)}{mirror}: {why}"


MOST: Final = 12
"""Sections that are listed below one page."""


def move_lines(moves: Sequence[SectionMove], paint: Paint, indent: str = "    ") -> Iterator[str]:
    """A line a section: what became of it, its anchor, its titles."""
    first = moves[:MOST]
    for line in rows([(str(m.change), f"#{harmless(m.section.anchor)}", titles_of(m)) for m in first]):
        yield paint(indent + line, "dim")
    if len(moves) > MOST:
        yield paint(f"{indent}and {len(moves) - MOST} more sections", "dim")


def titles_of(move: SectionMove) -> str:
    """The titles from the page's down to the section's own; the name of an API entry goes before."""
    section = move.section
    return harmless(" › ".join((*section.path[:-1], section.name or "".join(section.path[-1:]))))


def version_lines(known: PageHistory, events: Iterable[Occurrence], paint: Paint) -> Iterator[str]:
    """A table of versions, the latest first, and of the looks between them that showed no page; below each
    version the sections that differ from the one before.
    """
    places = {seen.capture.capture_id: n for n, seen in reversed(list(enumerate(known.observations)))}
    told: list[tuple[int, tuple[str, ...], Occurrence | None]] = []
    for event in events:
        if event.page is not None:
            now = event.page.now
            facts = (when(now.first_seen), when(now.last_seen), str(now.capture.status), str(event.kind))
            ids = (short(now.item.content_sha256), short(now.item.run_id), harmless(event.title))
            told.append((places.get(now.capture.capture_id, 0), (f"v{now.number}", *facts, *ids), event))
    for place, run in _looks_without_page(known.observations):
        first, last = run[0].capture, run[-1].capture
        facts = (when(first.fetched_at), when(last.fetched_at), str(first.status), "-")
        told.append((place, ("-", *facts, "-", short(first.run_id), harmless(first.content_type)), None))
    told.sort(key=lambda row: row[0], reverse=True)
    heads = ("VERSION", "FIRST SEEN", "LAST SEEN", "STATUS", "", "CONTENT", "RUN", "TITLE")
    head, *lines = rows([heads, *(row for _, row, _ in told)])
    yield paint(head, "bold")
    for line, (_, _, of_version) in zip(lines, told, strict=True):
        yield line if of_version else paint(line, "dim")
        if of_version and of_version.page:
            yield from move_lines(of_version.page.moved, paint)


def _looks_without_page(seen: Sequence[Observation]) -> Iterator[tuple[int, list[Observation]]]:
    """The looks, one after the other, that showed no page and had one status, with the place of the first."""
    begun: list[Observation] = []
    for place, one in enumerate(seen):
        if begun and (one.item is not None or one.capture.status != begun[0].capture.status):
            yield place - len(begun), begun
            begun = []
        begun = begun if one.item is not None else [*begun, one]
    if begun:
        yield len(seen) - len(begun), begun
