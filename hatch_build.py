"""A wheel holds the native reader where the machine that builds it has cargo, else only the sources.

A hook of pre-commit reads documents and no pages: its environment is made of the sources, within seconds,
also where cargo is there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def is_for_a_hook(root: str) -> bool:
    """Whether pre-commit builds this: it clones what it installs into a folder of that name."""
    home = os.environ.get("PRE_COMMIT_HOME")
    return "pre-commit" in Path(root).parts or (home is not None and Path(root).is_relative_to(home))


class NativeReader(BuildHookInterface):  # type: ignore[type-arg]
    """An editable install has what `make native` built beside the sources."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build it, and say which files belong into the wheel."""
        if version == "editable" or self.target_name != "wheel" or is_for_a_hook(self.root):
            return
        self._folder = tempfile.TemporaryDirectory()
        into = Path(self._folder.name)
        subprocess.run([sys.executable, "tools/native.py", "--into", str(into)], cwd=self.root, check=False)
        built = [path for path in into.rglob("_native.*") if path.suffix in (".so", ".pyd")]
        if not built:
            self.app.display_warning("the native reader is not built: this wheel reads pages with Python")
            return
        build_data["force_include"].update({str(path): str(path.relative_to(into)) for path in built})
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"cp311-abi3-{platform}"

    def finalize(self, *_: Any) -> None:
        """Remove what was built."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()
