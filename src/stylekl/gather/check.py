"""What `stylekl battery check` says: a battery as it was understood, and what became of an earlier state of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stylekl.gather.battery_file import find_battery, load_battery, warnings_of
from stylekl.gather.versions import Change, check_against, past_of
from stylekl.results import load
from stylekl.results.records import Results

if TYPE_CHECKING:
    from stylekl.gather.battery import Battery
    from stylekl.results.records import Source


@dataclass(frozen=True, slots=True)
class BatteryReport:
    """A sound battery, and its `changes` since the version `against`; both null where nothing earlier was given.

    `against` is null too where a results file does not say the version.
    """

    battery: Battery
    changes: tuple[Change, ...] | None
    against: int | None
    sources: tuple[Source, ...]
    params: dict[str, Any]
    warnings: tuple[str, ...]

    @property
    def refused(self) -> tuple[Change, ...]:
        """The changes that a version may not make."""
        return tuple(change for change in self.changes or () if change.refused)


def check_battery(name: str, against: str | None = None) -> BatteryReport:
    """Return what is to be said of a battery, named as `load_battery` takes it.

    `against` is an earlier state of it: a battery, or a results file. Raises the errors of reading either.
    """
    battery = load_battery(name)
    sources = [battery.source] if battery.source else []
    changes, version = None, None
    if against is not None:
        old = _old(against)
        changes = check_against(battery, old)
        version = past_of(old, battery.id).version
        sources += old.sources if isinstance(old, Results) else [old.source] if old.source else []
    return BatteryReport(
        battery,
        changes,
        version,
        tuple(sources),
        {"file": name, "against": against},
        tuple(warnings_of(battery)),
    )


def _old(name: str) -> Battery | Results:
    yaml = Path(find_battery(name)).suffix.lower() in (".yaml", ".yml")
    return load_battery(name) if yaml else load(name)
