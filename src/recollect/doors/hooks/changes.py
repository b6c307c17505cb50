"""What installing would change, shown as a diff; and the changing itself.

A file is written whole beside the old one and put in its place, with its mode; a link into
somebody's dotfiles stays a link.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from difflib import unified_diff
from pathlib import Path
from typing import Any, NamedTuple

from recollect.doors.hooks import json_text
from recollect.doors.hooks.installing import BACKUP, HooksFile, OwnFile, Step
from recollect.errors import InvalidInput, SettingsError

_FOLDERS = frozenset(
    "recollect skills rules extensions .claude .codex .cursor .openclaw .agents".split()
)


class Change(NamedTuple):
    path: Path
    before: str | None  # None: there is no file
    after: str | None
    note: str = ""
    backup: bool = False  # copy the file as it was
    forget_backup: bool = False  # it reads again as it did before us

    @property
    def action(self) -> str:
        if self.after == self.before:
            return "unchanged"
        return "removed" if self.after is None else "created" if self.before is None else "changed"

    def diff(self) -> str:
        before, after = (self.before or "").splitlines(), (self.after or "").splitlines()
        names = (
            "/dev/null" if self.before is None else str(self.path),
            "/dev/null" if self.after is None else str(self.path),
        )
        return "\n".join(unified_diff(before, after, *names, lineterm="", n=2))


def to_install(steps: Sequence[Step]) -> list[Change]:
    changes = []
    for step in steps:
        before = _read(step.path)
        after = _asked(step.path, lambda step=step, before=before: step.with_us(before))
        note = ""
        if isinstance(step, OwnFile) and before is not None and not step.is_ours(before):
            note = "somebody wrote or changed it, so it was left alone; remove it to have ours"
        elif isinstance(step, HooksFile) and before and not _is_strict(before):
            note = (
                "it holds comments or commas that strict JSON has not: an agent that is strict, as "
                "Claude Code is, ignores the whole file"
            )
        fresh = before is not None and after != before and not _backup_of(step.path).exists()
        wants_copy = fresh and not isinstance(step, OwnFile)
        changes.append(Change(step.path, before, after, note, backup=wants_copy))
    return changes


def _is_strict(text: str) -> bool:
    try:
        json.loads(text.removeprefix("\ufeff"))
    except ValueError:
        return not text.strip()
    return True


def to_uninstall(steps: Sequence[Step]) -> list[Change]:
    changes = []
    for step in steps:
        before = _read(step.path)
        if before is None:
            continue
        after = _asked(step.path, lambda step=step, before=before: step.without_us(before))
        former = _read(_backup_of(step.path))
        again = former is not None and _same(step, former, after)
        note = ""
        if isinstance(step, OwnFile) and after is not None:
            note = "somebody changed it, so it was left alone"
        changes.append(
            Change(step.path, before, former if again else after, note, forget_backup=again)
        )
    return changes


def _same(step: Step, former: str, after: str | None) -> bool:
    """Does the file say again what it said before us? Lists that were empty then say nothing."""
    if after is None:
        return step.without_us(former) is None
    if after.rstrip() == former.rstrip():
        return True
    try:
        return bool(_said(json_text.parse(former).value) == _said(json_text.parse(after).value))
    except InvalidInput:
        return False


def _said(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    told = {key: _said(item) for key, item in value.items()}
    return {key: item for key, item in told.items() if item not in ({}, [])}


def apply(change: Change) -> None:
    """Raises SettingsError."""
    target = change.path.resolve()
    try:
        if change.backup:
            copy = _backup_of(change.path)
            copy.write_bytes(target.read_bytes())
            copy.chmod(target.stat().st_mode & 0o777)
        if change.after is None:
            target.unlink(missing_ok=True)
            _remove_empty(target.parent)
        elif change.after != change.before:
            _write(target, change.after)
        if change.forget_backup:
            _backup_of(change.path).unlink(missing_ok=True)
    except OSError as e:
        raise SettingsError(
            f"{target} cannot be written ({e.strerror}); nothing of it was changed"
        ) from None


def _write(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
    handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(draft, mode)
        os.replace(draft, target)
    except BaseException:
        os.unlink(draft)
        raise


def _remove_empty(folder: Path) -> None:
    """Folders that were made for a file of ours; whatever else is in one keeps it."""
    with suppress(OSError):
        while folder.name in _FOLDERS:
            folder.rmdir()
            folder = folder.parent


def _backup_of(path: Path) -> Path:
    return path.with_name(path.name + BACKUP)


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as e:
        raise SettingsError(f"{path} cannot be read ({e}); nothing was changed") from None


def _asked(path: Path, step: object) -> str | None:
    """With the file's name in the error: a person has to look there."""
    assert callable(step)
    try:
        found: str | None = step()
    except InvalidInput as e:
        raise SettingsError(
            f"{path}: {e}. Nothing was changed; mend the file, or add the hooks by hand "
            "(docs/how-to/agents.md)"
        ) from None
    return found
