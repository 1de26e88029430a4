"""From a judge's reply to a judgment: strictly first, then with repairs that are counted; anything else is invalid.

The contract is one JSON object with the scores of both replies on every dimension, totals, and a verdict. Nothing is
guessed: a score out of range is not clamped, totals decide no verdict, and of two objects neither is taken.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stylekl.lenses.judgments.lenient import Broken, Cut, read_object, same
from stylekl.lenses.judgments.rubric import LABELS, SIDES, VERDICTS

if TYPE_CHECKING:
    from stylekl.lenses.judgments.rubric import Scale

MOST = 1_000_000  # characters; what is longer is no judgment
KEYS = ("scores", "totals", "justifications", "verdict", "verdict_reason")
TEXTS = ("justifications", "verdict_reason")
_JUDGES = ("scores", "verdict")  # keys that make an object one that judges
_ZERO_WIDTH = re.compile("[\u200b-\u200f\u2060\ufeff\xad]")
_THINKING = re.compile(r"\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[A-Za-z0-9_-]*")
_OTHER = re.compile(r"\[\[\s*(?:A|B|C|tie|\d+)\s*\]\]|[AB]\s?(?:>{1,2}|<{1,2}|=)\s?[AB]")
_AS_TEXT = re.compile(r"\s*(\d{1,3})\s*(?:/\s*(\d{1,3}))?\s*")


class _Invalid(Exception):
    """The reply is no judgment, for a reason."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a reply came to.

    `reason` says why it is invalid, null where it is valid: then `scores` {side: {dimension: score}}, `totals`, summed
    from them, and `verdict` ("A", "B" or "tie") are there. `repairs` names what had to be mended, sorted, `stated` the
    totals that the reply gave where they differ. `flags` holds "verdict_contradicts_totals".
    """

    reason: str | None
    repairs: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    scores: dict[str, dict[str, int]] | None = None
    totals: dict[str, int] | None = None
    verdict: str | None = None
    stated: dict[str, Any] | None = None

    @property
    def valid(self) -> bool:
        """Whether this is a judgment."""
        return self.reason is None


def parse_reply(raw: str, scale: Scale) -> Parsed:
    """Return the judgment in a reply, or why there is none; never raises.

    Reasons: empty, no_json, other_format, two_objects, truncated, duplicate_key, nan, shape, missing_scores,
    relabelled, missing_dimension, template_echo, null_score, bool_score, not_a_number, fractional_score, out_of_range,
    missing_verdict, bad_verdict, too_long.
    """
    repairs: set[str] = set()
    try:
        return _checked(_found(raw, repairs, scale), scale, repairs)
    except _Invalid as fault:
        return Parsed(str(fault), tuple(sorted(repairs)))


def _found(raw: str, repairs: set[str], scale: Scale, *, nested: bool = False) -> dict[str, Any]:
    """Return the one object of a reply that judges; add to `repairs` what had to be mended to read it."""
    if len(raw) > MOST:
        raise _Invalid("too_long")
    if not _ZERO_WIDTH.sub("", raw).strip():
        raise _Invalid("empty")
    value, known = _strict(raw, repairs)
    if known and isinstance(value, dict):
        return value
    if known and isinstance(value, str) and not nested:
        repairs.add("double_encoded")
        return _found(value, repairs, scale, nested=True)
    if known and isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        if len(value) > 1:
            raise _Invalid("two_objects")
        repairs.add("wrapped")
        return dict(value[0])
    return _amid(raw, repairs, scale)


def _strict(raw: str, repairs: set[str]) -> tuple[Any, bool]:
    """Return the reply as JSON and whether it is that; one key twice with one value is told in `repairs`."""

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in members:
            if key in found:
                if not same(found[key], value):
                    raise _Invalid("duplicate_key")
                twice.add("duplicate_key")
            found[key] = value
        return found

    def constant(_: str) -> None:
        raise _Invalid("nan")

    twice: set[str] = set()
    try:
        value = json.loads(raw, object_pairs_hook=pairs, parse_constant=constant)
    except (ValueError, RecursionError):
        return None, False
    repairs |= twice
    return value, True


def _amid(raw: str, repairs: set[str], scale: Scale) -> dict[str, Any]:
    """Return the one object that judges amid other text."""
    text = raw
    if text[0] == "\ufeff":
        repairs.add("bom")
        text = text[1:]
    thought = _THINKING.match(text)
    if thought:
        repairs.add("reasoning_block")
        text = text[thought.end() :]
    objects, spans, cut = _objects(text)
    judging = [each for each in objects if any(key.casefold() in _JUDGES for key in each[0])]
    if len(judging) + (cut is not None and bool(judging)) > 1:
        raise _Invalid("two_objects")
    if not judging:
        return _mended_end(text, cut, repairs, scale)
    value, mended = judging[0]
    repairs |= mended
    start, end = spans[objects.index(judging[0])]
    _around(text[:start], text[end:], repairs)
    return value


def _objects(
    text: str,
) -> tuple[list[tuple[dict[str, Any], set[str]]], list[tuple[int, int]], tuple[int, Cut] | None]:
    """Return the objects of a text with what was mended in each, where they stand, and one that is cut by its end.

    What stands within something broken is not looked at. Raises _Invalid for an object that judges and is broken by a
    key with two values or by NaN.
    """
    objects: list[tuple[dict[str, Any], set[str]]] = []
    spans: list[tuple[int, int]] = []
    at = text.find("{")
    while at >= 0:
        try:
            found = read_object(text, at)
        except Broken as fault:
            if fault.reason is not None:
                raise _Invalid(fault.reason) from None
            at = text.find("{", max(fault.at, at + 1))
            continue
        except Cut as fault:
            return objects, spans, (at, fault)
        objects.append((found.value, found.repairs))
        spans.append((at, found.end))
        at = text.find("{", found.end)
    return objects, spans, None


def _mended_end(text: str, cut: tuple[int, Cut] | None, repairs: set[str], scale: Scale) -> dict[str, Any]:
    """Return an object whose last text alone was cut short: scores, totals and verdict had all come."""
    if cut is None:
        raise _Invalid("other_format" if _OTHER.search(text) else "no_json" if "{" not in text else "shape")
    start, fault = cut
    value = dict(fault.value)
    whole = fault.last in TEXTS or (fault.last == "verdict" and not fault.partial)
    if not whole or not {"scores", "verdict"} <= value.keys() or _reason(value, scale) is not None:
        raise _Invalid("truncated")
    repairs.add("truncated")
    _around(text[:start], "", repairs)
    return value


def _reason(value: dict[str, Any], scale: Scale) -> str | None:
    try:
        _checked(value, scale, set())
    except _Invalid as fault:
        return str(fault)
    return None


def _around(before: str, after: str, repairs: set[str]) -> None:
    """Note what stands around the object: a code fence, prose, or both.

    Raises _Invalid where the object stands within something that is open, such as an object that is broken elsewhere.
    """
    if any(before.count(opening) > before.count(closing) for opening, closing in ("{}", "[]")):
        raise _Invalid("shape")
    if _FENCE.search(before):
        repairs.add("code_fence")
    if any(_FENCE.sub("", part).strip() for part in (before, after)):
        repairs.add("prose")


def _checked(given: dict[str, Any], scale: Scale, repairs: set[str]) -> Parsed:
    """Return the judgment that an object holds; raises _Invalid where it breaks the contract."""
    value = _named(given, KEYS, repairs)
    if value.keys() - set(KEYS):
        repairs.add("extra_key")
    if "scores" not in value:
        raise _Invalid("missing_scores")
    scores = _sides(value["scores"], repairs)
    _check_template(scores)
    extra: dict[str, list[int]] = {}
    parsed = {side: _scores(scores[side], scale, repairs, extra.setdefault(side, [])) for side in SIDES}
    totals = {side: sum(parsed[side].values()) for side in SIDES}
    if "verdict" not in value:
        raise _Invalid("missing_verdict")
    verdict = _verdict(value["verdict"], repairs)
    if any(not value.get(name) for name in TEXTS):
        repairs.add("missing_text")
    stated = _totals(value.get("totals"), totals, extra, repairs)
    ahead = "tie" if totals["A"] == totals["B"] else max(SIDES, key=totals.__getitem__)
    flags = ("verdict_contradicts_totals",) if verdict != ahead else ()
    return Parsed(None, tuple(sorted(repairs)), flags, parsed, totals, verdict, stated)


def _named(given: dict[str, Any], known: tuple[str, ...], repairs: set[str]) -> dict[str, Any]:
    """Return an object with the keys that are ours in their own spelling; raises _Invalid where one is there twice."""
    spelling = {name.casefold(): name for name in known}
    found: dict[str, Any] = {}
    for key, value in given.items():
        name = spelling.get(key.strip().casefold(), key)
        if name in found:
            raise _Invalid("duplicate_key")
        if name != key:
            repairs.add("letter_case" if key.casefold() == name.casefold() else "whitespace")
        found[name] = value
    return found


def _sides(given: Any, repairs: set[str]) -> dict[str, dict[str, Any]]:
    if not isinstance(given, dict):
        raise _Invalid("shape")
    found: dict[str, Any] = {}
    for key, value in given.items():
        side = _letter(key, SIDES, repairs)
        if side is None or side in found:
            raise _Invalid("relabelled")
        found[side] = value
    if found.keys() != set(SIDES) or not all(isinstance(each, dict) for each in found.values()):
        raise _Invalid("shape")
    return found


def _letter(text: str, known: tuple[str, ...], repairs: set[str]) -> str | None:
    """Return the label that a text is, mended where it can only be that one; else null."""
    if text in known:
        return text
    found = set()
    bare = _ZERO_WIDTH.sub("", text)
    if bare != text:
        found.add("zero_width")
    if bare.strip() != bare:
        found.add("whitespace")
    first, _, rest = bare.strip().partition(" ")
    if first.casefold() in LABELS and rest in SIDES:
        found.add("label_text")
        bare = rest
    name = {each.casefold(): each for each in known}.get(bare.strip().casefold())
    if name is None:
        return None
    if name != bare.strip():
        found.add("letter_case")
    repairs |= found
    return name


def _check_template(scores: dict[str, dict[str, Any]]) -> None:
    every = [score for side in scores.values() for score in side.values()]
    if every and all(type(score) is int and score == 0 for score in every):
        raise _Invalid("template_echo")


def _scores(given: dict[str, Any], scale: Scale, repairs: set[str], extra: list[int]) -> dict[str, int]:
    value = _named(given, scale.dimensions, repairs)
    missing = [name for name in scale.dimensions if name not in value]
    if missing:
        raise _Invalid("missing_dimension")
    if value.keys() - set(scale.dimensions):
        repairs.add("extra_dimension")
        extra += [each for name, each in value.items() if name not in scale.dimensions and type(each) is int]
    return {name: _score(value[name], scale, repairs) for name in scale.dimensions}


def _score(given: Any, scale: Scale, repairs: set[str]) -> int:
    value = given
    if isinstance(value, str):
        found = _AS_TEXT.fullmatch(value) if value.isascii() else None
        if found is None or found[2] not in (None, str(scale.high)):
            raise _Invalid("not_a_number")
        repairs.add("string_number")
        value = int(found[1])
    if value is None:
        raise _Invalid("null_score")
    if isinstance(value, bool):
        raise _Invalid("bool_score")
    if isinstance(value, float):
        raise _Invalid("fractional_score")
    if not isinstance(value, int):
        raise _Invalid("not_a_number")
    if not scale.low <= value <= scale.high:
        raise _Invalid("out_of_range")
    return value


def _verdict(given: Any, repairs: set[str]) -> str:
    found = _letter(given, VERDICTS, repairs) if isinstance(given, str) else None
    if found is None:
        raise _Invalid("bad_verdict")
    return found


def _totals(
    given: Any, totals: dict[str, int], extra: dict[str, list[int]], repairs: set[str]
) -> dict[str, Any] | None:
    """Return the totals that the reply states where they are not those of its scores; null where they are."""
    if not isinstance(given, dict):
        repairs.add("missing_total" if given is None else "wrong_total")
        return None
    stated: dict[str, Any] = {}
    for key, value in given.items():
        side = _letter(key, SIDES, repairs)
        if side is None or side in stated:
            repairs.add("wrong_total")
            return None
        text = _AS_TEXT.fullmatch(value) if isinstance(value, str) and value.isascii() else None
        if text is not None:
            repairs.add("string_number")
        stated[side] = int(text[1]) if text else value
    if stated.keys() != set(SIDES):
        repairs.add("missing_total")
        return None
    if all(same(stated[side], totals[side]) for side in SIDES):
        return None
    counted = {side: totals[side] + sum(extra[side]) for side in SIDES}
    if not all(same(stated[side], counted[side]) for side in SIDES):
        repairs.add("wrong_total")
    # whatever a reply may have put there, a record holds numbers
    return {side: each if type(each) in (int, float) else None for side, each in stated.items()}
