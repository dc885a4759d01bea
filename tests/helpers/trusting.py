"""A person's trust in the settings of a folder, as `holdfast config trust` records it (SEC-9)."""

from __future__ import annotations

import os
from pathlib import Path

from holdfast import jobs


def trust(folder: Path) -> None:
    """Trust what the settings file of a folder says now."""
    jobs.config_trust.trust(jobs.config_trust.folder_trust(folder, os.environ), os.environ)
