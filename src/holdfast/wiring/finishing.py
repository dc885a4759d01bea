"""What a crawl still wants when all pages are there, for those mirrors that want any."""

from holdfast.jobs.finishing import finish

__all__ = ["finish"]
