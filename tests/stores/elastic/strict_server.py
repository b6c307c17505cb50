"""A small HTTP server that speaks as much of Elasticsearch as we use, and refuses what the API does
not document: methods, paths, parameters, headers, formats, names. It is no Elasticsearch: that our
requests are right in form and meaning is shown here, that a cluster behaves so is not."""

from __future__ import annotations

import fnmatch
import json
import re
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.stores.elastic.indexes import Index, Json, Refused, bad, check_index_body, only
from tests.stores.elastic.query_language import answered, matching

_JSON = re.compile(r"application/(vnd\.elasticsearch\+)?json(; ?compatible-with=[89])?")
_LINES = re.compile(r"application/(vnd\.elasticsearch\+)?x-ndjson(; ?compatible-with=[89])?")
_HEAD = ("index", "search_type", "allow_partial_search_results", "preference", "routing",
         "request_cache", "ignore_unavailable", "allow_no_indices", "expand_wildcards")  # fmt: skip
_TOLD = {"true", "false"}
_REFUSALS = {  # of an item of a batch
    400: ("illegal_argument_exception", "Document contains at least one immense term"),
    429: ("es_rejected_execution_exception", "queue is full"),
}


class StrictServer:
    """`refuse` makes the next requests to a path fail; `asked` is what came, for the tests."""

    def __init__(self, *, opensearch: bool = False, version: str = "9.1.0") -> None:
        self.opensearch, self.version = opensearch, version
        self.indexes: dict[str, Index] = {}
        self.asked: list[tuple[str, str]] = []
        self.keys: set[str] = set()  # Authorization headers that are let in; none: all
        self.delay = 0.0
        self.health = "green"
        self.most_bytes = 100_000_000  # of a request
        self.refuse_items: dict[str, list[int]] = {}  # of the next batches: a status for each
        self.failed_shards = 0  # so many do not answer a search
        self.delete_failures: list[Json] = []  # what the next deletions report
        self._refusals: list[tuple[str, int, Json]] = []
        self._lock = threading.RLock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self.port = self._http.server_port

    @classmethod
    @contextmanager
    def started(cls, **options: Any) -> Iterator[StrictServer]:
        server = cls(**options)
        thread = threading.Thread(target=server._http.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server._http.shutdown()
            server._http.server_close()
            thread.join()

    def address(self, index: str, *, account: str = "", finds: str = "words") -> str:
        scheme = "opensearch" if self.opensearch else "elasticsearch"
        at = f"{account}@" if account else ""
        return f"{scheme}://{at}127.0.0.1:{self.port}/{index}?finds={finds}"

    def let_in(self, user: str, password: str) -> None:
        self.keys.add("Basic " + b64encode(f"{user}:{password}".encode()).decode())

    def refuse(self, path: str, status: int, kind: str, reason: str, times: int = 1) -> None:
        """Requests whose path matches the pattern are refused, so many times."""
        body = Refused(status, kind, reason).body
        self._refusals += [(path, status, body)] * times

    # A request

    def answer(self, method: str, target: str, headers: Any, raw: bytes) -> tuple[int, Any]:
        parts = urlsplit(target)
        path, params = unquote(parts.path), dict(parse_qsl(parts.query))
        self.asked.append((method, path))
        time.sleep(self.delay)
        try:
            if self.keys and headers.get("Authorization") not in self.keys:
                raise Refused(401, "security_exception", "unable to authenticate")
            if len(raw) > self.most_bytes:
                return 413, "<html>413 Request Entity Too Large</html>"
            for number, (pattern, status, body) in enumerate(self._refusals):
                if re.search(pattern, path):
                    del self._refusals[number]
                    return status, body
            return self._routed(method, path, params, _read(headers, raw))
        except Refused as e:
            return e.status, e.body

    def _routed(self, method: str, path: str, params: Json, sent: Any) -> tuple[int, Any]:
        routes: list[tuple[str, str, set[str], Callable[..., Any]]] = [
            ("GET", r"/", set(), self._info),
            ("GET", r"/([^_/][^/]*)/_mapping", {"ignore_unavailable", "allow_no_indices"},
             self._mapping),
            ("PUT", r"/([^_/][^/]*)", set(), self._create),
            ("DELETE", r"/([^_/][^/]*)", set(), self._remove),
            ("GET", r"/([^_/][^/]*)/_doc/([^/]+)", set(), self._document),
            ("POST", r"/_bulk", {"refresh"}, self._bulk),
            ("POST", r"/([^_/][^/]*)/_delete_by_query", {"refresh", "conflicts"}, self._delete),
            ("POST", r"/([^_/][^/]*)/_search", {"allow_partial_search_results"}, self._search),
            ("POST", r"/([^_/][^/]*)/_msearch", set(), self._searches),
            ("POST", r"/([^_/][^/]*)/_forcemerge", {"only_expunge_deletes"}, self._merge),
            ("POST", r"/([^_/][^/]*)/_flush", set(), self._flush),
            ("GET", r"/([^_/][^/]*)/_stats/docs", set(), self._stats),
            ("GET", r"/_cluster/health/([^/]+)", set(), self._health),
        ]  # fmt: skip
        for wanted, pattern, known, act in routes:
            found = re.fullmatch(pattern, path)
            if found and wanted == method:
                if unknown := params.keys() - known:
                    raise bad(f"request [{path}] contains unrecognized parameters: {unknown}")
                with self._lock:
                    told = act(*found.groups(), params, sent)
                return told if isinstance(told, tuple) else (200, told)
        raise Refused(405, "method_not_allowed", f"Incorrect HTTP method for uri [{path}]")

    def _index(self, name: str) -> Index:
        if name not in self.indexes:
            raise Refused(404, "index_not_found_exception", f"no such index [{name}]")
        return self.indexes[name]

    def _info(self, _params: Json, _sent: Any) -> Json:
        version = {"number": self.version}
        return {"version": version | ({"distribution": "opensearch"} if self.opensearch else {})}

    # Indexes

    def _mapping(self, names: str, params: Json, _sent: Any) -> Json:
        found: Json = {}
        for pattern in names.split(","):
            matched = fnmatch.filter(self.indexes, pattern)
            if not matched and "*" not in pattern and params.get("ignore_unavailable") != "true":
                self._index(pattern)
            found |= {name: {"mappings": self.indexes[name].body["mappings"]} for name in matched}
        return found

    def _create(self, name: str, _params: Json, sent: Any) -> Json:
        if name in self.indexes:
            raise bad(f"index [{name}] already exists", "resource_already_exists_exception")
        check_index_body(name, sent, dense_vectors=not self.opensearch)
        self.indexes[name] = Index(name, sent)
        return {"acknowledged": True, "shards_acknowledged": True, "index": name}

    def _remove(self, name: str, _params: Json, _sent: Any) -> Json:
        if "*" in name:
            raise bad("Wildcard expressions or all indices are not allowed")
        self._index(name)
        del self.indexes[name]
        return {"acknowledged": True}

    def _merge(self, names: str, params: Json, _sent: Any) -> Json:
        if params.get("only_expunge_deletes", "false") not in _TOLD:
            raise bad("Failed to parse value [only_expunge_deletes]")
        for name in names.split(","):
            self._index(name).deleted = 0
        return {"_shards": {"total": 1, "successful": 1, "failed": 0}}

    def _flush(self, names: str, _params: Json, _sent: Any) -> Json:
        for name in names.split(","):
            self._index(name)
        return {"_shards": {"total": 1, "successful": 1, "failed": 0}}

    def _stats(self, names: str, _params: Json, _sent: Any) -> Json:
        of = [self._index(name) for name in names.split(",")]
        docs = {"count": sum(len(i.live) for i in of), "deleted": sum(i.deleted for i in of)}
        return {"_all": {"primaries": {"docs": docs}, "total": {"docs": docs}}}

    def _health(self, _names: str, _params: Json, _sent: Any) -> Json:
        return {"status": self.health, "timed_out": False}

    # Documents

    def _document(self, name: str, key: str, _params: Json, _sent: Any) -> tuple[int, Json]:
        held = self._index(name).live.get(key)
        told: Json = {"_index": name, "_id": key, "found": held is not None}
        return (404, told) if held is None else (200, told | {"_source": held[1]})

    def _bulk(self, params: Json, sent: Any) -> Json:
        if params.get("refresh", "false") not in {*_TOLD, "wait_for"} or not isinstance(sent, list):
            raise bad("Malformed action/metadata line")
        items: list[Json] = []
        for action, document in zip(sent[::2], sent[1::2], strict=True):
            only(action, "index", at="bulk action")
            only(action["index"], "_index", "_id", "routing", "version", at="bulk index")
            index = self._index(action["index"]["_index"])  # a real one would make it by guessing
            item: Json = {"_index": index.name, "_id": action["index"]["_id"]}
            try:
                refused = self.refuse_items.get(index.name) or [0]
                if (status := refused.pop(0)) in _REFUSALS:
                    raise Refused(status, *_REFUSALS[status])
                item["status"] = 201 if index.put(item["_id"], document) else 200
            except Refused as e:
                item |= {"status": e.status, "error": {"type": e.kind, "reason": e.reason}}
            items.append({"index": item})
        if params.get("refresh") == "true":
            for name in {item["index"]["_index"] for item in items}:
                self.indexes[name].refresh()
        return {"took": 1, "errors": any("error" in i["index"] for i in items), "items": items}

    def _delete(self, name: str, params: Json, sent: Any) -> Json:
        only(sent, "query", "max_docs", "slice", at="delete_by_query")
        if params.get("conflicts", "abort") not in ("abort", "proceed"):
            raise bad("conflicts may only be \"proceed\" or \"abort\"")  # fmt: skip
        index = self._index(name)
        matcher = matching(index, sent["query"])
        found = [key for key, document in index.searched() if matcher(key, document) is not None]
        gone = sum(index.delete_seen(key) for key in found)
        if params.get("refresh") == "true":
            index.refresh()
        failures, self.delete_failures = self.delete_failures, []
        return {"timed_out": False, "total": len(found), "deleted": gone, "failures": failures,
                "version_conflicts": len(found) - gone}  # fmt: skip

    # Searching

    def _search(self, name: str, params: Json, sent: Any) -> Json:
        if params.get("allow_partial_search_results", "true") not in _TOLD:
            raise bad("Failed to parse value [allow_partial_search_results]")
        told = answered(self._index(name), sent, dense_vectors=not self.opensearch)
        if self.failed_shards and params.get("allow_partial_search_results", "true") == "false":
            raise Refused(503, "search_phase_execution_exception", "Partial shards failure")
        told["_shards"]["failed"] = self.failed_shards
        return told

    def _searches(self, name: str, _params: Json, sent: Any) -> Json:
        if not isinstance(sent, list) or len(sent) % 2:
            raise bad("The msearch request must be terminated by a newline [\\n]")
        responses: list[Json] = []
        for head, body in zip(sent[::2], sent[1::2], strict=True):
            only(head, *_HEAD, at="msearch header")
            try:
                partial = str(head.get("allow_partial_search_results", True)).lower()
                told = self._search(name, {"allow_partial_search_results": partial}, body)
                responses.append(told)
            except Refused as e:
                responses.append(e.body)
        return {"took": 1, "responses": responses}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 65536  # head and body in one piece; else each answer takes 40 ms
            disable_nagle_algorithm = True

            def _any(self) -> None:
                raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, body = server.answer(self.command, self.path, self.headers, raw)
                page = isinstance(body, str)  # of a proxy, not of the server
                told = body.encode() if page else json.dumps(body, ensure_ascii=False).encode()
                self.send_response(status)
                self.send_header("Content-Type", "text/html" if page else "application/json")
                self.send_header("Content-Length", str(len(told)))
                if not server.opensearch:
                    self.send_header("X-Elastic-Product", "Elasticsearch")
                self.end_headers()
                self.wfile.write(told)
                self.wfile.flush()

            do_GET = do_POST = do_PUT = do_DELETE = _any  # noqa: N815

            def log_message(self, *_: object) -> None:
                """Nobody reads it."""

        return Handler


def _read(headers: Any, raw: bytes) -> Any:
    kind = headers.get("Content-Type") or ""
    if not raw:
        return None
    if _LINES.fullmatch(kind):
        if not raw.endswith(b"\n"):
            raise bad("The bulk request must be terminated by a newline [\\n]")
        return [json.loads(line) for line in raw.decode().splitlines()]
    if not _JSON.fullmatch(kind):
        raise Refused(406, "media_type_header_exception", f"Content-Type header [{kind}]")
    return json.loads(raw)
