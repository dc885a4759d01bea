"""The pictures of the documentation, made of code: boxes, arrows and words as SVG (`docs/pictures/*.svg`).

A picture is a list of shapes; `Picture` places them on a grid and writes one file that is readable in light
and dark and names itself for those who cannot see it.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from holdfast.core.links.link_state import LinkState, Standing

CELL_WIDTH, CELL_HEIGHT = 158, 66
BOX_WIDTH, BOX_HEIGHT = 132, 44
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:currentColor}.small{font-size:11px;opacity:.75}"
    "rect{fill:none;stroke:currentColor;rx:6}.kept{stroke-width:2.5}.dashed{stroke-dasharray:5 4}"
    "path{fill:none;stroke:currentColor;marker-end:url(#tip)}#tip path{fill:currentColor;stroke:none}"
)
TIP = (
    '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 8 4 0 8z"/></marker>'
)


class Picture:
    """Boxes on a grid, and arrows between them."""

    def __init__(self, title: str, columns: int, rows: int) -> None:
        self._title = title
        self._size = columns * CELL_WIDTH + 20, rows * CELL_HEIGHT + 20
        self._shapes: list[str] = []

    def box(self, column: float, row: float, words: str, under: str = "", kind: str = "") -> None:
        """A box with one line of words, and a smaller one under it."""
        x, y = self._place(column, row)
        self._shapes.append(
            f'<rect class="{kind}" x="{x}" y="{y}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}"/>'
        )
        self._words(x + BOX_WIDTH / 2, y + (20 if under else 27), words)
        if under:
            self._words(x + BOX_WIDTH / 2, y + 36, under, "small")

    def arrow(self, start: tuple[float, float], end: tuple[float, float], words: str = "") -> None:
        """An arrow from box to box, with words beside it."""
        (x1, y1), (x2, y2) = self._place(*start), self._place(*end)
        across = abs(x2 - x1) >= abs(y2 - y1)
        half_x, half_y = BOX_WIDTH / 2, BOX_HEIGHT / 2
        if across:
            step = half_x if x2 > x1 else -half_x
            points = (x1 + half_x + step, y1 + half_y, x2 + half_x - step, y2 + half_y)
        else:
            step = half_y if y2 > y1 else -half_y
            points = (x1 + half_x, y1 + half_y + step, x2 + half_x, y2 + half_y - step)
        self._shapes.append('<path d="M{:.0f} {:.0f}L{:.0f} {:.0f}"/>'.format(*points))
        if words:
            middle = (points[0] + points[2]) / 2, (points[1] + points[3]) / 2
            self._words(
                middle[0] + (0 if across else 8), middle[1] - (6 if across else -4), words, "small", across
            )

    def note(self, column: float, row: float, words: str) -> None:
        """Words without a box."""
        x, y = self._place(column, row)
        self._words(x, y + 27, words, "small", centred=False)

    def written(self) -> str:
        """The picture as a file."""
        width, height = self._size
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'role="img" color="#557"><title>{escape(self._title)}</title><style>{STYLE}</style>{TIP}\n'
            + "\n".join(self._shapes)
            + "\n</svg>\n"
        )

    def _place(self, column: float, row: float) -> tuple[float, float]:
        return 10 + column * CELL_WIDTH, 10 + row * CELL_HEIGHT

    def _words(self, x: float, y: float, words: str, kind: str = "", centred: bool = True) -> None:  # noqa: FBT001, FBT002
        anchor = ' text-anchor="middle"' if centred else ""
        self._shapes.append(f'<text class="{kind}" x="{x:.0f}" y="{y:.0f}"{anchor}>{escape(words)}</text>')


def corridor() -> str:
    """From a URL to a file."""
    picture = Picture("One page's way: from a URL to archive, ledger and a Markdown file", 6, 3)
    steps = (
        ("frontier", "which URL, when?"),
        ("fetch", "polite, guarded"),
        ("archive", "the raw bytes first"),
        ("distill", "text, links, Markdown"),
        ("ledger", "new? changed?"),
        ("folder", "page, sidecar, index"),
    )
    for column, (name, under) in enumerate(steps):
        picture.box(column, 1, name, under, "kept" if name in ("archive", "ledger") else "")
        if column:
            picture.arrow((column - 1, 1), (column, 1))
    picture.box(0, 0, "a URL", "as typed")
    picture.arrow((0, 0), (0, 1), "canonical form")
    picture.arrow((4, 1), (4, 2))
    picture.box(4, 2, "links found", "join the frontier")
    picture.arrow((4, 2), (0.1, 2))
    picture.box(0, 2, "next URL")
    picture.arrow((0, 2), (0, 1))
    picture.note(5, 2, "can always be rebuilt")
    return picture.written()


def link_states() -> str:
    """What a look at a link can find, and what that means."""
    columns = list(Standing)
    states = {standing: [s for s in LinkState if s.standing is standing] for standing in columns}
    rows = max(map(len, states.values()))
    picture = Picture("The states of a link, by what they mean", len(columns), rows + 2)
    for column, standing in enumerate(columns):
        picture.box(column, 0, standing.value, "", "kept")
        for row, state in enumerate(states[standing], 1):
            picture.box(column, row, state.value.replace("_", " "), state.code or "", "dashed")
    dead = columns.index(Standing.DEAD)
    suspect = columns.index(Standing.SUSPECT)
    picture.arrow((suspect, 0), (dead, 0))
    picture.note(dead, 0.6, "when confirmed:")
    picture.note(dead, 1, "404, 410: second look")
    picture.note(dead, 1.4, "others: 3 looks in 48 h")
    return picture.written()


def update() -> str:
    """What an update asks about a page."""
    picture = Picture("What `mirror --update` asks about each page", 4, 5)
    picture.box(0, 0, "sitemap has it?")
    picture.box(1.3, 0, "lastmod newer?", "than our copy")
    picture.box(2.7, 0, "fetch it again", "", "kept")
    picture.arrow((0, 0), (1.3, 0), "yes, dated")
    picture.arrow((1.3, 0), (2.7, 0), "yes")
    picture.box(1.3, 1.5, "no request", "", "kept")
    picture.arrow((1.3, 0), (1.3, 1.5), "no")
    picture.box(0, 1.5, "ask if it changed", "If-None-Match …")
    picture.arrow((0, 0), (0, 1.5), "yes, not dated")
    picture.box(0, 3, "304: unchanged", "", "kept")
    picture.box(1.3, 3, "200: compare texts")
    picture.arrow((0, 1.5), (0, 3))
    picture.arrow((0, 1.5), (1.3, 3))
    picture.box(2.7, 3, "new version, or", "the same text")
    picture.arrow((1.3, 3), (2.7, 3))
    picture.box(2.7, 1.5, "gone from the list", "marked, kept", "dashed")
    picture.note(2.7, 2.1, "deleted by --delete-gone only")
    return picture.written()


def state() -> str:
    """Where state lives."""
    picture = Picture("Where state lives: a mirror's own folder, or the root that has a holdfast.toml", 4, 4)
    picture.box(0, 0, "docs-mirror/", "a mirror by itself")
    picture.box(0, 1.2, ".holdfast/", "its ledger, its archive", "kept")
    picture.arrow((0, 0), (0, 1.2))
    picture.box(2, 0, "project/", "holdfast.toml")
    picture.box(2, 1.2, ".holdfast/", "one ledger, one archive", "kept")
    picture.box(1.5, 2.6, "docs-mirror/", "a mirror in it")
    picture.box(2.5, 2.6, "notes/", "documents that cite")
    picture.arrow((2, 0), (2, 1.2))
    picture.arrow((1.6, 2.6), (1.6, 1.2))
    picture.arrow((2.4, 2.6), (2.4, 1.2))
    picture.note(3.1, 1.2, "mirror and citations join")
    picture.arrow((0, 1.2), (2, 1.2), "holdfast store join docs-mirror")
    return picture.written()


def pictures() -> dict[str, Callable[[], str]]:
    """What makes each picture, by its path."""
    return {f"docs/pictures/{name}.svg": make for name, make in _PICTURES.items()}


_PICTURES: dict[str, Callable[[], str]] = {
    "corridor": corridor,
    "link-states": link_states,
    "update": update,
    "state": state,
}
