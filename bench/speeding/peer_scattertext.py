"""scattertext's corpus and its table of term frequencies, with the plain tokenizer that its README offers for speed.

What it computes: one document for each reply, cut by `whitespace_nlp_with_sentences`; words and pairs of words counted
for each document, and for each model: the table from which its plots and scores are drawn. No comparison of models:
that is one against the rest, for one plot. What stylekl computes beyond that: the pairing by prompts, and all that
`peer_tfidf.py` lists.
"""

from __future__ import annotations

import json
import sys

from bench.speeding.reading import replies


def frequencies(texts: dict[str, list[str]]):
    """Return the table of term frequencies, a row for each term and a column for each model, `<model> freq`."""
    import pandas
    import scattertext

    frame = pandas.DataFrame(
        [(model, text) for model, own in texts.items() for text in own], columns=["model", "text"]
    )
    frame = frame.assign(parse=lambda rows: rows.text.apply(scattertext.whitespace_nlp_with_sentences))
    corpus = scattertext.CorpusFromParsedDocuments(frame, category_col="model", parsed_col="parse").build()
    return corpus.get_term_freq_df()


if __name__ == "__main__":
    table = frequencies(replies(sys.argv[1:]))
    print(json.dumps({"terms": len(table), "models": table.shape[1], "count": int(table.to_numpy().sum())}))
