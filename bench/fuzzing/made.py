"""A small made-up file of every form, so that there is something to vary where no real ones are."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from functools import cache
from typing import Any

Made = tuple[str, str, bytes, dict[str, bytes]]  # form, name, content, the files that belong to it by path
_ASKED = ("What is rain?", "Name a colour.", "Why do cats purr?", "Count to three.")
_SAID = (
    "Water. **It** falls from clouds.",
    "- Blue, like the sky.\n- Red",
    "They are calm, I think!",
    "1, 2, 3.",
)
_MODELS = ("m", "smollm2-plain", "m@2026-01-05")


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode()


def _lines(rows: list[Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _csv(rows: list[dict[str, Any]]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def _answer(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "native_finish_reason": "end_turn"}
    return {
        "id": "c1",
        "object": "chat.completion",
        "model": "m-2026",
        "choices": [choice],
        "usage": {"total_tokens": 9},
    }


@cache
def made() -> tuple[Made, ...]:
    """Return the files, the same every time."""
    found = [(form, name, data, {}) for form, name, data in [*_own(), *_replies(), *_votes(), *_runs()]]
    return (*found, *_joined(), *_binary())


def _own() -> list[tuple[str, str, bytes]]:
    from tests.cli import lens_files
    from tests.cli import made as tests_made

    samples = [
        {
            "model": model,
            "prompt": f"p{n}",
            "text": said + f" {model} {n % 3}",
            "condition": "c",
            "sample": sample,
        }
        for model in _MODELS
        for n, said in enumerate(_SAID * 3)
        for sample in (1, 2)
    ]
    replies = {
        "format": "stylekl/1",
        "note": "ours",
        "models": [
            {"id": model, "name": model.upper(), "node": {"base": "m", "effort": "low"}} for model in _MODELS
        ],
        "prompts": [
            {"id": f"p{n}", "text": f"{asked} {n}", "topic": "t", "tags": ["a"], "retired": None}
            for n, asked in enumerate(_ASKED * 3)
        ],
        "conditions": [{"id": "c"}, {"id": "d", "system": "Be brief."}],
        "replies": samples,
        "archive": [samples[0] | {"reason": "again"}],
        "collection": [
            {
                "battery": "b",
                "version": 1,
                "models": list(_MODELS),
                "prompts": ["p0", "p1"],
                "conditions": ["c"],
                "samples": 2,
            }
        ],
        "sessions": [{"id": "s1", "source": "panel", "finished": True}],
    }
    lines = [{"record": "file", "format": "stylekl/1"}]
    for array, record in (
        ("models", "model"),
        ("prompts", "prompt"),
        ("conditions", "condition"),
        ("replies", "reply"),
    ):
        lines += [{"record": record} | row for row in replies[array]]
    return [
        ("native", "r.json", _json(replies)),
        ("native", "r.jsonl", _lines(lines)),
        ("native", "votes.json", _json(lens_files.votes())),
        ("native", "choices.json", _json(lens_files.choices())),
        ("native", "dated.json", _json(lens_files.dated_choices())),
        ("native", "judgments.json", _json(lens_files.judgments())),
        ("native", "verdicts.json", _json(tests_made.one_word())),
    ]


def _replies() -> list[tuple[str, str, bytes]]:
    pairs = list(zip(_ASKED, _SAID, strict=True))
    talk = [
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": a},
            {"role": "assistant", "content": s},
        ]
        for a, s in pairs
    ]
    plain = [
        {"model": m, "prompt": a, "response": s, "sample": 1, "topic": "t"} for m in _MODELS for a, s in pairs
    ]
    choice = {"model": "m", "envelope": "e1", "pair": "tea / milk", "template": "{a} or {b}?"}
    orders = (("ab", "tea"), ("ba", "Milk."))
    return [
        ("plain", "plain.jsonl", _lines(plain)),
        ("plain", "plain.csv", _csv(plain)),
        (
            "alpaca_eval",
            "m.json",
            _json([{"instruction": a, "output": s, "generator": "m"} for a, s in pairs]),
        ),
        (
            "alpaca_farm",
            "m.json",
            _json([{"instruction": a, "input": "", "output_1": s, "output_2": s + "!"} for a, s in pairs]),
        ),
        (
            "raw",
            "raw.jsonl",
            _lines([{"question": a, "model": "m", "response": _answer(s)} for a, s in pairs]),
        ),
        ("conversations", "talk.json", _json([{"model": "m", "conversation": each} for each in talk])),
        (
            "sharegpt",
            "talk.json",
            _json(
                [
                    {
                        "id": "1",
                        "conversations": [{"from": "human", "value": a}, {"from": "gpt", "value": s}] * 2,
                    }
                    for a, s in pairs
                ]
            ),
        ),
        ("wide", "wide.csv", _csv([{"prompt": a, "m-a": s, "m-b": s + "!"} for a, s in pairs])),
        (
            "choice_rows",
            "c.jsonl",
            _lines([choice | {"order": order, "response": said} for order, said in orders]),
        ),
        ("choice_orders", "c.jsonl", _lines([choice | {"ab": "tea", "ba": ["Milk.", "tea"]}] * 3)),
    ]


def _votes() -> list[tuple[str, str, bytes]]:
    pairs = list(zip(_ASKED, _SAID, strict=True))
    battle = {
        "model_a": "m",
        "model_b": "n",
        "winner": "model_a",
        "judge": "arena_user_1",
        "turn": 1,
        "language": "English",
    }
    scores = {side: {"depth": 4, "tone": 3} for side in ("A", "B")}
    return [
        ("battles", "b.jsonl", _lines([battle | {"question_id": a} for a in _ASKED])),
        (
            "lmsys",
            "b.csv",
            _csv(
                [
                    {"id": 1, "model_a": "m", "model_b": "n", "prompt": json.dumps([a, "And?"])}
                    | {"response_a": json.dumps([s, "So."]), "response_b": json.dumps([s + "!", None])}
                    | {"winner_model_a": 1, "winner_model_b": 0, "winner_tie": 0}
                    for a, s in pairs
                ]
            ),
        ),
        (
            "annotations",
            "annotations.json",
            _json(
                [
                    {
                        "instruction": a,
                        "output_1": s,
                        "output_2": s + "!",
                        "generator_1": "m",
                        "generator_2": "n",
                    }
                    | {"annotator": "j", "preference": 1.5, "dataset": "d"}
                    for a, s in pairs
                ]
            ),
        ),
        (
            "judgments",
            "pair.jsonl",
            _lines(
                [
                    {
                        "question_id": n,
                        "model_1": "m",
                        "model_2": "n",
                        "g1_winner": "model_1",
                        "g2_winner": "tie",
                    }
                    | {"judge": ["j", "pair-v2"], "turn": 1, "g1_judgment": "[[A]]", "g2_judgment": "[[C]]"}
                    for n in range(4)
                ]
            ),
        ),
        (
            "judgments",
            "single.jsonl",
            _lines(
                [
                    {
                        "question_id": n,
                        "model": "m",
                        "judge": ["j", "single-v1"],
                        "judgment": "[[7]]",
                        "score": 7,
                        "turn": 1,
                    }
                    for n in range(4)
                ]
            ),
        ),
        (
            "scores",
            "scores.csv",
            _csv(
                [
                    {
                        "question": a,
                        "plain_response": s,
                        "other_response": s + "!",
                        "depth_A": 4,
                        "depth_B": 3,
                    }
                    | {"total_A": 4, "total_B": 3, "verdict": "A"}
                    for a, s in pairs
                ]
            ),
        ),
        (
            "judge_object",
            "verdict.json",
            _json(
                {"scores": scores, "totals": {"A": 7, "B": 7}, "verdict": "tie", "justification": "Alike."}
            ),
        ),
    ]


def _runs() -> list[tuple[str, str, bytes]]:
    pairs = list(zip(_ASKED, _SAID, strict=True))
    inspected = [
        {"id": n, "epoch": 1, "input": a, "target": "", "messages": [{"role": "user", "content": a}]}
        | {"output": _answer(s) | {"completion": s}, "scores": {}}
        for n, (a, s) in enumerate(pairs)
    ]
    task = {
        str(n): {
            "1": {
                "prompt_id": str(n),
                "base_prompt": f"{a} <SEED>",
                "seed_modifiers": ["dust"],
                "test_model": "m",
                "results_by_modifier": {"dust": {"model_response": s, "judge_scores": {}}},
                "status": "completed",
            }
        }
        for n, (a, s) in enumerate(pairs)
    }
    return [
        (
            "inspect",
            "log.json",
            _json(
                {
                    "version": 2,
                    "status": "success",
                    "eval": {"model": "m", "task": "t", "eval_id": "e"},
                    "samples": inspected,
                }
            ),
        ),
        (
            "promptfoo",
            "out.json",
            _json(
                {
                    "evalId": "e",
                    "config": {},
                    "results": {
                        "version": 3,
                        "results": [
                            {
                                "provider": {"id": "m", "label": ""},
                                "prompt": {"raw": a, "label": a},
                                "response": {"output": s},
                            }
                            for a, s in pairs
                        ],
                    },
                }
            ),
        ),
        (
            "promptfoo",
            "out.csv",
            _csv(
                [
                    {"q": a, "[m] {{q}}": s, "Status": "PASS", "Score": "1.00", "Named Scores": "{}"}
                    for a, s in pairs
                ]
            ),
        ),
        (
            "helm",
            "scenario_state.json",
            _json(
                {
                    "adapter_spec": {"model": "m", "method": "generation"},
                    "request_states": [
                        {
                            "instance": {"id": f"id{n}", "input": {"text": a}},
                            "request": {"model": "m", "prompt": a},
                        }
                        | {
                            "result": {
                                "success": True,
                                "completions": [{"text": s, "finish_reason": {"reason": "stop"}}],
                            }
                        }
                        for n, (a, s) in enumerate(pairs)
                    ],
                }
            ),
        ),
        ("creative", "runs.json", _json({"run1": {"test_model": "m", "creative_tasks": task}})),
        (
            "evals",
            "log.jsonl",
            _lines(
                [{"spec": {"completion_fns": ["m"], "eval_name": "e", "run_id": "1"}}]
                + [
                    {
                        "run_id": "1",
                        "event_id": n,
                        "sample_id": f"e.{n}",
                        "type": "sampling",
                        "data": {"prompt": a, "sampled": [s]},
                    }
                    for n, (a, s) in enumerate(pairs)
                ]
            ),
        ),
        (
            "llm",
            "logs.json",
            _json(
                [
                    {
                        "id": f"i{n}",
                        "model": "m",
                        "prompt": a,
                        "system": None,
                        "response": s,
                        "conversation_id": "c",
                    }
                    | {"datetime_utc": "2026-01-05T00:00:00", "options_json": {}, "duration_ms": 3}
                    for n, (a, s) in enumerate(pairs)
                ]
            ),
        ),
        (
            "traces",
            "SHORT_1.json",
            _json(
                {
                    "condition": "SHORT",
                    "prompt": _ASKED[0],
                    "result": _SAID[0],
                    "model": "m",
                    "raw": _answer(_SAID[0]),
                }
            ),
        ),
        (
            "questions",
            "question.jsonl",
            _lines([{"question_id": n, "category": "t", "turns": [a]} for n, a in enumerate(_ASKED)]),
        ),
        ("text", "p0.txt", _SAID[0].encode()),
    ]


def _joined() -> list[Made]:
    """Files that another belongs to."""
    questions = _lines(
        [{"question_id": n, "category": "t", "turns": [a, "And?"]} for n, a in enumerate(_ASKED)]
    )
    answers = _lines(
        [
            {
                "question_id": n,
                "answer_id": f"a{n}",
                "model_id": "m",
                "choices": [{"index": 0, "turns": [s, "So."]}],
                "tstamp": 1.0,
            }
            for n, s in enumerate(_SAID)
        ]
    )
    sent = _lines(
        [
            {"custom_id": f"r{n}", "method": "POST", "url": "/v1/chat/completions"}
            | {"body": {"model": "m", "messages": [{"role": "user", "content": a}]}}
            for n, a in enumerate(_ASKED)
        ]
    )
    came = _lines(
        [
            {
                "id": f"b{n}",
                "custom_id": f"r{n}",
                "response": {"status_code": 200, "body": _answer(s)},
                "error": None,
            }
            for n, s in enumerate(_SAID)
        ]
    )
    samples = _lines(
        [
            {
                "doc_id": n,
                "doc": {"question": a},
                "target": "",
                "arguments": {"gen_args_0": {"arg_0": a, "arg_1": {}}},
            }
            | {"resps": [[s]], "filtered_resps": [s], "filter": "none", "exact_match": 0.0}
            for n, (a, s) in enumerate(zip(_ASKED, _SAID, strict=True))
        ]
    )
    scores = _json(
        {"results": {}, "config": {"model": "hf", "model_args": "pretrained=m"}, "model_name": "m"}
    )
    return [
        ("answers", "model_answer/m.jsonl", answers, {"made-answers/question.jsonl": questions}),
        ("batch", "out.jsonl", came, {"made-batch/batch_input.jsonl": sent}),
        ("batch", "batch_input.jsonl", sent, {}),
        (
            "lm_eval",
            "v__m/samples_t_2026-01-05T00-00-00.000000.jsonl",
            samples,
            {"made-lm_eval/v__m/results_2026-01-05T00-00-00.000000.json": scores},
        ),
    ]


def _binary() -> list[Made]:
    found: list[Made] = [("llm", "logs.db", _database(), {})]
    from bench.fuzzing.tables import packed

    header = _json({"version": 2, "status": "success", "eval": {"model": "m", "task": "t", "eval_id": "e"}})
    members = [("header.json", header)]
    for n, (asked, said) in enumerate(zip(_ASKED, _SAID, strict=True)):
        sample = {
            "id": n,
            "epoch": 1,
            "input": asked,
            "messages": [],
            "output": _answer(said) | {"completion": said},
        }
        members.append((f"samples/{n}_epoch_1.json", _json(sample)))
    found.append(("inspect", "log.eval", packed(members, 8), {}))
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return found
    talk = [
        [{"role": "user", "content": a}, {"role": "assistant", "content": s}]
        for a, s in zip(_ASKED, _SAID, strict=True)
    ]
    rows = [
        {"model_a": "m", "model_b": "n", "winner": "tie", "conversation_a": t, "conversation_b": t}
        for t in talk
    ]
    plain = [{"model": "m", "prompt": a, "response": s, "n": 1} for a, s in zip(_ASKED, _SAID, strict=True)]
    for name, content in (("battles.parquet", rows), ("plain.parquet", plain)):
        out = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(content), out)
        found.append(("parquet", name, out.getvalue(), {}))
    return found


def _database() -> bytes:
    base = sqlite3.connect(":memory:")
    base.execute(
        "create table responses (id text primary key, model text, prompt text, system text, prompt_json text, "
        "options_json text, response text, response_json text, conversation_id text, duration_ms integer, "
        "datetime_utc text, input_tokens integer, output_tokens integer, token_details text, schema_id text, "
        "resolved_model text, reply_to_id text, chat_id integer, session_id text)"
    )
    base.execute("create table conversations (id text primary key, name text, model text)")
    base.execute("insert into conversations values ('c', 'talk', 'm')")
    for n, (asked, said) in enumerate(zip(_ASKED, _SAID, strict=True)):
        base.execute(
            "insert into responses (id, model, prompt, response, conversation_id, datetime_utc) "
            "values (?, 'm', ?, ?, 'c', '2026-01-05T00:00:00')",
            (f"i{n}", asked, said),
        )
    base.commit()
    return base.serialize()
