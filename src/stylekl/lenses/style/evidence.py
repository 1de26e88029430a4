"""The material counted in one facet, with its style vocabulary: everything that the style comparisons need."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from stylekl.counts import count
from stylekl.counts.cache import count_cached
from stylekl.counts.pooling import pooled
from stylekl.errors import InputError, UsageError, WorkerError
from stylekl.facets import FACETS, facet
from stylekl.lenses.reports import ModelRow, Vocabulary
from stylekl.lenses.style.material import Material, gather_material
from stylekl.measure.comparison import least_replies
from stylekl.measure.units import FEW_PROMPTS, common_prompts
from stylekl.measure.vocabulary import coverage, least_share, share_of, sizes, style_vocabulary

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from stylekl.counts import Counts
    from stylekl.counts.ahead import Ahead
    from stylekl.facets import Facet
    from stylekl.lenses.style.options import StyleOptions
    from stylekl.measure.kinship import Kinship
    from stylekl.results import Model, Reply, Results


LITTLE = 0.1  # coverage of the vocabulary below which a warning stands beside every number
UNSPACED = 0.05  # share of letters in scripts without spaces above which words are said to be characters
LEAST_EVER = 3  # no symbol in fewer replies is looked at by anything but kinship


@dataclass(eq=False)
class Known:
    """What was found of every pair of models (a < b, indices) in one facet; null where it was not yet asked for."""

    p: dict[tuple[int, int], float] | None = None
    kinship: Kinship | None = None
    copies: dict[tuple[int, int], int] | None = None


@dataclass(frozen=True, eq=False)
class Evidence:
    """The replies that count, as counts of one facet's symbols, with the style vocabulary.

    `replies[r]` is the reply of row r of `counts`, `texts[r]` what was counted of it; models are indices into
    `models`, which are sorted by id so that nothing depends on the order of the file. `others` holds the evidence in
    further facets that `in_facet` has made of the same material, `known` what a study found of all pairs.
    """

    material: Material
    options: StyleOptions
    counts: Counts
    facet: Facet
    vocabulary: NDArray[np.int64]
    vocabulary_report: Vocabulary
    warnings: tuple[str, ...] = ()
    others: dict[str, Evidence] = field(default_factory=dict)
    known: Known = field(default_factory=Known)

    @property
    def results(self) -> Results:
        """The results that all of this came from."""
        return self.material.results

    @property
    def models(self) -> list[Model]:
        """All models of the file, by id."""
        return self.material.models

    @property
    def replies(self) -> Sequence[Reply]:
        """The reply of each row."""
        return self.material.replies

    @property
    def texts(self) -> Sequence[str]:
        """The text of each row, as it was counted."""
        return self.material.texts.texts

    @property
    def left_out(self) -> dict[str, dict[str, int]]:
        """How many replies of each model do not count, by reason."""
        return self.material.left_out

    @property
    def ranks(self) -> NDArray[np.int64]:
        """The rank of each prompt by the hash of its text."""
        return self.material.ranks

    @property
    def index(self) -> dict[str, int]:
        """The index of each model id."""
        return self.material.index

    def find(self, name: str) -> int:
        """Return the index of the model that `name` means; raises UnknownModelError."""
        return self.material.find(name)

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
            replies=int(self.material.samples[index].sum()),
            symbols=int(self.counts.lengths[rows].sum()),
            left_out=dict(sorted(self.left_out.get(model.id, {}).items())),
            removed=self.material.removed.get(model.id, {}),
        )

    def by_prompt(self) -> Evidence:
        """Return the evidence with the replies to each prompt added up, where no comparison looks at single ones.

        Enough for a matrix, and smaller where there are many replies to a prompt: who asks for no more can let go of
        this one. `replies` and `texts` are no longer those of the rows.
        """
        common = common_prompts(self.material.samples)
        if ((common > 0) & (common < FEW_PROMPTS) & ~np.eye(len(common), dtype=bool)).any():
            return self
        return replace(self, counts=pooled(self.counts), others={})

    def in_facet(self, name: str, along: Collection[str] = tuple(FACETS)) -> Evidence:
        """Return the same replies counted in another facet, with a vocabulary of its own; made once.

        `along` are the facets that will be asked for after it: they may be counted in the same pass.
        """
        if name == self.facet.NAME:
            return self
        if name not in self.others:
            self.material.texts.expected = [other for other in along if other not in self.others]
            self.others[name] = count_evidence(
                self.material, replace(self.options, facet=name, vocabulary=None), self.others
            )
        return self.others[name]


def gather_evidence(results: Results, options: StyleOptions, ahead: Ahead | None = None) -> Evidence:
    """Select, count and choose the vocabulary; `ahead` may know the counts of texts already.

    Raises UsageError where fewer than two models have a reply that counts, for an unknown facet, and where kinship is
    asked for in a facet that it is not calibrated on.
    """
    facet(options.facet)  # an unknown one is said before any work
    require_calibrated(options)
    return count_evidence(gather_material(results, options), options, {}, ahead)


def require_calibrated(options: StyleOptions) -> None:
    """Raise UsageError where kinship is asked for in a facet that it is not calibrated on."""
    if "kinship" in (options.measure, options.rank) and options.facet != "tokens":
        raise UsageError(
            f"kinship is calibrated on tokens, not on {options.facet}", "drop --facet, or measure kl or js"
        )


def count_evidence(
    material: Material, options: StyleOptions, others: dict[str, Evidence], ahead: Ahead | None = None
) -> Evidence:
    """Count the material in the facet of `options` and choose the vocabulary."""
    how = facet(options.facet)
    return of_counts(_counted(material, how, options, ahead), material, how, options, others)


def of_counts(
    counts: Counts,
    material: Material,
    how: Facet,
    options: StyleOptions,
    others: dict[str, Evidence],
    admitted: NDArray[np.int64] | None = None,
) -> Evidence:
    """Choose the vocabulary of counts of the material in the facet `how`, and return them as evidence.

    `admitted` is a vocabulary that was chosen by the share of replies.
    """
    vocabulary = _vocabulary(counts, how, options) if admitted is None else admitted
    covered = coverage(counts, vocabulary)
    evidence = Evidence(
        material=material,
        options=options,
        counts=counts,
        facet=how,
        vocabulary=vocabulary,
        vocabulary_report=Vocabulary(
            facet=how.NAME,
            size=len(vocabulary),
            threshold=least_share(*sizes(counts), options.threshold),
            coverage=covered,
            source=options.vocabulary or "file",
            unit=share_of(*sizes(counts)) if admitted is None else "replies",
        ),
        warnings=(*material.warnings, *_warnings(material, how, vocabulary, covered)),
        others=others,
    )
    others[how.NAME] = evidence
    return evidence


def _counted(material: Material, how: Facet, options: StyleOptions, ahead: Ahead | None) -> Counts:
    try:
        return (count_cached if options.cache else count)(
            material.texts,
            material.where,
            how,
            models=len(material.models),
            prompts=len(material.prompts),
            least=_least(material.samples, options),
            jobs=options.jobs,
            ahead=ahead,
        )
    except WorkerError as error:
        first, last = (
            f'the reply of "{reply.model}" to prompt "{reply.prompt}"'
            for reply in (material.replies[error.rows[0]], material.replies[error.rows[-1]])
        )
        raise WorkerError(error.rows, error.how, (first, last)) from None


def _least(samples: NDArray[np.int64], options: StyleOptions) -> int:
    """Return how often a symbol must occur in all replies for anything to look at it.

    Neither the vocabulary nor the exchange test of any pair can admit one that occurs less often. For a vocabulary
    that was given it is 3: what occurs less often counts as "other".
    """
    if options.vocabulary is not None:
        return LEAST_EVER
    together = common_prompts(samples)
    of_each = together.diagonal()[together.diagonal() > 0]
    common = together[np.triu_indices(len(samples), 1)]
    units = int(min(common[common > 0], default=0))
    pair = least_replies(2 * units) if units else LEAST_EVER
    most = samples.max(axis=0)
    prompts, replies = int(np.count_nonzero(most)), int(most.sum())
    admitted = least_share(prompts, replies, options.threshold) * int(of_each.min()) * len(of_each)
    if share_of(prompts, replies) != "prompts":
        admitted = LEAST_EVER
    return max(LEAST_EVER, min(pair, int(admitted)))


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


def _warnings(material: Material, how: Facet, vocabulary: NDArray[np.int64], covered: float) -> list[str]:
    warnings: list[str] = [*getattr(how, "warnings", ())]
    if len(vocabulary) and covered < LITTLE:
        warnings.append(
            f"the style vocabulary covers {covered:.0%} of the text, so the divergences see little of it; "
            "more prompts would admit more symbols"
        )
    if not len(vocabulary):
        warnings.append("no symbol is common enough to compare: the file has too few prompts or replies")
    if how.NAME in ("words", "phrases", "rhythm", "openings") and (share := material.unspaced) > UNSPACED:
        warnings.append(
            f"{share:.0%} of the letters are of scripts without spaces: there a word is one character"
        )
    return warnings
