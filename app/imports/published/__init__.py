"""The published record layout: a run's folder of Markdown documents becomes plain values."""
