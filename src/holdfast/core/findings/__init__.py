"""What is worth telling of a link, by rule; what is ignored; reports in every form."""
