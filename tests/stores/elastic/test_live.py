"""The same contract on a real Elasticsearch or OpenSearch, where BETHINK_TEST_ELASTIC_URL names
one (elasticsearch://… or opensearch://…, the index's name as the beginning of those that are made).

Without the variable there is nothing to collect here: no server can be installed with our tests,
so the adapter counts as checked on the wire only (docs/how-to/qdrant-elasticsearch.md)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from uuid import uuid4

import pytest

from bethink.stores.elastic.retriever import ElasticRetriever
from bethink.stores.retriever_address import parse_address
from bethink.stores.retrievers import Retriever
from bethink.testing import RetrieverContract

URL = os.environ.get("BETHINK_TEST_ELASTIC_URL", "")

if URL:

    class TestLive(RetrieverContract):
        @pytest.fixture
        def make_retriever(self) -> Iterator[Callable[[], Retriever]]:
            made: list[ElasticRetriever] = []

            def make() -> Retriever:
                address = parse_address(URL)
                index = f"{address.index}-{uuid4().hex[:12]}"
                made.append(ElasticRetriever(replace(address, index=index)))
                return made[-1]

            yield make
            for retriever in made:
                again = ElasticRetriever(retriever.address)
                again.clear()
                again.close()
