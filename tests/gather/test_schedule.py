"""Lanes: who is asked when, at what pace, and that one provider's pause holds no other."""

from __future__ import annotations

import asyncio
from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stylekl.gather.plan import Plan
from stylekl.gather.schedule import Lane, Stopped, lane_names, queues

from .fake import battery, writer


def lane(**more: object) -> Lane:
    return Lane("one", deque(), asyncio.Event(), **more)


def test_a_rate_keeps_calls_apart() -> None:
    async def five() -> list[float]:
        times = []
        paced = lane(rate=60 / 0.02)
        for _ in range(5):
            await paced.turn()
            times.append(asyncio.get_running_loop().time())
        return times

    times = asyncio.run(five())
    assert times[-1] - times[0] >= 0.079


def test_a_pause_holds_its_own_lane_alone() -> None:
    async def both() -> tuple[float, float]:
        loop = asyncio.get_running_loop()
        held, other = lane(), lane()
        began = loop.time()
        held.hold(0.05)
        await other.turn()
        first = loop.time() - began
        await held.turn()
        return first, loop.time() - began

    first, second = asyncio.run(both())
    assert first < second
    assert second >= 0.05


def test_a_stop_ends_every_wait() -> None:
    async def stopped() -> None:
        waiting = lane()
        waiting.hold(3600)
        turn = asyncio.create_task(waiting.turn())
        await asyncio.sleep(0)
        waiting.stopping.set()
        await turn

    with pytest.raises(Stopped):
        asyncio.run(stopped())


def test_a_provider_is_one_lane_and_two_hosts_of_it_are_two() -> None:
    writers = [
        writer("http://one.example/v1", "a", provider="x"),
        writer("http://one.example/v1", "b", provider="x"),
        writer("http://one.example/v1", "c", provider="local"),
        writer("http://two.example/v1", "d", provider="local"),
    ]

    assert lane_names(writers) == {
        "a": "x",
        "b": "x",
        "c": "local one.example",
        "d": "local two.example",
    }


@given(st.integers(0, 1000))
def test_every_question_stands_once_in_the_queue_of_its_writer(seed: int) -> None:
    writers = (writer("http://one.example", "a"), writer("http://one.example", "b", provider="x"))
    plan = Plan(battery(6, samples=2), writers, seed=seed)
    names = lane_names(writers)

    found = queues(plan.calls(), names, seed)

    assert {name: len(queue) for name, queue in found.items()} == {"local": 12, "x": 12}
    for name, queue in found.items():
        assert len({call.key for call in queue}) == 12
        assert {names[call.writer.id] for call in queue} == {name}


def test_the_first_question_falls_on_every_model_about_equally_often() -> None:
    writers = tuple(writer("http://one.example", name) for name in "abcd")
    names = lane_names(writers)
    first = [
        queues(Plan(battery(5), writers, seed=seed).calls(), names, seed)["local"][0].writer.id
        for seed in range(200)
    ]

    assert min(first.count(name) for name in "abcd") > 25
