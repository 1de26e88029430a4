"""Who wrote this reply? Recognition beside a tf-idf linear SVM on the same folds, and how far its names can be trusted.

    python bench/recognition.py FOLDER [--lineage FOLDER/lineage.json] [--draws 3] [--parts sets prompts strangers]

FOLDER holds one results file a model, NAME.json.gz, all on the same prompts. Prints, in one run,

- sets: for five models of different makers, for groups of siblings and for models drawn at random, the share of
  held-out single replies put right by stylekl and by two SVMs (scikit-learn), how many replies get a name at 0.9 or
  more, and how many of these names are right, with strangers counted in and without;
- prompts: the same of small files, drawn at random;
- strangers: texts on prompts that the file does not hold, by its models and by 20 others: who gets a name;
- lengths: held-out replies cut short.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from stylekl.lenses.style import StyleOptions
from stylekl.lenses.style.held_out import Held, hold
from stylekl.lenses.style.material import Material, gather_material
from stylekl.lenses.style.recognition import Cut, cut_replies, recognise
from stylekl.lenses.style.who_wrote import UNLIKE, judge, prepared
from stylekl.measure.attribution import ANSWER, Rate
from stylekl.results import load

if TYPE_CHECKING:
    from stylekl.lenses.style.recognition_report import RecognitionReport

FIVE = (
    "gpt-4o-2024-05-13",
    "claude-3-5-sonnet-20240620",
    "gemini-pro",
    "mistral-large-2402",
    "Qwen2-72B-Instruct",
)
OPTIONS = StyleOptions()


class Corpus:
    """The models of a folder, read when they are needed."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.names = sorted(path.name.removesuffix(".json.gz") for path in self.folder.glob("*.json.gz"))

    def material(self, models: list[str], prompts: set[str] | None = None) -> Material:
        """Return the replies of some models, to these prompts only where any are given."""
        results = load(*(str(self.folder / f"{name}.json.gz") for name in models))
        if prompts is not None:
            kept = {prompt.id for prompt in results.prompts if prompt.text in prompts}
            results.prompts = [prompt for prompt in results.prompts if prompt.id in kept]
            results.replies = [reply for reply in results.replies if reply.prompt in kept]
        return gather_material(results, OPTIONS)

    def prompts(self, seed: int) -> list[str]:
        """Return all prompts in an order that the seed chooses."""
        texts = sorted(prompt.text for prompt in load(str(self.folder / f"{self.names[0]}.json.gz")).prompts)
        random.Random(seed).shuffle(texts)
        return texts

    def texts(self, model: str, prompts: set[str]) -> list[str]:
        """Return the replies of one model to these prompts, prepared to be judged."""
        material = load(str(self.folder / f"{model}.json.gz"))
        text_of = {prompt.id: prompt.text for prompt in material.prompts}
        replies = (reply.text for reply in material.replies if text_of[reply.prompt] in prompts)
        return [prepared(text, OPTIONS) for text in replies if text.strip()]


def svm(held: Held, *, marks: bool) -> float:
    """Return the share put right by a linear SVM on tf-idf of words and pairs of words, on the same folds.

    With `marks` it is made stronger: case, punctuation and line breaks count, and counts are dampened.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.svm import LinearSVC

    texts = np.array(held.texts.texts, object)
    stronger = {"lowercase": False, "token_pattern": r"\w+|[^\w\s]+|\n+", "sublinear_tf": True, "min_df": 3}
    right = np.empty(len(texts), bool)
    for rows in held.folds:
        rest = np.setdiff1d(np.arange(len(texts)), rows)
        words = TfidfVectorizer(ngram_range=(1, 2), **(stronger if marks else {}))
        fitted = LinearSVC(random_state=0).fit(words.fit_transform(texts[rest]), held.labels[rest])
        right[rows] = fitted.predict(words.transform(texts[rows])) == held.labels[rows]
    return float(right @ held.weights / held.weights.sum())


def share(found: Rate) -> str:
    if found.value is None:
        return "none"
    return f"{found.value:.3f}" + (f" [{found.low:.3f} {found.high:.3f}]" if found.low is not None else "")


def answers(report: RecognitionReport) -> str:
    named, closed = report.answers, report.answers_closed
    strangers = "" if report.strangers is None else share(report.strangers)
    parts = (share(named.given), share(named.right), share(closed.given), share(closed.right), strangers)
    return " | ".join(parts)


HEAD = "named | right | named, no strangers | right | left-out models named |"


def sets(corpus: Corpus, groups: dict[str, list[str]], draws: int) -> None:
    print("| models | accuracy | chance | tf-idf SVM | with case and marks | " + HEAD)
    print("|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    chosen = {"five makers": list(FIVE)} | groups
    for size in (10, 20):
        for draw in range(draws):
            chosen[f"{size} at random, {draw}"] = random.Random(draw).sample(corpus.names, size)
    for name, models in chosen.items():
        held = hold(corpus.material(models))
        report = recognise(held)
        words = f"{svm(held, marks=False):.3f} | {svm(held, marks=True):.3f}"
        row = f"| {name} | {share(report.accuracy)} | {report.chance:.3f} | {words} | {answers(report)} |"
        print(row, flush=True)


def small(corpus: Corpus, draws: int) -> None:
    print("\n| prompts | files | replies | named | right | named, no strangers | right |")
    print("|--:|--:|--:|--:|--:|--:|--:|")
    for prompts in (10, 15, 25, 50, 100, 200):
        total = np.zeros(5)
        files = 0
        for size in (0, 4, 6, 10):
            for draw in range(draws):
                models = (
                    list(FIVE) if not size else random.Random(10 * draw + size).sample(corpus.names, size)
                )
                report = recognise(hold(corpus.material(models, set(corpus.prompts(draw)[:prompts]))))
                files += 1
                total += [report.replies, *counted(report)]
        replies, named, right, closed, closed_right = total
        with_strangers = f"{named / replies:.3f} | {right / max(named, 1):.3f} of {named:.0f}"
        without = f"{closed / replies:.3f} | {closed_right / max(closed, 1):.3f} of {closed:.0f}"
        print(f"| {prompts} | {files} | {replies:.0f} | {with_strangers} | {without} |", flush=True)


def counted(report: RecognitionReport) -> list[float]:
    return [
        value
        for found in (report.answers.right, report.answers_closed.right)
        for value in (found.count, round((found.value or 0.0) * found.count))
    ]


def strangers(corpus: Corpus, groups: dict[str, list[str]], draws: int) -> None:
    own = "own: named | right | called none of these"
    others = "others: named, at the whole replies' temperature | no strangers | with strangers | called none of these"
    print(f"\n| models | {own} | {others} |\n|:--|--:|--:|--:|--:|--:|--:|--:|")
    chosen = {"five makers": list(FIVE)} | dict(list(groups.items())[:2])
    for draw in range(draws):
        size = (4, 6, 10, 20)[draw % 4]
        chosen[f"{size} at random"] = random.Random(draw).sample(corpus.names, size)
    for name, models in chosen.items():
        prompts = corpus.prompts(0)
        held = hold(corpus.material(models, set(prompts[:600])))
        cut = cut_replies(held)
        others = random.Random(0).sample([each for each in corpus.names if each not in models], 20)
        own = [
            (held.ids.index(model), text)
            for model in models
            for text in corpus.texts(model, set(prompts[600:]))
        ]
        labels, texts = np.array([label for label, _ in own]), [text for _, text in own]
        foreign = [text for model in others for text in corpus.texts(model, set(prompts[600:660]))]
        print(f"| {name} | {trial(held, cut, labels, texts, foreign)} |", flush=True)


def trial(held: Held, cut: Cut, labels: np.ndarray, texts: list[str], foreign: list[str]) -> str:
    own, other = judge(held, cut, texts), judge(held, cut, foreign)
    closed = judge(held, cut, foreign, stranger=0.0)
    naive = judge(held, Cut(held.temperature_by(np.arange(len(held.labels))), ()), foreign, stranger=0.0)
    named = (own.chances.max(axis=1) >= ANSWER) & (own.unlike > UNLIKE)
    right = (own.chances.argmax(axis=1) == labels)[named]
    shares = [named.mean(), right.mean() if named.any() else np.nan, (own.unlike <= UNLIKE).mean()]
    shares += [(naive.chances.max(axis=1) >= ANSWER).mean(), (closed.chances.max(axis=1) >= ANSWER).mean()]
    shares += [((other.chances.max(axis=1) >= ANSWER) & (other.unlike > UNLIKE)).mean()]
    shares += [(other.unlike <= UNLIKE).mean()]
    return " | ".join(f"{value:.3f}" for value in shares)


def lengths(corpus: Corpus, groups: dict[str, list[str]]) -> None:
    print("\n| models | characters | replies | accuracy | named | right |\n|:--|--:|--:|--:|--:|--:|")
    for name, models in ({"five makers": list(FIVE)} | dict(list(groups.items())[:1])).items():
        for row in cut_replies(hold(corpus.material(models))).lengths:
            right = "none" if row.right is None else f"{row.right:.3f}"
            shares = f"{row.accuracy or 0:.3f} | {row.answered or 0:.3f} | {right}"
            print(f"| {name} | {row.characters} | {row.replies} | {shares} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--lineage")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--parts", nargs="+", default=["sets", "prompts", "strangers", "lengths"])
    options = parser.parse_args()
    corpus = Corpus(options.folder)
    known = json.loads(Path(options.lineage or corpus.folder / "lineage.json").read_text("utf-8"))["groups"]
    siblings = {
        "five siblings, Infinity-Instruct": [*known["infinity-mistral"], *known["infinity-l3-70b"]],
        "five siblings, gemma-2-9b-it": known["gemma2-9b-po"][:5],
    }
    if "sets" in options.parts:
        sets(corpus, siblings, options.draws)
    if "prompts" in options.parts:
        small(corpus, options.draws)
    if "strangers" in options.parts:
        strangers(corpus, siblings, options.draws)
    if "lengths" in options.parts:
        lengths(corpus, siblings)


if __name__ == "__main__":
    main()
