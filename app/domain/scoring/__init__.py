"""Scores of runs: totals, gaps, slopes, pivots, capture, dissents and the hypotheses built on them."""
