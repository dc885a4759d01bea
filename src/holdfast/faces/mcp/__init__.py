"""The tools for agents."""
