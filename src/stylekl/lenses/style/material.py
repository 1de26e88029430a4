"""From results to the texts that style looks at: which replies count, and what is taken off them first."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, overload

from stylekl.errors import UsageError
from stylekl.facets.taking import taking
from stylekl.facets.texts import Texts
from stylekl.measure.units import FEW_PROMPTS, prompt_digest, prompt_ranks
from stylekl.results import find_model, select
from stylekl.results.store import picked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from stylekl.facets.match_length import Cut
    from stylekl.lenses.style.options import StyleOptions
    from stylekl.results import Model, Prompt, Reply, Results, Selection


@dataclass(eq=False)
class Material:
    """The replies that count and their texts, before anything is counted.

    `texts[i]` is what is compared of `replies[i]`, given by model `where[i, 0]` to prompt `where[i, 1]`; models are
    sorted by id, prompts by a hash of their text and replies by place, so that nothing depends on the order of the
    file. `removed` says how many replies of each model something was taken off, by what it was. Replies that lie on the
    disk are read there, and their texts prepared, each time that they are asked for. Where the replies were counted
    elsewhere, `replies` and `texts` are empty, and `copies` says how many long texts each pair of models (a < b)
    shares.
    """

    results: Results
    models: list[Model]
    prompts: list[Prompt]
    replies: Sequence[Reply]
    texts: Texts
    where: NDArray[np.int32]
    left_out: dict[str, dict[str, int]]
    removed: dict[str, dict[str, int]]
    warnings: list[str] = field(default_factory=list)
    copies: Mapping[tuple[int, int], int] | None = None

    @cached_property
    def index(self) -> dict[str, int]:
        """The index of each model id."""
        return {model.id: index for index, model in enumerate(self.models)}

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """The rank of each prompt by the hash of its text."""
        return prompt_ranks([prompt.text for prompt in self.prompts])

    @cached_property
    def samples(self) -> NDArray[np.int64]:
        """The models × prompts table of how many replies each model gave to each prompt."""
        import numpy as np

        samples = np.zeros((len(self.models), len(self.prompts)), np.int64)
        np.add.at(samples, tuple(self.where.T), 1)
        return samples

    @cached_property
    def unspaced(self) -> float:
        """The share of letters in scripts without spaces, over at most 200 replies spread over the file."""
        from stylekl.facets.pieces import unspaced_share

        texts = self.texts.texts
        chosen = texts[:: max(1, len(texts) // 200)]
        return sum(map(unspaced_share, chosen)) / len(chosen)

    def find(self, name: str) -> int:
        """Return the index of the model that `name` means; raises UnknownModelError."""
        return self.index[find_model(self.results, name).id]


def has_data(results: Results) -> bool:
    """Return whether two models have a reply that may count, to an open prompt."""
    barred = {p.id for p in results.prompts if p.kind not in ("open", None) or p.retired is not None}
    writers: set[str] = set()
    for reply in results.replies:
        if (
            reply.model not in writers
            and reply.prompt not in barred
            and not reply.flags
            and reply.text.strip()
        ):
            writers.add(reply.model)
            if len(writers) > 1:
                return True
    return False


def prompt_order(prompt: Prompt) -> tuple[bytes, str]:
    """Return what prompts are sorted by: sums in another order differ in their last bits."""
    return prompt_digest(prompt.text), prompt.id


def gather_material(results: Results, options: StyleOptions) -> Material:
    """Select the replies and prepare their texts.

    In this order: reasoning, leading white space and leaked special tokens are taken off (unless
    `options.keep_thinking`), layout with `options.plain`, and with `options.match_length` replies are cut to a common
    length. Raises UsageError where fewer than two models have a reply left.
    """
    import numpy as np

    selection = select(results, condition=options.condition, topics=options.topics, prompts=options.prompts)
    models = sorted(selection.models, key=lambda model: model.id)
    place = {model.id: index for index, model in enumerate(models)}
    prompts = sorted(selection.prompts, key=prompt_order)
    number = {prompt.id: index for index, prompt in enumerate(prompts)}
    flat = (index for r in selection.replies for index in (place[r.model], number[r.prompt]))
    where = np.fromiter(flat, np.int32, 2 * len(selection.replies)).reshape(-1, 2)
    order = np.lexsort(where.T[::-1])
    ordered = picked(selection.replies, array("q", order.astype(np.int64).tobytes()))
    prepared = _prepared(ordered, options, selection.left_out)
    replies, texts = prepared.replies, prepared.texts
    where = where[order][np.array(prepared.kept, np.int64)]
    warnings = [*results.warnings, *selection.warnings, *few(len(selection.prompts))]
    if options.match_length:
        from stylekl.facets.match_length import cut_to_common_length

        cut = cut_to_common_length(list(texts), where[:, 1].tolist())
        texts = list(cut.texts)
        warnings += _of_cut(cut, [models[index].id for index in where[:, 0].tolist()])
    require_two(selection, len(np.unique(where[:, 0])))
    return Material(
        results=results,
        models=models,
        prompts=prompts,
        replies=replies,
        texts=Texts(texts),
        where=where,
        left_out=selection.left_out,
        removed=prepared.removed,
        warnings=warnings,
    )


class _Prepared(NamedTuple):
    """The replies that have a text left, their texts, their places among all, and what was taken off by model."""

    replies: Sequence[Reply]
    texts: Sequence[str]
    kept: array[int]
    removed: dict[str, dict[str, int]]


def _prepared(
    replies: Sequence[Reply], options: StyleOptions, left_out: dict[str, dict[str, int]]
) -> _Prepared:
    """Take off what is no part of the answer and count it; leave out, and count, replies of which nothing remains."""
    take = taking(keep_thinking=options.keep_thinking, plain=options.plain)
    held = isinstance(replies, list)
    removed: dict[str, Counter[str]] = {}
    kept = array("q")
    texts: list[str] = []
    for index, reply in enumerate(replies):
        taken = take(reply.text)
        if taken.removed:
            removed.setdefault(reply.model, Counter()).update(taken.removed)
        if taken.lost:
            reasons = left_out.setdefault(reply.model, {})
            reasons[taken.lost] = reasons.get(taken.lost, 0) + 1
            continue
        kept.append(index)
        if held:
            texts.append(taken.text)
    if len(kept) < len(replies):
        replies = picked(replies, kept)
    return _Prepared(
        replies,
        texts if held else _TextsOf(replies, lambda text: take(text).text),
        kept,
        {model: dict(sorted(counts.items())) for model, counts in removed.items()},
    )


class _TextsOf(Sequence[str]):
    """The texts of replies on the disk, prepared as they are asked for."""

    def __init__(self, replies: Sequence[Reply], prepare: Callable[[str], str]) -> None:
        self._replies, self._prepare = replies, prepare

    def __len__(self) -> int:
        return len(self._replies)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        return self._prepare(self._replies[place].text)

    def __iter__(self) -> Iterator[str]:
        return (self._prepare(reply.text) for reply in self._replies)


def _of_cut(cut: Cut, writers: list[str]) -> list[str]:
    """Return what a cut to common length took, and what to beware of."""
    said = [
        f"replies were cut to a common length, {cut.common:,.0f} characters (median over the prompts): "
        f"{cut.kept:.0%} of the text is left"
    ]
    setting = Counter(writers[place] for place in cut.shortest)
    name, most = min(setting.items(), key=lambda item: (-item[1], item[0]), default=("", 0))
    if most > len(cut.shortest) * 2 / 3:
        said.append(f"{name} sets the common length of {most} of {len(cut.shortest)} prompts")
    replies, short = Counter(writers), Counter(writers[place] for place in cut.short)
    said += [
        f"{short[name]} of {replies[name]} replies of {name} were too short to cut: its length still differs"
        for name in sorted(short)
        if short[name] > replies[name] / 2
    ]
    return said


def require_two(selection: Selection, answered: int) -> None:
    """Raise UsageError where fewer than two models of a selection have `answered`, with what was left out."""
    if answered >= 2:
        return
    reasons: Counter[str] = Counter()
    for left_out in selection.left_out.values():
        reasons.update(left_out)
    left = (
        "; left out: " + ", ".join(f"{n} {reason}" for reason, n in sorted(reasons.items()))
        if reasons
        else ""
    )
    raise UsageError(
        f"a comparison needs replies of two models; {answered} of {len(selection.models)} has any{left}",
        "give the files of several models together, or choose another topic or condition",
    )


def few(prompts: int) -> list[str]:
    """Return the warning that there are few prompts, where they are fewer than 10."""
    if prompts >= FEW_PROMPTS:
        return []
    return [f"{prompts} prompt{'s' if prompts > 1 else ''} only: the result speaks of these and of no others"]
