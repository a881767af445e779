"""Tests and intervals for any statistic."""
