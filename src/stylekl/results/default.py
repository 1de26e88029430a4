"""Which results file a command reads when it is given none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from stylekl.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Origin = Literal["argument", "environment", "folder", "sample"]
VARIABLE = "STYLEKL_RESULTS"
FILE = "results.json"


def find_results(given: Sequence[str], env: Mapping[str, str]) -> tuple[list[str], Origin]:
    """Return the paths to read and where they come from.

    The first of these that there is: the paths `given`, the variable STYLEKL_RESULTS in `env`, results.json
    in the current folder, the shipped sample. Raises InternalError where the sample is missing.
    """
    if given:
        return list(given), "argument"
    if env.get(VARIABLE):
        return [env[VARIABLE]], "environment"
    if Path(FILE).is_file():
        return [FILE], "folder"
    return [str(sample_path())], "sample"


def sample_path() -> Path:
    """Return the path of the shipped sample, in an installed package or in a checkout of the source."""
    package = Path(__file__).parents[1]
    for path in (package / "data" / "sample.json", package.parents[1] / "data" / "sample.json"):
        if path.is_file():
            return path
    raise InternalError("the sample results are missing from the package", "install stylekl again")
