"""Changing a person's file so that at every moment either the old or the new one is there, whole.

The new text goes to a hidden file beside it, to the disk, and then takes its name. Nothing is
followed out of the folder on the way. Somebody who saves the file at the same time is not overrun:
what they saved is read and the edit made on that.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from bethink.errors import (
    NotebookFileRefused,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from bethink.notebook.reading import MAX_FILE_BYTES, decode, read_bytes

_TRIES = 20  # against an editor that saves at the very same moments
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


def change(root: Path, path: PurePosixPath, edit: Callable[[str], str]) -> bytes | None:
    """Let `edit` make a file's new text from its text ("" where there is none yet); the bytes that
    were there before are returned. What is refused for reading is refused for writing."""
    for _ in range(_TRIES):
        before = current(root, path)
        after = _encoded(edit(_text(before, path)), before)
        if len(after) > MAX_FILE_BYTES:
            raise NotebookFileRefused(
                path, f"with this it would have more than {MAX_FILE_BYTES:,} bytes; split it"
            )
        if _put(root, path, after, before):
            return before
    raise StoreBusy(f"{root / path} is being saved by another program all the time; try again")


def put_back(root: Path, path: PurePosixPath, before: bytes | None, after: bytes) -> None:
    """Undo an edit of ours, unless somebody has changed the file since. Best effort: what is left
    behind says too much, never too little."""
    with suppress(OSError, StoreError, NotebookFileRefused):
        if current(root, path) != after:
            return
        if before is None:
            with _folder(root, path) as folder:
                os.unlink(path.name, dir_fd=folder)
        else:
            _put(root, path, before, after)


def remove(root: Path, path: PurePosixPath) -> None:
    """Delete a file of the folder; no link on the way leads out of it."""
    with _explained(root / path), _folder(root, path) as folder:
        os.unlink(path.name, dir_fd=folder)


def current(root: Path, path: PurePosixPath) -> bytes | None:
    """The file's bytes; None where there is no file."""
    try:
        return read_bytes(root, path)
    except NotebookFileRefused as e:
        if e.gone:
            return None
        raise


def _text(data: bytes | None, path: PurePosixPath) -> str:
    return "" if data is None else decode(data, path)


def _encoded(text: str, before: bytes | None) -> bytes:
    """In the file's own encoding, with its mark if it has one."""
    for mark, encoding in _BOMS:
        if before is not None and before.startswith(mark):
            return mark + text.encode(encoding)
    return text.encode("utf-8")


def _put(root: Path, path: PurePosixPath, data: bytes, expected: bytes | None) -> bool:
    """Write, if the file still holds what was read; False if not."""
    with _explained(root / path), _folder(root, path) as folder:
        draft = f".{path.name}.{os.urandom(6).hex()}.bethink"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(draft, flags, 0o600, dir_fd=folder)
        try:
            try:
                with os.fdopen(handle, "wb", closefd=False) as file:
                    file.write(data)
                os.fchmod(handle, _mode(folder, path.name))
                os.fsync(handle)
            finally:
                os.close(handle)
            if current(root, path) != expected:
                os.unlink(draft, dir_fd=folder)
                return False
            os.replace(draft, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(draft, dir_fd=folder)
            raise
        os.fsync(folder)
    return True


def _mode(folder: int, name: str) -> int:
    try:
        return stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        mask = os.umask(0o077)
        os.umask(mask)
        return 0o666 & ~mask


@contextmanager
def _folder(root: Path, path: PurePosixPath) -> Iterator[int]:
    """The file's folder, opened step by step so that no link leads out; made if it is missing."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    here = os.open(root, flags)
    try:
        for part in path.parts[:-1]:
            with suppress(FileExistsError):
                os.mkdir(part, dir_fd=here)
            inner = os.open(part, flags | os.O_NOFOLLOW, dir_fd=here)
            os.close(here)
            here = inner
        yield here
    finally:
        os.close(here)


@contextmanager
def _explained(where: Path) -> Iterator[None]:
    try:
        yield
    except OSError as e:
        if e.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFull(
                f"there is no room on the disk for {where}; nothing was written. Make room and "
                "tell it again"
            ) from None
        if e.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise StoreReadOnly(
                f"{where} may not be written ({e.strerror}); nothing was changed. Check the "
                "permissions of its folder"
            ) from None
        raise StoreError(f"{where} could not be written ({e.strerror}); nothing was changed") from e
