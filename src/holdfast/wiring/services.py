"""Notification services of others, where the extra `notify` is installed."""

from holdfast.adapters.apprise_door import send_by_apprise

__all__ = ["send_by_apprise"]
