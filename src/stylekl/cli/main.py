"""The program: its commands, and what becomes of an error, a broken pipe or Ctrl-C.

Exit codes: 0 done, 1 a gate or check failed, 2 usage or bad input, 3 internal, 4 could not tell (gates only),
130 Ctrl-C, 141 broken pipe.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import Annotated, Any

import typer

from stylekl.cli import config
from stylekl.cli.commands import Program
from stylekl.cli.completing import answer_the_first_tab
from stylekl.errors import StyleklError
from stylekl.text import visible

app = typer.Typer(
    name="stylekl",
    help="How far language models are from each other, what gives each away, and how sure one can be.",
    epilog="Example: stylekl matrix results.json",
    no_args_is_help=True,
    cls=Program,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        from stylekl import __version__

        typer.echo(f"stylekl {__version__}")
        raise typer.Exit


@app.callback()
def program(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """How far language models are from each other, what gives each away, and how sure one can be."""


def main(arguments: list[str] | None = None) -> None:
    """Run the program and leave with its exit code; errors go to stderr as `error:` and `hint:`."""
    _end_quietly_with_the_pipe()
    _write_what_can_be_written()
    # Matrices here are small: threads cost CPU, and the last bits must not depend on the number of cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Files are hundreds of thousands of records that stay: looking through them for garbage again and again is a third
    # of the time.
    gc.set_threshold(100_000, 20, 100)
    given = sys.argv[1:] if arguments is None else arguments
    answer_the_first_tab(given)
    code = _outcome(given)
    try:
        sys.stdout.flush()
    except OSError as error:
        code = _report(f"standard output: {error.strerror}", "free some space, or write elsewhere", 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _outcome(arguments: list[str]) -> int:
    try:
        result: Any = app(
            arguments, prog_name="stylekl", standalone_mode=False, default_map=config.default_map(arguments)
        )
    except StyleklError as error:
        _trace(arguments)
        return _report(error.message, error.hint, error.exit_code)
    except typer.TyperException as error:
        return _usage(error)
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:
        return 141
    except OSError as error:
        _trace(arguments)
        where = visible(str(error.filename)) if error.filename else "standard output"
        return _report(f"{where}: {error.strerror}", "check the path, its permissions and the space left", 2)
    except Exception as error:
        _trace(arguments)
        return _report(f"internal: {type(error).__name__}: {error}", "--debug shows where it happened", 3)
    return result if isinstance(result, int) else 0


def _usage(error: Any) -> int:
    context: Any = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(context.get_help())
        return 2
    command = context.command_path if context is not None else "stylekl"
    hint = config.origin(context, getattr(error, "param", None)) or f"{command} --help"
    return _report(error.format_message().rstrip("."), hint, getattr(error, "exit_code", 2))


def _report(message: str, hint: str, code: int) -> int:
    lines = [_masked(f"error: {message}")] + ([f"hint: {hint}"] if hint else [])
    sys.stderr.write("".join(visible(line) + "\n" for line in lines))
    return code


def _trace(arguments: list[str]) -> None:
    if "--debug" in arguments:
        import traceback

        sys.stderr.write(
            "".join(visible(line) + "\n" for line in _masked(traceback.format_exc()).splitlines())
        )


def _masked(text: str) -> str:
    """Take keys out of a text, where any were read."""
    keys = sys.modules.get("stylekl.gather.keys")
    return keys.mask(text) if keys else text


def _write_what_can_be_written() -> None:
    """Let a character that the encoding of a stream lacks leave as an escape rather than as an error."""
    import io

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _end_quietly_with_the_pipe() -> None:
    """Let `stylekl … | head` end as coreutils do: silently, by the signal."""
    import signal
    import threading

    if hasattr(signal, "SIGPIPE") and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
