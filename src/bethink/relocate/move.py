"""A move: carry everything, then prove that it is there.

How far it is stands in notes of the target (`journal.py`), so that it goes on after a kill at any
moment: what is carried twice is there once. They name the source; another one is refused. When the
proof holds they go, and the target is a store like any other.

The source is only read. If it is written to meanwhile, the proof does not hold; then what changed
is carried too, a few times, and if it still changes that is said. Nothing is changed or erased in
the target but what the move itself brought, as it brought it: what somebody told, revised or set
there meanwhile is named, and stays in the way until they have seen to it. To look whether it is
still so and to write is one step of the store (`Movable.exchange`).
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from bethink.clock import Clock, system_clock
from bethink.errors import (
    Conflict,
    InvalidInput,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreUnavailable,
)
from bethink.relocate.carrying import (
    agree_on_embeddings,
    carry,
    forget_others,
    memories_of,
    walk,
)
from bethink.relocate.carrying_tiers import (
    carry_events,
    carry_notes,
    carry_offers,
    carry_recent,
    notes_of,
    recent_of,
)
from bethink.relocate.digests import mark_of_space
from bethink.relocate.journal import Journal, State
from bethink.relocate.proof import Contents, Progress, Proof, compare, contents
from bethink.relocate.strangers import Strangers
from bethink.relocate.unfinished import is_unfinished
from bethink.stores.movable import MovableStore
from bethink.stores.protocol import Store
from bethink.vocabulary import GLOBAL_SPACE

_ROUNDS = 3  # of carrying what changed while it was carried


class Moved(NamedTuple):
    proof: Proof
    carried: int  # memories, in this run
    resumed: bool
    rounds: int  # more than one: the source was written to meanwhile
    already: bool = False  # everything was there; in the target more may have been read and told


def move(
    source: Store,
    target: Store,
    *,
    events: bool = False,
    clock: Clock = system_clock,
    progress: Progress | None = None,
) -> Moved:
    """All that the source holds is in the target when this returns, and was compared."""
    return _Move(movable(source), movable(target), events, clock, progress).run()


def verify(
    source: Store,
    target: Store,
    *,
    events: bool = False,
    clock: Clock = system_clock,
    progress: Progress | None = None,
) -> Proof:
    """Compare two stores, and change nothing."""
    now = clock()
    first, second = (
        contents(movable(one), now=now, events=events, progress=progress)
        for one in (source, target)
    )
    return compare(first, second)


def movable(store: Store) -> MovableStore:
    if isinstance(store, MovableStore):
        return store
    raise StoreError(f"{type(store).__name__} cannot be taken to another store")


def refuse_a_part(source: Store) -> None:
    """For whoever would make a target for it: a store that is filled itself is no source."""
    if is_unfinished(source):
        raise Conflict(
            "the source is itself the target of a move that is not finished, so that not "
            "everything is in it; finish that move first"
        )


class _Move:
    def __init__(
        self,
        source: MovableStore,
        target: MovableStore,
        events: bool,
        clock: Clock,
        progress: Progress | None,
    ) -> None:
        self._source = source
        self._target = target
        self._events = events
        self._clock = clock
        self._progress = progress
        self._name = source.identity()
        self._carried = 0
        self._again = False  # something may be in the target that is in the source no more
        if self._name == target.identity():
            raise InvalidInput("these are the same store; name another to move it to")

    def run(self) -> Moved:
        try:
            with self._target.tiers().quarantine.alone():  # no second move beside this one
                return self._run()
        except StoreUnavailable as e:
            raise StoreUnavailable(
                f"the move was cut short: {_first_loss(e)}. When both can be reached again, run "
                "the same move: it goes on where it stopped"
            ) from e

    def _run(self) -> Moved:
        refuse_a_part(self._source)
        journal = self._journal()
        self._again = resumed = journal is not None
        if journal is None:
            if self._held():
                return self._is_there_already()
            journal = Journal.begun(self._target, State(self._name, events=self._events))
        return self._done(journal, resumed)

    def _done(self, journal: Journal, resumed: bool) -> Moved:
        before: tuple[Contents, Contents] | None = None
        for number in range(1, _ROUNDS + 1):
            from_the_start = not journal.state.memories and journal.state.cursor is None
            strangers = Strangers()
            self._carry(journal, strangers)
            if strangers.said:
                journal.say(_anew(journal.state))
                if from_the_start:
                    raise _used_meanwhile(strangers)
                continue  # all of them are named at once
            now = self._clock()
            both = self._contents(self._source, now), self._contents(self._target, now)
            proof = compare(*both)
            if proof.holds:
                journal.close()
                self._target.maintain()
                return Moved(proof, self._carried, resumed, number)
            rests = before is not None and before[0] == both[0]
            if before == both:
                raise _never_the_same(proof)
            before, self._again = both, True
            journal.say(_anew(journal.state))
        changed = ", ".join(proof.differing)
        raise StoreBusy(
            f"the target is used while it is filled ({changed} changed). Stop what uses it, then "
            "run the same move again: it goes on"
            if rests
            else f"the source is written to faster than it can be carried ({changed} changed). "
            "Stop what writes to it, then run the same move again: it goes on"
        )

    # What the target holds before

    def _journal(self) -> Journal | None:
        journal = Journal.found(self._target)
        if journal is None:
            return None
        state = journal.state
        if state.source != self._name:
            raise Conflict(
                "another store is being moved to this target, and that is not finished; finish it, "
                "or choose an empty target"
            )
        if state.events is not self._events:
            how = "with" if state.events else "without"
            raise Conflict(f"this move was begun {how} --events; go on {how} it")
        return journal

    def _held(self) -> bool:
        """Does the target hold anything that the move would have to change? Events stay beside
        those that come."""
        spaces = self._target.spaces()
        tiers = self._target.tiers()
        return bool(
            any(info.memories for info in spaces)
            or {info.name for info in spaces} - {GLOBAL_SPACE}
            or tiers.quarantine.scan(limit=1).offers
            or recent_of(self._target, now=self._clock())
            or notes_of(self._target)
        )

    def _is_there_already(self) -> Moved:
        counts = [
            {info.name: info.memories for info in store.spaces()}
            for store in (self._source, self._target)
        ]
        if counts[0] == counts[1]:
            now = self._clock()
            held = self._contents(self._source, now)
            proof = compare(held, self._contents(self._target, now))
            if proof.holds or (proof.holds_uncounted and not self._counts_further()):
                return Moved(proof, 0, False, 1, already=True)
            differing = proof.differing
        else:
            names = sorted(counts[0].keys() | counts[1].keys())
            both = ((name, counts[0].get(name), counts[1].get(name)) for name in names)
            differing = [
                f"the space {name!r} ({_memories(here)} in the source, {_memories(there)} there)"
                for name, here, there in both
                if here != there
            ]
        raise Conflict(
            "the target holds something already, and no move to it is under way. It is not what "
            f"the source holds: {', '.join(differing)}. Nothing was changed; choose an empty one, "
            "or 'bethink export' and 'bethink import' to add to it"
        )

    def _counts_further(self) -> bool:
        """Was anything read or told again in the source, of which the target does not know?"""
        for page in memories_of(self._source):
            there = self._target.get([memory.id for memory in page])
            for here, held in zip(page, there, strict=True):
                if held is None or (
                    here.access_count > held.access_count or here.reinforcement > held.reinforcement
                ):
                    return True
        return False

    # Carrying

    def _carry(self, journal: Journal, strangers: Strangers) -> None:
        source, target = self._source, self._target
        agree_on_embeddings(source, target)
        self._open_spaces(journal)
        if not journal.state.memories:
            self._carry_memories(journal, strangers)
        carry_offers(source, target, journal, strangers)
        carry_recent(source, target, journal, strangers, now=self._clock())
        carry_notes(source, target, journal, strangers)
        if journal.state.events:
            carry_events(source, target, journal)

    def _carry_memories(self, journal: Journal, strangers: Strangers) -> None:
        cursor = journal.state.cursor
        total = sum(info.memories for info in self._source.spaces())
        done = 0 if cursor is None else self._target.count()
        embeddings = self._source.embeddings()
        for page in walk(self._source, cursor, []):
            self._carried += carry(page.whole, self._target, embeddings, journal, strangers)
            done += len(page.whole)
            journal.say(journal.state._replace(cursor=page.cursor))
            if self._progress is not None:
                self._progress(done, total)
        if self._again or self._target.count() != self._source.count():
            forget_others(self._source, self._target, journal, strangers)
        self._close_spaces(journal, strangers)
        journal.say(journal.state._replace(memories=True, cursor=None))

    def _open_spaces(self, journal: Journal) -> None:
        there = {info.name for info in self._target.spaces()}
        fresh = [info.name for info in self._source.spaces() if info.name not in there]
        journal.bring([mark_of_space(name) for name in fresh])
        for name in fresh:
            self._target.open_space(name)

    def _close_spaces(self, journal: Journal, strangers: Strangers) -> None:
        """Spaces that are no more in the source and hold nothing here."""
        wanted = {info.name for info in self._source.spaces()}
        empty = [
            info.name
            for info in self._target.spaces()
            if info.name not in wanted and not info.memories
        ]
        ours = journal.ours([mark_of_space(name) for name in empty])
        for name, brought in zip(empty, ours, strict=True):
            if brought:  # unless somebody has just told something there
                self._target.close_space(name)
            else:
                strangers.only_there("empty spaces", [name])

    def _contents(self, store: MovableStore, now: datetime) -> Contents:
        return contents(store, now=now, events=self._events, progress=self._progress)


def _memories(number: int | None) -> str:
    return "none of that name" if number is None else f"{number:,} memories"


def _anew(state: State) -> State:
    """From the first memory on; what is there and the same is left alone."""
    return state._replace(memories=False, cursor=None)


def _used_meanwhile(strangers: Strangers) -> Conflict:
    return Conflict(
        f"the target was used before the move to it was finished: {strangers.said}. They were left "
        "alone. Tell them to the source or remove them from the target, then run the same move "
        "again; or choose an empty target"
    )


def _never_the_same(proof: Proof) -> StoreCorrupt:
    """Although nobody writes to the source."""
    return StoreCorrupt(
        f"the copy differs in {', '.join(proof.differing)}, although nobody wrote to the source. "
        "Check both with 'bethink doctor', then run the move again"
    )


def _first_loss(error: BaseException) -> BaseException:
    """What was lost first; giving back what was held then fails too, in words of its own."""
    first = error
    before = error.__context__
    while before is not None:
        if isinstance(before, StoreUnavailable):
            first = before
        before = before.__context__
    return first
