"""Frontier Autolab: simulations of LLM organizations, run, watched, audited and rated."""
