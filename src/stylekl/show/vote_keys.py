"""From the bytes that a keyboard sends to the names of keys."""

from __future__ import annotations

import re

ESC = 0x1B
_NAMED = {0x20: "space", 0x0D: "enter", 0x0A: "enter", 0x09: "tab", 0x03: "interrupt"}
_FINAL = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end"}
_TILDE = {"1": "home", "4": "end", "5": "pageup", "6": "pagedown", "7": "home", "8": "end"}
_SEQUENCE = re.compile(rb"\x1b(?:\[([0-?]*)[ -/]*([@-~])|O([@-~]))")
_BEGUN = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|O)?")


def decode(data: bytes) -> tuple[list[str], bytes]:
    """Return the keys in `data` by name, and what may be the beginning of one more.

    Letters are lower case. Arrows, page keys, home and end are known in the forms that terminals send; any other key,
    and a letter with Alt, is nothing. Nothing outside ASCII is a key here.
    """
    keys: list[str] = []
    place = 0
    while place < len(data):
        if data[place] == ESC:
            found = _SEQUENCE.match(data, place)
            if found is None and _BEGUN.fullmatch(data, place):
                return keys, data[place:]
            if found is None:
                # Alt and a key; some terminals send ESC ESC [ A for Alt and an arrow
                place += 1 if data[place + 1] == ESC else 2
                continue
            keys += _named(found)
            place = found.end()
            continue
        byte = data[place]
        place += 1
        if byte in _NAMED:
            keys.append(_NAMED[byte])
        elif 0x21 <= byte <= 0x7E:
            keys.append(chr(byte).lower())
    return keys, b""


def _named(found: re.Match[bytes]) -> list[str]:
    numbers, final = (found[1] or b"").decode(), (found[2] or found[3]).decode()
    # ESC [ 1 ; 5 A is an arrow with Ctrl held: the same key
    name = _TILDE.get(numbers.split(";")[0]) if final == "~" else _FINAL.get(final)
    return [name] if name else []
