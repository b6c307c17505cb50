"""Writing the user's settings file."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from bethink.errors import SettingsError
from bethink.settings import SET, config_file, read_file, typed


def save_user(name: str, value: str | None) -> Path:
    """Write one value to the user's file (None removes it), keeping the others.

    The file may hold a key, so nobody else may ever read it, not even while it is written.
    """
    path = config_file()
    told = read_file(path) if path.is_file() else {}
    told.pop(name, None)
    if value is not None:
        told[name] = typed(name, value, SET)
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
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.writelines(f"{key} = {_toml(item)}\n" for key, item in told.items())
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except BaseException:
        os.unlink(draft)
        raise
    return path


def _toml(value: Any) -> str:
    # a JSON string is a TOML basic string (but for DEL); numbers read the same in both
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
