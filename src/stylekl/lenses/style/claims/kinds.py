"""What the kinds of findings of the style lens offer: each looks at the same ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from stylekl.lenses.claims import Claim, Control, Lack
    from stylekl.lenses.style.claims.ground import Ground
    from stylekl.lenses.words import Voice


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of finding.

    `claims` returns those that hold, given every q; `sentence` makes lead and text from the facts alone, and `check`
    tells whether the facts bear the claim out.
    """

    claims: Callable[[Ground, Control], Iterable[Claim]]
    sentence: Callable[[Mapping[str, Any], Voice], tuple[str, str]]
    check: Callable[[Mapping[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class Missing:
    """A kind of claim that files may not support: what lacks, and how it is said (what, and why not)."""

    lacks: Callable[[Ground, Control], Iterator[Lack]]
    sentence: Callable[[Mapping[str, Any], Voice], tuple[str, str]]
