"""Everything that Bethink raises on purpose.

    BethinkError
    ├── InvalidInput            the caller can mend it: bad text, filter, name, number, file
    │   ├── InvalidFilter       a `where` that cannot be read: unknown field or operator
    │   ├── InvalidVector       NaN, infinity, zero or the wrong dimension
    │   ├── UnknownSpace        a question names a space that does not exist
    │   └── NotebookFileRefused a file of a notebook is not read; the others are
    ├── NotFound                no memory has this id
    ├── Conflict                the id is taken by another memory
    ├── StoreError              the store cannot do its work
    │   ├── StoreBusy           another process kept the write lock too long; try again
    │   ├── StoreFull           no room on the disk; nothing was written
    │   ├── StoreReadOnly       the directory or file may not be written
    │   ├── StoreCorrupt        the file is damaged or is no Bethink store
    │   ├── StoreTooNew         written by a newer Bethink
    │   ├── StoreUnavailable    its server cannot be reached now; try again
    │   ├── RetrieverRefused    an engine follows another store than this one
    │   └── StoreMissing        there is no store where one was looked for
    ├── EmbedderError           the embedder failed; memories are kept and found by words
    │   └── FingerprintMismatch vectors of two embedders would have been mixed
    ├── LLMError                the language model failed; rules do its work
    ├── RerankerError           the reranker failed; the order stays as found
    ├── WebError                the web or one page of it failed; what is known here answers
    ├── Unauthorised            no key, or one that is wrong or revoked
    ├── Forbidden               the key is good, and may not do this
    ├── TooManyRequests         the key has used up its share for now; it says when to try again
    ├── MissingExtra            an optional package is needed; the message says which
    └── SettingsError           a settings file or variable is wrong

Every message says what happened, then what to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

__all__ = [
    "DISTRIBUTION",
    "BethinkError",
    "Conflict",
    "EmbedderError",
    "FingerprintMismatch",
    "Forbidden",
    "InvalidFilter",
    "InvalidInput",
    "InvalidVector",
    "LLMError",
    "MissingExtra",
    "NotFound",
    "NotebookFileRefused",
    "RerankerError",
    "RetrieverRefused",
    "SettingsError",
    "StoreBusy",
    "StoreCorrupt",
    "StoreError",
    "StoreFull",
    "StoreMissing",
    "StoreReadOnly",
    "StoreTooNew",
    "StoreUnavailable",
    "TooManyRequests",
    "Unauthorised",
    "UnknownSpace",
    "WebError",
]

DISTRIBUTION = "bethink"  # what `pip install` calls us; every message about installing uses it
UPGRADE = f"pip install -U {DISTRIBUTION}"
REINSTALL = f"pip install --force-reinstall {DISTRIBUTION}"


def install_extra(*extras: str) -> str:
    """Return the command that installs us with these extras."""
    return f"pip install '{DISTRIBUTION}[{','.join(extras)}]'"


class BethinkError(Exception):
    """The root. `code` is stable and the same in every door; `exit_code` is the CLI's."""

    code = "error"
    exit_code = 1

    def to_dict(self) -> dict[str, str]:
        """Return JSON-ready values, as `--json` gives them."""
        return {"code": self.code, "message": str(self)}


class InvalidInput(BethinkError):
    code = "invalid_input"
    exit_code = 2


class InvalidFilter(InvalidInput):
    code = "invalid_filter"


class InvalidVector(InvalidInput):
    code = "invalid_vector"


class UnknownSpace(InvalidInput):
    code = "unknown_space"


def unknown_space(name: str, known: Iterable[str]) -> UnknownSpace:
    return UnknownSpace(
        f"there is no space {name!r}; known: {', '.join(sorted(known))}. "
        "A space comes to be when something is remembered in it"
    )


class NotebookFileRefused(InvalidInput):
    """`why` is a sentence for the person whose file it is; `gone`: it was there a moment ago."""

    code = "notebook_file_refused"

    def __init__(self, path: object, why: str, *, gone: bool = False) -> None:
        super().__init__(f"{path}: {why}")
        self.path, self.why, self.gone = str(path), why, gone


class NotFound(BethinkError):
    code = "not_found"
    exit_code = 3


def no_such_memory(memory_id: object) -> NotFound:
    return NotFound(f"no memory has the id {memory_id!r}; list the memories to see their ids")


def no_such_offer(offer_id: object) -> NotFound:
    return NotFound(f"nothing was offered under the id {offer_id!r}; list the offers to see theirs")


class Conflict(BethinkError):
    code = "conflict"
    exit_code = 4


class StoreError(BethinkError):
    """`abroad` is what is told over a network: the message may name hosts, users and paths, which
    are for whoever runs the server. `unsure`: a change that was asked for may have been made."""

    code = "store_error"
    exit_code = 5
    abroad = "the store cannot do its work now; the log says why"
    unsure = True

    def __init__(self, message: str = "", *, abroad: str = "") -> None:
        super().__init__(message)
        if abroad:
            self.abroad, self.unsure = abroad, False


class StoreBusy(StoreError):
    code = "store_busy"
    abroad = "the store is busy; try again in a moment"


class StoreFull(StoreError):
    code = "store_full"
    abroad = "the store has no room, and nothing was written; make some, then try again"
    unsure = False


class StoreReadOnly(StoreError):
    code = "store_read_only"
    abroad = "the store may not be written or opened; the log says why"
    unsure = False


class StoreCorrupt(StoreError):
    code = "store_corrupt"
    abroad = "the store is damaged or cannot be read; the log says what to do"
    unsure = False


class StoreTooNew(StoreError):
    code = "store_too_new"
    abroad = "the store is newer than the server; whoever runs the server must upgrade it"
    unsure = False


class StoreUnavailable(StoreError):
    code = "store_unavailable"
    abroad = "the store cannot be reached now; try again in a moment"


class StoreMissing(StoreError):
    code = "store_missing"
    abroad = "there is no store where the server looks for one; its log says where that is"
    unsure = False


class RetrieverRefused(StoreError):
    code = "retriever_refused"


@contextmanager
def changing_nothing() -> Iterator[None]:
    """Around what only reads: whoever hears of its failure need not look for a change."""
    try:
        yield
    except StoreError as e:
        e.unsure = False
        raise


def said_to_anybody(error: Exception) -> str:
    """For what is shown to everybody who may ask, such as the reasons of an answer: where the store
    is stands in the log alone."""
    if isinstance(error, StoreError):
        from bethink.server_log import FAULTS

        FAULTS.say(f"{error.code}: {error}", logger="bethink")
        return error.abroad
    return str(error) if isinstance(error, BethinkError) else f"{type(error).__name__}: {error}"


class EmbedderError(BethinkError):
    code = "embedder_error"
    exit_code = 6


class FingerprintMismatch(EmbedderError):
    code = "fingerprint_mismatch"


class LLMError(BethinkError):
    code = "llm_error"
    exit_code = 6


class RerankerError(BethinkError):
    code = "reranker_error"
    exit_code = 6


class WebError(BethinkError):
    code = "web_error"
    exit_code = 6


class Unauthorised(BethinkError):
    code = "unauthorised"
    exit_code = 2


class Forbidden(BethinkError):
    code = "forbidden"
    exit_code = 2


class TooManyRequests(BethinkError):
    code = "too_many_requests"

    def __init__(self, seconds: float) -> None:
        super().__init__(f"too many requests with this key; try again in {seconds:.1f} seconds")
        self.seconds = seconds


class MissingExtra(BethinkError):
    code = "missing_extra"
    exit_code = 7

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional part: {install_extra(extra)}")


class SettingsError(BethinkError):
    code = "settings_error"
    exit_code = 2


if not TYPE_CHECKING:  # a type checker would accept any name

    def __getattr__(name: str) -> object:
        if name.startswith("_"):  # Python asks for `__path__` while this is imported
            raise AttributeError(name)
        from bethink.lazy_exports import no_such_name

        raise no_such_name(__name__, name)
