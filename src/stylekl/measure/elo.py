"""Elo: a rating that moves with every battle, in the order in which they were fought.

After Elo (1978), The Rating of Chessplayers, Past and Present. The expected result of a side is
1/(1 + 10^((its rival's rating − its own)/400)); the winner takes k times what it exceeded that by from the loser. A
draw is half a win for both. The sum of all ratings never changes. The order of the battles matters, and there is no
interval: what a gap is worth, a fit over all battles at once says better (`bradley_terry`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

K = 32.0
START = 1500.0
SCALE = 400.0


def elo(
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    result: NDArray[np.float64],
    models: int,
    *,
    k: float = K,
    start: float = START,
) -> NDArray[np.float64]:
    """Return the ratings (N,) of `models` models after B battles, given in their order.

    `first` and `second` (B,) are the indices of the two sides, `result` (B,) is 1 where the first won, 0 where the
    second did and ½ for a draw of any kind. A model without a battle stays at `start`.
    """
    ratings = [float(start)] * models
    for a, b, won in zip(first.tolist(), second.tolist(), result.tolist(), strict=True):
        gain = k * (won - 1.0 / (1.0 + 10.0 ** ((ratings[b] - ratings[a]) / SCALE)))
        ratings[a] += gain
        ratings[b] -= gain
    return np.array(ratings)
