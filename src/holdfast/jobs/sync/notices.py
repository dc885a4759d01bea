"""Who is told of what happens, what waits for them, and what was sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdfast.core.base.figures import counted, rows, short, when
from holdfast.core.events.messages import NoticeList
from holdfast.core.lineage.event_kind import Notice

if TYPE_CHECKING:
    from holdfast.questions.rows.question import Paint


def notice_lines(found: NoticeList, paint: Paint) -> Iterator[str]:
    """The targets, what waits for each, and what was sent last."""
    for target in found.targets:
        yield f"{paint(target.name, 'bold')}: by {target.channel}, a message a {target.digest}"
    known = {target.name for target in found.targets}
    for name, runs in found.owed.items():
        unknown = "" if name in known else "; holdfast.toml does not name it any more"
        yield f"{name}: waits for the events of {counted(runs, 'run')}{unknown}"
    if found.unsent:
        yield from _table("WAITS SINCE", found.unsent, paint, is_waiting=True)
    if found.sent:
        yield from _table("SENT", found.sent, paint, is_waiting=False)


def _table(title: str, notices: tuple[Notice, ...], paint: Paint, *, is_waiting: bool) -> Iterator[str]:
    table = [(title, "TARGET", "EVENTS", "TRIES", "ID", "NEXT TRY" if is_waiting else "", "")]
    for each in notices:
        moment = each.sent_at or each.made_at
        again = when(each.next_try) if is_waiting else ""
        facts = (each.target, str(each.events), str(each.attempts), short(each.notice_id))
        table.append((when(moment), *facts, again, each.trouble if is_waiting else ""))
    head, *lines = rows(table)
    yield ""
    yield paint(head, "bold")
    yield from lines
