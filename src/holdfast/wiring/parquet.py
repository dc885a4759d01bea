"""Records into Parquet files, where the extra `parquet` is installed."""

from holdfast.adapters.parquet import ParquetExport

__all__ = ["ParquetExport"]
