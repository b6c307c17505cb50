"""Files of others: listed and opened without following, waiting, guessing or running out."""

import os
import socket
import sys
import unicodedata
from pathlib import Path, PurePosixPath

import pytest

from bethink.errors import InvalidInput, NotebookFileRefused
from bethink.notebook.reading import MAX_DEPTH, decode, list_files, read_bytes, read_text


def put(root: Path, name: str, text: str | bytes = "- x\n") -> Path:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def names(root: Path) -> list[str]:
    return [str(file.path) for file in list_files(root).files]


def refusals(root: Path) -> dict[str, str]:
    return {str(path): why for path, why in list_files(root).refused}


def why_not(root: Path, name: str) -> str:
    with pytest.raises(NotebookFileRefused) as refusal:
        read_text(root, PurePosixPath(name))
    assert refusal.value.path == name
    return refusal.value.why


# Listing


def test_markdown_is_listed_in_order_and_nothing_else(tmp_path: Path) -> None:
    for name in ("b.md", "a/2.MD", "a/1.markdown", "笔记/超时.md", "readme.txt", "pic.md.png"):
        put(tmp_path, name)
    for name in (".git/x.md", ".hidden.md", "node_modules/m/readme.md", "a/__pycache__/y.md"):
        put(tmp_path, name)
    assert names(tmp_path) == ["b.md", "a/1.markdown", "a/2.MD", "笔记/超时.md"]
    assert refusals(tmp_path) == {}


def test_a_listing_says_what_a_change_is_seen_by(tmp_path: Path) -> None:
    file = put(tmp_path, "a.md", "你好")
    listed = list_files(tmp_path).files[0]
    found = file.stat()
    assert listed[1:] == (6, found.st_mtime_ns, found.st_ino, found.st_ctime_ns)


def test_a_root_below_a_hidden_folder_is_a_root(tmp_path: Path) -> None:
    put(tmp_path, ".bethink/TASKS.md")
    assert names(tmp_path / ".bethink") == ["TASKS.md"]


def test_links_are_refused_wherever_they_lead(tmp_path: Path) -> None:
    outside = put(tmp_path, "outside/secret.md", "- 密码 hunter2")
    book = tmp_path / "book"
    put(book, "real.md")
    (book / "out.md").symlink_to(outside)
    (book / "folder-out").symlink_to(outside.parent)
    (book / "twice.md").symlink_to(book / "real.md")
    (book / "nowhere.md").symlink_to(book / "missing.md")
    (book / "loop.md").symlink_to(book / "loop.md")
    (book / "up").symlink_to(book)
    (book / "picture.png").symlink_to(outside)
    (book / "round").symlink_to(book / "trip")
    (book / "trip").symlink_to(book / "round")
    assert names(book) == ["real.md"]
    why = refusals(book)
    assert "out of the folder" in why["out.md"]
    assert "out of the folder" in why["folder-out"]
    assert "twice" in why["twice.md"]
    assert "twice" in why["up"]
    assert "nowhere" in why["nowhere.md"]
    assert "nowhere" in why["loop.md"]
    assert "picture.png" not in why


def test_pipes_sockets_and_folders_named_like_notes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with socket.socket(socket.AF_UNIX) as held:
        here = os.getcwd()
        os.chdir(tmp_path)  # a socket's path is short
        try:
            held.bind("sock.md")
        finally:
            os.chdir(here)
        put(tmp_path, "folder.md/inner.md")
        assert names(tmp_path) == ["folder.md/inner.md"]
        assert set(refusals(tmp_path)) == {"pipe.md", "sock.md"}


def test_a_gigabyte_is_refused_by_its_size(tmp_path: Path) -> None:
    with (tmp_path / "huge.md").open("wb") as file:
        file.truncate(1_000_000_000)  # sparse
    put(tmp_path, "small.md")
    assert names(tmp_path) == ["small.md"]
    assert "1,000,000,000 bytes" in refusals(tmp_path)["huge.md"]
    assert "Split it" in why_not(tmp_path, "huge.md")


def test_names_that_are_one_on_other_machines(tmp_path: Path) -> None:
    for name in ("Notes.md", "notes.md", "straße.md", "STRASSE.md"):
        put(tmp_path, name)
    for form in ("NFC", "NFD"):
        put(tmp_path, unicodedata.normalize(form, "café.md"))
        put(tmp_path, unicodedata.normalize(form, "Übung/x.md"))
    put(tmp_path, "Archive/a.md")
    put(tmp_path, "archive/b.md")
    if len(list(tmp_path.iterdir())) == 10:  # a file system that tells all of them apart
        listed = names(tmp_path)
        assert len(listed) == 5, listed
        assert {"Notes.md", "STRASSE.md", "Archive/a.md"} <= set(listed)
        assert len(refusals(tmp_path)) == 5
        assert "'Notes.md'" in refusals(tmp_path)["notes.md"]
    else:
        assert sys.platform != "linux"


def test_what_is_not_read_takes_nobodys_name(tmp_path: Path) -> None:
    put(tmp_path, "NOTES", "no Markdown")
    put(tmp_path, "notes/a.md")
    os.mkfifo(tmp_path / "B.md")
    put(tmp_path, "b.md")
    put(tmp_path, "c.md")
    (tmp_path / "C.md").symlink_to(tmp_path / "c.md")
    if len(list(tmp_path.iterdir())) == 6:  # else the file system took some for one another
        assert names(tmp_path) == ["b.md", "c.md", "notes/a.md"]
    else:
        assert sys.platform != "linux"


def test_names_that_cannot_be_shown(tmp_path: Path) -> None:
    put(tmp_path, "two\nlines.md")
    bad = os.fsencode(tmp_path) + b"/\xff\xfe.md"
    try:
        with open(bad, "wb"):
            pass
    except OSError:  # some file systems take UTF-8 only
        assert sys.platform != "linux"
    put(tmp_path, "good　空格.md")
    assert names(tmp_path) == ["good　空格.md"]
    assert len(refusals(tmp_path)) == 2
    for path, why in list_files(tmp_path).refused:
        f"{path}: {why}".encode()  # can be printed and stored


def test_too_deep_and_too_many(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * (MAX_DEPTH + 2))
    put(deep, "x.md")
    put(deep.parents[1], "y.md")
    assert [PurePosixPath(name).name for name in names(tmp_path)] == ["y.md"]
    assert "deeper" in next(iter(refusals(tmp_path).values()))
    for number in range(5):
        put(tmp_path, f"{number}.md")
    files, refused = list_files(tmp_path, max_files=3)
    assert len(files) == 3
    assert "more than 3 files" in refused[-1].why


def test_a_folder_that_is_not_there_is_a_refusal(tmp_path: Path) -> None:
    files, refused = list_files(tmp_path / "gone")
    assert files == []
    assert "vanished" in refused[0].why


def test_a_folder_that_may_not_be_read_stops_nothing(tmp_path: Path) -> None:
    put(tmp_path, "locked/x.md")
    put(tmp_path, "open.md")
    (tmp_path / "locked").chmod(0)
    try:
        allowed = os.access(tmp_path / "locked", os.R_OK | os.X_OK)  # for root all is open
        found = set(names(tmp_path))
        assert found == ({"open.md", "locked/x.md"} if allowed else {"open.md"})
        assert ("locked" in refusals(tmp_path)) is not allowed
    finally:
        (tmp_path / "locked").chmod(0o700)


def test_ten_thousand_files_are_listed(tmp_path: Path) -> None:
    for folder in range(100):
        (tmp_path / f"主题{folder}").mkdir()
        for number in range(100):
            (tmp_path / f"主题{folder}" / f"note-{number}.md").touch()
    files, refused = list_files(tmp_path)
    assert (len(files), refused) == (10_000, [])


# Opening


def test_text_is_read_as_it_stands(tmp_path: Path) -> None:
    texts = ("a\r\nb\rc\n", "中文 mixed\n", "", "no newline", "\u2028\x0c\n")
    for number, text in enumerate(texts):
        put(tmp_path, f"{number}.md", text)
        assert read_text(tmp_path, PurePosixPath(f"{number}.md")) == text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_that_say_what_they_are(tmp_path: Path, encoding: str) -> None:
    put(tmp_path, "a.md", "- 喜欢 dark mode\r\n".encode(encoding))
    assert read_text(tmp_path, PurePosixPath("a.md")) == "- 喜欢 dark mode\r\n"


def test_utf_16_with_the_larger_half_first() -> None:
    data = b"\xfe\xff" + "偏好".encode("utf-16-be")
    assert decode(data, PurePosixPath("a.md")) == "偏好"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("偏好深色".encode("gb18030"), "GB18030"),
        (b"caf\xe9", "not UTF-8 (byte 3)"),
        (b"\xed\xa0\x80", "not UTF-8"),  # half a character
        ("text".encode("utf-16-le"), "NUL"),
        (b"a\0b", "NUL"),
        (b"\xff\xfea", "not UTF-16"),
        (b"\xff\xfe\x00\xd8", "not UTF-16"),
        (b"\x00" * 64, "NUL"),
        (b"\xff\xfe\x00\x00", "NUL"),  # UTF-32
    ],
)
def test_what_would_be_a_guess_is_refused(tmp_path: Path, data: bytes, why: str) -> None:
    put(tmp_path, "a.md", data)
    assert why in why_not(tmp_path, "a.md")


def test_a_pipe_does_not_keep_us_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert "regular file" in why_not(tmp_path, "pipe.md")
    (tmp_path / "folder.md").mkdir()
    assert "regular file" in why_not(tmp_path, "folder.md")


def test_no_part_of_a_path_may_be_a_link(tmp_path: Path) -> None:
    put(tmp_path, "outside/secret.md")
    book = tmp_path / "book"
    book.mkdir()
    (book / "file.md").symlink_to(tmp_path / "outside/secret.md")
    (book / "folder").symlink_to(tmp_path / "outside")
    assert "link" in why_not(book, "file.md")
    assert "link" in why_not(book, "folder/secret.md")
    for name in ("../outside/secret.md", str(tmp_path / "outside/secret.md"), "a/../../x.md"):
        assert "not below" in why_not(book, name)


def test_a_folder_exchanged_for_a_link_after_listing(tmp_path: Path) -> None:
    put(tmp_path, "outside/a.md", "secret")
    put(tmp_path, "book/sub/a.md", "mine")
    listed = list_files(tmp_path / "book").files[0].path
    (tmp_path / "book/sub").rename(tmp_path / "elsewhere")
    (tmp_path / "book/sub").symlink_to(tmp_path / "outside")
    assert "link" in why_not(tmp_path / "book", str(listed))


def test_a_file_that_vanished_after_listing(tmp_path: Path) -> None:
    file = put(tmp_path, "a.md")
    listed = list_files(tmp_path).files[0].path
    file.unlink()
    with pytest.raises(NotebookFileRefused, match="vanished") as refusal:
        read_text(tmp_path, listed)
    assert refusal.value.gone
    assert isinstance(refusal.value, InvalidInput)


def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    file = put(tmp_path, "a.md", "mine")
    file.chmod(0)
    if os.access(file, os.R_OK):  # root reads all
        assert read_text(tmp_path, PurePosixPath("a.md")) == "mine"
    else:
        assert "permissions" in why_not(tmp_path, "a.md")


def test_the_bound_holds_to_the_byte(tmp_path: Path) -> None:
    put(tmp_path, "a.md", b"x" * 100)
    assert len(read_bytes(tmp_path, PurePosixPath("a.md"), max_bytes=100)) == 100
    with pytest.raises(NotebookFileRefused, match="100 bytes; at most 99"):
        read_bytes(tmp_path, PurePosixPath("a.md"), max_bytes=99)


def test_no_handle_is_left_open(tmp_path: Path) -> None:
    put(tmp_path, "deep/er/a.md")
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "link.md").symlink_to(tmp_path / "deep/er/a.md")
    before = os.dup(0)
    os.close(before)
    for _ in range(50):
        read_text(tmp_path, PurePosixPath("deep/er/a.md"))
        for name in ("pipe.md", "link.md", "missing.md", "deep/no/a.md"):
            why_not(tmp_path, name)
        list_files(tmp_path)
    after = os.dup(0)
    os.close(after)
    assert after == before
