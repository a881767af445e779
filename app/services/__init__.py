"""Sentences in the imperative, one module per noun, each inside one unit of work."""
