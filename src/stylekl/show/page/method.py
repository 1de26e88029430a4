"""How each lens comes to its figures, in a paragraph, with its references."""

METHODS = {
    "style": (
        "Every prompt counts once: a model's distribution over symbols is the mean over prompts of the shares "
        "in its replies. It is read over a style vocabulary, the symbols that many prompts hold; all others "
        "are one symbol. Two models are compared on the prompts that both answered, by the Kullback–Leibler "
        "divergence from one to a mixture of 99% of the other and 1% of itself (the α-skew divergence, Lee "
        "1999, doi:10.3115/1034678.1034693), which is finite without smoothing. Beside it stands the "
        "Jensen–Shannon divergence (Lin 1991, doi:10.1109/18.61115). A delete-a-group jackknife over prompts "
        "takes off the bias of small samples and gives the 95% interval (Busing, Meijer and van der Leeden "
        "1999, doi:10.1023/A:1008800423698). The call “apart” is that of an exact test by exchanges within "
        "prompts (Good 2005, doi:10.1007/b138696), with the false discovery rate over all pairs of the file "
        "at 5% (Benjamini and Hochberg 1995, doi:10.1111/j.2517-6161.1995.tb02031.x). The floor is what "
        "chance alone reaches once in twenty times where there is no difference. 0 means that no difference "
        "was found, not that there is none. The tree is average linkage on the Jensen–Shannon divergence; "
        "support is the share of trees with varied distances that hold a group."
    ),
    "choices": (
        "Every model was asked which of two words it takes, in many phrasings and both orders. A preference "
        "counts where it holds in both orders. A cell is the share of pairs of words on which two models take "
        "different sides, with Wilson's interval (Wilson 1927, doi:10.1080/01621459.1927.10502953), the pair "
        "of words as the unit."
    ),
    "verdicts": (
        "Answers in one word are classified as yes, no or other, and the majority over the samples is a "
        "model's verdict. Two models differ by the share of questions on which their verdicts do, with an "
        "exact interval (Clopper and Pearson 1934, doi:10.2307/2331986)."
    ),
    "votes": (
        "A cell is the share of decided fights that one model won against the other. Scores are Bradley–Terry "
        "strengths (Hunter 2004, doi:10.1214/aos/1079120141) on a scale with mean 1500; intervals come from "
        "resampling whole sessions. While an arena is sealed there are no shares, scores or orders, here or "
        "anywhere."
    ),
    "judgments": (
        "A judge that was not told whose the replies are compared two of them; both orders together make one "
        "decision. A cell is the share of decided verdicts that one model won, with its interval (Wilson "
        "1927, doi:10.1080/01621459.1927.10502953); scores are Bradley–Terry strengths."
    ),
}
