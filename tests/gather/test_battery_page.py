"""docs/battery.md says what the readers take: its examples load, its fields and numbers are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

from stylekl.gather import battery_file, roster
from stylekl.gather.battery_file import load_battery
from stylekl.gather.roster import load_roster
from stylekl.gather.wire.quirks import QUIRKS

PAGE = (Path(__file__).parents[2] / "docs" / "battery.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def read(text: str, folder: Path, load: object = load_battery) -> object:
    path = folder / "example.yaml"
    path.write_text(text, encoding="utf-8")
    return load(str(path))  # type: ignore[operator]


def test_the_examples_load(tmp_path: Path) -> None:
    """The battery, the battery with each of the two fields shown alone, and the models file."""
    whole, length, conditions, models = BLOCKS
    plain = whole.replace("length: {max: 150, tolerance: 0.5}\n", "").replace(
        "    topic:", "    subject: rainbow\n    topic:"
    )

    assert read(whole, tmp_path).calls == 1  # type: ignore[attr-defined]
    assert read(plain + length, tmp_path).length.limit == 300  # type: ignore[attr-defined]
    assert [c.id for c in read(plain + conditions, tmp_path).arms] == ["control", "asserted"]  # type: ignore[attr-defined]
    assert len(read(models, tmp_path, load_roster).writers) == 2  # type: ignore[attr-defined]


def test_every_field_is_explained() -> None:
    """Each is named in the text, or stands in an example with its meaning beside it."""
    named = set(re.findall(r"`(\w+)`", PAGE)) | set(re.findall(r"(\w+): [^#\n]*#", "\n".join(BLOCKS)))
    listed = {name for names in re.findall(r"`\{([\w, ]+)\}`", PAGE) for name in names.split(", ")}
    fields = {
        *(*battery_file.FIELDS, *battery_file.PROMPT_FIELDS, *battery_file.CONDITION_FIELDS),
        *(*battery_file.LENGTH_FIELDS, *roster.FIELDS, *roster.PRICE_FIELDS, *QUIRKS, *roster.PROVIDERS),
        *("on", "why", "user", "assistant"),
    }

    assert fields - named - listed == {"off"}
    assert "`off: true`" in PAGE


def test_every_variable_of_a_key_follows_the_rule_of_the_page() -> None:
    for name, preset in roster.PROVIDERS.items():
        assert preset.key == (None if name == "local" else f"{name.upper()}_API_KEY")
