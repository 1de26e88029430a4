"""What zsh needs beside typer's script: a file of a folder of $fpath is read at the first tab, and has to answer it.

Typer's script only says then who answers, and the first tab of every terminal does nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# There is a compstate only while zsh completes, so a script that is sourced answers nothing.
_ANSWER = """\
if (( $+compstate )); then
  %(complete_func)s "$@"
fi
"""


def answer_the_first_tab(arguments: Sequence[str]) -> None:
    """Let the script for zsh answer when it is read, where the program is called for a script."""
    asked = os.environ.get("_STYLEKL_COMPLETE", "").startswith("source_")
    if not asked and not {"--install-completion", "--show-completion"} & set(arguments[:1]):
        return
    from typer import _completion_classes, _completion_shared

    script = _completion_shared.COMPLETION_SCRIPT_ZSH + _ANSWER
    _completion_shared._completion_scripts["zsh"] = script  # typer has no other place for it
    _completion_classes.ZshComplete.source_template = script
