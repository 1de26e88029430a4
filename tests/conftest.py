from __future__ import annotations

import os
from pathlib import Path

import pytest

# What a user's shell, a terminal or a CI service sets, and what changes the output.
_OUTSIDE = (
    *("COLUMNS", "LINES", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "PY_COLORS", "TTY_COMPATIBLE"),
    *("TTY_INTERACTIVE", "TERMINAL_WIDTH", "CI", "GITHUB_ACTIONS", "PYTHONIOENCODING"),
)


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of real data beside the checkout; tests that need it skip where it is absent."""
    folder = Path(__file__).parents[1].parent / "shared"
    if not folder.is_dir():
        pytest.skip(f"{folder} is absent: real data are not part of the project")
    return folder


@pytest.fixture(scope="session")
def _nobodys_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, _nobodys_home: Path) -> None:
    """Keep the settings, the terminal and the environment of whoever runs the tests out of them."""
    for name in (*_OUTSIDE, *(name for name in os.environ if name.startswith("STYLEKL_"))):
        if name != "STYLEKL_UPDATE_GOLDEN":
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(_nobodys_home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(_nobodys_home / ".config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(_nobodys_home / ".cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(_nobodys_home))
