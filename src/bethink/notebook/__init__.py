"""Folders of Markdown as the truth: reading them, keeping the index true to them, writing back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "Book",
    "BookStatus",
    "Books",
    "Form",
    "Notebook",
    "Refusal",
    "SyncReport",
]

if TYPE_CHECKING:
    from bethink.notebook.books import Book, Books
    from bethink.notebook.condition import BookStatus
    from bethink.notebook.forms import Form
    from bethink.notebook.notebook import Notebook
    from bethink.notebook.report import Refusal, SyncReport
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.notebook.books": "Book Books",
            "bethink.notebook.condition": "BookStatus",
            "bethink.notebook.forms": "Form",
            "bethink.notebook.notebook": "Notebook",
            "bethink.notebook.report": "Refusal SyncReport",
        },
    )
