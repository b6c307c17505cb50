"""Writing the user's settings file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bethink.errors import SettingsError
from bethink.settings import SET, config_file, read_file, typed

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


def save_user(name: str, value: str | None) -> Path:
    """Write one value to the user's file (None removes it). All other lines stay as they are.

    The file may hold a key, so nobody else may ever read it, not even while it is written.
    """
    path = config_file()
    told = _document(path)
    if value is None:
        told.pop(name, None)
    else:
        told[name] = typed(name, value, SET)  # in its place, or before the first table
    text = told.as_string()
    target = path.resolve()  # a link into somebody's dotfiles stays a link
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=target.parent, prefix=target.name)  # mode 0600
    except OSError as e:
        raise SettingsError(
            f"{target} cannot be written ({e.strerror}); check the permissions, or use the "
            f"variable BETHINK_{name.upper()} instead"
        ) from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except BaseException:
        os.unlink(draft)
        raise
    return path


def _document(path: Path) -> TOMLDocument:
    """Return the file as it is written, with its comments and its order; empty if there is none."""
    import tomlkit

    if not path.is_file():
        return tomlkit.document()
    read_file(path)  # raises SettingsError, which says what is wrong
    return tomlkit.parse(path.read_bytes().decode("utf-8"))
