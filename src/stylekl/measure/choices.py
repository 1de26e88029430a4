"""Forced choices: what an order, an envelope and a pair of words come to, and how far nodes are apart.

A *node* is one way of asking one model, a *pair* two words (a and b), an *envelope* one way of asking, an *order* which
of the two words stands first. Outcomes are small integers: 0 and 1 are the words, all others say why there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Outcomes = NDArray[np.int8]

NOT_ASKED = -1
CHOSE_A, CHOSE_B, NO_CHOICE, BOTH, REFUSED, EMPTY, ERROR, ORDER_BIAS, ONE_SIDED = range(9)
NAMES = ("a", "b", "no_choice", "both", "refused", "empty", "error", "order_bias", "one_sided")
REASONS = NAMES[2:]
NONE = 2  # of a fingerprint: no word has a strict majority
REPLIES = 7  # outcomes that a single reply can have
# Where the samples or the orders of one question lack for several reasons, the first of these is told.
_FIRST = (ERROR, REFUSED, BOTH, NO_CHOICE, EMPTY)
_CONFIDENCE = 0.975
LEAST = 2  # units below which there is no interval


def order_picks(counts: NDArray[np.int64]) -> Outcomes:
    """Return what each order of a question comes to, from its samples' outcomes `counts` (C, 7); shape (C,).

    The word that a strict majority of the samples chose, errors not counted; else the most frequent outcome that is no
    word, of equally frequent ones the first of refused, both, no_choice, empty. A tie of the two words is NO_CHOICE,
    samples that are errors one and all ERROR, no sample NOT_ASKED.
    """
    answered = counts[:, :ERROR].sum(axis=1)
    picks = np.full(len(counts), NO_CHOICE, np.int8)
    lacking = counts[:, _FIRST[1:]]
    most = lacking.argmax(axis=1)
    told = np.array(_FIRST[1:], np.int8)[most]
    picks = np.where(lacking.max(axis=1, initial=0) > 0, told, picks).astype(np.int8)
    for word in (CHOSE_A, CHOSE_B):
        picks[2 * counts[:, word] > answered] = word
    picks[answered == 0] = ERROR
    picks[counts.sum(axis=1) == 0] = NOT_ASKED
    return picks


def pair_outcomes(ab: Outcomes, ba: Outcomes) -> Outcomes:
    """Return what two orders of one question come to, elementwise.

    The same word twice is a real preference, two different words are ORDER_BIAS. A word and none is ONE_SIDED, unless
    the other order failed: then ERROR. Without a word the reason of both, or the first of error, refused, both,
    no_choice, empty where they differ. NOT_ASKED where either order was not asked.
    """
    ab, ba = np.broadcast_arrays(np.asarray(ab, np.int8), np.asarray(ba, np.int8))
    words = (ab <= CHOSE_B).astype(np.int8) + (ba <= CHOSE_B)
    out = np.full(ab.shape, NO_CHOICE, np.int8)
    for reason in _FIRST[::-1]:
        out[(words == 0) & ((ab == reason) | (ba == reason))] = reason
    out[words == 1] = ONE_SIDED
    out[(words == 1) & ((ab == ERROR) | (ba == ERROR))] = ERROR
    out[words == 2] = ORDER_BIAS
    same = (words == 2) & (ab == ba)
    out[same] = ab[same]
    out[(ab == NOT_ASKED) | (ba == NOT_ASKED)] = NOT_ASKED
    return out


def tally(outcomes: Outcomes) -> NDArray[np.int64]:
    """Return how often each outcome stands along the last axis; shape (…, 9). NOT_ASKED is not counted."""
    return np.stack([np.count_nonzero(outcomes == each, axis=-1) for each in range(len(NAMES))], axis=-1)


def majority(a: NDArray[np.int64], b: NDArray[np.int64], answered: NDArray[np.int64]) -> Outcomes:
    """Return the cross-envelope preference: the word of a strict majority of the real preferences.

    `a` and `b` count the envelopes with a real preference for either word, `answered` those with any answer at all.
    NONE where neither has a majority, NOT_ASKED where no envelope was answered.
    """
    found = np.full(np.shape(a), NONE, np.int8)
    found[a > b] = CHOSE_A
    found[b > a] = CHOSE_B
    found[answered == 0] = NOT_ASKED
    return found


def sharpness(a: NDArray[np.int64], b: NDArray[np.int64], answered: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return |a − b| / answered: 1 where every envelope gave the same word, 0 where none is ahead; nan without any."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(answered > 0, np.abs(a - b) / answered, np.nan)


def agreement(prints: Outcomes) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Compare fingerprints (N, P), every node with every other.

    Returns three (N, N): pairs that both have, those on which they differ (none is a value), and those on which both
    chose and chose opposite words.
    """
    hot = [(prints == value).astype(np.float32) for value in (CHOSE_A, CHOSE_B, NONE)]
    known = (prints != NOT_ASKED).astype(np.float32)
    common = known @ known.T
    same = sum(each @ each.T for each in hot)
    opposite = hot[0] @ hot[1].T
    opposite = opposite + opposite.T
    whole = [np.asarray(np.rint(each), np.int64) for each in (common, common - same, opposite)]
    return whole[0], whole[1], whole[2]


def scores(outcomes: Outcomes) -> NDArray[np.int8]:
    """Return 1 for a real preference for a, −1 for b, 0 for none or not asked."""
    return np.asarray((outcomes == CHOSE_A).astype(np.int8) - (outcomes == CHOSE_B), np.int8)


def consistent_p(d: NDArray[np.integer], axis: int = -1) -> NDArray[np.float64]:
    """Return the chance of differences as consistent as `d` where both sides are one responder.

    `d` (…, P, E) are the differences of `scores` of two nodes by pair and envelope. If one responder answered both, the
    two outcomes of a pair and envelope may be exchanged, which turns the sign of their difference. The statistic
    Σ_p (Σ_e d)² is large where differences point the same way across envelopes. Its mean and variance over all signs
    are exact; its upper tail is that of the gamma distribution with these two (Satterthwaite 1946,
    doi:10.2307/3002019), not enumerated. 1 where nothing differs or no pair has two differing envelopes: then any
    signs give the same.
    """
    d = np.asarray(d, np.int64)
    squares = d * d
    by_pair = squares.sum(axis=axis)
    observed = np.square(d.sum(axis=axis)).sum(axis=-1).astype(np.float64)
    mean = by_pair.sum(axis=-1).astype(np.float64)
    variance = 2.0 * (by_pair * by_pair - (squares * squares).sum(axis=axis)).sum(axis=-1)
    return gamma_p(observed, mean, variance)


def gamma_p(
    observed: NDArray[np.float64], mean: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the upper tail of a gamma distribution with this mean and variance; 1 where the variance is 0."""
    from scipy.special import gammaincc

    sure = variance > 0
    v, m = np.where(sure, variance, 1.0), np.where(sure, mean, 1.0)
    return np.where(sure, gammaincc(m * m / v, observed * m / v), 1.0)


def sign_p(values: NDArray[np.int64]) -> float:
    """Return the exact two-sided p of a sum of whole numbers (U,) if each may as well have the other sign.

    The share of the 2^U assignments of signs with a sum at least as far from 0 (Fisher's randomisation argument), by
    convolution rather than enumeration. 1 where all are 0.
    """
    sizes = np.abs(np.asarray(values, np.int64))
    sizes = sizes[sizes > 0]
    if not len(sizes):
        return 1.0
    reach = int(sizes.sum())
    chance = np.zeros(2 * reach + 1)
    chance[reach] = 1.0
    for size in sizes.tolist():
        half = 0.5 * chance
        chance = np.roll(half, size) + np.roll(half, -size)
    observed = abs(int(np.sum(values)))
    tail = chance[reach + observed :].sum()
    return float(min(2.0 * tail if observed else 1.0, 1.0))


def subset_p(
    size: NDArray[np.int64], marked: NDArray[np.int64], drawn: NDArray[np.int64], found: int
) -> float:
    """Return the exact chance of at least `found` marked things in subsets drawn at random from several sets.

    Set i holds `size` things of which `marked` are marked, and `drawn` are taken from it; the numbers found in the sets
    are hypergeometric (Fisher's exact test, stratified) and add up by convolution. 1 where nothing is drawn.
    """
    from math import comb

    chance = np.ones(1)
    for n, m, k in zip(size.tolist(), marked.tolist(), drawn.tolist(), strict=True):
        own = np.array([comb(m, x) * comb(n - m, k - x) / comb(n, k) for x in range(min(m, k) + 1)])
        chance = np.convolve(chance, own)
    return float(min(chance[found:].sum(), 1.0))


def wilson(successes: float, n: float) -> tuple[float, float]:
    """Return the 95 % interval of a share of `n` independent units; nan without any.

    Wilson (1927), doi:10.1080/01621459.1927.10502953.
    """
    if n <= 0:
        return float("nan"), float("nan")
    z = 1.959963984540054
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # at the ends the bound is the share itself, whatever the last bit says
    low = 0.0 if successes <= 0 else max(0.0, float(middle - half))
    high = 1.0 if successes >= n else min(1.0, float(middle + half))
    return low, high


def clustered_share(hits: NDArray[np.int64], trials: NDArray[np.int64]) -> tuple[float, float, float, int]:
    """Return a share of replies that come in clusters (U,): value, low and high with 95 %, number of clusters.

    `hits` of `trials` in each cluster (a pair of words); clusters without trials do not count. The interval is Clopper
    and Pearson's on the effective number of replies, corrected for the degrees of freedom that the clusters leave, as
    Korn and Graubard (1998, Survey Methodology 24, 193-201) have it; where the clusters do not vary at all, the
    effective number is that of the clusters. nan without trials, no interval (nan) from fewer than two clusters.
    """
    used = trials > 0
    hits, trials = hits[used].astype(np.float64), trials[used].astype(np.float64)
    clusters, n = len(trials), float(trials.sum())
    if not clusters:
        return (float("nan"),) * 3 + (0,)
    share = float(hits.sum() / n)
    if clusters < LEAST:
        return share, float("nan"), float("nan"), clusters
    residual = hits - share * trials
    variance = clusters / (clusters - 1) * float(residual @ residual) / (n * n)
    effective = min(share * (1 - share) / variance, n) if variance > 0 else float(clusters)
    low, high = _clopper_pearson(share, _adjusted(effective, n, clusters))
    return share, low, high, clusters


def _adjusted(effective: float, n: float, clusters: int) -> float:
    """Return the effective number, less where few clusters make the variance itself uncertain."""
    from scipy.special import stdtrit

    if n <= 1:
        return effective
    return float(effective * (stdtrit(n - 1, _CONFIDENCE) / stdtrit(clusters - 1, _CONFIDENCE)) ** 2)


def _clopper_pearson(share: float, n: float) -> tuple[float, float]:
    from scipy.special import betaincinv

    x = share * n
    low = 0.0 if share <= 0 else float(betaincinv(x, n - x + 1, 1 - _CONFIDENCE))
    high = 1.0 if share >= 1 else float(betaincinv(x + 1, n - x, _CONFIDENCE))
    return low, high


def triples(winner: NDArray[np.integer], loser: NDArray[np.integer]) -> list[tuple[int, int, int]]:
    """Return the intransitive triples: words x, y, z with x over y, y over z and z over x; x is the least of the three.

    `winner` and `loser` (K,) are words as numbers, one entry for each preference.
    """
    over: dict[int, set[int]] = {}
    for x, y in zip(winner.tolist(), loser.tolist(), strict=True):
        over.setdefault(x, set()).add(y)
    return sorted(
        (x, y, z)
        for x, below in over.items()
        for y in below
        if y > x
        for z in over.get(y, ())
        if z > x and x in over.get(z, ())
    )
