"""scikit-learn's CountVectorizer as it comes, on words, one document a model.

What it computes: how often each model uses each word of two letters or more, in lower case. No comparison: counts are
where it ends. What stylekl computes beyond that: counts for each model and prompt, and from them all that
`peer_tfidf.py` lists.
"""

from __future__ import annotations

import json
import sys

from bench.speeding.reading import documents


def count(texts: list[str]):
    """Return the vectorizer after `texts`, and its matrix of counts, a row for each text."""
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer()
    return vectorizer, vectorizer.fit_transform(texts)


if __name__ == "__main__":
    _, counts = count(list(documents(sys.argv[1:]).values()))
    print(json.dumps({"documents": counts.shape[0], "terms": counts.shape[1], "count": int(counts.sum())}))
