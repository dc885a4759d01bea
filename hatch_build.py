"""Wheels hold the compiled modules where the machine that builds them can compile, else only the sources."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledModules(BuildHookInterface):  # type: ignore[type-arg]
    """An editable install is interpreted: `make` compiles beside its sources."""

    def dependencies(self) -> list[str]:
        """What compiling needs, in the environment of the build alone."""
        return ["mypy>=2.4,<3", "setuptools>=75"] if self.target_name == "wheel" else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say which files belong into the wheel."""
        if version == "editable" or self.target_name != "wheel":
            return
        self._folder = tempfile.TemporaryDirectory()
        into = Path(self._folder.name)
        ran = subprocess.run(
            [sys.executable, "tools/compiled.py", "--into", str(into)], cwd=self.root, check=False
        )
        built = [path for path in into.rglob("*") if path.is_file()]
        if ran.returncode != 0 or not built:
            self.app.display_warning("nothing was compiled: this wheel runs interpreted")
            return
        build_data["force_include"].update({str(path): str(path.relative_to(into)) for path in built})
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, *_: Any) -> None:
        """Remove what was compiled."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()
