"""From results to everything that the style comparisons need: selection, counts, vocabulary."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from stylekl.counts import count
from stylekl.errors import InputError, UsageError
from stylekl.facets import facet
from stylekl.lenses.reports import ModelRow, Vocabulary
from stylekl.measure.units import FEW_PROMPTS, prompt_ranks
from stylekl.measure.vocabulary import coverage, least_share, share_of, sizes, style_vocabulary
from stylekl.results import find_model, select

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stylekl.counts import Counts
    from stylekl.facets import Facet
    from stylekl.lenses.style.options import StyleOptions
    from stylekl.results import Model, Reply, Results, Selection


LITTLE = 0.1  # coverage of the vocabulary below which a warning stands beside every number


@dataclass(frozen=True, eq=False)
class Evidence:
    """The replies that count, as counts, with the style vocabulary.

    `replies[r]` is the reply of row r of `counts`; models are indices into `models`, which are sorted by id so
    that nothing depends on the order of the file.
    """

    results: Results
    options: StyleOptions
    models: list[Model]
    replies: list[Reply]
    texts: list[str]
    left_out: dict[str, dict[str, int]]
    counts: Counts
    facet: Facet
    vocabulary: NDArray[np.int64]
    vocabulary_report: Vocabulary
    ranks: NDArray[np.int64]
    warnings: tuple[str, ...] = field(default=())

    @cached_property
    def index(self) -> dict[str, int]:
        """The index of each model id."""
        return {model.id: index for index, model in enumerate(self.models)}

    def find(self, name: str) -> int:
        """Return the index of the model that `name` means; raises UnknownModelError."""
        return self.index[find_model(self.results, name).id]

    def shown(self) -> list[int]:
        """Return the indices of the models to show: those of `--models`, or all."""
        chosen = {self.find(name) for name in self.options.models}
        return [index for index in range(len(self.models)) if not chosen or index in chosen]

    def row(self, index: int) -> ModelRow:
        """Return what a model brings."""
        rows, model = self.counts.rows(index), self.models[index]
        return ModelRow(
            id=model.id,
            name=model.name or model.id,
            prompts=len(np.unique(self.counts.prompt[rows])),
            replies=rows.stop - rows.start,
            symbols=int(self.counts.lengths[rows].sum()),
            left_out=dict(sorted(self.left_out.get(model.id, {}).items())),
        )


def gather_evidence(results: Results, options: StyleOptions) -> Evidence:
    """Select, count and choose the vocabulary.

    Raises UsageError where fewer than two models have a reply that counts.
    """
    selection = select(results, condition=options.condition, topics=options.topics, prompts=options.prompts)
    models = sorted(selection.models, key=lambda model: model.id)
    place = {model.id: index for index, model in enumerate(models)}
    number = {prompt.id: index for index, prompt in enumerate(selection.prompts)}
    replies = sorted(selection.replies, key=lambda reply: (place[reply.model], number[reply.prompt]))
    texts = [reply.text for reply in replies]
    if options.plain:
        from stylekl.facets.plain import plain

        texts = [plain(text) for text in texts]
        replies, texts = _drop_empty(replies, texts, selection)
    _require_two(selection, {reply.model for reply in replies})
    how = facet(options.facet)
    places = [(place[reply.model], number[reply.prompt]) for reply in replies]
    counts = count(texts, places, how, models=len(models), prompts=len(selection.prompts))
    vocabulary = _vocabulary(counts, how, options)
    covered = coverage(counts, vocabulary)
    return Evidence(
        results=results,
        options=options,
        models=models,
        replies=replies,
        texts=texts,
        left_out=selection.left_out,
        counts=counts,
        facet=how,
        vocabulary=vocabulary,
        vocabulary_report=Vocabulary(
            facet=how.NAME,
            size=len(vocabulary),
            threshold=least_share(*sizes(counts), options.threshold),
            coverage=covered,
            source=options.vocabulary or "file",
            unit=share_of(*sizes(counts)),
        ),
        ranks=prompt_ranks([prompt.text for prompt in selection.prompts]),
        warnings=tuple(_warnings(results, selection, vocabulary, covered)),
    )


def _drop_empty(
    replies: list[Reply], texts: list[str], selection: Selection
) -> tuple[list[Reply], list[str]]:
    """Leave out the replies that were nothing but layout, and count them."""
    kept = [index for index, text in enumerate(texts) if text.strip()]
    for index in set(range(len(texts))) - set(kept):
        reasons = selection.left_out.setdefault(replies[index].model, {})
        reasons["only layout"] = reasons.get("only layout", 0) + 1
    return [replies[index] for index in kept], [texts[index] for index in kept]


def _require_two(selection: Selection, answered: set[str]) -> None:
    if len(answered) >= 2:
        return
    reasons: dict[str, int] = {}
    for left_out in selection.left_out.values():
        for reason, number in left_out.items():
            reasons[reason] = reasons.get(reason, 0) + number
    left = (
        "; left out: " + ", ".join(f"{n} {reason}" for reason, n in sorted(reasons.items()))
        if reasons
        else ""
    )
    raise UsageError(
        f"a comparison needs replies of two models; {len(answered)} of {len(selection.models)} has any{left}",
        "give the files of several models together, or choose another topic or condition",
    )


def _vocabulary(counts: Counts, how: Facet, options: StyleOptions) -> NDArray[np.int64]:
    if options.vocabulary is None:
        return style_vocabulary(counts, options.threshold)
    wanted = set(read_vocabulary(options.vocabulary, how.NAME))
    used = np.unique(counts.symbols)
    # A symbol that no reply uses adds nothing to any divergence, so it needs no column.
    return np.array(
        [identifier for identifier in used.tolist() if how.symbol(identifier) in wanted], np.int64
    )


def read_vocabulary(path: str, facet_name: str) -> list[str]:
    """Return the symbols of a vocabulary file; raises InputError where it is none, or of another facet."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        symbols = document["symbols"]
        if document["facet"] != facet_name or not all(isinstance(symbol, str) for symbol in symbols):
            raise ValueError(f"its facet is {document['facet']}")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}", "name a file that --save-vocabulary wrote") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(
            f"{path}: not a vocabulary of {facet_name}: {error}", "name a file that --save-vocabulary wrote"
        ) from None
    return list(symbols)


def vocabulary_document(evidence: Evidence) -> str:
    """Return the text of a vocabulary file: the facet and its symbols, one on a line."""
    symbols = [evidence.facet.symbol(int(identifier)) for identifier in evidence.vocabulary]
    lines = ",\n".join(f"  {json.dumps(symbol)}" for symbol in sorted(symbols))
    return f'{{\n "facet": {json.dumps(evidence.facet.NAME)},\n "symbols": [\n{lines}\n ]\n}}\n'


def _warnings(
    results: Results, selection: Selection, vocabulary: NDArray[np.int64], covered: float
) -> list[str]:
    warnings = list(results.warnings)
    prompts = len(selection.prompts)
    if prompts < FEW_PROMPTS:
        warnings.append(
            f"{prompts} prompt{'s' if prompts > 1 else ''} only: the result speaks of these and of no others"
        )
    if len(vocabulary) and covered < LITTLE:
        warnings.append(
            f"the style vocabulary covers {covered:.0%} of the text, so the divergences see little of it; "
            "more prompts would admit more symbols"
        )
    if not len(vocabulary):
        warnings.append("no symbol is common enough to compare: the file has too few prompts or replies")
    return warnings
