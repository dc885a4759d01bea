"""Settings of other tools as `holdfast.toml`."""
