"""Processes that read pages and documents, here or on other machines."""
