"""INDEX.md of the notes form: which note is about what, and when to load it.

    | Title | File | When to load |
    |---|---|---|
    | 连接被拒 | [refused](notes/refused.md) | ERR_CONN_1042, a connection is refused |

or a list: `- [连接被拒](notes/refused.md): ERR_CONN_1042, a connection is refused`. People write it
by hand, so columns are known by their headings in both languages, or by what stands in them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from bethink.errors import NotebookFileRefused
from bethink.notebook.layout import INDEX, NOTES
from bethink.notebook.lines import split_lines_with_ends
from bethink.notebook.markdown import TEXT, marker_of, stands_in
from bethink.notebook.meta_list import field_of, item_field
from bethink.notebook.parse import About
from bethink.notebook.reading import read_text

if TYPE_CHECKING:
    from bethink.notebook.books import Book

_MAX_CHARS = 1_000  # of a title or a "when to load"
_FILE_COLUMNS = frozenset("file path note link 文件 路径 笔记 链接 檔案".split())
_NEW = "# INDEX\n\n| Title | File | When to load |\n|---|---|---|\n"


class _Entry(NamedTuple):
    line: int
    path: PurePosixPath
    about: About
    columns: tuple[int, int, int] | None  # title, file, when to load of a table; None: of a list


def read_index(text: str) -> dict[str, About]:
    """What is said of each note, by its path below the book. The first entry of a note counts."""
    found: dict[str, About] = {}
    for entry in _entries(split_lines_with_ends(text)):
        found.setdefault(str(entry.path), entry.about)
        if len(entry.path.parts) == 1:  # "refused.md" for "notes/refused.md"
            found.setdefault(str(NOTES / entry.path), entry.about)
    return found


def index_of(book: Book) -> dict[str, About]:
    """What the INDEX.md of a book of notes says; nothing where there is none that can be read.

    One that cannot be read is named among the refused files by the sync that lists them.
    """
    try:
        return read_index(read_text(book.root, INDEX))
    except NotebookFileRefused:
        return {}


def astray(book: Book, abouts: Mapping[str, About]) -> list[str]:
    """The entries of notes that are not there. A name alone may mean one in the folder of notes."""
    there = {name for name in abouts if (book.root / name).is_file()}
    lost: list[str] = []
    for name in abouts:
        path = PurePosixPath(name)
        alone = path.name if path.parent == NOTES else str(NOTES / path)
        if (
            name not in there
            and alone not in there
            and not (path.parent == NOTES and path.name in abouts)
        ):
            lost.append(f"its entry {name} leads nowhere: mend or remove it")
    return lost


def with_entry(text: str, path: PurePosixPath, about: About) -> str:
    """The index with this entry: added in the manner of the others, or mended in its line.

    No other line changes, and none does if the entry says so already.
    """
    lines = split_lines_with_ends(text)
    entries = _entries(lines)
    same = [e for e in entries if e.path == path or NOTES / e.path == path]
    if same and same[0].about == _clean(about):
        return text
    end = "\r\n" if "\r\n" in text else "\n"
    if same:
        lines[same[0].line] = _mended(lines[same[0].line], same[0], about)
        return "".join(lines)
    if not entries:
        if lines and not lines[-1].endswith(("\n", "\r")):
            lines[-1] += end
        head = _NEW if not text.strip() else "\n" + _NEW.partition("\n\n")[2]
        return "".join(lines) + (head + _row(path, about, (0, 1, 2), 3)).replace("\n", end)
    last = entries[-1]
    if not lines[last.line].endswith(("\n", "\r")):
        lines[last.line] += end
    if last.columns is None:
        at = last.line + 1  # after what is indented below the last entry
        while at < len(lines) and lines[at][:1].isspace() and lines[at].strip():
            at += 1
        new = _item(path, about, lines[last.line])
    else:
        at = last.line + 1
        new = _row(path, about, last.columns, len(_cells(lines[last.line])))
    return "".join([*lines[:at], new.replace("\n", end), *lines[at:]])


def without_entry(text: str, path: PurePosixPath) -> str:
    """The index without the entries of a note, and what is indented below them."""
    lines = split_lines_with_ends(text)
    for entry in reversed(_entries(lines)):
        if path not in (entry.path, NOTES / entry.path):
            continue
        end = entry.line + 1
        while (
            entry.columns is None
            and end < len(lines)
            and lines[end][:1].isspace()
            and lines[end].strip()
        ):
            end += 1
        del lines[entry.line : end]
    return "".join(lines)


# Reading


def _entries(lines: list[str]) -> list[_Entry]:
    found: list[_Entry] = []
    within = stands_in([line.rstrip("\r\n") for line in lines])
    columns: tuple[int, int, int] | None = None
    for at, line in enumerate(lines):
        if within[at] != TEXT:
            continue
        if line.lstrip().startswith("|"):
            cells = _cells(line)
            if not any(_target(cell) for cell in cells):
                columns = _columns(cells) or columns
            else:
                found += _of_row(at, cells, columns)
            continue
        columns = None
        told = item_field(line)
        if line[:1].isspace() and found and told and found[-1].columns is None:
            if field_of(told[0]) in ("when_to_load", "title"):
                said = {field_of(told[0]): told[1][:_MAX_CHARS]}
                found[-1] = found[-1]._replace(about=found[-1].about._replace(**said))
        elif marker_of(line) is not None:
            found += _of_item(at, line)
    return found


def _cells(line: str) -> list[str]:
    inside = line.strip().removeprefix("|")
    if inside.endswith("|") and not inside.endswith("\\|"):
        inside = inside[:-1]
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", inside)]


def _columns(cells: list[str]) -> tuple[int, int, int] | None:
    """Title, file and "when to load" by their headings; -1 where there is none."""
    title = file = when = -1
    for at, cell in enumerate(cells):
        name = cell.strip(" *_`").lower()
        field = field_of(name)
        if field == "title" and title < 0:
            title = at
        elif field == "when_to_load" and when < 0:
            when = at
        elif name in _FILE_COLUMNS and file < 0:
            file = at
    return (title, file, when) if (title, file, when) != (-1, -1, -1) else None


def _of_row(at: int, cells: list[str], columns: tuple[int, int, int] | None) -> list[_Entry]:
    title, file, when = columns or (-1, -1, -1)
    if not 0 <= file < len(cells) or not _target(cells[file]):
        file = next(n for n, cell in enumerate(cells) if _target(cell))
    path = _path(_target(cells[file]))
    if path is None:
        return []
    others = [n for n in range(len(cells)) if n != file and cells[n]]
    if columns is None:
        when = others[-1] if others else -1
        title = others[0] if len(others) > 1 else -1
    name = _shown(cells[title]) if 0 <= title < len(cells) else _shown(cells[file])
    if title == file or (0 <= title < len(cells) and _target(cells[title])):
        name = _shown(cells[file])
    about = About(name, cells[when] if 0 <= when < len(cells) else "")
    return [_Entry(at, path, _clean(about), (title, file, when))]


def _of_item(at: int, line: str) -> list[_Entry]:
    marker = marker_of(line)
    assert marker is not None
    text = line[marker.content :].strip()
    link = _link().search(text)
    if link is not None:
        path = _path(link["angle"] or link["target"])
        title, after = _plain(link["title"]), text[link.end() :]
    else:
        name, _, after = text.partition(" ") if "：" not in text else text.partition("：")
        path, title = _path(name.strip(" `*:：")), ""
    if path is None:
        return []
    when = after.strip().lstrip("-–—:：|*_ ").strip()
    return [_Entry(at, path, _clean(About(title, when)), None)]


@cache
def _link() -> re.Pattern[str]:
    return re.compile(
        r"(?<!\\)\[(?P<title>(?:\\[\[\]\\]|(?!\\[\[\]\\])[^\]]){0,500})\]"
        r"\((?:<(?P<angle>[^<>]{1,1000})>|(?P<target>[^()\s]{1,1000}))\)"
    )


def _target(cell: str) -> str:
    """The Markdown file that a cell names, as a link or plainly."""
    link = _link().search(cell)
    name = (link["angle"] or link["target"]) if link else cell.strip(" `*")
    return name if name.partition("#")[0].lower().endswith((".md", ".markdown")) else ""


def _shown(cell: str) -> str:
    link = _link().search(cell)
    return _plain(link["title"] if link else cell)


def _path(target: str) -> PurePosixPath | None:
    from urllib.parse import unquote

    name = unquote(target.partition("#")[0]).replace("\\", "/")
    if not name.lower().endswith((".md", ".markdown")) or "://" in name or "\0" in name:
        return None
    path = PurePosixPath(name)  # takes "./" away
    return None if path.is_absolute() or ".." in path.parts else path


# Writing


def _mended(line: str, entry: _Entry, about: About) -> str:
    bare = line.rstrip("\r\n")
    end = line[len(bare) :]
    if entry.columns is None:
        return _item(entry.path, about, line).rstrip("\n") + end
    title, file, when = entry.columns
    parts = re.split(r"(?<!\\)\|", bare)  # [before the first bar, cells…, after the last]
    for at, value in ((title, _title_cell(about.title)), (when, _cell(about.when_to_load))):
        if 0 <= at < len(parts) - 1 and at != file:
            parts[at + 1] = f" {value} "
    return "|".join(parts) + end


def _row(path: PurePosixPath, about: About, columns: tuple[int, int, int], count: int) -> str:
    title, file, when = columns
    cells = [""] * max(count, max(columns) + 1)
    name = path.stem if title >= 0 else _cell(_bare(about.title))
    cells[file] = f"[{name}]({_as_target(path)})"
    if title >= 0 and title != file:
        cells[title] = _title_cell(about.title)
    if when >= 0:
        cells[when] = _cell(about.when_to_load)
    return "| " + " | ".join(cells) + " |\n"


def _item(path: PurePosixPath, about: About, like: str) -> str:
    marker = marker_of(like)
    mark = marker.text if marker is not None and not marker.text[0].isdigit() else "-"
    about = _clean(about)
    when = f": {about.when_to_load}" if about.when_to_load else ""
    return f"{mark} [{_bare(about.title) or path.stem}]({_as_target(path)}){when}\n"


def _as_target(path: PurePosixPath) -> str:
    text = str(path)
    return f"<{text}>" if re.search(r"[\s()%#]", text) else text


def _bare(title: str) -> str:
    """As it may stand inside a link's brackets."""
    return re.sub(r"[\[\]]|\\(?=[\[\]\\]|$)", r"\\\g<0>", title)


def _plain(title: str) -> str:
    return re.sub(r"\\([\[\]\\])", r"\1", title)


def _title_cell(title: str) -> str:
    """A title that looks like a link would be read as one."""
    return _cell(_bare(title) if _link().search(title) or _plain(title) != title else title)


def _cell(text: str) -> str:
    return " ".join(text.split())[:_MAX_CHARS].replace("|", "\\|")


def _clean(about: About) -> About:
    return About(*(" ".join(value.split())[:_MAX_CHARS] for value in about))
