"""`holdfast` as a test runs it: in this process where nothing is killed, in another where something is."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from holdfast.faces.cli.main import main


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str


def holdfast(*words) -> Done:
    """Run a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([str(word) for word in words])
    return Done(status, out.getvalue(), err.getvalue())


def mirror(source, output, *flags) -> Done:
    """Mirror without a rate limit, with one worker."""
    sources = [source] if isinstance(source, str) else source
    return holdfast("mirror", *sources, "-o", output, "--content-rate-limit", "0", "--processes", "1", *flags)


def start_mirror(source, output, *flags, **options) -> subprocess.Popen:
    """Mirror in a process of its own."""
    command = [sys.executable, "-m", "holdfast", "mirror", source, "-o", str(output)]
    command += ["--content-rate-limit", "0", "--processes", "1", *flags]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ, **options
    )


def folder_of(origin: str) -> str:
    """The host folder of a loopback origin."""
    return origin.partition("://")[2].replace(":", "+")


def files_of(output: Path) -> list[str]:
    """Every file of the mirror but its state, relative and sorted."""
    found = (file.relative_to(output).as_posix() for file in output.rglob("*") if file.is_file())
    return sorted(name for name in found if not name.startswith(".holdfast/"))


def pages_of(output: Path) -> dict[str, str]:
    """The text of every page, by path."""
    names = (name for name in files_of(output) if name.endswith(".md") and not name.startswith("_"))
    return {name: (output / name).read_text() for name in names}


def manifest_of(output: Path) -> dict:
    return json.loads((output / "_manifest.json").read_text())


def fingerprint(output: Path) -> dict[str, str]:
    """The deterministic part (MIR-12): pages, `_index.md`, `_manifest.json` without `crawl`."""
    found = {
        name: hashlib.sha256((output / name).read_bytes()).hexdigest()
        for name in files_of(output)
        if name.endswith(".md")
    }
    manifest = {key: value for key, value in manifest_of(output).items() if key != "crawl"}
    return found | {"_manifest.json": json.dumps(manifest)}
