"""Settings: typed values, one flat name space, and where each value came from (STA-5).

1. A setting's name is the same everywhere: `content_rate_limit` in `holdfast.toml`,
   `HOLDFAST_CONTENT_RATE_LIMIT` in the environment, `--content-rate-limit` as a flag.
2. Precedence: flag, environment, named job in the file, file, default.
3. A group is a frozen dataclass; its fields are its settings, or parts that hold some of them: default,
   `help` and kind are in the field, so the table, the parser, the reference page and the types agree.
4. Nothing here reads a file or the environment: the face hands both in as mappings.
"""

from holdfast.core.settings.resolve import Origin, Resolved, Settings, resolve
from holdfast.core.settings.table import Setting, all_settings, setting_named

__all__ = ["Origin", "Resolved", "Setting", "Settings", "all_settings", "resolve", "setting_named"]
