"""The files of a mirror: pages, manifest, index, checkpoint."""
