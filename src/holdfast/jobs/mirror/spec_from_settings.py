"""A mirror is made as its settings, and the mirror that is there, want it: the order of the job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast import __version__
from holdfast.adapters.folder.folder import Folder
from holdfast.adapters.ports import Observer
from holdfast.adapters.system import read_bytes
from holdfast.core.base.errors import UsageError
from holdfast.core.crawl.making import (
    going_on_as_made,
    is_made_otherwise,
    newer_policy,
    other_scope,
    require_recipe,
    require_same_mirror,
    standard_of,
)
from holdfast.core.crawl.mirror_spec import MirrorSource, Order, check_patterns, source_of
from holdfast.core.mirror.manifest import SETTLING
from holdfast.core.mirror.remembered import remembered, remembered_by
from holdfast.core.page.distill_options import distill_options
from holdfast.core.settings.identity import going_on_with
from holdfast.core.settings.kept import kept_scope
from holdfast.core.url.redaction import shown
from holdfast.jobs.load_settings import join_policy, load_identity
from holdfast.jobs.mirror.discovery import names_something
from holdfast.jobs.mirror.job import mirror
from holdfast.jobs.mirror_place import MirrorRequest, manifest_of, mirror_label
from holdfast.jobs.session import Session, open_store
from holdfast.jobs.trust import require_own_memory, take_in
from holdfast.jobs.web_door import make_fetcher
from holdfast.jobs.workers import refined_by
from holdfast.questions.log.runs import last_mirror_run

if TYPE_CHECKING:
    from holdfast.adapters.workers.pool import Workers
    from holdfast.jobs.mirror.summary import Summary
    from holdfast.jobs.stop import Stop


async def mirror_with(
    workers: Workers, request: MirrorRequest, state: Path, observer: Observer, stop: Stop
) -> Summary:
    """Make a mirror, or go on with one."""
    sources = checked_sources(request)  # what is wrong with a call is said before anything is made
    folder = Folder(request.output)
    manifest = manifest_of(folder)
    request = as_made(request, sources, manifest)
    settings = request.settings
    fetcher = make_fetcher(settings, environment=request.environment, named=request.sources)
    try:
        label = mirror_label(settings, state, request.output)
        with open_store(state, "mirror", settings, of=f"mirror {label}") as session:
            session.refine, session.observer = refined_by(workers), observer
            order = order_of(request, sources, session, manifest)
            now = remembered(order.shown_sources, {**asdict(order.settings.files), **order.remembers})
            take_in(settings, session.store_id, remembered_by(manifest), now)
            limited = settings.fetch.pace.content_rate_limit > 0
            summary = await mirror(order, session, fetcher, folder, stop, limited=limited)
            if order.is_settled_at_the_end and not stop.now:
                from holdfast.jobs.mirror.rewrite_links import finish  # noqa: PLC0415 - few mirrors have local links

                await finish(session, folder, order, summary, stop)
            session.keep_index()
            return replace(summary, output=str(request.output))
    finally:
        await fetcher.close()
        folder.close()


def as_made(
    request: MirrorRequest, sources: tuple[MirrorSource, ...], manifest: Mapping[str, Any]
) -> MirrorRequest:
    """What is asked for, with all that the mirror remembers; refused where the folder holds another."""
    require_same_mirror(sources, remembered_by(manifest).sources, str(request.output))
    return replace(request, settings=going_on_as_made(request.settings, manifest))


def checked_sources(request: MirrorRequest) -> tuple[MirrorSource, ...]:
    """What a call names, if its patterns and its identity settings can be obeyed."""
    check_patterns(request.settings.mirror)
    load_identity(request.settings, "site")
    return tuple(source_of(text, _listing(text)) for text in request.sources)


def _listing(text: str) -> bytes | None:
    """The bytes of a file of URLs; None where the text is not a file's name."""
    file = Path(text)
    if "://" in text or not file.is_file():
        return None
    data = read_bytes(file, "file of URLs")
    if not names_something(data):
        hint = "a file of URLs has one a line, or is a sitemap or a feed"
        raise UsageError(f"{text} names no URL", hint=hint)
    return data


def order_of(
    request: MirrorRequest,
    sources: tuple[MirrorSource, ...],
    session: Session,
    manifest: Mapping[str, Any],
) -> Order:
    """What is asked for, under the versions that the mirror was made with: `manifest` is what it says of
    itself, and `request` has what it remembers (`as_made`).
    """
    asked, folder = request.settings, str(request.output)
    label = request.label or mirror_label(asked, session.state, request.output)
    last = last_mirror_run(session.ledger, label)
    recorded = last.run.recipe if last else None
    require_own_memory(asked, (session.state, session.store_id), remembered_by(manifest))
    settings = replace(asked, identity=going_on_with(asked.identity, recorded))
    identity, odd = load_identity(settings, "site")
    standard = standard_of(identity, join_policy(settings, session.ledger.joins.version()), recorded)
    advice = None
    if recorded is not None:
        require_recipe(recorded, standard.recipe, folder)
        advice = newer_policy(recorded, asked.identity.policy, folder)
    names = [shown(source.name) for source in sources]
    other = other_scope(settings, names, manifest)
    for text in (*odd, *filter(None, [advice, other])):
        session.warn(text)
    return Order(
        label=label,
        sources=sources,
        standard=standard,
        settings=settings.mirror,
        options=distill_options(settings, outline=True),
        software=f"holdfast/{__version__}",
        owed_to=(*request.owed_to, *(target.name for target in settings.notify)),
        is_remade=SETTLING in manifest.get("crawl", {}) or is_made_otherwise(settings.mirror.files, manifest),
        remembers=kept_scope(settings),
        is_rescoped=other is not None,
    )
