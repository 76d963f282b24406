"""The file of results: whatever stops a run, it holds whole lines, and goes on where it was."""

import errno
import io
import json
from pathlib import Path

import pytest

from minikv import MinikvError
from minikv.filling.corpus import key_of
from minikv.filling.results import open_results

SETTINGS = {"template": {"a": "", "b": [1.5, None]}, "max_new_tokens": 64}


def ids(path: Path) -> list[object]:
    raw = path.read_bytes()
    assert raw.endswith(b"\n")
    return [json.loads(line)["id"] for line in raw.splitlines()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.jsonl"


def begin(path: Path, *ids: object) -> None:
    with open_results(path, SETTINGS) as results:
        results.add([{"id": id, "values": {}} for id in ids])


def test_a_run_goes_on_where_it_was(path: Path) -> None:
    begin(path, "a", 1)
    with open_results(path, SETTINGS) as results:
        assert (results.answered, results.failed, results.torn) == ({key_of("a"), key_of(1)}, 0, 0)
        results.add([{"id": "b", "values": {}}])
    assert ids(path) == ["a", 1, "b"]


def test_what_failed_is_tried_again(path: Path) -> None:
    """Its line is taken out, so that no id ever has two."""
    with open_results(path, SETTINGS) as results:
        results.add([{"id": "a", "error": "?"}, {"id": "b", "values": {}}, {"id": None, "error": "?"}])
    path.chmod(0o600)
    with open_results(path, SETTINGS) as results:
        assert (results.answered, results.failed, results.torn) == ({key_of("b")}, 2, 0)
        results.add([{"id": "a", "values": {}}])
    assert ids(path) == ["b", "a"]
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("kept", range(0, 24, 3))
def test_a_torn_line_is_cut_off(path: Path, kept: int) -> None:
    """As a computer leaves it that stops: any part of the line, or zeros in its place."""
    begin(path, "a", "b")
    line = b'{"id": "c", "values": {}}\n'
    for torn in (line[:kept], bytes(kept)):
        whole = path.read_bytes()
        path.write_bytes(whole + torn)
        with open_results(path, SETTINGS) as results:
            assert results.torn == kept
            assert results.answered == {key_of("a"), key_of("b")}
        assert path.read_bytes() == whole


def test_a_line_that_is_no_result_is_not_cut_away(path: Path) -> None:
    begin(path, "a", "b")
    for bad in ("nonsense", '["a"]', '{"id": "a"}', '{"values": {}}'):
        lines = path.read_text().splitlines()
        path.write_text("\n".join([lines[0], bad, lines[1]]) + "\n")
        with pytest.raises(MinikvError, match=r"results\.jsonl, line 2 is no result"), open_results(path, SETTINGS):
            pass
        assert len(path.read_text().splitlines()) == 3
        path.write_text("\n".join(lines) + "\n")


def test_results_of_other_settings_are_refused(path: Path) -> None:
    begin(path, "a")
    before = path.read_bytes()
    other = {"template": {"a": ""}, "max_new_tokens": 64, "report": True}
    told = r"differs is report, template \(see results\.jsonl\.settings\.json\)"
    with pytest.raises(MinikvError, match=told), open_results(path, other):
        pass
    assert path.read_bytes() == before
    begin(path, "b")
    assert ids(path) == ["a", "b"]


def test_a_file_of_somebody_else_is_refused(path: Path) -> None:
    path.write_text("my diary\n")
    for noted in (None, "", "{", "[]", "[" * 100_000):
        if noted is not None:
            path.with_name("results.jsonl.settings.json").write_text(noted)
        with pytest.raises(MinikvError, match="holds something"), open_results(path, SETTINGS):
            pass
        assert path.read_text() == "my diary\n"


def test_an_empty_file_takes_any_settings(path: Path) -> None:
    begin(path)
    with open_results(path, {"template": {}, "max_new_tokens": 1}) as results:
        results.add([{"id": "a", "values": {}}])
    with pytest.raises(MinikvError, match="differs is max_new_tokens, template"), open_results(path, SETTINGS):
        pass


@pytest.mark.parametrize(
    "theirs", ['{"Seller": ""}', '{"id": 1, "text": "a"}\n{"id": 2, "text": "b"}\n', "[]", "diary"]
)
def test_settings_are_not_written_over_a_file_of_somebody_else(path: Path, theirs: str) -> None:
    """As where that is the template, or the documents."""
    other = path.with_name("results.jsonl.settings.json")
    other.write_text(theirs)
    with pytest.raises(MinikvError, match="holds no settings of a run"), open_results(path, SETTINGS):
        pass
    assert other.read_text() == theirs
    assert not path.exists()


def test_only_one_run_writes(path: Path) -> None:
    with open_results(path, SETTINGS) as results:
        with pytest.raises(MinikvError, match="another run writes"), open_results(path, SETTINGS):
            pass
        results.add([{"id": "a", "values": {}}])
    begin(path, "b")
    assert ids(path) == ["a", "b"]


def test_a_link_stays_one_and_a_folder_is_no_file(path: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(path)
    with open_results(tmp_path / "link", SETTINGS) as results:
        results.add([{"id": "a", "error": "?"}])
    begin(tmp_path / "link", "b")
    assert (tmp_path / "link").is_symlink()
    assert ids(path) == ["b"]
    with pytest.raises(MinikvError, match="is no file"), open_results(tmp_path, SETTINGS):
        pass


def test_lines_are_ascii_whatever_they_say(path: Path) -> None:
    """Nothing in them steers a terminal, ends a line in anybody's eyes, or is no UTF-8."""
    said = "\x1b[2J\u2028\x85\u202e\ud800é"
    with open_results(path, SETTINGS) as results:
        results.add([{"id": said, "values": {said: said}}])
    raw = path.read_bytes()
    assert raw.isascii()
    assert b"\x1b" not in raw
    assert len(raw.decode().splitlines()) == 1
    assert json.loads(raw) == {"id": said, "values": {said: said}}


class Full(io.FileIO):
    """A file on a disk that has so much room left."""

    left = 40

    def write(self, raw: bytes) -> int:  # type: ignore[override]
        if self.left == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = super().write(raw[: self.left])
        self.left -= written
        return written


def test_a_full_disk_leaves_whole_lines(path: Path) -> None:
    begin(path, "a")
    with open_results(path, SETTINGS) as results:
        results.file = Full(path, "ab")
        with results.file, pytest.raises(OSError, match="No space left"):
            results.add([{"id": "b", "values": {}}, {"id": "c", "values": {}}])
    assert ids(path) == ["a", "b"]
    begin(path, "c")
    assert ids(path) == ["a", "b", "c"]
