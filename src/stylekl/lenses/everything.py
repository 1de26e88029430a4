"""Every lens asked for all that it can say of a file, for a page that shows it together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from stylekl.errors import UnknownModelError, UsageError
from stylekl.lenses.findings import FindingsReport, conclude
from stylekl.lenses.registry import lens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from stylekl.lenses.claims import Inquiry
    from stylekl.lenses.style.evidence import Evidence
    from stylekl.lenses.style.tree import TreeReport
    from stylekl.results import Results

PAIRED = 12  # models up to which every pair is asked; beyond, the nearest pairs and those named
FOCUSED = 100  # models up to which every model is asked; beyond, those named
NEAREST = 12  # pairs
FLOORS = 8  # neighbours of a model that get a floor where not every pair is asked


@dataclass(frozen=True, slots=True)
class LensAnswers:
    """What one lens says: all pairs, single models and single pairs by id, and a ranking and a tree where it has them.

    A report is missing where the lens has too little to say; `matrix` is null then. `focused` and `paired` say whether
    every model and every pair was asked.
    """

    name: str
    matrix: Any | None
    focus: Mapping[str, Any]
    pairs: Mapping[tuple[str, str], Any]
    rank: Any | None = None
    tree: TreeReport | None = None
    focused: bool = True
    paired: bool = True


@dataclass(frozen=True, slots=True)
class Everything:
    """What every lens says, and what the file supports.

    The parameters are those of the first lens, with those of the others under their names.
    """

    lenses: Mapping[str, LensAnswers]
    findings: FindingsReport | None
    params: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """Models and pairs that are asked whatever their number, by any name that they answer to."""

    models: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()


def everything(
    results: Results,
    evidence: Evidence | None,
    others: Mapping[str, Any],
    wanted: Wanted | None = None,
    progress: Callable[[str], None] = lambda _text: None,
) -> Everything:
    """Return all reports: the style lens's on `evidence` (null: none is wanted), the others' under their options.

    `progress` is told what is being asked. A lens, or a question, that has too little to answer is left out with a
    warning. Raises UnknownModelError for a name in `wanted`, UsageError where no lens has an answer.
    """
    wanted = wanted or Wanted()
    asked: dict[str, LensAnswers] = {}
    inquiries: list[Inquiry] = []
    warnings: list[str] = []
    lenses: dict[str, Callable[[], tuple[LensAnswers, Inquiry]]] = {}
    if evidence is not None:
        lenses["style"] = lambda: _style(results, evidence, wanted, progress)
    for name, options in others.items():
        lenses[name] = lambda name=name, options=options: _other(results, name, options, wanted, progress)  # type: ignore[misc]
    for name, ask in lenses.items():
        try:
            asked[name], inquiry = ask()
            inquiries.append(inquiry)
        except UnknownModelError:
            raise
        except UsageError as error:
            if len(lenses) == 1:
                raise
            warnings.append(f"nothing by {name}: {error.message}")
    if not asked:
        raise UsageError(
            "no lens has anything to say of these results", "`stylekl check` says what is in them"
        )
    if warnings:
        inquiries[0] = replace(inquiries[0], warnings=(*warnings, *inquiries[0].warnings))
    found = conclude(inquiries)
    told = [w for answers in asked.values() if answers.matrix is not None for w in answers.matrix.warnings]
    return Everything(asked, found, found.params, tuple(dict.fromkeys([*found.warnings, *told])))


def _style(
    results: Results, evidence: Evidence, wanted: Wanted, progress: Callable[[str], None]
) -> tuple[LensAnswers, Inquiry]:
    from stylekl.lenses.style import focus, inquire, matrix, pair
    from stylekl.lenses.style.study import Study
    from stylekl.lenses.style.tree import tree

    shown = evidence.shown()
    study = Study(evidence, [*combinations(shown, 2)])
    whole = matrix(results, evidence=evidence, study=study)
    ids = [evidence.models[i].id for i in shown]

    def find(name: str) -> str:
        return evidence.models[evidence.find(name)].id

    nearest = None if len(ids) <= PAIRED else FLOORS
    near = sorted(whole.pairs, key=lambda p: (p.js is None, p.js.value if p.js else 0.0, p.a, p.b))
    answers = LensAnswers(
        name="style",
        matrix=whole,
        focus=_answers(
            _models(ids, wanted, find),
            lambda each: focus(results, each, evidence=evidence, study=study, nearest=nearest),
            lambda text: progress(f"style: model {text} …"),
        ),
        pairs=_answers(
            _pairs(ids, [(p.a, p.b) for p in near if p.js is not None], wanted, find),
            lambda each: pair(results, *each, evidence=evidence, study=study),
            lambda text: progress(f"style: pair {text} …"),
        ),
        tree=_or_none(lambda: tree(results, evidence=evidence)),
        focused=len(ids) <= FOCUSED,
        paired=len(ids) <= PAIRED,
    )
    return answers, inquire(results, evidence=evidence)


def _other(
    results: Results, name: str, options: Any, wanted: Wanted, progress: Callable[[str], None]
) -> tuple[LensAnswers, Inquiry]:
    from stylekl.results.find import find_model

    home = lens(name)
    whole = _or_none(lambda: home.matrix(results, options))
    ids = [] if whole is None else [model.id for model in whole.models]

    def find(given: str) -> str:
        return find_model(results, given).id

    pairs = getattr(whole, "pairs", ())
    near = sorted((p for p in pairs if p.value is not None), key=lambda p: (p.value, p.a, p.b))
    answers = LensAnswers(
        name=name,
        matrix=whole,
        focus=_answers(
            _models(ids, wanted, find),
            lambda each: home.focus(results, each, options),
            lambda text: progress(f"{name}: model {text} …"),
        ),
        pairs=_answers(
            _pairs(ids, [(p.a, p.b) for p in near], wanted, find),
            lambda each: home.pair(results, *each, options),
            lambda text: progress(f"{name}: pair {text} …"),
        ),
        rank=_or_none(lambda: home.rank(results, options)) if hasattr(home, "rank") else None,
        focused=len(ids) <= FOCUSED,
        paired=len(ids) <= PAIRED,
    )
    return answers, home.inquire(results, options)


def _models(ids: Sequence[str], wanted: Wanted, find: Callable[[str], str]) -> list[str]:
    """Return the models to ask: all where they are few, else those named."""
    named = {find(name) for name in wanted.models}
    return [each for each in ids if len(ids) <= FOCUSED or each in named]


def _pairs(
    ids: Sequence[str], near: Sequence[tuple[str, str]], wanted: Wanted, find: Callable[[str], str]
) -> list[tuple[str, str]]:
    """Return the pairs to ask: all where there are few models, else the nearest and those named."""
    named = [tuple(sorted((find(a), find(b)))) for a, b in wanted.pairs]
    known = set(ids)
    chosen = list(combinations(sorted(ids), 2)) if len(ids) <= PAIRED else [*near[:NEAREST], *named]
    return [pair for pair in dict.fromkeys((a, b) for a, b in chosen) if known.issuperset(pair)]


def _answers(
    keys: Sequence[Any], ask: Callable[[Any], Any], progress: Callable[[str], None]
) -> dict[Any, Any]:
    """Return the reports by what they are of, without those that a lens has too little for."""
    found = {}
    for place, key in enumerate(keys, 1):
        progress(f"{place} of {len(keys)}")
        found[key] = _or_none(lambda key=key: ask(key))  # type: ignore[misc]
    return {key: report for key, report in found.items() if report is not None}


def _or_none(ask: Callable[[], Any]) -> Any | None:
    try:
        return ask()
    except UnknownModelError:
        raise
    except UsageError:
        return None
