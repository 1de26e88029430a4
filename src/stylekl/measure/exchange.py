"""Could one writer have produced both sides? An exact test by exchanging replies, and the floor.

Under "no difference" the two replies to a prompt are exchangeable. D (E × V) holds, for each of E groups of
prompts, the sum of paired differences of the symbols' frequencies, m (V,) the mean of the two distributions. The
form K = D·diag(1/m)·Dᵀ turns every assignment of signs ε to the groups into a statistic εᵀKε, which with this
weight is the second-order form of the Jensen-Shannon divergence; the observed one has all signs equal. p is the
share of the 2^(E−1) assignments whose statistic is at least the observed one, the observed one included: exact
(Fisher's randomisation argument; Good 2005, doi:10.1007/b138696).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stylekl.measure.divergence import LN2

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

# Ties are exact in exact arithmetic (the observed signs with all reversed); rounding must not lose them.
_TIE = 1e-9


def _only_the_observed(K: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell where no other assignment can reach the observed one; shape (N,) for K (N, E, E).

    Turning the signs of a set S lowers the statistic by 4·x'Lx, with x the indicator of S and L the Laplacian
    of K. If L is positive definite on vectors orthogonal to 1, that is positive for every S but none and all.
    """
    size = K.shape[-1]
    degree = K.sum(axis=-1)
    L = -K
    index = np.arange(size)
    L[:, index, index] += degree
    scale = np.abs(K).sum(axis=(-1, -2)) + np.finfo(float).tiny
    L += (scale / size)[:, None, None]  # lifts the eigenvalue of 1 above the others
    return np.asarray(np.linalg.eigvalsh(L)[:, 0] > 1e-6 * scale)


def _signs(count: int) -> NDArray[np.float64]:
    bits = np.arange(1 << count)[:, None] >> np.arange(count) & 1
    return np.asarray(1.0 - 2.0 * bits, np.float64)


def _enumerate(K: NDArray[np.float64]) -> float:
    """Return p of one form by going through all sign assignments, the first sign held."""
    size = K.shape[0]
    half = (size + 1) // 2
    left = np.hstack([np.ones((1 << (half - 1), 1)), _signs(half - 1)])
    right = _signs(size - half)
    # One product holds what the signs of both halves add together: 2·lᵀKr + lᵀKl + rᵀKr.
    own = np.einsum("ij,ij->i", left @ K[:half, :half], left)
    others = np.einsum("ij,ij->i", right @ K[half:, half:], right)
    first = np.column_stack([2.0 * left @ K[:half, half:], own, np.ones(len(left))])
    across = first @ np.column_stack([right, np.ones(len(right)), others]).T
    observed = K.sum()
    reach = observed - _TIE * abs(K).sum()
    return float(np.count_nonzero(across >= reach) / across.size)


def exact_p(K: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the exact p-values of N forms K (N, E, E); shape (N,).

    A form of zeros (two models that wrote the same) has p = 1. Most pairs of different models are settled by an
    eigenvalue, which shows that only the observed signs reach the observed value; the rest are enumerated.
    """
    p = np.full(len(K), 0.5 ** (K.shape[-1] - 1)) if len(K) else np.empty(0)
    if not len(K):
        return p
    for index in np.flatnonzero(~_only_the_observed(K)):
        p[index] = _enumerate(K[index])
    return p


def floor(
    D: NDArray[np.float64],
    m: NDArray[np.float64],
    skew: float,
    signs: NDArray[np.float64] | Iterable[NDArray[np.float64]],
) -> float:
    """Return the divergence, in bits, below which 95 % of corrected divergences fall where there is no difference.

    `D` (U, V) holds the paired difference of each single unit, weighted so that the rows add up to the
    difference of the two distributions, `m` (V,) their mean, `signs` (R, U) the drawn exchanges, whole or in
    blocks of rows. The 95 % point of εᵀKε less its mean over all ε (the trace of K, which is what the jackknife
    takes off), brought from the quadratic form to KL: (skew²/2 ln 2) of it, to second order.
    """
    scaled = D / np.sqrt(np.where(m > 0, m, 1.0))
    blocks = [signs] if isinstance(signs, np.ndarray) else signs
    forms = np.concatenate([np.square(block @ scaled).sum(axis=1) for block in blocks])
    excess = float(np.quantile(forms, 0.95)) - float(np.square(scaled).sum())
    return max(excess, 0.0) * skew * skew / (2.0 * LN2)


def benjamini_hochberg(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Benjamini-Hochberg q-values of p-values (n,), nan staying nan and not counted.

    Benjamini and Hochberg (1995), doi:10.1111/j.2517-6161.1995.tb02031.x.
    """
    q = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    scaled = p[order] * len(order) / np.arange(1, len(order) + 1)
    q[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return q
