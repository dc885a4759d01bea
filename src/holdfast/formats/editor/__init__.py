"""One document as it stands in an editor, saved or not: pure functions from text and knowledge to answers."""
