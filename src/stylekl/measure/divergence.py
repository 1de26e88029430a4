"""How far one distribution is from another, in bits.

The Kullback-Leibler divergence is taken against a mixture, KL(p ‖ s·q + (1 − s)·p) with s = 0.99 unless said
otherwise: the s-skew divergence of Lee (1999), doi:10.3115/1034678.1034693, with its α = s. It is finite where q
lacks a symbol that p has, at most log2(1 / (1 − s)), and needs no smoothing. At s = 1 it is plain KL, infinite
there. Jensen-Shannon is the usual one (Lin 1991, doi:10.1109/18.61115), at most 1 bit.

All functions work along the last axis and broadcast over the others. A symbol of probability 0 adds 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LN2 = float(np.log(2.0))
SKEW = 0.99
_TINY = float(np.finfo(np.float64).tiny)

# Stands for 0 where a logarithm is taken: p log2 p of it is 1e-197, which no sum of doubles notices.
POSITIVE = 1e-200


def negative_entropy(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Σ p ln p along the last axis, in nats; shape `p.shape[:-1]`."""
    logarithm = np.maximum(p, _TINY)
    return np.asarray(np.einsum("...v,...v->...", p, np.log(logarithm, out=logarithm)))


def skewed_kl(p: NDArray[np.float64], q: NDArray[np.float64], skew: float = SKEW) -> NDArray[np.float64]:
    """Return KL(p ‖ skew·q + (1 − skew)·p) in bits along the last axis.

    Not symmetric; at least 0 but for rounding of about 1e-15.
    """
    mixture = skew * q
    mixture += (1.0 - skew) * p
    if skew == 1.0:
        with np.errstate(divide="ignore"):
            logarithm = np.where(p > 0, np.log(mixture), 0.0)
    else:
        np.maximum(mixture, _TINY, out=mixture)
        logarithm = np.log(mixture, out=mixture)
    return np.asarray((negative_entropy(p) - np.einsum("...v,...v->...", p, logarithm)) / LN2)


def contributions(p: NDArray[np.float64], q: NDArray[np.float64], skew: float = SKEW) -> NDArray[np.float64]:
    """Return what each symbol adds to `skewed_kl`, in bits: p log2(p / mixture). Shape as `p`; may be negative."""
    mixture = skew * q + (1.0 - skew) * p
    with np.errstate(divide="ignore"):
        ratio = np.divide(p, mixture, out=np.ones_like(mixture), where=p > 0)
    return p * np.log2(ratio)


def three_divergences(
    p: NDArray[np.float64],
    q: NDArray[np.float64],
    skew: float,
    p_negative_entropy: NDArray[np.float64],
    q_negative_entropy: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return both directions of `skewed_kl` and the Jensen-Shannon divergence of positive distributions, in bits.

    The inner loop of a matrix, so `negative_entropy` of both sides comes from outside and the temporaries are
    shared. A symbol that one side lacks must have a probability too small to matter, not 0 (see `POSITIVE`).
    Jensen-Shannon is symmetric and between 0 and 1.
    """
    difference = q - p
    mixture = skew * difference
    other = q - mixture
    mixture += p
    difference *= 0.5
    difference += p
    for array in (mixture, other, difference):
        np.log(array, out=array)
    kl_pq = p_negative_entropy - np.einsum("...v,...v->...", p, mixture)
    kl_qp = q_negative_entropy - np.einsum("...v,...v->...", q, other)
    middle = np.einsum("...v,...v->...", p, difference) + np.einsum("...v,...v->...", q, difference)
    js = 0.5 * (p_negative_entropy + q_negative_entropy - middle)
    return kl_pq / LN2, kl_qp / LN2, js / LN2
