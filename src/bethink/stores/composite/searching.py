"""One question to every retriever that can answer it, side by side, within a bound.

What they find is merged without duplicates. Who fails, hangs or is behind is named; the others
answer. Where none is left, the truth answers itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from typing import NamedTuple

from bethink.errors import FingerprintMismatch, StoreError
from bethink.filters import Filter
from bethink.stores.composite.feeding import catch_up
from bethink.stores.composite.follower import Follower, told
from bethink.stores.composite.verifying import MOST, Asked, ask
from bethink.stores.protocol import FoundPartly, Shortfall, Store
from bethink.stores.retrievers import Finds, Retriever, Seen
from bethink.vocabulary import Found

Search = Callable[[Retriever, Filter | None, int], list[Seen]]


class Bounds(NamedTuple):
    """How long, in seconds, an answer waits for others, each at most."""

    patience: float = 2.0  # for an engine to answer a question
    catching_up: float = 0.25  # before a question, for one that is behind
    following: float = 1.0  # after a write, for all to have it


class Searching(NamedTuple):
    """One search: what is asked of each retriever, and of the truth where none is left."""

    finds: Finds
    search: Search
    by_truth: Callable[[], list[Found]]
    spaces: Sequence[str]
    where: Filter | None
    limit: int
    fingerprint: str = ""  # of the vectors that are asked for


def search(
    asked: Searching,
    followers: Sequence[Follower],
    truth: Store,
    last: int,
    bounds: Bounds,
    *,
    truth_answers: bool,
) -> list[Found]:
    end = time.monotonic() + bounds.patience
    catch_up([f for f in followers if f.behind(last)], min(bounds.catching_up, bounds.patience))
    shortfalls: list[Shortfall] = []
    under_way: dict[Follower, Future[Asked]] = {}
    for follower in followers:
        why = follower.missing()
        if not (why or bounds.patience):  # which is no fault of its own
            why = f"no time was left for {follower.name}"
        if why:
            shortfalls.append(_short_of(follower, f"{asked.finds}: {why}"))
        else:
            under_way[follower] = follower.ask(_asking(asked, follower, truth))
    wait(under_way.values(), timeout=max(0.0, end - time.monotonic()))
    answers: list[list[Found]] = []
    for follower, future in under_way.items():
        answer = _answer(follower, future, asked, bounds, last, shortfalls)
        if answer is not None:
            answers.append(answer)
    if not answers:
        reasons = "; ".join(s.reason for s in shortfalls)
        if not truth_answers:
            raise StoreError(f"no engine could answer. {reasons}")
        answers.append(asked.by_truth())
        shortfalls = [Shortfall(False, f"{reasons}; the store itself answered")]
    merged = answers[0] if len(answers) == 1 else _merged(answers, asked.limit)
    return FoundPartly(merged, shortfalls) if shortfalls else merged


def _asking(asked: Searching, follower: Follower, truth: Store) -> Callable[[], Asked]:
    retriever = follower.retriever
    return lambda: ask(
        lambda where, limit: asked.search(retriever, where, limit),
        retriever.expresses,
        truth,
        spaces=asked.spaces,
        where=asked.where,
        limit=asked.limit,
    )


def _answer(
    follower: Follower,
    future: Future[Asked],
    asked: Searching,
    bounds: Bounds,
    last: int,
    shortfalls: list[Shortfall],
) -> list[Found] | None:
    """What a retriever found, or None; what is wrong with it is added to the shortfalls."""
    name = follower.name
    if not future.done():
        future.cancel()
        why = f"did not answer within {bounds.patience:g} s"
        follower.failed(f"it {why}", hung=True)
        shortfalls.append(_short_of(follower, f"{asked.finds}: {name} {why}"))
        return None
    fault = future.exception()
    if fault is not None:
        follower.failed(told(fault, follower.name))
        if (
            isinstance(fault, FingerprintMismatch)
            and not follower.behind(last)
            and follower.answers_by(asked.fingerprint)
        ):
            follower.make_anew()  # it has all changes, and still not these vectors
        shortfalls.append(_short_of(follower, f"{asked.finds}: {name} failed: {told(fault, name)}"))
        return None
    follower.breaker.answered()
    answer = future.result()
    if follower.behind(last):
        reason = f"{asked.finds}: {follower.lag_told()}"
        shortfalls.append(_short_of(follower, reason, behind=True))
    elif answer.wrong:
        follower.repair(answer.wrong)
    if answer.cut:
        shortfalls.append(
            _short_of(follower, f"{asked.finds}: of what {name} found, {MOST:,} were filtered")
        )
    return answer.found


def _short_of(follower: Follower, reason: str, *, behind: bool = False) -> Shortfall:
    """Whoever asks reads it, and need not learn where the engine is: that stands in its name, which
    `status` and `doctor` say."""
    return Shortfall(behind, reason.replace(follower.name, follower.kind))


def _merged(answers: Sequence[Sequence[Found]], limit: int) -> list[Found]:
    """Each passage once, with its best score: by the contract, scores mean the same everywhere."""
    best: dict[tuple[str, int], Found] = {}
    for one in (found for answer in answers for found in answer):
        key = (one.memory_id, one.ordinal)
        if key not in best or best[key].score < one.score:
            best[key] = one
    return sorted(best.values(), key=lambda found: -found.score)[:limit]
