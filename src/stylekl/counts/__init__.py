"""Symbols become sparse counts: one row for each reply, grouped by model and prompt."""

from stylekl.counts.table import Counts, count

__all__ = ["Counts", "count"]
