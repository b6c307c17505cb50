"""Which folders of Markdown belong to a store: its books, each bound to one space.

The registry is a small JSON file in a folder beside the store, `memory.db.books/`. What was read
of a book (its ledger) and its lock lie there too: nothing of ours is put among the user's files.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from bethink.checks import check_reachable, check_space
from bethink.errors import InvalidInput, NotFound, StoreBusy, StoreCorrupt, StoreReadOnly
from bethink.notebook.forms import Form as Form

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

REGISTRY = "books.json"
_FORMAT = 1
_MAX_FORMER = 100
_REGISTRY_SECONDS = 10.0  # adding a book takes milliseconds: who waits longer waits for a dead one


class Book(NamedTuple):
    """A folder of Markdown that is the truth of what a space holds from it."""

    root: Path  # resolved, absolute
    space: str
    form: Form
    writable: bool
    project: bool  # the layout of a project (TASKS.md, agent/ …) or of a user (user/ …)

    @property
    def key(self) -> str:
        """A short name for files that belong to this book."""
        return sha256(os.fsencode(self.root)).hexdigest()[:16]


def books_directory(store: Path) -> Path:
    """Where a store keeps what it knows of its books."""
    return store.with_name(store.name + ".books")


def must_have(books: Books | None) -> Books:
    if books is None:
        raise InvalidInput("only a store in a file can have books; open one by its path")
    return books


class Books:
    """The books of one store. Every call reads the file anew: other processes add books too."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._file = directory / REGISTRY

    def all(self) -> list[Book]:
        """Every book, in the order added."""
        return self._read()[0]

    def former(self, space: str) -> list[Path]:
        """Folders that this space was read from before, and whose memories stayed."""
        return [book.root for book in self._read()[1] if book.space == space]

    def _read(self) -> tuple[list[Book], list[Book]]:
        try:
            text = self._file.read_bytes()
        except FileNotFoundError:
            return [], []
        except OSError as e:
            raise StoreReadOnly(
                f"{self._file} cannot be read ({e.strerror}); check its permissions"
            ) from None
        try:
            told = json.loads(text)
            if told["format"] != _FORMAT:
                raise ValueError(f"format {told['format']!r}")
            former = [_book(record) for record in told.get("former", [])]
            return [_book(record) for record in told["books"]], former
        except (ValueError, TypeError, KeyError, AttributeError) as e:
            raise StoreCorrupt(
                f"{self._file} is damaged or was written by another Bethink ({e}). Move it away "
                "and add your folders again with 'bethink init' and 'bethink source add': "
                "what was remembered of them is kept"
            ) from None

    def of_spaces(self, spaces: Iterable[str]) -> list[Book]:
        wanted = set(spaces)
        return [book for book in self.all() if book.space in wanted]

    def writable_for(self, space: str, form: Form | None = None) -> Book | None:
        """The book that a memory of this space is written into; of several the notebook."""
        found = [
            book
            for book in self.all()
            if book.writable and book.space == space and form in (None, book.form)
        ]
        return min(found, key=lambda book: book.form is not Form.NOTEBOOK, default=None)

    def holding(self, path: Path) -> Book | None:
        """The book that a file belongs to, by its place; the file need not exist."""
        inside = [book for book in self.all() if path.is_relative_to(book.root)]
        return max(inside, key=lambda book: len(book.root.parts), default=None)

    def add(
        self,
        root: str | os.PathLike[str],
        *,
        space: str,
        form: Form,
        writable: bool,
        project: bool,
    ) -> Book:
        """Bind a folder to a space. The same again changes nothing. A folder that was moved takes
        the place of the one that it was, with all that was remembered of it."""
        place = Path(root).expanduser().resolve()
        check_reachable(place)
        if not place.is_dir():
            raise InvalidInput(f"{place} is no folder; create it first or name another")
        if writable and form is Form.FOLDER:
            raise InvalidInput("a plain folder is only read; a notebook or notes can be written")
        _encodable(place)
        book = Book(place, check_space(space), Form(form), writable, project)
        with self._changing() as (books, _):
            if book in books:
                return book
            for other in [one for one in books if not one.root.is_dir()]:
                from bethink.notebook.moving import is_now, take_along

                if is_now(other, book, self.directory):
                    books.remove(other)
                    take_along(other, book, self.directory)
                    break
            for other in books:
                _refuse_clash(book, other)
            books.append(book)
        return book

    def remove(self, root: str | os.PathLike[str], *, forgotten: bool = False) -> Book:
        """Let go of a folder: it is not read any more. Its files and memories are not touched.
        Unless they are `forgotten`, who adds the same files again finds them again."""
        place = Path(root).expanduser().resolve()
        with self._changing() as (books, former):
            for book in books:
                if book.root == place:
                    books.remove(book)
                    former[:] = [b for b in former if (b.root, b.space) != (place, book.space)]
                    if not forgotten:
                        former.append(book)
                    del former[:-_MAX_FORMER]
                    return book
            known = ", ".join(str(book.root) for book in books) or "none"
            raise NotFound(f"{place} is not one of the folders of this store; known: {known}")

    @contextmanager
    def _changing(self) -> Iterator[tuple[list[Book], list[Book]]]:
        """Read, change, write into place, while nobody else does."""
        make_directory(self.directory)
        with _file_lock(self.directory / "books.lock", _REGISTRY_SECONDS, "the list of books"):
            books, former = self._read()
            yield books, former
            told = {
                "format": _FORMAT,
                "books": [_record(book) for book in books],
                "former": [_record(book) for book in former],
            }
            text = json.dumps(told, ensure_ascii=False, indent=1)
            draft = self._file.with_suffix(".draft")  # ours alone: we hold the lock
            try:
                draft.unlink(missing_ok=True)  # a link there must not be followed
                with open(draft, "x", encoding="utf-8") as file:
                    file.write(text + "\n")
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(draft, self._file)
            except OSError as e:
                raise StoreReadOnly(f"{self._file} cannot be written ({e.strerror})") from None


def make_directory(directory: Path) -> None:
    try:
        directory.mkdir(mode=0o700, exist_ok=True)
    except OSError as e:
        raise StoreReadOnly(
            f"{directory} cannot be created ({e.strerror}); the store's folder must be writable"
        ) from None


def _record(book: Book) -> dict[str, Any]:
    return {**book._asdict(), "root": str(book.root), "form": book.form.value}


def _book(record: dict[str, Any]) -> Book:
    root = Path(record["root"])
    if not root.is_absolute():
        raise ValueError(f"{root} is not an absolute path")
    return Book(
        root,
        check_space(record["space"]),
        Form(record["form"]),
        record["writable"] is True,
        record["project"] is True,
    )


def _encodable(place: Path) -> None:
    try:
        str(place).encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidInput(f"the name of {place!r} is not UTF-8; rename the folder") from None


def _refuse_clash(book: Book, other: Book) -> None:
    if book.root == other.root:
        raise InvalidInput(
            f"{book.root} is bound to space {other.space!r} as {other.form} already; "
            f"'bethink source remove {book.root}' lets go of it first"
        )
    for outer, inner in ((book.root, other.root), (other.root, book.root)):
        # what lies below a hidden folder is never read from outside, as in .bethink
        if inner.is_relative_to(outer) and not any(
            part.startswith(".") for part in inner.relative_to(outer).parts
        ):
            raise InvalidInput(
                f"{inner} lies inside {outer}: its files would be remembered twice. "
                "Add one of the two"
            )
    if book.writable and other.writable and (book.space, book.form) == (other.space, other.form):
        raise InvalidInput(
            f"space {book.space!r} is written into {other.root} already; choose another space, "
            f"or let go of that folder with 'bethink source remove {other.root}'"
        )


@contextmanager
def book_lock(directory: Path, book: Book, *, within: float | None = None) -> Iterator[None]:
    """While this is held, nobody else indexes or edits the book. A thread that holds it may take
    it again. `within` bounds the waiting (None: a minute); then StoreBusy is raised."""
    make_directory(directory)
    seconds = 60.0 if within is None else within
    with _file_lock(directory / f"{book.key}.lock", seconds, str(book.root)):
        yield


class _Held:
    """A lock file as this process holds it. An flock belongs to an open file, so threads of one
    process need a lock of their own beside it."""

    def __init__(self) -> None:
        self.thread = threading.RLock()
        self.depth = 0
        self.file = -1


_held: dict[tuple[int, str], _Held] = {}  # by process: a forked child must not count on ours
_guard = threading.Lock()


@contextmanager
def _file_lock(path: Path, seconds: float, what: str) -> Iterator[None]:
    with _guard:
        held = _held.setdefault((os.getpid(), str(path)), _Held())
    deadline = time.monotonic() + seconds
    if not held.thread.acquire(timeout=max(0.0, seconds)):
        raise _busy(what)
    try:
        if held.depth == 0:
            held.file = _flock(path, deadline, what)
        held.depth += 1
        try:
            yield
        finally:
            held.depth -= 1
            if held.depth == 0:
                os.close(held.file)  # which lets go of it
    finally:
        held.thread.release()


def _flock(path: Path, deadline: float, what: str) -> int:
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as e:
        raise StoreReadOnly(f"{path} cannot be written ({e.strerror})") from None
    pause = 0.002
    while True:
        try:
            if sys.platform == "win32":
                msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except (BlockingIOError, PermissionError):  # the second is what Windows says
            if time.monotonic() >= deadline:
                os.close(file)
                raise _busy(what) from None
            time.sleep(pause)
            pause = min(0.05, pause * 1.5)
        except BaseException:
            os.close(file)
            raise


def _busy(what: str) -> StoreBusy:
    return StoreBusy(f"{what} is being read or written by another process; try again in a moment")
