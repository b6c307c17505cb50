"""What a move keeps in its target until it is finished: how far it is, and what it brought.

Of every thing that is brought the target holds a mark, eight bytes of a digest of what it says,
written before the thing itself. So whatever the target holds is the move's own or somebody else's,
and no date has to be believed: who finds no mark, or another text than was brought, leaves it
alone. A mark whose thing never came, because of a kill, does no harm.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bethink.errors import Conflict
from bethink.relocate.unfinished import NOTE
from bethink.stores.movable import MovableStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Sorts before every note that a question reads, so that no question passes over them.
MARKS: Final = "brought/"
MARK_BYTES: Final = 8
_VERSION = 3


class State(NamedTuple):
    """What the note says."""

    source: str  # which store it comes from
    memories: bool = False  # all pages were carried once
    cursor: str | None = None  # otherwise: go on there
    events: bool = False  # they are wanted too
    lists: int = 0  # of marks, so far


def is_of_a_move(key: str) -> bool:
    """Is this note no part of what a store holds?"""
    return key == NOTE or key.startswith(MARKS)


class Journal:
    def __init__(self, target: MovableStore, state: State) -> None:
        self._target = target
        self.state = state
        self._known: NDArray[np.uint64] | None = None  # sorted; None: not read yet
        self._newer: list[bytes] = []  # written since they were read

    @classmethod
    def found(cls, target: MovableStore) -> Journal | None:
        """That of a move that was begun before."""
        said = target.notes(NOTE).get(NOTE)
        return None if said is None else cls(target, _read(said))

    @classmethod
    def begun(cls, target: MovableStore, state: State) -> Journal:
        journal = cls(target, state)
        journal.say(state)
        return journal

    def say(self, state: State) -> None:
        """How far it is now."""
        self._write(state, {})

    def bring(self, marks: Sequence[bytes]) -> None:
        """Before they are brought."""
        if marks:
            state, told = self._with_marks(marks)
            self._write(state, told)
            self._learn(marks)

    def bring_notes(
        self,
        seen: Mapping[str, str | None],
        told: Mapping[str, str | None],
        marks: Sequence[bytes],
    ) -> None:
        """Notes that are themselves what is brought, with their marks: all, or none where somebody
        has written to one since it was seen."""
        if not told:
            return
        state, noted = self._with_marks(marks)
        if self._target.exchange_notes(seen, {**told, **noted, NOTE: _said(state)}):
            self.state = state
            self._learn(marks)

    def _with_marks(self, marks: Sequence[bytes]) -> tuple[State, dict[str, str]]:
        """The state that names them, and their list."""
        lists = self.state.lists
        return self.state._replace(lists=lists + 1), {
            _key(lists): b64encode(b"".join(marks)).decode()
        }

    def _learn(self, marks: Sequence[bytes]) -> None:
        if self._known is not None:
            self._newer.append(b"".join(marks))

    def ours(self, marks: Sequence[bytes]) -> list[bool]:
        """Was just this brought by the move? Eight megabytes for a million, read when it is asked
        the first time: mostly nobody does."""
        if not marks:
            return []
        import numpy as np

        if self._known is None:
            self._newer = [b64decode(kept) for kept in self._target.notes(MARKS).values()]
            self._known = np.empty(0, np.uint64)
        if self._newer:
            newer = np.frombuffer(b"".join(self._newer), np.uint64)
            self._known = np.sort(np.concatenate([self._known, newer]))
            self._newer = []
        asked = np.frombuffer(b"".join(marks), np.uint64)
        first = np.searchsorted(self._known, asked)
        after = np.searchsorted(self._known, asked, side="right")
        return [bool(one) for one in first < after]

    def close(self) -> None:
        """It is finished: nothing of it remains, all at once."""
        lists = {_key(number): None for number in range(self.state.lists)}
        self._target.write_notes({NOTE: None, **lists})

    def _write(self, state: State, told: Mapping[str, str]) -> None:
        self._target.write_notes({**told, NOTE: _said(state)})
        self.state = state


def _said(state: State) -> str:
    return json.dumps({"version": _VERSION, **state._asdict()})


def _key(number: int) -> str:
    return f"{MARKS}{number:08d}"


def _read(said: str) -> State:
    try:
        told: dict[str, Any] = json.loads(said)
        version = told.pop("version")
        if version != _VERSION:
            raise ValueError(version)
        return State(**told)
    except (ValueError, KeyError, TypeError):
        raise Conflict(
            "a move to this target was begun by another version of Bethink; finish it with that, "
            "or choose an empty target"
        ) from None
