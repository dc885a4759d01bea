"""Markdown (CommonMark with GFM tables, strikethrough and task lists), written from the content's tree."""
