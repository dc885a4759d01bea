"""Holdfast gives web content a fixed identity.

It mirrors sites to Markdown, keeps every version of every page with its lineage, and tells which of
your documents cite a page that changed or died. Tool and library are twins: what `holdfast canon` does
on the command line, `holdfast.canonicalize` does here.
"""

__version__ = "0.1.0"
