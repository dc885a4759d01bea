"""Tests of the state folder over the years."""
