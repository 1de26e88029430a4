"""What the figures were measured on."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "scipy", "tiktoken", "gigatoken", "scikit-learn", "scattertext", "dask")
BUSY = 0.5  # a load average above this disturbs the figures
_ASK = """
import importlib.metadata as metadata, json, sys
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = metadata.version(name)
    except metadata.PackageNotFoundError:
        pass
print(json.dumps(found))
"""


def versions(python: str) -> dict[str, str]:
    """Return the packages of PACKAGES that an interpreter has, with their versions; none where it cannot be run."""
    try:
        done = subprocess.run([python, "-c", _ASK, *PACKAGES], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return {}
    return json.loads(done.stdout)


def machine(peers: str | None, *, quick: bool) -> dict[str, Any]:
    """Return the machine, the versions and the load before the run; `peers` is the interpreter of the peers."""
    from datetime import UTC, datetime

    load = os.getloadavg()[0]
    own = versions(sys.executable)
    others = versions(peers) if peers else {}
    for name in others.keys() - own.keys():  # measured there, with what is there
        beside = " and ".join(f"{package} {others[package]}" for package in PACKAGES[:2] if package in others)
        own[name] = f"{others[name]} (with {beside})"
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": _cpu(),
        "cores": _cores(),
        "system": f"{platform.system()} {platform.machine()}",
        "versions": {"Python": platform.python_version()} | own,
        "load": load,
        "load_after": None,
        "disturbed": load > BUSY,
        "quick": quick,
    }


def after(about: dict[str, Any]) -> dict[str, Any]:
    """Return the machine with the load at the end; above the number of cores it is not of our own making alone."""
    load = os.getloadavg()[0]
    return about | {
        "load_after": load,
        "disturbed": about["disturbed"] or load > about["cores"] + BUSY,
    }


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cpu() -> str:
    """Return the name of the processor as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().split("\n")
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or "unknown processor")
