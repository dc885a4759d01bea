"""Runs: what each found, and its changed pages one after another to read through."""

from __future__ import annotations

from starlette.responses import Response

from holdfast.core.answers.citations import EVER
from holdfast.core.lineage import Job
from holdfast.faces.web.asking import PageRequest, Redirect, ShownPage
from holdfast.faces.web.shown import address
from holdfast.formats.feed import atom_feed, json_feed

__all__ = ["changes", "changes_feed", "read", "run", "runs"]

_FEED = 30


def runs(ask: PageRequest) -> ShownPage:
    """The runs of a state folder, the latest first."""
    job, label = ask.text("job"), ask.text("label")
    found = ask.reader.parts.runs(
        label or None, Job(job) if job in set(Job) else None, ask.text("after"), ask.limit
    )
    more = {"folder": ask.source.root.name, "job": job, "label": label, "next_part": found.next}
    return ShownPage("runs.html", "runs", found, "Runs", more)


def run(ask: PageRequest) -> ShownPage:
    """What a run brought."""
    named = ask.reader.run(ask.request.path_params["run"])
    brought = ask.brought(named) if named.run.job is Job.MIRROR else None
    found = ask.reader.parts.run_news(named.run.run_id, ask.text("after"), ask.limit, brought)
    record = found.run.run
    label = ask.source.root.name if record.label == "." else record.label
    title = f"{record.job.capitalize()} of {label}, {record.started_at:%Y-%m-%d %H:%M} UTC"
    more = {"next_part": found.next, "after": ask.text("after"), "counts": dict(found.run.tally.counts)}
    return ShownPage("run.html", "run", found, title, more)


def read(ask: PageRequest) -> ShownPage | Redirect:
    """The next changed page of a run, and the way to the one after it."""
    name = ask.request.path_params["run"]
    run = ask.reader.run(name)
    brought = ask.brought(run)
    change = ask.reader.parts.next_change(name, ask.text("after"), brought)
    if change is None or change.before is None:
        return Redirect(address("s", ask.name, "runs", name, read_="all"))
    capture = change.now.capture.capture_id
    found = ask.reader.compared(change.url, str(change.before.number), str(change.now.number))
    known = ask.reader.history(change.url)
    following = ask.reader.parts.next_change(name, capture, brought)
    where = address("s", ask.name, "runs", name, "read", after=capture) if following else None
    more = {
        "known": known,
        "compared": found,
        "url": change.url,
        "live": change.url,
        "run": run,
        "following": where,
    }
    title = f"{change.title or change.url}: changed"
    return ShownPage("diff.html", "diff", found.diff if found else None, title, more)


def changes(ask: PageRequest) -> ShownPage:
    """What came, changed and went in a mirror, the latest first."""
    label = _label(ask)
    found = ask.reader.parts.changes(label, ask.text("after"), ask.limit)
    feed = address("s", ask.name, "changes.atom", label=label)
    more = {"feed": feed, "label": label, "folder": ask.source.root.name, "next_part": found.next}
    return ShownPage("changes.html", "changes", found, "What changed", more)


def _label(ask: PageRequest) -> str:
    if given := ask.text("label"):
        return given
    mirrors = ask.overview().mirrors
    return mirrors[0].label if mirrors else "."


def changes_feed(ask: PageRequest) -> Response:
    """The same as a feed: Atom, or JSON."""
    found = ask.reader.mirror_changes(_label(ask), limit=_FEED)
    events = [ask.reader.with_diff(event) for event in found.changes]
    name = ask.source.root.name
    if ask.request.url.path.endswith(".feed"):
        return Response(json_feed(name, events), media_type="application/feed+json")
    updated = max((event.at for event in events), default=EVER)
    return Response("".join(atom_feed(name, events, updated)), media_type="application/atom+xml")
