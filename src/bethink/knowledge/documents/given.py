"""Which files are meant by what somebody named, and under which address each is kept.

An address is what citations show: the folder's name and the path below it, or a file's name. Two
files never share one: the second gets more of its path.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from bethink.errors import InvalidInput, NotebookFileRefused
from bethink.knowledge.documents.blocks import Limits, Unreadable
from bethink.knowledge.documents.kinds import ENDINGS, FORMATS, ending_of
from bethink.notebook.reading import list_files, read_bytes

_JUNK_FOLDERS = frozenset({"venv", "site-packages", "bower_components"})
_PROGRAMS = _JUNK_FOLDERS | {"node_modules", "__pycache__"}
_KINDS_SHOWN = 8
_OF_OFFICE = "~$"  # begins the names of files that only say who is editing
_ADDRESS_CHARS = 1_000


class Given(NamedTuple):
    """A file to be read. `origin` is where it is on this machine; nothing if it came as bytes."""

    address: str
    name: str
    load: Callable[[], bytes]
    origin: str = ""
    refused: str = ""  # why it is not read at all


def given_bytes(data: bytes, name: str, limits: Limits) -> Given:
    address = name.strip().strip("/")
    if not address or any(ord(char) < 32 for char in address):
        raise InvalidInput("a document that comes as bytes needs a name, like name='handbook.pdf'")
    too_large = (
        f"it has {len(data):,} bytes; at most {limits.bytes:,} are read"
        if len(data) > limits.bytes
        else ""
    )
    return _checked(Given(address, address.rpartition("/")[2], lambda: data, refused=too_large))


def endings_of(formats: Iterable[str] | None) -> tuple[str, ...]:
    if formats is None:
        return tuple(ENDINGS)
    wanted = set(formats)
    if unknown := sorted(wanted - set(FORMATS)):
        raise InvalidInput(f"no such format: {unknown[0]!r}; known: {', '.join(FORMATS)}")
    return tuple(ending for ending, kind in ENDINGS.items() if kind in wanted)


def files_under(folder: Path, endings: tuple[str, ...], limits: Limits) -> list[Given]:
    """All files of these formats in a folder and the folders in it, by name. Hidden ones, and what
    programs put there, are passed over; links are not followed."""
    root = folder.resolve()
    listing = list_files(root, max_bytes=limits.bytes, endings=endings)
    found = [
        _below(root, file.path, limits)
        for file in listing.files
        if not _JUNK_FOLDERS & set(file.path.parts) and not file.path.name.startswith(_OF_OFFICE)
    ]
    for refused in listing.refused:
        one = _below(root, refused.path, limits)
        found.append(one._replace(refused=refused.why))
    return found


def kinds_passed_over(folder: Path) -> str:
    """Say which files of a folder have a format that is not read, counted by their endings; empty
    if there are none. Hidden files and what programs put there do not count."""
    counted: Counter[str] = Counter()
    for _, folders, names in os.walk(folder):
        folders[:] = [one for one in folders if not one.startswith(".") and one not in _PROGRAMS]
        counted.update(
            ending_of(name) or "without an ending"
            for name in names
            if not name.startswith((".", _OF_OFFICE)) and ending_of(name) not in ENDINGS
        )
    if not counted:
        return ""
    told = [f"{count:,} {ending}" for ending, count in counted.most_common(_KINDS_SHOWN)]
    more = f" and {len(counted) - _KINDS_SHOWN} more kinds" if len(counted) > _KINDS_SHOWN else ""
    advice = "; save .doc and .rtf as .docx" if {".doc", ".rtf"} & counted.keys() else ""
    return f"{folder.name}: not read: {', '.join(told)}{more}{advice}"


def one_file(path: Path, limits: Limits) -> Given:
    whole = path.resolve()
    return _below(whole.parent, PurePosixPath(whole.name), limits)._replace(address=whole.name)


def _below(root: Path, path: PurePosixPath, limits: Limits) -> Given:
    def load() -> bytes:
        try:
            return read_bytes(root, path, max_bytes=limits.bytes)
        except NotebookFileRefused as e:
            raise Unreadable(e.why) from None

    address = f"{root.name}/{path}" if root.name else str(path)
    return _checked(Given(address, path.name, load, str(root.joinpath(*path.parts))))


def _checked(given: Given) -> Given:
    if len(given.address) > _ADDRESS_CHARS:
        why = f"its path has more than {_ADDRESS_CHARS:,} characters; shorten it"
        return given._replace(address=given.address[:_ADDRESS_CHARS], refused=why)
    return given


def longer(given: Given) -> Iterable[str]:
    """Its address, then the same with more and more of its path before it."""
    yield given.address
    parts = PurePosixPath(given.origin).parts
    have = len(PurePosixPath(given.address).parts)
    for count in range(have + 1, len(parts)):
        yield "/".join(parts[-count:])
    yield given.origin
