"""scikit-learn's TfidfVectorizer on words and pairs of words, one document a model, and its cosine matrix.

What it computes: for each model one vector of 1- and 2-grams over all its replies, pooled, weighted by TF-IDF, and the
cosine of every two: one number a pair. What stylekl computes beyond that on the same files: counts for each model and
prompt, so that models are compared on the prompts that both answered and every prompt counts once; both directions of
KL, Jensen-Shannon and kinship; for each the correction of the bias and an interval; a test of every pair and its q over
all pairs; copies; and why replies were left out. It counts tokens where the peer counts words and pairs.
"""

from __future__ import annotations

import json
import sys

from bench.speeding.reading import documents


def tfidf(texts: list[str]):
    """Return the vectorizer after `texts`, its matrix, and the cosines of all pairs of them."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    vectorizer = TfidfVectorizer(ngram_range=(1, 2))
    matrix = vectorizer.fit_transform(texts)
    return vectorizer, matrix, cosine_similarity(matrix)


if __name__ == "__main__":
    _, weights, cosines = tfidf(list(documents(sys.argv[1:]).values()))
    print(json.dumps({"documents": weights.shape[0], "terms": weights.shape[1], "cosines": cosines.size}))
