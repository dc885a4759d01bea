"""Tracking for teams: baselines, changes, repairs, hooks."""
