"""A store whose words and meaning are found by other engines.

The truth is written first and alone says what there is; a write is acknowledged when the truth has
it. Then the retrievers are brought up to date, at once where they keep up, otherwise later.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from concurrent.futures import wait
from contextlib import ExitStack
from functools import partial
from typing import TypeVar

from bethink.errors import InvalidInput, RetrieverRefused, StoreError
from bethink.filters import Filter
from bethink.stores.composite.checking import check
from bethink.stores.composite.delegating import LeftToTheTruth
from bethink.stores.composite.feeding import catch_up, make_anew
from bethink.stores.composite.follower import Follower
from bethink.stores.composite.searching import Bounds, Searching, search
from bethink.stores.movable import Exchange
from bethink.stores.protocol import Embedding, Owes, SeenByQuestions, Store, Written
from bethink.stores.retrievers import (
    MEANING,
    WORDS,
    Feed,
    Finds,
    KeepsChanges,
    Retriever,
    Seen,
    not_opened_with,
)
from bethink.stores.sound_vectors import sound_question
from bethink.vocabulary import Check, Entry, Found, Vector, Vectors

_T = TypeVar("_T")


class CompositeStore(LeftToTheTruth):
    """`truth` keeps everything; each of `retrievers` finds by words, by meaning, or by both.

    What no retriever finds, the truth finds. Where all retrievers of a type fail the truth answers
    too, unless `truth_answers` is off (it may be too small a machine for that).
    """

    def __init__(
        self,
        truth: Store,
        retrievers: Sequence[Retriever],
        *,
        truth_answers: bool = True,
        bounds: Bounds | None = None,
    ) -> None:
        super().__init__(truth)
        if not isinstance(truth, KeepsChanges):
            raise StoreError(f"{type(truth).__name__} keeps no changes, so nothing can follow it")
        names = [retriever.name for retriever in retrievers]
        if len(set(names)) != len(names):
            raise InvalidInput(f"two retrievers have the same name: {', '.join(sorted(names))}")
        self._feed: Feed = truth.feed()
        self._bounds = bounds or Bounds()
        self._truth_answers = truth_answers
        self._unclean: list[str] = []  # who had bytes left when last asked
        self._left_in_truth: list[str] = []
        self._followers = [Follower(r, truth, self._feed) for r in retrievers]
        self._begin()
        if (path := getattr(truth, "path", None)) is not None:
            self.path = path
        if (shown := getattr(truth, "shown", None)) is not None:
            self.shown = shown

    @property
    def truth(self) -> Store:
        """The store that keeps everything, without the retrievers: no write may wait for them."""
        return self._truth

    def _begin(self) -> None:
        """Bring everybody up to date; who follows another store is an error at once."""
        under_way = [(f, f.feed()) for f in self._followers]
        catch_up(self._followers, self._bounds.following)
        for _, future in under_way:
            if future.done() and isinstance(future.exception(), RetrieverRefused):
                refused = future.exception()
                self._stop()
                assert refused is not None
                raise refused

    def within(self, seconds: float) -> CompositeStore:
        """The same, for one question that has so long."""
        if seconds >= self._bounds.patience:
            return self
        hurried = copy.copy(self)
        hurried._bounds = self._bounds._replace(patience=seconds)
        return hurried

    def for_question(self, spaces: Sequence[str], notes: Sequence[str]) -> CompositeStore:
        if not isinstance(self._truth, SeenByQuestions):
            return self
        seen = copy.copy(self)
        seen._truth = self._truth.for_question(spaces, notes)
        return seen

    # Writing: the truth, then those who follow it

    def put(self, entries: Sequence[Entry], *, fingerprint: str | None = None) -> list[Written]:
        return self._followed(self._truth.put(entries, fingerprint=fingerprint))

    def revise(self, entry: Entry, *, fingerprint: str | None = None) -> None:
        self.revise_many([entry], fingerprint=fingerprint)

    def revise_many(
        self, entries: Sequence[Entry], *, fingerprint: str | None = None, history: bool = True
    ) -> None:
        self._truth.revise_many(entries, fingerprint=fingerprint, history=history)
        self._feed_all()

    def delete(self, ids: Sequence[str]) -> list[bool]:
        return self._followed(self._truth.delete(ids))

    def delete_space(self, space: str) -> int:
        return self._followed(self._truth.delete_space(space))

    def exchange(
        self, exchanges: Sequence[Exchange], *, fingerprint: str | None = None
    ) -> list[bool]:
        return self._followed(self._movable().exchange(exchanges, fingerprint=fingerprint))

    def close_space(self, space: str) -> bool:
        return self._followed(self._movable().close_space(space))

    def declare(self, embedding: Embedding) -> Embedding:
        return self._followed(self._truth.declare(embedding))

    def build(self, embedding: Embedding) -> None:
        self._truth.build(embedding)
        self._feed_all()

    def clear_vectors(self) -> None:
        self._truth.clear_vectors()
        self._feed_all()

    def fill(self, fingerprint: str, handles: Sequence[int], vectors: Vectors) -> int:
        return self._followed(self._truth.fill(fingerprint, handles, vectors))

    def switch(self, fingerprint: str) -> bool:
        self._feed_all()  # so that they have the new vectors beside the old
        return self._followed(self._truth.switch(fingerprint))

    def _followed(self, done: _T) -> _T:
        self._feed_all()
        return done

    def _feed_all(self) -> None:
        """Whoever was late already is not waited for."""
        last = self._feed.last()
        catch_up([f for f in self._followers if f.behind(last)], self._bounds.following)

    def catch_up(self, seconds: float) -> bool:
        """Bring the retrievers up to date; False if one needs longer than that, or cannot."""
        last = self._feed.last()
        catch_up([f for f in self._followers if f.behind(last)], seconds, for_late=True)
        return not any(f.behind(last) for f in self._followers)

    # Searching

    def search_words(
        self, terms: Sequence[str], *, spaces: Sequence[str], where: Filter | None, limit: int
    ) -> list[Found]:
        def by_truth() -> list[Found]:
            return self._truth.search_words(terms, spaces=spaces, where=where, limit=limit)

        def by(retriever: Retriever, part: Filter | None, most: int) -> list[Seen]:
            return retriever.search_words(terms, spaces=spaces, where=part, limit=most)

        followers = self._who(WORDS)
        if not followers:
            return by_truth()
        self._truth.pending(spaces)  # a space that does not exist is an error
        return self._search(Searching(WORDS, by, by_truth, spaces, where, limit), followers)

    def search_meaning(
        self,
        vector: Vector,
        *,
        fingerprint: str,
        spaces: Sequence[str],
        where: Filter | None,
        limit: int,
    ) -> list[Found]:
        def by_truth() -> list[Found]:
            return self._truth.search_meaning(
                vector, fingerprint=fingerprint, spaces=spaces, where=where, limit=limit
            )

        def by(retriever: Retriever, part: Filter | None, most: int) -> list[Seen]:
            return retriever.search_meaning(
                question, fingerprint=fingerprint, spaces=spaces, where=part, limit=most
            )

        followers = self._who(MEANING)
        held = self._truth.embedding() if followers else None
        if held is None or held.fingerprint != fingerprint:
            return by_truth()  # nothing to find, or an error that the truth words best
        self._truth.pending(spaces)
        question = sound_question(vector, dimension=held.dimension)
        asked = Searching(MEANING, by, by_truth, spaces, where, limit, fingerprint)
        return self._search(asked, followers)

    def _who(self, finds: Finds) -> list[Follower]:
        return [f for f in self._followers if finds in f.retriever.finds]

    def _search(self, asked: Searching, followers: Sequence[Follower]) -> list[Found]:
        return search(
            asked,
            followers,
            self._truth,
            self._feed.last(),
            self._bounds,
            truth_answers=self._truth_answers,
        )

    # Erasing

    def finish_erasing(self, texts: Sequence[str] = ()) -> bool:
        self._feed_all()
        done = self._truth.finish_erasing(texts)
        left = self._truth.owed() if isinstance(self._truth, Owes) else []
        self._left_in_truth = [] if done else left
        self._unclean = self._not_clean(texts)
        return done and not self.owed()

    def _not_clean(self, texts: Sequence[str]) -> list[str]:
        """Who has let go of the copies and still has bytes of them. All are asked at once: a hung
        one holds up neither the others nor the caller."""
        last = self._feed.last()
        under_way = {
            f.ask(partial(f.retriever.finish_erasing, texts)): f.name
            for f in self._followers
            if not f.behind(last)
        }
        late = wait(under_way, timeout=self._bounds.following).not_done
        return [
            name
            for future, name in under_way.items()
            if future in late or future.exception() is not None or not future.result()
        ]

    def owed(self) -> list[str]:
        last = self._feed.last()
        behind = {f.name: f.unreached for f in self._followers if f.behind(last)}
        unreached = [
            f"{name} could not be reached and still holds a copy; nothing finds it, and it is "
            "erased there as soon as that answers"
            if away
            else f"{name} is behind and may still hold a copy; nothing finds it, and it is erased "
            "there as soon as that has caught up"
            for name, away in behind.items()
        ]
        unclean = [
            f"{name} has let go of its copy, but some of its bytes may be left in files or logs "
            "there until it is maintained"
            for name in self._unclean
            if name not in behind
        ]
        return [*self._left_in_truth, *unreached, *unclean]

    # Care

    def rebuild_words(self) -> int:
        count = self._truth.rebuild_words()
        make_anew(self._who(WORDS))
        return count

    def maintain(self, *, anew: bool = False) -> None:
        self._truth.maintain(anew=anew)
        if anew:
            make_anew(self._followers)
        for follower in self._followers:
            follower.tell_passed()

    def shortcomings(self) -> list[str]:
        last = self._looked()
        return [
            f.missing() or f.lag_told() for f in self._followers if f.missing() or f.behind(last)
        ]

    def _looked(self) -> int:
        """The last change, once those that seem behind were looked at: another process may have
        fed them since."""
        last = self._feed.last()
        catch_up([f for f in self._followers if f.behind(last)], self._bounds.catching_up)
        return last

    def check(self) -> list[Check]:
        checks = self._truth.check()
        bring = partial(self.catch_up, self._bounds.following)
        bring()
        for follower in self._followers:
            checks += check(follower, self._truth, self._feed, catch_up=bring)
        checks += [not_opened_with(name) for name in self.unused()]
        return checks

    def states(self) -> dict[str, str]:
        """Every retriever by its name: how it stands with the truth."""
        last = self._looked()
        return {
            f.name: f.missing() or (f.lag_told() if f.behind(last) else "has everything")
            for f in self._followers
        }

    def engines(self) -> list[str]:
        """Their names, which say where each is."""
        return [f.name for f in self._followers]

    def unused(self) -> list[str]:
        """Who follows the truth, but is not here."""
        return sorted(set(self._feed.followers()) - {f.name for f in self._followers})

    def let_go(self, name: str) -> None:
        """Keep no changes any more for a retriever that is used no longer."""
        if name in (f.name for f in self._followers):
            raise InvalidInput(f"{name} is in use; open the store without it, then let go of it")
        self._feed.unfollow(name)

    def _stop(self) -> None:
        for follower in self._followers:
            follower.stop(patience=self._bounds.following)

    def close(self) -> None:
        self._stop()
        with ExitStack() as last:  # each is closed, whatever becomes of the others
            last.callback(self._truth.close)
            for follower in self._followers:
                last.callback(follower.retriever.close)
                last.callback(follower.tell_passed)
