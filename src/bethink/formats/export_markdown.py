"""Write every memory into a folder of Markdown, and keep that folder true at the next export.

A file of the folder says which files are ours and what was in them. Only those are ever replaced or
removed, and only while they are as we left them: what a person changed is theirs.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from bethink.errors import InvalidInput
from bethink.formats.bethink_markdown import INDEX, MARKER, page
from bethink.vocabulary import Progress

_HEADER = {"bethink-export": 1}
_SHOWN = 5


class Exported(NamedTuple):
    written: int
    unchanged: int
    removed: int


def export_markdown(
    records: Iterable[Mapping[str, Any]], folder: Path, *, progress: Progress | None = None
) -> Exported:
    """Every record as a file of its own. What is not ours stops it before anything is written."""
    try:
        return _export(records, folder, progress)
    except OSError as e:
        raise InvalidInput(
            f"{e.filename or folder} cannot be written: {e.strerror}; what was written until "
            "then is whole, and the next export goes on from it"
        ) from None


def _export(
    records: Iterable[Mapping[str, Any]], folder: Path, progress: Progress | None
) -> Exported:
    if folder.exists() and not folder.is_dir():
        raise InvalidInput(f"{folder} is a file; name a folder")
    folder.mkdir(parents=True, exist_ok=True)
    with _Folder(folder.resolve()) as ours:
        titles: dict[str, list[tuple[str, str, str]]] = {}
        for number, record in enumerate(records, start=1):
            path = _path(record)
            ours.put(path, page(record))
            place = path.split("/", 1)
            titles.setdefault(place[0], []).append((place[1], record["space"], _title(record)))
            if progress is not None and number % 100 == 0:
                progress(number, None)
        for name, lines in titles.items():
            ours.put(f"{name}/{INDEX}", _index(lines), memory=False)
        ours.remove_the_rest()
    return Exported(ours.written, ours.unchanged, ours.removed)


class _Folder:
    """The folder and what in it is ours, path by path: the sums of what we wrote there."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._marker = root / MARKER
        self._sums = self._read_marker()
        self._kept: dict[str, str] = {}
        self._made: set[Path] = set()
        self.written = self.unchanged = self.removed = 0
        changed = [path for path, sums in self._sums.items() if self._is_theirs(path, sums)]
        if changed:
            raise InvalidInput(
                f"{', '.join(changed[:_SHOWN])}{' and others' if len(changed) > _SHOWN else ''} "
                f"in {root} changed since the last export, which would overwrite that. Nothing "
                "was written: export into another folder, or move these files away"
            )

    def __enter__(self) -> _Folder:
        self._log = self._marker.open("a", encoding="utf-8")
        if not self._log.tell():
            self._log.write(json.dumps(_HEADER) + "\n")
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._log.close()
        if kind is None:  # else the lines that were added still tell what is ours
            # in the order told, which the import keeps
            lines = [_HEADER, *({"path": p, "sum": s} for p, s in self._kept.items())]
            self._replace(
                self._marker,
                "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode(),
            )

    def _read_marker(self) -> dict[str, set[str]]:
        if self._marker.is_symlink():
            raise InvalidInput(f"{self._marker} is a link; remove it or choose another folder")
        if not self._marker.exists():
            others = [name for name in os.listdir(self._root) if not name.startswith(".")]
            if others:
                raise InvalidInput(
                    f"{self._root} holds files that no export wrote ({sorted(others)[0]}, …); "
                    "name a new or empty folder"
                )
            return {}
        sums: dict[str, set[str]] = {}
        lines = self._marker.read_text("utf-8", "replace").splitlines()
        try:
            if json.loads(lines[0]) != _HEADER:
                raise ValueError
        except (ValueError, IndexError):
            raise InvalidInput(
                f"{self._marker} is damaged or of a newer Bethink; name a new or empty folder"
            ) from None
        for line in lines[1:]:
            try:
                told = json.loads(line)
                path, of_text = str(told["path"]), str(told["sum"])
            except (ValueError, TypeError, KeyError):
                continue  # torn by a crash: that file was not written
            if ".." not in path.split("/") and not path.startswith("/"):
                sums.setdefault(path, set()).add(of_text)
        return sums

    def _is_theirs(self, path: str, sums: set[str]) -> bool:
        """Is something there that is not what we wrote?"""
        place = self._root / path
        if not os.path.lexists(place):
            return False
        if self._through_a_link(place) or not place.is_file():
            return True
        data = place.read_bytes()
        return bool(data) and _sum(data) not in sums

    def _through_a_link(self, place: Path) -> bool:
        while place != self._root:
            if place.is_symlink():
                return True
            place = place.parent
        return False

    def put(self, path: str, text: str, *, memory: bool = True) -> None:
        data = text.encode("utf-8")
        of_text = _sum(data)
        place = self._root / path
        if path in self._kept:
            raise InvalidInput(f"two memories would both be {path}; report this")
        self._kept[path] = of_text
        if of_text in self._sums.get(path, ()) and place.is_file():
            if place.stat().st_size == len(data) and _sum(place.read_bytes()) == of_text:
                self.unchanged += memory
                return
        elif path not in self._sums and os.path.lexists(place):
            raise InvalidInput(f"{place} is there already and no export wrote it; move it away")
        if place.parent not in self._made:
            if self._through_a_link(place.parent):
                raise InvalidInput(f"{place.parent} is a link; remove it or choose another folder")
            place.parent.mkdir(parents=True, exist_ok=True)
            self._made.add(place.parent)
        # told before it is done: after a crash the file is still known as ours
        self._log.write(json.dumps({"path": path, "sum": of_text}, ensure_ascii=False) + "\n")
        self._log.flush()
        self._replace(place, data)
        self.written += memory

    def _replace(self, place: Path, data: bytes) -> None:
        """Into a new file that takes the name when it is complete."""
        draft = self._root / f"{MARKER}.{os.getpid()}.new"
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
            with os.fdopen(os.open(draft, flags, 0o666), "wb") as file:
                # not forced to the disk one by one: ten thousand take a minute so. Should the
                # power fail, a file may be empty, and the next export writes it again
                file.write(data)
            os.replace(draft, place)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise

    def remove_the_rest(self) -> None:
        """What was exported before and is no memory any more: imported, it would come back."""
        for path in self._sums.keys() - self._kept.keys():
            place = self._root / path
            if place.is_file():
                place.unlink()
                self.removed += not path.endswith("/" + INDEX)
            for empty in place.parents:
                if empty == self._root or not empty.is_dir() or os.listdir(empty):
                    break
                empty.rmdir()


def _sum(data: bytes) -> str:
    return sha256(data).hexdigest()[:32]


# Names


def _path(record: Mapping[str, Any]) -> str:
    day = str(record.get("occurred_at") or record["created_at"])[:10]
    # the id's own sum makes it one of its kind, and the same at every export
    name = f"{day}-{_slug(_title(record))}-{_sum(str(record['id']).encode())[:12]}".replace(
        "--", "-"
    )
    return f"{_folder_name(record['space'])}/{_folder_name(record['kind'])}/{name}.md"


def _title(record: Mapping[str, Any]) -> str:
    text = str(record["text"])
    line = next((line.strip(" #>*-\t") for line in text.splitlines() if line.strip(" #>*-\t")), "")
    return " ".join(line.split())[:80]


def _slug(text: str, length: int = 40) -> str:
    """Letters and digits of any language, for every file system."""
    plain = unicodedata.normalize("NFC", text).lower()
    return _not_in_names().sub("-", plain).strip("-")[:length].strip("-")


def _folder_name(name: str) -> str:
    """As it is where it can be; else changed, with a sum so that no two become one."""
    slug = _slug(name, 60)
    if slug == name and name not in _RESERVED:
        return slug
    return f"{slug or 'x'}-{_sum(name.encode())[:8]}"


_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"{n}{i}" for n in ("com", "lpt") for i in range(10))}
)


@cache
def _not_in_names() -> re.Pattern[str]:
    return re.compile(r"[^\w]+|_+")


def _index(lines: list[tuple[str, str, str]]) -> str:
    """What a space holds, by kind, for a person to find the way."""
    parts = [f"# {lines[0][1]}"]
    kind = ""
    for path, _, title in sorted(lines):
        folder, _, name = path.partition("/")
        if folder != kind:
            kind = folder
            parts.append(f"\n## {kind}\n")
        shown = re.sub(r"([\\\[\]<>`*_])", r"\\\1", title) or name
        parts.append(f"- [{shown}]({path})")
    return "\n".join(parts) + "\n"
