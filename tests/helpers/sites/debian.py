"""Real sites that nobody here wrote: HTML documentation from Debian's packages.

Packages are downloaded by name into `quality/work/`, which is not committed, and unpacked there. Where
that cannot be done, there is no site, and who wanted one is told by None.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

WORK = Path(__file__).parents[3] / "quality" / "work"
FOLDERS = {
    "python3.11-doc": "usr/share/doc/python3.11/html",
    "postgresql-doc-15": "usr/share/doc/postgresql-doc-15/html",
}
ILLUSTRATED = {
    "sqlite3-doc": "usr/share/doc/sqlite3",
    "sphinx-doc": "usr/share/doc/sphinx-doc/html",
}
"""Sites with many images."""


def doc_folder(package: str, seconds: float = 300) -> Path | None:
    """The HTML of a package; None where it cannot be had."""
    html = WORK / "pages" / package / (FOLDERS | ILLUSTRATED)[package]
    if html.is_dir():
        return html
    debs = WORK / "debs"
    debs.mkdir(parents=True, exist_ok=True)
    try:
        if not list(debs.glob(f"{package}_*.deb")):
            command = ["apt-get", "download", "-q", package]
            subprocess.run(command, cwd=debs, capture_output=True, check=True, timeout=seconds)
        [deb, *_] = debs.glob(f"{package}_*.deb")
        target = WORK / "pages" / package
        target.mkdir(parents=True, exist_ok=True)
        subprocess.run(["dpkg-deb", "-x", deb, target], capture_output=True, check=True, timeout=seconds)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return html if html.is_dir() else None
