"""Pages for the tests, each made once: of the sample, of other evidence, and of results that mean harm."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

from stylekl.lenses.everything import FLOORS, Everything, Wanted, everything
from stylekl.lenses.registry import lens, present
from stylekl.lenses.style.evidence import gather_evidence
from stylekl.lenses.style.options import StyleOptions
from stylekl.results import Results, load
from stylekl.results.default import sample_path
from stylekl.show.json import envelope
from stylekl.show.page.document import report_data
from stylekl.show.page.left_out import left_out
from stylekl.show.page.render import page
from tests.cli import lens_files, made

if TYPE_CHECKING:
    from pathlib import Path

# What a model, a prompt and a reply may be called and hold. Each would act somewhere if it were let.
HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "javascript:alert(3)",
    "<svg onload=alert(4)><title>",
    "<img src=x onerror=alert(5)>",
    "{{ 7 * 7 }}{% raw %}${alert(6)}",
    "abc\u202edef\u2066ghi",
    "]]><!-- --><![CDATA[",
    'nul\x00" onmouseover="alert(7)',
    "'; alert(8); '\u2028\u2029",
    "&lt;b&gt;&amp;\ufffe\uffff",
    "constructor",
    "__proto__",
)


def asked(results: Results, wanted: Wanted | None = None, **options: Any) -> Everything:
    """Return what every lens that has data says, under its own defaults."""
    names = list(present(results))
    evidence = gather_evidence(results, StyleOptions(**options)) if "style" in names else None
    others = {name: lens(name).Options() for name in names if name != "style"}
    return everything(results, evidence, others, wanted)


def document_of(found: Everything, title: str | None = None) -> str:
    """Return the JSON of a report."""
    data = report_data(found, title=title, left=left_out(found))
    return envelope("report", found.params, [_SOURCE], data, found.warnings, version="0.0")


_SOURCE = {"path": "results.json", "sha256": "0" * 64, "form": "native"}


def page_of(found: Everything, title: str | None = None) -> str:
    """Return the page of a report."""
    return page(found, document_of(found, title), title=title, sources=[_SOURCE], version="0.0")


@cache
def sample_report() -> Everything:
    """Return what every lens says of the sample."""
    return asked(load(sample_path()))


@cache
def sample_page() -> str:
    """Return the page of the sample."""
    return page_of(sample_report())


def loaded(document: dict[str, Any], folder: Path) -> Results:
    """Return results from a document."""
    path = folder / "results.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return load(path)


LENSES = {
    "votes": lens_files.votes,
    "choices": lens_files.choices,
    "judgments": lens_files.judgments,
    "verdicts": made.one_word,
}


@cache
def lens_report(name: str) -> Everything:
    """Return what every lens says of a file with one kind of evidence beside style, or (`lenses`) with several."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for each in LENSES if name == "lenses" else (name,):
            paths.append(Path(folder) / f"{each}.json")
            paths[-1].write_text(json.dumps(LENSES[each]()), encoding="utf-8")
        return asked(load(*paths))


@cache
def report_page(name: str) -> str:
    """Return the page of `lens_report`."""
    return page_of(lens_report(name))


def many(count: int) -> dict[str, Any]:
    """Return results of many writers with few words each."""
    words = ("rain snow wind cloud sun fog hail storm frost mist dew ice " * 2).split()
    return {
        "format": "stylekl/1",
        "models": [{"id": f"writer-{i:02}"} for i in range(count)],
        "prompts": [{"id": f"p{p}", "text": f"Say something about number {p}."} for p in range(12)],
        "replies": [
            {
                "model": f"writer-{i:02}",
                "prompt": f"p{p}",
                "text": " ".join(words[(i * k + p * k * k) % (3 + i)] for k in range(1, 40)) + ".",
            }
            for i in range(count)
            for p in range(12)
        ],
    }


def crowd(count: int) -> Everything:
    """Return a report of `count` models, made from what the sample says of six."""
    report = sample_report()
    whole = report.lenses["style"]
    ids = [f"a-model-with-a-name-of-usual-length-{i:03}" for i in range(count)]
    rows = [replace(whole.matrix.models[i % 6], id=name, name=name) for i, name in enumerate(ids)]
    kinds = whole.matrix.pairs
    pairs = tuple(
        replace(kinds[(7 * k) % len(kinds)], a=a, b=b, floor=None)
        for k, (a, b) in enumerate(combinations(ids, 2))
    )
    matrix = replace(whole.matrix, models=tuple(rows), order=tuple(ids), pairs=pairs, clusters=(tuple(ids),))
    asked_alone = [*whole.focus.values()]
    focus = {}
    for i, name in enumerate(ids):
        one = asked_alone[i % 6]
        held = one.style.neighbours
        others = [other for other in ids if other != name]
        near = tuple(
            replace(
                held[min(k, 4)],
                model=other,
                name=other,
                rank=k + 1,
                rank_low=max(k - 5, 1),
                rank_high=min(k + 9, count),
                floor=held[0].floor if k < FLOORS else None,
            )
            for k, other in enumerate(others)
        )
        focus[name] = replace(one, model=rows[i], style=replace(one.style, neighbours=near, facets=()))
    changed = replace(whole, matrix=matrix, focus=focus, pairs={}, tree=None, paired=False)
    return replace(report, lenses={"style": changed})


def hostile() -> dict[str, Any]:
    """Return six writers whose names, prompts and replies try to act on the page."""
    texts = made.sample()
    prompts = texts["prompts"][:12]
    writers = [model["id"] for model in texts["models"]]
    named = dict(zip(writers, HOSTILE, strict=False))
    for place, prompt in enumerate(prompts):
        prompt["topic"] = HOSTILE[place % len(HOSTILE)]
    kept = {prompt["id"] for prompt in prompts}
    replies = [
        reply | {"model": named[reply["model"]], "text": f"{_spoken(reply)} {reply['text']}"}
        for reply in texts["replies"]
        if reply["prompt"] in kept
    ]
    models = [
        {"id": named[writer], "name": f"{named[writer]} {HOSTILE[-1 - i]}"}
        for i, writer in enumerate(writers)
    ]
    return texts | {"prompts": prompts, "models": models, "replies": replies}


def _spoken(reply: dict[str, Any]) -> str:
    """Return words that become a tell of some writers, in every reply of theirs."""
    return " ".join(HOSTILE[i] for i in range(len(HOSTILE)) if (len(reply["model"]) + i) % 3 == 0)


def hostile_lenses(folder: Path) -> Everything:
    """Return what every lens says where models, words, topics, judges and questions try to act on the page."""
    paths = []
    for name, made_of in LENSES.items():
        document = made_of()
        told = {
            text
            for key in ("models", "prompts", "envelopes")
            for each in document.get(key, ())
            for text in _held(each)
        }
        told |= {
            text for key in ("pairs", "judgments") for each in document.get(key, ()) for text in _held(each)
        }
        told |= {condition["id"] for condition in document.get("conditions", ())}
        fixed = {"drawn", "tie", "A", "B", "one_word", "control", "", *_FIXED}
        called = {
            text: f"{HOSTILE[place % len(HOSTILE)]} {text}" for place, text in enumerate(sorted(told - fixed))
        }
        paths.append(folder / f"{name}.json")
        paths[-1].write_text(json.dumps(_turned(document, called)), encoding="utf-8")
    return asked(load(*paths))


_FIXED = ("{a} or {b}",)
_NAMES = ("id", "name", "text", "topic", "theme", "family", "judge")


def _held(row: dict[str, Any]) -> list[str]:
    """Return the texts of a row that are free: what it is called, what it asks, its words."""
    words = [word for held in row.get("words", {}).values() for word in held]
    return [row[name] for name in _NAMES if isinstance(row.get(name), str)] + words


def _turned(value: Any, called: dict[str, str]) -> Any:
    """Return plain values with every text that is called something else so called, wherever it stands."""
    if isinstance(value, dict):
        return {
            called.get(key, key) if key != "text" else key: _turned(item, called)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_turned(item, called) for item in value]
    return called.get(value, value) if isinstance(value, str) else value
