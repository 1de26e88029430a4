"""What a user sees, whole: exit code, stdout and stderr of each command, kept in `golden/`.

STYLEKL_UPDATE_GOLDEN=1 writes the files anew. An escape byte stands there as ␛, the version as VERSION.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import stylekl

from . import made
from .run import MODES, Outcome, call, run

GOLDEN = Path(__file__).parent / "golden"
PLAIN, AGAIN, LISTS = made.THREE
DRAWN = {
    "matrix": ("matrix",),
    "matrix-js": ("matrix", "--rank", "js", "--order", "name", "--ramp", "cividis"),
    "pair": ("pair", PLAIN, LISTS),
    "pair-examples": ("pair", PLAIN, LISTS, "--examples", "--tells", "4"),
    "pair-close-plain": ("pair", PLAIN, AGAIN, "--plain"),
    "focus": ("focus", "SmolLM2 formal"),
    "drift": ("drift", "smollm2", "dated.json"),
    "diff": ("diff", "old.json", "new.json", "--fail-above", ".5"),
    "matrix-baseline": ("matrix", "new.json", "--baseline", "old.json"),
    "tree": ("tree",),
    "check": ("check",),
    "who-wrote": ("who-wrote",),
    "who-wrote-text": ("who-wrote", "--text", "reply.txt"),
    "matrix-choices": ("matrix", "choices.json"),
    "matrix-sharpness": ("matrix", "choices.json", "--measure", "sharpness"),
    "pair-choices": ("pair", PLAIN, "smollm2-terse", "choices.json"),
    "focus-choices": ("focus", PLAIN, "choices.json"),
    "findings-choices": ("findings", "choices.json"),
    "drift-choices": ("drift", "smollm2", "asked-again.json", "--by", "choices"),
    "verdicts": ("verdicts", "words.json"),
    "matrix-verdicts": ("matrix", "words.json"),
    "pair-verdicts": ("pair", PLAIN, AGAIN, "words.json"),
    "focus-verdicts": ("focus", PLAIN, "words.json"),
    "findings-verdicts": ("findings", "words.json"),
    "rank-verdicts": ("rank", "words.json"),
    "matrix-judgments": ("matrix", "judgments.json"),
    "pair-judgments": ("pair", PLAIN, "smollm2-terse", "judgments.json"),
    "focus-judgments": ("focus", PLAIN, "judgments.json"),
    "findings-judgments": ("findings", "judgments.json"),
    "rank-judgments": ("rank", "judgments.json"),
    "matrix-votes": ("matrix", "votes.json"),
    "pair-votes": ("pair", PLAIN, "smollm2-formal", "votes.json"),
    "focus-votes": ("focus", PLAIN, "votes.json"),
    "findings-votes": ("findings", "votes.json"),
    "rank-votes": ("rank", "votes.json"),
    "tree-outgroup": ("tree", "--outgroup", "SmolLM2 formal", "--measure", "kl"),
}
WRITTEN = {
    "matrix-json": ("matrix", "three.json", "--json", "--quiet"),
    "matrix-choices-json": ("matrix", "choices.json", "--json", "--quiet"),
    "matrix-sharpness-json": ("matrix", "choices.json", "--measure", "sharpness", "--json", "--quiet"),
    "pair-choices-json": ("pair", PLAIN, "smollm2-terse", "choices.json", "--json"),
    "focus-votes-json": ("focus", PLAIN, "votes.json", "--json"),
    "rank-votes-json": ("rank", "votes.json", "--json"),
    "pair-judgments-json": ("pair", PLAIN, "smollm2-terse", "judgments.json", "--json"),
    "rank-judgments-json": ("rank", "judgments.json", "--json"),
    "matrix-judgments-json": ("matrix", "judgments.json", "--measure", "score", "--json"),
    "rank-verdicts-json": ("rank", "words.json", "--json"),
    "pair-verdicts-json": ("pair", PLAIN, AGAIN, "words.json", "--json"),
    "findings-choices-json": ("findings", "choices.json", "--json"),
    "drift-choices-json": ("drift", "smollm2", "asked-again.json", "--by", "choices", "--json"),
    "probe-dry-run": ("probe", "pairs", "--models", "models.yaml", "-o", "out.json", "--dry-run"),
    "matrix-csv": ("matrix", "three.json", "--csv"),
    "matrix-markdown": ("matrix", "three.json", "--markdown"),
    "pair-csv": ("pair", PLAIN, LISTS, "three.json", "--csv"),
    "drift-json": ("drift", "smollm2", "dated.json", "--last", "--json", "--fail-if-apart"),
    "diff-csv": ("diff", "old.json", "new.json", "--csv"),
    "tree-json": ("tree", "three.json", "--json", "--quiet"),
    "tree-csv": ("tree", "three.json", "--csv"),
    "tree-newick": ("tree", "three.json", "--newick"),
    "findings": ("findings", "three.json"),
    "findings-json": ("findings", "three.json", "--json", "--quiet"),
    "who-wrote-json": ("who-wrote", "three.json", "--text", "reply.txt", "--json", "--quiet"),
    "who-wrote-csv": ("who-wrote", "three.json", "--csv"),
    "focus-recognise": ("focus", "SmolLM2 plain", "--recognise", "--tells", "3"),
    "focus-markdown": ("focus", LISTS, "three.json", "--markdown"),
    "init": ("init", "my-study"),
    "check-json": ("check", "three.json", "--json"),
    "collect-dry-run": ("collect", "battery.yaml", "--models", "models.yaml", "-o", "out.json", "--dry-run"),
    "battery-check": ("battery", "check", "everyday"),
    "battery-check-one-word": ("battery", "check", "one-word", "--width", "44"),
    "battery-check-json": ("battery", "check", "one-word", "--against", "one-word", "--json"),
    "schema-matrix": ("schema", "matrix"),
    "config-show": ("config", "--show"),
}
HELP = (
    *(
        "",
        "matrix",
        "pair",
        "focus",
        "findings",
        "schema",
        "config",
        "tree",
        "drift",
        "diff",
        "init",
        "who-wrote",
    ),
    *("battery", "battery check", "collect", "check", "cache", "cache info", "cache clear"),
)
ERRORS = {
    "no-command": (),
    "unknown-command": ("matrx",),
    "unknown-option": ("matrix", "--colour", "never"),
    "unknown-model": ("focus", "SmolLM2 fromal"),
    "ambiguous-model": ("focus", "smollm2-p"),
    "unknown-outgroup": ("tree", "--outgroup", "SmolLM2 fromal"),
    "no-siblings": ("drift", PLAIN, "dated.json", "old.json"),
    "no-gate": ("diff", "old.json", "new.json", "--junit", "gate.xml"),
    "same-model": ("pair", PLAIN, "SmolLM2 plain"),
    "missing-argument": ("pair", PLAIN),
    "missing-file": ("matrix", "none.json"),
    "not-json": ("matrix", "broken.json"),
    "two-forms": ("matrix", "--json", "--csv"),
    "bad-colour": ("matrix", "--color", "nevr"),
    "unknown-topic": ("matrix", "--topic", "nonsense"),
}


def golden(name: str, blocks: list[tuple[str, Outcome]]) -> tuple[str, str]:
    """Return what the file says and what the runs did, after writing the file where that is asked for."""
    parts = [
        f"$ {command}\nexit {done.code}\n-- stdout\n{done.out}-- stderr\n{done.err}\n"
        for command, done in blocks
    ]
    found = "".join(parts).replace("\x1b", "␛").replace(f'"{stylekl.__version__}"', '"VERSION"')
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("STYLEKL_UPDATE_GOLDEN") == "1":
        path.write_text(found, encoding="utf-8")
    return path.read_text(encoding="utf-8"), found


def line(arguments: tuple[str, ...], *before: str) -> str:
    quoted = (f'"{argument}"' if " " in argument else argument for argument in arguments)
    return " ".join([*before, "stylekl", *quoted])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_the_golden_one(name: str, mode: str) -> None:
    """Each command on the shipped sample at 60, 80 and 120 columns, in each kind of colour and in ASCII."""
    env, options = MODES[mode]
    made.provide(DRAWN[name])
    blocks = []
    for width in ("60", "80", "120"):
        arguments = (*DRAWN[name], "--width", width, *options)
        blocks.append(
            (line(arguments, *(f"{key}={value}" for key, value in env.items())), call(*arguments, env=env))
        )
    kept, found = golden(f"{name}.{mode}", blocks)

    assert kept == found


@pytest.mark.parametrize("mode", MODES)
def test_a_process_of_its_own_draws_the_same(mode: str) -> None:
    """What was drawn before in another kind of colour leaves nothing behind in the styles of the next."""
    env, options = MODES[mode]
    arguments = (*DRAWN["focus"], "--width", "80", *options)

    assert call(*arguments, env=env) == run(*arguments, env=env)


@pytest.mark.parametrize("name", WRITTEN)
def test_a_document_is_the_golden_one(name: str) -> None:
    """JSON, CSV and Markdown of three models of the sample, a schema, the settings."""
    made.write(made.sample(made.THREE), "three.json")
    made.provide(WRITTEN[name])
    kept, found = golden(name, [(line(WRITTEN[name]), call(*WRITTEN[name]))])

    assert kept == found


@pytest.mark.parametrize("command", HELP)
def test_help_is_the_golden_one(command: str) -> None:
    """The help of the program and of each command, at 60 and at 80 columns (wider is not used)."""
    arguments = (*command.split(), "--help")
    blocks = [
        (line(arguments, f"COLUMNS={width}"), call(*arguments, env={"COLUMNS": width}))
        for width in ("60", "80")
    ]
    kept, found = golden(f"help-{command.replace(' ', '-') or 'stylekl'}", blocks)

    assert kept == found


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_is_the_golden_one(name: str) -> None:
    """What goes wrong most: each with its exit code, on stderr."""
    Path("broken.json").write_text('{"format": "stylekl/1",\n "models": [}', encoding="utf-8")
    made.provide(ERRORS[name])
    kept, found = golden(f"error-{name}", [(line(ERRORS[name]), call(*ERRORS[name]))])

    assert kept == found


def test_no_golden_file_is_left_over() -> None:
    """Every file in the folder belongs to a test."""
    names = {f"{name}.{mode}" for name in DRAWN for mode in MODES} | set(WRITTEN)
    names |= {f"help-{command.replace(' ', '-') or 'stylekl'}" for command in HELP}
    names |= {f"error-{name}" for name in ERRORS}

    assert {path.stem for path in GOLDEN.iterdir()} == names
