from __future__ import annotations

import pytest

from stylekl.errors import UnknownModelError
from stylekl.results import Model, Results, find_model

RESULTS = Results(
    models=[
        Model(id="alder-3", name="Alder 3"),
        Model(id="alder-3-thinking", name="Alder 3 thinking"),
        Model(id="birch-5", name="Birch 5"),
        Model(id="m4", name="Same"),
        Model(id="m5", name="Same"),
    ]
)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("alder-3", "alder-3"),
        ("Alder 3", "alder-3"),
        ("ALDER 3", "alder-3"),
        ("Bir", "birch-5"),
        ("alder 3 t", "alder-3-thinking"),
        ("M4", "m4"),
    ],
)
def test_a_model_is_found_by_id_name_case_or_prefix(name: str, model: str) -> None:
    """What is exact wins over what merely begins so."""
    assert model == find_model(RESULTS, name).id


NAMED = Results(
    models=[
        Model(id="a1", name="Alder", requested="vendor/alder", returned="alder-0513", aliases=["x"]),
        Model(id="a1-low", name="Alder low", requested="vendor/alder", aliases=["Birch"]),
        Model(id="birch", requested="vendor/birch"),
    ]
)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("alder-0513", "a1"),
        ("X", "a1"),
        ("BIRCH", "birch"),
        ("vendor/b", "birch"),
        ("alder-05", "a1"),
        ("alder", "a1"),
        ("Alder l", "a1-low"),
    ],
)
def test_a_model_is_found_by_every_name_that_it_has(name: str, model: str) -> None:
    """Requested, returned and aliases come after id and name, and before the beginnings of these."""
    assert model == find_model(NAMED, name).id


def test_what_several_were_requested_as_names_them() -> None:
    """A name that two models share means neither, but a model's own names never stand in each other's way."""
    with pytest.raises(UnknownModelError) as caught:
        find_model(NAMED, "vendor/alder")

    assert caught.value.hint == "one of: Alder, Alder low"
    one = Results(models=[Model(id="m", name="m one", requested="m two", aliases=["m three", "M"])])
    assert {find_model(one, name).id for name in ("m", "M", "m ", "m t", "M THREE")} == {"m"}


def test_a_prefix_of_several_names_them() -> None:
    """An ambiguous prefix is an error that lists what it fits."""
    with pytest.raises(UnknownModelError) as caught:
        find_model(RESULTS, "ald")

    assert "more than one" in caught.value.message
    assert caught.value.hint == "one of: Alder 3, Alder 3 thinking"


def test_a_shared_name_is_told_apart_by_id() -> None:
    """Where two models have one name, their ids are shown."""
    with pytest.raises(UnknownModelError) as caught:
        find_model(RESULTS, "same")

    assert caught.value.hint == "one of: m4, m5"


def test_a_near_name_is_suggested() -> None:
    """A typing error gets the model that was meant."""
    with pytest.raises(UnknownModelError) as caught:
        find_model(RESULTS, "Brich 5")

    assert caught.value.hint == "nearest: Birch 5"


@pytest.mark.parametrize("name", ["zzzz", ""])
def test_where_nothing_is_near_the_first_models_are_shown(name: str) -> None:
    """Nobody is left without a name to try, and the empty name is no prefix."""
    with pytest.raises(UnknownModelError, match="is no model") as caught:
        find_model(RESULTS, name)

    assert caught.value.hint == "nearest: Alder 3, Alder 3 thinking, Birch 5, m4"
