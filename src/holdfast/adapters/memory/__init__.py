"""Every port in memory: for tests, for dry runs, and to say by example what an adapter must do."""
