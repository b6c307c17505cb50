"""What a server and the processes beside it say to each other: a question by the name of a verb,
and an answer, or what went wrong with it."""

from __future__ import annotations

import pickle
import traceback
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from bethink.access.caller import Caller
from bethink.errors import BethinkError

if TYPE_CHECKING:
    from bethink.embedders.protocol import Embedder
    from bethink.settings import Settings


class Setup(NamedTuple):
    """What a process is told first. It holds passwords: it is sent, and never an argument."""

    settings: Settings
    embedder: Embedder | str | None


class Asked(NamedTuple):
    caller: Caller
    verb: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class Alive(NamedTuple):
    """Answered at once by whoever can answer anything."""


class Numbers(NamedTuple):
    """Asked for what is counted there, which is answered with `HotNumbers`."""


class Troubles(NamedTuple):
    """Asked for what fails there of this tenant's, which is answered with a tuple of texts."""

    tenant: str


class Settle(NamedTuple):
    """Something of this tenant is about to be erased: write what you noted, that it can be."""

    tenant: str


Aside: TypeAlias = Numbers | Troubles | Settle
Question: TypeAlias = Asked | Alive | Aside


class Answer(NamedTuple):
    value: Any


class Refused(NamedTuple):
    """An error of ours. Its parts: not every one can be made again from its message."""

    kind: type[BethinkError]
    args: tuple[Any, ...]
    more: dict[str, Any]

    @classmethod
    def of(cls, error: BethinkError) -> Refused:
        return cls(type(error), error.args, dict(vars(error)))

    def error(self) -> BethinkError:
        error = self.kind.__new__(self.kind)
        error.args = self.args
        vars(error).update(self.more)
        return error


class Broken(NamedTuple):
    """What nobody expected, for the log."""

    trace: str

    @classmethod
    def of(cls, error: BaseException) -> Broken:
        return cls("".join(traceback.format_exception(error)))


Reply: TypeAlias = Answer | Refused | Broken


def packed(reply: Reply) -> bytes:
    """Whatever it is, something is said: who asked waits for it."""
    try:
        return pickle.dumps(reply)
    except Exception as e:
        return pickle.dumps(Broken.of(e))
