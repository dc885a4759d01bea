"""How values look on a page: times, sizes, counts, addresses, and small charts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from holdfast.core.base.difference import Piece
from holdfast.core.lineage.versions import PageVersion
from holdfast.core.url.redaction import shown as told
from holdfast.faces.web.safe_markdown import quiet, slug

if TYPE_CHECKING:
    from holdfast.questions.log.compare import ComparedSection

_STEPS: Final = ((60, 1, "s"), (3600, 60, "min"), (86_400, 3600, "h"), (2_592_000, 86_400, "d"))
_DAY: Final = 86_400
_UNITS: Final = ("B", "KB", "MB", "GB", "TB")
_WIDE, _ENDS, _GAP, _DOTS = 600, 10, 18, 32
"""A line of time: its width, the room at its ends, how near its dots may be, how many there are at most."""


def environment() -> Environment:
    """The templates: everything is escaped, and no text of the outside turns its surroundings around."""
    made = Environment(
        loader=PackageLoader("holdfast.faces.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
        auto_reload=False,
    )
    made.filters |= {
        "ago": ago,
        "size": size,
        "count": count,
        "short": short,
        "pieces": pieces,
        "host": host,
        "slug": slug,
        "told": told,
        "day": day,
        "coded": coded,
    }
    made.globals |= {"sparkline": sparkline, "folded": folded, "time_line": time_line}
    return made


def _finalize(value: Any) -> Any:
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return quiet(value)


def coded(text: str) -> Markup:
    """A sentence of ours in which commands stand between backticks."""
    parts = [quiet(part) for part in text.split("`")]  # escaped when they are joined
    if len(parts) % 2 == 0:
        return Markup("`").join(parts)
    marks = (Markup("<code>{}</code>").format(part) if n % 2 else part for n, part in enumerate(parts))
    return Markup("").join(marks)


def address(*path: str, **query: str | int | None) -> str:
    """An address of this server: parts of a path, and what is asked."""
    asked = {name.rstrip("_"): value for name, value in query.items() if value not in (None, "")}
    return "/" + "/".join(path) + (f"?{urlencode(asked)}" if asked else "")


DATED: Final = frozenset({"page", "pages", "search", "runs", "changes"})
"""The pages of a store that can be asked for as of a day."""
OF_TODAY: Final = frozenset({"links", "link", "documents", "document", "graph", "page-links"})
"""Those that know of today alone. They keep the day that somebody looks at, and say what they show."""


def address_at(day: str, /, *path: str, **query: str | int | None) -> str:
    """An address that keeps to a day, where what it shows is of one, or says that it is not."""
    is_dated = path == ("",) or (len(path) == 3 and path[2] in DATED | OF_TODAY)
    if day and is_dated and not query.keys() & {"at", "version"}:
        query["at"] = day
    return address(*path, **query)


def ago(moment: datetime | None, now: datetime | None = None) -> Markup:
    """A time as people say it, with the exact one behind it."""
    if moment is None:
        return Markup("<span class=quiet>never</span>")
    exact = moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    stamp = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Markup('<time datetime="{}" title="{}">{}</time>').format(stamp, exact, _ago(moment, now))


def day(moment: datetime) -> str:
    """A day as people say it."""
    return f"{moment.day} {moment:%B %Y}"


def _ago(moment: datetime, now: datetime | None) -> str:
    seconds = ((now or datetime.now(UTC)) - moment).total_seconds()
    if 0 <= seconds < 10:
        return "just now"
    if not 0 <= seconds < 30 * _DAY:
        return day(moment)
    if _DAY <= seconds < 2 * _DAY:
        return "yesterday"
    unit, word = next((unit, word) for limit, unit, word in _STEPS if seconds < limit)
    return f"{int(seconds // unit)} {word} ago"


def size(number: int) -> str:
    """Bytes as people say them."""
    amount, unit = float(number), 0
    while amount >= 1000 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.0f} {_UNITS[unit]}" if unit == 0 or amount >= 100 else f"{amount:.1f} {_UNITS[unit]}"


def count(number: int) -> str:
    """A count with its thousands apart."""
    return f"{number:,}"


def short(text: str, length: int = 12) -> str:
    """The beginning of an id."""
    return text[:length]


def host(url: str) -> str:
    """The host of a URL."""
    return url.partition("://")[2].partition("/")[0]


def pieces(row: Sequence[Piece], tag: str) -> Markup:
    """A line with the words that differ marked."""
    return Markup("").join(
        Markup(f"<{tag}>{{}}</{tag}>").format(quiet(piece.text)) if piece.is_changed else quiet(piece.text)
        for piece in row
    )


def folded(sections: Iterable[ComparedSection]) -> list[tuple[str, list[ComparedSection]]]:
    """Sections that changed one by one; those between them together."""
    found: list[tuple[str, list[ComparedSection]]] = []
    for section in sections:
        if section.change is not None:
            found.append(("changed", [section]))
        elif found and found[-1][0] == "same":
            found[-1][1].append(section)
        else:
            found.append(("same", [section]))
    return found


def sparkline(values: Sequence[int], words: str) -> Markup:
    """A small chart: one bar for each value, the last at the right; `words` say what it shows."""
    if not values:
        return Markup("")
    top = max(*values, 1)
    bars = "".join(
        f'<rect x="{5 * n}" y="{20 - high}" width="4" height="{high}"/>'
        for n, value in enumerate(values)
        for high in [max(1, round(20 * value / top))]
    )
    label = escape(f"{words}: {', '.join(map(str, values))}")
    return Markup(  # numbers and an escaped label
        f'<svg class=spark role=img viewBox="0 0 {5 * len(values)} 20" width="{5 * len(values)}" height="20">'
        f"<title>{label}</title>{bars}</svg>"
    )


def time_line(versions: Sequence[PageVersion], current: int, where: Callable[[int], str]) -> Markup:
    """Versions as dots where they were first seen on a line of time; each leads to itself (`where`). Dots
    that would lie on each other stand beside each other; of very many the last ones are shown.
    """
    shown = versions[-_DOTS:]
    first, last = shown[0].first_seen, shown[-1].last_seen
    whole = max((last - first).total_seconds(), 1.0)
    places = [_ENDS + (_WIDE - 2 * _ENDS) * (one.first_seen - first).total_seconds() / whole for one in shown]
    dots = []
    for one, x in zip(shown, _apart(places), strict=True):
        words = escape(f"version {one.number}, first seen {one.first_seen:%Y-%m-%d %H:%M} UTC")
        now, size = (' aria-current="true" class="now"', 8) if one.number == current else ("", 6)
        dots.append(
            f'<a href="{escape(where(one.number))}" aria-label="{words}"{now}><title>{words}</title>'
            f'<circle cx="{x:.0f}" cy="12" r="{size}"/></a>'
        )
    return Markup(  # numbers, and texts that are escaped
        f'<svg class="time" role="group" aria-label="versions" viewBox="0 0 {_WIDE} 24">'
        f'<line x1="{_ENDS}" y1="12" x2="{_WIDE - _ENDS}" y2="12"/>{"".join(dots)}</svg>'
    )


def _apart(places: Sequence[float]) -> list[float]:
    """The same order of places, none nearer to the next than dots are wide, all on the line."""
    apart = list(places)
    for number in range(1, len(apart)):
        apart[number] = max(apart[number], apart[number - 1] + _GAP)
    last = float(_WIDE - _ENDS)
    for number in range(len(apart) - 1, -1, -1):
        apart[number] = min(apart[number], last)
        last = apart[number] - _GAP
    return apart
