"""Ways in: published records, archives and ratings."""
