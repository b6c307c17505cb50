"""An embedder that does not answer is waited for by those who asked it first, and by nobody after.

A question waits for its vector until its time is over, what is told until the embedder gives up.
Were everybody to find out for himself that an embedder elsewhere hangs or fails, each would take
his whole time, and a thread of the server with it. So it is left alone (`Breaker`) where a question
waits and nobody was answered for some seconds, or where it failed a few times in a row: an answer
of 5xx, a lost connection, something that is no vector. Words answer at once, and what is told waits
for its vector. Who still waits will show when it is back; once they have all failed, a text is sent
to see now and then, and nobody waits for that.

Whoever tells much has time. Its batches are sent whatever happened to others, or one that failed
would leave all the rest of an import without vectors; and they may take long, so that one which
fails says nothing of the embedder.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from bethink.breaker import Breaker, left_alone_for
from bethink.embedders.protocol import Embedder, Kind, embed_question, unit_rows
from bethink.errors import EmbedderError, InvalidVector
from bethink.vocabulary import Vectors

HUNG_SECONDS = 5.0
PROOF = "Is anybody there? 有人在吗？"


class Waiting:
    """An embedder, asked with patience. Safe between threads."""

    def __init__(self, embedder: Embedder, *, timer: Callable[[], float] = time.monotonic) -> None:
        self._embedder = embedder
        self._timer = timer
        self._lock = threading.Lock()
        self._asked: list[float] = []  # since when each question waits that waits now
        self._answered = timer()
        self._away_since: float | None = None  # it hung; None: it failed, or is not left alone
        self._breaker = Breaker(embedder.name, timer=timer)

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
    def why(self) -> str:
        """Why it is left alone; empty: it is not."""
        return self._left_alone(self._timer()) if self._breaker.why else ""

    @property
    def batch(self) -> int:
        return self._embedder.batch

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        if kind == "document" and 1 < self.batch <= len(texts):
            return self._sent(texts, kind)
        question = kind == "query"
        with self._lock:
            now = self._timer()
            if not self._breaker.why and (since := self._hung_since(now)) is not None:
                self._away_since = since
                self._breaker.failed("it does not answer", hung=True)
            away = self._left_alone(now) if self._breaker.why else ""
            waited_for = bool(self._asked)
            if question and not away:
                self._asked.append(now)
        if away:
            if not waited_for:  # else those who wait will show when it is back
                self._breaker.look(lambda: embed_question(self._embedder, PROOF))
            raise EmbedderError(away)
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

    def _left_alone(self, now: float) -> str:
        if self._away_since is None:
            return left_alone_for(self.name, self._breaker.last_why)
        return (
            f"{self.name} has not answered for {now - self._away_since:.0f} seconds and is left "
            "alone until it does; see 'bethink doctor'"
        )

    def _hung_since(self, now: float) -> float | None:
        """Return since when nobody was answered, if that is too long."""
        if self._asked and now - (since := max(self._asked[0], self._answered)) > HUNG_SECONDS:
            return since
        return None

    def _embedded(self, texts: Sequence[str], kind: Kind, began: float) -> Vectors:
        try:
            return self._sent(texts, kind)
        except Exception as e:
            with self._lock:
                if self._timer() - began <= HUNG_SECONDS:
                    self._breaker.failed(str(e) or type(e).__name__)
                elif self._answered <= began:  # else there is something about this text alone
                    if not self._breaker.why:
                        self._away_since = began
                    self._breaker.failed(str(e) or type(e).__name__, hung=True)
            raise

    def _sent(self, texts: Sequence[str], kind: Kind) -> Vectors:
        vectors = self._embedder.embed(texts, kind=kind)
        try:
            unit_rows(vectors, rows=len(texts), dimension=self.dimension, maker=self.name)
        except InvalidVector as e:
            raise EmbedderError(str(e)) from e
        self._answers()
        return vectors

    def _answers(self) -> None:
        with self._lock:
            self._answered, self._away_since = self._timer(), None
        self._breaker.answered()
