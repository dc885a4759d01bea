"""Words in, words out: the ways a person or a program talks to Holdfast."""
