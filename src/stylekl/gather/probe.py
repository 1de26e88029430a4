"""A probe: pairs of words in envelopes, as a battery of their distinct texts. Identical texts are asked once."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stylekl.errors import UnknownChoiceError
from stylekl.gather.battery import Battery, Condition, Prompt
from stylekl.gather.envelopes import envelope_record, load_envelopes
from stylekl.gather.pairs_file import load_pairs, pair_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stylekl.gather.ask import Writer
    from stylekl.lenses.choices.words import Envelope, WordPair
    from stylekl.results import records

KIND = "choice"
SAMPLES = 5  # at a provider's default temperature; at temperature 0 one sample says it all
ORDERS = ("ab", "ba")
_NAMED = "choice:"


@dataclass(frozen=True, slots=True)
class Use:
    """What a text is: a pair in an envelope, in one order.

    `also` are further envelopes that say the same of the pair.
    """

    pair: str
    envelope: str
    order: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Probe(Battery):
    """A battery of the distinct texts; `fixed` is the number of samples where the user gave one."""

    pairs: tuple[WordPair, ...] = ()
    envelopes: tuple[Envelope, ...] = ()
    fixed: int | None = None

    def samples_of(self, writer: Writer, *, rejected: bool = False) -> int:
        """Return the samples of a writer: one at temperature 0, five at any other and where 0 is not taken."""
        if self.fixed is not None:
            return self.fixed
        return 1 if writer.temperature == 0 and not rejected else SAMPLES

    @property
    def asked(self) -> dict[str, list[str]]:
        """What is asked, by the ids that a results file knows it by."""
        return {
            "prompts": [],
            "conditions": [],
            "pairs": [pair.id for pair in self.pairs],
            "envelopes": [envelope.id for envelope in self.envelopes],
        }

    @property
    def probe(self) -> dict[str, Any]:
        """Pairs and envelopes as records."""
        return {
            "pairs": [pair_record(pair) for pair in self.pairs],
            "envelopes": [envelope_record(envelope) for envelope in self.envelopes],
        }

    @property
    def content(self) -> dict[str, Any]:
        """What the probe says, as JSON can hold it; the texts follow from it."""
        return {
            "id": self.id,
            "version": self.version,
            "kind": KIND,
            "instruction": None,
            "length": None,
            "cap": self.cap,
            "samples": self.fixed,
            "prompts": [],
            "conditions": [],
            **self.probe,
        }

    @property
    def digest(self) -> str:
        """The sha256 of `content` as JSON with sorted keys and without white space."""
        text = json.dumps(self.content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def records(self) -> tuple[list[records.Prompt], list[records.Condition]]:
        """Return no prompts and no conditions: a results file has pairs and envelopes instead."""
        return [], []

    def texts_of(self, pairs: Iterable[str]) -> tuple[str, ...]:
        """Return the ids of the texts of some pairs; raises UnknownChoiceError for one that is not asked."""
        known = [pair.id for pair in self.pairs]
        wanted = set(pairs)
        for name in wanted:
            if name not in known:
                raise UnknownChoiceError("pair", name, known, where="in the pairs file")
        found = uses_of(self.pairs, self.envelopes)
        return tuple(text for text, uses in found.items() if any(use.pair in wanted for use in uses))


def uses_of(pairs: Sequence[WordPair], envelopes: Sequence[Envelope]) -> dict[str, list[Use]]:
    """Return what each distinct text is, by its id.

    Of envelopes that say the same of a pair the first stands for all.
    """
    found: dict[str, list[Use]] = {}
    for text, uses in _texts(pairs, envelopes).items():
        found[text_id(text)] = uses
    return found


def text_id(text: str) -> str:
    """Return the id of a text, the same wherever it comes from."""
    return _NAMED + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _texts(pairs: Sequence[WordPair], envelopes: Sequence[Envelope]) -> dict[str, list[Use]]:
    texts: dict[str, list[Use]] = {}
    for pair in pairs:
        said = {each.id: (each.text(pair), each.text(pair, swapped=True)) for each in envelopes}
        groups: dict[tuple[str, str], list[str]] = {}
        for envelope, both in said.items():
            groups.setdefault(both, []).append(envelope)
        for both, (first, *others) in groups.items():
            for order, text in zip(ORDERS, both, strict=True):
                texts.setdefault(text, []).append(Use(pair.id, first, order, tuple(others)))
    return texts


def make_probe(
    pairs_path: str,
    *,
    envelopes_path: str | None = None,
    envelopes: Sequence[str] = (),
    pairs: Sequence[str] = (),
    samples: int | None = None,
) -> Probe:
    """Return the probe that a pairs file and envelopes make, narrowed to the ids that are named.

    Raises InputError for either file, UnknownChoiceError for an id that neither has.
    """
    asked = load_pairs(pairs_path)
    known = load_envelopes(envelopes_path)
    chosen = _chosen("envelope", known, envelopes, "among the envelopes")
    words = _chosen("pair", asked.pairs, pairs, "in the pairs file")
    texts = _texts(words, chosen)
    prompts = tuple(Prompt(text_id(text), text, kind=KIND) for text in texts)
    return Probe(
        id=asked.id,
        version=asked.version,
        kind=KIND,
        prompts=prompts,
        conditions=(Condition("control"),),
        samples=SAMPLES if samples is None else samples,
        cap=asked.cap,
        source=asked.source,
        pairs=words,
        envelopes=chosen,
        fixed=samples,
    )


def _chosen(kind: str, known: Sequence[Any], wanted: Sequence[str], where: str) -> tuple[Any, ...]:
    ids = [each.id for each in known]
    for name in wanted:
        if name not in ids:
            raise UnknownChoiceError(kind, name, ids, where=where)
    return tuple(each for each in known if not wanted or each.id in wanted)


def distinct(probe: Probe) -> tuple[int, int]:
    """Return the least and the greatest number of distinct envelopes that a pair of the probe has."""
    counts = dict.fromkeys((pair.id for pair in probe.pairs), 0)
    for uses in uses_of(probe.pairs, probe.envelopes).values():
        for use in uses:
            counts[use.pair] += use.order == ORDERS[0]
    return min(counts.values()), max(counts.values())


def as_words(probe: Probe) -> dict[str, tuple[str, str]]:
    """Return the two words of each text, in the order in which it says them."""
    pairs = {pair.id: pair for pair in probe.pairs}
    envelopes = {each.id: each for each in probe.envelopes}
    found = {}
    for text, (use, *_) in _texts(probe.pairs, probe.envelopes).items():
        a, b = pairs[use.pair].said(envelopes[use.envelope].words)
        found[text] = (a, b) if use.order == ORDERS[0] else (b, a)
    return found


def warnings_of(probe: Probe, writers: Iterable[Writer]) -> list[str]:
    """Return what is allowed and rarely meant."""
    from stylekl.results.nodes import parse_node

    found = [
        f"{writer.id}: the name says temperature 0, and the models file does not: it is asked at the provider's default"
        for writer in writers
        if parse_node(writer.id).protocol == "deterministic" and writer.temperature != 0
    ]
    if probe.fixed is not None and probe.fixed > 1 and probe.fixed % 2 == 0:
        found.append(
            f"{probe.fixed} samples can be split evenly between two words: then neither has a majority"
        )
    return found
