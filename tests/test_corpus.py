"""Reading documents: each comes once, and what is wrong with one is said in its place."""

import json
import os
from pathlib import Path

import pytest

from minikv import MinikvError
from minikv.filling import corpus
from minikv.filling.corpus import Document, Found, Refused, count_documents, read_documents


def lines(tmp_path: Path, raw: bytes) -> list[Found]:
    path = tmp_path / "documents.jsonl"
    path.write_bytes(raw)
    return list(read_documents(path))


def refusals(found: list[Found]) -> list[tuple[object, str]]:
    return [(each.id, each.error) for each in found if isinstance(each, Refused)]


def test_a_file_of_lines(tmp_path: Path) -> None:
    """With a byte order mark, lines that end as on Windows, a blank one, and no end to the last."""
    raw = b'\xef\xbb\xbf{"id": "a", "text": "one", "more": 1}\r\n\r\n{"text": "two", "id": 2}\n{"id": "", "text": ""}'
    assert lines(tmp_path, raw) == [Document("a", "one"), Document(2, "two"), Document("", "")]


@pytest.mark.parametrize(
    ("line", "id", "words"),
    [
        (b"{", None, "line 1: it is no JSON: Expecting"),
        (b'{"id": "a", "text": "\xff"}', None, "line 1: it is no JSON: 'utf-8' codec can't decode byte 0xff"),
        (b"[" * 100_000, None, "line 1: it is no JSON: maximum recursion depth"),
        (b'{"id": ' + b"9" * 5000 + b', "text": ""}', None, "line 1: it is no JSON: Exceeds the limit"),
        (b'["a", "text"]', None, "line 1: expected an object with an id"),
        (b'{"text": "one"}', None, "line 1: expected an object with an id"),
        (b'{"id": 1.0, "text": "one"}', None, "line 1: expected an object with an id"),
        (b'{"id": true, "text": "one"}', None, "line 1: expected an object with an id"),
        (b'{"id": null, "text": "one"}', None, "line 1: expected an object with an id"),
        (b'{"id": "a"}', "a", "line 1: expected a text in the field text"),
        (b'{"id": "a", "text": ["one"]}', "a", "line 1: expected a text in the field text"),
        (b'{"id": "a", "text": "' + b"x" * 200 + b'"}', None, "line 1: it has more than 200 bytes"),
    ],
)
def test_a_bad_line_is_told_and_the_next_one_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: bytes, id: object, words: str
) -> None:
    if b"xxx" in line:
        monkeypatch.setattr(corpus, "LONGEST", 200)
    bad, good = lines(tmp_path, line + b'\n{"id": "b", "text": "two"}\n')
    assert good == Document("b", "two")
    assert isinstance(bad, Refused)
    assert bad.id == id
    assert bad.error.startswith(words)


def test_an_id_is_given_once(tmp_path: Path) -> None:
    """17 and "17" are two; the one that comes second has no id of its own, so no id gets two results."""
    ids = ["a", 17, "17", "a", 17]
    found = lines(tmp_path, b"".join(json.dumps({"id": id, "text": "x"}).encode() + b"\n" for id in ids))
    assert [each.id for each in found] == ["a", 17, "17", None, None]
    assert refusals(found)[0] == (None, "line 4: the id 'a' was given before; expected one of its own")


def test_an_id_that_was_refused_was_given_too(tmp_path: Path) -> None:
    found = lines(tmp_path, b'{"id": "a"}\n{"id": "a", "text": "one"}\n')
    assert [each.id for each in found] == ["a", None]


def test_a_long_line_is_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "LONGEST", 10)
    path = tmp_path / "documents.jsonl"
    path.write_bytes(b"x" * 95 + b"\n" + b"y" * 10 + b"\n" + b"z" * 30)
    assert [len(line) for line in corpus.lines_of(path)] == [11, 11, 11]
    assert count_documents(path) == 3


def test_a_folder_is_read_in_the_order_of_its_names(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    for name in ("b.txt", "a/2.txt", "a/1.txt", "c.txt", "a/deep/er.txt", ".hidden", ".git/x"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name, encoding="utf-8-sig")
    expected = ["b.txt", "c.txt", "a/1.txt", "a/2.txt", "a/deep/er.txt"]
    assert list(read_documents(folder)) == [Document(name, name) for name in expected]
    assert count_documents(folder) == 5


def test_no_link_leads_out_of_the_folder(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "texts"
    outside.mkdir()
    folder.mkdir()
    (outside / "secret.txt").write_text("secret")
    (folder / "own.txt").write_text("own")
    (folder / "file").symlink_to(outside / "secret.txt")
    (folder / "folder").symlink_to(outside)
    (folder / "loop").symlink_to(folder)
    (folder / "nowhere").symlink_to(tmp_path / "nowhere")
    os.mkfifo(folder / "pipe")
    found = list(read_documents(folder))
    assert [each for each in found if isinstance(each, Document)] == [Document("own.txt", "own")]
    assert [(id, error[:15]) for id, error in refusals(found)] == [
        *((name, "it is a link, a") for name in ("file", "folder", "loop", "nowhere")),
        ("pipe", "it is neither a"),
    ]


def test_files_that_are_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "LONGEST", 10)
    (tmp_path / "a").write_bytes(b"\xff\xfe")
    (tmp_path / "b").write_bytes(b"x" * 11)
    (tmp_path / os.fsdecode(b"c\xff")).write_bytes(b"x" * 10)
    unlucky, long, good = read_documents(tmp_path)
    assert isinstance(unlucky, Refused)
    assert "no UTF-8 text" in unlucky.error
    assert long == Refused("b", "it has more than 10 bytes")
    assert good == Document("c\udcff", "x" * 10)


def test_what_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Permissions do not stop root, so the system's refusal is put in its place."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("x")

    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(MinikvError, match=r"text cannot be read: Permission denied"):
        list(read_documents(tmp_path / "text"))
    assert list(read_documents(tmp_path)) == [Refused("text", "it cannot be read: Permission denied")]
    monkeypatch.setattr(os, "scandir", refuse)
    assert list(read_documents(tmp_path)) == [Refused("", "the folder cannot be listed: Permission denied")]


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(MinikvError, match="neither a file of JSON lines nor a folder"):
        read_documents(tmp_path / "nowhere")
    assert lines(tmp_path, b"") == []
