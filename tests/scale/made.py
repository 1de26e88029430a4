"""Files to be split, and what the splits must give: what one process gets from the whole files."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from stylekl.counts.pooling import pooled
from stylekl.counts.scale.engine import Here, count_splits
from stylekl.counts.scale.mapping import Counting
from stylekl.counts.scale.plan import planned
from stylekl.lenses.style import StyleOptions, matrix
from stylekl.lenses.style.copies import copies
from stylekl.lenses.style.evidence import gather_evidence
from stylekl.lenses.style.scaled import finish, scaled_evidence
from stylekl.results import Reading, load
from stylekl.show.json import matrix_data

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from stylekl.counts import Counts
    from stylekl.counts.scale.engine import Counted, Engine

_WORDS = [
    "the",
    "a",
    "of",
    "to",
    "and",
    "river",
    "stone",
    "light",
    "under",
    "over",
    "never",
    "always",
    "maybe",
]
_WORDS += ["because", "however", "small", "great"]


def told(writer: int, prompt: int, sample: int = 0, length: int = 30) -> str:
    """Return a text that depends on who wrote it, so that models differ."""
    random = np.random.default_rng([writer, prompt, sample])
    weights = np.linspace(1, 2 + writer, len(_WORDS))
    chosen = random.choice(_WORDS, size=length + prompt % 7, p=weights / weights.sum())
    return " ".join(chosen.tolist()) + (" — naïve 日本語." if prompt % 5 == writer else ".")


def rows(models: Sequence[str], prompts: int, samples: int = 1) -> list[dict[str, Any]]:
    """Return records with a model, a prompt and a reply; one reply of the first model is a copy, one is reasoning."""
    found = []
    for writer, model in enumerate(models):
        for prompt in range(prompts):
            for sample in range(samples):
                text = told(writer, prompt, sample)
                if prompt == 3:
                    text = told(99, prompt)
                if prompt == 4 and writer == 0:
                    text = "<think>hm</think>" + text
                found.append({"model": model, "prompt": f"question {prompt}?", "response": text})
    return found


def write_lines(path: Path, records: Sequence[dict[str, Any]], end: str = "\n") -> Path:
    """Write a record a line."""
    text = end.join(json.dumps(record, ensure_ascii=False) for record in records) + end
    path.write_text(text, encoding="utf-8", newline="")
    return path


def parquet(path: Path, records: list[dict[str, Any]], groups: int) -> Path:
    """Write records as Parquet, so many rows a group."""
    import pyarrow as pa
    from pyarrow.parquet import write_table

    write_table(pa.Table.from_pylist(records), path, row_group_size=groups)
    return path


def scaled(
    files: Sequence[str | Path],
    size: int,
    options: StyleOptions | None = None,
    engine: Engine | None = None,
    reading: Reading | None = None,
    groups: int | None = None,
) -> Counted:
    """Return the counts of files in splits of so many bytes."""
    options = options or StyleOptions()
    reading = reading or Reading()
    plan = planned([str(each) for each in files], size, reading)
    how = Counting(
        groups=groups,
        reading=reading,
        keep_thinking=options.keep_thinking,
        plain=options.plain,
        given=plan.given,
    )
    return count_splits(engine or Here(), plan, how, reading.names)


@dataclass(frozen=True)
class Compared:
    """What one process and the splits come to, as plain values: equal where all is right."""

    one: dict[str, Any]
    splits: dict[str, Any]


def compared(files: Sequence[str | Path], counted: Counted, options: StyleOptions | None = None) -> Compared:
    """Return all that a matrix is made of, by one process and by splits."""
    options = options or StyleOptions(jobs=1, cache=False)
    evidence = gather_evidence(load(*map(str, files)), options)
    material = evidence.material
    places = list(zip(evidence.counts.model.tolist(), evidence.counts.prompt.tolist(), strict=True))
    one = _values(material, evidence.counts) | {
        "copies": dict(copies(evidence.replies, places)),
        "vocabulary": evidence.vocabulary.tolist(),
    }
    found, counts = finish(counted, options)
    theirs = scaled_evidence(counted, options)
    splits = _values(found, counts) | {
        "copies": dict(found.copies or {}),
        "vocabulary": theirs.vocabulary.tolist(),
    }
    one["data"] = matrix_data(matrix(evidence.results, evidence=evidence))
    splits["data"] = matrix_data(matrix(theirs.results, evidence=theirs))
    return Compared(one, splits)


def _values(material: Any, counts: Counts) -> dict[str, Any]:
    return {
        "models": material.models,
        "prompts": material.prompts,
        "left_out": {name: dict(sorted(each.items())) for name, each in material.left_out.items()},
        "removed": material.removed,
        "warnings": material.warnings,
        "samples": material.samples.tolist(),
        **values_of(pooled(counts)),
    }


def values_of(counts: Counts) -> dict[str, Any]:
    """Return the fields of counts as lists."""
    found = {}
    for field in fields(counts):
        value = getattr(counts, field.name)
        found[field.name] = value.tolist() if isinstance(value, np.ndarray) else value
    return found
