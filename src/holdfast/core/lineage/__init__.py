"""Runs, captures, items, edges: what a ledger holds, and the rules by which one item follows another."""
