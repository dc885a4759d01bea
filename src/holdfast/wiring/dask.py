"""The engine of a Dask cluster, where the extra `cluster` is installed."""

from __future__ import annotations

from holdfast.adapters.engines.dask import DaskEngine

__all__ = ["DaskEngine"]
