"""Requests through the official clients: both speak the same language where we use it, and differ
in how a failure comes back."""

from __future__ import annotations

import json
import logging
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from bethink.errors import MissingExtra, StoreError, StoreUnavailable
from bethink.stores.retriever_address import RetrieverAddress, trusting

Json = Mapping[str, Any]
_CLIENTS = {  # the package, what it is for, and the extra that has it
    "elasticsearch": ("elasticsearch", "Elasticsearch", "elastic"),
    "opensearch": ("opensearchpy", "OpenSearch", "opensearch"),
}
_JSON, _LINES = "application/json", "application/x-ndjson"


class Answer(NamedTuple):
    status: int
    body: Any


class Wire(Protocol):
    def ask(
        self,
        method: str,
        path: str,
        *,
        params: Json | None = None,
        body: Json | None = None,
        lines: Sequence[Json] | None = None,
    ) -> Answer:
        """Whatever the server answers. StoreUnavailable where it does not; `lines` are sent as
        newline-delimited JSON."""

    def close(self) -> None: ...


def must_be_installed(scheme: str) -> None:
    from importlib.util import find_spec

    package, named, extra = _CLIENTS[scheme]
    if find_spec(package) is None:
        raise MissingExtra(f"finding through {named}", extra)


def connected(address: RetrieverAddress, *, timeout: float) -> Wire:
    if address.scheme == "opensearch":
        return _OpenSearch(address, timeout)
    return _Elasticsearch(address, timeout)


def _sent(body: Json | None, lines: Sequence[Json] | None) -> tuple[str | None, dict[str, str]]:
    if lines is not None:
        text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
        return text, {"accept": _JSON, "content-type": _LINES}
    if body is not None:
        return json.dumps(body, ensure_ascii=False), {"accept": _JSON, "content-type": _JSON}
    return None, {"accept": _JSON}


def _login(address: RetrieverAddress) -> dict[str, str]:
    """Made here: the clients would have passwords in Latin letters only."""
    if address.user:
        both = f"{address.user}:{address.secret}".encode()
        return {"authorization": f"Basic {b64encode(both).decode()}"}
    return {"authorization": f"ApiKey {address.secret}"} if address.secret else {}


def _trust(address: RetrieverAddress) -> dict[str, Any]:
    return {"ssl_context": trusting(address)} if address.ca else {}


def _late(name: str) -> StoreUnavailable:
    return StoreUnavailable(f"{name} did not answer in time; it may be busy or hang. See its log")


def _away(name: str, why: object) -> StoreUnavailable:
    said = re.sub(r"\w*\(host=[^)]*\):? ?", "", str(why).splitlines()[0])[:200]  # that is the name
    return StoreUnavailable(f"{name} cannot be reached ({said}); see that it runs and listens")


class _Elasticsearch:
    def __init__(self, address: RetrieverAddress, timeout: float) -> None:
        from elasticsearch import Elasticsearch

        self._name = address.name
        self._client = Elasticsearch(
            address.url,
            headers=_login(address),
            request_timeout=timeout,
            max_retries=0,  # whoever asks decides whether to wait
            **_trust(address),
        )

    def ask(
        self,
        method: str,
        path: str,
        *,
        params: Json | None = None,
        body: Json | None = None,
        lines: Sequence[Json] | None = None,
    ) -> Answer:
        from elasticsearch import ApiError, ConnectionTimeout, TransportError
        from elasticsearch import UnsupportedProductError as AnotherProduct

        sent, headers = _sent(body, lines)
        try:
            answer = self._client.perform_request(
                method, path, params=params, headers=headers, body=sent
            )
        except AnotherProduct:
            raise StoreError(
                f"{self._name} is not Elasticsearch; for OpenSearch write opensearch://…"
            ) from None
        except ApiError as e:
            return Answer(e.meta.status, e.body)
        except ConnectionTimeout:
            raise _late(self._name) from None
        except TransportError as e:
            raise _away(self._name, e.message) from None
        return Answer(answer.meta.status, answer.body)

    def close(self) -> None:
        self._client.close()


class _OpenSearch:
    def __init__(self, address: RetrieverAddress, timeout: float) -> None:
        from opensearchpy import OpenSearch

        # It would print every failure, which we tell ourselves, where nobody set up a log.
        logging.getLogger("opensearch").addHandler(logging.NullHandler())
        self._name = address.name
        self._client = OpenSearch(
            [address.url],
            headers=_login(address),
            timeout=timeout,
            max_retries=0,
            maxsize=10,  # connections: questions come side by side
            **_trust(address),
        )

    def ask(
        self,
        method: str,
        path: str,
        *,
        params: Json | None = None,
        body: Json | None = None,
        lines: Sequence[Json] | None = None,
    ) -> Answer:
        from opensearchpy import ConnectionError as Away
        from opensearchpy import ConnectionTimeout, TransportError

        sent, headers = _sent(body, lines)
        try:
            answer = self._client.transport.perform_request(
                method, path, params=params, headers=headers, body=sent
            )
        except ConnectionTimeout:
            raise _late(self._name) from None
        except Away as e:
            raise _away(self._name, e.info) from None
        except TransportError as e:
            return Answer(int(e.status_code), e.info)
        return Answer(200, answer)

    def close(self) -> None:
        self._client.close()
