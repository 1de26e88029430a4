from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

# As the program does, before numpy is loaded: matrices here are small, and threads of several workers stand in each
# other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

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


@pytest.fixture(scope="session", autouse=True)
def _alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the settings, folders, terminal and environment of whoever runs the tests out of them.

    For the whole session, because what a module's tests share is made before anything that is made for one test.
    """
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in (*_OUTSIDE, *(name for name in os.environ if name.startswith("STYLEKL_"))):
            if name != "STYLEKL_UPDATE_GOLDEN":
                patch.delenv(name, raising=False)
        for name, folder in (
            ("HOME", home),
            ("XDG_CONFIG_HOME", home / ".config"),
            ("XDG_CACHE_HOME", home / ".cache"),
            ("LOCALAPPDATA", home),
        ):
            patch.setenv(name, str(folder))
        yield
