"""An embedder that does not answer is waited for by those who asked it first, and by nobody after.

A question waits for its vector until its time is over, what is told until the embedder gives up.
Were everybody to find out for himself that an embedder elsewhere hangs, each would take his whole
time, and a thread of the server with it. So where a question waits and nobody was answered for some
seconds, it is left alone: words answer at once, and what is told waits for its vector. Who still
waits will show when it is back; once they have all failed, somebody's texts are sent to see now and
then, and nobody waits for that.

Whoever tells much has time. Its batches are sent whatever happened to others, or one that failed
would leave all the rest of an import without vectors; and they may take long, so that one which
fails says nothing of the embedder.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from bethink.embedders.protocol import Embedder, Kind, embed_question
from bethink.errors import EmbedderError
from bethink.vocabulary import Vectors

HUNG_SECONDS = 5.0
PROOF = "Is anybody there? 有人在吗？"
_PAUSE = 5.0  # seconds between two that are sent to see


class Waiting:
    """An embedder, asked with patience. Safe between threads."""

    def __init__(self, embedder: Embedder, *, timer: Callable[[], float] = time.monotonic) -> None:
        self._embedder = embedder
        self._timer = timer
        self._lock = threading.Lock()
        self._asked: list[float] = []  # since when each question waits that waits now
        self._answered = timer()
        self._away_since: float | None = None
        self._looking = False
        self._look_again = 0.0

    @classmethod
    def around(cls, embedder: Embedder) -> Waiting:
        return embedder if isinstance(embedder, cls) else cls(embedder)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)  # what else it can do

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    @property
    def batch(self) -> int:
        return self._embedder.batch

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        if kind == "document" and 1 < self.batch <= len(texts):
            return self._sent(texts, kind)
        question = kind == "query"
        with self._lock:
            now = self._timer()
            since = self._unanswered_since(now)
            if since is None:
                if question:
                    self._asked.append(now)
            elif not self._asked and not self._looking and now >= self._look_again:
                self._looking = True
                self._look(texts, kind)
        if since is not None:
            raise EmbedderError(
                f"{self.name} has not answered for {now - since:.0f} seconds and is left alone "
                "until it does; see 'bethink doctor'"
            )
        try:
            return self._embedded(texts, kind, now)
        finally:
            if question:
                with self._lock:
                    self._asked.remove(now)

    def prove(self) -> None:
        """Does it work now? It is asked, however long it did not answer; raises what is wrong."""
        embed_question(self._embedder, PROOF)
        self._answers()

    def _unanswered_since(self, now: float) -> float | None:
        """Where it is left alone."""
        if self._away_since is not None:
            return self._away_since
        if self._asked and now - (since := max(self._asked[0], self._answered)) > HUNG_SECONDS:
            return since
        return None

    def _embedded(self, texts: Sequence[str], kind: Kind, began: float) -> Vectors:
        try:
            return self._sent(texts, kind)
        except BaseException:
            with self._lock:
                now = self._timer()
                if now - began <= HUNG_SECONDS:
                    self._away_since = None  # what fails at once keeps nobody waiting
                elif self._away_since is None and self._answered <= began:
                    self._away_since = began
                self._look_again = now + _PAUSE
            raise

    def _sent(self, texts: Sequence[str], kind: Kind) -> Vectors:
        vectors = self._embedder.embed(texts, kind=kind)
        self._answers()
        return vectors

    def _answers(self) -> None:
        with self._lock:
            self._answered, self._away_since = self._timer(), None

    def _look(self, texts: Sequence[str], kind: Kind) -> None:
        def look() -> None:
            try:
                with suppress(Exception):  # it is noted, and nobody waits for these vectors
                    self._embedded(texts, kind, self._timer())
            finally:
                with self._lock:
                    self._looking = False

        threading.Thread(target=look, name="bethink-embedder", daemon=True).start()
