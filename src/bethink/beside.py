"""The engines that the settings name beside the store (`retrievers`): opened, and emptied."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.errors import BethinkError, MissingExtra, StoreUnavailable
from bethink.stores.protocol import Store
from bethink.stores.retriever_address import parse_address
from bethink.stores.retrievers import Retriever


def with_retrievers(truth: Store, addresses: Sequence[str]) -> Store:
    """The store with its words or meaning found by these. If they cannot be opened, it is closed:
    nobody else holds it yet."""
    from bethink.stores.composite import CompositeStore

    opened: list[Retriever] = []
    try:
        for address in addresses:
            opened.append(_opened(address))
        return CompositeStore(truth, opened)
    except BaseException:
        for one in opened:
            one.close()
        truth.close()
        raise


def erase_copies(addresses: Sequence[str]) -> None:
    """Let these hold nothing any more; for a store that is about to go."""
    for address in addresses:
        retriever = _opened(address)
        try:
            retriever.clear()
        except BethinkError as e:
            raise StoreUnavailable(
                f"the copies in {retriever.name} could not be erased ({e}); the store is still "
                "there. Try again when it answers, or take it out of the setting 'retrievers'"
            ) from e
        finally:
            retriever.close()


def _opened(address: str) -> Retriever:
    parsed = parse_address(address)
    if parsed.scheme == "qdrant":
        try:
            from bethink.stores.qdrant.retriever import QdrantRetriever
        except ModuleNotFoundError as e:
            if not (e.name or "").startswith(("qdrant_client", "grpc")):
                raise
            raise MissingExtra("finding through Qdrant", "qdrant") from None
        return QdrantRetriever(parsed)
    from bethink.stores.elastic.retriever import ElasticRetriever

    return ElasticRetriever(parsed)
