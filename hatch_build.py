"""A wheel holds the native reader where the machine that builds it has cargo, else only the sources."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NativeReader(BuildHookInterface):  # type: ignore[type-arg]
    """An editable install has what `make native` built beside the sources."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build it, and say which files belong into the wheel."""
        if version == "editable" or self.target_name != "wheel":
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
