"""Results as hypothesis draws them, and small ones written by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from stylekl.results import Condition, Model, Prompt, Reply, Results

if TYPE_CHECKING:
    from pathlib import Path

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
numbers = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
# fields that no record has; "" and "\u2028" are keys as good as any
unknown = st.dictionaries(texts.map(lambda key: f"x{key}"), values, max_size=3)


@st.composite
def results(draw: st.DrawFn) -> Results:
    """Results that one file may hold: ids are unique, replies name what is there, samples are numbered."""
    models = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    prompts = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    conditions = draw(st.lists(names, max_size=2, unique=True))
    identities = draw(
        st.lists(
            st.tuples(st.sampled_from(models), st.sampled_from(prompts), st.integers(1, 3)),
            unique=True,
            max_size=6,
        )
    )
    return Results(
        models=[Model(id=m, name=draw(st.none() | texts), unknown=draw(unknown)) for m in models],
        prompts=[Prompt(id=p, text=draw(texts), tags=draw(st.lists(texts, max_size=2))) for p in prompts],
        conditions=[
            Condition(id=c, suffix=draw(texts) if place else None) for place, c in enumerate(conditions)
        ],
        replies=[
            Reply(
                model=m,
                prompt=p,
                sample=sample,
                text=draw(texts),
                condition=draw(st.sampled_from([None, *conditions])),
                flags=draw(st.lists(texts, max_size=2)),
                extra=draw(unknown),
                unknown=draw(unknown),
            )
            for m, p, sample in identities
        ],
        other=draw(
            st.dictionaries(st.sampled_from(["pairs", "archive"]), st.lists(unknown, min_size=1, max_size=2))
        ),
        unknown=draw(unknown),
    )


def write(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a file and return its path."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def write_json(folder: Path, name: str, value: Any) -> Path:
    """Write a value as JSON, making the folders on the way, and return the path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return write(path.parent, path.name, json.dumps(value))


def write_lines(folder: Path, name: str, *rows: Any) -> Path:
    """Write JSON Lines, making the folders on the way, and return the path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return write(path.parent, path.name, "".join(json.dumps(row) + "\n" for row in rows))


def small(**changes: Any) -> dict[str, Any]:
    """Return the JSON of a small results file."""
    return {
        "format": "stylekl/1",
        "models": [{"id": "a"}, {"id": "b", "name": "Bee"}],
        "prompts": [{"id": "p1", "text": "One?", "topic": "t"}, {"id": "p2", "text": "Two?"}],
        "replies": [
            {"model": "a", "prompt": "p1", "text": "A one"},
            {"model": "b", "prompt": "p1", "text": "B one"},
        ],
    } | changes
