"""Which space a project's file may choose: what the user agreed to, by the folder's real path.

A repository that was cloned brings its `.bethink.toml` along, and may name any space in it. Only
`bethink init` in that folder says that it may have it. One small file in the data directory.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bethink.errors import SettingsError

_FILE = "projects.json"
_FORMAT = 1


def agreed_space(directory: Path, project: Path) -> str | None:
    """The space that this folder may choose."""
    found = _read(directory / _FILE).get(str(project.resolve()))
    return found if isinstance(found, str) else None


def agree(directory: Path, project: Path, space: str) -> None:
    """From now on the file of this folder may choose this space, and no other."""
    folder = str(project.resolve())
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with _alone(directory / f"{_FILE}.lock"):
            told = _read(directory / _FILE)
            if told.get(folder) == space:
                return
            draft = directory / f"{_FILE}.draft"  # ours alone: we hold the lock
            draft.unlink(missing_ok=True)  # a link there must not be followed
            with open(draft, "x", encoding="utf-8", errors="surrogateescape") as file:
                record = {"format": _FORMAT, "projects": {**told, folder: space}}
                file.write(json.dumps(record, ensure_ascii=False, indent=1) + "\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, directory / _FILE)
    except OSError as e:
        raise SettingsError(
            f"{directory / _FILE} cannot be written ({e.strerror}); check the folder"
        ) from None


def _read(path: Path) -> dict[str, object]:
    """Nothing where the file is missing or damaged: then nobody agreed to anything."""
    try:
        told = json.loads(path.read_bytes().decode("utf-8", "surrogateescape"))
        projects = told["projects"] if told["format"] == _FORMAT else {}
    except (OSError, ValueError, TypeError, KeyError):
        return {}
    return projects if isinstance(projects, dict) else {}


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
