"""Large spaces have an index of their own: what it finds, with and without filters; its care."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import psycopg
import pytest

from bethink.filters import parse_filter
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.postgres import near, words
from bethink.stores.postgres.store import PostgresStore
from bethink.stores.postgres.upkeep import index_name, index_of
from bethink.stores.postgres.vector_tables import VectorTable
from bethink.stores.protocol import Store
from bethink.testing import StoreContract, ToyEmbedder, make_entry, make_memory
from bethink.testing.programs import EVERYTHING, same_ranking
from bethink.text.tokenise import query_terms
from tests.servers.postgres_server import PostgresServer
from tests.stores.postgres.test_contract import OnPostgres

TOY = ToyEmbedder("toy", 16)
WORDS = "alpha beta gamma delta epsilon zeta eta theta 预算 磁盘 主题 部署".split()


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near, "INDEX_FROM", 2)


class TestPostgresStoreWithLargeSpaces(OnPostgres, StoreContract):
    """The contract with an index in every space that can have one."""

    test_random_programs = None  # type: ignore[assignment]  # each builds indexes at every turn


def fill(store: Store, count: int, *, start: int = 0) -> None:
    store.declare(TOY.embedding)
    chance = random.Random(7)
    entries = [
        make_entry(
            make_memory(
                " ".join([*chance.choices(WORDS, k=6), f"number {n}"]),
                f"m{n}",
                tags=("rare",) if n % 100 == 0 else ("half",) if n % 2 else (),
            ),
            TOY,
        )
        for n in range(start, start + count)
    ]
    store.put(entries, fingerprint=TOY.fingerprint)


@pytest.fixture
def both(make_store: Callable[[], Store]) -> tuple[PostgresStore, InMemoryStore]:
    store, reference = make_store(), InMemoryStore()
    assert isinstance(store, PostgresStore)
    for each in (store, reference):
        fill(each, 1500)
    store.maintain()
    return store, reference


def nearest(store: Store, text: str, limit: int, **where: object) -> list[str]:
    found = store.search_meaning(
        TOY.embed([text])[0],
        fingerprint=TOY.fingerprint,
        spaces=["global"],
        where=parse_filter(where or None),
        limit=limit,
    )
    assert [f.score for f in found] == sorted((f.score for f in found), reverse=True)
    return [f.memory_id for f in found]


@pytest.mark.parametrize("where", [{}, {"tags": "half"}, {"tags": "rare"}], ids=str)
def test_no_filter_empties_an_answer(
    both: tuple[PostgresStore, InMemoryStore], where: dict[str, object]
) -> None:
    store, reference = both
    overlaps = []
    for question in range(20):
        right = nearest(reference, f"question {question}", 10, **where)
        found = nearest(store, f"question {question}", 10, **where)
        assert len(found) == len(right) == 10
        overlaps.append(len(set(right) & set(found)) / 10)
    assert np.mean(overlaps) >= 0.98


def test_words_of_many_segments_rank_as_the_reference_does(
    both: tuple[PostgresStore, InMemoryStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, reference = both
    for n in range(40):  # one at a time, so that small segments are merged
        entry = make_entry(make_memory(f"{WORDS[n % 12]} later 部署 {n}", f"late{n}"), TOY)
        for each in (store, reference):
            each.put([entry], fingerprint=TOY.fingerprint)
    gone = [f"m{n}" for n in range(0, 1500, 7)] + [f"late{n}" for n in range(0, 40, 3)]
    for question in ("alpha 预算", "部 number 7", "later theta 磁盘 部署"):
        for _ in range(2):
            terms = query_terms(question)
            for where in (None, parse_filter({"tags": "rare"})):
                found = store.search_words(terms, spaces=["global"], where=where, limit=20)
                every = reference.search_words(
                    terms, spaces=["global"], where=where, limit=EVERYTHING
                )
                same_ranking(found, every, limit=20)
            for each in (store, reference):
                each.delete(gone)
        gone = [f"m{n}" for n in range(1, 1500, 11)]
    store.maintain()
    same_ranking(
        store.search_words(["alpha"], spaces=["global"], where=None, limit=20),
        reference.search_words(["alpha"], spaces=["global"], where=None, limit=EVERYTHING),
        limit=20,
    )
    assert all(check.ok for check in store.check())
    assert words.is_term("alpha")


def test_nothing_of_a_forgotten_word_stays_in_the_index(
    make_store: Callable[[], Store], address: str
) -> None:
    store = make_store()
    store.put([make_entry(make_memory(t, t[:3])) for t in ("alpha beta", "zzsecretzz beta")])
    store.delete(["zzs"])
    with psycopg.connect(address) as connection:
        from bethink.stores.postgres.database import tenant_number

        assert isinstance(store, PostgresStore)
        connection.execute(f"SET bethink.tenant = '{tenant_number(store.tenant)}'")
        rows = connection.execute("SELECT first, data FROM bethink.words").fetchall()
    assert rows
    assert not [row for row in rows if b"secret" in row[1] or "secret" in row[0]]


def test_ivfflat_is_a_choice(server: PostgresServer) -> None:
    store = PostgresStore(server.new_database() + "&index=ivfflat&lists=4")
    fill(store, 400)
    store.maintain()
    found = nearest(store, "number", 10)
    with store._database.outside() as connection:
        row = connection.execute(
            "SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'vectors_%_near_%'"
        ).fetchone()
    store.close()
    assert row is not None
    assert "USING ivfflat" in row[0]
    assert "lists='4'" in row[0]
    assert len(found) == 10


def test_lists_are_drawn_anew_when_a_space_has_outgrown_them(server: PostgresServer) -> None:
    url = server.new_database() + "&index=ivfflat&lists=4"
    store, beside = PostgresStore(url), PostgresStore(url)
    table = VectorTable(*TOY.embedding, True)
    name = index_name(table, 1)

    def index() -> tuple[str, int]:
        with store._database.outside() as connection:
            held = index_of(connection, name)
            assert held is not None and held.valid
            (made,) = connection.execute(
                "SELECT pg_relation_filenode(%s::regclass)", (f"bethink.{name}",)
            ).fetchone() or (0,)
        return str(made), held.passages

    def wrong() -> list[str]:
        return [check.finding for check in store.check() if not check.ok]

    fill(store, 400)
    store.maintain()
    first, passages = index()
    assert passages == 400
    fill(store, 200, start=400)
    assert len(nearest(beside, "number", 10)) == 10
    beside._upkeep.maintainer.finish()
    assert (*index(), wrong()) == (first, 400, [])  # half as many again is borne
    fill(store, 1, start=600)
    (finding,) = wrong()
    assert "601 vectors, in lists that were drawn when there were 400" in finding
    with store._database.outside() as connection:  # as one that was killed leaves it
        sql = f"CREATE INDEX {name}_ccnew ON bethink.{table.table} (pid)"
        connection.execute(sql.encode())
    assert len(nearest(beside, "number", 10)) == 10  # whoever asks next notices it
    beside._upkeep.maintainer.finish()
    anew, passages = index()
    assert (anew != first, passages, wrong()) == (True, 601, [])
    assert len(nearest(store, "number", 10)) == 10  # this one remembers the former
    store._upkeep.maintainer.finish()
    assert not store._upkeep.behind
    assert index() == (anew, 601)
    with store._database.outside() as connection:
        assert index_of(connection, f"{name}_ccnew") is None
    store.close()
    beside.close()


def test_an_index_that_is_missing_or_broken_is_made_anew(
    both: tuple[PostgresStore, InMemoryStore],
) -> None:
    store, _ = both
    table = VectorTable(*TOY.embedding, True)
    with store._database.read() as reader:
        (space,) = reader.execute("SELECT id FROM spaces").fetchone() or (0,)
    name = index_name(table, space)
    with store._database.outside() as connection:
        connection.execute(f"DROP INDEX {name}".encode())
    checks = {check.part: check for check in store.check()}
    assert "slow" in checks["meaning of 'global' by toy"].finding
    store.maintain()
    with store._database.outside() as connection:
        index = index_of(connection, name)
        assert index is not None
        assert index.valid
    assert all(check.ok for check in store.check())
    store.delete([f"m{n}" for n in range(1500)])
    store.maintain()
    with store._database.outside() as connection:
        assert index_of(connection, name) is None
