"""Versions of a battery: what may change, what may not, and the way out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stylekl.errors import UsageError
from stylekl.gather.battery import Battery, Condition, Length, Prompt, Retired
from stylekl.gather.versions import check_against
from stylekl.results import Results
from stylekl.results.save import save

GONE = Retired("2026-01-05", "dull")
RAIN, SNOW = Prompt("rain", "Why does it rain?", "weather"), Prompt("snow", "Describe snow.", "weather")
OLD = Battery(
    "small",
    3,
    "open",
    (RAIN, SNOW),
    (Condition("control"), Condition("told", system="Be brief.")),
    samples=1,
    cap=2000,
    instruction="Use at most 20 words.",
    length=Length(20),
)
NEWER = replace(OLD, version=4)


def with_prompts(battery: Battery, *prompts: Prompt) -> Battery:
    return replace(battery, prompts=prompts)


def results(battery: Battery) -> Results:
    """What a collection of it leaves behind."""
    prompts, conditions = battery.records()
    row = {
        "battery": battery.id,
        **{k: battery.content[k] for k in ("version", "instruction", "length", "cap")},
    }
    return Results(prompts=prompts, conditions=conditions, other={"collection": [row]})


ALLOWED_IN_A_HIGHER_VERSION = {
    "added": with_prompts(NEWER, RAIN, SNOW, Prompt("hail", "What is hail?")),
    "retired": with_prompts(NEWER, RAIN, replace(SNOW, retired=GONE)),
    "topic": with_prompts(NEWER, RAIN, replace(SNOW, topic="winter")),
    "cap": replace(NEWER, cap=4000),
    "samples": replace(NEWER, samples=3),
    "length": replace(NEWER, length=Length(25)),
    "condition added": replace(NEWER, conditions=(*OLD.conditions, Condition("frank", suffix="Be frank."))),
}
ALWAYS_REFUSED = {
    "text": with_prompts(NEWER, RAIN, replace(SNOW, text="Describe the snow.")),
    "kind": with_prompts(NEWER, RAIN, replace(SNOW, kind="one_word")),
    "subject": with_prompts(NEWER, RAIN, replace(SNOW, subject="snow")),
    "removed": with_prompts(NEWER, RAIN),
    "instruction": replace(NEWER, instruction="Use at most 30 words."),
    "condition": replace(
        NEWER, conditions=(Condition("control"), Condition("told", system="Be very brief."))
    ),
    "condition removed": replace(NEWER, conditions=OLD.conditions[:1]),
    "control": replace(NEWER, conditions=(Condition("plain"), *OLD.conditions[1:])),
}


def test_the_same_battery_has_no_changes() -> None:
    """Nor has the same under a higher version, nor in another order."""
    assert check_against(OLD, OLD) == ()
    assert check_against(NEWER, OLD) == ()
    assert check_against(with_prompts(OLD, SNOW, RAIN), OLD) == ()
    assert check_against(OLD, results(OLD)) == ()


@pytest.mark.parametrize("what", ALLOWED_IN_A_HIGHER_VERSION)
def test_what_a_higher_version_may_do(what: str) -> None:
    """It is reported; under the same version it is refused, with the way out."""
    new = ALLOWED_IN_A_HIGHER_VERSION[what]
    (change,) = check_against(new, OLD)
    (same,) = check_against(replace(new, version=3), OLD)

    assert (change.what, change.refused) == (what, False)
    assert (same.what, same.refused, same.hint) == (what, True, "raise `version` above 3")


@pytest.mark.parametrize("what", ALWAYS_REFUSED)
def test_what_no_version_may_do(what: str) -> None:
    """Words under the same id are other words whatever the version; each change says what to do instead."""
    changes = {change.what: change for change in check_against(ALWAYS_REFUSED[what], OLD)}

    assert changes[what].refused
    assert len(changes[what].hint) > 20


def test_a_changed_text_says_the_way_out() -> None:
    (change,) = check_against(ALWAYS_REFUSED["text"], OLD)

    assert (change.id, change.text) == ("snow", 'has another text, was "Describe snow."')
    assert "retire the old id" in change.hint
    assert "under a new id" in change.hint


def test_the_way_out_is_allowed() -> None:
    """The old id retired, the new text under a new id, a higher version."""
    new = with_prompts(NEWER, RAIN, replace(SNOW, retired=GONE), Prompt("snow-2", "Describe the snow."))

    assert [(c.what, c.id, c.refused) for c in check_against(new, OLD)] == [
        ("retired", "snow", False),
        ("added", "snow-2", False),
    ]


def test_a_condition_may_be_switched_at_any_time() -> None:
    """That changes how much is asked, not what."""
    told = replace(OLD.conditions[1], off=True)
    off = replace(OLD, conditions=(OLD.conditions[0], told))

    assert [(c.what, c.refused) for c in check_against(off, OLD)] == [("off", False)]
    assert [(c.what, c.refused) for c in check_against(OLD, off)] == [("on", False)]


def test_a_lower_version_is_refused() -> None:
    (change,) = check_against(replace(OLD, version=2), OLD)

    assert change.refused
    assert change.text == "version 2 is lower than 3"


def test_a_prompt_may_come_back() -> None:
    """In a higher version: what was collected before counts again."""
    (change,) = check_against(NEWER, with_prompts(OLD, RAIN, replace(SNOW, retired=GONE)))

    assert (change.what, change.refused) == ("in use", False)


@pytest.mark.parametrize("what", [*ALLOWED_IN_A_HIGHER_VERSION, *ALWAYS_REFUSED])
def test_results_say_the_same_as_the_battery_they_are_from(what: str) -> None:
    """As far as they hold it: how many samples were wanted is not in this collection's record."""
    new = {**ALLOWED_IN_A_HIGHER_VERSION, **ALWAYS_REFUSED}[what]
    by_battery = [change for change in check_against(new, OLD) if change.what != "samples"]

    assert list(check_against(new, results(OLD))) == by_battery


def test_the_highest_version_in_a_results_file_counts() -> None:
    """A file that was collected with two versions holds the prompts of both."""
    held = results(OLD)
    held.other["collection"].append({"battery": "small", "version": 2})
    held.other["collection"].append({"battery": "other", "version": 9})

    assert check_against(replace(OLD, version=2), held)[0].text == "version 2 is lower than 3"


def test_prompts_of_another_battery_in_the_file_are_not_ours() -> None:
    held = results(OLD)
    held.prompts.extend(replace(OLD, id="other", prompts=(Prompt("sun", "Why?"),)).records()[0])

    assert check_against(OLD, held) == ()


def test_different_batteries_are_not_compared() -> None:
    """Another id is another battery; a file without its replies says which it holds."""
    with pytest.raises(UsageError, match="different batteries"):
        check_against(replace(OLD, id="other"), OLD)
    with pytest.raises(UsageError, match='no replies to the battery "other"') as caught:
        check_against(replace(OLD, id="other"), results(OLD))
    assert caught.value.hint == "batteries in it: small"


def test_a_saved_file_is_compared_as_the_one_in_memory(tmp_path_factory: pytest.TempPathFactory) -> None:
    import stylekl

    path = tmp_path_factory.mktemp("saved") / "r.json"
    save(results(OLD), path)
    changed = ALWAYS_REFUSED["text"]

    assert check_against(OLD, stylekl.load(path)) == ()
    assert check_against(changed, stylekl.load(path)) == check_against(changed, OLD)
