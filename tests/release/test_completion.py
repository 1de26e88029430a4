"""Completion in a shell: a script for each of four, and bash, zsh and fish completing for real."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.keyboard import AtKeyboard
from tests.cli.run import environment, run

SHELLS = {
    "bash": "complete -o default -F",
    "zsh": "#compdef stylekl",
    "fish": "complete --command stylekl",
    "powershell": "Register-ArgumentCompleter",
    "pwsh": "Register-ArgumentCompleter",
}
# Types a line as far as the tab key, and prints what bash would offer, as its completion does it.
ASK = """
source "$1"
COMP_WORDS=({words})
COMP_CWORD={place}
_stylekl_completion stylekl
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Return a PATH on which `stylekl` is this one."""
    shim = tmp_path / "bin" / "stylekl"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m stylekl "$@"\n', encoding="utf-8")
    shim.chmod(0o755)
    return f"{shim.parent}{os.pathsep}{os.environ['PATH']}"


def script(shell: str) -> str:
    done = run(env={"_STYLEKL_COMPLETE": f"source_{shell}"})
    assert (done.code, done.err) == (0, "")
    return done.out


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_its_script(shell: str) -> None:
    assert SHELLS[shell] in script(shell)
    assert "_STYLEKL_COMPLETE" in script(shell)


def test_an_unknown_shell_has_none() -> None:
    done = run(env={"_STYLEKL_COMPLETE": "source_nonsense"})

    assert done.code == 1
    assert done.out == ""
    assert "nonsense" in done.err


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not on this machine")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["stylekl", "ma"], ["matrix"]),
        (["stylekl", "d"], ["drift", "diff"]),
        (["stylekl", "battery", "ch"], ["check"]),
        (["stylekl", "matrix", "--ord"], ["--order"]),
        (["stylekl", "matrix", "--order", "c"], ["cluster"]),
        (["stylekl", "nonsense"], []),
    ],
    ids=lambda value: "-".join(value) if value and value[0] == "stylekl" else "",
)
def test_bash_completes(words: list[str], offered: list[str], tmp_path: Path, path: str) -> None:
    """In a real bash, with the script that the command prints."""
    (tmp_path / "stylekl.bash").write_text(script("bash"), encoding="utf-8")
    typed = " ".join(f'"{word}"' for word in words)
    done = subprocess.run(
        [
            "bash",
            "--norc",
            "-c",
            ASK.format(words=typed, place=len(words) - 1),
            "bash",
            tmp_path / "stylekl.bash",
        ],
        env=environment({"PATH": path}),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert done.returncode == 0
    assert done.stdout.split() == offered


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not on this machine")
def test_bash_installs_it(tmp_path: Path, path: str) -> None:
    """`--install-completion`, typed in a bash, finds out which shell that is and writes to the home alone."""
    home = tmp_path / "home"
    home.mkdir()
    done = subprocess.run(
        ["bash", "--norc", "-c", "stylekl --install-completion; true"],
        env=environment({"PATH": path, "HOME": str(home)}),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert done.stderr == ""
    assert "bash completion installed in" in done.stdout
    written = sorted(each.relative_to(home).as_posix() for each in home.rglob("*") if each.is_file())
    assert written == [".bash_completions/stylekl.sh", ".bashrc"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_script_is_one_of_its_shell(shell: str, tmp_path: Path) -> None:
    """The shell itself reads it without an error."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not on this machine")
    file = tmp_path / "script"
    file.write_text(script(shell), encoding="utf-8")
    done = subprocess.run([shell, "-n", file], capture_output=True, encoding="utf-8", check=False)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="the line is for a POSIX shell")
def test_the_page_makes_a_file_that_zsh_takes_from_its_folders(tmp_path: Path, path: str) -> None:
    """The first line has to say what it completes; zsh looks at no other."""
    page = (Path(__file__).parents[2] / "docs" / "shell.md").read_text(encoding="utf-8")
    (line,) = (line for line in page.splitlines() if "source_zsh" in line)
    subprocess.run(["sh", "-c", line], cwd=tmp_path, env=environment({"PATH": path}), check=True)

    assert (tmp_path / "_stylekl").read_text(encoding="utf-8").splitlines()[0] == "#compdef stylekl"


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not on this machine")
def test_fish_completes(tmp_path: Path, path: str) -> None:
    """In a real fish: each answer with its line of the help, and files where files are read."""
    (tmp_path / "stylekl.fish").write_text(script("fish"), encoding="utf-8")
    (tmp_path / "replies.json").touch()
    lines = 'source stylekl.fish; complete -C "stylekl ma"; complete -C "stylekl matrix repl"'
    done = subprocess.run(
        ["fish", "-c", lines],
        cwd=tmp_path,
        env=environment({"PATH": path, "HOME": str(tmp_path)}),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["matrix", "replies.json"]


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not on this machine")
@pytest.mark.parametrize("installed", [False, True], ids=["a folder of fpath", "installed"])
def test_zsh_completes(tmp_path: Path, path: str, installed: bool) -> None:
    """In a real zsh, at a terminal: the tab key ends the word, and lists answers with their lines of the help."""
    home = tmp_path / "home"
    home.mkdir()
    env = {"PATH": path, "HOME": str(home), "ZDOTDIR": str(home)}
    if installed:
        line = "stylekl --install-completion; true"
        subprocess.run(["zsh", "-f", "-c", line], env=environment(env), check=True, capture_output=True)
    else:
        (home / "_stylekl").write_text(script("zsh").lstrip(), encoding="utf-8")
        (home / ".zshrc").write_text(
            "fpath=($HOME $fpath)\nautoload -U compinit && compinit -u -D\n", encoding="utf-8"
        )
    with (home / ".zshrc").open("a", encoding="utf-8") as file:
        file.write("PROMPT='ready> '\n")
    with AtKeyboard(env=env, program=("-c", "import os; os.execvp('zsh', ['zsh', '-i'])")) as user:
        user.wait("ready>")  # and the first tab key is answered
        user.press("stylekl matr\t")
        user.wait("stylekl matrix")
        user.press("\x15stylekl d\t")
        shown = user.wait("drift")

    assert "Compare each model of one file" in shown
