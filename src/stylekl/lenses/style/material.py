"""From results to the texts that style looks at: which replies count, and what is taken off them first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from stylekl.errors import UsageError
from stylekl.facets.texts import Texts
from stylekl.measure.units import FEW_PROMPTS, prompt_ranks
from stylekl.results import find_model, select

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stylekl.facets.match_length import Cut
    from stylekl.lenses.style.options import StyleOptions
    from stylekl.results import Model, Prompt, Reply, Results, Selection


@dataclass(eq=False)
class Material:
    """The replies that count and their texts, before anything is counted.

    `texts[i]` is what is compared of `replies[i]`, given by model `places[i][0]` to prompt `places[i][1]`; models are
    sorted by id and replies by place, so that nothing depends on the order of the file. `removed` says how many
    replies of each model something was taken off, by what it was.
    """

    results: Results
    models: list[Model]
    prompts: list[Prompt]
    replies: list[Reply]
    texts: Texts
    places: list[tuple[int, int]]
    left_out: dict[str, dict[str, int]]
    removed: dict[str, dict[str, int]]
    warnings: list[str] = field(default_factory=list)

    @cached_property
    def index(self) -> dict[str, int]:
        """The index of each model id."""
        return {model.id: index for index, model in enumerate(self.models)}

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """The rank of each prompt by the hash of its text."""
        return prompt_ranks([prompt.text for prompt in self.prompts])

    @cached_property
    def where(self) -> NDArray[np.int32]:
        """The places as an array, (R, 2)."""
        import numpy as np

        return np.array(self.places, np.int32).reshape(-1, 2)

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


def gather_material(results: Results, options: StyleOptions) -> Material:
    """Select the replies and prepare their texts.

    In this order: reasoning, leading white space and leaked special tokens are taken off (unless
    `options.keep_thinking`), layout with `options.plain`, and with `options.match_length` replies are cut to a common
    length. Raises UsageError where fewer than two models have a reply left.
    """
    selection = select(results, condition=options.condition, topics=options.topics, prompts=options.prompts)
    models = sorted(selection.models, key=lambda model: model.id)
    place = {model.id: index for index, model in enumerate(models)}
    number = {prompt.id: index for index, prompt in enumerate(selection.prompts)}
    replies = sorted(selection.replies, key=lambda reply: (place[reply.model], number[reply.prompt]))
    texts = [reply.text for reply in replies]
    removed: dict[str, dict[str, int]] = {}
    if not options.keep_thinking:
        texts, removed = _cleaned(replies, texts)
        replies, texts = _drop_empty(replies, texts, selection, "only reasoning")
    if options.plain:
        from stylekl.facets.plain import plain

        texts = [plain(text) for text in texts]
        replies, texts = _drop_empty(replies, texts, selection, "only layout")
    warnings = [*results.warnings, *_few(len(selection.prompts))]
    if options.match_length:
        from stylekl.facets.match_length import cut_to_common_length

        cut = cut_to_common_length(texts, [number[reply.prompt] for reply in replies])
        texts = list(cut.texts)
        warnings += _of_cut(cut, [reply.model for reply in replies])
    _require_two(selection, {reply.model for reply in replies})
    return Material(
        results=results,
        models=models,
        prompts=selection.prompts,
        replies=replies,
        texts=Texts(texts),
        places=[(place[reply.model], number[reply.prompt]) for reply in replies],
        left_out=selection.left_out,
        removed=removed,
        warnings=warnings,
    )


def _cleaned(replies: list[Reply], texts: list[str]) -> tuple[list[str], dict[str, dict[str, int]]]:
    """Take off what is no part of the answer, and count it by model."""
    from stylekl.facets.cleaning import clean

    removed: dict[str, Counter[str]] = {}
    cleaned = []
    for reply, text in zip(replies, texts, strict=True):
        found = clean(text)
        cleaned.append(found.text)
        if found.removed:
            removed.setdefault(reply.model, Counter()).update(found.removed)
    return cleaned, {model: dict(sorted(counts.items())) for model, counts in removed.items()}


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


def _drop_empty(
    replies: list[Reply], texts: list[str], selection: Selection, reason: str
) -> tuple[list[Reply], list[str]]:
    """Leave out the replies of which nothing remained, and count them."""
    kept = [index for index, text in enumerate(texts) if text and not text.isspace()]
    if len(kept) == len(texts):
        return replies, texts
    for index in set(range(len(texts))) - set(kept):
        reasons = selection.left_out.setdefault(replies[index].model, {})
        reasons[reason] = reasons.get(reason, 0) + 1
    return [replies[index] for index in kept], [texts[index] for index in kept]


def _require_two(selection: Selection, answered: set[str]) -> None:
    if len(answered) >= 2:
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
        f"a comparison needs replies of two models; {len(answered)} of {len(selection.models)} has any{left}",
        "give the files of several models together, or choose another topic or condition",
    )


def _few(prompts: int) -> list[str]:
    if prompts >= FEW_PROMPTS:
        return []
    return [f"{prompts} prompt{'s' if prompts > 1 else ''} only: the result speaks of these and of no others"]
