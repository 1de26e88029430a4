"""How the peers read: the same files, in their own process and time, into one document for each model.

The standard library's JSON is what a script of this kind uses. `python -m bench.speeding.<peer> FILE...` runs a peer.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path


def replies(paths: list[str]) -> dict[str, list[str]]:
    """Return the replies of each model in arrays of records with `generator` and `output`, plain or gzipped.

    A reply that is null or empty is left out.
    """
    found: dict[str, list[str]] = {}
    for path in paths:
        data = Path(path).read_bytes()
        for row in json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data):
            if row["output"]:
                found.setdefault(row["generator"], []).append(row["output"])
    return found


def documents(paths: list[str]) -> dict[str, str]:
    """Return one text for each model: all its replies, an empty line between two."""
    return {model: "\n\n".join(texts) for model, texts in replies(paths).items()}
