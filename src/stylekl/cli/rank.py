"""`stylekl rank`: in which order do the models stand?"""

from __future__ import annotations

from stylekl.cli.by import Lenses, with_lenses
from stylekl.cli.settings import Files, Settings, with_settings


@with_settings
@with_lenses
def rank(files: Files = None, *, settings: Settings, lenses: Lenses) -> None:
    """Rank the models by verdicts, votes or judgments.

    Style and choices have no order from better to worse, so they have no ranking.

    \b
    Examples:
      stylekl rank words.json
      stylekl rank votes.json --by votes --csv
    """
    from stylekl.cli.answer import answer, busy, check_output, read
    from stylekl.cli.by import one, options_of
    from stylekl.errors import UsageError
    from stylekl.lenses.registry import lens
    from stylekl.show.sections import shown

    check_output(settings)
    found = read(settings, files or [])
    name = one(found, lenses, "rank")
    if name == "style":
        raise UsageError(
            "the results hold nothing to rank models by", "rank reads verdicts, votes or judgments"
        )
    with busy(settings, "ranking …"):
        report = lens(name).rank(found, options_of(name, settings, lenses))
    show = shown(name)
    answer("rank", settings, found, report, data=show.rank_data, rows=show.rank_rows, view=show.rank_view)
