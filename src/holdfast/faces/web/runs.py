"""Runs: what each found, and its changed pages one after another to read through."""

from __future__ import annotations

from starlette.responses import Response

from holdfast.core.answers.citations import EVER
from holdfast.core.lineage import Job
from holdfast.faces.web.asking import Redirect, ShownPage, Visit
from holdfast.faces.web.shown import address
from holdfast.formats.feed import atom_feed, json_feed

__all__ = ["changes", "changes_feed", "read", "run", "runs"]

_RUNS = 100
_FEED = 30


def runs(ask: Visit) -> ShownPage:
    """The runs of a state folder, the latest first."""
    job = ask.text("job")
    found = ask.reader.runs(
        label=ask.text("label") or None, job=Job(job) if job in set(Job) else None, limit=_RUNS
    )
    return ShownPage("runs.html", "runs", found, "Runs", {"folder": ask.source.root.name, "job": job})


def run(ask: Visit) -> ShownPage:
    """What a run brought."""
    found = ask.reader.parts.run_news(ask.request.path_params["run"], ask.text("after"), ask.limit)
    record = found.run.run
    label = ask.source.root.name if record.label == "." else record.label
    title = f"{record.job.capitalize()} of {label}, {record.started_at:%Y-%m-%d %H:%M} UTC"
    more = {"next_part": found.next, "after": ask.text("after"), "counts": dict(found.run.tally.counts)}
    return ShownPage("run.html", "run", found, title, more)


def read(ask: Visit) -> ShownPage | Redirect:
    """The next changed page of a run, and the way to the one after it."""
    name = ask.request.path_params["run"]
    change = ask.reader.parts.next_change(name, ask.text("after"))
    if change is None or change.before is None:
        return Redirect(address("s", ask.name, "runs", name, read_="all"))
    capture = change.now.capture.capture_id
    found = ask.reader.compared(change.url, str(change.before.number), str(change.now.number))
    known = ask.reader.history(change.url)
    following = ask.reader.parts.next_change(name, capture)
    where = address("s", ask.name, "runs", name, "read", after=capture) if following else None
    more = {
        "known": known,
        "compared": found,
        "url": change.url,
        "live": change.url,
        "run": ask.reader.run(name),
        "following": where,
    }
    title = f"{change.title or change.url}: changed"
    return ShownPage("diff.html", "diff", found.diff if found else None, title, more)


def changes(ask: Visit) -> ShownPage:
    """What came, changed and went in a mirror, the latest first."""
    label = _label(ask)
    found = ask.reader.mirror_changes(label, limit=ask.limit)
    feed = address("s", ask.name, "changes.atom", label=label)
    more = {"feed": feed, "label": label, "folder": ask.source.root.name}
    return ShownPage("changes.html", "changes", found, "What changed", more)


def _label(ask: Visit) -> str:
    if given := ask.text("label"):
        return given
    mirrors = ask.overview().mirrors
    return mirrors[0].label if mirrors else "."


def changes_feed(ask: Visit) -> Response:
    """The same as a feed: Atom, or JSON."""
    found = ask.reader.mirror_changes(_label(ask), limit=_FEED)
    events = [ask.reader.with_diff(event) for event in found.changes]
    name = ask.source.root.name
    if ask.request.url.path.endswith(".feed"):
        return Response(json_feed(name, events), media_type="application/feed+json")
    updated = max((event.at for event in events), default=EVER)
    return Response("".join(atom_feed(name, events, updated)), media_type="application/atom+xml")
