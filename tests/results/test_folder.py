from __future__ import annotations

import hashlib
import json
import os
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stylekl.errors import ConflictError, InputError
from stylekl.results import Results, load, select
from stylekl.results.readers.folder import read_folder

from .strategies import small, write

if TYPE_CHECKING:
    from pathlib import Path


def fill(folder: Path, **texts: str | bytes) -> Path:
    """Make a folder of .txt files; "__" in a name stands for a dot."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write(folder, f"{name.replace('__', '.')}.txt", text)
    return folder


def replies(results: Results, model: str) -> dict[tuple[str, int | None], str]:
    return {(each.prompt, each.sample): each.text for each in results.replies if each.model == model}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A results file with the prompts p1 and p2."""
    return write(tmp_path, "r.json", json.dumps(small()))


def test_a_folder_is_one_more_writer(file: Path, tmp_path: Path) -> None:
    """Its texts answer the prompts that they are named after, and it comes after the models of the file."""
    people = fill(tmp_path / "people", p2="Mine two", p1="Mine one")
    loaded = load(people, file)

    assert [model.id for model in loaded.models] == ["a", "b", "people"]
    assert load(file).prompts == loaded.prompts
    assert replies(loaded, "people") == {("p1", None): "Mine one", ("p2", None): "Mine two"}
    assert loaded.warnings == []
    assert load(file, people) == loaded


def test_a_number_tells_the_texts_to_one_prompt_apart(file: Path, tmp_path: Path) -> None:
    """`p1.2.txt` is the second text to p1; a text without a number takes the first that is free."""
    loaded = load(file, fill(tmp_path / "people", p1__1="one", p1__3="three", p1="two", p2__2="b"))

    assert replies(loaded, "people") == {
        ("p1", 1): "one",
        ("p1", 2): "two",
        ("p1", 3): "three",
        ("p2", 2): "b",
    }


def test_an_id_with_a_dot_and_a_number_is_an_id_first(tmp_path: Path) -> None:
    """A prompt called p1.2 is not the second text to p1."""
    prompts = [{"id": "p1", "text": "One?"}, {"id": "p1.2", "text": "Another?"}]
    file = write(tmp_path, "r.json", json.dumps(small(prompts=prompts)))

    assert replies(load(file, fill(tmp_path / "w", p1__2="x")), "w") == {("p1.2", None): "x"}


def test_a_folder_of_folders_is_several_writers(file: Path, tmp_path: Path) -> None:
    """One level deep; folders without texts in it are none, and a README is no text."""
    people = tmp_path / "people"
    fill(people / "anna", p1="A")
    fill(people / "ben", p1="B", p2="BB")
    fill(people / "ben" / "drafts", p1="no")
    (people / "empty").mkdir()
    write(people, "README.md", "Who they are")
    loaded = load(file, people)

    assert [model.id for model in loaded.models] == ["a", "b", "anna", "ben"]
    assert replies(loaded, "ben") == {("p1", None): "B", ("p2", None): "BB"}
    assert [f"{people}: left out: 1 folder, 1 other file"] == loaded.warnings


def test_a_writer_that_is_named_like_a_model_adds_to_it(file: Path, tmp_path: Path) -> None:
    """Writers are joined by id like the models of several files, also those of two folders of one name."""
    first, second = fill(tmp_path / "b", p2="x"), fill(tmp_path / "more" / "b", p2="y")

    assert replies(load(file, first, second), "b") == {("p1", None): "B one", ("p2", 1): "x", ("p2", 2): "y"}


def test_an_id_that_only_one_of_the_files_uses_is_known(file: Path, tmp_path: Path) -> None:
    """Files may call a prompt differently: joined by text it has one id, and the texts may be named after either."""
    prompts = [{"id": "q", "text": "One?"}, {"id": "p2", "text": "Other?"}]
    more = [{"model": "c", "prompt": "q", "text": "C"}]
    other = write(tmp_path, "s.json", json.dumps(small(models=[{"id": "c"}], prompts=prompts, replies=more)))
    loaded = load(file, other, fill(tmp_path / "people", q="x", p2="y"))

    assert replies(loaded, "people") == {("p1", None): "x", ("p2", None): "y"}


def test_texts_that_answer_no_prompt_are_counted(file: Path, tmp_path: Path) -> None:
    """They are left out, and a warning says how many there are, and one of them; folder by folder."""
    people = tmp_path / "people"
    fill(people / "anna", p1="A", q9="A", q8="A")
    fill(people / "ben", p1__x="B")
    loaded = load(file, people)

    assert replies(loaded, "anna") == {("p1", None): "A"}
    assert [model.id for model in loaded.models] == ["a", "b", "anna"]
    assert loaded.warnings == [
        f"{people}/anna: 2 of 3 texts answer no prompt of the files beside it, such as q8.txt",
        f"{people}/ben: 1 of 1 texts answers no prompt of the files beside it, such as p1.x.txt",
    ]


def test_a_folder_that_answers_nothing_is_an_error(file: Path, tmp_path: Path) -> None:
    """It says how to name the texts, with a prompt that is there."""
    with pytest.raises(InputError, match="none of its texts is named after a prompt") as caught:
        load(file, fill(tmp_path / "people", one="x"))

    assert caught.value.message.startswith(f"{tmp_path}/people: ")
    assert caught.value.hint.endswith("such as p1.txt")


def test_folders_alone_are_joined_by_the_names_of_their_texts(tmp_path: Path) -> None:
    """Without a file the names are the prompts."""
    loaded = load(fill(tmp_path / "anna", rain="A", snow="A"), fill(tmp_path / "ben", rain__2="B", wind="B"))

    assert [(prompt.id, prompt.text) for prompt in loaded.prompts] == [
        (x, x) for x in ("rain", "snow", "wind")
    ]
    assert replies(loaded, "ben") == {("rain", 2): "B", ("wind", None): "B"}


def test_what_systems_and_editors_add_is_no_style(tmp_path: Path) -> None:
    """Line breaks of Windows, those that end a file, and byte order marks are not the writer's."""
    texts = {
        "a": b"\xef\xbb\xbfOne\r\n\r\nTwo\r\n",
        "b": "Eins\n".encode("utf-16"),
        "c": "A \n\n",
        "d": "x\ry",
    }
    loaded = load(fill(tmp_path / "w", **texts))

    assert [reply.text for reply in loaded.replies] == ["One\n\nTwo", "Eins", "A ", "x\ny"]


def test_an_empty_file_is_an_empty_reply(file: Path, tmp_path: Path) -> None:
    """It is left out with the others that are empty, and counted."""
    selection = select(load(file, fill(tmp_path / "people", p1="", p2=" \n")))

    assert selection.left_out["people"] == {"empty": 2}


def test_other_files_are_left_out_and_counted(tmp_path: Path) -> None:
    """Only .txt and .md are texts, in any case of letters; a pipe would wait for ever."""
    people = fill(tmp_path / "people", a="x")
    for name in (".DS_Store", ".a.txt", "b.docx", "txt", "readme.TXT", "c.MD", "d.Txt"):
        write(people, name, "x")
    os.mkfifo(people / "e.txt")
    (people / "f.txt").mkdir()
    loaded = load(people)

    assert [prompt.id for prompt in loaded.prompts] == ["a", "c", "d"]
    assert [f"{people}: left out: 1 folder, 2 hidden files, 4 other files"] == loaded.warnings


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"ab\nc\xe9", "line 2, byte 4: not UTF-8"),
        (b"caf\xc3", "byte 3: not UTF-8"),
        (b"h\0i\0", "NUL bytes"),
    ],
)
def test_a_file_that_is_no_text_is_named(data: bytes, message: str, tmp_path: Path) -> None:
    """Another encoding is an error, never a guess."""
    with pytest.raises(InputError, match=message) as caught:
        load(fill(tmp_path / "people", a="x", b=data))

    assert caught.value.message.startswith(f"{tmp_path}/people/b.txt: ")


def test_links_that_lead_nowhere_are_named(tmp_path: Path) -> None:
    """A loop, and a link to nothing; one to a text is read, and one to the folder itself is one level deep."""
    people = fill(tmp_path / "people" / "anna", a="x").parent
    (people / "anna" / "b.txt").symlink_to(people / "anna" / "a.txt")
    (people / "self").symlink_to(people)
    assert replies(load(people), "anna") == {("a", None): "x", ("b", None): "x"}

    for target, message in (("c.txt", "c.txt: cannot be read: "), ("nothing", "c.txt: no such file")):
        link = people / "anna" / "c.txt"
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        with pytest.raises(InputError, match=message):
            load(people)


@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="the superuser may read everything")
def test_what_may_not_be_read_is_named(tmp_path: Path) -> None:
    """A text, and a folder."""
    people = fill(tmp_path / "people", a="x")
    (people / "a.txt").chmod(0)
    with pytest.raises(InputError, match=r"a\.txt: cannot be read"):
        load(people)
    people.chmod(0)
    with pytest.raises(InputError, match="people: cannot be read"):
        load(people)
    people.chmod(0o700)


def test_a_folder_without_texts_is_an_error(tmp_path: Path) -> None:
    """The hint says how to name texts, and where the endings of results files are listed."""
    with pytest.raises(InputError, match="a folder without texts") as caught:
        load(tmp_path)
    assert "name each text after" in caught.value.hint
    assert "docs/reading.md" in caught.value.hint


def test_the_folder_gives_the_name_however_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a slash at its end, from within, or by a link, whose own name it is; the root has no name."""
    people = fill(tmp_path / "people", a="x")
    (tmp_path / "link").symlink_to(people)
    monkeypatch.chdir(people)

    for path, name in (
        (f"{people}/", "people"),
        (".", "people"),
        ("../people/.", "people"),
        ("../link", "link"),
    ):
        assert [name] == list(read_folder(path).writers)


def test_two_texts_of_one_number_are_an_error(tmp_path: Path) -> None:
    """Both files are named."""
    people = fill(tmp_path / "people", a__2="x")
    write(people, "a.2.md", "y")
    with pytest.raises(ConflictError) as caught:
        load(people)

    assert f"{people}/a.2.md: line 1 and {people}/a.2.txt: line 1" in caught.value.message


def test_the_source_is_the_list_of_sums(tmp_path: Path) -> None:
    """As sha256sum prints it one level up, so that anybody can check which texts were compared."""
    people = fill(tmp_path / "people", b="B", a="A")
    lines = [
        f"{hashlib.sha256(text).hexdigest()}  people/{name}.txt\n"
        for name, text in (("a", b"A"), ("b", b"B"))
    ]
    source = load(people).sources[0]

    assert (str(people), hashlib.sha256("".join(lines).encode()).hexdigest()) == (source.path, source.sha256)


def test_a_folder_given_twice_counts_once_and_equal_texts_of_two_writers_twice(tmp_path: Path) -> None:
    """What makes two folders the same are texts and names."""
    anna, ben = fill(tmp_path / "anna", a="x"), fill(tmp_path / "ben", a="x")

    assert len(load(anna, anna, ben).replies) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="names are Unicode there")
def test_a_name_that_is_no_text_can_be_written_as_json(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 become U+FFFD, in the writer's name and in the prompt's."""
    folder = os.fsencode(tmp_path) + b"/w\xff"
    os.mkdir(folder)
    with open(folder + b"/a\xfe.txt", "wb") as text:
        text.write(b"x")
    loaded = load(tmp_path)

    assert (loaded.models[0].id, loaded.prompts[0].id) == ("w\ufffd", "a\ufffd")


@given(
    st.dictionaries(st.sampled_from("abcd"), st.text(st.characters(codec="utf-8", exclude_characters="\0")))
)
@settings(max_examples=25, deadline=None)
def test_every_text_comes_back(tmp_path_factory: pytest.TempPathFactory, texts: dict[str, str]) -> None:
    """But for its line breaks, each text is what its file holds."""
    folder = fill(tmp_path_factory.mktemp("w"), z="", **texts)
    plain = {
        name: text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n") for name, text in texts.items()
    }

    assert plain | {"z": ""} == {reply.prompt: reply.text for reply in load(folder).replies}
