"""What every retriever must do. Subclass `RetrieverContract` and say how to make one.

    class TestMyRetriever(RetrieverContract):
        @pytest.fixture
        def make_retriever(self, server):
            return lambda: MyRetriever(server.new_index(), name="mine")

`make_retriever()` gives a new, empty one each time. What it does not find by is not asked. Scores
are held to the reference store; an engine that rounds its own way gives a `score_tolerance`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from bethink.clock import to_micros
from bethink.filters import ValidAt, matches, parse_filter
from bethink.stores.composite.verifying import expressible
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import Embedding
from bethink.stores.retrievers import (
    MEANING,
    WORDS,
    Changes,
    Copy,
    Indexed,
    IndexedPassage,
    Position,
    Retriever,
    Seen,
    version_of,
)
from bethink.testing.at_once import run_at_once
from bethink.testing.entries import NOON, ToyEmbedder, lines, make_entry, make_memory
from bethink.testing.filter_cases import FILTERS, filter_memories, passing
from bethink.text.searched import searched_text
from bethink.text.tokenise import joined_terms, query_terms
from bethink.vocabulary import Memory

TOY = ToyEmbedder()
OTHER = ToyEmbedder("other", 8)  # of the same size: only the fingerprint tells them apart
SMALL = ToyEmbedder("small", 6)
CHINESE = "项目"
POSITION = Position("store-1", 7, 2)
EVERYTHING = 1000


def indexed(memory: Memory, *embedders: ToyEmbedder) -> Indexed:
    """A memory with one passage for each line, with vectors by these."""
    passages: list[IndexedPassage] = []
    for passage in lines(memory.text):
        text = searched_text(memory, passage)
        vectors = {e.fingerprint: e.embed([text])[0] for e in embedders}
        passages.append(IndexedPassage(passage, version_of(text), joined_terms(text), vectors))
    return Indexed(memory, tuple(passages))


def told(*memories: Memory, by: Sequence[ToyEmbedder] = (TOY,)) -> Changes:
    return Changes(
        embeddings=tuple(e.embedding for e in by),
        written=tuple(indexed(memory, *by) for memory in memories),
    )


def keys(found: Sequence[Seen]) -> list[tuple[str, int]]:
    return [(one.memory_id, one.ordinal) for one in found]


class RetrieverContract:
    @pytest.fixture
    def make_retriever(self) -> Callable[[], Retriever]:
        raise NotImplementedError("give a fixture 'make_retriever' that returns a new, empty one")

    @pytest.fixture
    def reopen_retriever(self) -> Callable[[Retriever], Retriever]:
        """How to close one and open it again; the same where there is nothing to open."""
        return lambda retriever: retriever

    @pytest.fixture
    def score_tolerance(self) -> float:
        return 1e-4

    @pytest.fixture
    def retriever(self, make_retriever: Callable[[], Retriever]) -> Iterator[Retriever]:
        retriever = make_retriever()
        yield retriever
        retriever.close()

    # Asking

    @staticmethod
    def words(
        retriever: Retriever, text: str, *spaces: str, where: object = None, limit: int = EVERYTHING
    ) -> list[Seen]:
        parsed = parse_filter(where) if isinstance(where, dict) else None
        return retriever.search_words(
            query_terms(text), spaces=spaces or ("global",), where=parsed, limit=limit
        )

    @staticmethod
    def meaning(
        retriever: Retriever,
        text: str,
        *spaces: str,
        by: ToyEmbedder = TOY,
        limit: int = EVERYTHING,
    ) -> list[Seen]:
        return retriever.search_meaning(
            by.embed([text])[0],
            fingerprint=by.fingerprint,
            spaces=spaces or ("global",),
            where=None,
            limit=limit,
        )

    def found(self, retriever: Retriever, text: str, *spaces: str) -> set[str]:
        """Who is found by this line: by its words, and as the nearest."""
        found: set[str] = set()
        if WORDS in retriever.finds:
            found |= {one.memory_id for one in self.words(retriever, text, *spaces)}
        if MEANING in retriever.finds:
            nearest = self.meaning(retriever, text, *spaces, limit=1)
            found |= {one.memory_id for one in nearest if one.score > 0.999}
        return found

    # How far it has come

    def test_a_new_one_has_no_position(self, retriever: Retriever) -> None:
        assert retriever.position() is None
        assert retriever.copies(cursor=None, limit=10) == ([], None)
        assert all(check.ok for check in retriever.check())

    def test_its_position_is_kept(
        self,
        make_retriever: Callable[[], Retriever],
        reopen_retriever: Callable[[Retriever], Retriever],
    ) -> None:
        retriever = make_retriever()
        retriever.apply(told(make_memory("alpha 数据库", "a")))
        for position in (POSITION, Position("店-2", 2**40, 3, "00:一", 12, "史"), POSITION):
            retriever.set_position(position)
            assert retriever.position() == position
        retriever = reopen_retriever(retriever)
        try:
            assert retriever.position() == POSITION
            assert self.found(retriever, "alpha 数据库") == {"a"}
        finally:
            retriever.close()

    def test_cleared_it_holds_nothing(self, retriever: Retriever) -> None:
        retriever.apply(told(make_memory("alpha", "a"), make_memory("甲", "b", space=CHINESE)))
        retriever.set_position(POSITION)
        retriever.clear()
        assert retriever.position() is None
        assert retriever.copies(cursor=None, limit=10) == ([], None)
        retriever.apply(told(make_memory("beta", "c"), by=[OTHER]))  # of another embedder now
        assert retriever.copies(cursor=None, limit=10).copies == [
            Copy("c", 0, "global", version_of("beta"))
        ]
        retriever.clear()
        retriever.clear()

    # Following

    def test_what_is_written_is_found_with_its_version(self, retriever: Retriever) -> None:
        retriever.apply(told(make_memory("alpha beta\n数据库 gamma", "a")))
        if WORDS in retriever.finds:
            (one,) = self.words(retriever, "数据库")
            assert (one.memory_id, one.ordinal) == ("a", 1)
            assert one.version == version_of("数据库 gamma")
        if MEANING in retriever.finds:
            first, second = self.meaning(retriever, "数据库 gamma")
            assert (first.memory_id, first.ordinal) == ("a", 1)
            assert first.version == version_of("数据库 gamma")
            assert first.score == pytest.approx(1.0, abs=1e-3)
            assert second.version == version_of("alpha beta")

    def test_the_same_changes_again_change_nothing(self, retriever: Retriever) -> None:
        changes = told(make_memory("alpha\nbeta", "a"), make_memory("甲乙", "b"))
        for _ in range(3):
            retriever.apply(changes)
            assert len(retriever.copies(cursor=None, limit=10).copies) == 3
            assert self.found(retriever, "beta") == {"a"}

    def test_a_memory_takes_the_place_of_its_former_form(self, retriever: Retriever) -> None:
        memory = make_memory("alpha\nbeta\ngamma", "a", kind="note")
        retriever.apply(told(memory, make_memory("omega", "b")))
        retriever.apply(told(replace(memory, text="delta 甲", kind="task")))
        assert self.found(retriever, "beta") == set()
        assert self.found(retriever, "delta 甲") == {"a"}
        copies = sorted(retriever.copies(cursor=None, limit=10).copies)
        assert [(c.memory_id, c.ordinal) for c in copies] == [("a", 0), ("b", 0)]
        if WORDS in retriever.finds:
            where = parse_filter({"kind": "task"})
            assert where is not None
            if retriever.expresses(where):
                assert keys(self.words(retriever, "delta", where={"kind": "task"})) == [("a", 0)]
                assert self.words(retriever, "delta", where={"kind": "note"}) == []

    def test_a_memory_is_in_one_space_only(self, retriever: Retriever) -> None:
        memory = make_memory("alpha", "a")
        retriever.apply(told(memory))
        retriever.apply(told(replace(memory, space=CHINESE)))
        assert self.found(retriever, "alpha") == set()
        assert self.found(retriever, "alpha", CHINESE) == {"a"}
        assert [c.space for c in retriever.copies(cursor=None, limit=10).copies] == [CHINESE]

    def test_what_is_gone_is_not_found(self, retriever: Retriever) -> None:
        retriever.apply(told(make_memory("alpha\nbeta", "a"), make_memory("alpha 甲", "b")))
        for _ in range(2):
            retriever.apply(Changes(embeddings=(TOY.embedding,), gone=("a", "nobody")))
            assert self.found(retriever, "alpha") <= {"b"}
            assert self.found(retriever, "alpha 甲") == {"b"}
            assert [c.memory_id for c in retriever.copies(cursor=None, limit=10).copies] == ["b"]
        assert retriever.finish_erasing(["alpha\nbeta"]) is True

    def test_a_whole_space_goes_and_may_begin_again(self, retriever: Retriever) -> None:
        here, there = make_memory("alpha", "a"), make_memory("alpha", "b", space=CHINESE)
        retriever.apply(told(here, there))
        again = told(make_memory("beta", "c", space=CHINESE))
        retriever.apply(again._replace(spaces_gone=(CHINESE, "nowhere")))
        assert self.found(retriever, "alpha", CHINESE) == set()
        assert self.found(retriever, "beta", CHINESE) == {"c"}
        assert self.found(retriever, "alpha") == {"a"}

    def test_every_copy_is_listed_once(self, retriever: Retriever) -> None:
        memories = [make_memory(f"one {n}\n二 {n}", f"m{n}") for n in range(25)]
        retriever.apply(told(*memories))
        listed: list[Copy] = []
        cursor: str | None = None
        while True:
            page = retriever.copies(cursor=cursor, limit=7)
            listed += page.copies
            cursor = page.cursor
            if cursor is None:
                break
        expected = [
            Copy(m.id, p.ordinal, "global", version_of(searched_text(m, p)))
            for m in memories
            for p in lines(m.text)
        ]
        assert sorted(listed) == sorted(expected)

    # Finding

    def test_spaces_are_walls(self, retriever: Retriever) -> None:
        retriever.apply(told(make_memory("alpha", "a"), make_memory("alpha", "b", space=CHINESE)))
        assert self.found(retriever, "alpha") == {"a"}
        assert self.found(retriever, "alpha", CHINESE) == {"b"}
        assert self.found(retriever, "alpha", "nowhere") == set()
        assert self.found(retriever, "alpha", "nowhere", CHINESE) == {"b"}
        if WORDS in retriever.finds:
            both = self.words(retriever, "alpha", "global", CHINESE, "global")
            assert sorted(keys(both)) == [("a", 0), ("b", 0)]

    def test_it_ranks_as_the_reference(self, retriever: Retriever, score_tolerance: float) -> None:
        reference = InMemoryStore()
        reference.declare(TOY.embedding)
        texts = [f"{'alpha ' * (n % 4 + 1)}{'数据库 ' * (n % 3)}number{n}" for n in range(40)]
        memories = [make_memory(text, f"m{n}") for n, text in enumerate(texts)]
        reference.put([make_entry(m, TOY) for m in memories], fingerprint=TOY.fingerprint)
        retriever.apply(told(*memories))
        for text in ("alpha", "数据库", "number7 alpha", "数据库 number3", "nothing"):
            if WORDS in retriever.finds:
                expected = reference.search_words(
                    query_terms(text), spaces=["global"], where=None, limit=EVERYTHING
                )
                self._same(self.words(retriever, text), expected, score_tolerance)
            if MEANING in retriever.finds:
                expected = reference.search_meaning(
                    TOY.embed([text])[0],
                    fingerprint=TOY.fingerprint,
                    spaces=["global"],
                    where=None,
                    limit=5,
                )
                self._same(self.meaning(retriever, text, limit=5), expected, score_tolerance)

    @staticmethod
    def _same(found: Sequence[Seen], expected: Sequence[tuple[str, int, float]], by: float) -> None:
        """The same scores at the same places; who ties may change places."""
        scores = [one.score for one in found]
        assert scores == pytest.approx([score for _, _, score in expected], rel=by, abs=by)
        assert scores == sorted(scores, reverse=True)
        if expected and found:
            cut = expected[-1][2] + by
            surely = {(i, o) for i, o, score in expected if score > cut}
            assert surely <= set(keys(found))

    def test_the_limit_holds(self, retriever: Retriever) -> None:
        retriever.apply(told(*(make_memory(f"alpha {n}", f"m{n}") for n in range(12))))
        for limit in (1, 5, 12, 50):
            if WORDS in retriever.finds:
                assert len(self.words(retriever, "alpha", limit=limit)) == min(limit, 12)
            if MEANING in retriever.finds:
                assert len(self.meaning(retriever, "alpha", limit=limit)) == min(limit, 12)

    def test_a_filter_that_it_expresses_means_what_it_should(self, retriever: Retriever) -> None:
        memories = filter_memories()
        retriever.apply(told(*memories))
        for case in FILTERS:
            where = parse_filter(case)
            if where is None or expressible(where, retriever.expresses) != where:
                continue
            expected = {m.id for m in memories if matches(m, where)}
            assert passing(retriever, where, TOY) == [expected] * len(retriever.finds), case

    def test_what_holds_at_a_moment(self, retriever: Retriever) -> None:
        """From its first moment on, and no longer at its last."""
        end = NOON + timedelta(hours=1)
        of_an_hour = make_memory("common one 数据库", "a", valid_from=NOON, valid_to=end)
        retriever.apply(told(of_an_hour, make_memory("common always", "b")))
        for minutes, expected in ((-1, {"b"}), (0, {"a", "b"}), (59, {"a", "b"}), (60, {"b"})):
            where = ValidAt(to_micros(NOON + timedelta(minutes=minutes)))
            if retriever.expresses(where):
                assert passing(retriever, where, TOY) == [expected] * len(retriever.finds), minutes

    def test_words_are_only_words(self, retriever: Retriever) -> None:
        if WORDS not in retriever.finds:
            return
        retriever.apply(told(make_memory("alpha OR beta* \"gamma\" (delta) a:b 100% 'x'", "a")))
        for term in ('"', "*", "alpha*", "a:b", "OR", "'; DROP TABLE x;--", "(", "\\", "%"):
            found = retriever.search_words([term], spaces=["global"], where=None, limit=5)
            assert {one.memory_id for one in found} <= {"a"}
        assert retriever.search_words([], spaces=["global"], where=None, limit=5) == []

    # Embedders

    def test_one_embedder_takes_the_place_of_another(self, retriever: Retriever) -> None:
        if MEANING not in retriever.finds:
            return
        memory = make_memory("alpha\n甲", "a")
        for new in (OTHER, SMALL):  # of the same dimension, and of another
            retriever.clear()
            retriever.apply(told(memory))
            both: tuple[Embedding, ...] = (TOY.embedding, new.embedding)
            retriever.apply(Changes(embeddings=both))
            assert keys(self.meaning(retriever, "甲", limit=1)) == [("a", 1)]
            retriever.apply(told(memory, by=[TOY, new]))
            assert keys(self.meaning(retriever, "甲", limit=1)) == [
                ("a", 1)
            ]  # the old still answers
            retriever.apply(Changes(embeddings=(new.embedding,), vectors_gone=(TOY.fingerprint,)))
            (first, second) = self.meaning(retriever, "甲", by=new)
            assert (first.memory_id, first.ordinal) == ("a", 1)
            assert first.score == pytest.approx(1.0, abs=1e-3) != second.score

    def test_an_embedder_that_was_let_go_of_may_come_back(self, retriever: Retriever) -> None:
        """As it would begin: nothing of before is found, and nothing seems to be missing."""
        if MEANING not in retriever.finds:
            return
        former, memory = make_memory("alpha\n甲", "former"), make_memory("alpha\n甲", "a")
        retriever.apply(told(former))
        for old, new in ((TOY, OTHER), (OTHER, TOY)):
            retriever.apply(Changes(embeddings=(old.embedding, new.embedding)))
            retriever.apply(told(memory, by=[old, new])._replace(gone=("former",)))
            retriever.apply(Changes(embeddings=(new.embedding,), vectors_gone=(old.fingerprint,)))
            assert keys(self.meaning(retriever, "甲", by=new, limit=1)) == [("a", 1)]
            assert len(self.meaning(retriever, "甲", by=new)) == 2
            assert all(check.ok for check in retriever.check())

    def test_vectors_that_come_later_are_found_then(self, retriever: Retriever) -> None:
        if MEANING not in retriever.finds:
            return
        memory = make_memory("alpha\n甲", "a")
        waiting = Changes(embeddings=(TOY.embedding,), written=(indexed(memory),))
        retriever.apply(waiting)
        assert self.meaning(retriever, "甲") == []
        retriever.apply(told(memory))
        assert keys(self.meaning(retriever, "甲", limit=1)) == [("a", 1)]
        retriever.apply(waiting)  # what is written takes the place of all that was held of it
        assert self.meaning(retriever, "甲") == []
        retriever.apply(told(memory))
        retriever.apply(waiting._replace(vectors_gone=(TOY.fingerprint,)))
        assert self.meaning(retriever, "甲") == []

    # Care

    def test_threads_may_share_it(self, retriever: Retriever) -> None:
        retriever.apply(Changes(embeddings=(TOY.embedding,)))

        def work(number: int) -> None:
            for turn in range(6):
                text = f"thread{number} turn{turn}"
                retriever.apply(told(make_memory(text, f"{number}-{turn}")))
                assert f"{number}-{turn}" in self.found(retriever, text)

        run_at_once(work, range(3))
        assert len(retriever.copies(cursor=None, limit=100).copies) == 18
        assert all(check.ok for check in retriever.check())
