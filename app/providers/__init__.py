"""Voices: one file per API behind the one door in chat.py."""
