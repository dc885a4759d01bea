"""What there is to trust in a folder, shown and recorded: its settings file, and the stores in it (SEC-9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from holdfast.adapters.system import followed, read_text
from holdfast.adapters.trust_record import TrustRecord
from holdfast.core.base.errors import FailedError, HoldfastError, UsageError
from holdfast.core.mirror.remembered import (
    NOTHING_REMEMBERED,
    FolderTrust,
    MirrorMemory,
    StoreTrust,
    remembered_by,
)
from holdfast.core.settings.resolve import resolve
from holdfast.core.settings.settings_file import read_settings_file
from holdfast.core.settings.settings_trust import digest_of
from holdfast.jobs.mirror_place import manifest_in
from holdfast.jobs.places import notice
from holdfast.jobs.session import read_store
from holdfast.jobs.trust import found_in, is_recorded, record_in
from holdfast.questions.log.runs import mirror_labels
from holdfast.storage.state_folder import find_config, named_state, stores_around


def folder_trust(start: Path, environment: Mapping[str, str], state: str | None = None) -> FolderTrust:
    """What there is to trust in the settings file that is in force in a folder, and in the nearest store at
    it or above; in the stores below, where it has neither; or in the store that is named alone.
    """
    record, path = record_in(environment), None if state else find_config(start)
    states = (named_state(Path(state)),) if state else _states_of(start, has_file=path is not None)
    stores = tuple(_store_trusts(states, record))
    if path is None:
        if not stores:
            raise UsageError(
                "there is no holdfast.toml here or above, and no store",
                hint="without one there is nothing to trust",
            )
        return FolderTrust("", is_file_trusted=True, found=(), stores=stores)
    found = found_in(read_settings_file(read_text(path, "settings file"), str(path)), path)
    is_trusted = not found or is_recorded(path, found, environment)
    return FolderTrust(str(path), is_trusted, found, stores)


def trust(what: FolderTrust, environment: Mapping[str, str]) -> FolderTrust:
    """Record that the user trusts exactly this."""
    record = record_in(environment)
    if record is None:
        raise FailedError(
            "there is no place to record what you trust", hint="set HOME, or XDG_STATE_HOME, to a full path"
        )
    if what.found:
        record.put(Path(what.file), digest_of(what.found))
    for store in what.stores:
        for memory in (NOTHING_REMEMBERED, *(mirror.memory for mirror in store.mirrors)):
            record.put_store(store.store_id, memory.digest)
    stores = tuple(replace(store, is_trusted=True) for store in what.stores)
    return replace(what, is_file_trusted=True, stores=stores)


def _states_of(start: Path, *, has_file: bool) -> tuple[Path, ...]:
    """What lies below a folder is another project's as likely as not: it is not trusted together with one."""
    found = stores_around(start).stores
    nearest = tuple(state for state in found[:1] if followed(start).is_relative_to(state.parent))
    return nearest if nearest or has_file else found


def _store_trusts(states: tuple[Path, ...], record: TrustRecord | None) -> Iterator[StoreTrust]:
    for state in states:
        try:
            yield _store_trust(state, record)
        except HoldfastError as error:  # what cannot be read is not obeyed either
            notice(error.message)


def _store_trust(state: Path, record: TrustRecord | None) -> StoreTrust:
    with read_store(resolve(), state) as session:
        store_id, labels = session.store_id, session.now(lambda ledger, _: sorted(mirror_labels(ledger)))
    root = state.resolve().parent
    mirrors = tuple(MirrorMemory(label, remembered_by(manifest_in(root / label))) for label in labels)
    wanted = {NOTHING_REMEMBERED, *(mirror.memory for mirror in mirrors)}
    is_trusted = record is not None and all(record.has_store(store_id, each.digest) for each in wanted)
    return StoreTrust(str(state), store_id, mirrors, is_trusted)
