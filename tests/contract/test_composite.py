"""The whole store contract, with words and meaning found by other engines than the truth."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from bethink.stores.composite import CompositeStore
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import Store
from bethink.stores.retrievers import MEANING, WORDS
from bethink.stores.sqlite.store import SQLiteStore
from bethink.stores.store_retriever import StoreRetriever
from bethink.testing import StoreContract, TierContract, run_programs
from tests.contract.composites import PATIENT
from tests.contract.unruly import Blunt


def in_files(folder: Path) -> CompositeStore:
    """Words in one SQLite file, meaning in another, the truth in a third."""
    folder.mkdir(exist_ok=True)
    return CompositeStore(
        SQLiteStore(folder / "truth.db"),
        [
            StoreRetriever(SQLiteStore(folder / "words.db"), name="words", finds=[WORDS]),
            StoreRetriever(SQLiteStore(folder / "meaning.db"), name="meaning", finds=[MEANING]),
        ],
        truth_answers=False,  # what the engines do not find is not found
        bounds=PATIENT,
    )


def reopen(store: Store) -> Store:
    assert isinstance(store, CompositeStore)
    store.close()
    return in_files(store.path.parent)


class InFiles:
    """How to make a store, for each of the contracts."""

    @pytest.fixture
    def make_store(self, quick_path: Path) -> Callable[[], Store]:
        numbers = itertools.count()
        return lambda: in_files(quick_path / str(next(numbers)))

    @pytest.fixture
    def reopen_store(self) -> Callable[[Store], Store]:
        return reopen


class TestTwoEnginesInFiles(InFiles, StoreContract):
    pass


class TestSeveralEnginesOfAType(StoreContract):
    """The reference as the truth; words from two engines side by side, meaning from two others."""

    @pytest.fixture
    def make_store(self, quick_path: Path) -> Callable[[], Store]:
        numbers = itertools.count()

        def make() -> Store:
            beside = SQLiteStore(quick_path / f"{next(numbers)}.db")
            return CompositeStore(
                InMemoryStore(),
                [
                    StoreRetriever(InMemoryStore(), name="both"),
                    StoreRetriever(InMemoryStore(), name="more words", finds=[WORDS]),
                    StoreRetriever(beside, name="more meaning", finds=[MEANING]),
                ],
                truth_answers=False,
                bounds=PATIENT,
            )

        return make


def test_random_programs_with_engines_that_cannot_filter() -> None:
    """What they find is filtered by the truth, and they are asked for more."""
    run_programs(
        lambda: CompositeStore(
            InMemoryStore(),
            [Blunt(InMemoryStore(), name="blunt")],
            truth_answers=False,
            bounds=PATIENT,
        )
    )


class TestTiersOfAComposite(InFiles, TierContract):
    pass
