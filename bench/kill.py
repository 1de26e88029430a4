"""Kills a collection with SIGKILL at random moments, resumes it each time, and tallies what became of it.

    python bench/kill.py [--kills 50] [--seed 0]

A provider on this machine answers; it counts every request. After each kill: the journal's lines are whole but perhaps
the last, and the results file, where there is one, loads. The run that resumes asks nothing that the journal holds. At
the end every (model, prompt, condition, sample) is in the results file once.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.gather.fake import Asked, Provider, Reply, chunk, provider, said  # noqa: E402

from stylekl.gather.journal import journal_of, read  # noqa: E402
from stylekl.results import load  # noqa: E402

MODELS, PROMPTS, SAMPLES, CONDITIONS = 3, 20, 2, ("control", "told")
Question = tuple[str, str, str]


def question(asked: Asked) -> Question:
    """Return model, prompt and condition of a request."""
    messages = asked.body["messages"]
    return asked.body["model"], messages[-1]["content"], "told" if len(messages) > 1 else "control"


class Study:
    """One collection in a folder of its own."""

    def __init__(self, folder: Path, server: Provider) -> None:
        self.folder, self.server = folder, server
        prompts = "".join(f"  - {{id: p{n}, text: Say {n}}}\n" for n in range(PROMPTS))
        conditions = "conditions:\n  - {id: control}\n  - {id: told, system: Numbers are blue.}\n"
        (folder / "battery.yaml").write_text(
            f"id: kill\nversion: 1\nsamples: {SAMPLES}\n{conditions}prompts:\n{prompts}"
        )
        models = "".join(
            f"  - {{id: m{n}, provider: p{n % 2}, wire: openai-chat, base_url: '{server.url}', requested: m{n}}}\n"
            for n in range(MODELS)
        )
        (folder / "models.yaml").write_text(f"models:\n{models}")
        self.results = folder / "results.json"

    def start(self) -> subprocess.Popen[bytes]:
        """Start or resume the collection."""
        command = [sys.executable, "-m", "stylekl", "collect", "battery.yaml", "--models", "models.yaml"]
        return subprocess.Popen(
            [*command, "-o", "results.json", "--quiet"],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        )

    def journalled(self) -> Counter[Question]:
        """Return how many samples of each question the journal holds."""
        return Counter(
            (row["model"], f"Say {row['prompt'][1:]}", row["condition"])
            for row in read(journal_of(self.results))
            if "attempt" in row
        )

    def torn(self) -> bool:
        """Return whether the last line is cut; raises where another line does not parse."""
        path = journal_of(self.results)
        lines = path.read_bytes().split(b"\n") if path.exists() else [b""]
        for line in lines[:-1]:
            json.loads(line)
        return lines[-1] != b""


def main() -> None:
    """Run the tally."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    tally: Counter[str] = Counter()
    began = time.monotonic()
    with provider() as server, tempfile.TemporaryDirectory() as name:
        server.answer = lambda asked: Reply(
            parts=(chunk(delta={"content": f"{question(asked)[1]} "}), 0.05 * chance.random(), said("it is."))
        )
        while tally["killed"] < given.kills:
            folder = Path(name) / str(tally["collections"])
            folder.mkdir()
            one(Study(folder, server), given.kills, chance, tally)
            tally["collections"] += 1
    print(f"{time.monotonic() - began:.0f} s, seed {given.seed}")
    for what in (*KINDS, *(what for what in BAD if what not in KINDS)):
        print(f"{tally[what]:6,}  {what}")
    sys.exit(any(tally[what] for what in BAD))


KINDS = (
    "killed",
    "killed while asking",
    "collections",
    "torn last lines",
    "questions",
    "replies",
    "requests",
)
BAD = ("asked again although journalled", "missing", "twice", "files that do not load")


def one(study: Study, kills: int, chance: random.Random, tally: Counter[str]) -> None:
    """Kill and resume one collection until it is complete; count into the tally."""
    while True:
        before, first = study.journalled(), len(study.server.asked)
        process = study.start()
        if tally["killed"] < kills:
            if chance.random() < 0.9:  # most kills fall into the asking, some into start and end
                while len(study.server.asked) == first and process.poll() is None:
                    time.sleep(0.005)
            time.sleep(chance.random() * 0.9)
            if process.poll() is None:
                process.kill()
                tally["killed"] += 1
        process.wait()
        time.sleep(0.1)  # requests on their way are counted with this run
        asked = Counter(map(question, study.server.asked[first:]))
        tally["requests"] += asked.total()
        tally["killed while asking"] += process.returncode < 0 and asked.total() > 0
        tally["asked again although journalled"] += sum(
            max(0, number - (SAMPLES - before[which])) for which, number in asked.items()
        )
        tally["torn last lines"] += study.torn()
        if study.results.exists():
            try:
                load(study.results)
            except Exception:
                tally["files that do not load"] += 1
        if process.returncode == 0:
            break
    replies = load(study.results).replies
    found = Counter((r.model, r.prompt, r.condition, r.sample) for r in replies)
    wanted = MODELS * PROMPTS * len(CONDITIONS) * SAMPLES
    tally["questions"] += wanted
    tally["replies"] += len(replies)
    tally["missing"] += wanted - len(found)
    tally["twice"] += sum(number > 1 for number in found.values())


if __name__ == "__main__":
    main()
