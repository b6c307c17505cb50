"""How a book begins: what is there already, what is missing, and making that without touching the
rest."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from bethink.checks import check_space
from bethink.errors import InvalidInput
from bethink.notebook.books import Book, Books, Form
from bethink.notebook.layout import HOMES, INDEX, JOURNAL, NOTES
from bethink.settings import PROJECT_FILE, data_directory, space_named_by
from bethink.vocabulary import GLOBAL_SPACE

PROJECT_FOLDER = ".bethink"
# Where an INDEX.md is looked for; the last two are kept by an agent's workflow in Cursor.
_NOTES_FOLDERS = (
    "memory", "notes", "docs", PROJECT_FOLDER, ".cursor/.lingxi/memory", ".lingxi/memory",
)  # fmt: skip

_COMMENTS = {
    "preference": "What you like and how you want things; one line each. 偏好，每行一条。",
    "instruction": "What an agent shall always or never do; one line each. 指令，每行一条。",
    "entity": "People, places and things, and who they are; one line each. 人物与事物，每行一条。",
    "task": "What is to do: - [ ] open, - [x] done. 待办：- [ ] 未完成，- [x] 已完成。",
    "decision": "What was decided, and why; one line each. 决策及理由，每行一条。",
    "pattern": "What has proved itself here; one line each. 行之有效的做法，每行一条。",
}
_INDEX_TEXT = """\
# Index

<!-- One line for each note: what it is about, when to load it. 每行一篇：内容，何时加载。 -->
"""


class Offer(NamedTuple):
    """A book that could be made or bound here."""

    root: Path
    space: str
    form: Form
    project: bool
    missing: tuple[PurePosixPath, ...]  # files that would be made; what is there stays as it is
    project_file: Path | None = None  # would be written, with the space's name
    again: bool = False  # it is bound, but its folder is gone
    writable: bool = True  # False: another folder of notes takes what is told to the space

    @property
    def title(self) -> str:
        if self.form is Form.NOTES:
            return "notes"
        return "notebook of this project" if self.project else "notebook of your own"


def project_root(start: Path) -> Path | None:
    """The folder with `.bethink.toml` or `.git`, at or above this one."""
    home = Path.home()
    for folder in (start, *start.parents):
        if (folder / PROJECT_FILE).is_file() or (folder / ".git").exists():
            return folder
        if folder == home:
            return None
    return None


def global_offer(books: Sequence[Book]) -> Offer | None:
    """The user's own notebook, unless there is one."""
    bound = own_notebook(books)
    if bound is not None and bound.root.is_dir():
        return None
    root = data_directory() / "notebook" if bound is None else bound.root
    missing = _missing(root, project=False)
    return Offer(root, GLOBAL_SPACE, Form.NOTEBOOK, False, missing, again=bound is not None)


def own_notebook(books: Sequence[Book]) -> Book | None:
    found = (b for b in books if b.space == GLOBAL_SPACE and b.form is Form.NOTEBOOK)
    return next(found, None)


def project_offer(books: Sequence[Book], project: Path, space: str | None) -> Offer | None:
    """The notebook of a project, unless there is one."""
    root = project / PROJECT_FOLDER
    if root.is_symlink():
        raise InvalidInput(f"{root} is a link; a project's notebook must lie in the project itself")
    bound = bound_at(root, books)
    if bound is not None and bound.root.is_dir():
        return None
    name = space_of(project, space, books) if bound is None else bound.space
    file = project / PROJECT_FILE
    return Offer(
        root, name, Form.NOTEBOOK, True, _missing(root, project=True),
        None if os.path.lexists(file) else file, again=bound is not None,
    )  # fmt: skip


def bound_at(root: Path, books: Sequence[Book]) -> Book | None:
    place = root.resolve()
    return next((book for book in books if book.root == place), None)


def notes_offer(
    books: Sequence[Book], root: Path, space: str, *, project: Path | None
) -> Offer | None:
    """Notes with an index, unless they are bound already. In a project they belong to its space, so
    that questions asked there look in them; its file names the space from then on."""
    bound = bound_at(root, books)
    if bound is not None and bound.root.is_dir():
        return None
    missing = () if os.path.lexists(root / INDEX) else (INDEX,)
    if bound is not None:
        return Offer(root, bound.space, bound.form, bound.project, missing, again=True)
    file = None if project is None else project / PROJECT_FILE
    return Offer(
        root, space, Form.NOTES, project is not None, missing,
        None if file is None or os.path.lexists(file) else file,
    )  # fmt: skip


def notes_space(
    folder: Path, given: str | None, books: Sequence[Book], project: Path | None
) -> str:
    """The space of notes: as said, else the project's; outside of projects by the folder's name,
    with its parent's where that is taken."""
    if given is not None:
        return check_space(given)
    if project is None:
        return _by_name(folder, books)
    own = bound_at(project / PROJECT_FOLDER, books)
    return own.space if own is not None else space_of(project, None, books)


def notes_there(project: Path) -> Path | None:
    """Notes that were kept before Bethink came: an INDEX.md with notes beside or below it."""
    for name in _NOTES_FOLDERS:
        folder = project / name
        if folder.is_symlink() or not (folder / INDEX).is_file():
            continue
        if (folder / NOTES).is_dir() or sum(1 for _ in folder.glob("*.md")) > 1:
            return folder
    return None


def space_of(project: Path, given: str | None, books: Sequence[Book]) -> str:
    """The project's space: as said, as its file says, or by the folder's name."""
    if given is not None:
        return check_space(given)
    file = project / PROJECT_FILE
    named = space_named_by(file)
    if named is None:
        return _by_name(project, books)
    if named == GLOBAL_SPACE:
        raise InvalidInput(
            f"{file} names the space {GLOBAL_SPACE!r}, which is the user's own; a "
            "project's notebook needs a space of its own: name one with --space"
        )
    return check_space(named)


def _by_name(folder: Path, books: Sequence[Book]) -> str:
    taken = {book.space for book in books} | {GLOBAL_SPACE}
    name = _as_space(folder.name)
    return name if name not in taken else _as_space(f"{folder.parent.name}/{folder.name}")


def _as_space(name: str) -> str:
    """The nearest name that a space may have."""
    cleaned = re.sub(r"[^\w.:/@+-]+", "-", name).lstrip("._:/@+-")[:128]
    return check_space(cleaned or "project")


def _missing(root: Path, *, project: bool) -> tuple[PurePosixPath, ...]:
    homes = [home.file for home in HOMES.values() if home.project == project]
    return tuple(file for file in homes if not os.path.lexists(root / file))


def written_elsewhere(offer: Offer, books: Sequence[Book]) -> Book | None:
    """The book that what is told to this space is written into already, in another folder."""
    root = offer.root.resolve()
    for book in books:
        same = book.writable and (book.space, book.form) == (offer.space, offer.form)
        if same and book.root != root:
            return book
    return None


def was_moved(other: Book, offer: Offer, registry: Books | None) -> bool:
    """Is what is offered the folder of that book, which is not in its place any more?"""
    if registry is None or other.root.is_dir() or not offer.root.is_dir():
        return False
    from bethink.notebook.moving import is_now

    here = Book(offer.root.resolve(), offer.space, offer.form, True, offer.project)
    return is_now(other, here, registry.directory)


def check(offer: Offer) -> None:
    """Refuse what could not be made to the end, before anything is made."""
    root = offer.root
    folders = {root / file.parent for file in offer.missing}
    if offer.form is Form.NOTEBOOK:
        folders.add(root / JOURNAL)
    for folder in (root, *sorted(folders)):
        for part in (folder, *folder.parents):
            if os.path.lexists(part):
                break
        if not part.is_dir():
            what = "is a link that leads nowhere" if part.is_symlink() else "is no folder"
            raise InvalidInput(f"{part} {what}; move it away first: nothing was made")
        if part.is_relative_to(root):
            _refuse_leading_out(part, root.resolve())


def _refuse_leading_out(folder: Path, inside: Path) -> None:
    if not folder.resolve().is_relative_to(inside):  # somebody else's repository may hold links
        raise InvalidInput(f"{folder} is a link that leads out of {inside}; remove it first")


def accept(offer: Offer, books: Books) -> Book:
    """Make what is missing and bind the folder. Nothing that is there is changed."""
    check(offer)
    root = offer.root
    try:
        root.mkdir(parents=True, exist_ok=True)
        inside = root.resolve()
        if offer.form is Form.NOTEBOOK:
            _make_folder(root / JOURNAL, inside)
        for file in offer.missing:
            _make_folder((root / file).parent, inside)
            _create(root / file, _first_text(file))
        if offer.project_file is not None:
            text = f"# Settings of this project for Bethink.\nspace = {_quoted(offer.space)}\n"
            _create(offer.project_file, text)
    except OSError as e:
        raise InvalidInput(
            f"{e.filename} cannot be made ({e.strerror}); check the folder"
        ) from None
    return books.add(
        root, space=offer.space, form=offer.form, writable=offer.writable, project=offer.project
    )


def _make_folder(folder: Path, inside: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    _refuse_leading_out(folder, inside)


def _create(path: Path, text: str) -> None:
    """A new file, never over one that is there."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        return
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)


def _first_text(file: PurePosixPath) -> str:
    for kind, home in HOMES.items():
        if home.file == file:
            return f"# {home.title}\n\n<!-- {_COMMENTS[kind]} -->\n"
    return _INDEX_TEXT


def _quoted(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)
