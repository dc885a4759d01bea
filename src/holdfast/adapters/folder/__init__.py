"""The mirror's folder on disk."""

from holdfast.adapters.folder.folder import Folder

__all__ = ["Folder"]
