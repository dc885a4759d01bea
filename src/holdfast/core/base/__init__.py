"""Values without a subject: errors, hashes, texts fit to be shown, figures, differences, JSON by fields."""
