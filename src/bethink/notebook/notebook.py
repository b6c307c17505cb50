"""A notebook in Python: a folder of Markdown that people and programs write.

notebook = Notebook(engine, "notes")
notebook.remember("We ship on Tuesdays.", kind="decision")  # a line of agent/decisions.md
notebook.recall("when do we ship?")
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bethink.errors import InvalidInput
from bethink.lazy_exports import hinting
from bethink.notebook.books import Book, must_have
from bethink.notebook.forms import Form

if TYPE_CHECKING:
    from bethink.engine import Engine
    from bethink.notebook.report import SyncReport
    from bethink.vocabulary import Receipt, Recollection


class Notebook:
    """A folder that is bound to a space of an engine whose store is a file. The files are the
    truth; every recall first reads those that changed."""

    if not TYPE_CHECKING:  # a type checker would accept any name
        __getattr__ = hinting(
            {
                **dict.fromkeys(("search", "query", "ask", "find"), "recall(text)"),
                **dict.fromkeys(("add", "write", "note", "append"), "remember(text, kind=...)"),
                **dict.fromkeys(("folder", "root", "directory"), "path"),
                **dict.fromkeys(("list", "memories"), "engine.list(spaces=notebook.space)"),
                **dict.fromkeys(("forget", "remove", "delete"), "engine.forget(id)"),
                **dict.fromkeys(("revise", "update"), "engine.revise(id, text=...)"),
                **dict.fromkeys(("read", "refresh", "reload"), "sync()"),
                "close": "engine.close()",
            }
        )

    def __init__(
        self,
        engine: Engine,
        folder: str | os.PathLike[str],
        *,
        space: str = "",
        form: Form | str = Form.NOTEBOOK,
    ) -> None:
        """Bind the folder, which is made if it does not exist, and read its files. `space` is by
        default the engine's. `form` is `notebook` (lists by kind), `notes` (`notes/*.md` and an
        `INDEX.md`) or `folder` (any Markdown, never written)."""
        self.engine = engine
        try:
            form = Form(form)
        except ValueError:
            raise InvalidInput(f"form: expected {', '.join(Form)}, got {form!r}") from None
        books = must_have(engine.books)
        place = Path(folder).expanduser()
        if not place.exists():
            place.mkdir(parents=True)
        self.book: Book = books.add(
            place,
            space=space or engine.settings.space,
            form=form,
            writable=form is not Form.FOLDER,
            project=False,
        )
        self.sync()

    @property
    def path(self) -> Path:
        return self.book.root

    @property
    def space(self) -> str:
        return self.book.space

    def sync(self, **options: Any) -> SyncReport:
        """Read what changed in the files. The options are those of `Engine.sync`."""
        return self.engine.sync(spaces=self.space, **options)

    def remember(self, text: str, **fields: Any) -> Receipt:
        """Write it into the file of its kind; see `Engine.remember`. A kind that has no file stays
        in the store, and the receipt says so."""
        return self.engine.remember(text, space=self.space, **fields)

    def recall(self, text: str, **options: Any) -> Recollection:
        """Ask the notebook's space; see `Engine.recall`."""
        return self.engine.recall(text, spaces=self.space, **options)
