"""The page itself: reports into the templates, under a policy that lets nothing else in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from stylekl.errors import StyleklError
from stylekl.lenses.frame import LensMatrix
from stylekl.show.labels import shown as visible_name
from stylekl.show.numbers import count, plural
from stylekl.show.page import others, style
from stylekl.show.page.density import density
from stylekl.show.page.findings import findings_of
from stylekl.show.page.heat import Heat, ramp_style, size_style
from stylekl.show.page.left_out import brought, left_of
from stylekl.show.page.method import METHODS
from stylekl.show.page.safe import markup, policy, script_json, seen
from stylekl.show.ramps import RAMPS
from stylekl.show.sections import TITLES
from stylekl.show.stack import palette

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stylekl.lenses.everything import Everything, LensAnswers
    from stylekl.show.page.block import Block
    from stylekl.show.page.others import Ranking
    from stylekl.show.page.tables import Table

MARK = "stylekl report"  # by which a page is known to be one of ours


@dataclass(frozen=True, slots=True)
class Section:
    """What one lens has on the page."""

    name: str
    title: str
    heat: Heat | None
    ids: Sequence[str]
    notes: Sequence[str]
    pairs: Table | None
    models: Sequence[Block]
    details: Sequence[Block]
    left: Sequence[str]
    ranking: Ranking
    tree: str
    groups: Table | None
    brought: Table | None
    method: str


def page(
    report: Everything,
    document: str,
    *,
    title: str | None,
    sources: Sequence[Mapping[str, str | None]],
    version: str,
    ramp: str = "lajolla",
    files: Sequence[str] = (),
) -> str:
    """Return the whole page. `document` is the JSON that `stylekl report --json` prints, which it embeds.

    `files` are the paths that a command about a single pair is to be given, which the page shows.

    Raises StyleklError where Jinja2 is not installed.
    """
    sections = [_section(answers) for answers in report.lenses.values()]
    maps = [section.heat for section in sections if section.heat is not None]
    sheet = "\n".join((_own("page.css"), ramp_style(), *map(size_style, maps), _class_style()))
    script = _own("page.js")
    found: str = (
        _environment()
        .get_template("page.html.j2")
        .render(
            title=seen(title) if title else _title(sections),
            mark=MARK,
            version=version,
            policy=policy(script, sheet),
            sheet=sheet,
            script=script,
            document=script_json(json.dumps(json.loads(document), separators=(",", ":"), allow_nan=False)),
            sections=sections,
            findings=None if report.findings is None else findings_of(report.findings),
            warnings=[seen(warning) for warning in report.warnings],
            sources=[_source(source) for source in sources],
            files=" ".join(map(_quoted, files)),
            ramps=RAMPS,
            ramp=ramp,
        )
    )
    return markup(found) + "\n"


def is_page(text: str) -> bool:
    """Tell whether a file that begins so is a page of ours, which may be written over."""
    return text.startswith("<!doctype html>") and f'<meta name="generator" content="{MARK}' in text


def _section(answers: LensAnswers) -> Section:
    whole = answers.matrix
    lens_matrix = whole if isinstance(whole, LensMatrix) else None
    by_style = answers.name == "style"
    room = density(len(whole.models) if whole is not None else 0, paired=answers.paired)
    if by_style:
        drawn = None if whole is None else style.style_heat(whole)
        pairs = None if whole is None else style.style_pairs(whole)
        notes = [] if whole is None else style.style_notes(whole)
    else:
        drawn = None if lens_matrix is None else others.lens_heat(lens_matrix)
        pairs = None if lens_matrix is None else others.lens_pairs(lens_matrix)
        notes = others.lens_notes(whole)
    tree = answers.tree
    return Section(
        name=answers.name,
        title=TITLES[answers.name],
        heat=drawn,
        ids=[] if whole is None else [*whole.order],
        notes=notes,
        pairs=pairs,
        models=style.style_models(answers, room) if by_style else others.lens_models(answers, room),
        details=style.style_details(answers) if by_style else others.lens_details(answers),
        left=left_of(answers),
        ranking=others.Ranking() if by_style else others.ranking(answers),
        tree="" if tree is None else style.tree_picture(tree),
        groups=None if tree is None else style.tree_table(tree),
        brought=None if whole is None else brought(answers.name, whole.models),
        method=METHODS[answers.name],
    )


def _title(sections: Sequence[Section]) -> str:
    models = max((len(section.ids) for section in sections), default=0)
    return f"{plural(models, 'model')} compared" if models else "What these results say"


def _source(source: Mapping[str, str | None]) -> tuple[str, str]:
    return seen(source["path"]), str(source["sha256"] or "")[:12]


def _quoted(path: str) -> str:
    """Return a path as a shell takes it, and as the page may show it."""
    import shlex

    return shlex.quote(visible_name(path))


def _class_style() -> str:
    return "\n".join(
        f".k{place}{{fill:#{colour};background:#{colour}}}" for place, colour in enumerate(palette())
    )


@cache
def _own(name: str) -> str:
    return (files("stylekl.show.page") / name).read_text(encoding="utf-8").strip()


@cache
def _environment() -> Any:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise StyleklError(
            "a report page needs the package Jinja2", "pip install 'stylekl[report]'"
        ) from error
    made = Environment(
        loader=PackageLoader("stylekl.show.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["count"] = count  # macros of an imported template see nothing else
    return made
