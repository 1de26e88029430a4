"""From where on something counts, and why there. docs/checking.md states the same numbers."""

from __future__ import annotations

# A defect of single replies is trouble from this share of a model's replies on, where they are two or more, and a
# note below. One reply in a hundred is what a comparison by prompts begins to feel; models that nobody complains of
# have a few in 805.
COMMON = 0.01
SEVERAL = 2

# A model gives one text to all prompts where this share of its replies is the same text. The rest is for the reply
# that was cut or failed.
CONSTANT = 0.9
FEW_PROMPTS = 5  # below, one text for all prompts may be the right answer to each

# Most replies of a model are blank, or of SHORT characters where the file's replies are prose (PROSE characters in
# the median). A file of one-word answers is short everywhere, and nothing is wrong with it.
MOST = 0.5
SHORT = 16
PROSE = 60

# Replies cut by a limit count as trouble only where they are many: a limit is part of many set-ups, and select leaves
# these replies out and says so.
CUT_OFTEN = 0.1

# Far longer than what others wrote to the same prompt: a generation that does not end. A note: it may be what the
# model does.
FAR = 10
FAR_LEAST = 8000  # characters
OTHERS = 3  # replies to the same prompt that the median needs

# A model writes another language than it was asked in for at least half of the prompts, and the others (where there are
# any) do so for at most a fifth in the median.
OTHER_LANGUAGE = 0.5
USUAL_LANGUAGE = 0.2
TOLD = 8  # replies and prompts whose language could be told

# Leading white space belongs to the set-up where nearly every reply has it, and there are a few.
NEARLY_ALL = 0.9
SOME = 5

# Long replies that two models share, as a share of the prompts that both answered; SEVERAL at least: one may be a stock
# phrase.
COPIED = 0.01
CROWD = 50  # models with one text are said as a number of models: the pairs of more would fill pages
PAIRS = 10_000  # pairs of models that are listed, the rest is a count

# Models are compared on which prompts they lack with models that answered at least half of the same prompts.
COMPANY = 0.5
WORK = 100_000_000  # sets of prompts, squared, times their size: some seconds
CELLS = 1_000_000_000  # models times prompts: a bit each

HEADS = 64  # replies of each model, spread over the file, whose language is looked at
PROMPTS_LOOKED_AT = 2000  # prompts, spread over the file, whose language is looked at
LISTED = 5  # prompts named for a finding; the rest is a count
