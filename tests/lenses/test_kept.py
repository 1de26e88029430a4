"""Evidence that was kept answers as the evidence of the files does, to the last bit."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.counts import blocks
from stylekl.errors import UsageError
from stylekl.lenses.style import StyleOptions, focus, matrix, pair
from stylekl.lenses.style.evidence import Evidence, Known, gather_evidence
from stylekl.lenses.style.kept import evidence_from, known_pairs, material_of, pairs_of, whole, whole_pairs
from stylekl.results import Model, Prompt, Reply, Results
from tests.lenses.make import APART, make_results

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = bytes(32)
WORD = st.sampled_from(
    [
        "the",
        "of",
        "Honestly,",
        "**bold**",
        "\n\n- item",
        "naïve",
        "日本",
        "12",
        "river bank",
        "I'm",
        "<think>x</think>",
    ]
)
TEXT = st.lists(WORD, max_size=12).map(" ".join) | st.just("the same long answer " * 8)


@st.composite
def results(draw: st.DrawFn) -> Results:
    """Draw two to five models that answer some of the prompts, some of them several times."""
    models, prompts = draw(st.integers(2, 5)), draw(st.integers(1, 14))
    found = Results(
        models=[Model(id=f"m{9 - number}", name=f"M {number}") for number in range(models)],
        prompts=[
            Prompt(id=f"p{number}", text=f"Tell of the river {number % 9}.") for number in range(prompts)
        ],
    )
    for model in found.models:
        for prompt in found.prompts:
            for sample in range(draw(st.sampled_from([0, 1, 1, 1, 2]))):
                found.replies.append(Reply(model=model.id, prompt=prompt.id, text=draw(TEXT), sample=sample))
    return found


OPTIONS = st.builds(
    StyleOptions,
    facet=st.sampled_from(["tokens", "words", "marks"]),
    plain=st.booleans(),
    keep_thinking=st.booleans(),
    match_length=st.booleans(),
    threshold=st.sampled_from([0.02, 0.3]),
    skew=st.sampled_from([0.99, 0.8]),
    seed=st.integers(0, 2),
    text=st.booleans(),
    rank=st.sampled_from(["kl", "js"]),
    cache=st.just(False),
    jobs=st.just(1),
)


@contextmanager
def written(path: Path, evidence: Evidence) -> Iterator[tuple[blocks.Entry, blocks.Entry]]:
    """Keep what is known of evidence, and open it."""
    with ExitStack() as stack:
        found = []
        for name, content in (("pairs", pairs_of(evidence.known)), ("material", material_of(evidence))):
            blocks.write(path / name, KEY, content)
            entry = blocks.find(path / name, KEY)
            assert entry is not None
            stack.callback(entry.close)
            found.append(entry)
        yield found[0], found[1]


@settings(max_examples=25, deadline=None)
@given(results(), OPTIONS, OPTIONS)
def test_every_pair_and_focus_is_the_same_from_what_was_kept(
    given_results: Results, options: StyleOptions, other: StyleOptions
) -> None:
    """Also under other options that change neither texts nor symbols."""
    try:
        fresh = gather_evidence(given_results, options)
    except UsageError:
        return
    ids = [model.id for model in given_results.models]
    expected = {couple: pair(given_results, *couple, evidence=fresh) for couple in combinations(ids, 2)}
    around = {name: focus(given_results, name, evidence=fresh) for name in ids}
    if not (whole(fresh) and whole_pairs(fresh.known)):
        return
    with TemporaryDirectory() as folder, written(Path(folder), fresh) as (pairs, material):
        for (a, b), report in expected.items():
            kept = evidence_from(material, options, known_pairs(pairs), (a, b))
            assert repr(pair(kept.results, a, b, evidence=kept)) == repr(report)
            swapped = pair(given_results, b, a, evidence=fresh)
            assert repr(pair(kept.results, b, a, evidence=kept)) == repr(swapped)
        kept = evidence_from(material, options, known_pairs(pairs), None)
        assert repr({name: focus(kept.results, name, evidence=kept) for name in ids}) == repr(around)
        assert [*kept.texts] == [*fresh.texts]
        assert [*kept.replies] == [
            Reply(model=reply.model, prompt=reply.prompt, text=reply.text) for reply in fresh.replies
        ]


def test_what_an_earlier_question_found_of_all_pairs_is_not_found_again() -> None:
    """A matrix tells a pair p, kinship and copies, and the answers are the same."""
    made = make_results(APART | {"four": ("of", 0.3)}, samples=2)
    options = StyleOptions()
    before = gather_evidence(made, options).by_prompt()
    matrix(made, evidence=before)
    assert whole_pairs(before.known)
    assert not whole(before)
    asked = gather_evidence(made, options)
    vars(asked.known).update(vars(before.known))
    report = pair(made, "one", "three", evidence=asked)

    assert asked.known.kinship is before.known.kinship
    assert repr(report) == repr(pair(made, "one", "three", options))


@pytest.mark.parametrize("models", [2, 3, 4])
def test_kinship_is_kept_where_there_is_any(models: int, tmp_path: Path) -> None:
    """Below four models there is none, with the same reason."""
    made = make_results({f"m{number}": ("delve", number / 9) for number in range(models)})
    fresh = gather_evidence(made, StyleOptions())
    report = pair(made, "m0", "m1", evidence=fresh)
    with written(tmp_path, fresh) as (pairs, material):
        known = known_pairs(pairs)
        kept = evidence_from(material, StyleOptions(), known, ("m0", "m1"))
        assert repr(pair(kept.results, "m0", "m1", evidence=kept)) == repr(report)

    assert (known.kinship is None) == (models < 4)
    assert (report.style.pair.kinship_undefined is None) == (models > 3)


def test_texts_are_read_when_they_are_asked_for(tmp_path: Path) -> None:
    """A damaged block of texts is known to be then, and no sooner."""
    made = make_results(APART, prompts=100)
    fresh = gather_evidence(made, StyleOptions())
    pair(made, "one", "two", evidence=fresh)
    with written(tmp_path, fresh) as (pairs, _):
        known = known_pairs(pairs)
    path = tmp_path / "material"
    data = path.read_bytes()
    at = data.index(fresh.texts[0].encode())
    path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    entry = blocks.find(path, KEY)
    assert entry is not None
    kept = evidence_from(entry, StyleOptions(), known, None)

    assert kept.texts[-1] == fresh.texts[-1]
    with pytest.raises(blocks.Damaged):
        kept.texts[0]
    entry.close()


def test_nothing_is_kept_before_everything_was_asked_for() -> None:
    evidence = gather_evidence(make_results(APART), StyleOptions())
    assert not whole(evidence)
    assert not whole_pairs(evidence.known)
    assert whole_pairs(Known(p={}, copies={}))


def test_floors_are_the_same_in_one_thread_and_in_several() -> None:
    """Of a model among many and of all pairs, where some prompts were answered by few."""
    made = make_results({f"m{number}": ("delve", number / 30) for number in range(9)}, prompts=15)
    made.replies = [reply for place, reply in enumerate(made.replies) if place not in range(3, 9)]
    made.replies[-40].text *= 5
    one, two = (StyleOptions(jobs=jobs, floor=True, facets=False) for jobs in (1, 2))

    assert repr(focus(made, "m2", one)) == repr(focus(made, "m2", two))
    assert repr(matrix(made, one)) == repr(matrix(made, two))
    single = {neighbour.model: neighbour.floor for neighbour in focus(made, "m2", two).style.neighbours}
    assert single == {name: pair(made, "m2", name, one).style.pair.floor for name in single}
