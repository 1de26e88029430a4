"""How even the planner's sessions are: many plans in a row, and the greatest differences between prompts on the way.

    python bench/planner.py [--plans 1000] [--seeds 3]

For several shapes of a panel, with several seeds: whether every plan kept every rule, and by how much prompts differed
at most after any plan in how often they were real fights, checks, and shown at all. For the shape of the method (18
prompts, 4 models) the bounds are 2, 2 and 3.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from itertools import combinations

from stylekl.gather.planner import Composition, Pairing, Rules, Tally, compositions, pairings

SHAPES = (
    ("18 prompts, 4 models", 4, 3, Rules()),
    ("24 prompts, 4 models", 4, 4, Rules()),
    ("30 prompts, 5 models", 5, 3, Rules(fights=10)),
    ("45 prompts, 6 models", 6, 3, Rules(fights=12)),
    ("90 prompts, 10 models", 10, 2, Rules(fights=20)),
)


def battery(models: int, each: int, seed: int) -> tuple[Pairing, ...]:
    """Return the pairs of a battery in which every model answered everything."""
    names = [f"model-{number}" for number in range(models)]
    prompts = [f"prompt-{number}" for number in range(each * models * (models - 1) // 2)]
    return pairings(names, dict.fromkeys(prompts, names), each=each, seed=seed)


def broken(composition: Composition, paired: tuple[Pairing, ...], rules: Rules) -> bool:
    """Return whether a plan breaks a rule."""
    of = {pairing.prompt: pairing.two for pairing in paired}
    fights = [of[prompt] for prompt in composition.fights]
    models = Counter(name for pair in fights for name in pair)
    return not (
        len(set(composition.fights)) == rules.fights
        and len(set(composition.instructed) - set(composition.fights)) == rules.instructed
        and all(rules.least <= models[name] <= rules.most for pair in of.values() for name in pair)
        and max(Counter(fights).values()) <= rules.pairing
    )


def main() -> None:
    """Print one row for each shape and seed."""
    parser = argparse.ArgumentParser(description="How even the planner's sessions are.")
    parser.add_argument("--plans", type=int, default=1000, help="sessions in a row")
    parser.add_argument("--seeds", type=int, default=3, help="how many seeds")
    given = parser.parse_args()
    print(f"{given.plans} plans in a row; greatest differences after any plan")
    print(f"{'shape':<24}{'seed':>5}{'broken':>8}{'real':>6}{'check':>7}{'shown':>7}{'ms a plan':>11}")
    for shape, models, each, rules in SHAPES:
        for seed in range(given.seeds):
            paired = battery(models, each, seed)
            balanced = set(Counter(pairing.two for pairing in paired).values()) == {each}
            prompts = [pairing.prompt for pairing in paired]
            tally, wrong, worst = Tally(), 0, (0, 0, 0)
            start = time.process_time()
            for composition in compositions(paired, given.plans, rules, seed=seed):
                wrong += broken(composition, paired, rules)
                tally.add(composition)
                worst = tuple(map(max, worst, tally.spread(prompts)))
            spent = 1000 * (time.process_time() - start) / given.plans
            wrong += not balanced or len(paired) != each * len(list(combinations(range(models), 2)))
            print(f"{shape:<24}{seed:>5}{wrong:>8}{worst[0]:>6}{worst[1]:>7}{worst[2]:>7}{spent:>11.1f}")


if __name__ == "__main__":
    main()
