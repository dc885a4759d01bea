"""`make test-wheel`: the built wheel, installed into a fresh environment for each extra, and used.

1. What runs is the wheel: the folder is a new one outside of the tree, and `PYTHONPATH` is not set.
2. Wheels are downloaded once, in the versions of constraints.txt; each environment is made of these by
   `pip install 'holdfast[EXTRA]'`. Nothing is compiled.
3. Every name of the library and every command works, or ends with the hint that names the extra it wants:
   what each needs stands in `installs.py`. A command that an extra brings is used there. Extras that bring no
   command of their own (`postgres`, `s3`, `parquet`) are installed together with `mirror`.
4. No compiler is within reach: PATH is a folder of links to everything but compilers and linkers.
5. The sizes are printed: what is downloaded, what lies on the disk, and the bytecode that pip adds to it. The
   download of the base stays below `BASE_MB`.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple
from urllib.request import urlopen

from docs_site import served
from holdfast.faces.cli.parser import COMMANDS
from installs import extras, use_commands, use_library

ROOT: Final = Path(__file__).parents[1]
COMPILERS: Final = re.compile(
    r"(.*-)?(as|cc|cpp|c\+\+|gcc|g\+\+|clang|clang\+\+|ld|cargo|rustc|rustup)(-[0-9.]+)?(\.exe)?$"
)
BASE_MB: Final = 10
PAGES: Final = {
    "/": b"<title>Home</title><main><h1>Home</h1><p>Read <a href='/limits'>the limits</a>.</p></main>",
    "/limits": b"<title>Limits</title><main><h1>Limits</h1><p>At most 100 users a page.</p></main>",
}
USES_THE_LIBRARY: Final = """
import holdfast
assert str(holdfast.canonicalize("HTTPS://Example.com:443/a/../b", holdfast.policy("web"))) == "https://example.com/b"
"""
INSTALLED: Final = """
import re
from importlib.metadata import distributions
sizes, names = {True: 0, False: 0}, []
for found in distributions():
    if found.name in ("pip", "setuptools"):
        continue
    names.append(re.sub("[-_.]+", "_", found.name).lower())
    for file in found.files:
        if file.locate().exists():
            sizes[file.suffix == ".pyc"] += file.locate().stat().st_size
print(round(sizes[False] / 1e6, 1), round(sizes[True] / 1e6, 1), *names)
"""
PIP: Final = ("--quiet", "--disable-pip-version-check", "-c", str(ROOT / "constraints.txt"))


ASKS_MCP: Final = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
    '"capabilities":{},"clientInfo":{"name":"try","version":"0"}}}\n'
)
ASKS_LSP: Final = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize",'
    '"params":{"processId":null,"rootUri":null,"capabilities":{}}}'
)
ALONE: Final = {"parquet", "postgres", "s3"}
"""Extras that are of use only together with `mirror`."""
NOWHERE: Final = "127.0.0.1:1"
"""An address at which nothing answers: what the extra brings is there, the server is not."""


class Step(NamedTuple):
    """A call of the installed program: its words, the extra that brings it, what it must print."""

    words: tuple[str, ...]
    extra: str
    says: str
    status: int = 0
    typed: str = ""
    settings: dict[str, str] = {}  # noqa: RUF012


def steps(site: str) -> tuple[Step, ...]:
    """One use of each kind, in an order in which later ones find what earlier ones made."""
    shared = {"HOLDFAST_LEDGER": f"postgresql://{NOWHERE}/x"}
    return (
        Step(("--version", "--verbose"), "", "holdfast 0."),
        Step(("url", "canon", "HTTPS://Example.com:443/a/../b?utm_source=x"), "", "https://example.com/b"),
        Step(("path", "https://example.com/b"), "", "example.com/b"),
        Step(("config",), "", "settings file: none found"),
        Step(("completion", "bash"), "", "complete"),
        Step(("convert", "page.html"), "mirror", "# Limits"),
        Step(("mirror", site, "-o", "mirrored", "--content-rate-limit", "0"), "mirror", "finished: 2 pages"),
        Step(("verify", "mirrored"), "mirror", "agree"),
        Step(("show", f"{site}limits", "--store", "mirrored/.holdfast"), "mirror", "At most 100 users"),
        Step(
            ("check", "notes", "--fetch-urls", "--allow-private", "--content-rate-limit", "0"),
            "check",
            "2 links in 1 document",
        ),
        Step(("links", "notes/a.md", "--store", "notes/.holdfast"), "check", f"{site}limits"),
        Step(("sync", "notes", "--due"), "watch", "no job has a schedule", 2),
        Step(("lsp",), "lsp", "hoverProvider", typed=f"Content-Length: {len(ASKS_LSP)}\r\n\r\n{ASKS_LSP}"),
        Step(("mcp", "mirrored"), "mcp", '"serverInfo"', typed=ASKS_MCP),
        Step(
            ("export", "mirrored", "--format", "parquet", "-o", "pages.parquet"), "parquet", "pages.parquet"
        ),
        Step(("runs",), "postgres", "Connection refused", 3, settings=shared),
        Step(
            ("mirror", site, "-o", "other"),
            "s3",
            "AWS_ACCESS_KEY_ID",
            2,
            settings={"HOLDFAST_ARCHIVE": "s3://b/x"},
        ),
        Step(("cluster", "worker"), "cluster", "share a ledger on a server", 2),
        Step(("notify", "send", "--test"), "notify", "no notification is set up", 2),
    )


class Installed:
    """The wheel with one extra, in an environment of its own."""

    def __init__(self, wheel: Path, extra: str, wheels: Path, folder: Path) -> None:
        self.extra = extra
        self.brings = extras()[extra] | ({"mirror"} if extra in ALONE else set())
        self._bin = folder / "environment" / ("Scripts" if sys.platform == "win32" else "bin")
        self._work = folder / "work"
        self._work.mkdir(parents=True)
        self._surroundings = without_compilers(folder / "programs")
        subprocess.run([sys.executable, "-m", "venv", str(folder / "environment")], check=True)
        asked = ",".join(sorted({extra} | ({"mirror"} if extra in ALONE else set())))
        named = f"{wheel}[{asked}]" if asked else str(wheel)
        self._python("-m", "pip", "install", *PIP, "--no-index", "--find-links", str(wheels), named)
        files, bytecode, *names = self._python("-c", INSTALLED).split()
        self.downloaded = sum(_megabytes(file) for file in wheels.iterdir() if _distribution(file) in names)
        self.sizes = (
            f"{self.downloaded:5.1f} MB downloaded, {files:>5} MB installed, {bytecode:>4} MB bytecode"
        )

    def use(self, site: str) -> None:
        """Take every step; the first that fails ends it."""
        (self._work / "notes").mkdir()
        (self._work / "notes" / "a.md").write_text(f"[home]({site}) [limits]({site}limits)\n")
        (self._work / "page.html").write_bytes(PAGES["/limits"])
        self._python("-c", USES_THE_LIBRARY)
        python = self._bin / "python"
        if faults := use_library(python, self.brings) + use_commands(python, self.brings):
            sys.exit(f"[{self.extra}] " + "\n".join(faults))
        for step in steps(site):
            if step.extra in {"", *self.brings}:
                self._take(step)
            elif step.words[0] == step.extra and COMMANDS[step.words[0]].extra == step.extra:
                self._take(step._replace(says=f"holdfast[{step.extra}]", status=2))
        if "serve" in self.brings:
            self._look()

    def _take(self, step: Step) -> None:
        ran = subprocess.run(
            [str(self._bin / "holdfast"), *step.words],
            cwd=self._work,
            env=self._surroundings | step.settings,
            input=step.typed,
            capture_output=True,
            text=True,
            check=False,
        )
        said = ran.stdout + ran.stderr
        if ran.returncode != step.status or step.says not in said or "Traceback" in said:
            sys.exit(f"[{self.extra}] holdfast {' '.join(step.words)}: status {ran.returncode}\n{said}")

    def _look(self) -> None:
        """`serve` says where it is, shows the mirror there, and ends on Ctrl-C."""
        words = [str(self._bin / "holdfast"), "serve", "mirrored", "--port", "0"]
        with subprocess.Popen(
            words, cwd=self._work, env=self._surroundings, stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            address = next(found[0] for line in server.stdout if (found := re.search(r"http://\S+", line)))
            with urlopen(address) as answer:
                page = answer.read().decode()
            server.send_signal(signal.SIGINT)
        if "mirrored" not in page or server.returncode:
            sys.exit(f"[{self.extra}] holdfast serve: status {server.returncode}\n{page[:2000]}")

    def _python(self, *words: str) -> str:
        ran = subprocess.run(
            [str(self._bin / "python"), *words],
            cwd=self._work,
            env=self._surroundings,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return ran.stdout


def without_compilers(folder: Path) -> dict[str, str]:
    """These surroundings, with a PATH on which no compiler is found."""
    folder.mkdir()
    for place in reversed(os.get_exec_path()):
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            if not COMPILERS.match(program.name):
                (folder / program.name).unlink(missing_ok=True)
                (folder / program.name).symlink_to(program)
    return {**os.environ, "PATH": str(folder), "PYTHONPATH": ""}


def _megabytes(file: Path) -> float:
    return file.stat().st_size / 1e6


def _distribution(wheel: Path) -> str:
    return re.sub("[-_.]+", "_", wheel.name.partition("-")[0]).lower()


def download(wheel: Path, folder: Path) -> Path:
    """A folder with the wheels that every extra needs."""
    words = ["-m", "pip", "download", *PIP, "--only-binary", ":all:", "-d", str(folder), f"{wheel}[all]"]
    subprocess.run([sys.executable, *words], check=True)
    return folder


def main() -> None:
    """Try every extra; say how large each is."""
    (wheel,) = (ROOT / "dist").glob("holdfast-*.whl")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB")
    pages = {path: ("text/html; charset=utf-8", body) for path, body in PAGES.items()}
    with served(pages) as origin, tempfile.TemporaryDirectory() as wheels:
        download(wheel, Path(wheels))
        for extra in sys.argv[1:] or extras():
            begun = time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                installed = Installed(wheel, extra, Path(wheels), Path(folder))
                installed.use(f"{origin}/")
            name = f"holdfast[{extra}]" if extra else "holdfast"
            took = time.monotonic() - begun
            print(f"  {name:<16} {installed.sizes}; every step works ({took:.0f} s)", flush=True)
            if not extra and installed.downloaded >= BASE_MB:
                sys.exit(f"the base is larger than {BASE_MB} MB")


if __name__ == "__main__":
    main()
