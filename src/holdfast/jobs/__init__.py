"""The order of steps, and no decisions: decisions are in core, I/O is behind the ports."""
