"""A store as questions see it (`SeenByQuestions`) says what the store itself says."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bethink.stores.protocol import CountsTerms, SeenByQuestions, Store
from bethink.vocabulary import Vector

Keys = Sequence[tuple[str, int]]


def as_questions_see(store: Store, spaces: Sequence[str]) -> Store:
    """The store itself, where questions see nothing else."""
    return store.for_question(spaces, ()) if isinstance(store, SeenByQuestions) else store


def same_counts(
    store: Store, seen: Store, terms: Sequence[str], keys: Keys, spaces: Sequence[str]
) -> None:
    if isinstance(store, CountsTerms) and isinstance(seen, CountsTerms):
        for some in (keys, keys[:1]):
            expected = store.count_terms(terms, some, spaces=spaces)
            assert seen.count_terms(terms, some, spaces=spaces) == expected


def same_comparison(
    store: Store, seen: Store, vector: Vector, by: str, keys: Keys, spaces: Sequence[str]
) -> None:
    """Three times: what is usual may be remembered from the second on."""
    expected = store.compare(vector, keys, fingerprint=by, spaces=spaces)
    for some in (slice(None), slice(1), slice(0)):
        compared = seen.compare(vector, keys[some], fingerprint=by, spaces=spaces)
        assert compared.scores == [pytest.approx(one, abs=1e-5) for one in expected.scores[some]]
        assert compared[1:] == pytest.approx(expected[1:], abs=1e-5)
