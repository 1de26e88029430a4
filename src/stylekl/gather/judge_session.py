"""From what a user asks of `stylekl judge` to the bench: results, models, judges, rubric, seed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stylekl.errors import UnknownChoiceError, UsageError
from stylekl.gather.assemble import existing
from stylekl.gather.journal import journal_of, read
from stylekl.gather.judge import Docket, check_judges, make_bench, pairs_of
from stylekl.gather.ledger import Ledger
from stylekl.gather.plan import seed_of
from stylekl.gather.roster import load_roster
from stylekl.gather.rubric import load_rubric
from stylekl.results.find import find_model
from stylekl.results.save import save

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stylekl.gather.plan import Plan
    from stylekl.results import Results

_OURS = (".json", ".jsonl")


@dataclass(frozen=True, slots=True)
class Case:
    """What is to be judged, as the command line says it: models by name, judges by the ids of the models file."""

    a: str | None = None
    b: str | None = None
    all_pairs: bool = False
    judges: tuple[str, ...] = ()
    rubric: str | None = None
    seed: int | None = None
    both: bool = False
    mask: bool = False
    allow_same_family: bool = False
    prompts: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    period: str | None = None


def docket_of(results: Results, case: Case, models_file: str, output: str) -> tuple[Docket, list[str]]:
    """Return the packages, and warnings on the judges.

    The seed is the one given, else that of the journal beside `output`, else 0. Raises UsageError for models that are
    not named as they should be and for a judge of their family, UnknownChoiceError for a judge that the models file
    does not have.
    """
    pairs = _pairs(results, case)
    writers = {writer.id: writer for writer in load_roster(models_file).writers}
    if not case.judges:
        raise UsageError("no judge is named", f"--judge takes one of {', '.join(list(writers)[:6])}")
    for name in case.judges:
        if name not in writers:
            raise UnknownChoiceError("judge", name, sorted(writers), where="in the models file")
    judged = {model for two in pairs for model in two}
    warnings = check_judges(
        [writers[name] for name in dict.fromkeys(case.judges)],
        [model for model in results.models if model.id in judged],
        allow=case.allow_same_family,
    )
    rubric = load_rubric(case.rubric)

    def bench(seed: int) -> Docket:
        return make_bench(
            results,
            pairs,
            rubric,
            seed=seed,
            both=case.both,
            mask=case.mask,
            prompts=case.prompts,
            topics=case.topics,
        )

    docket = bench(case.seed or 0)
    if case.seed is None:
        before = seed_of(Ledger.of(read(journal_of(output))).headers, docket.bench, case.period)
        docket = bench(before) if before else docket
    return docket, warnings


def _pairs(results: Results, case: Case) -> list[tuple[str, str]]:
    named = [find_model(results, name).id for name in (case.a, case.b) if name is not None]
    if case.all_pairs:
        if named:
            raise UsageError("--all-pairs judges every pair", "leave --a and --b out")
        answered = {reply.model for reply in results.replies}
        return pairs_of([model.id for model in results.models if model.id in answered])
    if len(named) < 2:
        raise UsageError("two models are to be named", "--a MODEL --b MODEL, or --all-pairs")
    if named[0] == named[1]:
        raise UsageError(f'"{case.a}" and "{case.b}" are the same model', "name two models")
    return pairs_of(named)


def prepare(files: Sequence[str], output: str | None) -> str:
    """Return the path that judgments go to: `output`, else the one results file.

    Raises UsageError where that is no file of ours.
    """
    if output is not None:
        return output
    if len(files) != 1 or not Path(files[0]).name.removesuffix(".gz").endswith(_OURS):
        raise UsageError("where judgments go is not said", "name a results file with -o")
    if not _native(files[0]):
        raise UsageError(
            f"{files[0]}: not in stylekl's own form", "name a results file for judgments with -o"
        )
    return files[0]


def _native(path: str) -> bool:
    from stylekl.results.document import read_document
    from stylekl.results.readers import native

    return Path(path).is_file() and native.recognise(read_document(path))


def begin_file(results: Results, files: Sequence[str], output: str) -> None:
    """Write the results to a new output file, so that judgments stand beside what they judge.

    An output that is there already, and is not one of the files judged, has to hold the same models and prompts.
    """
    if any(Path(file).absolute() == Path(output).absolute() for file in files):
        return
    if not Path(output).exists() or not Path(output).stat().st_size:
        save(results, output)
        return
    held = existing(output)
    models, texts = {model.id for model in held.models}, {prompt.id: prompt.text for prompt in held.prompts}
    missing = [f'model "{model.id}"' for model in results.models if model.id not in models]
    missing += [f'prompt "{each.id}"' for each in results.prompts if texts.get(each.id) != each.text]
    if missing:
        raise UsageError(
            f"{output}: it does not hold the {missing[0]} that is judged", "write into a new file"
        )


def requests(plan: Plan) -> Iterator[dict[str, Any]]:
    """Yield the body of every request as it is sent, with its address and without a key."""
    from stylekl.gather.wire import WIRES

    for call in plan.calls():
        request = WIRES[call.writer.wire].request(call.writer, plan.ask(call), None)
        yield {"url": request.url, "body": dict(request.body)}
