"""`stylekl verdicts`: one-word answers, as counts and medians, and the lists that tell yes from no."""

from __future__ import annotations

from typing import Annotated

import typer

from stylekl.cli.exporting import Export  # noqa: TC001 # typer reads it
from stylekl.cli.reading import ReadingOptions, with_reading
from stylekl.cli.settings import Color, Files


@with_reading
def verdicts(
    files: Files = None,
    lists: Annotated[
        bool, typer.Option("--lists", help="Print the word lists in force, and read no results.")
    ] = False,
    words: Annotated[
        str | None,
        typer.Option("--words", metavar="FILE", help="Take the word lists from this YAML file."),
    ] = None,
    literal: Annotated[
        bool,
        typer.Option(
            "--literal", help="Strip quotes and stops of any kind, in any order, before looking a word up."
        ),
    ] = False,
    models: Annotated[
        list[str] | None,
        typer.Option("--models", help="Show only these models (repeat, or separate by commas)."),
    ] = None,
    topic: Annotated[
        list[str] | None, typer.Option("--topic", help="Read only the questions of this topic (repeat).")
    ] = None,
    prompts: Annotated[
        list[str] | None, typer.Option("--prompts", help="Read only these questions, by id (repeat).")
    ] = None,
    condition: Annotated[
        str | None, typer.Option("--condition", help="Show only this condition (default: all).")
    ] = None,
    period: Annotated[
        str | None, typer.Option("--period", help="Show only this edition (default: all).")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON document, nothing else.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="The table as CSV.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="The table as Markdown.")] = False,
    export: Export = None,
    width: Annotated[
        int | None, typer.Option("--width", min=20, help="Columns to draw for (default: the terminal's).")
    ] = None,
    color: Annotated[Color, typer.Option("--color", help="When to use colour.")] = Color.auto,
    no_text: Annotated[
        bool, typer.Option("--no-text", help="Keep questions and answers out of the output.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only errors on stderr.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error happened.")] = False,
    *,
    how: ReadingOptions,
) -> None:
    """Say what one-word answers come to, by model and question.

    For each model, question, condition and edition: yes, no and other, the majority, whether it was one word, medians
    of time and tokens, the cost. Refused, empty and failed replies are counted. A word is looked up in two lists.

    \b
    Examples:
      stylekl verdicts words.json
      stylekl verdicts words.json --condition control --csv
      stylekl verdicts --lists
    """
    from stylekl.cli.answer import answer, check_output, read
    from stylekl.cli.settings import Settings
    from stylekl.lenses import verdicts as lens
    from stylekl.results.records import Results
    from stylekl.show import verdicts as show

    settings = Settings(
        json=json,
        csv=csv,
        markdown=markdown,
        export=export,
        width=width,
        color=color,
        quiet=quiet,
        debug=debug,
        models=models,
    )
    check_output(settings)
    asked = lens.Options(
        models=settings.chosen(),
        topics=tuple(topic or ()),
        prompts=tuple(prompts or ()),
        condition=condition,
        period=period,
        words=words,
        literal=literal,
        text=not no_text,
    )
    if lists:
        found = lens.lists(asked)
        answer(
            "verdicts",
            settings,
            Results(),
            found,
            data=show.words_data,
            rows=show.words_rows,
            view=show.words_view,
        )
        return
    results = read(settings, files or [], how)
    answer(
        "verdicts",
        settings,
        results,
        lens.verdicts(results, asked),
        data=show.verdicts_data,
        rows=show.verdicts_rows,
        view=show.verdicts_view,
    )
