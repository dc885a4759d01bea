"""A throw-away git repository, untouched by the settings of whoever runs the tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "HOLDFAST_"))},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.org",
    "HOLDFAST_ALLOW_PRIVATE": "true", "HOLDFAST_CONTENT_RATE_LIMIT": "0",
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
}  # fmt: skip


class Repository:
    """A folder that git keeps."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def git(self, *words):
        return self.run("git", *words, check=True).stdout

    def commit(self, message="more"):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def holdfast(self, *words):
        return self.run(sys.executable, "-m", "holdfast", *words)

    def run(self, *words, check=False, **environment):
        done = subprocess.run(
            words,
            cwd=self.folder,
            env={**ENVIRONMENT, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done
