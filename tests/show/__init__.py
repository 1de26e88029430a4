"""Tests of what the reports look like."""
