"""Results made in memory, for tests of the lenses."""

from __future__ import annotations

import random

from stylekl.results import Model, Prompt, Reply, Results

NEUTRAL = "the a of and to in is it that for with as on this be are was by from or at an not we you"
TOPIC = "river garden engine letter bread winter market violin harbour ladder candle forest"
POOL = f"{NEUTRAL} {TOPIC}".split()


def write(random_: random.Random, favourite: str, more: float, words: int = 60) -> str:
    """Return a reply of `words` words in which `favourite` comes with the chance `more`."""
    chosen = [favourite if random_.random() < more else random_.choice(POOL) for _ in range(words)]
    return " ".join(chosen) + "."


def make_results(
    writers: dict[str, tuple[str, float]], *, prompts: int = 40, samples: int = 1, seed: int = 0
) -> Results:
    """Return results of writers that each favour one word, on the same prompts."""
    random_ = random.Random(seed)
    results = Results(
        models=[Model(id=name) for name in writers],
        prompts=[Prompt(id=f"p{number}", text=f"Prompt number {number}.") for number in range(prompts)],
    )
    for name, (favourite, more) in writers.items():
        for number in range(prompts):
            for sample in range(samples):
                text = write(random_, favourite, more)
                given = sample + 1 if samples > 1 else None
                results.replies.append(Reply(model=name, prompt=f"p{number}", text=text, sample=given))
    return results


PLAIN = {"one": ("delve", 0.0), "two": ("delve", 0.0)}
APART = {"one": ("delve", 0.10), "two": ("honestly", 0.10), "three": ("delve", 0.02)}
