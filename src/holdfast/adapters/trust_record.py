"""What a user trusts: for each settings file the digest of what reaches out of its folder, in a private file
of the user's own, never in the folder (SEC-9).
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
    """The folder of the record: a file for each settings file, under the hash of its path."""

    folder: Path

    def digest(self, settings_file: Path) -> str:
        """What was trusted of a settings file; empty where nothing was."""
        try:
            path, _, digest = self._of(settings_file).read_bytes().rpartition(b"\n")
        except OSError:
            return ""
        return digest.decode("ascii", "replace") if path == os.fsencode(settings_file) else ""

    def put(self, settings_file: Path, digest: str) -> None:
        """Trust exactly that from now on."""
        file = self._of(settings_file)
        draft = file.with_name(f"{file.name}.{os.getpid()}")
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "wb") as written:
                written.write(os.fsencode(settings_file) + b"\n" + digest.encode())
                written.flush()
                os.fsync(written.fileno())
            draft.replace(file)
            sync_folder(self.folder)
        except OSError as error:
            raise FailedError(f"cannot write {file}: {error.strerror}") from error

    def _of(self, settings_file: Path) -> Path:
        return self.folder / sha256(os.fsencode(settings_file)).hexdigest()
