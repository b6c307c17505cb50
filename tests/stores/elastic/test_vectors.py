"""Vectors in an index of their own for each embedder."""

from __future__ import annotations

import pytest

from bethink.stores.elastic.retriever import ElasticRetriever
from bethink.stores.retriever_address import parse_address
from bethink.stores.retrievers import Changes, RetrieverUnfit
from bethink.testing.entries import make_memory
from bethink.testing.retriever_contract import OTHER, TOY, told
from tests.stores.elastic.strict_server import StrictServer


def test_old_and_new_stand_side_by_side_until_the_switch(elastic: StrictServer) -> None:
    retriever = ElasticRetriever(parse_address(elastic.address("mine", finds="words,meaning")))
    elastic.indexes.clear()
    memory = make_memory("alpha\n甲", "a")
    retriever.apply(told(memory, by=[TOY, OTHER]))
    assert len(elastic.indexes) == 3
    retriever.apply(Changes(embeddings=(OTHER.embedding,), vectors_gone=(TOY.fingerprint,)))
    assert len(elastic.indexes) == 2
    lost = next(name for name in elastic.indexes if name != "mine")
    del elastic.indexes[lost]
    with pytest.raises(RetrieverUnfit, match="was removed"):
        retriever.apply(told(memory, by=[OTHER]))
    retriever.clear()
    assert not elastic.indexes
    retriever.apply(told(memory, by=[OTHER]))
    assert len(elastic.indexes) == 2
    retriever.close()
