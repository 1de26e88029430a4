from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import stylekl.results
from stylekl.errors import UsageError
from stylekl.results import load
from stylekl.results.default import find_results


def test_the_file_is_the_one_given_then_named_then_here_then_the_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each source is asked only where the one before has nothing."""
    monkeypatch.chdir(tmp_path)
    env = {"STYLEKL_RESULTS": "named.json"}

    assert find_results(["a", "-"], env) == (["a", "-"], "argument")
    assert find_results([], env) == (["named.json"], "environment")
    paths, origin = find_results([], {"STYLEKL_RESULTS": ""})
    assert (Path(paths[0]).name, origin) == ("sample.json", "sample")
    assert len(load(*paths).models) == 6
    (tmp_path / "results.json").touch()
    assert find_results([], {}) == (["results.json"], "folder")


def test_no_file_is_a_usage_error() -> None:
    """`load()` says that it needs one."""
    with pytest.raises(UsageError):
        load()


def test_what_is_exported_is_listed_in_order() -> None:
    """The public names stand in __all__, sorted, and exist."""
    assert sorted(stylekl.results.__all__) == stylekl.results.__all__
    assert all(hasattr(stylekl.results, name) for name in stylekl.results.__all__)


def test_importing_the_room_loads_nothing_heavy() -> None:
    """Neither numpy nor rich nor the tokenizer is needed to read a file."""
    heavy = "{'numpy', 'rich', 'tiktoken', 'scipy'}"
    code = f"import stylekl.results, sys; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
