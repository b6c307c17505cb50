"""Opening files that somebody else wrote, in a folder that somebody else may change meanwhile.

Nothing here follows a link, waits on a pipe, reads without a bound or guesses an encoding. What is
refused is said with the reason, and stops nothing else.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from bethink.errors import NotebookFileRefused

MAX_FILE_BYTES = 4_000_000
MAX_FILES = 100_000
MAX_DEPTH = 32  # folders inside folders
_MAX_PATH_CHARS = 1_024
_ENDINGS = (".md", ".markdown")
_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})


class FileStat(NamedTuple):
    path: PurePosixPath  # relative to the root
    size: int
    mtime_ns: int
    inode: int
    ctime_ns: int = 0  # `cp -p` sets the time back, but not this one


class Refused(NamedTuple):
    path: PurePosixPath
    why: str


class Listing(NamedTuple):
    files: list[FileStat]
    refused: list[Refused]


def list_files(
    root: Path,
    *,
    max_bytes: int = MAX_FILE_BYTES,
    max_files: int = MAX_FILES,
    endings: tuple[str, ...] = _ENDINGS,
) -> Listing:
    """The files with these endings under a root, in order of their names, and what was refused.

    Hidden files and folders are passed over: they are editors' and programs', not a person's notes.
    """
    files: list[FileStat] = []
    refused: list[Refused] = []
    folders: list[tuple[str, int]] = [("", 0)]
    while folders:
        folder, depth = folders.pop()
        inner: list[tuple[str, int]] = []
        taken: dict[str, str] = {}
        for entry in _entries(root, folder, refused):
            path = folder + entry.name
            why, is_folder = _look(entry, root, depth, endings)
            if not why and is_folder is None:
                continue
            why = why or _taken(entry.name, taken)
            if why:
                refused.append(Refused(PurePosixPath(_visible(path)), why))
            elif is_folder:
                inner.append((path + "/", depth + 1))
            else:
                _take(entry, path, files, refused, max_bytes)
                if len(files) > max_files:
                    files.pop()
                    why = (
                        f"more than {max_files:,} files; the rest is left out. Add a smaller folder"
                    )
                    refused.append(Refused(PurePosixPath(path), why))
                    return Listing(files, refused)
        folders.extend(reversed(inner))
    return Listing(files, refused)


def _entries(root: Path, folder: str, refused: list[Refused]) -> list[os.DirEntry[str]]:
    """What is in a folder and not hidden, by name."""
    try:
        with os.scandir(os.path.join(root, folder) if folder else root) as scan:
            return sorted(
                (entry for entry in scan if not entry.name.startswith(".")),
                key=lambda entry: entry.name,
            )
    except OSError as e:
        at = PurePosixPath(_visible(folder) or ".")
        refused.append(Refused(at, f"the folder cannot be read: {_reason(e)}"))
        return []


def _taken(name: str, taken: dict[str, str]) -> str:
    """Why a name cannot be told from one before it, as a file system or a person would see it."""
    first = taken.setdefault(same_name(name), name)
    if first == name:
        return ""
    return (
        f"its name is that of {first!r} but for capitals or the way accents are encoded; "
        "on other machines the two are one. Rename one of them"
    )


def same_name(name: str) -> str:
    """What two names share that some file systems take for one."""
    if name.isascii():
        return name.lower()
    import unicodedata

    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _look(
    entry: os.DirEntry[str], root: Path, depth: int, endings: tuple[str, ...]
) -> tuple[str, bool | None]:
    """Why it is refused, and whether it is a folder; None: neither a folder nor wanted."""
    name = entry.name
    wanted = name.lower().endswith(endings)
    if entry.is_symlink():
        return _look_at_link(entry, root, wanted), None
    if entry.is_dir(follow_symlinks=False):
        if name in _SKIPPED_FOLDERS:
            return "", None
        if depth + 1 > MAX_DEPTH:
            return f"folders are nested deeper than {MAX_DEPTH}; move it up", True
        return _bad_name(name), True
    if not wanted:
        return "", None
    if not entry.is_file(follow_symlinks=False):
        return "it is no regular file (a pipe, socket or device)", False
    return _bad_name(name), False


def _look_at_link(entry: os.DirEntry[str], root: Path, wanted: bool) -> str:
    try:
        if not wanted and not entry.is_dir():
            return ""
    except OSError:  # e.g. a loop of links
        return "it is a link that leads nowhere"
    target = os.path.realpath(entry.path)
    if not os.path.exists(target):
        return "it is a link that leads nowhere"
    inside = os.path.commonpath((os.path.realpath(root), target)) == os.path.realpath(root)
    if inside:
        return "it is a link to what is in this folder already; it would be there twice"
    return "it is a link that leads out of the folder; add its target as a source of its own"


def _bad_name(name: str) -> str:
    if any(ord(char) < 32 or ord(char) == 127 for char in name):
        return "its name has control characters; rename it"
    if name.isascii():
        return ""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return "its name is not UTF-8; rename it"
    return ""


def _take(
    entry: os.DirEntry[str],
    path: str,
    files: list[FileStat],
    refused: list[Refused],
    max_bytes: int,
) -> None:
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError as e:
        refused.append(Refused(PurePosixPath(path), _reason(e)))
        return
    if found.st_size > max_bytes:
        refused.append(Refused(PurePosixPath(path), _too_large(found.st_size, max_bytes)))
    elif len(path) > _MAX_PATH_CHARS:
        why = f"its path has more than {_MAX_PATH_CHARS:,} characters; shorten it"
        refused.append(Refused(PurePosixPath(path), why))
    else:
        files.append(stat_of(PurePosixPath(path), found))


def stat_of(path: PurePosixPath, found: os.stat_result) -> FileStat:
    return FileStat(path, found.st_size, found.st_mtime_ns, found.st_ino, found.st_ctime_ns)


# One file


def read_text(root: Path, path: PurePosixPath, *, max_bytes: int = MAX_FILE_BYTES) -> str:
    """The text of a file as it stands, line ends and all, without a byte order mark."""
    return decode(read_bytes(root, path, max_bytes=max_bytes), path)


def read_bytes(root: Path, path: PurePosixPath, *, max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """The bytes of a regular file under the root; no part of its path may be a link."""
    try:
        handle = _open(root, path)
    except OSError as e:
        raise NotebookFileRefused(path, _reason(e), gone=isinstance(e, FileNotFoundError)) from None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise NotebookFileRefused(path, "it is no regular file (a folder, pipe or device)")
        if found.st_size > max_bytes:
            raise NotebookFileRefused(path, _too_large(found.st_size, max_bytes))
        with os.fdopen(handle, "rb", closefd=False) as file:
            data = file.read(max_bytes + 1)
    except OSError as e:
        raise NotebookFileRefused(path, _reason(e)) from None
    finally:
        os.close(handle)
    if len(data) > max_bytes:  # it grew while it was read
        raise NotebookFileRefused(path, _too_large(len(data), max_bytes))
    return data


def _open(root: Path, path: PurePosixPath) -> int:
    """Folder by folder from the root, so that none can be exchanged for a link on the way."""
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise NotebookFileRefused(path, "it is not below the folder")
    if sys.platform == "win32":  # there are neither these flags nor pipes among files
        where = root.joinpath(*path.parts)
        if where.resolve() != where:
            raise NotebookFileRefused(path, "a part of its path is a link or no folder")
        return os.open(where, os.O_RDONLY | os.O_BINARY)
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in path.parts[:-1]:
            inner = os.open(part, flags | os.O_DIRECTORY, dir_fd=here)
            os.close(here)
            here = inner
        # O_NONBLOCK: a pipe without a writer would wait for ever
        return os.open(path.parts[-1], flags | os.O_NONBLOCK | os.O_NOCTTY, dir_fd=here)
    finally:
        os.close(here)


def decode(data: bytes, path: PurePosixPath) -> str:
    """UTF-8, or UTF-16 that says so by its mark. Anything else would be a guess."""
    encoding = "utf-8-sig"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as e:
        raise NotebookFileRefused(
            path,
            f"it is not {'UTF-16' if encoding == 'utf-16' else 'UTF-8'} (byte {e.start}); "
            "save it as UTF-8, e.g. iconv -f GB18030 -t UTF-8",
        ) from None
    if "\0" in text:
        raise NotebookFileRefused(
            path,
            "it holds NUL characters: a binary file, or UTF-16 without a mark. Save it as UTF-8",
        )
    return text


def _too_large(size: int, most: int) -> str:
    return f"it has {size:,} bytes; at most {most:,} are read. Split it into smaller files"


def _reason(error: OSError) -> str:
    import errno

    if isinstance(error, FileNotFoundError):
        return "it has vanished"
    if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
        return "a part of its path is a link or no folder"
    if isinstance(error, PermissionError):
        return "it may not be read; change its permissions"
    return error.strerror or str(error)


def _visible(name: str) -> str:
    """A name that can be shown and stored, whatever bytes it is made of."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
