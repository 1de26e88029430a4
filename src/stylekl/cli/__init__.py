"""The command line: one thin module for each command, the shared options in `settings`, the way out in `main`."""

from stylekl.cli.main import app, main

__all__ = ["app", "main"]
