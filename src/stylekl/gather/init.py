"""The files one starts from: a battery, a models file and an example of the file of keys, all with comments."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path

from stylekl.errors import InputError

# file written -> template, mode
FILES = {
    "battery.yaml": ("battery.yaml", 0o666),
    "models.yaml": ("models.yaml", 0o666),
    ".env.example": ("env.example", 0o600),  # its copy .env then has the mode that keys need
}


def write_start(folder: str | Path) -> list[Path]:
    """Write battery.yaml, models.yaml and .env.example into a folder, made where it is missing; return their paths.

    The folder may hold other files, and none of these three. Raises InputError, with nothing left written, where one is
    there (whatever it is) or cannot be written.
    """
    target = Path(folder)
    there = [name for name in FILES if os.path.lexists(target / name)]
    if there:
        raise InputError(
            f"{target / there[0]}: is there already; nothing is overwritten",
            "name another folder (`stylekl init FOLDER`), or move it",
        )
    written: list[Path] = []
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name, (template, mode) in FILES.items():
            data = (files("stylekl") / "gather" / "templates" / template).read_bytes()
            path = target / name
            with open(path, "xb", opener=lambda place, flags, mode=mode: os.open(place, flags, mode)) as file:  # type: ignore[misc]
                written.append(path)
                file.write(data)
    except OSError as error:
        for path in written:
            path.unlink(missing_ok=True)
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise InputError(f"{error.filename or target}: {reason}", "name another folder") from None
    return written
