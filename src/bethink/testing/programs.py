"""Random programs: the same steps on a store and on the reference, compared after every step.

    run_programs(make_store)  # in a test; hypothesis finds the shortest program that differs

Rankings may differ only among equal scores. Everything else must be the same, errors too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

from bethink.errors import BethinkError
from bethink.filters import Filter
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import Store
from bethink.testing.entries import ToyEmbedder
from bethink.testing.seen_by_questions import as_questions_see, same_comparison, same_counts
from bethink.vocabulary import Entry, Found

EVERYTHING = 10_000
_CLOSE = 1e-5

EMBEDDERS = (ToyEmbedder("a", 8), ToyEmbedder("b", 8), ToyEmbedder("c", 6))


def attempt(call: Callable[[], Any]) -> Any:
    """What a call gives, or the name of the error of ours that it raises."""
    try:
        return call()
    except BethinkError as e:
        return type(e).__name__


@dataclass(frozen=True)
class Step:
    """One thing to do. By default its outcome must be equal on both stores."""

    def run(self, store: Store) -> Any:
        raise NotImplementedError

    def check(self, store: Store, reference: Store) -> None:
        expected = attempt(lambda: self.run(reference))
        assert attempt(lambda: self.run(store)) == expected, self


@dataclass(frozen=True)
class Put(Step):
    entries: tuple[Entry, ...]
    fingerprint: str | None

    def run(self, store: Store) -> Any:
        return store.put(self.entries, fingerprint=self.fingerprint)


@dataclass(frozen=True)
class Known(Step):
    entries: tuple[Entry, ...]

    def run(self, store: Store) -> Any:
        return store.known(self.entries)


@dataclass(frozen=True)
class Revise(Step):
    entry: Entry
    fingerprint: str | None

    def run(self, store: Store) -> Any:
        return store.revise(self.entry, fingerprint=self.fingerprint)


@dataclass(frozen=True)
class Delete(Step):
    ids: tuple[str, ...]

    def run(self, store: Store) -> Any:
        return store.delete(self.ids)


@dataclass(frozen=True)
class DeleteSpace(Step):
    space: str

    def run(self, store: Store) -> Any:
        return store.delete_space(self.space)


@dataclass(frozen=True)
class Touch(Step):
    accessed: Mapping[str, int]
    reinforced: Mapping[str, int]

    def run(self, store: Store) -> Any:
        return store.touch(accessed=self.accessed, reinforced=self.reinforced)


@dataclass(frozen=True)
class Get(Step):
    ids: tuple[str, ...]
    spaces: tuple[str, ...] | None

    def run(self, store: Store) -> Any:
        return store.get(self.ids, spaces=self.spaces)


@dataclass(frozen=True)
class Fetch(Step):
    keys: tuple[tuple[str, int], ...]

    def run(self, store: Store) -> Any:
        return store.fetch(self.keys)


@dataclass(frozen=True)
class History(Step):
    memory_id: str

    def run(self, store: Store) -> Any:
        return store.history(self.memory_id)


@dataclass(frozen=True)
class Scan(Step):
    """Every page to the end; both must turn the pages at the same places."""

    spaces: tuple[str, ...] | None
    where: Filter | None
    newest_first: bool
    limit: int

    def run(self, store: Store) -> Any:
        pages: list[list[str]] = []
        cursor: str | None = None
        while True:
            page = store.scan(
                spaces=self.spaces,
                where=self.where,
                newest_first=self.newest_first,
                cursor=cursor,
                limit=self.limit,
            )
            pages.append([memory.id for memory in page.memories])
            cursor = page.cursor
            if cursor is None:
                return pages


@dataclass(frozen=True)
class Count(Step):
    spaces: tuple[str, ...] | None
    where: Filter | None

    def run(self, store: Store) -> Any:
        return store.count(spaces=self.spaces, where=self.where)


@dataclass(frozen=True)
class _Search(Step):
    spaces: tuple[str, ...]
    where: Filter | None
    limit: int

    def check(self, store: Store, reference: Store) -> None:
        everything = replace(self, limit=EVERYTHING)
        expected = attempt(lambda: everything.run(reference))
        seen = as_questions_see(store, self.spaces)
        for asked in (store, seen):
            found = attempt(partial(self.run, asked))
            if isinstance(expected, str) or isinstance(found, str):
                assert found == expected, self
            else:
                same_ranking(found, expected, limit=self.limit)
        if not isinstance(expected, str):
            keys = [(one.memory_id, one.ordinal) for one in expected]
            self.check_learned(store, seen, keys)

    def check_learned(self, store: Store, seen: Store, keys: Sequence[tuple[str, int]]) -> None:
        """What a question is told of passages, once it has found some of them, is the same."""


@dataclass(frozen=True)
class SearchWords(_Search):
    terms: tuple[str, ...]

    def run(self, store: Store) -> Any:
        return store.search_words(
            self.terms, spaces=self.spaces, where=self.where, limit=self.limit
        )

    def check_learned(self, store: Store, seen: Store, keys: Sequence[tuple[str, int]]) -> None:
        same_counts(store, seen, self.terms, keys, self.spaces)


@dataclass(frozen=True)
class Frequencies(Step):
    spaces: tuple[str, ...]
    terms: tuple[str, ...]

    def run(self, store: Store) -> Any:
        found = store.frequencies(self.terms, spaces=self.spaces)
        return found._replace(length=round(found.length, 6))


@dataclass(frozen=True)
class SearchMeaning(_Search):
    text: str
    embedder: ToyEmbedder

    def run(self, store: Store) -> Any:
        return store.search_meaning(
            self.embedder.embed([self.text])[0],
            fingerprint=self.embedder.fingerprint,
            spaces=self.spaces,
            where=self.where,
            limit=self.limit,
        )

    def check_learned(self, store: Store, seen: Store, keys: Sequence[tuple[str, int]]) -> None:
        vector, by = self.embedder.embed([self.text])[0], self.embedder.fingerprint
        same_comparison(store, seen, vector, by, keys, self.spaces)


@dataclass(frozen=True)
class Declare(Step):
    embedder: ToyEmbedder

    def run(self, store: Store) -> Any:
        return store.declare(self.embedder.embedding)


@dataclass(frozen=True)
class Build(Step):
    embedder: ToyEmbedder

    def run(self, store: Store) -> Any:
        return store.build(self.embedder.embedding)


@dataclass(frozen=True)
class Fill(Step):
    """Vectors for some of what waits, by place; a place beyond the end is a passage long gone."""

    embedder: ToyEmbedder
    places: tuple[int, ...]

    def run(self, store: Store) -> Any:
        waiting = store.unembedded(self.embedder.fingerprint, limit=EVERYTHING)
        chosen = [waiting[p] if p < len(waiting) else None for p in self.places]
        handles = [2**40 if w is None else w.handle for w in chosen]
        texts = ["gone" if w is None else w.text for w in chosen]
        return store.fill(self.embedder.fingerprint, handles, self.embedder.embed(texts))


@dataclass(frozen=True)
class FillAll(Step):
    embedder: ToyEmbedder

    def run(self, store: Store) -> Any:
        waiting = store.unembedded(self.embedder.fingerprint, limit=EVERYTHING)
        vectors = self.embedder.embed([w.text for w in waiting])
        return store.fill(self.embedder.fingerprint, [w.handle for w in waiting], vectors)


@dataclass(frozen=True)
class Switch(Step):
    embedder: ToyEmbedder

    def run(self, store: Store) -> Any:
        return store.switch(self.embedder.fingerprint)


@dataclass(frozen=True)
class ClearVectors(Step):
    def run(self, store: Store) -> Any:
        return store.clear_vectors()


@dataclass(frozen=True)
class RebuildWords(Step):
    def run(self, store: Store) -> Any:
        return store.rebuild_words()


@dataclass(frozen=True)
class Maintain(Step):
    def run(self, store: Store) -> Any:
        return store.maintain()


@dataclass(frozen=True)
class Reopen(Step):
    """Close the store and open it again; the runner knows how."""

    def run(self, store: Store) -> Any:
        return None


def same_ranking(found: Sequence[Found], expected: Sequence[Found], *, limit: int) -> None:
    """`found` is a right answer where `expected` is the whole right ranking."""
    keys = [(f.memory_id, f.ordinal) for f in found]
    assert len(keys) == len(set(keys)), f"a passage twice: {found}"
    assert len(found) == min(limit, len(expected)), f"{found} is not the first of {expected}"
    truth = {(e.memory_id, e.ordinal): e.score for e in expected}
    for place, (f, e) in enumerate(zip(found, expected, strict=False)):
        key = (f.memory_id, f.ordinal)
        assert key in truth, f"{f} should not be found"
        assert _close(f.score, truth[key]), f"{f} should score {truth[key]}"
        assert _close(f.score, e.score), f"place {place}: {f}, expected {e}"


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_CLOSE, abs_tol=1e-7)


def same_state(store: Store, reference: Store) -> None:
    """Everything that can be listed is the same."""
    assert store.scan(limit=EVERYTHING).memories == reference.scan(limit=EVERYTHING).memories
    assert store.spaces() == reference.spaces()
    assert store.embedding() == reference.embedding()
    names = [info.name for info in reference.spaces()]
    assert store.pending(names) == reference.pending(names)
    for embedder in EMBEDDERS:
        waiting = store.unembedded(embedder.fingerprint, limit=EVERYTHING)
        expected = reference.unembedded(embedder.fingerprint, limit=EVERYTHING)
        assert [w.text for w in waiting] == [w.text for w in expected]


def run_program(
    program: Sequence[Step],
    make_store: Callable[[], Store],
    *,
    reopen: Callable[[Store], Store] | None = None,
) -> None:
    """One program on a new store and on the reference."""
    store, reference = make_store(), InMemoryStore()
    try:
        for step in program:
            if isinstance(step, Reopen):
                store = store if reopen is None else reopen(store)
            else:
                step.check(store, reference)
            same_state(store, reference)
        wrong = [check for check in store.check() if not check.ok]
        assert [check for check in wrong if "wait for" not in check.finding] == []
    finally:
        store.close()


def randomly(examples: int) -> settings:
    """How random programs are run: the same ones every time, and a failing one made short."""
    return settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )


def run_programs(
    make_store: Callable[[], Store],
    *,
    reopen: Callable[[Store], Store] | None = None,
    examples: int = 60,
    steps: int = 30,
) -> None:
    """Many random programs. `make_store` gives a new, empty store each time."""
    from bethink.testing.strategies import programs

    @randomly(examples)
    @given(programs(steps))
    def compare(program: list[Step]) -> None:
        run_program(program, make_store, reopen=reopen)

    compare()
