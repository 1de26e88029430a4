"""Reading a battery from YAML: every field checked, every error with file, line and field."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from stylekl.errors import UsageError
from stylekl.gather.battery import SUBJECT, Battery, Condition, Length, Prompt, Retired, filled
from stylekl.gather.yaml_file import near, quoted, read_yaml
from stylekl.results.records import Source

if TYPE_CHECKING:
    from stylekl.gather.yaml_file import Entry

KINDS = ("open", "one_word")
CAPS = {"open": 2000, "one_word": 1024}
SAMPLES = {"open": 1, "one_word": 3}
LOW_CAP = 1000  # below it a model that reasons before it answers is often cut
FEW = 10  # prompts; below it a result speaks of these prompts only
MOST_CALLS = 1_000_000
FIELDS = ("id", "version", "instruction", "length", "cap", "samples", "template", "conditions", "prompts")
PROMPT_FIELDS = ("id", "text", "topic", "kind", "subject", "retired")
CONDITION_FIELDS = ("id", "system", "prefix", "suffix", "off")
LENGTH_FIELDS = ("max", "min", "tolerance", "over_length")
MEANT = {"max_tokens": "cap", "max_output_tokens": "cap", "prompt": "text", "question": "text"}
NAME = re.compile(r"\w(?:[\w.-]{0,62}\w)?")
NAMED = "1 to 64 letters, digits and . _ - between them"
_SLOT = re.compile(r"\{\s*(\w+)\s*\}")


def shipped() -> dict[str, str]:
    """Return the batteries that ship with stylekl: the path of each by its name."""
    package = Path(__file__).parents[1]
    for folder in (package / "data" / "batteries", package.parents[1] / "data" / "batteries"):
        if folder.is_dir():
            return {path.stem: str(path) for path in sorted(folder.glob("*.yaml"))}
    return {}


def find_battery(name: str) -> str:
    """Return the path of a battery: the file of that name, or the one that ships under it.

    Raises UsageError where a bare name is neither.
    """
    path = Path(name)
    if (path.exists() and not path.is_dir()) or path.suffix or len(path.parts) != 1:
        return name
    known = shipped()
    if name not in known:
        listed = f"those that ship: {', '.join(known)}"
        raise UsageError(
            f"{name}: no such file, nor a battery that ships with stylekl", near(name, list(known)) or listed
        )
    return known[name]


def load_battery(name: str) -> Battery:
    """Return the battery in the file `name`, or the one that ships under this name.

    Raises InputError with file, line and field for whatever is not as docs/battery.md says.
    """
    path = find_battery(name)
    root, source = read_yaml(path, kind="a battery")
    if path != name:  # where it is installed is nobody's business, and no two machines agree on it
        source = Source(Path(path).name, source.sha256)
    fields = root.fields(FIELDS, ("id", "version", "prompts"), MEANT)
    prompts = _prompts(fields["prompts"], fields.get("template"))
    kind = prompts[0].kind
    conditions = _conditions(fields.get("conditions"))
    _check_subjects(fields["prompts"], prompts, conditions)
    battery = Battery(
        id=fields["id"].name(NAME, NAMED),
        version=fields["version"].whole(1, 1_000_000),
        kind=kind,
        prompts=prompts,
        conditions=conditions,
        samples=fields["samples"].whole(1, 1000) if "samples" in fields else SAMPLES[kind],
        cap=fields["cap"].whole(1, 1_000_000) if "cap" in fields else CAPS[kind],
        instruction=fields["instruction"].prose(2000) if "instruction" in fields else None,
        length=_length(fields["length"]) if "length" in fields else None,
        template=fields["template"].prose(2000) if "template" in fields else None,
        source=source,
    )
    if battery.calls > MOST_CALLS:
        raise root.error(f"asks every model {battery.calls:,} times", f"at most {MOST_CALLS:,} calls a model")
    return battery


def warnings_of(battery: Battery) -> list[str]:
    """Return what is allowed and rarely meant."""
    found = []
    if battery.kind == "one_word" and battery.samples % 2 == 0:
        found.append(
            f"{battery.samples} samples can be split evenly between two answers: "
            "an odd number always has a majority, or more than two answers"
        )
    if battery.cap < LOW_CAP:
        found.append(
            f"the cap of {battery.cap:,} tokens holds a model's reasoning too: below {LOW_CAP:,} replies are often cut"
        )
    if battery.kind == "open" and len(battery.in_use) < FEW:
        found.append(
            f"below {FEW} prompts (here {len(battery.in_use)}) a result speaks of these prompts only, "
            "below 6 there is no call"
        )
    added = [(condition.id, condition.added) for condition in battery.arms]
    found += [
        f"the conditions {one} and {other} add the same"
        for place, (one, first) in enumerate(added)
        for other, second in added[place + 1 :]
        if first == second
    ]
    return found


def _prompts(entry: Entry, template: Entry | None) -> tuple[Prompt, ...]:
    pattern = template.prose(2000) if template else None
    if template and pattern and SUBJECT not in pattern:
        raise template.error(
            f"expected {SUBJECT} in the template", "each question puts its own subject there"
        )
    _check_slots(template)
    entries = entry.items()
    prompts = [_prompt(each, pattern) for each in entries]
    if not prompts:
        raise entry.error("expected at least one prompt, found an empty list")
    ids: dict[str, int] = {}
    texts: dict[str, int] = {}
    for each, prompt in zip(entries, prompts, strict=True):
        if prompt.kind != prompts[0].kind:
            raise each.error(
                f"is of the kind {prompt.kind}, and those before it are {prompts[0].kind}",
                "samples and cap depend on the kind: write a battery for each",
            )
        for what, value, seen in (("id", prompt.id.casefold(), ids), ("text", prompt.text, texts)):
            if value in seen:
                raise each.error(
                    f"has the {what} of the prompt on line {seen[value]}",
                    "every prompt, a retired one too, has an id and a text of its own",
                )
            seen[value] = each.line
    if all(prompt.retired for prompt in prompts):
        raise entry.error("every prompt is retired", "at least one is to be asked")
    return tuple(prompts)


def _prompt(entry: Entry, template: str | None) -> Prompt:
    fields = entry.fields(PROMPT_FIELDS, ("id",), MEANT)
    kind = fields["kind"].choice(KINDS) if "kind" in fields else "open"
    prompt = Prompt(
        id=fields["id"].name(NAME, NAMED),
        text=fields["text"].prose(100_000) if "text" in fields else "",
        topic=fields["topic"].name(NAME, NAMED) if "topic" in fields else None,
        kind=kind,
        subject=fields["subject"].prose(500) if "subject" in fields else None,
        retired=_retired(fields["retired"]) if "retired" in fields else None,
    )
    if kind == "one_word" and template is None:
        raise entry.error(
            "a one_word question, and the battery has no template",
            f"write one beside the prompts: template: … {SUBJECT} …",
        )
    if template is None or (prompt.retired and prompt.text):
        if not prompt.text:
            raise entry.error('the field "text" is missing', f"fields here: {', '.join(PROMPT_FIELDS)}")
        return prompt
    if prompt.subject is None:
        raise entry.error('the field "subject" is missing', "the battery's template asks for it")
    text = filled(template, prompt) or ""
    if prompt.text and prompt.text != text:
        raise fields["text"].error(
            f"is not what the template makes of the subject, {quoted(text)}",
            "all questions share the template: leave `text` out",
        )
    return Prompt(prompt.id, text, prompt.topic, kind, prompt.subject, prompt.retired)


def _retired(entry: Entry) -> Retired:
    fields = entry.fields(("on", "why"), ("on", "why"))
    return Retired(on=fields["on"].day(), why=fields["why"].prose(2000))


def _conditions(entry: Entry | None) -> tuple[Condition, ...]:
    if entry is None:
        return (Condition("control"),)
    entries = entry.items()
    found: list[Condition] = []
    for place, each in enumerate(entries):
        fields = each.fields(CONDITION_FIELDS, ("id",))
        for name in ("system", "prefix", "suffix"):
            _check_slots(fields.get(name))
        texts = {n: fields[n].prose(20_000) for n in ("system", "prefix", "suffix") if n in fields}
        condition = Condition(
            id=fields["id"].name(NAME, NAMED), off="off" in fields and fields["off"].flag(), **texts
        )
        if place == 0 and texts:
            raise fields[next(iter(texts))].error(
                "the first condition is the control and adds nothing", "put one with its id alone before it"
            )
        if place == 0 and condition.off:
            raise fields["off"].error("the control is always asked", "all else is compared with it")
        if place > 0 and not texts:
            raise each.error(
                "adds nothing, and only the first condition does not", "system, prefix or suffix"
            )
        if condition.id.casefold() in {other.id.casefold() for other in found}:
            raise fields["id"].error(f"two conditions are called {quoted(condition.id)}", "rename one")
        found.append(condition)
    if not found:
        raise entry.error("expected the control at least, found an empty list", "leave the field out")
    return tuple(found)


def _check_slots(entry: Entry | None) -> None:
    """Raise InputError where a placeholder is nearly `{subject}`; other braces are text."""
    for slot in _SLOT.finditer(entry.text(20_000)) if entry else ():
        if slot[0] != SUBJECT and near(slot[1], ("subject",), 0.8) and entry:
            raise entry.error(f"holds {slot[0]}", f"the subject of the prompt is written {SUBJECT}")


def _check_subjects(entry: Entry, prompts: tuple[Prompt, ...], conditions: tuple[Condition, ...]) -> None:
    asking = next((condition for condition in conditions if condition.asks_subject), None)
    for each, prompt in zip(entry.items(), prompts, strict=True):
        if asking and prompt.subject is None and prompt.retired is None:
            raise each.error(
                'the field "subject" is missing', f"the condition {asking.id} speaks of the prompt's subject"
            )


def _length(entry: Entry) -> Length:
    fields = entry.fields(LENGTH_FIELDS, ("max",))
    most = fields["max"].whole(1, 100_000)
    return Length(
        most=most,
        least=fields["min"].whole(0, most) if "min" in fields else 0,
        tolerance=fields["tolerance"].decimal(0, 10) if "tolerance" in fields else 0.0,
        over=fields["over_length"].choice(("ask_again", "record"))
        if "over_length" in fields
        else "ask_again",
    )
