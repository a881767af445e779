"""Invented, self-consistent technology histories in which no leakage is possible."""
