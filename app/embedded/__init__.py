"""Postgres and Valkey from wheels, for a machine that has neither, and the supervisor that keeps the parts running."""
