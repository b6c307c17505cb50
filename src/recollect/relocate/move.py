"""A move: carry everything, then prove that it is there.

How far it is stands in a note of the target, so that it goes on after a kill at any moment: what is
carried twice is there once. The note names the source; another one is refused. When the proof holds
the note goes, and the target is a store like any other.

The source is only read. If it is written to meanwhile, the proof does not hold; then what changed
is carried too, a few times, and if it still changes that is said. What somebody told the target
meanwhile is never touched: it is named, and stays in the way until they have seen to it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from recollect.clock import Clock, from_micros, system_clock, to_micros
from recollect.errors import (
    Conflict,
    InvalidInput,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreUnavailable,
)
from recollect.relocate.carrying import (
    MovableStore,
    agree_on_embeddings,
    carry,
    forget_others,
    walk,
)
from recollect.relocate.carrying_tiers import (
    EventsCarried,
    carry_events,
    carry_notes,
    carry_offers,
    carry_recent,
    notes_of,
    recent_of,
)
from recollect.relocate.proof import Contents, Progress, Proof, compare, contents
from recollect.relocate.strangers import strangers
from recollect.relocate.unfinished import NOTE
from recollect.stores.protocol import Store
from recollect.vocabulary import GLOBAL_SPACE

_ROUNDS = 3  # of carrying what changed while it was carried
_VERSION = 1


class _State(NamedTuple):
    """What the note says."""

    source: str  # which store it comes from
    began: int  # microseconds; what is told in the target after that is not ours
    memories: bool = False  # all pages were carried once
    cursor: str | None = None  # otherwise: go on there
    events: EventsCarried | None = None  # None: they are not wanted


class Moved(NamedTuple):
    proof: Proof
    carried: int  # memories, in this run
    resumed: bool
    rounds: int  # more than one: the source was written to meanwhile
    already: bool = False  # everything was there


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
        contents(movable(one), now=now, own_note=NOTE, events=events, progress=progress)
        for one in (source, target)
    )
    return compare(first, second)


def movable(store: Store) -> MovableStore:
    if isinstance(store, MovableStore):
        return store
    raise StoreError(f"{type(store).__name__} cannot be taken to another store")


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
        state = self._noted()
        self._again = resumed = state is not None
        if state is None:
            if self._held():
                return self._is_there_already()
            state = self._begin()
        return self._done(state, resumed)

    def _done(self, state: _State, resumed: bool) -> Moved:
        before: tuple[Contents, Contents] | None = None
        for number in range(1, _ROUNDS + 1):
            state = self._carry(state)
            now = self._clock()
            both = self._contents(self._source, now), self._contents(self._target, now)
            proof = compare(*both)
            if proof.holds:
                self._target.write_note(NOTE, None)
                self._target.maintain()
                return Moved(proof, self._carried, resumed, number)
            rests = before is not None and before[0] == both[0]
            if rests:  # then it is the target that is not as it was left
                self._refuse_strangers(now)
                if before == both:
                    raise StoreCorrupt(
                        f"the copy differs in {', '.join(proof.differing)}, although nobody wrote "
                        "to the source. Check both with 'recollect doctor', then run the move again"
                    )
            before, self._again = both, True
            state = self._note(state._replace(memories=False, cursor=None))
        changed = ", ".join(proof.differing)
        raise StoreBusy(
            f"the target is used while it is filled ({changed} changed). Stop what uses it, then "
            "run the same move again: it goes on"
            if rests
            else f"the source is written to faster than it can be carried ({changed} changed). "
            "Stop what writes to it, then run the same move again: it goes on"
        )

    def _refuse_strangers(self, now: datetime) -> None:
        """What was told to the target meanwhile is somebody's, and the two cannot be the same."""
        found = strangers(self._source, self._target, now=now).said
        if found:
            raise Conflict(
                f"the target was used before the move to it was finished: only there are {found}. "
                "They were left alone. Tell them to the source or remove them from the target, "
                "then run the same move again; or choose an empty target"
            )

    # What the target holds before

    def _noted(self) -> _State | None:
        said = self._target.notes(NOTE).get(NOTE)
        if said is None:
            return None
        state = _read(said)
        if state.source != self._name:
            raise Conflict(
                "another store is being moved to this target, and that is not finished; finish it, "
                "or choose an empty target"
            )
        if (state.events is not None) is not self._events:
            how = "with" if state.events is not None else "without"
            raise Conflict(f"this move was begun {how} --events; go on {how} it")
        return state

    def _held(self) -> bool:
        """Does the target hold anything that somebody could miss?"""
        spaces = self._target.spaces()
        tiers = self._target.tiers()
        return bool(
            any(info.memories for info in spaces)
            or {info.name for info in spaces} - {GLOBAL_SPACE}
            or tiers.quarantine.scan(limit=1).offers
            or tiers.events.last()
            or recent_of(self._target, now=self._clock())
            or notes_of(self._target, NOTE)
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
            if proof.holds:
                return Moved(proof, 0, False, 1, already=True)
        raise Conflict(
            "the target holds something already, and it is no copy of the source that was begun; "
            "choose an empty one, or 'recollect export' and 'recollect import' to add to it"
        )

    # Carrying

    def _begin(self) -> _State:
        began = to_micros(self._clock())
        events = EventsCarried() if self._events else None
        return self._note(_State(self._name, began, events=events))

    def _note(self, state: _State) -> _State:
        self._target.write_note(NOTE, json.dumps({"version": _VERSION, **state._asdict()}))
        return state

    def _carry(self, state: _State) -> _State:
        agree_on_embeddings(self._source, self._target)
        for info in self._source.spaces():
            self._target.open_space(info.name)
        if not state.memories:
            state = self._carry_memories(state)
        began = from_micros(state.began)
        carry_offers(self._source, self._target, told_before=began)
        carry_recent(self._source, self._target, now=self._clock(), told_before=began)
        carry_notes(self._source, self._target, NOTE)
        if state.events is not None:
            for so_far in carry_events(self._source, self._target, state.events):
                state = self._note(state._replace(events=so_far))
        return state

    def _carry_memories(self, state: _State) -> _State:
        total = sum(info.memories for info in self._source.spaces())
        done = 0 if state.cursor is None else self._target.count()
        embeddings = self._source.embeddings()
        for page in walk(self._source, state.cursor, []):
            self._carried += carry(page.whole, self._target, embeddings)
            done += len(page.whole)
            state = self._note(state._replace(cursor=page.cursor))
            if self._progress is not None:
                self._progress(done, total)
        began = from_micros(state.began)
        if self._again or self._target.count() != self._source.count():
            forget_others(self._source, self._target, told_before=began)
        self._close_spaces()
        return self._note(state._replace(memories=True, cursor=None))

    def _close_spaces(self) -> None:
        """Spaces that are no more in the source and hold nothing here."""
        wanted = {info.name for info in self._source.spaces()}
        for info in self._target.spaces():
            if info.name not in wanted and not info.memories:
                self._target.delete_space(info.name)

    def _contents(self, store: MovableStore, now: datetime) -> Contents:
        return contents(store, now=now, own_note=NOTE, events=self._events, progress=self._progress)


def _first_loss(error: BaseException) -> BaseException:
    """What was lost first; giving back what was held then fails too, in words of its own."""
    first = error
    before = error.__context__
    while before is not None:
        if isinstance(before, StoreUnavailable):
            first = before
        before = before.__context__
    return first


def _read(said: str) -> _State:
    try:
        told: dict[str, Any] = json.loads(said)
        version = told.pop("version")
        events: Sequence[int] | None = told.pop("events")
        if version != _VERSION:
            raise ValueError(version)
        return _State(**told, events=None if events is None else EventsCarried(*events))
    except (ValueError, KeyError, TypeError):
        raise Conflict(
            "a move to this target was begun by another version of Recollect; finish it with that, "
            "or choose an empty target"
        ) from None
