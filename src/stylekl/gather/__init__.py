"""Asking the models: batteries, writers, wire formats, transport, journal and schedule."""
