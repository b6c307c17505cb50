"""The store as one question sees it: fewer trips, the same answers, and never those of a moment
that is over for longer than the question takes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import numpy as np
import pytest

from bethink import Engine
from bethink.errors import FingerprintMismatch, UnknownSpace
from bethink.settings import Settings
from bethink.stores.background import SAMPLE, mean_and_spread
from bethink.stores.postgres import words
from bethink.stores.postgres.database import Cursor
from bethink.stores.postgres.one_question import OneQuestion
from bethink.stores.postgres.store import PostgresStore
from bethink.stores.protocol import Compared
from bethink.testing import ToyEmbedder, make_entry, make_memory
from bethink.vocabulary import Status
from tests.recall.changing_over import PLACES, check_changing_over
from tests.stores.changing_over import change_over

TOY, OTHER = ToyEmbedder(), ToyEmbedder("other", 6)
OpenStore = Callable[[str], PostgresStore]


@pytest.fixture
def store(open_store: OpenStore, tenant: str) -> PostgresStore:
    store = open_store(tenant)
    store.declare(TOY.embedding)
    tell(store, 5)
    return store


@pytest.fixture
def other(store: PostgresStore, open_store: OpenStore) -> PostgresStore:
    return open_store(store.tenant)


def tell(store: PostgresStore, count: int, *, space: str = "global", word: str = "alpha") -> None:
    have = len(store.scan(limit=10_000).memories)
    memories = [
        make_memory(f"{word} 部署 {n}", f"{space}{n}", space=space)
        for n in range(have, have + count)
    ]
    store.put([make_entry(one, TOY) for one in memories], fingerprint=TOY.fingerprint)


def seen_by(store: PostgresStore, *notes: str) -> PostgresStore:
    seen = store.for_question(["global"], notes)
    assert isinstance(seen, OneQuestion)
    return seen


def compare(store: PostgresStore, *keys: tuple[str, int], by: ToyEmbedder = TOY) -> Compared:
    vector = by.embed(["alpha"])[0]
    return store.compare(vector, keys, fingerprint=by.fingerprint, spaces=["global"])


def nearest(store: PostgresStore, by: ToyEmbedder = TOY, *, space: str = "global") -> list[str]:
    vector = by.embed(["alpha"])[0]
    found = store.search_meaning(
        vector, fingerprint=by.fingerprint, spaces=[space], where=None, limit=9
    )
    return sorted(one.memory_id for one in found)


def by_words(store: PostgresStore) -> list[str]:
    found = store.search_words(["alpha"], spaces=["global"], where=None, limit=9)
    return sorted(one.memory_id for one in found)


FIVE = [f"global{n}" for n in range(5)]


@contextmanager
def traced(store: PostgresStore) -> Iterator[Callable[[], int | None]]:
    """How often something was sent that is to be answered, on whichever connection; None where
    another one was opened."""
    idle = list(store._pool._idle)
    with ExitStack() as stack, tempfile.TemporaryFile("w+") as file:
        for connection in idle:
            connection.pgconn.trace(file.fileno())
            stack.callback(connection.pgconn.untrace)

        def count() -> int | None:
            if {id(one) for one in store._pool._idle} != {id(one) for one in idle}:
                return None
            file.seek(0)
            said = [line.rstrip().split("\t")[1:4] for line in file if "\t" in line]
            return sum(who == "F" and what in ("Sync", "Query") for who, _, what, *_ in said)

        yield count


def test_a_recall_is_eight_trips(store: PostgresStore) -> None:
    with Engine(store, embedder=TOY, settings=Settings(keep_events=0)) as engine:
        trips: list[int] = []
        while len(trips) < 12:  # at first each connection prepares its statements
            with traced(store) as count:
                answer = engine.recall("alpha 部署", floor=0)
                if (counted := count()) is not None:
                    trips.append(counted)
            assert sorted(hit.id for hit in answer.hits) == FIVE
    # a look at all that is to be known; entities; words and their names; meaning; working memory;
    # nearness; texts
    assert min(trips) == 8


def test_a_question_sees_notes_of_its_moment(store: PostgresStore, other: PostgresStore) -> None:
    kept = {"settings/limit": "3", "withheld/文件.一": "全局", 'withheld/a"b\\': "global", "x": "y"}
    store.write_notes(kept)
    seen = seen_by(store, "withheld/", "settings/")
    other.write_notes({"settings/limit": "9", "withheld/文件.一": None})
    assert seen.notes("settings/") == {"settings/limit": "3"}
    assert list(seen.notes("withheld/").items()) == [
        ('withheld/a"b\\', "global"),
        ("withheld/文件.一", "全局"),
    ]
    assert seen.notes("x") == {"x": "y"}  # it did not ask for that one, so it looks now
    anew = seen_by(store, "withheld/", "settings/")
    assert anew.notes("settings/") == {"settings/limit": "9"}
    assert seen_by(store, "nothing/").notes("nothing/") == {}


def test_withheld_and_settings_hold_at_the_next_question(
    store: PostgresStore, other: PostgresStore
) -> None:
    with Engine(store, embedder=TOY) as engine, Engine(other, embedder=TOY) as beside:
        assert sorted(hit.id for hit in engine.recall("alpha 部署", floor=0).hits) == FIVE
        beside.withheld.add(["global2"], space="global")
        assert (
            sorted(hit.id for hit in engine.recall("alpha 部署", floor=0).hits)
            == FIVE[:2] + FIVE[3:]
        )
        beside.set_override("limit", 1, space="global")
        assert len(engine.recall("alpha 部署", floor=0).hits) == 1


def test_a_space_that_is_not_there_is_said_so(store: PostgresStore) -> None:
    assert store.for_question(["global", "没有"], ["settings/"]) is store
    with Engine(store, embedder=TOY) as engine:
        answer = engine.recall("alpha", spaces=["global", "没有"], floor=0)
    assert answer.hits and answer.reasons == ("nothing was remembered in the space '没有' yet",)


def test_what_is_forgotten_meanwhile(store: PostgresStore, other: PostgresStore) -> None:
    seen = seen_by(store)
    assert by_words(seen) == nearest(seen) == FIVE
    other.delete(["global2"])
    keys = [(one, 0) for one in FIVE]
    assert [score is None for score in compare(seen, *keys).scores] == [n == 2 for n in range(5)]
    assert [one is None for one in seen.fetch(keys)] == [n == 2 for n in range(5)]
    assert by_words(seen) == nearest(seen) == FIVE[:2] + FIVE[3:]
    assert seen.count_terms(["alpha"], keys[:2], spaces=["global"]).common.passages == 4


def test_what_is_revised_meanwhile_has_no_words_of_before(
    store: PostgresStore, other: PostgresStore
) -> None:
    anew = make_entry(make_memory("alpha alpha 部署 anew", "global2"), TOY)
    seen = seen_by(store)
    by_words(seen)
    other.revise(anew, fingerprint=TOY.fingerprint)
    nearest(seen)  # finds it where it stands now, of which the words that were asked know nothing
    keys = [(one, 0) for one in FIVE]
    counted = seen.count_terms(["alpha"], keys, spaces=["global"])
    assert [one and one.counts["alpha"] for one in counted.held] == [1, 1, None, 1, 1]


def test_another_embedder_answers_meanwhile(store: PostgresStore, other: PostgresStore) -> None:
    seen = seen_by(store)
    assert nearest(seen) == FIVE
    change_over(other, OTHER)
    with pytest.raises(FingerprintMismatch):
        nearest(seen)
    assert nearest(seen, OTHER) == FIVE  # and whoever has its vector is answered


def test_a_space_that_goes_meanwhile(store: PostgresStore, other: PostgresStore) -> None:
    tell(store, 2, space="项目")
    seen = store.for_question(["项目"], ())
    assert nearest(seen, space="项目") == ["项目5", "项目6"]
    other.delete_space("项目")
    with pytest.raises(UnknownSpace):
        nearest(seen, space="项目")
    tell(other, 1, space="项目")
    assert nearest(seen, space="项目") == ["项目5"]


def test_what_is_usual_is_of_the_space_as_it_is(store: PostgresStore, other: PostgresStore) -> None:
    def usual() -> tuple[float, float]:
        """Of every passage, as the sample is all of a small space."""
        said = [memory.text for memory in other.scan(limit=10_000).memories if memory.id != "late"]
        scores = TOY.embed(said) @ TOY.embed(["alpha"])[0]
        return mean_and_spread(scores.tolist())

    def is_usual() -> None:
        for _ in range(4):
            assert compare(seen_by(store))[1:] == pytest.approx(usual(), abs=1e-5)

    is_usual()
    tell(other, 20, word="完全不同")
    is_usual()
    other.put([make_entry(make_memory("late 晚到", "late"))])  # no vector yet
    is_usual()
    (waiting,) = other.unembedded(TOY.fingerprint, limit=9)
    other.fill(TOY.fingerprint, [waiting.handle], TOY.embed(["alpha"]))
    before = usual()
    for _ in range(4):  # vectors come without a word of the space being another
        mean = compare(seen_by(store)).mean
        assert mean > before[0] + 1e-4
    other.delete([f"global{n}" for n in range(20)])
    other.delete(["late"])
    is_usual()


def test_vectors_that_are_made_anew_are_another_sample(
    store: PostgresStore, other: PostgresStore
) -> None:
    """As many as before, by the same embedder, and not the same."""
    for _ in range(3):
        compare(seen_by(store))
    other.clear_vectors()
    waiting = other.unembedded(TOY.fingerprint, limit=9)
    other.fill(TOY.fingerprint, [one.handle for one in waiting], TOY.embed(["alpha"] * 5))
    for _ in range(3):
        assert compare(seen_by(store)).mean == pytest.approx(1.0, abs=1e-5)


def test_words_are_counted_in_the_text_that_is_handed_out(
    store: PostgresStore, other: PostgresStore
) -> None:
    seen = seen_by(store)
    nearest(seen)  # where it stood
    anew = make_entry(make_memory("nothing of it here 全新的 text", "global2"), TOY)
    other.revise(anew, fingerprint=TOY.fingerprint)
    by_words(seen)
    seen.fetch([("global2", 0)])
    (counted,) = seen.count_terms(["alpha"], [("global2", 0)], spaces=["global"]).held
    assert counted == ({}, len(anew.terms[0].split()))


def test_the_sample_of_a_large_space_is_spread_over_it(store: PostgresStore) -> None:
    tell(store, SAMPLE * 3, word="beta")
    first = compare(store)
    seen = [compare(seen_by(store)) for _ in range(4)]
    for one in seen:
        assert one[1:] == pytest.approx(first[1:], abs=1e-5)
    every = TOY.embed([memory.text for memory in store.scan(limit=10_000).memories])
    mean = float(np.mean(every @ TOY.embed(["alpha"])[0]))
    assert first.mean == pytest.approx(mean, abs=0.1)


# Between two statements of one search


@pytest.mark.parametrize("ask", ["search_words", "count_terms"])
def test_a_memory_that_is_revised_meanwhile_is_not_missed(
    store: PostgresStore, other: PostgresStore, monkeypatch: pytest.MonkeyPatch, ask: str
) -> None:
    asked = words.asked
    revised: list[str] = []

    def then_revised(
        cursor: Cursor, spaces: Sequence[str], terms: Sequence[str]
    ) -> list[words.Asked]:
        found = asked(cursor, spaces, terms)
        if not revised:
            revised.append("global2")
            anew = make_entry(make_memory("alpha alpha 部署 anew", "global2"), TOY)
            other.revise(anew, fingerprint=TOY.fingerprint)
        return found

    monkeypatch.setattr(words, "asked", then_revised)
    if ask == "search_words":
        found = store.search_words(["alpha"], spaces=["global"], where=None, limit=9)
        assert {one.memory_id for one in found} == {f"global{n}" for n in range(5)}
    else:
        keys = [(f"global{n}", 0) for n in range(5)]
        counted = store.count_terms(["alpha"], keys, spaces=["global"]).held
        said = [None if one is None else one.counts["alpha"] for one in counted]
        assert said in ([1, 1, None, 1, 1], [1, 1, 2, 1, 1])  # never what it was, as it is now
    assert revised


@pytest.mark.parametrize("place", PLACES)
def test_the_index_is_changed_over_meanwhile(
    open_store: OpenStore, tenant: str, place: int
) -> None:
    check_changing_over(open_store(tenant), open_store(tenant), place)


def test_an_answer_is_kept_under_what_it_saw(
    store: PostgresStore, other: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody tells something without a vector just before the mark of an answer is read."""
    told: list[str] = []
    generation = store.generation

    def then_told(spaces: Sequence[str]) -> str:
        if not told:
            told.append("late")
            other.put([make_entry(make_memory("alpha 部署 晚到", "late"))])
        return generation(spaces)

    monkeypatch.setattr(store, "generation", then_told)
    with Engine(store, embedder=TOY, settings=Settings(hot="memory")) as engine:
        for _ in range(2):
            answer = engine.recall("alpha 部署", floor=0)
            assert "late" in [hit.id for hit in answer.hits]
            assert answer.status is Status.STALE
    assert told
