"""Postgres: tables, sessions, and one repository module per noun."""
