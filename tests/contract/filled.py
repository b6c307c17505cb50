"""A store of two spaces, and the same in the reference store to compare its answers with."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import Store
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import ToyEmbedder, make_entry, make_memory
from bethink.testing.programs import EVERYTHING, same_ranking
from bethink.text.tokenise import query_terms

TOY = ToyEmbedder("toy", 16)
WORDS = "alpha beta gamma delta epsilon zeta eta theta 预算 磁盘 主题 部署".split()
QUESTIONS = ["alpha", "beta 预算", "磁盘 theta zeta", "number 7", "部署"]


def text(number: int) -> str:
    return " ".join([*random.Random(number).choices(WORDS, k=6), f"number {number}"])


def fill(store: Store, first: int = 0, last: int = 120) -> None:
    store.declare(TOY.embedding)
    entries = [
        make_entry(make_memory(text(n), f"m{n}", space="项目" if n % 4 == 0 else "global"), TOY)
        for n in range(first, last)
    ]
    store.put(entries, fingerprint=TOY.fingerprint)


def same_answers(store: Store, reference: Store) -> None:
    for question in QUESTIONS:
        for spaces in (["global"], ["项目"], ["global", "项目"]):
            terms = query_terms(question)
            found = store.search_words(terms, spaces=spaces, where=None, limit=10)
            every = reference.search_words(terms, spaces=spaces, where=None, limit=EVERYTHING)
            same_ranking(found, every, limit=10)
            vector = TOY.embed([question])[0]
            near = store.search_meaning(
                vector, fingerprint=TOY.fingerprint, spaces=spaces, where=None, limit=10
            )
            nearest = reference.search_meaning(
                vector, fingerprint=TOY.fingerprint, spaces=spaces, where=None, limit=EVERYTHING
            )
            same_ranking(near, nearest, limit=10)


@pytest.fixture
def path(quick_path: Path) -> Path:
    """A store of two spaces, closed."""
    store = SQLiteStore(quick_path / "s.db")
    fill(store)
    store.close()
    return store.path


@pytest.fixture
def reference() -> InMemoryStore:
    store = InMemoryStore()
    fill(store)
    return store
