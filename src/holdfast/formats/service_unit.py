"""What keeps `holdfast watch` running: a systemd unit and a cron line for a folder."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

__all__ = ["service_unit"]


def service_unit(folder: str, program: Sequence[str]) -> str:
    """The unit that runs a program in a folder; the cron line is a comment below it."""
    in_unit = " ".join(f'"{word}"' if " " in word else word for word in program).replace("%", "%%")
    watched = folder.replace("%", "%%")
    in_cron = f"cd {shlex.quote(folder)} && {shlex.join(program)} --once".replace("%", "\\%")
    return f"""\
# ~/.config/systemd/user/holdfast-watch.service
[Unit]
Description=Holdfast watches {watched}
After=network-online.target

[Service]
WorkingDirectory={watched}
ExecStart={in_unit}
KillMode=mixed
Restart=on-failure
RestartSec=60

[Install]
WantedBy=default.target

# or, without a service, a line for `crontab -e`:
# */15 * * * * {in_cron}
"""
