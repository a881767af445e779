"""Probes for leakage and checks of judges: each gives numbers, spans, and how often it errs."""
