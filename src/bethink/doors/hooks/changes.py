"""What installing would change, shown as a diff; and the changing itself.

Everything is thought through and looked at before the first file is written, and if one cannot be
written after all, those before it are put back: an agent is never left half changed. A file is
written whole beside the old one and put in its place, with its mode; a link into somebody's
dotfiles stays a link.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

from bethink.doors.hooks.installing import BACKUP, Out, Step, read_text
from bethink.errors import InvalidInput, SettingsError

_FOLDERS = frozenset(
    "bethink skills rules extensions .claude .codex .cursor .openclaw .agents".split()
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


def to_install(steps: Sequence[Step | Out]) -> list[Change]:
    changes = []
    for step in steps:
        if isinstance(step, Out):
            left = _to_leave(step.step)
            changes += [left] if left is not None and left.action != "unchanged" else []
            continue
        changes.append(_to_enter(step))
    return changes


def _to_enter(step: Step) -> Change:
    before = read_text(step.path)
    try:
        after = step.with_us(before)
        holds_us = before is not None and bool(before.strip()) and bool(step.calls_in(before))
        note = step.remark(before)
    except InvalidInput as e:
        raise _refused(step.path, e) from None
    new = before is not None and after != before and not holds_us
    copied = step.is_shared and new and not _is_there(_backup_of(step.path))
    return Change(step.path, before, after, note, backup=copied)


def to_uninstall(steps: Sequence[Step | Out]) -> list[Change]:
    found = (_to_leave(step.step if isinstance(step, Out) else step) for step in steps)
    return [change for change in found if change is not None]


def _to_leave(step: Step) -> Change | None:
    before = read_text(step.path)
    if before is None:
        return None
    former = read_text(_backup_of(step.path)) if step.is_shared else None
    after: str | None
    if former is not None and _is_made_from(step, former, before):
        after = former
    elif _is_made_from(step, None, before):
        after = None  # we made it, and nobody wrote in it
    else:
        try:
            after = step.without_us(before, _readable(step, former))
        except InvalidInput as e:
            if "bethink" in before:
                raise _refused(step.path, e) from None
            after = before  # it is no business of ours what is wrong with it
    note = ""
    if after is not None and not step.is_shared:
        note = "somebody changed it, so it was left alone"
    elif after is not None and after != before and former not in (None, after):
        note = f"what was changed since is kept; as it was before us: {_backup_of(step.path).name}"
    return Change(step.path, before, after, note, forget_backup=after == former is not None)


def _is_made_from(step: Step, former: str | None, text: str) -> bool:
    try:
        return step.is_made_from(former, text)
    except InvalidInput:  # either cannot be read: then it is not what we wrote
        return False


def _readable(step: Step, former: str | None) -> str | None:
    """A copy that somebody wrote into tells nothing."""
    try:
        if former is not None:
            step.with_us(former)
    except InvalidInput:
        return None
    return former


def _refused(path: Path, error: InvalidInput) -> SettingsError:
    """With the file's name: a person has to look there."""
    return SettingsError(
        f"{path}: {error}. Nothing was changed; mend the file, or change it by hand "
        "(docs/how-to/agents.md)"
    )


def apply(changes: Sequence[Change]) -> None:
    """All of them or none. Raises SettingsError."""
    due = [c for c in changes if c.action != "unchanged" or c.forget_backup]
    for change in due:
        _check(change)
    undo: list[tuple[Path, Callable[[], object]]] = []
    at = Path()
    try:
        for change in due:
            at = change.path
            _do(change, undo)
    except BaseException as e:
        left = _undone(undo)
        if not isinstance(e, OSError):
            raise
        told = f"except in {', '.join(map(str, left))}, which could not be put back" if left else ""
        raise SettingsError(
            f"{at} cannot be written ({e.strerror or e}); nothing was changed{told and ', '}{told}"
        ) from None
    for change in due:
        if change.after is None:
            _remove_empty(change.path)


def _check(change: Change) -> None:
    """What would stop the writing, as far as it can be seen before."""
    path = change.path
    if read_text(path) != change.before:
        raise SettingsError(
            f"{path} was changed by somebody just now; nothing was changed, try again"
        )
    if change.action == "unchanged":
        return
    target = path.resolve()
    if change.before is not None:
        mode = target.stat().st_mode & 0o777
        if not mode & 0o222 or not os.access(target, os.W_OK):
            raise SettingsError(
                f"{path} may not be written (mode {mode:04o}); nothing was changed. Make it "
                f"writable, as with 'chmod u+w', or change it by hand (docs/how-to/agents.md)"
            )
    for wanted in {target.parent, path.parent if change.backup else target.parent}:
        folder = next(f for f in (wanted, *wanted.parents) if _is_there(f))
        if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
            raise SettingsError(f"{folder} may not be written in; nothing was changed")


def _do(change: Change, undo: list[tuple[Path, Callable[[], object]]]) -> None:
    target, copy = change.path.resolve(), _backup_of(change.path)
    mode = target.stat().st_mode & 0o777 if change.before is not None else 0o644
    if change.backup and change.before is not None:
        undo.append((copy, lambda: copy.unlink(missing_ok=True)))
        _write(copy, change.before, mode)
    if change.before is None:
        for folder in reversed([f for f in target.parents if not f.exists()]):
            folder.mkdir()
            undo.append((folder, folder.rmdir))
        undo.append((target, lambda: target.unlink(missing_ok=True)))
    elif change.after != change.before:
        before = change.before
        undo.append((target, lambda: _write(target, before, mode)))
    if change.after is None:
        target.unlink()
    elif change.after != change.before:
        _write(target, change.after, mode)
    if change.forget_backup and _is_there(copy):
        former, its = read_text(copy) or "", copy.stat().st_mode & 0o777
        undo.append((copy, lambda: _write(copy, former, its)))
        copy.unlink()


def _undone(undo: list[tuple[Path, Callable[[], object]]]) -> list[Path]:
    """What could not be put back."""
    left = []
    for path, back in reversed(undo):
        try:
            back()
        except OSError:
            left.append(path)
    return left


def _write(target: Path, text: str, mode: int) -> None:
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


def _remove_empty(path: Path) -> None:
    """Folders that were made for a file of ours; whatever else is in one keeps it, and so does a
    link."""
    if path.is_symlink():
        return
    folder = path.parent
    with suppress(OSError):
        while folder.name in _FOLDERS:
            folder.rmdir()
            folder = folder.parent


def _backup_of(path: Path) -> Path:
    return path.with_name(path.name + BACKUP)


def _is_there(path: Path) -> bool:
    return os.path.lexists(path)
