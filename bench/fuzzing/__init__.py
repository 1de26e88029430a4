"""Hostile variants of results files, and what is done with each: the parts of `bench/fuzz.py`."""
