"""What a search of the web gives, and who can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class WebResult(NamedTuple):
    """A page that a provider names. All of it is a stranger's words."""

    title: str
    url: str
    snippet: str = ""


class WebSearch(Protocol):
    """Somebody who knows pages. `name` is for notes; it never holds a key."""

    @property
    def name(self) -> str: ...

    def search(self, text: str, limit: int, seconds: float) -> Sequence[WebResult]:
        """The best pages first, within so many seconds, or `WebError`."""
