"""PostgreSQL as the truth, words and meaning found by other engines: the whole contract."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bethink.errors import FingerprintMismatch
from bethink.stores.composite import CompositeStore
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.postgres.store import PostgresStore
from bethink.stores.protocol import Store
from bethink.stores.retrievers import MEANING, WORDS
from bethink.stores.sqlite.store import SQLiteStore
from bethink.stores.store_retriever import StoreRetriever
from bethink.testing import StoreContract, ToyEmbedder
from tests.contract.composites import PATIENT, ids, meaning, tell, words
from tests.contract.unruly import Unruly, until
from tests.servers.postgres_server import PostgresServer
from tests.stores.changing_over import change_over
from tests.stores.postgres.test_backup import SCHEMAS, name_of, run


class TestPostgresIsTheTruth(StoreContract):
    @pytest.fixture
    def make_store(self, make_store: Callable[[], Store], quick_path: Path) -> Callable[[], Store]:
        numbers = itertools.count()

        def make() -> Store:
            beside = SQLiteStore(quick_path / f"{next(numbers)}.db")
            return CompositeStore(
                make_store(),
                [
                    StoreRetriever(beside, name="words", finds=[WORDS]),
                    StoreRetriever(InMemoryStore(), name="meaning", finds=[MEANING]),
                ],
                truth_answers=False,  # what the engines do not find is not found
                bounds=PATIENT,
            )

        return make


def test_an_engine_is_judged_by_the_store_of_now_and_not_as_the_question_sees_it(
    open_store: Callable[[str], Store], tenant: str
) -> None:
    """Another process changes over while a question is under way, whose view is of before."""
    held = InMemoryStore()
    one = Unruly(held, name="one")
    asking = CompositeStore(open_store(tenant), [one], bounds=PATIENT)
    other = StoreRetriever(held, name="one")
    changing = CompositeStore(open_store(tenant), [other], bounds=PATIENT)
    for n in range(5):
        tell(asking, f"alpha {n} 数据库", f"m{n}")
    told = len(one.applied)
    one.hang()
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(meaning, asking.for_question(["global"], ()), "alpha")
        until(lambda: one.asked == 1)
        change_over(changing, ToyEmbedder("new", 6))
        one.release()
        with pytest.raises(FingerprintMismatch):
            answer.result()
    assert asking.catch_up(60)
    assert len(one.applied) == told  # nothing was made anew
    asking.close()
    changing.close()


@pytest.mark.parametrize("used_meanwhile", [False, True])
def test_an_engine_from_before_a_dump_was_put_back_is_made_anew(
    server: PostgresServer, tmp_path: Path, used_meanwhile: bool
) -> None:
    """`used_meanwhile`: connections from before are used again afterwards."""
    address, file = server.new_database(), str(tmp_path / "dump")
    owner = server.address(name_of(address))
    held = InMemoryStore()

    def opened() -> CompositeStore:
        one = StoreRetriever(held, name="one")
        return CompositeStore(PostgresStore(address), [one], truth_answers=False, bounds=PATIENT)

    plain = PostgresStore(address)
    store = opened()
    tell(store, "alpha 数据库", "a")
    tell(store, "alpha the owner of backups", "b")
    dumped = run("pg_dump", "--format=custom", f"--file={file}", *SCHEMAS, owner)
    assert dumped.returncode == 0, dumped.stderr
    store.delete(["a"])
    for n in range(5):
        tell(store, f"alpha 丢失 {n}", f"lost{n}")
    at = StoreRetriever(held, name="one").position()
    assert at is not None
    store._followers[0].stop(patience=10)
    if not used_meanwhile:
        plain.close()
    restored = run("pg_restore", "--exit-on-error", "--single-transaction", "--clean",
                   f"--dbname={owner}", file)  # fmt: skip
    assert restored.returncode == 0, restored.stderr
    if not used_meanwhile:
        plain = PostgresStore(address)
    for n in range(20):  # the last alone is kept: nothing is there under the others' numbers
        plain.delete(["new"])
        tell(plain, f"alpha 新的 {n}", "new")
    assert plain.feed().last() > at.number
    assert plain.notes() == {}
    plain.close()
    again = opened()
    assert sorted(ids(words(again, "alpha"))) == ["a", "b", "new"]
    assert [check for check in again.check() if not check.ok] == []
    again.close()
    store.close()
