"""What a command is about, and which time: targets and moments, read by one grammar each."""
