"""What an agent asks and is answered, as plain values: arguments, rows, and the parts of a page."""
