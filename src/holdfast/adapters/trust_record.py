"""What a user trusts, in a private folder of the user's own, never in the folder that is trusted (SEC-9): for
each settings file the digest of what reaches out of its folder, and for each store what it may remember.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

from holdfast.adapters.system import sync_folder
from holdfast.core.base.errors import FailedError
from holdfast.core.base.values import dataclass


@dataclass(frozen=True, slots=True)
class TrustRecord:
    """The folder of the record: a small file for each thing, under the hash of its name."""

    folder: Path

    def digest(self, settings_file: Path) -> str:
        """What was trusted of a settings file; empty where nothing was."""
        return self._digest(os.fsencode(settings_file))

    def put(self, settings_file: Path, digest: str) -> None:
        """Trust exactly that from now on."""
        self._put(os.fsencode(settings_file), digest)

    def has_store(self, store_id: str, digest: str) -> bool:
        """Whether a store may remember this."""
        return bool(store_id) and self._digest(_store(store_id, digest)) == digest

    def put_store(self, store_id: str, digest: str) -> None:
        """Let a store remember this from now on, and what it may remember already."""
        if store_id and not self.has_store(store_id, digest):
            self._put(_store(store_id, digest), digest)

    def _digest(self, name: bytes) -> str:
        try:
            known, _, digest = self._of(name).read_bytes().rpartition(b"\n")
        except OSError:
            return ""
        return digest.decode("ascii", "replace") if known == name else ""

    def _put(self, name: bytes, digest: str) -> None:
        file = self._of(name)
        draft = file.with_name(f"{file.name}.{os.getpid()}")
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "wb") as written:
                written.write(name + b"\n" + digest.encode())
                written.flush()
                os.fsync(written.fileno())
            draft.replace(file)
            sync_folder(self.folder)
        except OSError as error:
            raise FailedError(f"cannot write {file}: {error.strerror}") from error

    def _of(self, name: bytes) -> Path:
        return self.folder / sha256(name).hexdigest()


def _store(store_id: str, digest: str) -> bytes:
    """The name of a store's row: no path of a settings file begins so."""
    return f"store {store_id} {digest}".encode("utf-8", "surrogateescape")
