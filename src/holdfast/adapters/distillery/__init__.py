"""Distilling in worker processes with limits of their own: the last resort against a hostile page."""

from holdfast.adapters.distillery.pool import Distillery, Limits

__all__ = ["Distillery", "Limits"]
