"""Wiring of `fix`: the links of documents mended by what the state of their root knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from holdfast import wiring
from holdfast.adapters.clock import SystemClock
from holdfast.adapters.document_folder import DocumentFolder
from holdfast.adapters.state_folder import STATE_NAME, find_root
from holdfast.core.answers.fixing import FixReport
from holdfast.core.fixes import USUAL_FIXES, FixKind
from holdfast.core.settings import Settings
from holdfast.jobs.fix import Fixer
from holdfast.questions.track.facts import LedgerFacts
from holdfast.wiring.settings import baseline_path, join_policy
from holdfast.wiring.states import named_state
from holdfast.wiring.tracking import local_options, open_keeper, selection_of

__all__ = ["fix_documents"]


async def fix_documents(
    paths: Sequence[Path],
    settings: Settings,
    environment: Mapping[str, str],
    *,
    only: Sequence[str] | None = None,
    write: bool = False,
) -> FixReport:
    """Propose repairs, or write them; asked is only with consent (`fetch_external_urls`)."""
    with _open_fixer(paths, settings, only) as fixer:
        documents = fixer.read()
        fixer.name_archive(documents, settings.track.archive_url)
        asked = 0
        if settings.track.asking.fetch_external_urls:
            asked = await wiring.asking.ask_for_fixes(fixer, documents, settings, environment)
        fixes = fixer.plan(documents)
        if write:
            fixer.write(fixes)
    return FixReport(tuple(fixes), write, asked)


@contextmanager
def _open_fixer(paths: Sequence[Path], settings: Settings, only: Sequence[str] | None) -> Iterator[Fixer]:
    """Mending of the links in these files and folders, by what the state of their root knows."""
    root = find_root(paths[0])
    folder = DocumentFolder(root, filter(None, [baseline_path(settings)]), selection=selection_of(settings))
    scope = tuple(folder.relative(path) for path in paths)
    local = local_options(settings, folder)
    kinds = frozenset(map(FixKind, only)) if only else USUAL_FIXES
    state = named_state(settings) or root / STATE_NAME
    asks = settings.track.asking.fetch_external_urls
    with open_keeper(state, "fix", settings, looks_only=not asks) as keeper:
        join = join_policy(settings, keeper.now(lambda ledger, _: ledger.joins.version()))
        facts = LedgerFacts(keeper, join, compares=True)
        yield Fixer(folder, keeper, facts, SystemClock(), scope, kinds, local)
