"""The indexes on the server: made, asked, written and removed, each failure in plain words."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from bethink.errors import BethinkError, Conflict, StoreBusy, StoreError
from bethink.stores.copies import is_vectors_of
from bethink.stores.elastic.mapping import is_ours
from bethink.stores.elastic.plain_errors import RequestTooLarge, refusal
from bethink.stores.elastic.where import Query
from bethink.stores.elastic.wire import Answer, Json, Wire, connected
from bethink.stores.retriever_address import RetrieverAddress

_T = TypeVar("_T")
OLDEST = {"elasticsearch": (8, 11), "opensearch": (2, 0)}
_AT_ONCE = 256  # documents in a request
_PAUSES = (0.25, 0.5, 1.0, 2.0)  # between tries, while it takes no more writes
_CONFLICTS = 5  # how often a deletion begins again that met another writer


class Server:
    def __init__(self, address: RetrieverAddress, timeout: float) -> None:
        self.name = address.name
        self._base = address.index
        self._scheme = address.scheme
        self._wire: Wire = connected(address, timeout=timeout)
        self._checked = False

    def close(self) -> None:
        self._wire.close()

    def ask(self, method: str, path: str, *, missing: Any = ..., **sent: Any) -> Any:
        """The answer's body. With `missing`, that where there is no such thing."""
        if not self._checked:
            self._check_version()
        answer = self._wire.ask(method, path, **sent)
        if answer.status == 404 and missing is not ...:
            return missing
        return self._accepted(answer)

    def _accepted(self, answer: Answer) -> Any:
        if answer.status >= 300:
            raise refusal(answer, self.name)
        return answer.body

    def _check_version(self) -> None:
        told = self._accepted(self._wire.ask("GET", "/"))
        version = str(told.get("version", {}).get("number", ""))
        numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
        oldest = OLDEST[self._scheme]
        if numbers < oldest:
            needed = ".".join(map(str, oldest))
            raise StoreError(
                f"{self.name} has version {version or 'unknown'}; {needed} or newer is needed: "
                "update it"
            )
        self._checked = True

    # Indexes

    def indexes(self) -> set[str]:
        """Those of this retriever. One that somebody else made is left alone."""
        found = self.ask(
            "GET",
            f"/{self._base},{self._base}--*/_mapping",
            params={"ignore_unavailable": "true", "allow_no_indices": "true"},
        )
        ours = {n for n in found if n == self._base or is_vectors_of(self._base, n)}
        for name in ours:
            if not is_ours(found[name]["mappings"]):
                raise StoreError(
                    f"{self.name}: the index {name} was not made by this version of Bethink; "
                    "nothing was changed there. Name another index, or remove that one"
                )
        return ours

    def make(self, name: str, body: Json) -> None:
        answer = self._wire.ask("PUT", f"/{name}", body=body)
        error = answer.body.get("error") if isinstance(answer.body, dict) else None
        if isinstance(error, dict) and error.get("type") == "resource_already_exists_exception":
            return  # another thread was faster
        self._accepted(answer)

    def remove(self, name: str) -> None:
        self.ask("DELETE", f"/{name}", missing=None)

    # Documents

    def document(self, index: str, key: str) -> dict[str, Any] | None:
        found = self.ask("GET", f"/{index}/_doc/{key}", missing=None)
        source: dict[str, Any] | None = found["_source"] if found else None
        return source

    def write(
        self, index: str, documents: Sequence[tuple[str, Json]], *, searched: bool = True
    ) -> None:
        """`searched`: searches shall see it at once. `document` always does."""
        for part in _in_parts(documents, _AT_ONCE):
            self._patiently(partial(self._write, index, part, searched))

    def _write(self, index: str, documents: Sequence[tuple[str, Json]], searched: bool) -> None:
        lines: list[Json] = []
        for key, document in documents:
            lines += [{"index": {"_index": index, "_id": key}}, document]
        params = {"refresh": str(searched).lower()}
        try:
            told = self.ask("POST", "/_bulk", params=params, lines=lines)
        except RequestTooLarge:
            if len(documents) == 1:
                raise
            half = len(documents) // 2
            for part in (documents[:half], documents[half:]):
                self._write(index, part, searched)
            return
        if not told["errors"]:
            return
        faults = [
            refusal(Answer(item["index"]["status"], {"error": item["index"]["error"]}), self.name)
            for item in told["items"]
            if item["index"]["status"] >= 300
        ]
        raise _gravest(faults)

    def delete(self, index: str, query: Query) -> None:
        """Who meets another writer begins again: the same deletion twice does no harm."""
        for _ in range(_CONFLICTS):
            told = self._patiently(lambda: self._delete(index, query))
            if not told["version_conflicts"]:
                return
        raise Conflict(f"{self.name}: others keep writing what is deleted; it is tried again later")

    def _delete(self, index: str, query: Query) -> Any:
        told = self.ask(
            "POST",
            f"/{index}/_delete_by_query",
            params={"refresh": "true", "conflicts": "proceed"},
            body={"query": query},
        )
        if told["timed_out"] or told["failures"]:
            failures = told["failures"]
            status = failures[0].get("status", 500) if failures else 503
            cause = failures[0].get("cause", failures[0]) if failures else "it took too long"
            raise refusal(Answer(status, {"error": cause}), self.name)
        return told

    def _patiently(self, write: Callable[[], _T]) -> _T:
        """Writing happens where nobody need wait for it: too many requests are spread out."""
        for pause in _PAUSES:
            try:
                return write()
            except StoreBusy:
                time.sleep(pause)
        return write()

    # Searching

    def search(self, index: str, body: Query, *, missing: Any = ...) -> Any:
        params = {"allow_partial_search_results": "false"}
        told = self.ask("POST", f"/{index}/_search", params=params, body=body, missing=missing)
        return told if told is missing else self._whole(told)

    def search_many(self, index: str, bodies: Sequence[Query]) -> list[Any]:
        head = {"allow_partial_search_results": False, "search_type": "dfs_query_then_fetch"}
        lines: list[Json] = []
        for body in bodies:
            lines += [head, body]
        told = self.ask("POST", f"/{index}/_msearch", lines=lines)
        return [self._whole(self._accepted(Answer(r["status"], r))) for r in told["responses"]]

    def _whole(self, told: Any) -> Any:
        """An answer of some shards only looks like one that found less."""
        if told["timed_out"] or told["_shards"]["failed"]:
            raise refusal(Answer(503, {"error": "some shards did not answer"}), self.name)
        return told


def _gravest(faults: Collection[BethinkError]) -> BethinkError:
    """If it is only busy, it can be tried again; anything else matters more."""
    return next((f for f in faults if not isinstance(f, StoreBusy)), next(iter(faults)))


def _in_parts(items: Sequence[_T], size: int) -> Iterator[list[_T]]:
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part
